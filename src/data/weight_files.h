/* SPDX-License-Identifier: Apache-2.0 */
/* Reads row or query weights from a file with one number per line. */
#ifndef GR_DATA_WEIGHT_FILES_H
#define GR_DATA_WEIGHT_FILES_H

#include "data/dataset.h"

/* Replaces the row weights (in the order of the data file) or the query weights (in order of first
 * appearance). Weights must be finite and not negative. */
gradus_status gr_row_weights_read(gradus_dataset *data, const char *path, gradus_error *err);
gradus_status gr_query_weights_read(gradus_dataset *data, const char *path, gradus_error *err);

#endif
