/* SPDX-License-Identifier: Apache-2.0 */
/* Ranks a query by score. Scores change little in a round, so the previous order is almost right
 * and insertion sort repairs it in linear time; if it is far off, a full sort takes over. The order
 * is total, so both give the same result. */
#include "objectives/objective_lambdarank.h"

#include "base/sort.h"

enum { PATIENCE = 12 }; /* moves per document before the full sort takes over */

/* Insertion sort; returns false if it gave up, with order still a permutation. sorted: the scores
 * in that order. */
static bool mend(size_t count, uint32_t *order, double *sorted)
{
    size_t moves = 0;

    for (size_t i = 1; i < count; i++) {
        const uint32_t item = order[i];
        const double score = sorted[i];
        size_t at = i;

        for (; at > 0 &&
               (score > sorted[at - 1] || (score == sorted[at - 1] && item < order[at - 1]));
             at--) {
            order[at] = order[at - 1];
            sorted[at] = sorted[at - 1];
        }
        order[at] = item;
        sorted[at] = score;
        moves += i - at;
        if (moves > PATIENCE * count)
            return false;
    }
    return true;
}

static void take(const double *scores, size_t count, const uint32_t *order, double *sorted)
{
    for (size_t i = 0; i < count; i++)
        sorted[i] = scores[order[i]];
}

void gr_lambda_sort(const double *scores, size_t count, uint32_t *order, double *sorted,
                    void *sorting)
{
    gr_keyed *scratch = sorting;
    size_t *places = (size_t *)(void *)(scratch + 2 * count);

    take(scores, count, order, sorted);
    if (mend(count, order, sorted))
        return;
    gr_sort_descending(scores, count, places, scratch);
    for (size_t i = 0; i < count; i++)
        order[i] = (uint32_t)places[i];
    take(scores, count, order, sorted);
}
