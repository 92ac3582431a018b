/* SPDX-License-Identifier: Apache-2.0 */
/* Best-first growth in batches: which nodes to expand, with exactly the tree of sequential growth.
 *
 * Sequential growth splits the node that comes first in the queue, until there are enough leaves.
 * Here it is replayed on the part of the tree that is known: a node that is popped but not expanded
 * yet counts as a split without children. Children that become known later only come between the
 * nodes known now and do not change their order, so a node that is not popped now never will be,
 * and those that are popped but not expanded are the candidates for the next batch. Without
 * candidates the tree is complete. An expansion is wasted if later children displace the node: its
 * children are then dropped (gr_keep_best). The first unexpanded node is never displaced. */
#include "learners/tree/grow.h"

#include <math.h>
#include <string.h>

static const uint32_t UNUSED = UINT32_MAX;

/* Pops nodes in the order of sequential growth and numbers them and their children. */
static void replay(gr_grower *grower)
{
    uint32_t splits = 0, names = 0;

    for (size_t i = 0; i < grower->node_count; i++)
        grower->nodes[i].split = UNUSED;
    grower->chosen_count = 0;
    grower->queue.count = 0;
    grower->nodes[0].order = names++;
    if (grower->nodes[0].open)
        gr_queue_push(&grower->queue, grower->nodes, 0);
    while (grower->queue.count > 0 && splits + 1 < grower->leaves) {
        const uint32_t number = gr_queue_pop(&grower->queue, grower->nodes);
        gr_branch *node = &grower->nodes[number];

        node->split = splits++;
        if (!node->left) {
            grower->chosen[grower->chosen_count++] = number;
            continue;
        }
        grower->nodes[node->left].order = names++;
        grower->nodes[node->right].order = names++;
        if (grower->nodes[node->left].open)
            gr_queue_push(&grower->queue, grower->nodes, (uint32_t)node->left);
        if (grower->nodes[node->right].open)
            gr_queue_push(&grower->queue, grower->nodes, (uint32_t)node->right);
    }
    grower->split_count = splits;
}

/* Nodes that are not popped now never will be. Children come after their parents. */
static void close_others(gr_grower *grower)
{
    for (size_t i = grower->node_count; i-- > 0;) {
        gr_branch *node = &grower->nodes[i];

        if (node->split != UNUSED)
            continue;
        if (node->left) {
            gr_carry_displaced(grower, node);
        } else {
            node->open = false;
            gr_histogram_done(grower, node);
        }
    }
}

/* The first nodes of the list, at most half of the missing splits because more would often be
 * wasted, and fewer if the memory for nodes runs out. Each needs a histogram for one of its
 * children; a node that has lost its own, for lack of memory, needs two and is expanded alone. */
static size_t batch_size(const gr_grower *grower)
{
    const size_t missing = grower->leaves - 1 - (grower->split_count - grower->chosen_count);
    const size_t half = (missing + 1) / 2, few = grower->batch / 4;
    /* Of the expanded nodes, only those before the first other one are surely in the tree. All other
     * splits of the tree may need an expansion, the first of this batch among them. */
    const size_t sure = grower->nodes[grower->chosen[0]].split;
    const size_t spare = grower->most_expansions - grower->expansions - (grower->leaves - 2 - sure);
    size_t most = half > few ? half : few;

    /* on a device a step costs more than some wasted nodes */
    if (grower->trees || most > grower->batch)
        most = grower->batch;
    if (most > grower->histograms.idle)
        most = grower->histograms.idle;
    if (most > grower->chosen_count)
        most = grower->chosen_count;
    if (most > spare)
        most = spare;
    for (size_t i = 0; i < most; i++)
        if (grower->nodes[grower->chosen[i]].histogram == GR_NO_HISTOGRAM)
            return i > 0 ? i : 1;
    return most > 0 ? most : 1;
}

size_t gr_choose_batch(gr_grower *grower)
{
    replay(grower);
    close_others(grower);
    return grower->chosen_count > 0 ? batch_size(grower) : 0;
}

