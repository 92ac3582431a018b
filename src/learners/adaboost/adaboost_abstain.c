/* SPDX-License-Identifier: Apache-2.0 */
/* Edge offset and abstaining votes (see adaboost_abstain.h). */
#include "learners/adaboost/adaboost_abstain.h"

#include "base/math.h"

#include <math.h>
#include <stdlib.h>

double gr_vote_alpha(gr_vote_sums s, double offset)
{
    const double a = (1.0 + offset) * s.wrong, b = offset * s.none, c = (1.0 - offset) * s.right;

    /* the root of a u^2 + b u - c without cancellation */
    return gr_log(2.0 * c / (b + sqrt(b * b + 4.0 * a * c)));
}

double gr_vote_loss(gr_vote_sums s, double offset, double alpha)
{
    return s.wrong * gr_exp(alpha * (1.0 + offset)) + s.right * gr_exp(-alpha * (1.0 - offset)) +
           s.none * gr_exp(alpha * offset);
}

/* Compares wrong / right without dividing by a right weight of 0. */
static int by_ratio(const void *a, const void *b)
{
    const gr_vote_cell *x = a, *y = b;
    const double left = x->wrong * y->right, right = y->wrong * x->right;

    if (left != right)
        return left < right ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

gr_vote_sums gr_vote_choose(gr_vote_cell *cells, size_t count, double offset, double least)
{
    gr_vote_sums sums = { least, least, 0.0 }, best;
    double lowest = INFINITY;
    size_t chosen = 0;

    qsort(cells, count, sizeof *cells, by_ratio);
    for (size_t i = 0; i < count; i++)
        sums.none += cells[i].right + cells[i].wrong;
    best = sums;
    for (size_t i = 0; i < count; i++) {
        sums.right += cells[i].right;
        sums.wrong += cells[i].wrong;
        sums.none = fmax(sums.none - cells[i].right - cells[i].wrong, 0.0);
        if (!(sums.wrong > 0.0))
            continue;
        const double loss = gr_vote_loss(sums, offset, fmax(gr_vote_alpha(sums, offset), 0.0));

        if (loss < lowest) {
            lowest = loss;
            chosen = i + 1;
            best = sums;
        }
    }
    for (size_t i = 0; i < count; i++)
        cells[i].votes = i < chosen;
    best.right -= least;
    best.wrong -= least;
    return best;
}
