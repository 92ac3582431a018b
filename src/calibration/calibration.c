/* SPDX-License-Identifier: Apache-2.0 */
#include "calibration/calibration.h"

#include "objectives/problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const gr_calibration_names[] = {
    "ls",   "ewls",        "el",     "ell",        "sn",      "platt",   "isotonic",
    "beta", "temperature", "linear", "polynomial", "ordinal", "network", "gaussian-process",
    NULL
};

const gr_param gr_calibration_params[] = {
    GR_PARAM_CHOICE(gr_calibration_options, method, "how", "NAME", "ls", gr_calibration_names,
                    "what is fitted to the outputs (docs/methods/calibration.md)"),
    GR_PARAM_REAL(gr_calibration_options, entropy_power, "entropy-power", "C", 2, 0, 100,
                  "of ewls: the log loss of a row is multiplied by its entropy to this power"),
    GR_PARAM_REAL(gr_calibration_options, smoothness, "smoothness", "S", 0.01, 1e-9, 1e9,
                  "of sn: how far apart two scores may be and still share a place"),
    GR_PARAM_COUNT(gr_calibration_options, degree, "degree", "D", 2, 2, 5, "of polynomial"),
    GR_PARAM_COUNT(gr_calibration_options, hidden, "hidden", "N", 5, 1, 64,
                   "of network: units of the hidden layer"),
    GR_PARAM_COUNT(gr_calibration_options, points, "points", "N", 300, 2, 5000,
                   "of gaussian-process: exact up to so many rows; of more, so many stand for all"),
    GR_PARAM_COUNT(gr_calibration_options, seed, "calibration-seed", "N", 1, 0,
                   18446744073709551615.0, "of network: seed of its first factors"),
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
    if (gr_pool_cancelled(task->asked)) /* whatever came of a fit that returned early */
        status = gr_pool_check(task->asked, err);
    if (status != GRADUS_OK)
        gr_calibration_free(calibration);
    return status;
}

/* How many points the isotonic function of an output has. */
static double isotonic_points(const gr_calibration *c, size_t output)
{
    size_t at = 0;

    for (size_t o = 0; o < output; o++)
        at += 1 + 2 * (size_t)c->numbers[at];
    return c->numbers[at];
}

bool gr_calibration_parameter(const gr_calibration *c, size_t index, const char **name,
                              size_t *output, double *value)
{
    static const char *const letters[] = { "a", "b", "c" };
    const size_t each = c->method == GR_CALIBRATE_BETA ? 3 : 2;

    *output = 0;
    if (c->method < (int)GR_CALIBRATE_PLATT || c->method == GR_CALIBRATE_PLATT ||
        c->method == GR_CALIBRATE_BETA) {
        if (index >= c->count)
            return false;
        *name = letters[index % each];
        *output = c->method < (int)GR_CALIBRATE_PLATT ? 0 : index / each + 1;
        *value = c->numbers[index];
        return true;
    }
    if (c->method == GR_CALIBRATE_ISOTONIC || c->method == GR_CALIBRATE_ORDINAL) {
        const bool points = c->method == GR_CALIBRATE_ISOTONIC;

        if (index >= (points ? c->outputs : c->inputs))
            return false;
        *name = points ? "points" : "coefficient";
        *output = index + 1;
        *value = points ? isotonic_points(c, index) : c->numbers[2 * c->inputs + index];
        return true;
    }
    *name = c->method == GR_CALIBRATE_TEMPERATURE ? "temperature"
            : c->method == GR_CALIBRATE_NETWORK   ? "units"
            : c->method == GR_CALIBRATE_PROCESS   ? "points"
                                                  : "degree";
    *value = c->numbers[c->method == GR_CALIBRATE_TEMPERATURE ? 0 : 2 * c->inputs];
    return index == 0;
}

/* Whether a number is a count from 1 to most. */
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
            at + 1 + 2 * points > c->count)
            return false;
        for (size_t i = 1; i < points; i++)
            if (!(c->numbers[at + i] < c->numbers[at + 1 + i]))
                return false;
        at += 1 + 2 * points;
    }
    return at == c->count;
}

/* Numbers that a method of regression must have. */
static bool check_regression(const gr_calibration *c)
{
    const size_t inputs = c->inputs, at = 2 * inputs;
    size_t count;

    for (size_t i = inputs; i < at && i < c->count; i++)
        if (!(c->numbers[i] > 0.0))
            return false;
    if (c->method == GR_CALIBRATE_ORDINAL)
        return c->count == 3 * inputs;
    if (c->count <= at || !is_count(c->numbers[at], c->count, &count))
        return false;
    if (c->method == GR_CALIBRATE_NETWORK)
        return count <= 64 && c->count == at + 1 + count * (inputs + 1) + count + 1;
    if (c->method == GR_CALIBRATE_PROCESS)
        return c->count == at + 3 + count * (inputs + 1);
    return count <= 5 && gr_polynomial_terms(inputs, count) > 0 &&
           c->count == at + 1 + gr_polynomial_terms(inputs, count);
}

static bool has_right_numbers(const gr_calibration *c)
{
    const bool square = c->inputs == c->outputs && c->inputs > 1;
    const bool from_score = c->inputs == 1 && c->outputs >= 1;

    switch (c->method) {
    case GR_CALIBRATE_PLATT:
        return (square || from_score) && c->count == 2 * c->outputs;
    case GR_CALIBRATE_BETA:
        return square && c->count == 3 * c->outputs;
    case GR_CALIBRATE_TEMPERATURE:
        return square && c->count == 1 && c->numbers[0] > 0.0;
    case GR_CALIBRATE_ISOTONIC:
        return (square || from_score) && check_isotonic(c);
    default:
        return c->method < (int)GR_CALIBRATE_PLATT ? square && c->count == 2
                                                   : c->outputs == 1 && check_regression(c);
    }
}

gradus_status gr_calibration_check(const gr_calibration *c, gradus_error *err)
{
    if (c->method < 0 || c->method >= GR_CALIBRATIONS || c->inputs == 0 ||
        c->inputs > GR_MOST_LEVELS || c->outputs == 0 || c->outputs > GR_MOST_LEVELS)
        return gr_fail(err, GRADUS_BAD_FORMAT, "a calibration of no kind or no columns");
    for (size_t i = 0; i < c->count; i++)
        if (!isfinite(c->numbers[i]))
            return gr_fail(err, GRADUS_BAD_FORMAT, "a calibration is not finite");
    return has_right_numbers(c) ? GRADUS_OK
                                : gr_fail(err, GRADUS_BAD_FORMAT,
                                          "a calibration '%s' has other numbers than it needs",
                                          gr_calibration_names[c->method]);
}