/* Merges two neighbouring ascending lists of rows. */
static void merge_lists(uint32_t *rows, size_t lefts, size_t count, uint32_t *spare)
{
    size_t l = 0, r = lefts;

    for (size_t i = 0; i < count; i++)
        spare[i] = r >= count || (l < lefts && rows[l] < rows[r]) ? rows[l++] : rows[r++];
    memcpy(rows, spare, count * sizeof *rows);
}

/* Puts the rows of a node that was partitioned and then displaced back into ascending order. */
static void restore_rows(const gr_grower *grower, const gr_branch *node)
{
    if (!node->left)
        return;
    restore_rows(grower, &grower->nodes[node->left]);
    restore_rows(grower, &grower->nodes[node->right]);
    merge_lists((uint32_t *)grower->rows.at + node->start, grower->nodes[node->left].count,
                node->count, (uint32_t *)grower->spare.at + node->start);
}

static void restore_task(void *argument, size_t index, size_t worker)
{
    const gr_grower *grower = argument;

    (void)worker;
    restore_rows(grower, &grower->nodes[grower->chosen[index]]);
}

static float threshold_of(const gr_cuts *cuts, uint32_t feature, uint32_t bin)
{
    const uint64_t at = cuts->starts[feature] + bin;

    return at < cuts->starts[feature + 1] ? cuts->thresholds[at] : INFINITY;
}

/* Copies a node of the tree to its final place. One that was expanded and then displaced becomes a
 * leaf again and is noted in grower->chosen. */
static void keep_node(gr_grower *grower, uint32_t number)
{
    const gr_branch *node = &grower->nodes[number];
    gr_branch *kept = &grower->spare_nodes[node->order];

    *kept = *node;
    if (node->split != UNUSED) {
        kept->left = (int32_t)grower->nodes[node->left].order;
        kept->right = (int32_t)grower->nodes[node->right].order;
        grower->splits[node->split] =
            (gr_split){ .feature = node->feature,
                        .threshold =
                            threshold_of(&grower->bins->cuts, node->feature, node->best.bin),
                        .gain = (float)node->gain,
                        .missing_left = node->best.missing_left };
    } else if (node->left) {
        kept->left = kept->right = 0;
        grower->chosen[grower->chosen_count++] = number;
    }
}

/* Lists the runs of rows: those of the nodes that were not expanded or whose rows were put back into
 * order, from left to right. */
static void list_runs(gr_grower *grower)
{
    uint32_t *waiting = grower->queue.nodes; /* a stack; the queue is no longer needed */
    size_t depth = 0, runs = 0;

    waiting[depth++] = 0;
    while (depth > 0) {
        const gr_branch *node = &grower->nodes[waiting[--depth]];

        if (node->left && (node->split != UNUSED || !grower->round.ascending || grower->trees)) {
            waiting[depth++] = (uint32_t)node->right;
            waiting[depth++] = (uint32_t)node->left;
        } else {
            grower->run_lists[runs] = node->list;
            grower->run_places[runs] = node->place;
            grower->run_starts[runs++] = node->start;
        }
    }
    grower->run_starts[runs] = (uint32_t)grower->round.count;
    grower->runs = runs;
}

void gr_keep_best(gr_grower *grower)
{
    gr_branch *kept = grower->spare_nodes;

    keep_node(grower, 0);
    for (size_t i = 0; i < grower->node_count; i++)
        if (grower->nodes[i].split != UNUSED) {
            keep_node(grower, (uint32_t)grower->nodes[i].left);
            keep_node(grower, (uint32_t)grower->nodes[i].right);
        }
    if (grower->round.ascending && !grower->trees)
        gr_pool_run(grower->pool, grower->chosen_count, restore_task, grower);
    list_runs(grower);
    grower->spare_nodes = grower->nodes;
    grower->nodes = kept;
    grower->node_count = 2 * grower->split_count + 1;
}
