/* Gradients and hessians of the logistic and the softmax loss, for a run of rows. */
#ifndef GR_KERNELS_SIGMOID_H
#define GR_KERNELS_SIGMOID_H

#include "kernels/versions.h"

/* Hessians are at least this share of the weight, so that a row that is surely wrong still has
 * a step to take. */
#define GR_LEAST_CURVATURE 1e-16

/* p = 1 / (1 + e^-score): gradients = weight (p - target), hessians = weight p (1 - p). */
void gr_logistic_rows(const double *scores, const double *targets, const double *weights,
                      size_t count, float *gradients, float *hessians);
extern void (*const gr_logistic_rows_versions[GR_MOST_VERSIONS])(const double *, const double *,
                                                                 const double *, size_t, float *,
                                                                 float *);

/* chances (outputs x count) = softmax over outputs of the scores, output k of row r at
 * scores[k * stride + r]. */
void gr_softmax_rows(const double *scores, size_t stride, size_t outputs, size_t count,
                     double *chances);
extern void (*const gr_softmax_rows_versions[GR_MOST_VERSIONS])(const double *, size_t, size_t,
                                                                size_t, double *);

/* gradients = weight (chance - target), hessians = weight chance (1 - chance). */
void gr_chance_rows(const double *chances, const double *targets, const double *weights,
                    size_t count, float *gradients, float *hessians);
extern void (*const gr_chance_rows_versions[GR_MOST_VERSIONS])(const double *, const double *,
                                                               const double *, size_t, float *,
                                                               float *);

#endif
