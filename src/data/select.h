/* SPDX-License-Identifier: Apache-2.0 */
/* Selects features by name or id when data are read. Features keep their ids; unused ones are set
 * to 0 in every row, so that no model can use them. */
#ifndef GR_DATA_SELECT_H
#define GR_DATA_SELECT_H

#include "data/dataset.h"
#include "data/read.h"

/* Whether the options select features. */
bool gr_features_chosen(const gr_read_options *options);
/* Fills used (one per feature) with 1 if the options use_features and ignore_features keep it.
 * names: of the features, may be empty; first_id: the id of the first feature. Unknown words are
 * errors. */
gradus_status gr_features_mark(const gr_read_options *options, const gr_names *names,
                               size_t features, size_t first_id, unsigned char *used,
                               gradus_error *err);
/* Sets the features that the options exclude to 0. */
gradus_status gr_features_select(gradus_dataset *data, const gr_read_options *options,
                                 gr_pool *pool, gradus_error *err);

#endif
