/* SPDX-License-Identifier: Apache-2.0 */
/* The linear model of one node: least squares with WEKA's elimination of attributes. */
#ifndef GR_LEARNERS_M5_FIT_H
#define GR_LEARNERS_M5_FIT_H

#include "learners/m5/build.h"

/* sum of factors[i] * value of features[i], and the intercept (of the shifted target). */
typedef struct gr_m5_model {
    double intercept;
    double error; /* sum of w (target - output)^2 over the rows of the node */
    size_t terms;
    uint32_t *features; /* ascending */
    double *factors;
} gr_m5_model;

void gr_m5_model_free(gr_m5_model *model);

/* Room for fits of up to so many attributes. */
typedef struct gr_m5_fitter {
    size_t width; /* attributes, the target and a one, up to a multiple of the tile */
    double *means, *scales, *column;
    double *left, *right; /* panels of rows */
    double *products, *swept;
    uint32_t *chosen;
    uint8_t *in;
    uint32_t *places; /* sparse rows: of each feature, its place among the attributes, from 1 */
} gr_m5_fitter;

bool gr_m5_fitter_start(gr_m5_fitter *fitter, size_t attributes, const gr_m5_set *set);
void gr_m5_fitter_free(gr_m5_fitter *fitter);

/* Fits rows of a sample (places in it) by the attributes, ascending. False if there is no memory.
 */
bool gr_m5_fit(gr_m5_fitter *fitter, const gr_m5_sample *sample, const uint32_t *rows,
               const gr_m5_branch *branch, const uint32_t *attributes, size_t count,
               gr_m5_model *model);

#endif
