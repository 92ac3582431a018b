/* SPDX-License-Identifier: Apache-2.0 */
/* Reads data of which each process keeps the values of its rows only, and everything else of all
 * rows. */
#ifndef GR_DATA_READ_PARTS_H
#define GR_DATA_READ_PARTS_H

#include "data/read.h"

/* As gr_read_files, with the processes of the context: a collective call. Each parses its part of
 * one text or CSV file, or its files of a list that has as many as processes; a binary file is
 * mapped. Data that cannot be read so (sparse or scattered rows, no query ids, compressed) are read
 * by every process. data->part then says which rows this process has. */
gradus_dataset *gr_read_parts(gradus_context *context, const char *const *paths, size_t count,
                              const gr_read_options *options, gradus_error *err);

#endif
