/* SPDX-License-Identifier: Apache-2.0 */
/* Side files of a data file as in LightGBM: FILE.query (or FILE.group), one row count per query,
 * and FILE.weight, one weight per row. */
#ifndef GR_DATA_SIDE_FILES_H
#define GR_DATA_SIDE_FILES_H

#include "data/dataset.h"
#include "data/read.h"

/* Assigns the queries and weights of the side files to the rows; at least one side file must exist.
 * Queries are numbered from options->first_query + 1. */
gradus_status gr_side_files_read(gradus_dataset *data, const char *path,
                                 const gr_read_options *options, gradus_error *err);

#endif
