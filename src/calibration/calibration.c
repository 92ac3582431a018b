/* SPDX-License-Identifier: Apache-2.0 */
/* The table of calibrations, their options, and what all of them share. */
#include "calibration/parameters.h"

#include "base/math.h"
#include "objectives/problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const gr_calibrator *const gr_calibrators[] = {
#define GR_CALIBRATOR(name, text) &gr_calibrator_##name,
#include "calibration/calibrations.def"
#undef GR_CALIBRATOR
};

const char *const gr_calibration_names[] = {
#define GR_CALIBRATOR(name, text) text,
#include "calibration/calibrations.def"
#undef GR_CALIBRATOR
    NULL,
};

const gr_param gr_calibration_params[] = {
    GR_PARAM_CHOICE(gr_calibration_options, method, "how", "NAME", "ls", gr_calibration_names,
                    "calibration method (docs/methods/calibration.md)"),
    GR_PARAM_REAL(gr_calibration_options, entropy_power, "entropy-power", "C", 2, 0, 100,
                  "ewls: the log loss of a row is weighted by its entropy to the power C"),
    GR_PARAM_REAL(gr_calibration_options, smoothness, "smoothness", "S", 0.01, 1e-9, 1e9,
                  "sn: smoothing width; scores at distance d share ranks with weight e^(-d^2 / S)"),
    GR_PARAM_COUNT(gr_calibration_options, degree, "degree", "D", 2, 2, GR_POLYNOMIAL_MAX,
                   "degree of polynomial"),
    GR_PARAM_COUNT(gr_calibration_options, hidden, "hidden", "N", 5, 1, GR_NETWORK_MAX,
                   "network: hidden units"),
    GR_PARAM_COUNT(gr_calibration_options, points, "points", "N", 300, 2, 5000,
                   "gaussian-process: exact up to N rows; otherwise N inducing points"),
    GR_PARAM_COUNT(gr_calibration_options, seed, "calibration-seed", "N", 1, 0,
                   18446744073709551615.0, "network: seed of the initial weights"),
    GR_PARAM_END,
};

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
    status = gr_calibrators[method]->fit(task, calibration, thresholds, err);
    if (status == GRADUS_OK)
        status = gr_calibration_check(calibration, err);
    if (gr_pool_cancelled(task->asked)) /* the result of an interrupted fit does not matter */
        status = gr_pool_check(task->asked, err);
    if (status != GRADUS_OK)
        gr_calibration_free(calibration);
    return status;
}

void gr_calibration_apply(const gr_calibration *c, const double *in, size_t rows, double *out)
{
    gr_calibrators[c->method]->apply(c, in, rows, out);
}

void gr_calibration_softmax(double *logs, size_t rows, size_t columns)
{
    for (size_t r = 0; r < rows; r++) {
        double *at = logs + r, largest = -INFINITY, sum = 0.0;

        for (size_t k = 0; k < columns; k++)
            largest = fmax(largest, at[k * rows]);
        for (size_t k = 0; k < columns; k++)
            sum += at[k * rows] = gr_exp(at[k * rows] - largest);
        for (size_t k = 0; k < columns; k++)
            at[k * rows] /= sum;
    }
}

bool gr_calibration_parameter(const gr_calibration *c, size_t index, const char **name,
                              size_t *output, double *value)
{
    *output = 0;
    return gr_calibrators[c->method]->parameter(c, index, name, output, value);
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
    return gr_calibrators[c->method]->check(c)
               ? GRADUS_OK
               : gr_fail(err, GRADUS_BAD_FORMAT,
                         "the calibration '%s' has the wrong number of parameters, or invalid ones",
                         gr_calibration_names[c->method]);
}
