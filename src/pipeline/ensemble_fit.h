/* SPDX-License-Identifier: Apache-2.0 */
/* Weights of the members of an ensemble, fitted on validation data. */
#ifndef GR_PIPELINE_ENSEMBLE_FIT_H
#define GR_PIPELINE_ENSEMBLE_FIT_H

#include "model/model.h"
#include "pipeline/ensemble_options.h"

/* An ensemble that is being made. */
typedef struct gr_combining {
    const gradus_context *context;
    const gradus_model *const *models;
    size_t count;
    const gradus_dataset *valid; /* NULL: none */
    gr_ensemble_options options;
    bool probabilities; /* averages probabilities; else scores */
    size_t columns;     /* per member */
    gr_scorer scorer;   /* of the ensemble */
    double *weights;    /* per member */
} gr_combining;

/* Fills m->weights, which are equal before, by m->options.way. */
gradus_status gr_ensemble_fit(gr_combining *m, gradus_error *err);

/* The implementation of gradus_ensemble_select. */
gradus_status gr_ensemble_select(const gradus_context *context, const gradus_dataset *data,
                                 const double *const *scores, size_t count,
                                 const gradus_options *options, double *weights, gradus_error *err);

#endif
