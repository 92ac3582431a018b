/* SPDX-License-Identifier: Apache-2.0 */
/* Options of the method crr. */
#include "learners/sgd/sgd.h"

static const char *const rules[] = { "pegasos", "constant", "sqrt", "adagrad", NULL };
static const char *const samplings[] = { "exact", "by-query", NULL };
static const char *const precisions[] = { "float", "double", NULL };

const gr_param gr_sgd_params[] = {
    GR_TUNED_TEXT(
        gr_sgd_options, alpha, "alpha", "A", "0.5", "0..1",
        "crr: weight of the regression loss; 1: regression only, 0: ranking only; or a list"),
    GR_TUNED_TEXT(gr_sgd_options, lambda, "lambda", "L", "0.001", "1e-5..0.1:log",
                  "crr: weight of |w|^2 / 2 (L2 penalty); a list is a grid searched on --valid"),
    GR_PARAM_COUNT(gr_sgd_options, steps, "steps", "N", 1000000, 1, 1e15,
                   "crr: steps, each on a random row, pair or list; divided into --rounds"),
    GR_PARAM_CHOICE(gr_sgd_options, rule, "step-rule", "RULE", "pegasos", rules,
                    "crr: size of step i: 1/(L i), S, S/sqrt(i), or S/sqrt(squared gradients)"),
    GR_PARAM_REAL(gr_sgd_options, step_size, "step-size", "S", 0.01, 1e-12, 1e12,
                  "crr: S of all step rules except pegasos"),
    GR_PARAM_FLAG(gr_sgd_options, average, "average",
                  "crr: average the weights over the second half of the steps"),
    GR_PARAM_FLAG(gr_sgd_options, no_projection, "no-projection",
                  "crr: do not limit the norm of the weights to 1/sqrt(L)"),
    GR_PARAM_CHOICE(gr_sgd_options, sampling, "sampling", "HOW", "exact", samplings,
                    "crr: draw pairs uniformly, or a query uniformly and then one of its pairs"),
    GR_PARAM_CHOICE(gr_sgd_options, precision, "precision", "TYPE", "float", precisions,
                    "crr: floating-point type of the weights during training"),
    GR_PARAM_REAL(
        gr_sgd_options, l1, "l1", "G", 0, 0, 1e12,
        "crr: weight of |w|_1 (L1 penalty), by truncated gradients: unused weights become 0"),
    GR_PARAM_REAL(gr_sgd_options, listwise, "listwise-weight", "B", 0, 0, 1e6,
                  "crr: weight of the listwise loss (softmax cross-entropy of each query)"),
    GR_PARAM_COUNT(gr_sgd_options, shards, "shards", "N", 0, 0, 1024,
                   "crr: parallel SGD runs that are averaged after each round; 1: "
                   "sequential, 0: chosen by --steps"),
    GR_PARAM_FLAG(gr_sgd_options, one_vs_all, "one-vs-all",
                  "crr: one output per label, trained on this label against all others"),
    GR_PARAM_COUNT(gr_sgd_options, hash_bits, "hash-bits", "N", 0, 0, 28,
                   "crr: hash features into 2^N weights; 0: no hashing"),
    GR_PARAM_COUNT(gr_sgd_options, landmarks, "landmarks", "N", 0, 0, 100000,
                   "crr: replace features by kernel values with N random rows; 0: off"),
    GR_PARAM_END,
};
