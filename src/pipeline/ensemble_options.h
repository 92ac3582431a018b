/* SPDX-License-Identifier: Apache-2.0 */
/* Options of ensembles. */
#ifndef GR_PIPELINE_ENSEMBLE_OPTIONS_H
#define GR_PIPELINE_ENSEMBLE_OPTIONS_H

#include "ensembles/selection.h"
#include "objectives/label_gains.h"

enum {
    GR_WAY_EXPONENTIAL,
    GR_WAY_MEAN,
    GR_WAY_STACKING,
    GR_WAY_NONNEGATIVE,
    GR_WAY_BORDA,
    GR_WAY_RECIPROCAL,
    GR_WAY_STANDARDIZED,
    GR_WAY_SELECTION,
    GR_WAY_WEIGHTS
};

typedef struct gr_ensemble_options {
    int way;
    const char *rates, *metric;
    int convention;
    double rank_constant;
    gr_gain_options gains;
    const char *weights; /* "": none */
    bool raw;            /* scores are not standardised */
    bool probabilities;  /* members must have probabilities, which are averaged */
    gr_selection_options selection;
} gr_ensemble_options;

extern const gr_operation gr_operation_ensemble;

/* Gets the options and checks those that depend on each other. */
gradus_status gr_ensemble_options_get(const gradus_options *options, gr_ensemble_options *chosen,
                                      gradus_error *err);
/* How the metric is evaluated. */
gradus_status gr_ensemble_measuring(const gr_ensemble_options *options,
                                    gr_evaluate_options *measuring, gradus_error *err);
/* Parses the option `weights`: one per member, scaled to sum 1. */
gradus_status gr_ensemble_weights(const gr_ensemble_options *options, size_t members,
                                  double *weights, gradus_error *err);

#endif
