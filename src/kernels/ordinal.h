/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients and derivatives of the losses for ordered grades, for a run of rows. Scores are clamped
 * to |score| <= GR_POWER_FAR in e^-x and e^x, so that products of two of them do not overflow. */
#ifndef GR_KERNELS_ORDINAL_H
#define GR_KERNELS_ORDINAL_H

#include "kernels/versions.h"

#define GR_POWER_FAR 300.0

/* down = e^-x and up = e^x, with a relative error of at most 1e-11. */
typedef void gr_powers_kernel(const double *x, size_t count, double *down, double *up);

/* Proportional odds. A row between thresholds theta' < theta has x = e^(f - theta) and y =
 * e^(theta' - f), so that the probability of a higher grade is x / (1 + x), that of a lower grade y
 * / (1 + y), and x y = e^(theta' - theta) =: m. A row without one of the thresholds has x = 0 or y
 * = 0. */
typedef struct gr_odds_rows {
    const double *scores;
    const double *above;   /* e^-theta */
    const double *below;   /* e^theta' */
    const double *shares;  /* 1 / (1 - m); used by gr_odds_terms_kernel only */
    const double *weights; /* NULL: all 1 */
    size_t count;
} gr_odds_rows;

/* Gradients (x - y) / ((1 + x) (1 + y)) and hessians x / (1 + x)^2 + y / (1 + y)^2, at least
 * GR_LEAST_CURVATURE; weighted. */
typedef void gr_odds_gradient_kernel(const gr_odds_rows *rows, float *gradients, float *hessians);

/* Weighted derivatives of log P by the thresholds: the first and minus the second by the upper
 * threshold, then minus the first and minus the second by the lower one. With u = 1 / (1 + x) and a
 * = (x + m) u / (1 - m), those by the upper threshold are a and a (2 u - 1 + a). */
enum { GR_ODDS_TERMS = 4 };
typedef void gr_odds_terms_kernel(const gr_odds_rows *rows, double *const terms[GR_ODDS_TERMS]);

/* An exponential risk: p = e^-f down and q = e^f up, each clamped to GR_POWER_MAX so that floats
 * do not overflow; gradients q - p, hessians p + q, weighted (weights NULL: all 1). */
#define GR_POWER_MAX 1e26
typedef void gr_pair_kernel(const double *scores, const double *down, const double *up,
                            const double *weights, size_t count, float *gradients, float *hessians);

/* For a line search along f = score + share * d: e^-f times 1, -d and d^2, then e^f times 1, d and
 * d^2; weighted (weights NULL: all 1). */
enum { GR_LINE_TERMS = 6 };
typedef void gr_line_kernel(const double *scores, const double *steps, double share,
                            const double *weights, size_t count,
                            double *const terms[GR_LINE_TERMS]);

typedef struct gr_ordinal_kernels {
    gr_powers_kernel *powers;
    gr_odds_gradient_kernel *odds_gradients;
    gr_odds_terms_kernel *odds_terms;
    gr_pair_kernel *pairs;
    gr_line_kernel *line;
} gr_ordinal_kernels;

extern const gr_ordinal_kernels *const gr_ordinal_versions[GR_VERSIONS];

#endif
