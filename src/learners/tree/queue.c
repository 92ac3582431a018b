/* SPDX-License-Identifier: Apache-2.0 */
/* A binary heap of nodes, ordered by largest gain, or by smallest depth and then largest gain; ties
 * go to the node that sequential growth would create first (gr_branch.order). */
#include "learners/tree/grow.h"

static bool comes_before(const gr_queue *queue, const gr_branch *nodes, uint32_t a, uint32_t b)
{
    if (queue->level && nodes[a].depth != nodes[b].depth)
        return nodes[a].depth < nodes[b].depth;
    return nodes[a].gain > nodes[b].gain ||
           (nodes[a].gain == nodes[b].gain && nodes[a].order < nodes[b].order);
}

void gr_queue_push(gr_queue *queue, const gr_branch *nodes, uint32_t node)
{
    size_t at = queue->count++;

    for (; at > 0; at = (at - 1) / 2) {
        const uint32_t above = queue->nodes[(at - 1) / 2];

        if (!comes_before(queue, nodes, node, above))
            break;
        queue->nodes[at] = above;
    }
    queue->nodes[at] = node;
}

uint32_t gr_queue_pop(gr_queue *queue, const gr_branch *nodes)
{
    const uint32_t first = queue->nodes[0], moved = queue->nodes[--queue->count];
    size_t at = 0;

    for (;;) {
        size_t below = 2 * at + 1;

        if (below >= queue->count)
            break;
        if (below + 1 < queue->count &&
            comes_before(queue, nodes, queue->nodes[below + 1], queue->nodes[below]))
            below++;
        if (!comes_before(queue, nodes, queue->nodes[below], moved))
            break;
        queue->nodes[at] = queue->nodes[below];
        at = below;
    }
    queue->nodes[at] = moved;
    return first;
}
