/* SPDX-License-Identifier: Apache-2.0 */
/* Calibrations of rows. What numbers are is told beside the code that fits them. */
#include "calibration/calibration.h"

#include "base/math.h"
#include "objectives/problem.h"

#include <math.h>

enum { MOST_TERMS = 1000 };

static double logistic(double x)
{
    return 1.0 / (1.0 + gr_exp(-x));
}

static double within(double p)
{
    return p < 1e-12 ? 1e-12 : p > 1.0 - 1e-12 ? 1.0 - 1e-12 : p;
}

/* Straight lines between points; the ends go on as they are. */
static double interpolate(const double *x, const double *y, size_t count, double at)
{
    size_t low = 0, high = count - 1;

    if (!(at > x[0]))
        return y[0];
    if (at >= x[high])
        return y[high];
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;

        if (x[middle] <= at)
            low = middle;
        else
            high = middle;
    }
    return y[low] + (y[high] - y[low]) * ((at - x[low]) / (x[high] - x[low]));
}

/* One row of probabilities that share a factor: logs become probabilities. */
static void normalise(double *logs, size_t count)
{
    double largest = -INFINITY, sum = 0.0;

    for (size_t k = 0; k < count; k++)
        largest = fmax(largest, logs[k]);
    for (size_t k = 0; k < count; k++)
        sum += logs[k] = gr_exp(logs[k] - largest);
    for (size_t k = 0; k < count; k++)
        logs[k] /= sum;
}

static double log_sigmoid(double x)
{
    return x > 0.0 ? -gr_log(1.0 + gr_exp(-x)) : x - gr_log(1.0 + gr_exp(x));
}

/* Rows whose outputs are probabilities that add up to 1. */
static void apply_together(const gr_calibration *c, const double *in, size_t rows, double *out)
{
    double p[GR_MOST_LEVELS];

    for (size_t r = 0; r < rows; r++) {
        for (size_t k = 0; k < c->inputs; k++) {
            const double x = in[k * rows + r];

            p[k] = c->method == GR_CALIBRATE_TEMPERATURE
                       ? gr_log(within(x)) / c->numbers[0]
                       : log_sigmoid(c->numbers[0] * (x - c->numbers[1]));
        }
        normalise(p, c->inputs);
        for (size_t k = 0; k < c->inputs; k++)
            out[k * rows + r] = p[k];
    }
}

static void apply_each(const gr_calibration *c, const double *in, size_t rows, double *out)
{
    const double *numbers = c->numbers;

    for (size_t o = 0; o < c->outputs; o++) {
        const double *from = in + (c->inputs == 1 ? 0 : o) * rows;
        const size_t points = c->method == GR_CALIBRATE_ISOTONIC ? (size_t)numbers[0] : 0;

        for (size_t r = 0; r < rows; r++) {
            const double p = within(from[r]);

            if (c->method == GR_CALIBRATE_ISOTONIC)
                out[o * rows + r] = interpolate(numbers + 1, numbers + 1 + points, points, from[r]);
            else if (c->method == GR_CALIBRATE_BETA)
                out[o * rows + r] =
                    logistic(numbers[0] * gr_log(p) - numbers[1] * gr_log(1.0 - p) + numbers[2]);
            else
                out[o * rows + r] = logistic(
                    numbers[0] * (c->inputs == 1 ? from[r] : gr_log(p / (1.0 - p))) + numbers[1]);
        }
        numbers += c->method == GR_CALIBRATE_ISOTONIC ? 1 + 2 * points
                   : c->method == GR_CALIBRATE_BETA   ? 3
                                                      : 2;
    }
}

static double sum_of(const double *factors, const double *z, size_t count)
{
    double sum = 0.0;

    for (size_t i = 0; i < count; i++)
        sum += factors[i] * z[i];
    return sum;
}

static double network(const double *numbers, const double *z, size_t inputs)
{
    const size_t hidden = (size_t)numbers[0], own = inputs + 1;
    const double *outer = numbers + 1 + hidden * own;
    double value = outer[hidden];

    for (size_t h = 0; h < hidden; h++) {
        const double *unit = numbers + 1 + h * own;

        value += outer[h] * (2.0 * logistic(2.0 * (sum_of(unit, z, inputs) + unit[inputs])) - 1.0);
    }
    return value;
}

static double process(const double *numbers, const double *z, size_t inputs)
{
    const size_t points = (size_t)numbers[0];
    const double *at = numbers + 3, *factors = at + points * inputs;
    double value = numbers[2];

    for (size_t p = 0; p < points; p++) {
        double squares = 0.0;

        for (size_t i = 0; i < inputs; i++)
            squares += (z[i] - at[p * inputs + i]) * (z[i] - at[p * inputs + i]);
        value += factors[p] * gr_exp(-numbers[1] * squares);
    }
    return value;
}

static void apply_regression(const gr_calibration *c, const double *in, size_t rows, double *out)
{
    const size_t inputs = c->inputs;
    const double *own = c->numbers + 2 * inputs;
    double z[GR_MOST_LEVELS], terms[MOST_TERMS];

    for (size_t r = 0; r < rows; r++) {
        for (size_t i = 0; i < inputs; i++)
            z[i] = (in[i * rows + r] - c->numbers[i]) / c->numbers[inputs + i];
        if (c->method == GR_CALIBRATE_ORDINAL) {
            out[r] = sum_of(own, z, inputs);
        } else if (c->method == GR_CALIBRATE_NETWORK) {
            out[r] = network(own, z, inputs);
        } else if (c->method == GR_CALIBRATE_PROCESS) {
            out[r] = process(own, z, inputs);
        } else {
            gr_polynomial_row(z, inputs, (size_t)own[0], terms);
            out[r] = sum_of(own + 1, terms, c->count - 2 * inputs - 1);
        }
    }
}

void gr_calibration_apply(const gr_calibration *c, const double *in, size_t rows, double *out)
{
    if (gr_calibration_gives_score((gr_calibration_method)c->method))
        apply_regression(c, in, rows, out);
    else if (c->method < GR_CALIBRATE_PLATT || c->method == GR_CALIBRATE_TEMPERATURE)
        apply_together(c, in, rows, out);
    else
        apply_each(c, in, rows, out);
}
