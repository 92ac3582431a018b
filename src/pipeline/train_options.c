/* SPDX-License-Identifier: Apache-2.0 */
/* Options of training: method and learner, their parameters, evaluation and early stopping. */
#include "pipeline/train.h"

#include "data/transform.h"

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
    GR_PARAM_GROUP(gr_train_options, boost, gr_boost_options, gr_boost_params),
    GR_PARAM_GROUP(gr_train_options, linear, gr_linear_options, gr_linear_params),
    GR_PARAM_GROUP(gr_train_options, m5, gr_m5_options, gr_m5_params),
    GR_PARAM_GROUP(gr_train_options, kernel, gr_kernel_options, gr_kernel_params),
    GR_PARAM_GROUP(gr_train_options, svor, gr_svor_options, gr_svor_params),
    GR_PARAM_GROUP(gr_train_options, svor, gr_svor_options, gr_svor_kernel_params),
    GR_PARAM_GROUP(gr_train_options, svor, gr_svor_options, gr_svor_linear_params),
    GR_PARAM_GROUP(gr_train_options, sgd, gr_sgd_options, gr_sgd_params),
    GR_PARAM_GROUP(gr_train_options, net, gr_net_options, gr_net_params),
    GR_PARAM_GROUP(gr_train_options, adaboost, gr_adaboost_options, gr_adaboost_params),
    GR_PARAM_GROUP(gr_train_options, calibrated, gr_calibrated_options, gr_calibrated_params),
    GR_PARAM_GROUP(gr_train_options, gaussians, gr_gaussian_options, gr_gaussian_params),
    GR_PARAM_GROUP(gr_train_options, weak, gr_weak_options, gr_weak_params),
    GR_PARAM_GROUP(gr_train_options, ranksvm, gr_ranksvm_options, gr_ranksvm_params),
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
    GR_PARAM_COUNT(gr_train_options, boost.seed, "seed", "N", 1, 0, 18446744073709551615.0,
                   "seed of all random choices in training"),
    GR_PARAM_END,
};

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
};
