/* SPDX-License-Identifier: Apache-2.0 */
/* The sums that least squares needs, from one pass over the rows for all outputs. A row's weight in
 * an output depends only on its grade (and on its own weight, the same in all outputs). Products of
 * features are therefore summed per grade, and those of an output are a weighted sum over the
 * grades. Grades with equal weights in every output share one matrix.
 *
 * A first pass computes the mean of each feature over the rows that have it. Dense rows are then
 * summed as deviations from the mean, which preserves precision; sparse rows are summed unchanged,
 * which preserves zeros. Values that are not finite are missing and are replaced by the mean.
 *
 * Rows are divided into chunks that depend only on the data, and their sums are added in order,
 * so that results do not depend on the number of threads. */
#ifndef GR_LEARNERS_LINEAR_SUMS_H
#define GR_LEARNERS_LINEAR_SUMS_H

#include "data/dataset.h"
#include "learners/linear/solve.h"
#include "objectives/problem.h"

/* More features would take hours, and matrices of gigabytes. */
enum { GR_LINEAR_FEATURES = 10000 };

typedef struct gr_sums {
    const gr_problem *problem;
    size_t features;
    bool labelled;     /* the target is the label, an extra column after the features */
    size_t columns;    /* features and label, padded to a multiple of 8 */
    size_t levels;     /* number of grades, at least 1 */
    size_t groups;     /* groups of grades that share a matrix */
    uint8_t *group_of; /* [level]: its group */
    double *means;     /* [columns]: of features and, if it is a column, the label */
    double *origin;    /* [columns]: subtracted from values: the means, or 0 for sparse features */
    /* [groups x columns x columns], lower triangles: sum of w (x_i - origin_i) (x_j - origin_j) */
    double *products;
    double *sums;    /* [levels x columns]: sum of w (x - origin) */
    double *weights; /* [level]: total weight of its rows */
    gr_arena arena;  /* owns the arrays */
} gr_sums;

gradus_status gr_sums_of(const gradus_context *context, const gradus_dataset *data,
                         const gr_problem *problem, gr_sums *sums, gradus_error *err);
void gr_sums_free(gr_sums *sums);

/* moments.c */
/* The moments of an output. Their means are relative to sums->means. products ([columns x
 * columns]), with_target and means ([columns]) are the caller's and are filled here. */
gr_linear_moments gr_sums_moments(const gr_sums *sums, size_t output, double *products,
                                  double *with_target, double *means);
/* The weighted standard deviation of each feature over all rows. */
void gr_sums_spreads(const gr_sums *sums, double *spreads);

#endif
