/* SPDX-License-Identifier: Apache-2.0 */
/* Data that a method cannot learn from, or learns little from. */
#ifndef GR_PIPELINE_CHECK_DATA_H
#define GR_PIPELINE_CHECK_DATA_H

#include "data/dataset.h"

/* Fails if the method cannot learn from the training data; notes data that it learns little
 * from. */
gradus_status gr_training_check_data(const gradus_training *training, gradus_error *err);
/* The same for validation data. */
gradus_status gr_check_valid(const gradus_dataset *train, const gradus_dataset *valid,
                             gradus_context *context, gradus_error *err);
/* Notes labels for which a ranking metric is the same in every round. */
void gr_note_valid_labels(const gradus_dataset *valid, const char *metric, gradus_context *context);
gradus_status gr_fail_without_queries(const char *method, gradus_error *err);

/* Whether labels differ within a query, or (by_query false) over all rows. */
bool gr_labels_vary(const gradus_dataset *data, bool by_query);

#endif
