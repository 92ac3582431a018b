/* SPDX-License-Identifier: Apache-2.0 */
/* Partitions the rows of the nodes of a batch. A block has some rows of one node. It reserves room at the
 * front of the node's range for its left rows and at the back for its right rows, so that blocks do not
 * wait for each other; the order of blocks in a list is arbitrary, and nothing depends on it. */
#ifndef GR_PLUGINS_CUDA_LISTS_BODY_H
#define GR_PLUGINS_CUDA_LISTS_BODY_H

#include "tree_plan.h"

enum {
    GR_PART_THREADS = 256,
    GR_PART_EACH = 8,
    GR_PART_ROWS = GR_PART_THREADS * GR_PART_EACH,
    GR_PART_VOTES = GR_PART_ROWS / 32,
    GR_CLEAR_ENTRIES = 8192 /* of a histogram, that one block clears */
};

typedef struct gr_part_shared {
    uint32_t votes[GR_PART_VOTES];  /* which rows go left */
    uint32_t before[GR_PART_VOTES]; /* left rows of earlier votes */
    uint32_t left, right;           /* positions of the first left and right row of the block */
} gr_part_shared;

/* The split of a block: the last one that starts at or before it. */
GR_DEVICE uint32_t gr_split_of_block(const gr_split_batch *batch, uint32_t block)
{
    uint32_t low = 0, high = batch->count;

    while (high - low > 1) {
        const uint32_t middle = (low + high) / 2;

        if (batch->first_block[middle] <= block)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Whether rows may be added to a histogram by several items, so that it has to be cleared. */
GR_DEVICE bool gr_is_cleared(const gr_tree_data *data, const gr_split_batch *batch, uint32_t s)
{
    const gr_device_split *split = &batch->split[s];
    const uint32_t scanned =
        split->scan == GR_SCAN_SMALL && !batch->root ? split->count / 2 : split->count;

    return split->scan != GR_SCAN_NONE && (data->columns16 || scanned > GR_SUMS_LEAST);
}

GR_HOST_AND_DEVICE uint32_t gr_clear_parts(const gr_tree_data *data)
{
    return (data->entries + GR_CLEAR_ENTRIES - 1) / GR_CLEAR_ENTRIES;
}

/* Clears a part of the histograms that rows are going to be added to: the first of a split or, if
 * both children are scanned, both. */
GR_DEVICE void gr_clear_body(const gr_tree_data *data, const gr_split_batch *batch, uint32_t block)
{
    const uint32_t parts = gr_clear_parts(data), s = block / parts / 2;
    const gr_device_split *split = &batch->split[s];
    const uint32_t which = block / parts % 2, first = block % parts * GR_CLEAR_ENTRIES;
    const uint32_t end =
        data->entries - first < GR_CLEAR_ENTRIES ? data->entries : first + GR_CLEAR_ENTRIES;

    if (!gr_is_cleared(data, batch, s) || (which == 1 && split->scan != GR_SCAN_BOTH))
        return;
    GR_THREADS(t, GR_PART_THREADS)
    {
        uint64_t *sums = data->sums + split->slots[which] * data->slot_words;

        for (uint64_t i = (uint64_t)first * data->words + t; i < (uint64_t)end * data->words;
             i += GR_PART_THREADS)
            sums[i] = 0;
        if (data->counts)
            for (uint32_t i = first + t; i < end; i += GR_PART_THREADS)
                data->counts[(uint64_t)split->slots[which] * data->entries + i] = 0;
    }
}

GR_DEVICE void gr_part_body(const gr_tree_data *data, const gr_split_batch *batch, uint32_t block,
                            gr_part_shared *shared)
{
    const uint32_t s = gr_split_of_block(batch, block);
    const gr_device_split chosen = batch->split[s], *split = &chosen;
    const gr_row_list *from = &data->lists[split->list];
    const gr_row_list *to = &data->lists[gr_next_list(split->list)];
    const uint32_t first = (block - batch->first_block[s]) * GR_PART_ROWS;

    GR_THREADS(t, GR_PART_THREADS)
    {
        uint32_t bins[GR_PART_EACH];

        /* all loads come before the votes, so that they wait together */
        GR_UNROLL
        for (uint32_t k = 0; k < GR_PART_EACH; k++) {
            const uint32_t i = first + k * GR_PART_THREADS + t;

            bins[k] = i < split->count
                          ? gr_bin_of(data, split->column, gr_row_of(from, split->start + i))
                          : UINT32_MAX - 1;
        }
        GR_UNROLL
        for (uint32_t k = 0; k < GR_PART_EACH; k++)
            gr_vote(&shared->votes[(k * GR_PART_THREADS + t) / 32], t % 32,
                    bins[k] <= split->bin || bins[k] == split->missing);
    }
    GR_BARRIER();
    GR_THREADS(t, GR_PART_THREADS)
    {
        uint32_t before = 0;

        if (t >= GR_PART_VOTES)
            continue;
        for (uint32_t v = 0; v < t; v++)
            before += gr_bits_set(shared->votes[v]);
        shared->before[t] = before;
        if (t == GR_PART_VOTES - 1) {
            const uint32_t rows =
                split->count - first < GR_PART_ROWS ? split->count - first : GR_PART_ROWS;
            const uint32_t lefts = before + gr_bits_set(shared->votes[t]), rights = rows - lefts;
            uint32_t *cursor = data->cursors + batch->cursor + 2 * s;

            shared->left = split->start + gr_atomic_add_u32(cursor, lefts);
            shared->right =
                split->start + split->count - rights - gr_atomic_add_u32(cursor + 1, rights);
        }
    }
    GR_BARRIER();
    GR_THREADS(t, GR_PART_THREADS)
    {
        uint32_t rows[GR_PART_EACH];
        uint64_t words[GR_PART_EACH];

        GR_UNROLL
        for (uint32_t k = 0; k < GR_PART_EACH; k++) {
            const uint32_t i = first + k * GR_PART_THREADS + t;
            const uint32_t at = split->start + (i < split->count ? i : first);

            rows[k] = gr_row_of(from, at);
            words[k] = from->words[at];
        }
        GR_UNROLL
        for (uint32_t k = 0; k < GR_PART_EACH; k++) {
            const uint32_t at = k * GR_PART_THREADS + t, i = first + at;
            const uint32_t vote = shared->votes[at / 32];
            const uint32_t lefts =
                shared->before[at / 32] + gr_bits_set(vote & ((1u << t % 32) - 1u));
            const uint32_t place =
                vote >> t % 32 & 1 ? shared->left + lefts : shared->right + (at - lefts);

            if (i < split->count) {
                to->rows[place] = rows[k];
                to->words[place] = words[k];
            }
        }
    }
    GR_BARRIER();
}

/* Partitions the rows of a batch and clears the histograms of the children. */
GR_DEVICE void gr_lists_body(const gr_tree_data *data, const gr_split_batch *batch, uint32_t block,
                             uint32_t blocks, gr_part_shared *shared)
{
    const uint32_t parts = batch->part_blocks;
    const uint32_t all = parts + 2 * batch->count * gr_clear_parts(data);

    for (uint32_t part = block; part < all; part += blocks)
        if (part < parts)
            gr_part_body(data, batch, part, shared);
        else
            gr_clear_body(data, batch, part - parts);
}

#endif
