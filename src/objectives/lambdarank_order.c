/* A round changes scores little, so the order of the round before is nearly right: insertion mends
 * it in linear time. Where it is far off, a full sort takes over. The order is total, so the way to
 * it does not show. */
#include "objectives/lambdarank.h"

#include "base/sort.h"

enum { PATIENCE = 12 }; /* moves a document before the full sort takes over */

static bool comes_before(const double *scores, uint32_t a, uint32_t b)
{
    return scores[a] > scores[b] || (scores[a] == scores[b] && a < b);
}

/* False if it gave up; order is then still one of all rows. */
static bool mend(const double *scores, size_t count, uint32_t *order)
{
    size_t moves = 0;

    for (size_t i = 1; i < count; i++) {
        const uint32_t item = order[i];
        size_t at = i;

        for (; at > 0 && comes_before(scores, item, order[at - 1]); at--)
            order[at] = order[at - 1];
        order[at] = item;
        moves += i - at;
        if (moves > PATIENCE * count)
            return false;
    }
    return true;
}

void gr_lambda_sort(const double *scores, size_t count, uint32_t *order, void *sorting)
{
    gr_keyed *scratch = sorting;
    size_t *places = (size_t *)(void *)(scratch + 2 * count);

    if (mend(scores, count, order))
        return;
    gr_sort_descending(scores, count, places, scratch);
    for (size_t i = 0; i < count; i++)
        order[i] = (uint32_t)places[i];
}
