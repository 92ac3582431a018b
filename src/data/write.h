/* SPDX-License-Identifier: Apache-2.0 */
/* The interface between the row writer and text-based output formats. */
#ifndef GR_DATA_WRITE_H
#define GR_DATA_WRITE_H

#include "base/sink.h"
#include "base/text.h"
#include "data/binary.h"
#include "data/row_writer.h"

/* A growing text buffer. */
typedef struct gr_characters {
    gr_array array;
    size_t used;
} gr_characters;

/* Returns the end of the text, with space for `room` more characters, or NULL; the caller adds what
 * it wrote to used. */
char *gr_characters_room(gr_characters *text, size_t room);

/* One row of a block. */
typedef struct gr_row {
    const gradus_dataset *block;
    size_t r;
    size_t q;              /* index of its query in the block */
    uint64_t query_number; /* number of its query across all blocks, from 1 */
    bool first;            /* first row of the file */
} gr_row;

typedef struct gr_row_form {
    char separator;
    /* Writes what precedes the rows; NULL: nothing. */
    gradus_status (*begin)(const gr_row_writer *writer, gr_characters *text, gradus_error *err);
    gradus_status (*row)(const gr_row_writer *writer, const gr_row *row, gr_characters *text,
                         gradus_error *err);
} gr_row_form;

extern const gr_row_form gr_row_form_text, gr_row_form_csv, gr_row_form_tsv;

enum { GR_PREFIX = 12, GR_PREFIXES = 1 << 16 };

struct gr_row_writer {
    gr_row_shape shape;
    gr_write_options options;
    gr_sink *sink;
    gr_pool *pool;
    const gradus_context *told; /* receives progress; NULL: none */
    const gr_row_form *form;    /* NULL: binary */
    gr_binary_writer *binary;   /* NULL: other formats */
    uint64_t rows, queries;     /* written so far */
    size_t slots;
    gr_characters text[GR_STREAM_SLOTS];
    char (*prefixes)[GR_PREFIX]; /* text: a length byte and " 17:" for low feature ids */
};

/* Writes a dataset to a file; reports in notes what the format cannot store. */
gradus_status gr_write(gradus_context *context, const gradus_dataset *data, const char *path,
                       const gr_write_options *options, gradus_error *err);

#endif
