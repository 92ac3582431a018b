/* SPDX-License-Identifier: Apache-2.0 */
/* The part of a text or CSV file that one of several processes parses: whole queries, about equally
 * many bytes. */
#ifndef GR_DATA_PART_RANGE_H
#define GR_DATA_PART_RANGE_H

#include "data/read.h"

/* A mapped file. Start with all zeros, and release with gr_part_range_close. */
typedef struct gr_part_range {
    char *bytes;
    size_t size;
    size_t header;       /* bytes of the CSV header; 0: text */
    char delimiter;      /* of CSV */
    size_t query_column; /* of CSV */
    gr_read_format format;
} gr_part_range;

/* Opens the part of a process for reading with range->format; NULL, without a message, if the file
 * cannot be divided: it is not plain text or CSV, has quoted fields or no queries. */
gr_source *gr_part_range_open(gr_part_range *range, const char *path,
                              const gr_read_options *options, size_t rank, size_t size);
void gr_part_range_close(gr_part_range *range);

#endif
