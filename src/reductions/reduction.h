/* SPDX-License-Identifier: Apache-2.0 */
/* A reduction turns grades into a learning problem: the number of outputs to fit, and the target
 * and weight of each grade in each output.
 *
 * To add one: write a file reductions/reduction_<name>.c and add a row to reductions.def. reduction_grade.c
 * and reduction_gain.c are direct regression; reduction_cocr.c, reduction_cumulative.c,
 * reduction_classes.c and reduction_votes.c make one output per grade or per boundary between
 * grades; reduction_thresholds.c has one output, cut into grades by thresholds. */
#ifndef GR_REDUCTIONS_REDUCTION_H
#define GR_REDUCTIONS_REDUCTION_H

#include "base/table.h"
#include "costs/cost.h"

/* How the outputs of a learner are interpreted. */
typedef enum gr_meaning {
    GR_MEANS_SCORE,   /* one output: a score */
    GR_MEANS_ABOVE,   /* output k estimates [grade >= level k + 1], weighted by a cost */
    GR_MEANS_CLASSES, /* softmax of the outputs is the probability of each level */
    GR_MEANS_BELOW,   /* logistic of output k is P(grade <= level k) */
    GR_MEANS_ODDS,    /* one output f and thresholds: P(grade > level k) = logistic(f - theta_k) */
    GR_MEANS_THRESHOLDS,   /* one output, cut into grades by thresholds; no probabilities */
    GR_MEANS_EACH,         /* output k estimates the probability of level k */
    GR_MEANS_EACH_ODDS,    /* logistic of output k, normalised to sum 1, is P(level k) */
    GR_MEANS_VOTES,        /* outputs in [-1, 1]: (1 + output) / 2, normalised, is P(level k) */
    GR_MEANS_PROBABILITIES /* the probability of each level, after normalising */
} gr_meaning;

/* How many outputs there are. */
typedef enum gr_output_count {
    GR_ONE_OUTPUT,
    GR_OUTPUT_PER_GRADE,
    GR_OUTPUT_PER_BOUNDARY
} gr_output_count;

typedef struct gr_reduction {
    gr_about about;
    gr_meaning meaning;
    bool takes_cost;
    gr_output_count outputs;
    /* The target of a level in output k. level_labels: ascending. */
    double (*target)(size_t k, size_t level, const double *level_labels);
    /* Likewise its weight. NULL: 1. */
    double (*weight)(size_t k, size_t level, const double *level_labels,
                     const gr_cost_choice *cost);
} gr_reduction;

#define GR_REDUCTION(name) extern const gr_reduction gr_reduction_##name;
#include "reductions/reductions.def"
#undef GR_REDUCTION

/* reductions.c */
size_t gr_reduction_outputs(const gr_reduction *reduction, size_t levels);
/* Fills the targets and weights of output k, [levels] each. */
void gr_reduction_pose(const gr_reduction *reduction, size_t k, size_t levels,
                       const double *level_labels, const gr_cost_choice *cost, double *targets,
                       double *weights);

/* reduction_grade.c: the label is the target. */
double gr_target_grade(size_t k, size_t level, const double *level_labels);

#endif
