/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses the nodes that are split next, so that a tree grows without waiting for the host. One block,
 * after each batch of splits.
 *
 * Sequential growth always splits the open node of largest gain. The nodes that it would split are kept in
 * that order, those that were not split yet as if they had no children. When the children of a node become
 * known, sequential growth has them at hand from the turn of their parent on, and splits a child as soon as
 * the node whose turn it is gains less: so a child comes before the first node after its parent that gains
 * less, and the order of the others does not change. What is not among the first leaves - 1 is not in the
 * tree, and the first ones that were not split yet make the next batch.
 *
 * If gains are equal, sequential growth may have another order, and expansions may run out. So the host
 * replays sequential growth on the splits that were made, and makes those that are missing. */
#ifndef GR_PLUGINS_CUDA_GROWTH_BODY_H
#define GR_PLUGINS_CUDA_GROWTH_BODY_H

#include "cuts_body.h"
#include "lists_body.h"

enum {
    GR_GROWTH_THREADS = 512,
    GR_GROWTH_NODES = 2 * GR_DEVICE_BATCH, /* new nodes */
    GR_GROWTH_EACH = GR_GROWTH_THREADS / GR_GROWTH_NODES,
    GR_GROWTH_WORDS = GR_DEVICE_LEAVES / 32,
    GR_GROWTH_GAINS = 1024 /* that are kept in shared memory */
};

#define GR_WAITS 0x80000000u /* of a node in the order: it was not chosen yet */

/* A node: the root is 0, and the children of split i are 2 i + 1 and 2 i + 2. */
typedef struct gr_growing_node {
    gr_device_cut cut;
    double gradient, hessian, low, high;
    double gain;
    uint32_t list, start, count, depth, slot;
} gr_growing_node;

/* A node in the order. */
typedef struct gr_growing_turn {
    double gain;
    uint32_t node;  /* and GR_WAITS */
    uint32_t depth; /* by level; otherwise 0 */
} gr_growing_turn;

typedef struct gr_growth_state {
    uint32_t ordered; /* nodes in order[which] */
    uint32_t which;
    uint32_t idle; /* slots */
    uint32_t splits, steps;
    uint32_t done;
} gr_growth_state;

/* For the host. */
typedef struct gr_growth_report {
    gr_device_root root;
    uint32_t splits, steps; /* batches, with that of the root */
    uint32_t done;
} gr_growth_report;

typedef struct gr_growth {
    gr_device_growth rules;
    uint32_t chooses; /* 0: the host chooses, and only the results of a batch are needed */
    uint32_t cursors; /* of data, to be cleared */
    gr_split_batch *batch;
    const gr_device_cut *cuts; /* per child and block of the search */
    /* if the device chooses */
    gr_growth_state *state;
    gr_growing_node *nodes;
    gr_growing_turn *order[2]; /* nodes that may be in the tree, in the order of their splits */
    uint32_t *slots;           /* a stack of idle ones */
    /* on the host */
    gr_device_grown *grown; /* all splits, or those of the last batch */
    gr_growth_report *report;
} gr_growth;

typedef struct gr_growth_shared {
    double score[GR_GROWTH_THREADS]; /* best cuts of some columns of a new node */
    uint32_t feature[GR_GROWTH_THREADS], at[GR_GROWTH_THREADS];
    gr_growing_turn order[GR_GROWTH_GAINS]; /* of the old order */
    gr_growing_turn news[GR_GROWTH_NODES];
    uint32_t open[GR_GROWTH_NODES];
    uint32_t before[GR_GROWTH_NODES]; /* a new node comes before this one of the old order */
    uint32_t place[GR_GROWTH_NODES];  /* in the new order */
    uint32_t found[GR_GROWTH_THREADS];
    uint32_t waiting[GR_GROWTH_WORDS]; /* bits: whether nodes of the new order wait */
    uint32_t chosen[GR_DEVICE_BATCH], turn[GR_DEVICE_BATCH], parts[GR_DEVICE_BATCH];
    uint32_t idle, ordered, count;
} gr_growth_shared;

