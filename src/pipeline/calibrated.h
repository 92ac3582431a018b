/* SPDX-License-Identifier: Apache-2.0 */
/* The calibrated ensemble of AdaBoost.MH (Busa-Fekete, Kegl, Elteto and Szarvas, 2011): base
 * models of many sizes are trained on a part of the queries, the outputs of each are calibrated in
 * many ways on the rest, and what comes out is mixed by weights e^(rate * metric) of the
 * validation data.
 *
 * What is fitted is a function of the first rounds of the base models and of the data alone, so
 * that it can be made again at any time, and a checkpoint need not keep it. */
#ifndef GR_PIPELINE_CALIBRATED_H
#define GR_PIPELINE_CALIBRATED_H

#include "base/grid.h"
#include "calibration/calibration.h"
#include "learners/adaboost/votes.h"
#include "model/model.h"

struct gr_measuring;

typedef struct gr_calibrated_options {
    const char *calibrations; /* "cpc+rbc", or names */
    const char *leaves, *terms, *rounds, *rates;
    double share; /* of the queries, for calibration */
} gr_calibrated_options;

extern const gr_param gr_calibrated_params[];

/* Base models of one kind and size. */
typedef struct gr_base_size {
    bool product;  /* else a tree */
    uint64_t size; /* terms or leaves */
} gr_base_size;

enum { GR_GRID_CALIBRATIONS = 32 };

/* The options as lists. */
typedef struct gr_calibrated_grid {
    size_t bases, calibrations, stops, rates;
    gr_base_size base[2 * GR_GRID_VALUES];
    gr_calibration_options calibration[GR_GRID_CALIBRATIONS];
    bool probabilities;          /* all calibrations give them, and so does the mixture */
    double stop[GR_GRID_VALUES]; /* rounds after which the mixture is made, ascending */
    double rate[GR_GRID_VALUES];
} gr_calibrated_grid;

gradus_status gr_calibrated_parse(const gr_calibrated_options *options, gr_calibrated_grid *grid,
                                  gradus_error *err);
/* "trees of 30 leaves", "products of 4 terms" */
void gr_base_describe(const gr_base_size *base, char *text, size_t size);

/* What mixtures are made from. */
typedef struct gr_mixing {
    const gr_calibrated_grid *grid;
    const gradus_context *context;
    size_t levels;
    const double *level_labels, *shares;
    const gradus_dataset *calibrate, *valid;
    const uint8_t *level_of;   /* of the rows of calibrate */
    const double *row_weights; /* of them; NULL: all 1 */
    struct gr_measuring *measuring;
    const gr_votes *const *votes; /* one a base */
} gr_mixing;

/* Members: calibration c of base b is b * calibrations + c. */
typedef struct gr_mixture {
    uint64_t rounds; /* that base models have at most; 0: there is no mixture */
    size_t members;
    gr_calibration *fitted;
    double *thresholds; /* members x levels: of "ordinal" */
    double *weights;    /* 0: not used */
    double rate, value; /* value: of the metric, on the validation data */
} gr_mixture;

gradus_status gr_mixture_make(const gr_mixing *mixing, uint64_t rounds, gr_mixture *mixture,
                              gradus_error *err);
void gr_mixture_free(gr_mixture *mixture);
size_t gr_mixture_used(const gr_mixture *mixture); /* members with a weight */
/* Adds the members that have a weight, each base model once, and what mixes them. */
gradus_status gr_mixture_add_nodes(const gr_mixing *mixing, const gr_mixture *mixture,
                                   gradus_model *model, gradus_error *err);
/* The same of the first rounds of base models as they are, all alike and not calibrated: for a
 * checkpoint. */
gradus_status gr_mixture_add_plain(const gr_mixing *mixing, uint64_t rounds, gradus_model *model,
                                   gradus_error *err);

#endif
