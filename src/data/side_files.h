/* SPDX-License-Identifier: Apache-2.0 */
/* Files beside a data file, as LightGBM has them: FILE.query (or FILE.group), one count of rows per
 * query, and FILE.weight, one weight per row. */
#ifndef GR_DATA_SIDE_FILES_H
#define GR_DATA_SIDE_FILES_H

#include "data/dataset.h"
#include "data/read.h"

/* Gives the rows of the file the queries and weights of its side files, of which there must be at
 * least one. Queries are numbered on from options->first_query. */
gradus_status gr_side_files_read(gradus_dataset *data, const char *path,
                                 const gr_read_options *options, gradus_error *err);

#endif
