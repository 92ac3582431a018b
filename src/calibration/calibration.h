/* SPDX-License-Identifier: Apache-2.0 */
/* Functions from the outputs of a model to better ones, fitted on rows that it was not trained on.
 *
 *   ls ewls el ell sn    p_k = s(f_k) / sum of s, s(x) = 1 / (1 + e^(-a (x - b))): a and b minimise
 * a target over all rows (Busa-Fekete, Kegl, Elteto and Szarvas, 2012) platt logistic of a x + b
 * (Platt, 2000): x the logit of each probability, or the score; then one for each grade but the
 * lowest, P(grade or higher) isotonic             the best function that does not fall: pooled
 * adjacent violators beta                 logistic of a log p - b log(1 - p) + c, a and b not
 * negative (Kull, Silva Filho and Flach, 2017) temperature          p_k^(1/T), divided by their sum
 * (Guo, Pleiss, Sun and Weinberger, 2017) linear polynomial    the gain as a polynomial of the
 * outputs ordinal              proportional odds: a linear function of the outputs, and thresholds
 *   network              the gain by a net of one hidden layer
 *   gaussian-process     the gain by a Gaussian process
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

extern const char *const gr_calibration_names[]; /* NULL ends it */

/* Columns of numbers in, columns out. What the numbers are is told beside each method's code. */
typedef struct gr_calibration {
    int method;
    size_t inputs, outputs;
    size_t count;
    double *numbers;
    bool own; /* the numbers are ours to free */
} gr_calibration;

typedef struct gr_calibration_options {
    int method;
    double entropy_power; /* C of ewls */
    double smoothness;    /* sigma of sn */
    uint64_t degree;      /* of polynomial */
    uint64_t hidden;      /* units of network */
    uint64_t points;      /* rows of gaussian-process at most; more are thinned */
    uint64_t seed;
} gr_calibration_options;

extern const gr_param gr_calibration_params[];

/* What is fitted to. */
typedef struct gr_calibration_task {
    const gr_calibration_options *options;
    size_t rows, inputs;
    const double *x; /* inputs x rows: outputs, probabilities, or a score */
    size_t levels;
    const double *level_labels;
    const uint8_t *level_of; /* of each row */
    const double *weights;   /* NULL: all 1 */
    size_t queries;
    const uint64_t *query_starts;
    gr_pool *asked; /* whether to stop */
    void *room;     /* of ls to sn while they are fitted; NULL: its own, each time */
} gr_calibration_task;

/* Whether the method takes probabilities of grades (one column a level), else what the model puts
 * out; whether it gives a score, else probabilities (one column a level), or, of platt and isotonic
 * on a score, P(grade or higher) of all levels but the lowest. */
bool gr_calibration_takes_probabilities(gr_calibration_method method);
bool gr_calibration_gives_score(gr_calibration_method method);

/* thresholds: levels - 1, filled by "ordinal" only. */
gradus_status gr_calibration_fit(const gr_calibration_task *task, gr_calibration *calibration,
                                 double *thresholds, gradus_error *err);
/* in: inputs x rows; out: outputs x rows. scratch: gr_calibration_scratch doubles. */
void gr_calibration_apply(const gr_calibration *calibration, const double *in, size_t rows,
                          double *out);
/* Fitted parameters for people to read, one after the other: numbers where there are few, sizes
 * else. output: the column that it is of, from 1; 0: all. False past the last. */
bool gr_calibration_parameter(const gr_calibration *calibration, size_t index, const char **name,
                              size_t *output, double *value);
/* What a file says is not to be believed. */
gradus_status gr_calibration_check(const gr_calibration *calibration, gradus_error *err);
void gr_calibration_free(gr_calibration *calibration);
/* With numbers of its own. */
gradus_status gr_calibration_copy(const gr_calibration *from, gr_calibration *to,
                                  gradus_error *err);

/* ---- Parts ---- */

/* Minimises f of n numbers from x by the simplex of Nelder and Mead (1965); the least value found,
 * x its place. steps: first lengths; width: how near corners come to each other, relative to where
 * they are, before it ends. */
enum { GR_SIMPLEX_MOST = 4 };
double gr_minimise(double (*f)(const void *task, const double *x), const void *task, double *x,
                   const double *steps, size_t n, size_t most, double width);
/* The value of a target of a and b, x = (log a, b). */
double gr_target_value(const void *task, const double *x);
/* Weighted isotonic regression of y on x, rows in the order of x; ties of x are one. points: room
 * for 2 * rows; returns how many points (x, then y of each) the function has. */
size_t gr_isotonic(const double *x, const double *y, const double *weights, size_t rows,
                   double *points_x, double *points_y);
/* Logistic regression of targets in [0, 1] on n columns and a constant, by Newton's method; beta:
 * n + 1 numbers, the constant last. */
enum { GR_LOGISTIC_MOST = 2 };
gradus_status gr_logistic_fit(const double *const *columns, size_t n, const double *targets,
                              const double *weights, size_t rows, gr_pool *asked, double *beta,
                              gradus_error *err);

gradus_status gr_calibrate_sigmoid(const gr_calibration_task *task, gr_calibration *calibration,
                                   gradus_error *err);
gradus_status gr_calibrate_each(const gr_calibration_task *task, gr_calibration *calibration,
                                gradus_error *err);
gradus_status gr_calibrate_regression(const gr_calibration_task *task, gr_calibration *calibration,
                                      double *thresholds, gradus_error *err);
gradus_status gr_calibration_numbers(gr_calibration *calibration, size_t count, gradus_error *err);
/* Terms of a polynomial of so many inputs, the constant among them; 0: too many. */
size_t gr_polynomial_terms(size_t inputs, size_t degree);
void gr_polynomial_row(const double *z, size_t inputs, size_t degree, double *terms);

#endif
