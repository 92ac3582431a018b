/* SPDX-License-Identifier: Apache-2.0 */
/* The mean and the standard deviation of the scores of a query. */
#include "ensembles/standardise.h"

#include <math.h>

gr_standard gr_standard_fit(const double *scores, size_t count)
{
    double low = INFINITY, high = -INFINITY, sum = 0.0, squares = 0.0;

    for (size_t i = 0; i < count; i++) {
        low = scores[i] < low ? scores[i] : low;
        high = scores[i] > high ? scores[i] : high;
    }
    gr_standard s = { .centre = 0.5 * low + 0.5 * high, .unit = 0.5 * high - 0.5 * low };

    if (!(s.unit > 0.0)) /* constant */
        return (gr_standard){ .unit = 0.0 };
    for (size_t i = 0; i < count; i++)
        sum += (scores[i] - s.centre) / s.unit;
    s.mean = sum / (double)count;
    for (size_t i = 0; i < count; i++) {
        const double d = (scores[i] - s.centre) / s.unit - s.mean;

        squares += d * d;
    }
    s.factor = 1.0 / sqrt(squares / (double)count);
    return s;
}
