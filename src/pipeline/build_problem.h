/* SPDX-License-Identifier: Apache-2.0 */
/* Labels to a learning problem. */
#ifndef GR_PIPELINE_BUILD_PROBLEM_H
#define GR_PIPELINE_BUILD_PROBLEM_H

#include "costs/cost.h"
#include "data/dataset.h"
#include "objectives/problem.h"
#include "pipeline/ranker.h"

/* The learning problem that a reduction makes of the labels of a set, with the memory it
 * uses. */
typedef struct gr_built_problem {
    gr_problem problem;
    gr_array level_of, row_weights;
    double *level_labels, *shares, *targets, *weights;
} gr_built_problem;

/* Checks that the labels suit the method, and builds the problem. */
gradus_status gr_problem_build(const gradus_dataset *data, const gr_ranker *ranker,
                               const gr_reduction *reduction, const gr_cost_choice *cost,
                               gr_built_problem *built, gradus_error *err);
void gr_built_problem_free(gr_built_problem *built);

#endif
