/* SPDX-License-Identifier: Apache-2.0 */
/* Reads several files as one dataset. */
#ifndef GR_DATA_READ_FILES_H
#define GR_DATA_READ_FILES_H

#include "data/read.h"

/* Reads the rows of the files in order. A query id in two files is an error unless
 * options->join_queries is set; files with feature names must have the same ones. Each file is
 * freed once its rows are copied. */
gradus_dataset *gr_read_files(gradus_context *context, const char *const *paths, size_t count,
                              const gr_read_options *options, gradus_error *err);

#endif
