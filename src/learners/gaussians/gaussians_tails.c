/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the rows of one grade at the ends of the scores (see gaussians_tails.h). */
#include "learners/gaussians/gaussians_tails.h"

#include <math.h>

gr_tail gr_gaussian_tail(const gr_problem *problem, const double *scores, double sign)
{
    gr_tail tail = { .rows = 0 };
    double last = -INFINITY; /* of the other grades */
    size_t end = 0;

    if (problem->levels < 2 || problem->outputs != 1)
        return tail;
    for (size_t r = 1; r < problem->rows; r++)
        if (sign * scores[r] > sign * scores[end])
            end = r;
    for (size_t r = 0; r < problem->rows; r++)
        if (problem->level_of[r] != problem->level_of[end])
            last = fmax(last, sign * scores[r]);
    for (size_t r = 0; r < problem->rows; r++)
        tail.rows += problem->level_of[r] == problem->level_of[end] && sign * scores[r] > last;
    if (isfinite(last) && tail.rows > 0) {
        tail.label = problem->level_labels[problem->level_of[end]];
        tail.gap = sign * scores[end] - last;
    }
    return tail;
}
