/* SPDX-License-Identifier: Apache-2.0 */
/* Weights of ensemble members: exponential in a validation metric, or by stacking (least
 * squares). */
#include "ensembles/ensemble_weights.h"

#include "base/math.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

enum { PASSES = 20000 };

void gr_exponential_weights(const double *values, size_t count, double rate, double *weights)
{
    double best = -INFINITY, sum = 0.0;

    for (size_t m = 0; m < count; m++)
        best = fmax(best, values[m]);
    for (size_t m = 0; m < count; m++)
        sum += weights[m] = gr_exp(rate * (values[m] - best));
    for (size_t m = 0; m < count; m++)
        weights[m] /= sum;
}

/* Sums of products of the centred columns with each other (squares, [count x count]) and with y
 * (products, [count]). */
static void take_sums(const double *columns, size_t count, const double *y, size_t rows,
                      double *squares, double *products, double *means)
{
    double mean = 0.0;

    for (size_t r = 0; r < rows; r++)
        mean += y[r] / (double)rows;
    for (size_t i = 0; i < count; i++) {
        means[i] = 0.0;
        for (size_t r = 0; r < rows; r++)
            means[i] += columns[i * rows + r] / (double)rows;
    }
    for (size_t i = 0; i < count; i++) {
        products[i] = 0.0;
        for (size_t r = 0; r < rows; r++)
            products[i] += (columns[i * rows + r] - means[i]) * (y[r] - mean);
        for (size_t j = 0; j < count; j++) {
            squares[i * count + j] = 0.0;
            for (size_t r = 0; r < rows; r++)
                squares[i * count + j] +=
                    (columns[i * rows + r] - means[i]) * (columns[j * rows + r] - means[j]);
        }
    }
}

/* Coordinate descent until no weight changes: the problem is convex, and a small ridge makes the
 * solution unique. */
gradus_status gr_stacking_weights(const double *columns, size_t count, const double *y, size_t rows,
                                  bool nonnegative, double *weights, gradus_error *err)
{
    double *squares = gr_new_array(count * count + 2 * count, sizeof *squares);
    double *products = squares + count * count, *means = products + count;

    if (!squares)
        return gr_fail_memory(err, "an ensemble");
    take_sums(columns, count, y, rows, squares, products, means);
    for (size_t i = 0; i < count; i++) {
        squares[i * count + i] += 1e-6 * squares[i * count + i] + 1e-12;
        weights[i] = 0.0;
    }
    for (size_t pass = 0; pass < PASSES; pass++) {
        double moved = 0.0, largest = 0.0;

        for (size_t i = 0; i < count; i++) {
            double rest = products[i];

            for (size_t j = 0; j < count; j++)
                rest -= j == i ? 0.0 : squares[i * count + j] * weights[j];
            const double next = rest / squares[i * count + i];
            const double kept = nonnegative && next < 0.0 ? 0.0 : next;

            moved = fmax(moved, fabs(kept - weights[i]));
            largest = fmax(largest, fabs(kept));
            weights[i] = kept;
        }
        if (moved <= 1e-12 * (1.0 + largest))
            break;
    }
    free(squares);
    return GRADUS_OK;
}
