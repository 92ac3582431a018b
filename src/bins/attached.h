/* SPDX-License-Identifier: Apache-2.0 */
/* Bins that belong to a dataset and replace its values (data/binned.h). */
#ifndef GR_BINS_ATTACHED_H
#define GR_BINS_ATTACHED_H

#include "bins/bins.h"
#include "data/binned.h"

/* Takes over the bins. own: see gr_attached_own. NULL if out of memory; then the caller keeps the
 * bins and `own`. */
void *gr_attached_new(const gr_bins *bins, const gr_bin_options *options, void *own,
                      void (*free_own)(void *), gradus_error *err);
/* What the maker of the dataset needs to load the values. */
void *gr_attached_own(void *state);
/* Functions of gr_binned for such a state. */
bool gr_attached_separates(const void *state, size_t feature, float threshold);
void gr_attached_decode(const void *state, size_t first, size_t end, float *values);
void gr_attached_free(void *state);

/* The bins attached to the dataset, or to the one that it has some rows of, if they were made with
 * these options; the dataset keeps them. */
gradus_status gr_bins_attached(const gradus_dataset *data, const gr_bin_options *options,
                               gr_pool *pool, gr_bins *bins, bool *found, gradus_error *err);
/* The options of attached bins. */
const gr_bin_options *gr_attached_options(const void *state);
/* The attached bins, of all rows, without checks. */
const gr_bins *gr_attached_bins(const void *state);

#endif
