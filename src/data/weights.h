/* SPDX-License-Identifier: Apache-2.0 */
/* Weights of rows or queries from a file of their own: one number a line. */
#ifndef GR_DATA_WEIGHTS_H
#define GR_DATA_WEIGHTS_H

#include "data/dataset.h"

/* Replaces the weights of rows (in the order of the data file) or of queries (in the order they
 * first appear). Weights are finite and not negative. */
gradus_status gr_row_weights_read(gradus_dataset *data, const char *path, gradus_error *err);
gradus_status gr_query_weights_read(gradus_dataset *data, const char *path, gradus_error *err);

#endif
