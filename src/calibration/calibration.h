/* SPDX-License-Identifier: Apache-2.0 */
/* Calibrations: functions of a model's outputs, fitted on rows it was not trained on.
 *
 *   ls ewls el ell sn    p_k = s(f_k) / sum of s, s(x) = 1 / (1 + e^(-a (x - b))); a and b minimise
 *                        a loss over all rows (Busa-Fekete, Kegl, Elteto and Szarvas, 2012)
 *   platt                logistic of a x + b (Platt, 2000); x is the logit of each probability; or
 *                        the score, with one function per grade but the lowest: P(grade or higher)
 *   isotonic             the best non-decreasing function, by pooling adjacent violators
 *   beta                 logistic of a log p - b log(1 - p) + c, a and b not negative (Kull, Silva
 *                        Filho and Flach, 2017)
 *   temperature          p_k^(1/T), normalised (Guo, Pleiss, Sun and Weinberger, 2017)
 *   linear polynomial    the gain as a polynomial of the outputs
 *   ordinal              proportional odds: a linear function of the outputs, and thresholds
 *   network              the gain predicted by a net with one hidden layer
 *   gaussian-process     the gain predicted by a Gaussian process
 */
#ifndef GR_CALIBRATION_CALIBRATION_H
#define GR_CALIBRATION_CALIBRATION_H

#include "base/error.h"
#include "base/memory.h"
#include "base/param.h"
#include "base/pool.h"

#include <stdint.h>

typedef enum gr_calibration_method {
    GR_CALIBRATE_LS,
    GR_CALIBRATE_EWLS,
    GR_CALIBRATE_EL,
    GR_CALIBRATE_ELL,
    GR_CALIBRATE_SN,
    GR_CALIBRATE_PLATT,
    GR_CALIBRATE_ISOTONIC,
    GR_CALIBRATE_BETA,
    GR_CALIBRATE_TEMPERATURE,
    GR_CALIBRATE_LINEAR,
    GR_CALIBRATE_POLYNOMIAL,
    GR_CALIBRATE_ORDINAL,
    GR_CALIBRATE_NETWORK,
    GR_CALIBRATE_PROCESS,
    GR_CALIBRATIONS
} gr_calibration_method;

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

/* Input: grade probabilities (one column per level), or else the model's raw outputs. Output: a
 * score, or else probabilities (one column per level; for platt and isotonic on a score, P(grade or
 * higher) of all levels but the lowest). */
bool gr_calibration_takes_probabilities(gr_calibration_method method);
bool gr_calibration_gives_score(gr_calibration_method method);

/* thresholds: levels - 1 of them; only "ordinal" fills them. */
gradus_status gr_calibration_fit(const gr_calibration_task *task, gr_calibration *calibration,
                                 double *thresholds, gradus_error *err);

/* apply.c */
/* in: inputs x rows; out: outputs x rows. */
void gr_calibration_apply(const gr_calibration *calibration, const double *in, size_t rows,
                          double *out);

/* calibration.c */
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

/* calibration_sigmoid.c */
gradus_status gr_calibrate_sigmoid(const gr_calibration_task *task, gr_calibration *calibration,
                                   gradus_error *err);

/* each_output.c */
gradus_status gr_calibrate_each(const gr_calibration_task *task, gr_calibration *calibration,
                                gradus_error *err);

/* regression.c */
gradus_status gr_calibrate_regression(const gr_calibration_task *task, gr_calibration *calibration,
                                      double *thresholds, gradus_error *err);

/* calibration.c */
/* Allocates the parameters, all 0. */
gradus_status gr_calibration_numbers(gr_calibration *calibration, size_t count, gradus_error *err);

/* regression.c */
/* Number of terms of a polynomial, the constant included; 0: too many. */
size_t gr_polynomial_terms(size_t inputs, size_t degree);
/* Fills the terms for inputs z, by ascending degree; the constant is first. */
void gr_polynomial_row(const double *z, size_t inputs, size_t degree, double *terms);

#endif
