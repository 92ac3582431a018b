/* SPDX-License-Identifier: Apache-2.0 */
/* The calibration methods: names, options, fitting, and checks of stored parameters. */
#include "calibration/parameters.h"

#include "objectives/problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEGREE = 5 };

const char *const gr_calibration_names[] = {
    "ls",   "ewls",        "el",     "ell",        "sn",      "platt",   "isotonic",
    "beta", "temperature", "linear", "polynomial", "ordinal", "network", "gaussian-process",
    NULL
};

const gr_param gr_calibration_params[] = {
    GR_PARAM_CHOICE(gr_calibration_options, method, "how", "NAME", "ls", gr_calibration_names,
                    "calibration method (docs/methods/calibration.md)"),
    GR_PARAM_REAL(gr_calibration_options, entropy_power, "entropy-power", "C", 2, 0, 100,
                  "ewls: the log loss of a row is weighted by its entropy to the power C"),
    GR_PARAM_REAL(gr_calibration_options, smoothness, "smoothness", "S", 0.01, 1e-9, 1e9,
                  "sn: smoothing width; scores at distance d share ranks with weight e^(-d^2 / S)"),
    GR_PARAM_COUNT(gr_calibration_options, degree, "degree", "D", 2, 2, MAX_DEGREE,
                   "degree of polynomial"),
    GR_PARAM_COUNT(gr_calibration_options, hidden, "hidden", "N", 5, 1, GR_NETWORK_MAX,
                   "network: hidden units"),
    GR_PARAM_COUNT(gr_calibration_options, points, "points", "N", 300, 2, 5000,
                   "gaussian-process: exact up to N rows; otherwise N inducing points"),
    GR_PARAM_COUNT(gr_calibration_options, seed, "calibration-seed", "N", 1, 0,
                   18446744073709551615.0, "network: seed of the initial weights"),
    GR_PARAM_END,
};

bool gr_calibration_takes_probabilities(gr_calibration_method method)
{
    return method >= GR_CALIBRATE_PLATT && method <= GR_CALIBRATE_TEMPERATURE;
}

bool gr_calibration_gives_score(gr_calibration_method method)
{
    return method >= GR_CALIBRATE_LINEAR;
}

void gr_calibration_free(gr_calibration *calibration)
{
    if (calibration->own)
        free(calibration->numbers);
    *calibration = (gr_calibration){ .count = 0 };
}

gradus_status gr_calibration_numbers(gr_calibration *calibration, size_t count, gradus_error *err)
{
    calibration->numbers = gr_new_array(count, sizeof *calibration->numbers);
    calibration->count = count;
    calibration->own = true;
    return calibration->numbers ? GRADUS_OK : gr_fail_memory(err, "a calibration");
}

gradus_status gr_calibration_copy(const gr_calibration *from, gr_calibration *to, gradus_error *err)
{
    *to = *from;
    GR_TRY(gr_calibration_numbers(to, from->count, err));
    memcpy(to->numbers, from->numbers, from->count * sizeof *to->numbers);
    return GRADUS_OK;
}

gradus_status gr_calibration_fit(const gr_calibration_task *task, gr_calibration *calibration,
                                 double *thresholds, gradus_error *err)
{
    const int method = task->options->method;
    gradus_status status;

    *calibration = (gr_calibration){ .method = method, .inputs = task->inputs };
    status = method < (int)GR_CALIBRATE_PLATT ? gr_calibrate_sigmoid(task, calibration, err)
             : method < (int)GR_CALIBRATE_LINEAR
                 ? gr_calibrate_each(task, calibration, err)
                 : gr_calibrate_regression(task, calibration, thresholds, err);
    if (status == GRADUS_OK)
        status = gr_calibration_check(calibration, err);
    if (gr_pool_cancelled(task->asked)) /* the result of an interrupted fit does not matter */
        status = gr_pool_check(task->asked, err);
    if (status != GRADUS_OK)
        gr_calibration_free(calibration);
    return status;
}

/* The number of points of an output's isotonic curve. */
static double isotonic_points(const gr_calibration *c, size_t output)
{
    gr_isotonic_curve curve = gr_isotonic_curve_at(c->numbers);

    for (size_t o = 0; o < output; o++)
        curve = gr_isotonic_curve_at(curve.next);
    return (double)curve.points;
}

