/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of a device that run rounds of boosting: it keeps the scores of the training rows,
 * computes their gradients where its trees read them, adds the leaf values of each tree to the scores,
 * and ranks the rows for NDCG. All results have the bits of the processor's. */
#ifndef GR_BACKEND_BOOST_DEVICE_H
#define GR_BACKEND_BOOST_DEVICE_H

#include "backend/device.h"
#include "backend/ranked_lists.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum gr_device_loss {
    GR_DEVICE_SQUARED,
    GR_DEVICE_ABSOLUTE,
    GR_DEVICE_HUBER,
    GR_DEVICE_QUANTILE,
    GR_DEVICE_LOGISTIC,
    GR_DEVICE_SOFTMAX,
    GR_DEVICE_LAMBDARANK,
    GR_DEVICE_PROPODDS,
    GR_DEVICE_ORBOOST
} gr_device_loss;

/* Losses with thresholds: numbers of each level that rows depend on and that change from round to
 * round (gr_odds_level of propodds; gr_power_level of orboost and zeros), and the terms of a row that
 * are added up by level to fit the thresholds. */
enum { GR_DEVICE_LEVEL_NUMBERS = 5, GR_DEVICE_MAX_TERMS = 4 };

typedef enum gr_device_metric { GR_DEVICE_NDCG, GR_DEVICE_ERR, GR_DEVICE_MAP } gr_device_metric;

/* LambdaRank; see objectives/objective_lambdarank.h. */
typedef struct gr_device_lambda {
    int metric; /* gr_device_metric */
    bool by_query;
    float sigma;
    uint64_t truncation, depth; /* 0: none */
    size_t largest;             /* documents in the largest query */
    const double *discounts;    /* [largest] */
    const double *values;       /* [row] */
    const bool *matters;        /* [query] */
} gr_device_lambda;

/* A loss and its problem (objectives/problem.h). Arrays must outlive open() only. */
typedef struct gr_device_problem {
    int loss;      /* gr_device_loss */
    double number; /* of huber and quantile */
    size_t rows, queries, outputs, levels;
    const uint64_t *query_starts; /* [queries + 1] */
    const float *labels;          /* [row] */
    const uint8_t *level_of;      /* [row]; NULL if levels is 0 */
    const double *targets;        /* [outputs x levels]; NULL: the label */
    const double *weights;        /* [outputs x levels]; NULL: all 1 */
    const float *row_weights;     /* [row]; NULL: all 1 */
    gr_device_lambda lambda;
    bool ones; /* hessians are all 1, and nothing reads them */
} gr_device_problem;

/* The bytes that the arrays of a problem take on a device, apart from tables of levels and memory for long
 * queries; double because they may exceed the largest integer. */
static inline double gr_device_problem_bytes(const gr_device_problem *problem)
{
    const bool ranks = problem->loss == GR_DEVICE_LAMBDARANK;
    double of_row = 8.0 * (double)problem->outputs; /* scores */

    if (ranks)
        of_row += 8.0; /* values */
    else if (!problem->targets)
        of_row += 4.0; /* labels */
    if (problem->targets || problem->weights || (!ranks && problem->loss >= GR_DEVICE_SOFTMAX))
        of_row += 1.0; /* levels */
    if (problem->row_weights)
        of_row += 4.0;
    return of_row * (double)problem->rows + (ranks ? 13.0 * (double)problem->queries : 0.0);
}

struct gr_device_rows; /* tree_device.h */

typedef struct gr_boost_device {
    /* Begins a training whose trees have these rows. scores: [outputs x rows], at the start. */
    gradus_status (*open)(const struct gradus_device *device, const gr_device_problem *problem,
                          const struct gr_device_rows *rows, const double *scores, void **boosting,
                          gradus_error *err);
    /* Computes the gradients and hessians of all outputs at the current scores. skipped:
     * [query], gr_problem.passed_over; NULL: none. numbers: [levels x GR_DEVICE_LEVEL_NUMBERS], of losses
     * with thresholds. */
    gradus_status (*gradients)(void *boosting, const bool *skipped, const double *numbers,
                               gradus_error *err);
    /* Adds up the terms of each block of rows, by level and by odd and even rows of the block:
     * [blocks x 2 x levels x terms], in the order of gr_add_levels (objectives/objective_rows.h). */
    gradus_status (*sums)(void *boosting, const double *numbers, size_t block, double *sums,
                          gradus_error *err);
    /* Adds the value of its leaf to each row's score, after the tree of an output was grown. */
    gradus_status (*add)(void *boosting, size_t output, const double *values, size_t leaves,
                         gradus_error *err);
    gradus_status (*fetch)(void *boosting, double *scores, gradus_error *err);
    /* Copies the lists of the training rows; once, before the first call of dcgs. After GRADUS_NO_MEMORY
     * it keeps none, and the other functions still work. Arrays must outlive the call only. */
    gradus_status (*lists)(void *boosting, const gr_device_lists *lists, gradus_error *err);
    /* The DCG of each list by the current scores of output 0, as by gr_dcg; -1 if one of them is not
     * finite. */
    gradus_status (*dcgs)(void *boosting, double *dcgs, gradus_error *err);
    void (*close)(void *boosting);
} gr_boost_device;

#endif
