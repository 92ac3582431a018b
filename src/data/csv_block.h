/* SPDX-License-Identifier: Apache-2.0 */
/* Parses records of a CSV file into rows; each thread works on its own block. */
#ifndef GR_DATA_CSV_BLOCK_H
#define GR_DATA_CSV_BLOCK_H

#include "data/builder.h"
#include "data/csv_layout.h"

typedef struct gr_csv_block {
    gr_array text; /* consecutive records, at most GR_CSV_BLOCK bytes plus one record */
    size_t text_used;
    gr_array records; /* gr_csv_record */
    size_t count;
    gr_array labels, weights, values; /* float */
    gr_array runs;                    /* gr_query_run, names in text */
    size_t run_count;
    gr_array document_bytes, document_ends; /* char, uint64_t */
    size_t document_used;
    gradus_status status;
    gradus_error err;
} gr_csv_block;

enum { GR_CSV_BLOCK = 1 << 20 };

void gr_csv_block_clear(gr_csv_block *block); /* keeps allocations */
void gr_csv_block_free(gr_csv_block *block);
/* Copies the current record. */
gradus_status gr_csv_block_add(gr_csv_block *block, const gr_lines *record, gradus_error *err);
/* Parses the records into rows; the result is in status and err. */
void gr_csv_block_parse(gr_csv_block *block, const gr_csv_layout *layout, gr_source *source);
gradus_status gr_csv_block_append(const gr_csv_block *block, const gr_csv_layout *layout,
                                  gr_builder *builder, gradus_error *err);

#endif
