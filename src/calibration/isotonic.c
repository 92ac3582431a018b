/* SPDX-License-Identifier: Apache-2.0 */
/* Isotonic regression by pooling adjacent violators. */
#include "calibration/calibration.h"

#include <stdlib.h>

/* Consecutive rows with the same fitted value. */
typedef struct block {
    double sum, weight; /* of weight * y, of the weights */
    size_t first;       /* row */
} block;

/* Whether the mean of the last block does not exceed that of the block before. */
static bool violates(const block *before, const block *last)
{
    return before->sum * last->weight >= last->sum * before->weight;
}

/* Merges blocks until their means increase. Only the first and last x of a block become points of
 * the function: it is constant between them and linear between blocks. */
size_t gr_isotonic(const double *x, const double *y, const double *weights, size_t rows,
                   double *points_x, double *points_y)
{
    block *blocks = gr_new_array(rows, sizeof *blocks);
    size_t count = 0, points = 0;

    if (!blocks)
        return 0;
    for (size_t i = 0; i < rows;) {
        block next = { 0.0, 0.0, i };

        for (; i < rows && x[i] == x[next.first]; i++) {
            next.sum += (weights ? weights[i] : 1.0) * y[i];
            next.weight += weights ? weights[i] : 1.0;
        }
        if (!(next.weight > 0.0))
            continue;
        blocks[count++] = next;
        for (; count > 1 && violates(&blocks[count - 2], &blocks[count - 1]); count--) {
            blocks[count - 2].sum += blocks[count - 1].sum;
            blocks[count - 2].weight += blocks[count - 1].weight;
        }
    }
    for (size_t b = 0; b < count; b++) {
        const size_t first = blocks[b].first;
        const size_t last = (b + 1 < count ? blocks[b + 1].first : rows) - 1;

        points_x[points] = x[first];
        points_y[points++] = blocks[b].sum / blocks[b].weight;
        if (x[last] > x[first]) {
            points_x[points] = x[last];
            points_y[points] = points_y[points - 1];
            points++;
        }
    }
    free(blocks);
    return points;
}