bool gr_calibration_parameter(const gr_calibration *c, size_t index, const char **name,
                              size_t *output, double *value)
{
    static const char *const letters[] = { "a", "b", "c" };
    const size_t each = c->method == GR_CALIBRATE_BETA ? GR_BETA_COUNT : GR_PLATT_COUNT;

    *output = 0;
    if (c->method < (int)GR_CALIBRATE_PLATT || c->method == GR_CALIBRATE_PLATT ||
        c->method == GR_CALIBRATE_BETA) {
        if (index >= c->count)
            return false;
        *name = letters[index % each];
        *output = c->method < (int)GR_CALIBRATE_PLATT ? 0 : index / each + 1;
        *value = c->numbers[index]; /* the fields of the structs in order */
        return true;
    }
    if (c->method == GR_CALIBRATE_ISOTONIC || c->method == GR_CALIBRATE_ORDINAL) {
        const bool points = c->method == GR_CALIBRATE_ISOTONIC;

        if (index >= (points ? c->outputs : c->inputs))
            return false;
        *name = points ? "points" : "coefficient";
        *output = index + 1;
        *value = points ? isotonic_points(c, index) : gr_ordinal_of(c)[index];
        return true;
    }
    *name = c->method == GR_CALIBRATE_TEMPERATURE ? "temperature"
            : c->method == GR_CALIBRATE_NETWORK   ? "units"
            : c->method == GR_CALIBRATE_PROCESS   ? "points"
                                                  : "degree";
    *value = c->method == GR_CALIBRATE_TEMPERATURE ? *gr_temperature_of(c) : *gr_regression_size(c);
    return index == 0;
}

/* Whether a stored number is an integer from 1 to most. */
static bool is_count(double number, size_t most, size_t *count)
{
    if (!(number >= 1.0 && number <= (double)most && number == floor(number)))
        return false;
    *count = (size_t)number;
    return true;
}

static bool check_isotonic(const gr_calibration *c)
{
    size_t at = 0, points;

    for (size_t o = 0; o < c->outputs; o++) {
        if (at >= c->count || !is_count(c->numbers[at], (c->count - at) / 2, &points) ||
            at + gr_isotonic_count(points) > c->count)
            return false;
        const gr_isotonic_curve curve = gr_isotonic_curve_at(c->numbers + at);

        for (size_t i = 1; i < points; i++)
            if (!(curve.x[i - 1] < curve.x[i]))
                return false;
        at += gr_isotonic_count(points);
    }
    return at == c->count;
}

/* Whether a regression has as many parameters as its size requires. */
static bool check_regression(const gr_calibration *c)
{
    const size_t inputs = c->inputs;
    size_t size, own;

    if (c->count <= gr_regression_count(inputs, 0))
        return false;
    for (size_t i = 0; i < inputs; i++)
        if (!(gr_regression_of(c).deviations[i] > 0.0))
            return false;
    if (c->method == GR_CALIBRATE_ORDINAL)
        return c->count == gr_regression_count(inputs, inputs);
    if (!is_count(*gr_regression_size(c), c->count, &size))
        return false;
    if (c->method == GR_CALIBRATE_NETWORK) {
        if (size > GR_NETWORK_MAX)
            return false;
        own = gr_network_count(inputs, size);
    } else if (c->method == GR_CALIBRATE_PROCESS) {
        own = gr_process_count(inputs, size);
    } else {
        if (size > MAX_DEGREE || gr_polynomial_terms(inputs, size) == 0)
            return false;
        own = gr_polynomial_count(gr_polynomial_terms(inputs, size));
    }
    return c->count == gr_regression_count(inputs, own);
}

static bool has_right_numbers(const gr_calibration *c)
{
    const bool square = c->inputs == c->outputs && c->inputs > 1;
    const bool from_score = c->inputs == 1 && c->outputs >= 1;

    switch (c->method) {
    case GR_CALIBRATE_PLATT:
        return (square || from_score) && c->count == GR_PLATT_COUNT * c->outputs;
    case GR_CALIBRATE_BETA:
        return square && c->count == GR_BETA_COUNT * c->outputs;
    case GR_CALIBRATE_TEMPERATURE:
        return square && c->count == GR_TEMPERATURE_COUNT && *gr_temperature_of(c) > 0.0;
    case GR_CALIBRATE_ISOTONIC:
        return (square || from_score) && check_isotonic(c);
    default:
        return c->method < (int)GR_CALIBRATE_PLATT ? square && c->count == GR_SIGMOID_COUNT
                                                   : c->outputs == 1 && check_regression(c);
    }
}

gradus_status gr_calibration_check(const gr_calibration *c, gradus_error *err)
{
    if (c->method < 0 || c->method >= GR_CALIBRATIONS || c->inputs == 0 ||
        c->inputs > GR_MAX_LEVELS || c->outputs == 0 || c->outputs > GR_MAX_LEVELS)
        return gr_fail(err, GRADUS_BAD_FORMAT,
                       "the calibration has an unknown method or no columns");
    for (size_t i = 0; i < c->count; i++)
        if (!isfinite(c->numbers[i]))
            return gr_fail(err, GRADUS_BAD_FORMAT,
                           "the parameters of the calibration are not finite");
    return has_right_numbers(c)
               ? GRADUS_OK
               : gr_fail(err, GRADUS_BAD_FORMAT,
                         "the calibration '%s' has the wrong number of parameters, or invalid ones",
                         gr_calibration_names[c->method]);
}
