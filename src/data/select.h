/* SPDX-License-Identifier: Apache-2.0 */
/* Features chosen by name or id when data are read. Features keep their ids: those that are not used
 * are 0 in every row, so that no split and no weight is fitted to them. */
#ifndef GR_DATA_SELECT_H
#define GR_DATA_SELECT_H

#include "data/dataset.h"
#include "data/read.h"

/* Whether the options choose among features. */
bool gr_features_chosen(const gr_read_options *options);
/* Fills used (one per feature): 1 if the options use_features and ignore_features leave it. names:
 * of the features, or none; first_id: the id of the first. Unknown words are errors. */
gradus_status gr_features_mark(const gr_read_options *options, const gr_names *names,
                               size_t features, size_t first_id, unsigned char *used,
                               gradus_error *err);
/* Sets the features that the options leave out to 0. */
gradus_status gr_features_select(gradus_dataset *data, const gr_read_options *options,
                                 gr_pool *pool, gradus_error *err);

#endif
