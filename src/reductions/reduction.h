/* SPDX-License-Identifier: Apache-2.0 */
/* Grades to problems: how many outputs a learner must fit, the target and weight of each grade. To
 * add one: a file reductions/<name>.c and a row in reductions.def. */
#ifndef GR_REDUCTIONS_REDUCTION_H
#define GR_REDUCTIONS_REDUCTION_H

#include "base/table.h"
#include "costs/cost.h"

/* What the outputs of a learner mean. */
typedef enum gr_meaning {
    GR_MEANS_SCORE,   /* one output: a score */
    GR_MEANS_ABOVE,   /* output k estimates [grade >= level k + 1], weighted by a cost */
    GR_MEANS_CLASSES, /* softmax of the outputs: the probability of each level */
    GR_MEANS_BELOW,   /* logistic of output k: the probability of grade <= level k */
    GR_MEANS_ODDS,    /* one output f and thresholds: P(grade > level k) = logistic(f - theta_k) */
    GR_MEANS_THRESHOLDS, /* one output and thresholds that cut it into grades; no probabilities */
    GR_MEANS_EACH,       /* output k estimates the probability of level k */
    GR_MEANS_EACH_ODDS,  /* logistic of output k, over their sum: the probability of level k */
    GR_MEANS_VOTES, /* from -1 to 1: (1 + output) / 2, divided by their sum, is P of each level */
    GR_MEANS_PROBABILITIES /* the probability of each level; divided by their sum */
} gr_meaning;

typedef struct gr_reduction {
    gr_about about;
    gr_meaning meaning;
    bool takes_cost;
    size_t (*outputs)(size_t levels);
    /* Fills targets and weights of output k, one a level. level_labels: ascending. */
    void (*pose)(size_t k, size_t levels, const double *level_labels, const gr_cost_choice *cost,
                 double *targets, double *weights);
} gr_reduction;

#define GR_REDUCTION(name) extern const gr_reduction gr_reduction_##name;
#include "reductions/reductions.def"
#undef GR_REDUCTION

#endif
