/* SPDX-License-Identifier: Apache-2.0 */
/* Ranks a query by score. Scores change little in a round, so the previous order is almost right: its
 * blocks are ordered by the rounded scores, by counting, and insertion sort repairs the rest in linear
 * time; if it is far off, a full sort takes over. The order is total, so all give the same result. */
#include "objectives/objective_lambdarank.h"

#include "base/sort.h"
#include "kernels/ranks.h"

#include <string.h>

enum {
    FEW = 256,    /* documents of a block */
    PATIENCE = 12 /* moves per document before the full sort takes over */
};

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

/* Orders a list of up to FEW rows by the upper 24 bits of their scores as floats, descending. */
static void order_block(const double *scores, size_t count, uint32_t *order)
{
    int32_t keys[FEW] __attribute__((aligned(64))), ranks[FEW] __attribute__((aligned(64)));
    uint32_t items[FEW];
    float rounded[FEW];

    for (size_t i = 0; i < count; i++) {
        items[i] = order[i];
        rounded[i] = (float)scores[order[i]];
    }
    memcpy(keys, rounded, count * sizeof *keys);
    for (size_t i = 0; i < count; i++) {
        /* the bits of floats ascend with their values, those of negative floats descend */
        const int32_t ascending = keys[i] ^ (keys[i] >> 31 & INT32_MAX);

        keys[i] = (ascending & ~(FEW - 1)) | (int32_t)(FEW - 1 - i);
    }
    gr_ranks_here()->above(keys, count, ranks);
    for (size_t i = 0; i < count; i++)
        order[ranks[i]] = items[i];
}

void gr_lambda_sort(const double *scores, size_t count, uint32_t *order, double *sorted,
                    void *sorting)
{
    gr_keyed *scratch = sorting;
    size_t *places = (size_t *)(void *)(scratch + 2 * count);

    for (size_t first = 0; first < count; first += FEW)
        order_block(scores, count - first < FEW ? count - first : FEW, order + first);
    take(scores, count, order, sorted);
    if (mend(count, order, sorted))
        return;
    gr_sort_descending(scores, count, places, scratch);
    for (size_t i = 0; i < count; i++)
        order[i] = (uint32_t)places[i];
    take(scores, count, order, sorted);
}
