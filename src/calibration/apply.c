/* SPDX-License-Identifier: Apache-2.0 */
/* Applies fitted calibrations to rows. */
#include "calibration/parameters.h"

#include "base/bisect.h"
#include "base/math.h"
#include "objectives/problem.h"

#include <math.h>

enum { MAX_TERMS = 1000 };

static double within(double p)
{
    return p < 1e-12 ? 1e-12 : p > 1.0 - 1e-12 ? 1.0 - 1e-12 : p;
}

/* Linear between points, constant beyond the first and the last. */
static double interpolate(const gr_isotonic_curve *curve, double at)
{
    const double *x = curve->x, *y = curve->y;
    const size_t last = curve->points - 1;

    if (!(at > x[0]))
        return y[0];
    if (at >= x[last])
        return y[last];
    const size_t high = GR_BISECT(1, last, i, x[i] <= at), low = high - 1;

    return y[low] + (y[high] - y[low]) * ((at - x[low]) / (x[high] - x[low]));
}

/* Softmax in place: logs become probabilities. */
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

/* ls to sn and temperature: one function for all grades, normalised per row. */
static void apply_together(const gr_calibration *c, const double *in, size_t rows, double *out)
{
    double p[GR_MAX_LEVELS];

    for (size_t r = 0; r < rows; r++) {
        for (size_t k = 0; k < c->inputs; k++) {
            const double x = in[k * rows + r];

            if (c->method == GR_CALIBRATE_TEMPERATURE) {
                p[k] = gr_log(within(x)) / *gr_temperature_of(c);
            } else {
                const gr_sigmoid_parameters *sigmoid = gr_sigmoid_of(c);

                p[k] = log_sigmoid(sigmoid->slope * (x - sigmoid->midpoint));
            }
        }
        normalise(p, c->inputs);
        for (size_t k = 0; k < c->inputs; k++)
            out[k * rows + r] = p[k];
    }
}

static void apply_isotonic(const gr_isotonic_curve *curve, const double *x, size_t rows,
                           double *out)
{
    for (size_t r = 0; r < rows; r++)
        out[r] = interpolate(curve, x[r]);
}

static void apply_beta(const gr_beta_parameters *beta, const double *x, size_t rows, double *out)
{
    for (size_t r = 0; r < rows; r++) {
        const double p = within(x[r]);

        out[r] = gr_logistic(beta->a * gr_log(p) - beta->b * gr_log(1.0 - p) + beta->c);
    }
}

/* x: scores, or probabilities of which the logit is taken. */
static void apply_platt(const gr_platt_parameters *platt, bool scores, const double *x, size_t rows,
                        double *out)
{
    for (size_t r = 0; r < rows; r++) {
        const double p = within(x[r]);

        out[r] =
            gr_logistic(platt->slope * (scores ? x[r] : gr_log(p / (1.0 - p))) + platt->intercept);
    }
}

/* platt, isotonic and beta: one function per output. */
static void apply_each(const gr_calibration *c, const double *in, size_t rows, double *out)
{
    double *at = c->numbers;

    for (size_t o = 0; o < c->outputs; o++) {
        const double *from = in + (c->inputs == 1 ? 0 : o) * rows;

        if (c->method == GR_CALIBRATE_ISOTONIC) {
            const gr_isotonic_curve curve = gr_isotonic_curve_at(at);

            apply_isotonic(&curve, from, rows, out + o * rows);
            at = curve.next;
        } else if (c->method == GR_CALIBRATE_BETA) {
            apply_beta(gr_beta_of(c) + o, from, rows, out + o * rows);
        } else {
            apply_platt(gr_platt_of(c) + o, c->inputs == 1, from, rows, out + o * rows);
        }
    }
}

static double network(const gr_calibration *c, const double *z)
{
    const gr_network_parameters net = gr_network_of(c);
    const gr_network_layout layout = gr_network_layout_of(c->inputs, net.units);
    double value = net.weights[layout.bias];

    for (size_t h = 0; h < net.units; h++) {
        const double *unit = net.weights + h * layout.unit, bias = unit[c->inputs];

        value += net.weights[layout.output + h] *
                 (2.0 * gr_logistic(2.0 * (gr_inner_product(unit, z, c->inputs) + bias)) - 1.0);
    }
    return value;
}

static double process(const gr_calibration *c, const double *z)
{
    const gr_process_parameters process = gr_process_of(c);
    double value = process.head->mean;

    for (size_t p = 0; p < process.count; p++) {
        const double *point = process.points + p * c->inputs;
        double squares = 0.0;

        for (size_t i = 0; i < c->inputs; i++)
            squares += (z[i] - point[i]) * (z[i] - point[i]);
        value += process.weights[p] * gr_exp(-process.head->rate * squares);
    }
    return value;
}

static double polynomial(const gr_calibration *c, const double *z)
{
    const gr_polynomial_parameters polynomial = gr_polynomial_of(c);
    double terms[MAX_TERMS];

    gr_polynomial_row(z, c->inputs, polynomial.degree, terms);
    return gr_inner_product(polynomial.coefficients, terms, polynomial.terms);
}

static void apply_regression(const gr_calibration *c, const double *in, size_t rows, double *out)
{
    const gr_regression_parameters all = gr_regression_of(c);
    double z[GR_MAX_LEVELS];

    for (size_t r = 0; r < rows; r++) {
        for (size_t i = 0; i < c->inputs; i++)
            z[i] = (in[i * rows + r] - all.means[i]) / all.deviations[i];
        if (c->method == GR_CALIBRATE_ORDINAL)
            out[r] = gr_inner_product(gr_ordinal_of(c), z, c->inputs);
        else if (c->method == GR_CALIBRATE_NETWORK)
            out[r] = network(c, z);
        else if (c->method == GR_CALIBRATE_PROCESS)
            out[r] = process(c, z);
        else
            out[r] = polynomial(c, z);
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
