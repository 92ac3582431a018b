/* SPDX-License-Identifier: Apache-2.0 */
#include "calibration/calibration.h"

#include <stdlib.h>

/* Blocks of rows with one value, whose means do not fall. Only the ends of a block are points of
 * the function: between them it is constant, between blocks a straight line. */
size_t gr_isotonic(const double *x, const double *y, const double *weights, size_t rows,
                   double *points_x, double *points_y)
{
    /* Room of the points serves the blocks until they are known: sums, weights, first rows. */
    double *sums = gr_new_array(3 * rows, sizeof *sums), *totals = sums + rows;
    double *firsts = sums + 2 * rows;
    size_t blocks = 0, points = 0;

    if (!sums)
        return 0;
    for (size_t i = 0; i < rows;) {
        double sum = 0.0, weight = 0.0;
        const size_t first = i;

        for (; i < rows && x[i] == x[first]; i++) {
            sum += (weights ? weights[i] : 1.0) * y[i];
            weight += weights ? weights[i] : 1.0;
        }
        if (!(weight > 0.0))
            continue;
        sums[blocks] = sum;
        totals[blocks] = weight;
        firsts[blocks++] = (double)first;
        while (blocks > 1 &&
               sums[blocks - 2] * totals[blocks - 1] >= sums[blocks - 1] * totals[blocks - 2]) {
            sums[blocks - 2] += sums[blocks - 1];
            totals[blocks - 2] += totals[blocks - 1];
            blocks--;
        }
    }
    for (size_t b = 0; b < blocks; b++) {
        const size_t first = (size_t)firsts[b];
        const size_t last = (b + 1 < blocks ? (size_t)firsts[b + 1] : rows) - 1;

        points_x[points] = x[first];
        points_y[points++] = sums[b] / totals[b];
        if (x[last] > x[first]) {
            points_x[points] = x[last];
            points_y[points] = points_y[points - 1];
            points++;
        }
    }
    free(sums);
    return points;
}
