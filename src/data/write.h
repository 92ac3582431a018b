/* SPDX-License-Identifier: Apache-2.0 */
/* How a form that is written row by row plugs into the row writer. */
#ifndef GR_DATA_WRITE_H
#define GR_DATA_WRITE_H

#include "base/sink.h"
#include "base/text.h"
#include "data/binary.h"
#include "data/row_writer.h"

/* Characters that grow. */
typedef struct gr_characters {
    gr_array array;
    size_t used;
} gr_characters;

/* A place at the end where `room` more characters fit, or NULL; add what was written to used. */
char *gr_characters_room(gr_characters *text, size_t room);

/* One row of a block. */
typedef struct gr_row {
    const gradus_dataset *block;
    size_t r;
    size_t q;              /* its query, in the block */
    uint64_t query_number; /* of its query, from 1, over all blocks */
    bool first;            /* of the file */
} gr_row;

typedef struct gr_row_form {
    char separator;
    /* What comes before the rows; NULL if nothing does. */
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
    const gradus_context *told; /* whom to tell of progress; NULL: nobody */
    const gr_row_form *form;    /* NULL: binary */
    gr_binary_writer *binary;   /* NULL: another form */
    uint64_t rows, queries;     /* so far */
    size_t slots;
    gr_characters text[GR_STREAM_SLOTS];
    char (*prefixes)[GR_PREFIX]; /* text: " 17:" of low features, after its length */
};

/* Writes a dataset to a file, with notes on what the form cannot hold. */
gradus_status gr_write(gradus_context *context, const gradus_dataset *data, const char *path,
                       const gr_write_options *options, gradus_error *err);

#endif
