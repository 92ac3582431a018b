/* SPDX-License-Identifier: Apache-2.0 */
/* The calibrated ensemble of AdaBoost.MH (Busa-Fekete, Kegl, Elteto and Szarvas, 2011): base models
 * of many sizes are trained on part of the queries, the outputs of each are calibrated in several
 * ways on the rest, and the results are averaged with weights e^(rate * metric) from the validation
 * data.
 *
 * The ensemble is a function of the first rounds of the base models and the data alone. It can be
 * rebuilt at any time, so checkpoints do not store it.
 */
#ifndef GR_PIPELINE_CALIBRATED_MIX_H
#define GR_PIPELINE_CALIBRATED_MIX_H

#include "learners/adaboost/votes.h"
#include "model/model.h"
#include "pipeline/calibrated_grid.h"
#include "pipeline/validate.h"

/* The input of an ensemble. */
typedef struct gr_mixing {
    const gr_calibrated_grid *grid;
    const gradus_context *context;
    size_t levels;
    const double *level_labels, *shares;
    const gradus_dataset *calibrate, *valid;
    const uint8_t *level_of;   /* per row of calibrate */
    const double *row_weights; /* of calibrate; NULL: all 1 */
    gr_measuring *measuring;
    const gr_votes *const *votes; /* one per base model */
} gr_mixing;

/* An ensemble. Calibration c of base model b is member b * calibrations + c. */
typedef struct gr_mixture {
    uint64_t rounds; /* maximum rounds of the base models; 0: there is no ensemble */
    size_t members;
    gr_calibration *fitted;
    double *thresholds; /* members x levels, for "ordinal" */
    double *weights;    /* 0: not used */
    double rate, value; /* value: of the metric on the validation data */
} gr_mixture;

gradus_status gr_mixture_make(const gr_mixing *mixing, uint64_t rounds, gr_mixture *mixture,
                              gradus_error *err);
void gr_mixture_free(gr_mixture *mixture);
size_t gr_mixture_used(const gr_mixture *mixture); /* members with nonzero weight */
/* Adds nodes for the members with nonzero weight (each base model once) and for their weighted
 * sum. */
gradus_status gr_mixture_add_nodes(const gr_mixing *mixing, const gr_mixture *mixture,
                                   gradus_model *model, gradus_error *err);
/* The same for the uncalibrated base models with equal weights, truncated to `rounds`: for
 * checkpoints. */
gradus_status gr_mixture_add_plain(const gr_mixing *mixing, uint64_t rounds, gradus_model *model,
                                   gradus_error *err);

#endif
