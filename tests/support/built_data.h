/* SPDX-License-Identifier: Apache-2.0 */
/* Builds a small dataset from rows written out in a test. */
#ifndef GR_TESTS_BUILT_DATA_H
#define GR_TESTS_BUILT_DATA_H

#include "data/builder.h"

#include <string.h>

enum { MADE_WIDTH = 2, MADE_ROWS = 64, MADE_BYTES = 2048 };

typedef struct made_row {
    const char *query, *document; /* NULL in the first row: the data have no document names */
    float values[MADE_WIDTH];
} made_row;

gradus_dataset *make_data(const made_row *rows, size_t count, gradus_error *err);

#endif