/* ---- the start ---- */

/* Makes a batch of the root. slot: if the device chooses, 0 or one that it does not use otherwise. */
GR_DEVICE void gr_growth_start(const gr_tree_data *data, const gr_growth *growth, uint32_t rows,
                               uint32_t slot)
{
    const double infinity = gr_double_of_bits((uint64_t)0x7ff << 52);

    GR_THREADS(t, GR_GROWTH_THREADS)
    {
        for (uint32_t i = t; i < growth->cursors; i += GR_GROWTH_THREADS)
            data->cursors[i] = 0;
        for (uint32_t i = t; growth->chooses && i + 1 < growth->rules.slots; i += GR_GROWTH_THREADS)
            growth->slots[i] = growth->rules.slots - 1 - i;
        if (t == 0) {
            const gr_growth_state state = { 0, 0, growth->rules.slots - 1, 0, 1, 0 };
            gr_split_batch *batch = growth->batch;
            gr_device_split *split = &batch->split[0];

            batch->count = batch->root = 1;
            batch->part_blocks = batch->first = 0;
            split->list = split->start = 0;
            split->count = rows;
            split->lefts = UINT32_MAX;
            split->scan = GR_SCAN_SMALL;
            for (uint32_t side = 0; side < 2; side++) { /* the second one is read but not used */
                split->slots[side] = slot;
                split->gradient[side] = split->hessian[side] = 0;
                split->low[side] = -infinity;
                split->high[side] = infinity;
            }
            growth->report->done = 0;
            if (growth->chooses)
                *growth->state = state;
        }
    }
}

/* ---- new nodes ---- */

/* The best of every GR_GROWTH_EACH-th cut of each new node. Ties go to the lower feature. */
GR_DEVICE void gr_growth_cuts(const gr_tree_data *data, const gr_growth *growth, uint32_t news,
                              gr_growth_shared *shared)
{
    const gr_split_batch *batch = growth->batch;
    const uint32_t parts = gr_cuts_parts(data->columns);

    GR_THREADS(t, GR_GROWTH_THREADS)
    {
        const uint32_t n = t / GR_GROWTH_EACH, first = n * parts, end = first + parts;
        double score = -1;
        uint32_t feature = 0, best = 0;

        if (n < news && gr_is_searched_here(data, batch, n / 2, n % 2,
                                            gr_child_of(data, batch, n / 2, n % 2).count)) {
            GR_UNROLL_FEW
            for (uint32_t at = first + t % GR_GROWTH_EACH; at < end; at += GR_GROWTH_EACH) {
                const double other = growth->cuts[at].score;
                const uint32_t its = growth->cuts[at].feature;
                const bool better = other > score || (other == score && its < feature);

                score = better ? other : score;
                feature = better ? its : feature;
                best = better ? at : best;
            }
        }
        shared->score[t] = score;
        shared->feature[t] = feature;
        shared->at[t] = best;
    }
    GR_BARRIER();
}

GR_DEVICE gr_device_cut gr_growth_best(const gr_growth *growth, const gr_growth_shared *shared,
                                       uint32_t n)
{
    gr_device_cut none = { -1, 0, 0, 0, 0, 0, 0, 0 };
    uint32_t best = n * GR_GROWTH_EACH;

    for (uint32_t i = best + 1; i < (n + 1) * GR_GROWTH_EACH; i++)
        if (shared->score[i] > shared->score[best] ||
            (shared->score[i] == shared->score[best] && shared->feature[i] < shared->feature[best]))
            best = i;
    return shared->score[best] < 0 ? none : growth->cuts[shared->at[best]];
}

