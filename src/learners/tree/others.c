/* Rows outside the sample go down a tree that is grown already: some at a time, from the root to
 * the leaves, while their bins stay in the cache. */
#include "learners/tree/grow.h"

#include <string.h>

enum { CHUNK = GR_PARTITION_CHUNK };

typedef struct scratch {
    uint32_t left[CHUNK], right[CHUNK];
} scratch;

/* Sorts rows to the leaves below a node. The smaller side goes down by itself, so that few calls
 * are under way at once. */
static void go_down(const gr_grower *grower, scratch *s, size_t number, uint32_t *rows,
                    uint32_t *leaves, size_t count)
{
    const gr_branch *node = &grower->nodes[number];

    for (; count > 0 && node->left; node = &grower->nodes[number]) {
        const size_t lefts =
            gr_part_rows(&grower->routes[node->split], rows, count, s->left, s->right);
        const size_t rights = count - lefts;

        memcpy(rows, s->left, lefts * sizeof *rows);
        memcpy(rows + lefts, s->right, rights * sizeof *rows);
        if (lefts < rights) {
            go_down(grower, s, (size_t)node->left, rows, leaves, lefts);
            number = (size_t)node->right;
            rows += lefts;
            leaves += lefts;
            count = rights;
        } else {
            go_down(grower, s, (size_t)node->right, rows + lefts, leaves + lefts, rights);
            number = (size_t)node->left;
            count = lefts;
        }
    }
    for (size_t i = 0; i < count; i++)
        leaves[i] = node->split;
}

/* How many rows of the sample are below a row. */
static size_t sampled_below(const gr_round *round, uint32_t row)
{
    size_t low = 0, high = round->count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (round->rows[middle] < row)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void place_chunk(void *argument, size_t chunk, size_t worker)
{
    const gr_grower *grower = argument;
    const gr_round *round = &grower->round;
    const size_t first = chunk * CHUNK, left = grower->bins->rows - first;
    const uint32_t end = (uint32_t)(first + (left < CHUNK ? left : CHUNK));
    size_t at = sampled_below(round, (uint32_t)first), count = 0;
    uint32_t *rows = (uint32_t *)grower->rows.at + round->count + (first - at);
    uint32_t *leaves = (uint32_t *)grower->spare.at + (first - at);
    scratch s;

    (void)worker;
    for (uint32_t r = (uint32_t)first; r < end; r++) {
        if (at < round->count && round->rows[at] == r)
            at++;
        else
            rows[count++] = r;
    }
    go_down(grower, &s, 0, rows, leaves, count);
}

void gr_place_others(gr_grower *grower)
{
    const gr_bins *bins = grower->bins;

    if (!grower->round.rows)
        return;
    for (size_t i = 0; i < grower->node_count; i++) {
        const gr_branch *node = &grower->nodes[i];

        if (!node->left)
            continue;
        gr_route *route = &grower->routes[node->split];
        *route = gr_route_for(bins, node->feature, node->best.bin, node->best.missing_left);
        route->column = gr_column_kept(&grower->columns, bins, node->feature);
    }
    gr_pool_run(grower->pool, (bins->rows + CHUNK - 1) / CHUNK, place_chunk, grower);
}
