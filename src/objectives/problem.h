/* SPDX-License-Identifier: Apache-2.0 */
/* What a learner is asked to fit: for each output a target and a weight for each row. Targets of
 * graded data are tables by grade, so that more outputs need no more memory a row. */
#ifndef GR_OBJECTIVES_PROBLEM_H
#define GR_OBJECTIVES_PROBLEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { GR_MOST_LEVELS = 256 };

typedef struct gr_problem {
    size_t rows, queries;
    const uint64_t *query_starts; /* queries + 1 */
    const float *labels;          /* as in the data */
    size_t levels;                /* distinct labels, ascending; 0: they are not graded */
    const double *level_labels;
    const uint8_t *level_of; /* of each row; NULL if levels is 0 */
    size_t outputs;
    const double *targets;    /* outputs x levels; NULL: the label itself (one output) */
    const double *weights;    /* outputs x levels; NULL: all 1 */
    const float *row_weights; /* weight of the row times that of its query; NULL: all 1 */
    const bool *passed_over;  /* queries whose gradients nobody looks at this time, so that they can
                                 be left at 0; NULL: none */
} gr_problem;

static inline double gr_problem_target(const gr_problem *problem, size_t k, size_t r)
{
    return problem->targets ? problem->targets[k * problem->levels + problem->level_of[r]]
                            : (double)problem->labels[r];
}

static inline double gr_problem_weight(const gr_problem *problem, size_t k, size_t r)
{
    const double weight =
        problem->weights ? problem->weights[k * problem->levels + problem->level_of[r]] : 1.0;

    return problem->row_weights ? weight * (double)problem->row_weights[r] : weight;
}

#endif
