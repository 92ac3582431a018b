/* SPDX-License-Identifier: Apache-2.0 */
/* All that least squares needs of the rows, by one pass for every output: what a row weighs in an
 * output depends on its level alone (and on its own weight, which is the same in all of them), so
 * products of features are summed by level, and those of an output are a weighted sum over levels.
 * Levels that weigh the same in every output share one matrix.
 *
 * A pass before takes the mean of each feature over the rows that have it. Dense rows are summed as
 * deviations from it, which keeps digits; sparse rows as they are, which keeps zeros. What is not
 * finite is missing, and counts as the mean.
 *
 * Rows are cut into stretches by the data alone, and summed up in their order. */
#ifndef GR_LEARNERS_LINEAR_SUMS_H
#define GR_LEARNERS_LINEAR_SUMS_H

#include "data/dataset.h"
#include "learners/linear/solve.h"
#include "objectives/problem.h"

/* More would need hours, and matrices of gigabytes. */
enum { GR_LINEAR_FEATURES = 10000 };

typedef struct gr_sums {
    const gr_problem *problem;
    size_t features;
    bool labelled;     /* labels are targets: they are a column more, after the features */
    size_t columns;    /* features and label, up to a multiple of 8 */
    size_t levels;     /* at least 1 */
    size_t groups;     /* of levels that share a matrix */
    uint8_t *group_of; /* of each level */
    double *means;     /* of features; of the label, if it is a column */
    double *origin;    /* what is subtracted: the means, or 0 for sparse features */
    double
        *products;   /* groups x columns x columns, the lower triangle: sum of w (x - origin)(..) */
    double *sums;    /* levels x columns: sum of w (x - origin) */
    double *weights; /* of the rows of each level */
} gr_sums;

gradus_status gr_sums_of(const gradus_context *context, const gradus_dataset *data,
                         const gr_problem *problem, gr_sums *sums, gradus_error *err);
void gr_sums_free(gr_sums *sums);

/* The moments of an output. Their means are relative to those of the sums. products (columns x
 * columns), with_target and means (columns) are the caller's, filled here. */
gr_moments gr_sums_moments(const gr_sums *sums, size_t output, double *products,
                           double *with_target, double *means);
/* The weighted deviation of each feature over all rows. */
void gr_sums_spreads(const gr_sums *sums, double *spreads);

#endif