/* Writes the results of a split to the host. */
GR_DEVICE void gr_growth_write(const gr_tree_data *data, const gr_growth *growth, uint32_t n,
                               const gr_device_cut *cut)
{
    const gr_split_batch *batch = growth->batch;
    const gr_device_split *split = &batch->split[n / 2];
    gr_device_grown *grown = &growth->grown[(growth->chooses ? batch->first : 0) + n / 2];

    if (batch->root) {
        growth->report->root.gradient = (int64_t)data->totals->gradient;
        growth->report->root.hessian = (int64_t)data->totals->hessian;
        growth->report->root.cut = *cut;
        return;
    }
    grown->found.cuts[n % 2] = *cut;
    if (n % 2 == 0) {
        grown->node = batch->node[n / 2];
        grown->found.lefts =
            split->lefts != UINT32_MAX ? split->lefts : gr_cursors_of(data, batch, n / 2)[1];
        grown->found.stays = gr_larger_stays(split);
    }
}

/* Whether a node is split if it is its turn: gr_may_split and gr_take_cut. */
GR_DEVICE bool gr_growth_opens(const gr_tree_data *data, const gr_growth *growth,
                               gr_growing_node *node)
{
    const double parent = node->gradient * node->gradient / (node->hessian + data->rules.l2);
    const double ratio = node->gradient / node->hessian;
    const double each = data->unit ? 1 : 1 + ratio * ratio;
    const double doubtful = 8 * ((double)node->count / node->hessian) * each + parent * 0x1p-45;

    node->gain = 0.5 * (node->cut.score - parent);
    if (node->cut.score < 0 || node->count < 2 || !gr_may_split(data, node->count) ||
        (growth->rules.depth && node->depth >= growth->rules.depth) || !(node->gain > doubtful))
        return false;
    node->gain *= growth->rules.gain_unit;
    return node->gain > growth->rules.min_gain;
}

/* Adds new node n, and releases its histogram if it will not be split. */
GR_DEVICE void gr_growth_add(const gr_tree_data *data, const gr_growth *growth, uint32_t n,
                             const gr_device_cut *cut, gr_growth_shared *shared)
{
    const gr_split_batch *batch = growth->batch;
    const gr_device_split *split = &batch->split[n / 2];
    const gr_child child = gr_child_of(data, batch, n / 2, n % 2);
    const uint32_t number = batch->root ? 0 : 2 * batch->first + 1 + n;
    gr_growing_node node;

    node.cut = *cut;
    node.gradient = batch->root ? (double)(int64_t)data->totals->gradient : split->gradient[n % 2];
    node.hessian = batch->root ? (double)(int64_t)data->totals->hessian : split->hessian[n % 2];
    node.low = split->low[n % 2];
    node.high = split->high[n % 2];
    node.list = child.list;
    node.start = child.start;
    node.count = child.count;
    node.depth = batch->root ? 0 : growth->nodes[batch->node[n / 2]].depth + 1;
    node.slot = child.slot;
    shared->open[n] = gr_growth_opens(data, growth, &node);
    shared->news[n].gain = node.gain;
    shared->news[n].node = number | GR_WAITS;
    shared->news[n].depth = growth->rules.level ? node.depth : 0;
    growth->nodes[number] = node;
    if (!shared->open[n] && split->scan != GR_SCAN_NONE)
        growth->slots[gr_atomic_add_u32(&shared->idle, 1)] = node.slot;
}

/* ---- the order ---- */

GR_DEVICE bool gr_growth_precedes(const gr_growing_turn *a, const gr_growing_turn *b)
{
    return (a->depth < b->depth) | ((a->depth == b->depth) & (a->gain > b->gain));
}

GR_DEVICE gr_growing_turn gr_growth_turn(const gr_growth *growth, const gr_growth_shared *shared,
                                         uint32_t i)
{
    return i < GR_GROWTH_GAINS ? shared->order[i] : growth->order[growth->state->which][i];
}

/* Keeps the old order at hand. */
GR_DEVICE void gr_growth_load(const gr_growth *growth, uint32_t t, gr_growth_shared *shared)
{
    const gr_growing_turn *order = growth->order[growth->state->which];

    for (uint32_t i = t; i < growth->state->ordered && i < GR_GROWTH_GAINS; i += GR_GROWTH_THREADS)
        shared->order[i] = order[i];
}

