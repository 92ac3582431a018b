/* SPDX-License-Identifier: Apache-2.0 */
/* A producer of Arrow streams whose structures are written out in a test, which may damage them
 * before they are read. It counts what is handed out and what is released. */
#ifndef GR_TESTS_ARROW_PRODUCER_H
#define GR_TESTS_ARROW_PRODUCER_H

#include "gradus.h"

enum { ARROW_COLUMNS = 24, ARROW_BATCHES = 4, ARROW_BUFFERS = 5 };

typedef struct arrow_column {
    const char *format, *name;
    int64_t length;
    const void *buffers[ARROW_BUFFERS]; /* as many as the format has; views: 2 and `n_buffers` */
    int64_t null_count, offset;
    const struct arrow_column *dictionary; /* NULL: none */
    int64_t n_buffers;                     /* 0: as the format has */
} arrow_column;

typedef struct arrow_producer {
    struct ArrowArrayStream stream;
    size_t columns, batches, next;
    struct ArrowSchema schema, fields[ARROW_COLUMNS], values[ARROW_COLUMNS];
    struct ArrowSchema *field_list[ARROW_COLUMNS];
    struct ArrowArray batch[ARROW_BATCHES], column[ARROW_BATCHES][ARROW_COLUMNS];
    struct ArrowArray dictionary[ARROW_BATCHES][ARROW_COLUMNS];
    struct ArrowArray *column_list[ARROW_BATCHES][ARROW_COLUMNS];
    const void *batch_buffers[ARROW_BATCHES][1];
    const void *buffers[ARROW_BATCHES][ARROW_COLUMNS][ARROW_BUFFERS];
    const void *dictionary_buffers[ARROW_BATCHES][ARROW_COLUMNS][ARROW_BUFFERS];
    int schema_error;    /* returned by get_schema */
    int batch_error;     /* returned by get_next after the last batch */
    const char *message; /* of get_last_error */
    int schemas_handed, batches_handed;
    int streams_released, schemas_released, batches_released, parts_released;
} arrow_producer;

/* Adds a batch of `length` rows from `offset`; the first one determines the schema. The columns
 * and their buffers must outlive the producer. */
void arrow_add(arrow_producer *producer, const arrow_column *columns, size_t count, int64_t length,
               int64_t offset);
/* A producer of one batch, as long as the first column. */
void arrow_start(arrow_producer *producer, const arrow_column *columns, size_t count);

/* Whether everything that was handed out has been released, exactly once. */
bool arrow_all_released(const arrow_producer *producer);

#endif
