/* SPDX-License-Identifier: Apache-2.0 */
/* Scores that grow without bound: beyond the last row of another grade nothing bounds the scores of
 * the rows of one grade, so that each round with a kernel there raises (or lowers) them. */
#ifndef GR_LEARNERS_GAUSSIANS_GAUSSIANS_TAILS_H
#define GR_LEARNERS_GAUSSIANS_GAUSSIANS_TAILS_H

#include "objectives/problem.h"

/* Rows of one grade at one end of the scores. */
typedef struct gr_tail {
    size_t rows;
    double label;
    double gap; /* from the outermost score to the nearest score of another grade */
} gr_tail;

/* The tail above (sign 1) or below (sign -1) all other grades; no rows if there are no grades. */
gr_tail gr_gaussian_tail(const gr_problem *problem, const double *scores, double sign);

#endif
