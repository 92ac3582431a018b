/* SPDX-License-Identifier: Apache-2.0 */
/* Parses one chunk of complete lines of LETOR text. */
#ifndef GR_DATA_LETOR_BLOCK_H
#define GR_DATA_LETOR_BLOCK_H

#include "data/builder.h"

/* "17:" for each small feature id, so that the expected next id is recognised by one comparison. */
enum { GR_ID_TOKENS = 1024, GR_TEXT_PADDING = 64 };
typedef struct gr_id_tokens {
    uint64_t pattern[GR_ID_TOKENS + 1], mask[GR_ID_TOKENS + 1];
    uint8_t length[GR_ID_TOKENS + 1];
} gr_id_tokens;

void gr_id_tokens_fill(gr_id_tokens *tokens);

/* A syntax error. */
typedef struct gr_misfit {
    size_t line;          /* line in the block, from 0 */
    size_t column;        /* from 1 */
    const char *expected; /* NULL: no error */
    char found[24];
} gr_misfit;

/* The parsed rows of up to `capacity` bytes of text; buffers are reused from block to block. */
typedef struct gr_letor_block {
    size_t capacity;
    gr_array labels, weights, values, row_ends, columns, runs, document_bytes, document_ends;
    size_t rows, entries, width, run_count, lines, document_used;
    size_t first_id; /* assumed id of column 0 */
    bool needs_zero; /* id 0 was found although ids were assumed to start at 1 */
    bool uniform;    /* every row so far has columns 0..width-1: columns[] is unused */
    bool has_documents, has_weights;
    gr_misfit misfit;
} gr_letor_block;

bool gr_letor_block_reserve(gr_letor_block *block, size_t capacity);
void gr_letor_block_free(gr_letor_block *block);

/* Parses text[0..size), which ends with a newline and is followed by GR_TEXT_PADDING zero bytes. */
void gr_letor_block_parse(gr_letor_block *block, const char *text, size_t size,
                          const gr_id_tokens *tokens);

/* The parsed rows as a block for the builder. */
gr_block gr_letor_block_rows(const gr_letor_block *block);

#endif
