/* SPDX-License-Identifier: Apache-2.0 */
/* Least squares from moments: the best fit depends on the rows only through their means and the
 * products of their deviations from these, however many rows there are.
 *
 * The fit minimises  sum of w (y - intercept - x'b)^2 + ridge * sum of variance_j b_j^2,  where
 * variance_j is the weighted variance of feature j. The ridge thus acts like that many additional
 * rows of standardised features; the intercept is not penalised (WEKA's rule).
 *
 * Features are scaled to unit variance and factored by a Cholesky decomposition with pivoting: the
 * largest pivot comes next, the first of equal ones. A pivot is the fraction of a feature's
 * variance that the features taken so far leave unexplained. Below GR_LEAST_PIVOT the remaining
 * features are linear combinations of those taken and get the coefficient 0: values are floats, and
 * a combination rounded to floats leaves about 1e-12. Products are accurate to about 1e-15, so that
 * every feature taken is fitted to 1e-6 or better. R's lm selects the same features with tol =
 * 1e-5, which it compares with the square root of the pivot. A ridge of 1e-6 or more of the total
 * weight makes every feature independent of the others; identical ones then share their coefficient
 * equally. */
#ifndef GR_LEARNERS_LINEAR_SOLVE_H
#define GR_LEARNERS_LINEAR_SOLVE_H

#include "base/param.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GR_LEAST_PIVOT 1e-10
#define GR_MEANT_RIDGE 1e-6

/* The moments of the rows. The product of features i and j, j <= i only, is products[i * stride +
 * j]. */
typedef struct gr_linear_moments {
    size_t features, stride;
    double count;              /* number of rows, for Akaike's criterion */
    double weight;             /* total weight */
    const double *means;       /* [feature], weighted; NULL: all 0 */
    const double *products;    /* [features x stride]: sum of w (x_i - mean_i) (x_j - mean_j) */
    const double *with_target; /* [feature]: sum of w (x_i - mean_i) (y - mean) */
    double target_mean, target_square; /* target_square: sum of w (y - mean)^2 */
} gr_linear_moments;

enum { GR_ELIMINATE_NONE, GR_ELIMINATE_M5, GR_ELIMINATE_GREEDY };
extern const char *const gr_eliminations[]; /* NULL-terminated */

typedef struct gr_linear_options {
    double ridge;
    int elimination;
    /* Maximum standardised coefficient: coefficient times the feature's standard deviation over
     * that of the target. Features above it are left out, the largest first: WEKA's rule against
     * collinearity, with 1.5. 0: no limit. */
    double most_standardised;
    struct gr_pool *asked; /* polled for cancellation; NULL: never. Not a user option */
} gr_linear_options;

extern const gr_param gr_linear_params[];

typedef struct gr_linear_fit {
    double *coefficients;                   /* [feature], the caller's; 0: not used */
    double intercept;                       /* for original values, not deviations */
    double rss;                             /* sum of w (y - fitted)^2 */
    double least_pivot;                     /* smallest pivot of the features taken */
    size_t used;                            /* number of features with a coefficient */
    size_t constant, collinear, eliminated; /* attributes without one, by reason */
} gr_linear_fit;

/* Fits the target on the attributes (distinct features of the moments in any order; NULL: all, and
 * count is ignored). Features without variance count as constant. If the target has no variance or
 * the total weight is 0, all coefficients are 0.
 *
 * Elimination follows WEKA 3.6. With n = count, v = attributes before elimination plus one for the
 * intercept, u = the same for the smaller model: the smaller model is better if  rss / rss_before *
 * (n - v) + 2 u  decreases (it starts at n + v). m5 drops the attribute with the smallest
 * standardised coefficient while that improves the criterion; greedy drops the attribute whose
 * removal gives the best criterion. */
gradus_status gr_least_squares(const gr_linear_moments *moments, const size_t *attributes,
                               size_t count, const gr_linear_options *options, gr_linear_fit *fit,
                               gradus_error *err);

#endif
