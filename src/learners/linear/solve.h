/* SPDX-License-Identifier: Apache-2.0 */
/* Least squares from sums over rows: what fits the rows best is a matter of their means and of the
 * products of their deviations from them, however many rows there are.
 *
 * The fit minimises   sum of w (y - intercept - x'b)^2 + ridge * sum of variance_j b_j^2,
 * variance_j the weighted one of feature j: the ridge is a number of rows, as it were, added to
 * standardised features, and the intercept is free (WEKA's rule).
 *
 * Features are scaled to unit variance and taken by a Cholesky factorisation that picks the largest
 * pivot next, the first of equal ones. A pivot is what the features taken so far leave unexplained
 * of a feature, as a share of its variance. Below GR_LEAST_PIVOT the features that are left are
 * linear combinations of those taken, and get the coefficient 0: values are floats, and a
 * combination that was rounded to floats comes out at 1e-12 or so. Products are summed to about
 * 1e-15, so that whatever is taken is fitted to 1e-6 or better; R's lm takes the same features with
 * tol = 1e-5, which it compares with the root of the share. With a ridge of 1e-6 or more of the
 * weight no feature is a combination of others: alike ones share. */
#ifndef GR_LEARNERS_LINEAR_SOLVE_H
#define GR_LEARNERS_LINEAR_SOLVE_H

#include "base/param.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GR_LEAST_PIVOT 1e-10
#define GR_MEANT_RIDGE 1e-6

/* Rows, summed up. Feature i and j at products[i * stride + j], of j <= i only. */
typedef struct gr_moments {
    size_t features, stride;
    double count;                      /* rows, for Akaike's criterion */
    double weight;                     /* of all rows */
    const double *means;               /* weighted, of each feature; NULL: all 0 */
    const double *products;            /* sum of w (x_i - mean_i) (x_j - mean_j) */
    const double *with_target;         /* sum of w (x_i - mean_i) (y - mean) */
    double target_mean, target_square; /* the latter: sum of w (y - mean)^2 */
} gr_moments;

enum { GR_ELIMINATE_NONE, GR_ELIMINATE_M5, GR_ELIMINATE_GREEDY };
extern const char *const gr_eliminations[]; /* NULL ends it */

typedef struct gr_linear_options {
    double ridge;
    int elimination;
    /* A feature whose coefficient times its deviation, over that of the target, is beyond this is
     * left out, the largest first: WEKA's rule against collinearity, with 1.5. 0: none is. */
    double most_standardised;
    struct gr_pool *asked; /* whether to stop; NULL: never. Not an option of users */
} gr_linear_options;

extern const gr_param gr_linear_params[];

typedef struct gr_linear_fit {
    double *coefficients; /* the caller's, one a feature of the moments; 0: not used */
    double intercept;     /* with features as they are, not as deviations */
    double rss;           /* sum of w (y - fitted)^2 */
    double least_pivot;   /* of the features taken */
    size_t used;          /* features with a coefficient */
    size_t constant, collinear, eliminated; /* of the attributes: why they have none */
} gr_linear_fit;

/* Fits by the attributes (features of the moments, each once, in any order; NULL: all of them, and
 * count is passed over). Features of no variance are constant. If the target has no variance, or
 * there is no weight, every coefficient is 0.
 *
 * Elimination, after WEKA 3.6 (n = count, v = attributes before it and one for the intercept, u
 * those of the smaller model): a smaller model is better if  rss / rss_before * (n - v) + 2 u  is
 * smaller (at first n + v). m5: the attribute of smallest standardised coefficient is dropped while
 * that is better; greedy: the attribute whose loss is best. */
gradus_status gr_least_squares(const gr_moments *moments, const size_t *attributes, size_t count,
                               const gr_linear_options *options, gr_linear_fit *fit,
                               gradus_error *err);

#endif
