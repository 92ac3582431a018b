/* SPDX-License-Identifier: Apache-2.0 */
/* Rows for the tests of linear models. */
#ifndef GR_TESTS_LINEAR_ROWS_H
#define GR_TESTS_LINEAR_ROWS_H

#include "checks.h"

#include "base/rng.h"
#include "data/dataset.h"

#include <stdlib.h>

/* Rows with a target that is linear in the features, plus noise. */
typedef struct linear_rows {
    size_t count, features;
    float *values, *labels, *weights;
} linear_rows;

linear_rows make_linear_rows(size_t count, size_t features, uint64_t seed);

void end_linear_rows(linear_rows *made);

gradus_dataset *dataset_of(const linear_rows *made, bool weighted);

#endif