/* Finds the node of the old order that each new one comes before. */
GR_DEVICE void gr_growth_search(const gr_growth *growth, uint32_t news, gr_growth_shared *shared)
{
    const gr_split_batch *batch = growth->batch;
    const uint32_t ordered = growth->state->ordered;

    GR_THREADS(t, GR_GROWTH_THREADS)
    {
        const uint32_t n = t / GR_GROWTH_EACH;
        uint32_t i = ordered;

        if (n < news && shared->open[n] && !batch->root)
            for (i = batch->turn[n / 2] + 1 + t % GR_GROWTH_EACH; i < ordered;
                 i += GR_GROWTH_EACH) {
                const gr_growing_turn turn = gr_growth_turn(growth, shared, i);

                if (gr_growth_precedes(&shared->news[n], &turn))
                    break;
            }
        shared->found[t] = i < ordered ? i : ordered;
    }
    GR_BARRIER();
    GR_THREADS(t, GR_GROWTH_THREADS)
    {
        uint32_t before = ordered;

        for (uint32_t i = 0; t < news && i < GR_GROWTH_EACH; i++)
            if (shared->found[t * GR_GROWTH_EACH + i] < before)
                before = shared->found[t * GR_GROWTH_EACH + i];
        if (t < news) {
            shared->before[t] = shared->open[t] ? before : UINT32_MAX;
            shared->place[t] = before;
        }
    }
    GR_BARRIER();
}

/* Counts the new nodes that come before new node n: those of thread `part` of GR_GROWTH_EACH. */
GR_DEVICE uint32_t gr_growth_count_before(const gr_growth_shared *shared, uint32_t n, uint32_t news,
                                          uint32_t part)
{
    const uint32_t before = shared->before[n];
    const gr_growing_turn own = shared->news[n];
    uint32_t count = 0;

    for (uint32_t i = part; i < news; i += GR_GROWTH_EACH) {
        const gr_growing_turn other = shared->news[i];
        const bool first =
            gr_growth_precedes(&other, &own) |
            ((other.depth == own.depth) & (other.gain == own.gain) & (other.node < own.node));

        count += (shared->before[i] < before) | ((shared->before[i] == before) & first);
    }
    return count;
}

/* Puts a node into the new order, or drops it if others make the tree complete. */
GR_DEVICE void gr_growth_put(const gr_growth *growth, const gr_growing_turn *turn, uint32_t place,
                             gr_growth_shared *shared)
{
    if (place + 1 < growth->rules.leaves)
        growth->order[growth->state->which ^ 1][place] = *turn;
    else if (turn->node & GR_WAITS)
        growth->slots[gr_atomic_add_u32(&shared->idle, 1)] =
            growth->nodes[turn->node & ~GR_WAITS].slot;
}

GR_DEVICE void gr_growth_order(const gr_growth *growth, uint32_t news, gr_growth_shared *shared)
{
    gr_growth_search(growth, news, shared);
    GR_THREADS(t, GR_GROWTH_THREADS)
    {
        const uint32_t n = t / GR_GROWTH_EACH;

        if (n < news && shared->open[n])
            gr_atomic_add_u32(&shared->place[n],
                              gr_growth_count_before(shared, n, news, t % GR_GROWTH_EACH));
    }
    GR_BARRIER();
    GR_THREADS(t, GR_GROWTH_THREADS)
    {
        for (uint32_t i = t; i < growth->state->ordered; i += GR_GROWTH_THREADS) {
            const gr_growing_turn turn = gr_growth_turn(growth, shared, i);
            uint32_t place = i;

            for (uint32_t n = 0; n < news; n++)
                place += shared->before[n] <= i;
            gr_growth_put(growth, &turn, place, shared);
        }
        if (t < news && shared->open[t]) {
            gr_growth_put(growth, &shared->news[t], shared->place[t], shared);
            gr_atomic_add_u32(&shared->ordered, 1);
        }
    }
    GR_BARRIER();
}

/* ---- the next batch ---- */

