/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients and hessians of the logistic and the softmax loss, for a run of rows. */
#ifndef GR_KERNELS_SIGMOID_H
#define GR_KERNELS_SIGMOID_H

#include "kernels/versions.h"

/* Hessians are at least this times the weight, so that confidently wrong rows still get a step. */
#define GR_LEAST_CURVATURE 1e-16

/* powers = e^-|x|, with a relative error of at most 1e-11. */
typedef void gr_exp_kernel(const double *x, size_t count, double *powers);

/* p = 1 / (1 + e^-score): gradients = weight (p - target), hessians = weight p (1 - p). */
typedef void gr_logistic_kernel(const double *scores, const double *targets, const double *weights,
                                size_t count, float *gradients, float *hessians);

enum { GR_MAX_CLASSES = 256 };

/* chances (outputs x count): the softmax over the outputs of each row; the score of output k and
 * row r is at scores[k * stride + r]. At most GR_MAX_CLASSES outputs. */
typedef void gr_softmax_kernel(const double *scores, size_t stride, size_t outputs, size_t count,
                               double *chances);

/* gradients = weight (chance - target), hessians = weight chance (1 - chance). */
typedef void gr_chance_kernel(const double *chances, const double *targets, const double *weights,
                              size_t count, float *gradients, float *hessians);

typedef struct gr_sigmoid_kernels {
    gr_exp_kernel *exp_minus;
    gr_logistic_kernel *logistic;
    gr_softmax_kernel *softmax;
    gr_chance_kernel *chance;
} gr_sigmoid_kernels;

extern const gr_sigmoid_kernels *const gr_sigmoid_versions[GR_VERSIONS];

#endif
