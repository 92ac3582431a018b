/* SPDX-License-Identifier: Apache-2.0 */
/* Names for the parameters of a calibration. They are stored, in memory and in model files, as one
 * array of doubles (`gr_calibration.numbers`). The structs made of doubles have the layout of that
 * array or of a part of it; the others point into it. Counts are stored as doubles too. */
#ifndef GR_CALIBRATION_PARAMETERS_H
#define GR_CALIBRATION_PARAMETERS_H

#include "calibration/calibration.h"

/* ls to sn: s(x) = logistic(slope * (x - midpoint)), the same for all grades. */
typedef struct gr_sigmoid_parameters {
    double slope, midpoint;
} gr_sigmoid_parameters;

/* platt, one per output: logistic(slope * x + intercept). */
typedef struct gr_platt_parameters {
    double slope, intercept;
} gr_platt_parameters;

/* beta, one per output: logistic(a log p - b log(1 - p) + c). */
typedef struct gr_beta_parameters {
    double a, b, c;
} gr_beta_parameters;

enum {
    GR_SIGMOID_COUNT = sizeof(gr_sigmoid_parameters) / sizeof(double),
    GR_PLATT_COUNT = sizeof(gr_platt_parameters) / sizeof(double),
    GR_BETA_COUNT = sizeof(gr_beta_parameters) / sizeof(double),
    GR_TEMPERATURE_COUNT = 1
};

_Static_assert(GR_SIGMOID_COUNT == 2 && GR_PLATT_COUNT == 2 && GR_BETA_COUNT == 3,
               "the structs have the layout of model files");

/* Whether a stored number is an integer from 1 to most. */
bool gr_stored_count(double number, size_t most, size_t *count);

gr_sigmoid_parameters *gr_sigmoid_of(const gr_calibration *calibration);
gr_platt_parameters *gr_platt_of(const gr_calibration *calibration); /* outputs of them */
gr_beta_parameters *gr_beta_of(const gr_calibration *calibration);   /* outputs of them */
double *gr_temperature_of(const gr_calibration *calibration);

/* isotonic: the curve of one output. Stored as the number of points, all x, all y. */
typedef struct gr_isotonic_curve {
    size_t points;
    double *x, *y;
    double *next; /* the curve of the next output */
} gr_isotonic_curve;

size_t gr_isotonic_count(size_t points);
gr_isotonic_curve gr_isotonic_curve_at(double *numbers);

/* linear to gaussian-process: the mean and deviation of each input, then the method's own. */
typedef struct gr_regression_parameters {
    double *means, *deviations; /* one per input */
    double *own;
} gr_regression_parameters;

size_t gr_regression_count(size_t inputs, size_t own);
gr_regression_parameters gr_regression_of(const gr_calibration *calibration);
/* The first of a method's own parameters is, except of ordinal, its size: the degree, the number of
 * units or of points. The functions below read it, so a fit sets it first. */
double *gr_regression_size(const gr_calibration *calibration);

/* ordinal: one coefficient per input. */
double *gr_ordinal_of(const gr_calibration *calibration);

/* linear and polynomial: the degree, then the coefficients in the order of gr_polynomial_row. */
typedef struct gr_polynomial_parameters {
    size_t degree, terms;
    double *coefficients; /* one per term */
} gr_polynomial_parameters;

enum { GR_POLYNOMIAL_MAX = 5 }; /* degree */

size_t gr_polynomial_count(size_t terms); /* own parameters */
gr_polynomial_parameters gr_polynomial_of(const gr_calibration *calibration);

/* network: the number of units, then the weights. Indices into the weights: */
typedef struct gr_network_layout {
    size_t unit;   /* weights of a hidden unit: one per input, then its bias */
    size_t output; /* the first output weight; one per unit */
    size_t bias;   /* of the output */
    size_t count;
} gr_network_layout;

typedef struct gr_network_parameters {
    size_t units;
    double *weights;
} gr_network_parameters;

enum { GR_NETWORK_MAX = 64 }; /* units */

size_t gr_network_count(size_t inputs, size_t units); /* own parameters */
gr_network_layout gr_network_layout_of(size_t inputs, size_t units);
gr_network_parameters gr_network_of(const gr_calibration *calibration);

/* gaussian-process: mean + sum over points of weight * e^(-rate * squared distance). Stored as the
 * head, the points, the weights. */
typedef struct gr_process_head {
    double points;
    double rate; /* 1 / (2 length^2) */
    double mean;
} gr_process_head;

typedef struct gr_process_parameters {
    gr_process_head *head;
    size_t count;
    double *points;  /* count x inputs */
    double *weights; /* one per point */
} gr_process_parameters;

size_t gr_process_count(size_t inputs, size_t points); /* own parameters */
gr_process_parameters gr_process_of(const gr_calibration *calibration);

#endif
