/* SPDX-License-Identifier: Apache-2.0 */
/* Graded rows in queries, and models trained on them, for the tests of ranking methods. */
#ifndef GR_TESTS_QUERY_SETS_H
#define GR_TESTS_QUERY_SETS_H

#include "checks.h"
#include "model_bytes.h"

#include "base/rng.h"
#include "data/dataset.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Queries of 1 to 20 rows; grades are a nonlinear function of three features. One query has a
 * single grade. */
typedef struct query_set {
    size_t rows, queries;
    float *values, *labels;
    uint64_t *starts;
    gradus_dataset *data;
} query_set;

enum { SET_FEATURES = 7 };

query_set make_query_set(size_t queries, uint64_t seed, bool missing);

void end_query_set(query_set *s);

gradus_options *training_options(const char *method, const char *more);

gradus_model *train_on(size_t threads, const query_set *train, const query_set *valid,
                       const char *method, const char *more, gradus_error *err);

/* Checks that 1, 2, 3 and 8 threads give the same bytes. */
void check_thread_counts(const query_set *train, const query_set *valid, const char *method,
                         const char *more);

/* Checks that training interrupted after some rounds and resumed from the file gives the same
 * bytes. */
void check_resumed(const query_set *train, const query_set *valid, size_t rounds,
                   const char *method, const char *more);

/* The fraction of pairs with different grades that are in the right order. */
double fraction_in_order(const query_set *s, const gradus_model *model);

#endif
