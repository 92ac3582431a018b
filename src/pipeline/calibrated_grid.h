/* SPDX-License-Identifier: Apache-2.0 */
/* The options of the calibrated ensemble: the base models and calibrations to combine. */
#ifndef GR_PIPELINE_CALIBRATED_GRID_H
#define GR_PIPELINE_CALIBRATED_GRID_H

#include "base/grid.h"
#include "base/param.h"
#include "calibration/calibration.h"

typedef struct gr_calibrated_options {
    const char *calibrations; /* "cpc+rbc", or names */
    const char *leaves, *terms, *rounds, *rates;
    double share; /* fraction of the queries used for calibration */
} gr_calibrated_options;

extern const gr_param gr_calibrated_params[];
extern const gr_option_block gr_calibrated_option_block;

/* Kind and size of a base model. */
typedef struct gr_base_size {
    bool product;  /* product of decision stumps; else a tree */
    uint64_t size; /* terms or leaves */
} gr_base_size;

enum { GR_GRID_CALIBRATIONS = 32 };

/* The options, parsed. */
typedef struct gr_calibrated_grid {
    size_t bases, calibrations, stops, rates;
    gr_base_size base[2 * GR_GRID_VALUES];
    gr_calibration_options calibration[GR_GRID_CALIBRATIONS];
    bool probabilities;          /* all calibrations give probabilities, so the ensemble does too */
    double stop[GR_GRID_VALUES]; /* rounds after which the ensemble is built, ascending */
    double rate[GR_GRID_VALUES];
} gr_calibrated_grid;

gradus_status gr_calibrated_parse(const gr_calibrated_options *options, gr_calibrated_grid *grid,
                                  gradus_error *err);
/* "trees of 30 leaves", "products of 4 terms" */
void gr_base_describe(const gr_base_size *base, char *text, size_t size);

#endif
