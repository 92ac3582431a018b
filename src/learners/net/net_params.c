/* SPDX-License-Identifier: Apache-2.0 */
/* Options of the neural network learners. */
#include "learners/net/net.h"

static const char *const activations[] = { "tanh", "relu", NULL };
static const char *const optimisers[] = { "adam", "sgd", NULL };

const gr_param gr_net_params[] = {
    GR_TUNED_COUNT(gr_net_options, hidden, "hidden", "N", 10, 0, 4096, "5..40:log",
                   "nets: hidden units; 0: a linear model"),
    GR_PARAM_CHOICE(gr_net_options, activation, "activation", "NAME", "tanh", activations,
                    "nets: activation of the hidden units"),
    GR_PARAM_CHOICE(gr_net_options, optimiser, "optimiser", "NAME", "adam", optimisers,
                    "nets: optimiser"),
    GR_TUNED_REAL(gr_net_options, rate, "net-rate", "X", 0.001, 0, 1e6, "0.0003..0.01:log",
                  "nets: learning rate"),
    GR_PARAM_REAL(gr_net_options, momentum, "momentum", "X", 0.9, 0, 0.9999, "nets: momentum"),
    GR_PARAM_REAL(gr_net_options, decay, "weight-decay", "X", 0, 0, 1e3,
                  "nets: weight decay, per unit of learning rate; biases are exempt"),
    GR_TUNED_COUNT(gr_net_options, batch, "batch", "N", 16, 1, 1000000000, "4..64:log",
                   "nets: queries per batch"),
    GR_PARAM_END,
};
