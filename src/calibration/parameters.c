/* SPDX-License-Identifier: Apache-2.0 */
/* Where each named parameter of a calibration is in the array that stores them. */
#include "calibration/parameters.h"

#include <math.h>

bool gr_stored_count(double number, size_t most, size_t *count)
{
    if (!(number >= 1.0 && number <= (double)most && number == floor(number)))
        return false;
    *count = (size_t)number;
    return true;
}

gr_sigmoid_parameters *gr_sigmoid_of(const gr_calibration *c)
{
    return (gr_sigmoid_parameters *)c->numbers;
}

gr_platt_parameters *gr_platt_of(const gr_calibration *c)
{
    return (gr_platt_parameters *)c->numbers;
}

gr_beta_parameters *gr_beta_of(const gr_calibration *c)
{
    return (gr_beta_parameters *)c->numbers;
}

double *gr_temperature_of(const gr_calibration *c)
{
    return c->numbers;
}

size_t gr_isotonic_count(size_t points)
{
    return 1 + 2 * points;
}

gr_isotonic_curve gr_isotonic_curve_at(double *numbers)
{
    const size_t points = (size_t)numbers[0];
    double *x = numbers + 1;

    return (gr_isotonic_curve){ points, x, x + points, numbers + gr_isotonic_count(points) };
}

size_t gr_regression_count(size_t inputs, size_t own)
{
    return 2 * inputs + own;
}

gr_regression_parameters gr_regression_of(const gr_calibration *c)
{
    double *deviations = c->numbers + c->inputs;

    return (gr_regression_parameters){ c->numbers, deviations, deviations + c->inputs };
}

double *gr_regression_size(const gr_calibration *c)
{
    return gr_regression_of(c).own;
}

double *gr_ordinal_of(const gr_calibration *c)
{
    return gr_regression_of(c).own;
}

size_t gr_polynomial_count(size_t terms)
{
    return 1 + terms;
}

gr_polynomial_parameters gr_polynomial_of(const gr_calibration *c)
{
    double *size = gr_regression_size(c), *coefficients = size + 1;

    return (gr_polynomial_parameters){ (size_t)*size,
                                       c->count - (size_t)(coefficients - c->numbers),
                                       coefficients };
}

gr_network_layout gr_network_layout_of(size_t inputs, size_t units)
{
    const size_t unit = inputs + 1, output = units * unit, bias = output + units;

    return (gr_network_layout){ unit, output, bias, bias + 1 };
}

size_t gr_network_count(size_t inputs, size_t units)
{
    return 1 + gr_network_layout_of(inputs, units).count;
}

gr_network_parameters gr_network_of(const gr_calibration *c)
{
    double *size = gr_regression_size(c);

    return (gr_network_parameters){ (size_t)*size, size + 1 };
}

size_t gr_process_count(size_t inputs, size_t points)
{
    return sizeof(gr_process_head) / sizeof(double) + points * (inputs + 1);
}

gr_process_parameters gr_process_of(const gr_calibration *c)
{
    gr_process_head *head = (gr_process_head *)gr_regression_size(c);
    const size_t count = (size_t)head->points;
    double *points = (double *)(head + 1);

    return (gr_process_parameters){ head, count, points, points + count * c->inputs };
}
