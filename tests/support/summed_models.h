/* SPDX-License-Identifier: Apache-2.0 */
/* Random models whose score is a sum of trees: several outputs, transforms, ensembles. */
#ifndef GR_TESTS_SUMMED_MODELS_H
#define GR_TESTS_SUMMED_MODELS_H

#include "random_forest.h"

#include "model/model.h"

typedef struct summed_kind {
    const char *name;
    size_t outputs;                /* 1: the score; more: their sum, with steps between grades */
    const gr_transform *transform; /* of the model, or of the nodes of an ensemble */
    bool keep_zeros;
    bool ensemble;   /* three weighted members, each with its own transform and columns */
    bool calibrated; /* by a linear function */
    bool weighted;   /* the trees have weights other than 1 */
} summed_kind;

enum { SUMMED_KINDS = 7, SUMMED_FEATURES = 6 };
extern const summed_kind summed_kinds[SUMMED_KINDS];

/* grid: as in forest_plan. */
gradus_model *summed_model(gr_rng *rng, const summed_kind *kind, uint64_t grid);
/* A random transform: shifts and units of all sizes, some units 0. */
gr_fitted_transform summed_transform(gr_rng *rng, const gr_transform *transform, bool keep_zeros,
                                     size_t features);

/* Rows with values at and beside the thresholds of a sum, missing, infinite, zero and others. */
float *summed_rows(gr_rng *rng, const gr_forest *forest, size_t rows, bool missing, bool infinite);

#endif
