/* SPDX-License-Identifier: Apache-2.0 */
/* The options of training that are common to all methods and learners. Those of learners and
 * objectives are blocks, declared next to the code that uses them and listed in learners.def. */
#ifndef GR_PIPELINE_TRAIN_OPTIONS_H
#define GR_PIPELINE_TRAIN_OPTIONS_H

#include "base/param.h"
#include "data/transform.h"
#include "objectives/label_gains.h"

typedef struct gr_train_options { /* declared in learner.h and ranker.h */
    int method, learner, preset;
    int target; /* grade or gain */
    int loss;   /* index of gr_regression_losses, or GR_LOSS_LOGISTIC, GR_LOSS_HINGE */
    const char *cost;
    int scoring; /* 0: the method's default; else 1 + a gr_score_rule */
    gr_transform_options transform;
    uint64_t rounds;
    bool one_query; /* data without query ids form one query */
    const char *metric;
    int convention;
    gr_gain_options gains;
    uint64_t patience;         /* rounds without improvement before training stops; 0: never */
    int keep;                  /* the best round, or the last */
    uint64_t eval_every;       /* rounds between evaluations of the validation data */
    uint64_t train_eval_every; /* of the training data; 0: never */
    uint64_t seed;
} gr_train_options;

enum { GR_TARGET_GRADE, GR_TARGET_GAIN };
enum { GR_KEEP_BEST, GR_KEEP_LAST };

extern const gr_operation gr_operation_train;

/* The values of options of "train"; NULL if they belong to another operation. */
const gr_train_options *gr_train_view(const gradus_options *options, gradus_error *err);

/* The block NAME of options from gr_train_view, as a const gr_NAME_options pointer. */
#define GR_TRAIN_BLOCK(options, name)                                                              \
    ((const gr_##name##_options *)gr_train_block(options, &gr_##name##_option_block))
const void *gr_train_block(const gr_train_options *options, const gr_option_block *block);

#endif
