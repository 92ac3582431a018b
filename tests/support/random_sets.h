/* SPDX-License-Identifier: Apache-2.0 */
/* Datasets for the tests of data/: of every shape, with difficult values, and their comparison. */
#ifndef GR_TESTS_RANDOM_SETS_H
#define GR_TESTS_RANDOM_SETS_H

#include "checks.h"
#include "temporary_files.h"

#include "base/rng.h"
#include "data/sections.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct set_kind {
    size_t rows, features, queries;
    size_t first_id;
    bool sparse, query_names, documents, feature_names, row_weights, query_weights, scattered;
} set_kind;

gradus_dataset *random_set(const set_kind *kind, uint64_t seed);

void assert_same_part(const gradus_dataset *a, const gradus_dataset *b, gr_part part);

/* Compares bit for bit. */
void assert_same_set(const gradus_dataset *a, const gradus_dataset *b);

/* Queries from..to of a dataset, as a dataset over its arrays (like a block of a stream). */
gradus_dataset *block_of(const gradus_dataset *data, size_t from, size_t to, uint64_t *starts);

#endif
