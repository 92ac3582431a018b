/* SPDX-License-Identifier: Apache-2.0 */
/* COCR (Ruan, Lin and Tsai, 2014). */
#include "pipeline/ranker.h"

const gr_ranker gr_ranker_cocr = {
    .about = { "cocr", "one weighted regression per grade boundary, weighted by the cost of errors",
               "For each grade k but the lowest, a regression estimates whether a document reaches "
               "it, with each document weighted by |c[k] - c[k-1]| where c is the cost of its "
               "grade (--cost: absolute, squared, oerr, or a matrix in a file). The score is the "
               "sum of the outputs or, with --scoring count, the number of outputs of at least one "
               "half." },
    .reduction = &gr_reduction_cocr,
    .objective = &gr_objective_squared,
    .rule = GR_SCORE_SUM,
    .needs_grades = true,
    .least_levels = 2,
};
