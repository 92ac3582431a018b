/* SPDX-License-Identifier: Apache-2.0 */
/* COCR (Ruan, Lin and Tsai, 2014). */
#include "pipeline/ranker.h"

const gr_ranker gr_ranker_cocr = {
    .about = { "cocr", "one weighted regression for each grade reached, by the cost of errors",
               "For each grade k but the lowest a regression fits whether a document reaches it, "
               "each document weighing |c[k] - c[k-1]| where c is the cost of its grade (--cost: "
               "absolute, squared, oerr, or a matrix in a file). The score is the sum of the "
               "outputs, or with --scoring count how many reach one half." },
    .reduction = &gr_reduction_cocr,
    .objective = &gr_objective_squared,
    .rule = GR_SCORE_SUM,
    .needs_grades = true,
    .least_levels = 2,
};
