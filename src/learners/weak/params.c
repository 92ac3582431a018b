/* SPDX-License-Identifier: Apache-2.0 */
#include "learners/weak/weak.h"

/* Every row once: the groups of learners below take them from here by name. */
#define METRIC                                                                                     \
    GR_PARAM_TEXT(gr_weak_options, metric, "train-metric", "NAME", "",                             \
                  "adarank, coordinate-ascent: the metric that is raised; none: --metric")
#define REPEATS                                                                                    \
    GR_TUNED_COUNT(gr_weak_options, repeats, "repeats", "N", 5, 1, 1000000, "1..20:log",           \
                   "adarank: rounds in a row that may take the same feature")
#define RESTARTS                                                                                   \
    GR_PARAM_COUNT(gr_weak_options, restarts, "restarts", "N", 3, 1, 1000000,                      \
                   "coordinate-ascent: searches, each from weights of its own"),                   \
        GR_PARAM_COUNT(gr_weak_options, tries, "tries", "N", 8, 1, 1000,                           \
                       "coordinate-ascent: steps, each twice as long, that a weight is tried at"), \
        GR_PARAM_REAL(gr_weak_options, first_step, "first-step", "X", 0.05, 1e-12, 1e12,           \
                      "coordinate-ascent: the first of them, as a share of the weight"),           \
        GR_PARAM_REAL(gr_weak_options, least_gain, "least-gain", "X", 0.001, 0, 1e12,              \
                      "coordinate-ascent: what a pass over the features must bring to go on")

const gr_param gr_weak_params[] = { METRIC, REPEATS, RESTARTS, GR_PARAM_END };
const gr_param gr_adarank_params[] = { METRIC, REPEATS, GR_PARAM_END };
const gr_param gr_ascent_params[] = { METRIC, RESTARTS, GR_PARAM_END };
