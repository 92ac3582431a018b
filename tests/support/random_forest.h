/* SPDX-License-Identifier: Apache-2.0 */
/* Random forests, and rows whose values hit their thresholds. */
#ifndef GR_TESTS_RANDOM_FOREST_H
#define GR_TESTS_RANDOM_FOREST_H

#include "checks.h"

#include "base/rng.h"
#include "learners/forest/compile.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_SPLITS = 400 };

typedef enum forest_shape { SHAPE_RANDOM, SHAPE_CHAIN, SHAPE_LEVELS } forest_shape;

typedef struct forest_plan {
    size_t features, outputs, rounds;
    size_t leaves; /* maximum per tree */
    bool exactly;  /* exact number for each */
    uint64_t grid; /* thresholds are whole numbers below this; 0: any number */
    forest_shape shape;
} forest_plan;

void random_forest(gr_rng *rng, const forest_plan *plan, gr_forest *forest);

/* Rows with values that are thresholds of the forest, close to them, missing, infinite or
 * arbitrary. */
float *random_rows(gr_rng *rng, const forest_plan *plan, const gr_forest *forest, size_t rows,
                   size_t stride);

#endif
