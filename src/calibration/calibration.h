/* SPDX-License-Identifier: Apache-2.0 */
/* Calibrations: functions of a model's outputs, fitted on rows it was not trained on. Each is a
 * gr_calibrator, defined beside its fit, and a row in calibrations.def. */
#ifndef GR_CALIBRATION_CALIBRATION_H
#define GR_CALIBRATION_CALIBRATION_H

#include "base/error.h"
#include "base/memory.h"
#include "base/param.h"
#include "base/pool.h"
#include "base/table.h"

#include <stdint.h>

/* Methods, in the order of the table. */
enum {
#define GR_CALIBRATOR(name, text) GR_CALIBRATION_IS_##name,
#include "calibration/calibrations.def"
#undef GR_CALIBRATOR
    GR_CALIBRATIONS
};

extern const char *const gr_calibration_names[]; /* NULL-terminated */

/* A fitted function from input columns to output columns. calibration/parameters.h names the
 * parameters in `numbers`. */
typedef struct gr_calibration {
    int method;
    size_t inputs, outputs;
    size_t count;
    double *numbers;
    bool own; /* numbers are freed with the calibration; else they are in a mapped file */
} gr_calibration;

typedef struct gr_calibration_options {
    int method;
    double entropy_power; /* C of ewls */
    double smoothness;    /* sigma of sn */
    uint64_t degree;      /* of polynomial */
    uint64_t hidden;      /* units of network */
    uint64_t points;      /* maximum inducing points of gaussian-process */
    uint64_t seed;
} gr_calibration_options;

extern const gr_param gr_calibration_params[];

/* The rows that a calibration is fitted to. */
typedef struct gr_calibration_task {
    const gr_calibration_options *options;
    size_t rows, inputs;
    const double *x; /* inputs x rows: outputs, probabilities, or a score */
    size_t levels;
    const double *level_labels;
    const uint8_t *level_of; /* one per row */
    const double *weights;   /* NULL: all 1 */
    size_t queries;
    const uint64_t *query_starts;
    gr_pool *asked; /* polled for cancellation */
    void *room;     /* buffers of gr_target_value; NULL: allocated by each call */
} gr_calibration_task;

typedef enum gr_calibrated_meaning {
    GR_CALIBRATED_PROBABILITIES, /* one per grade; from a score, P(grade or higher) of all grades but
                                    the lowest */
    GR_CALIBRATED_SCORE,
    GR_CALIBRATED_ODDS, /* one output, with thresholds: proportional odds */
} gr_calibrated_meaning;

/* A calibration method. */
typedef struct gr_calibrator {
    gr_about about;
    bool takes_probabilities; /* of grades, one input each; else the model's raw outputs */
    bool needs_grades;        /* one input per grade: does not calibrate a score */
    gr_calibrated_meaning gives;
    const char *group;   /* of the paper, for method calibrated: "cpc" or "rbc"; NULL: neither */
    const void *variant; /* of the functions below, where methods share them */
    /* Sets outputs and allocates and fills the numbers; method and inputs are set. thresholds:
     * levels - 1 of them, only for odds. */
    gradus_status (*fit)(const gr_calibration_task *task, gr_calibration *made, double *thresholds,
                         gradus_error *err);
    void (*apply)(const gr_calibration *calibration, const double *in, size_t rows, double *out);
    /* Whether the columns and numbers are possible; all numbers are finite. */
    bool (*check)(const gr_calibration *calibration);
    /* gr_calibration_parameter; *output is 0. */
    bool (*parameter)(const gr_calibration *calibration, size_t index, const char **name,
                      size_t *output, double *value);
} gr_calibrator;

#define GR_CALIBRATOR(name, text) extern const gr_calibrator gr_calibrator_##name;
#include "calibration/calibrations.def"
#undef GR_CALIBRATOR

extern const gr_calibrator *const gr_calibrators[]; /* one per method */

/* calibration.c */
/* thresholds: levels - 1 of them; only methods that give odds fill them. */
gradus_status gr_calibration_fit(const gr_calibration_task *task, gr_calibration *calibration,
                                 double *thresholds, gradus_error *err);

/* in: inputs x rows; out: outputs x rows. */
void gr_calibration_apply(const gr_calibration *calibration, const double *in, size_t rows,
                          double *out);
/* Fitted parameters for display: the values if there are few, otherwise only counts. output: the
 * output column it belongs to, from 1; 0: all. False past the last one. */
bool gr_calibration_parameter(const gr_calibration *calibration, size_t index, const char **name,
                              size_t *output, double *value);
/* Checks parameters that were read from a file. */
gradus_status gr_calibration_check(const gr_calibration *calibration, gradus_error *err);
void gr_calibration_free(gr_calibration *calibration);
/* A copy that owns its numbers. */
gradus_status gr_calibration_copy(const gr_calibration *from, gr_calibration *to,
                                  gradus_error *err);

/* ---- Internal to src/calibration ---- */

/* minimise.c */
/* Minimises f, a function of n variables, from x by the simplex method (Nelder and Mead, 1965), in
 * at most `most` steps. Returns the minimum found and moves x there. steps: initial edge lengths;
 * width: relative size of the simplex at which to stop. */
enum { GR_SIMPLEX_MAX = 4 };
double gr_minimise(double (*f)(const void *task, const double *x), const void *task, double *x,
                   const double *steps, size_t n, size_t most, double width);

/* calibration_sigmoid.c */
/* The loss of ls to sn at x = (log a, b). task: a gr_calibration_task. */
double gr_target_value(const void *task, const double *x);

/* isotonic.c */
/* Weighted isotonic regression of y on x; rows are sorted by x, and rows with equal x are pooled.
 * points_x, points_y: space for 2 * rows each. Returns the number of points; 0: out of memory. */
size_t gr_isotonic(const double *x, const double *y, const double *weights, size_t rows,
                   double *points_x, double *points_y);

/* calibration_logistic.c */
/* Logistic regression of targets in [0, 1] on n columns and an intercept, by Newton's method. beta:
 * n + 1 coefficients, the intercept last. */
enum { GR_LOGISTIC_MAX = 2 };
gradus_status gr_logistic_fit(const double *const *columns, size_t n, const double *targets,
                              const double *weights, size_t rows, gr_pool *asked, double *beta,
                              gradus_error *err);

/* calibration.c */
/* Allocates the parameters, all 0. */
gradus_status gr_calibration_numbers(gr_calibration *calibration, size_t count, gradus_error *err);
/* The softmax of each row, in place; logs: columns x rows. */
void gr_calibration_softmax(double *logs, size_t rows, size_t columns);

/* regression.c */
/* Number of terms of a polynomial, the constant included; 0: too many. */
size_t gr_polynomial_terms(size_t inputs, size_t degree);
/* Fills the terms for inputs z, by ascending degree; the constant is first. */
void gr_polynomial_row(const double *z, size_t inputs, size_t degree, double *terms);

#endif
