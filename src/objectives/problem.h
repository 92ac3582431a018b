/* SPDX-License-Identifier: Apache-2.0 */
/* The learning problem: a target and a weight for each row and output. For graded data these are
 * tables indexed by grade, so that additional outputs need no memory per row. */
#ifndef GR_OBJECTIVES_PROBLEM_H
#define GR_OBJECTIVES_PROBLEM_H

#include "backend/boost_device.h"
#include "backend/share.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { GR_MAX_LEVELS = 256 };

typedef struct gr_problem {
    size_t rows, queries;
    const uint64_t *query_starts; /* [queries + 1] */
    const float *labels;          /* [row], as in the data */
    size_t levels;                /* number of distinct labels; 0: not graded */
    const double *level_labels;
    const uint8_t *level_of; /* [row]; NULL if levels is 0 */
    size_t outputs;
    const double *targets;    /* [outputs x levels]; NULL: the label itself (one output) */
    const double *weights;    /* [outputs x levels]; NULL: all 1 */
    const float *row_weights; /* [row]: weight of the row times that of its query; NULL: all 1 */
    /* [query]: true if the gradients of its rows are not used in this round and may be left at 0;
     * NULL: none. */
    const bool *passed_over;
    /* For the rows of one process of a distributed training: the problem of all processes, and the
     * cuts between them. NULL: these are all rows. */
    const struct gr_problem *whole;
    const gr_share *share;
    /* If the scores are on a device: what adds up terms of rows there. NULL: they are in memory. */
    const gr_boost_device *device;
    void *boosting;
} gr_problem;

static inline const gr_problem *gr_problem_whole(const gr_problem *problem)
{
    return problem->whole ? problem->whole : problem;
}

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
