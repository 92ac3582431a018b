/* SPDX-License-Identifier: Apache-2.0 */
/* The linear model of a node: least squares with WEKA's attribute elimination. */
#ifndef GR_LEARNERS_M5_M5_FIT_H
#define GR_LEARNERS_M5_M5_FIT_H

#include "learners/m5/m5_build.h"

/* Predicts intercept + sum of factors[i] * (value of features[i]), relative to the shifted
 * target. */
typedef struct gr_m5_model {
    double intercept;
    double error; /* sum of w (target - output)^2 over the rows of the node */
    size_t terms;
    uint32_t *features; /* ascending */
    double *factors;
} gr_m5_model;

void gr_m5_model_free(gr_m5_model *model);

/* Workspace for fits with up to the given number of attributes. */
typedef struct gr_m5_fitter {
    /* columns: attributes, target, constant 1; padded to a multiple of GR_M5_TILE */
    size_t width;
    double *means, *scales, *column;
    double *left, *right; /* [GR_M5_PANEL x width]: weighted and plain deviations */
    double *products, *swept;
    uint32_t *chosen;
    uint8_t *in;
    uint32_t *places; /* sparse rows: [feature] -> attribute index + 1, or 0 */
    gr_arena arena;   /* owns the arrays */
} gr_m5_fitter;

bool gr_m5_fitter_start(gr_m5_fitter *fitter, size_t attributes, const gr_m5_set *set);
void gr_m5_fitter_free(gr_m5_fitter *fitter);

/* Fits the node's rows (indices into the sample) on the attributes (ascending feature numbers).
 * Returns false if out of memory. */
bool gr_m5_fit(gr_m5_fitter *fitter, const gr_m5_sample *sample, const uint32_t *rows,
               const gr_m5_branch *branch, const uint32_t *attributes, size_t count,
               gr_m5_model *model);

#endif
