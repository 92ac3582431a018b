/* SPDX-License-Identifier: Apache-2.0 */
/* The search for the Gaussian that lowers the loss most. The values of a feature are binned and
 * each bin is represented by its mean; centres are the means of bins. If every distinct value has
 * its own bin, the search is exact. A search takes time linear in the rows plus, for each feature
 * and bandwidth, the square of the number of bins. */
#ifndef GR_LEARNERS_GAUSSIANS_GAUSSIANS_SEARCH_H
#define GR_LEARNERS_GAUSSIANS_GAUSSIANS_SEARCH_H

#include "learners/gaussians/gaussians.h"

enum { GR_MAX_BANDWIDTHS = 16 };
#define GR_NO_BIN 0xffffu /* of a value that is not finite */

typedef struct gr_gaussian_search {
    size_t rows, features;
    gr_array codes;                   /* uint16_t, features x rows: the bin of each value */
    size_t *starts;                   /* features + 1: first bin of each feature */
    double *means;                    /* per bin: mean of its values */
    double *deviations;               /* per feature: standard deviation */
    double widths[GR_MAX_BANDWIDTHS]; /* bandwidths, in standard deviations if relative */
    size_t width_count;
    bool relative;
    gr_gaussian *best;  /* per feature: its best term; weight 0: none */
    gr_gaussian *terms; /* all terms of the last search; NULL: not kept */
    size_t term_count;
    double *room; /* scratch, threads x (3 x most_bins) */
    size_t most_bins;
} gr_gaussian_search;

gradus_status gr_gaussian_search_new(const gradus_dataset *data, const gr_gaussian_options *options,
                                     const gr_bin_options *bin, const gradus_context *context,
                                     gr_gaussian_search *search, gradus_error *err);
void gr_gaussian_search_free(gr_gaussian_search *search);

/* The best term for the gradients and hessians of the rows. Its weight is a Newton step; 0 if no
 * term lowers the loss. */
gr_gaussian gr_gaussian_search_run(gr_gaussian_search *search, const float *gradients,
                                   const float *hessians, double l2, gr_pool *pool);

#endif
