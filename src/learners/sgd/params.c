/* SPDX-License-Identifier: Apache-2.0 */
#include "learners/sgd/sgd.h"

static const char *const rules[] = { "pegasos", "constant", "sqrt", "adagrad", NULL };
static const char *const samplings[] = { "exact", "by-query", NULL };
static const char *const precisions[] = { "float", "double", NULL };

const gr_param gr_sgd_params[] = {
    GR_TUNED_TEXT(gr_sgd_options, alpha, "alpha", "A", "0.5", "0..1",
                  "crr: share of the loss of single rows, 1: regression, 0: ranking; or a list"),
    GR_TUNED_TEXT(gr_sgd_options, lambda, "lambda", "L", "0.001", "1e-5..0.1:log",
                  "crr: weight of |w|^2 / 2; a list is a grid, of which --valid chooses"),
    GR_PARAM_COUNT(gr_sgd_options, steps, "steps", "N", 1000000, 1, 1e15,
                   "crr: rows, pairs and lists to draw; they are cut into --rounds"),
    GR_PARAM_CHOICE(gr_sgd_options, rule, "step-rule", "RULE", "pegasos", rules,
                    "crr: length of step i: 1/(L i), S, S/sqrt(i), or S/sqrt(squared gradients)"),
    GR_PARAM_REAL(gr_sgd_options, step_size, "step-size", "S", 0.01, 1e-12, 1e12,
                  "crr: S of the step rules but pegasos"),
    GR_PARAM_FLAG(gr_sgd_options, average, "average",
                  "crr: the model is the mean of the weights over the second half of the steps"),
    GR_PARAM_FLAG(gr_sgd_options, no_projection, "no-projection",
                  "crr: weights may become longer than 1/sqrt(L)"),
    GR_PARAM_CHOICE(gr_sgd_options, sampling, "sampling", "HOW", "exact", samplings,
                    "crr: all pairs alike, or all queries alike and then their pairs"),
    GR_PARAM_CHOICE(gr_sgd_options, precision, "precision", "TYPE", "float", precisions,
                    "crr: of the weights while they are trained"),
    GR_PARAM_REAL(gr_sgd_options, l1, "l1", "G", 0, 0, 1e12,
                  "crr: weight of |w|_1, by truncated gradients: unused weights become 0"),
    GR_PARAM_REAL(gr_sgd_options, listwise, "listwise-weight", "B", 0, 0, 1e6,
                  "crr: weight of the cross-entropy of softmax over whole queries"),
    GR_PARAM_COUNT(gr_sgd_options, shards, "shards", "N", 0, 0, 1024,
                   "crr: trainings that run side by side and are averaged each round; 1: in "
                   "sequence, 0: by --steps"),
    GR_PARAM_FLAG(gr_sgd_options, one_vs_all, "one-vs-all",
                  "crr: an output for each label, fitted to this label against all others"),
    GR_PARAM_COUNT(gr_sgd_options, hash_bits, "hash-bits", "N", 0, 0, 28,
                   "crr: hash features into 2^N weights; 0: each feature has its own"),
    GR_PARAM_COUNT(gr_sgd_options, landmarks, "landmarks", "N", 0, 0, 100000,
                   "crr: train on kernels with so many rows, drawn at random, instead of features"),
    GR_PARAM_END,
};
