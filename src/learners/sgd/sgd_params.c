/* SPDX-License-Identifier: Apache-2.0 */
/* Options of the method crr. */
#include "learners/sgd/sgd.h"

static const char *const rules[] = { "pegasos", "constant", "sqrt", "adagrad", "inverse", NULL };
static const char *const samplings[] = { "exact", "by-query", NULL };
static const char *const precisions[] = { "float", "double", NULL };

const gr_param gr_sgd_params[] = {
    GR_TUNED_TEXT(
        gr_sgd_options, alpha, "alpha", "A", "0.5", "0..1",
        "crr: weight of the regression loss; 1: regression only, 0: ranking only; a list is a grid "
        "searched on --valid"),
    GR_TUNED_TEXT(
        gr_sgd_options, lambda, "lambda", "L", "0.001", "1e-5..0.1:log",
        "crr, ranksvm: weight of |w|^2 / 2 (L2 penalty); a list is a grid searched on --valid"),
    GR_PARAM_COUNT(
        gr_sgd_options, steps, "steps", "N", 1000000, 1, 1e15,
        "crr, ranksvm: total number of steps, each on a random row, pair or list; --rounds divides "
        "them into rounds"),
    GR_PARAM_CHOICE(
        gr_sgd_options, rule, "step-rule", "RULE", "pegasos", rules,
        "crr, ranksvm: size of step i: pegasos 1/(L i), constant S, sqrt S/sqrt(i), adagrad "
        "S/sqrt(sum of squared gradients), inverse S/(S + i); L is --lambda, S is --step-size"),
    GR_PARAM_REAL(
        gr_sgd_options, step_size, "step-size", "S", 0.01, 1e-12, 1e12,
        "crr, ranksvm: step size S of the step rules constant, sqrt, adagrad and inverse"),
    GR_PARAM_FLAG(gr_sgd_options, average, "average",
                  "crr, ranksvm: average the weights over the second half of the steps"),
    GR_PARAM_FLAG(
        gr_sgd_options, no_projection, "no-projection",
        "crr, ranksvm: do not limit the norm of the weights to 1/sqrt(L), L from --lambda"),
    GR_PARAM_CHOICE(
        gr_sgd_options, sampling, "sampling", "HOW", "exact", samplings,
        "crr, ranksvm: exact: every pair is equally likely; by-query: first draw a query, then "
        "one of its pairs"),
    GR_PARAM_CHOICE(gr_sgd_options, precision, "precision", "TYPE", "float", precisions,
                    "crr, ranksvm: floating-point type of the weights during training"),
    GR_PARAM_REAL(
        gr_sgd_options, l1, "l1", "G", 0, 0, 1e12,
        "crr, ranksvm: weight of |w|_1 (L1 penalty), by truncated gradients: unused weights become 0"),
    GR_PARAM_REAL(
        gr_sgd_options, listwise, "listwise-weight", "B", 0, 0, 1e6,
        "crr, ranksvm: weight of the listwise loss (softmax cross-entropy of each query)"),
    GR_PARAM_COUNT(
        gr_sgd_options, shards, "shards", "N", 0, 0, 1024,
        "crr, ranksvm: parallel SGD runs that are averaged after each round; 1: sequential, 0: 8 "
        "from 20 million steps on, else 1"),
    GR_PARAM_FLAG(gr_sgd_options, one_vs_all, "one-vs-all",
                  "crr, ranksvm: one output per label, trained on this label against all others"),
    GR_PARAM_COUNT(gr_sgd_options, hash_bits, "hash-bits", "N", 0, 0, 28,
                   "crr, ranksvm: hash features into 2^N weights; 0: no hashing"),
    GR_PARAM_COUNT(gr_sgd_options, landmarks, "landmarks", "N", 0, 0, 100000,
                   "crr, ranksvm: replace features by kernel values with N random rows; 0: off"),
    GR_PARAM_END,
};

GR_OPTION_BLOCK(sgd);
