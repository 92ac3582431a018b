/* SPDX-License-Identifier: Apache-2.0 */
#include "learners/net/net.h"

static const char *const activations[] = { "tanh", "relu", NULL };
static const char *const optimisers[] = { "adam", "sgd", NULL };

const gr_param gr_net_params[] = {
    GR_TUNED_COUNT(gr_net_options, hidden, "hidden", "N", 10, 0, 4096, "5..40:log",
                   "nets: units between features and score; 0: a linear function"),
    GR_PARAM_CHOICE(gr_net_options, activation, "activation", "NAME", "tanh", activations,
                    "nets: what units make of their sums: tanh or relu"),
    GR_PARAM_CHOICE(gr_net_options, optimiser, "optimiser", "NAME", "adam", optimisers,
                    "nets: how steps are taken: adam or sgd"),
    GR_TUNED_REAL(gr_net_options, rate, "net-rate", "X", 0.001, 0, 1e6, "0.0003..0.01:log",
                  "nets: how long steps are"),
    GR_PARAM_REAL(gr_net_options, momentum, "momentum", "X", 0.9, 0, 0.9999,
                  "nets: how much of the steps before a step keeps"),
    GR_PARAM_REAL(gr_net_options, decay, "weight-decay", "X", 0, 0, 1e3,
                  "nets: share of all weights but biases that a step of length 1 takes away"),
    GR_TUNED_COUNT(gr_net_options, batch, "batch", "N", 16, 1, 1000000000, "4..64:log",
                   "nets: queries that a step looks at"),
    GR_PARAM_END,
};
