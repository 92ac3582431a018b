/* SPDX-License-Identifier: Apache-2.0 */
/* Queries by size: those of a class have blocks of the same size. Host code, in C and C++. */
#ifndef GR_PLUGINS_CUDA_LAMBDA_CLASSES_H
#define GR_PLUGINS_CUDA_LAMBDA_CLASSES_H

#include "backend/boost_device.h"

#include <stdlib.h>

enum { GR_LAMBDA_CLASSES = 4, GR_LAMBDA_LONG = GR_LAMBDA_CLASSES - 1 };

/* The documents for which a block of a class has shared memory, and its threads. Queries of the last
 * class are too long for that and have their documents in global memory. */
typedef struct gr_lambda_class {
    uint32_t room, threads;
} gr_lambda_class;

static inline gr_lambda_class gr_lambda_class_number(size_t number)
{
    static const gr_lambda_class classes[GR_LAMBDA_CLASSES] = {
        { 128, 128 }, { 256, 128 }, { 1024, 256 }, { UINT32_MAX, 1024 }
    };

    return classes[number];
}

/* The queries in which some swap matters, by class. */
typedef struct gr_lambda_plan {
    uint32_t *queries;
    size_t starts[GR_LAMBDA_CLASSES + 1]; /* offsets into `queries` */
    /* for each query of the last class, where its documents start; an even number */
    uint64_t *offsets;
    uint64_t long_rows; /* documents for which the last class needs memory */
} gr_lambda_plan;

static inline size_t gr_lambda_class_of(const gr_device_problem *problem, size_t q)
{
    const uint64_t count = problem->query_starts[q + 1] - problem->query_starts[q];
    size_t number = 0;

    while (count > gr_lambda_class_number(number).room)
        number++;
    return number;
}

static inline void gr_lambda_plan_free(gr_lambda_plan *plan)
{
    free(plan->queries);
    free(plan->offsets);
}

/* False: no memory. Free the plan even then. */
static inline bool gr_lambda_plan_make(const gr_device_problem *problem, gr_lambda_plan *plan)
{
    size_t count = 0, longs = 0;

    plan->queries = (uint32_t *)malloc((problem->queries + 1) * sizeof *plan->queries);
    plan->offsets = (uint64_t *)malloc((problem->queries + 1) * sizeof *plan->offsets);
    plan->long_rows = 0;
    if (!plan->queries || !plan->offsets)
        return false;
    for (size_t number = 0; number < GR_LAMBDA_CLASSES; number++) {
        plan->starts[number] = count;
        for (size_t q = 0; q < problem->queries; q++) {
            const uint64_t rows = problem->query_starts[q + 1] - problem->query_starts[q];

            if (!problem->lambda.matters[q] || gr_lambda_class_of(problem, q) != number)
                continue;
            plan->queries[count++] = (uint32_t)q;
            if (number == GR_LAMBDA_LONG) {
                plan->offsets[longs++] = plan->long_rows;
                plan->long_rows += (rows + 1) / 2 * 2;
            }
        }
    }
    plan->starts[GR_LAMBDA_CLASSES] = count;
    return true;
}

#endif
