/* SPDX-License-Identifier: Apache-2.0 */
/* The options of adarank and coordinate-ascent. */
#include "learners/weak/weak.h"

/* Each row is written once and used in several of the tables below. */
#define METRIC                                                                                     \
    GR_PARAM_TEXT(gr_weak_options, metric, "train-metric", "NAME", "",                             \
                  "adarank, coordinate-ascent: metric to optimise; default: that of --metric")
#define REPEATS                                                                                    \
    GR_TUNED_COUNT(gr_weak_options, repeats, "repeats", "N", 5, 1, 1000000, "1..20:log",           \
                   "adarank: maximum consecutive rounds that use the same feature")
#define RESTARTS                                                                                   \
    GR_PARAM_COUNT(                                                                                \
        gr_weak_options, restarts, "restarts", "N", 3, 1, 1000000,                                 \
        "coordinate-ascent: number of searches, all but the first from random weights"),           \
        GR_PARAM_COUNT(gr_weak_options, tries, "tries", "N", 8, 1, 1000,                           \
                       "coordinate-ascent: step sizes tried per weight, each twice the last"),     \
        GR_PARAM_REAL(gr_weak_options, first_step, "first-step", "X", 0.05, 1e-12, 1e12,           \
                      "coordinate-ascent: the first step size, as a fraction of the weight"),      \
        GR_PARAM_REAL(gr_weak_options, least_gain, "least-gain", "X", 0.001, 0, 1e12,              \
                      "coordinate-ascent: minimum gain of a pass over the features to continue")

const gr_param gr_weak_params[] = { METRIC, REPEATS, RESTARTS, GR_PARAM_END };
const gr_param gr_adarank_params[] = { METRIC, REPEATS, GR_PARAM_END };
const gr_param gr_ascent_params[] = { METRIC, RESTARTS, GR_PARAM_END };