/* Marks the nodes of the new order that wait. */
GR_DEVICE void gr_growth_mark(const gr_growth *growth, uint32_t ordered, gr_growth_shared *shared)
{
    const gr_growing_turn *order = growth->order[growth->state->which ^ 1];

    GR_THREADS(t, GR_GROWTH_THREADS)
    {
        for (uint32_t i = t; i < (ordered + 31) / 32 * 32; i += GR_GROWTH_THREADS)
            gr_vote(&shared->waiting[i / 32], i % 32,
                    i < ordered && order[i < ordered ? i : 0].node & GR_WAITS);
    }
    GR_BARRIER();
}

/* The nodes of the next batch: limited by the histograms, and by the expansions that the other splits of
 * the tree need, because only the nodes before the first one of the batch are surely in the tree (batch_size
 * in best_first.c). */
GR_DEVICE uint32_t gr_growth_size(const gr_growth *growth, uint32_t ordered,
                                  const gr_growth_shared *shared)
{
    const uint32_t left = growth->rules.expansions - growth->state->splits;
    uint32_t waiting = 0, sure = 0, needed, most = growth->rules.batch;

    for (uint32_t i = 0; i < (ordered + 31) / 32; i++) {
        const uint32_t word = shared->waiting[i];

        if (waiting == 0) /* the bits below the lowest one */
            sure = 32 * i + gr_bits_set(~word & (word - 1));
        waiting += gr_bits_set(word);
    }
    needed = growth->rules.leaves - 2 - sure;
    if (waiting == 0 || left == 0 || shared->idle == 0)
        return 0;
    most = most < waiting ? most : waiting;
    most = most < shared->idle ? most : shared->idle;
    if (left <= needed)
        return 1;
    return most < left - needed ? most : left - needed;
}

/* Chooses the first nodes that wait. */
GR_DEVICE void gr_growth_choose(const gr_growth *growth, uint32_t ordered, gr_growth_shared *shared)
{
    gr_growing_turn *order = growth->order[growth->state->which ^ 1];

    gr_growth_mark(growth, ordered, shared);
    GR_THREADS(t, GR_GROWTH_THREADS)
    {
        if (t == 0)
            shared->count = gr_growth_size(growth, ordered, shared);
    }
    GR_BARRIER();
    GR_THREADS(t, GR_GROWTH_THREADS)
    {
        for (uint32_t i = t; i < ordered; i += GR_GROWTH_THREADS) {
            const uint32_t word = shared->waiting[i / 32];
            uint32_t place = gr_bits_set(word & ((1u << i % 32) - 1u));

            for (uint32_t w = 0; w < i / 32 && place < shared->count; w++)
                place += gr_bits_set(shared->waiting[w]);
            if (word >> i % 32 & 1 && place < shared->count) {
                order[i].node &= ~GR_WAITS;
                shared->chosen[place] = order[i].node;
                shared->turn[place] = i;
            }
        }
    }
    GR_BARRIER();
}

/* The sums and bounds of the children: gr_make_children. */
GR_DEVICE void gr_growth_children(const gr_tree_data *data, const gr_growing_node *node,
                                  gr_device_split *split)
{
    const int sign = data->column[node->cut.column].sign;
    double left, right, middle;

    split->gradient[0] = node->cut.gradient;
    split->hessian[0] = node->cut.hessian;
    split->gradient[1] = node->gradient - node->cut.gradient;
    split->hessian[1] = node->hessian - node->cut.hessian;
    left = -split->gradient[0] / (split->hessian[0] + data->rules.l2);
    right = -split->gradient[1] / (split->hessian[1] + data->rules.l2);
    middle = left + 0.5 * (right - left);
    split->low[0] = sign < 0 ? middle : node->low;
    split->low[1] = sign > 0 ? middle : node->low;
    split->high[0] = sign > 0 ? middle : node->high;
    split->high[1] = sign < 0 ? middle : node->high;
}

