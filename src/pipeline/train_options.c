/* SPDX-License-Identifier: Apache-2.0 */
/* Options of training: method and learner, evaluation and early stopping, and the blocks of options
 * in learners.def. */
#include "pipeline/train_options.h"

#include "metrics/evaluate.h"
#include "pipeline/learner.h"
#include "pipeline/presets.h"
#include "pipeline/ranker.h"

#include <string.h>

static const char *const targets[] = { "grade", "gain", NULL };
static const char *const losses[] = {
#define GR_REGRESSION_LOSS(name) #name,
#include "objectives/objectives.def"
    "logistic", "hinge", NULL
};
static const char *const keeps[] = { "best", "last", NULL };
/* "method", then the names in gr_score_rules of rules that need no further options. */
static const char *const scorings[] = { "method",
#define GR_PLAIN_RULE(name, text) text,
#include "scoring/rules.def"
                                        NULL };

static const gr_param train_params[] = {
    GR_PARAM_CHOICE(gr_train_options, method, "method", "NAME", "lambdamart", gr_ranker_names,
                    "method to train (gradus help methods)"),
    GR_PARAM_CHOICE(gr_train_options, learner, "learner", "NAME", "gbrt", gr_learner_names,
                    "learner that fits the outputs of the method (gradus help learners)"),
    GR_PARAM_CHOICE(gr_train_options, preset, "preset", "NAME", "none", gr_preset_names,
                    "settings of a published experiment (gradus help presets)"),
    GR_TUNED_CHOICE(gr_train_options, target, "target", "WHAT", "grade", targets, "grade|gain",
                    "regression: fit the grade, or the gain 2^grade - 1"),
    GR_PARAM_CHOICE(
        gr_train_options, loss, "loss", "NAME", "squared", losses,
        "regression, crr: loss to minimise; regression: all but logistic and hinge, crr: squared, "
        "logistic or hinge"),
    GR_TUNED_PATH(
        gr_train_options, cost, "cost", "COST", "absolute", GRADUS_PATH_READ,
        "absolute|squared|oerr",
        "cocr, pairrank: cost of mistakes, by name (gradus help costs) or a file with a matrix"),
    GR_PARAM_CHOICE(
        gr_train_options, scoring, "scoring", "RULE", "method", scorings,
        "how outputs become a score (method: the method's own rule); can be changed when "
        "scoring"),
    GR_CHOSEN_COUNT(gr_train_options, rounds, "rounds", "N", 300, 1, 1000000, NULL,
                    "300; boosted trees with --valid: 2000",
                    "rounds of training; in boosting and bagging each adds one tree per output",
                    "num-iterations n-estimators num-round num-boost-round trees"),
    GR_PARAM_FLAG(
        gr_train_options, one_query, "one-query",
        "data without query ids form one query: for methods that compare rows of a query"),
    GR_PARAM_BLOCKS,
    GR_PARAM_TEXT(gr_train_options, metric, "metric", "NAME", "ndcg@10",
                  "metric evaluated on --valid, used for early stopping (gradus help metrics)"),
    GR_PARAM_CHOICE(gr_train_options, convention, "convention", "NAME", "gradus",
                    gr_convention_names, "convention of the metric (gradus help conventions)"),
    GR_PARAM_GROUP(gr_train_options, gains, gr_gain_options, gr_gain_params),
    GR_CHOSEN_COUNT(gr_train_options, patience, "patience", "N", 50, 0, 1000000, NULL,
                    "50; boosted trees: 100",
                    "stop after N rounds without improvement on --valid; 0: never",
                    "early-stopping-rounds early-stopping-round"),
    GR_PARAM_CHOICE(gr_train_options, keep, "keep", "WHICH", "best", keeps,
                    "rounds kept in the model: up to the best on --valid, or all"),
    GR_PARAM_COUNT(gr_train_options, eval_every, "eval-every", "N", 1, 1, 1000000,
                   "rounds between evaluations on --valid"),
    GR_PARAM_COUNT(gr_train_options, train_eval_every, "train-eval-every", "N", 10, 0, 1000000,
                   "rounds between evaluations on the training data; 0: never"),
    GR_PARAM_GROUP(gr_train_options, transform, gr_transform_options, gr_train_transform_params),
    GR_PARAM_COUNT(gr_train_options, seed, "seed", "N", 1, 0, 18446744073709551615.0,
                   "seed of all random choices in training"),
    GR_PARAM_END,
};

#define GR_LEARNER(name, text)
#define GR_OPTIONS(name) extern const gr_option_block gr_##name##_option_block;
#include "pipeline/learners.def"
#undef GR_OPTIONS

static const gr_option_block *const blocks[] = {
#define GR_OPTIONS(name) &gr_##name##_option_block,
#include "pipeline/learners.def"
#undef GR_OPTIONS
    NULL
};
#undef GR_LEARNER

static const char *implied(const char *name, const char *value)
{
    const gr_ranker *ranker;

    if (strcmp(name, "preset") == 0)
        return gr_preset_settings(value);
    for (size_t m = 0; strcmp(name, "method") == 0 && (ranker = gr_ranker_number(m)); m++)
        if (strcmp(ranker->about.name, value) == 0)
            return ranker->implies;
    return NULL;
}

const gr_operation gr_operation_train = {
    .name = "train",
    .summary = "methods, learners and their settings",
    .params = train_params,
    .size = sizeof(gr_train_options),
    .implies = implied,
    .blocks = blocks,
};

const gr_train_options *gr_train_view(const gradus_options *options, gradus_error *err)
{
    return gr_options_view(options, &gr_operation_train, err);
}

const void *gr_train_block(const gr_train_options *options, const gr_option_block *block)
{
    return gr_options_block(options, &gr_operation_train, block);
}
