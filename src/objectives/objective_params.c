/* SPDX-License-Identifier: Apache-2.0 */
/* The parameters of all objectives. */
#include "objectives/objective_lambdarank.h"

static const char *const metrics[] = { "ndcg", "err", "map", NULL };
static const char *const scalings[] = { "none", "query", NULL };

static const char *const forms[] = { "left-right", "all", NULL };

const gr_param gr_orboost_params[] = {
    GR_PARAM_CHOICE(
        gr_orboost_options, form, "form", "FORM", "left-right", forms,
        "orboost: thresholds in a row's loss; left-right: the two adjacent to its grade, all: "
        "every threshold"),
    GR_PARAM_END,
};

static const char *const groups[] = { "query", "all", NULL };
static const char *const pair_losses[] = { "exponential", "logistic", NULL };

const gr_param gr_pairrank_params[] = {
    GR_PARAM_CHOICE(gr_pairrank_options, within, "within", "WHAT", "query", groups,
                    "pairrank: which rows are compared: those of a query, or all"),
    GR_PARAM_CHOICE(gr_pairrank_options, loss, "pair-loss", "LOSS", "exponential", pair_losses,
                    "pairrank: loss of a pair; logistic takes quadratic time per query"),
    GR_PARAM_FLAG(
        gr_pairrank_options, plain, "plain",
        "pairrank: weight pairs by their costs alone, without the terms (Uematsu and Lee, "
        "Theorem 4) that make the minimum of the loss the best ranking for these costs"),
    GR_PARAM_END,
};

const gr_param gr_objective_params[] = {
    GR_PARAM_CHOICE(
        gr_objective_options, lambda_metric, "lambda-metric", "METRIC", "ndcg", metrics,
        "lambdamart, lambdarank: metric whose change on swapping a pair of documents is the "
        "weight of the pair"),
    GR_PARAM_COUNT(gr_objective_options, lambda_depth, "lambda-depth", "K", 0, 0, 1000000000,
                   "lambdamart, lambdarank: cutoff of --lambda-metric; 0: the whole list"),
    GR_PARAM_COUNT(
        gr_objective_options, truncation, "truncation", "T", 30, 0, 1000000000,
        "lambdamart, lambdarank: train on pairs with a document among the top T by current score "
        "(LightGBM's truncation level); 0: all pairs",
        "lambdarank-truncation-level"),
    GR_PARAM_REAL(gr_objective_options, sigma, "sigma", "S", 1, 1e-3, 1e3,
                  "lambdamart, lambdarank, ranknet: slope of the logistic loss of a pair"),
    GR_PARAM_CHOICE(
        gr_objective_options, normalise, "normalise", "HOW", "query", scalings,
        "lambdamart, lambdarank: query: divide the weight of a pair by its score difference and "
        "reduce the lambdas of a query from their sum L to log2(1 + L), as LightGBM does; none: "
        "neither"),
    GR_PARAM_GROUP(gr_objective_options, orboost, gr_orboost_options, gr_orboost_params),
    GR_PARAM_GROUP(gr_objective_options, pairrank, gr_pairrank_options, gr_pairrank_params),
    GR_PARAM_END,
};