/* Split s of the next batch. */
GR_DEVICE void gr_growth_split(const gr_tree_data *data, const gr_growth *growth, uint32_t s,
                               gr_growth_shared *shared)
{
    const gr_growing_node *node = &growth->nodes[shared->chosen[s]];
    const gr_device_column *column = &data->column[node->cut.column];
    gr_device_split *split = &growth->batch->split[s];

    growth->batch->node[s] = shared->chosen[s];
    growth->batch->turn[s] = shared->turn[s];
    split->list = node->list;
    split->start = node->start;
    split->count = node->count;
    split->lefts = node->cut.lefts;
    split->column = node->cut.column;
    split->bin = node->cut.bin;
    split->missing = node->cut.missing_left && column->missing ? column->bins - 1 : UINT32_MAX;
    split->scan = growth->rules.depth && node->depth + 1 >= growth->rules.depth ? GR_SCAN_NONE
                                                                                : GR_SCAN_SMALL;
    gr_growth_children(data, node, split);
    split->slots[1] = node->slot;
    if (split->scan != GR_SCAN_NONE)
        split->slots[0] = growth->slots[gr_atomic_add_u32(&shared->idle, UINT32_MAX) - 1];
    shared->parts[s] = (node->count + GR_PART_ROWS - 1) / GR_PART_ROWS;
}

/* Makes the batch of the chosen nodes. */
GR_DEVICE void gr_growth_batch(const gr_tree_data *data, const gr_growth *growth, uint32_t ordered,
                               gr_growth_shared *shared)
{
    gr_split_batch *batch = growth->batch;
    gr_growth_state *state = growth->state;

    GR_THREADS(t, GR_GROWTH_THREADS)
    {
        if (t < shared->count)
            gr_growth_split(data, growth, t, shared);
    }
    GR_BARRIER();
    GR_THREADS(t, GR_GROWTH_THREADS)
    {
        uint32_t first = 0;

        /* that of a node whose children are too deep is idle */
        if (t < shared->count && batch->split[t].scan == GR_SCAN_NONE)
            growth->slots[gr_atomic_add_u32(&shared->idle, 1)] = batch->split[t].slots[1];
        for (uint32_t s = 0; s < t && s < shared->count; s++)
            first += shared->parts[s];
        if (t <= shared->count)
            batch->first_block[t] = first;
        if (t == shared->count)
            batch->part_blocks = first;
    }
    GR_BARRIER();
    GR_THREADS(t, GR_GROWTH_THREADS)
    {
        if (t > 0)
            continue;
        batch->count = shared->count;
        batch->root = 0;
        batch->first = state->splits;
        state->ordered = ordered;
        state->which ^= 1;
        state->idle = shared->idle;
        state->splits += shared->count;
        state->steps += shared->count > 0;
        state->done = shared->count == 0;
        growth->report->splits = state->splits;
        growth->report->steps = state->steps;
        growth->report->done = state->done;
    }
}

/* ---- all of it ---- */

/* After the search of a batch: takes the cuts of its children, and makes the next batch. */
GR_DEVICE void gr_growth_body(const gr_tree_data *data, const gr_growth *growth,
                              gr_growth_shared *shared)
{
    const gr_split_batch *batch = growth->batch;
    const uint32_t news = batch->root ? 1 : 2 * batch->count;
    uint32_t ordered;

    if (growth->chooses && growth->state->done)
        return;
    GR_THREADS(t, GR_GROWTH_THREADS)
    {
        if (t == 0 && growth->chooses) {
            shared->idle = growth->state->idle;
            shared->ordered = growth->state->ordered;
        }
        if (growth->chooses)
            gr_growth_load(growth, t, shared);
    }
    gr_growth_cuts(data, growth, news, shared);
    GR_THREADS(t, GR_GROWTH_THREADS)
    {
        if (t < news) {
            const gr_device_cut cut = gr_growth_best(growth, shared, t);

            gr_growth_write(data, growth, t, &cut);
            if (growth->chooses)
                gr_growth_add(data, growth, t, &cut, shared);
        }
    }
    if (!growth->chooses)
        return;
    GR_BARRIER();
    gr_growth_order(growth, news, shared);
    ordered =
        shared->ordered + 1 < growth->rules.leaves ? shared->ordered : growth->rules.leaves - 1;
    gr_growth_choose(growth, ordered, shared);
    gr_growth_batch(data, growth, ordered, shared);
}

#endif
