/* SPDX-License-Identifier: Apache-2.0 */
/* Partitions the rows of the nodes of a batch. A block has some rows of one node. It reserves room by adding to
 * cursors, so that blocks do not wait for each other; the order of blocks in a list is arbitrary, and nothing
 * depends on it.
 *
 * If all rows move to the other list, two of its three cursors are used: left rows are put at the front, right rows at
 * the back. If the rows of the larger child stay (gr_device_split), most are not even read, only the bins of all rows.
 * The rows of the smaller child move, and then rows of the larger one from the tail fill the gaps: the tail is the end
 * of the range, with as many places as the smaller child has rows. The cursors then count the gaps, the rows of the
 * smaller child in the tail, and the other rows there. */
#ifndef GR_PLUGINS_CUDA_LISTS_BODY_H
#define GR_PLUGINS_CUDA_LISTS_BODY_H

#include "tree_plan.h"

enum {
    GR_PART_THREADS = 256,
    GR_PART_EACH = 8,
    GR_PART_ROWS = GR_PART_THREADS * GR_PART_EACH,
    GR_PART_VOTES = GR_PART_ROWS / 32,
    GR_PART_WARPS = GR_PART_THREADS / 32,
    GR_CLEAR_ENTRIES = 8192 /* of a histogram, that one block clears */
};

typedef struct gr_part_shared {
    uint32_t votes[GR_PART_VOTES]; /* which rows go left, or to the smaller child */
    /* the first of each warp by cursor, within the block; and the totals */
    uint32_t warp[GR_PART_WARPS][GR_CURSORS], total[GR_CURSORS];
    uint32_t start[GR_CURSORS]; /* of the block */
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

/* The slot of a histogram of a split that has to be cleared, UINT32_MAX: none. which: 0 or, if both
 * children are scanned or roots of two outputs, 1. */
GR_DEVICE uint32_t gr_cleared_slot(const gr_tree_data *data, const gr_split_batch *batch,
                                   uint32_t s, uint32_t which)
{
    const gr_device_split *split = &batch->split[s];

    if (!gr_is_cleared(data, batch, s) || (batch->root && data->root_ready))
        return UINT32_MAX;
    if (which == 0 || split->scan == GR_SCAN_BOTH)
        return split->slots[which];
    return batch->root && data->pair_words ? data->pair_slot : UINT32_MAX;
}

/* Clears a part of a histogram that rows are going to be added to. */
GR_DEVICE void gr_clear_body(const gr_tree_data *data, const gr_split_batch *batch, uint32_t block)
{
    const uint32_t parts = gr_clear_parts(data), first = block % parts * GR_CLEAR_ENTRIES;
    const uint32_t slot = gr_cleared_slot(data, batch, block / parts / 2, block / parts % 2);
    const uint32_t end =
        data->entries - first < GR_CLEAR_ENTRIES ? data->entries : first + GR_CLEAR_ENTRIES;

    if (slot == UINT32_MAX)
        return;
    GR_THREADS(t, GR_PART_THREADS)
    {
        uint64_t *sums = data->sums + slot * data->slot_words;

        for (uint64_t i = (uint64_t)first * data->words + t; i < (uint64_t)end * data->words;
             i += GR_PART_THREADS)
            sums[i] = 0;
        if (data->counts)
            for (uint32_t i = first + t; i < end; i += GR_PART_THREADS)
                data->counts[(uint64_t)slot * data->entries + i] = 0;
    }
}

/* Votes which of the rows of a block go left or, if `right`, right. */
GR_DEVICE void gr_part_vote(const gr_tree_data *data, const gr_device_split *split, uint32_t first,
                            bool right, gr_part_shared *shared)
{
    const gr_row_list *from = &data->lists[split->list];
    const uint32_t start = split->start + first, end = split->start + split->count;

    GR_THREADS(t, GR_PART_THREADS)
    {
        uint32_t rows[GR_PART_EACH], bins[GR_PART_EACH];

        if (t < GR_CURSORS)
            shared->total[t] = 0;
        /* all loads come before the votes, so that they wait together */
        GR_LOAD_ROWS(from, rows, GR_PART_EACH, start + t, GR_PART_THREADS, end, start);
        GR_UNROLL
        for (uint32_t k = 0; k < GR_PART_EACH; k++)
            bins[k] = gr_bin_of(data, split->column, rows[k]);
        GR_UNROLL
        for (uint32_t k = 0; k < GR_PART_EACH; k++) {
            const uint32_t at = k * GR_PART_THREADS + t;
            const bool left = bins[k] <= split->bin || bins[k] == split->missing;

            gr_vote(&shared->votes[at / 32], t % 32, start + at < end && left != right);
        }
    }
    GR_BARRIER();
}

/* The bits of the rows at `at` and the 31 positions after it that are before `end`. */
GR_DEVICE uint32_t gr_bits_before(uint32_t at, uint32_t end)
{
    return at >= end ? 0 : end - at >= 32 ? UINT32_MAX : (1u << (end - at)) - 1u;
}

/* Adds up the votes of a warp by cursor; most are for rows before the tail. */
GR_DEVICE void gr_part_count(uint32_t t, uint32_t count, uint32_t tail, const uint32_t *votes,
                             uint32_t *counts)
{
    GR_UNROLL
    for (uint32_t k = 0; k < GR_PART_EACH; k++) {
        const uint32_t at = k * GR_PART_THREADS + t, vote = votes[at / 32];
        const uint32_t before = gr_bits_before(at, tail);

        if (before == UINT32_MAX) {
            counts[0] += gr_bits_set(vote);
            continue;
        }
        counts[0] += gr_bits_set(vote & before);
        counts[1] += gr_bits_set(vote & ~before);
        counts[2] += gr_bits_set(~vote & ~before & gr_bits_before(at, count));
    }
}

/* Counts the votes of each warp and reserves room for the block: rows in favour before the tail, such rows
 * in it, and others in it. The block has `count` rows or the maximum, those from `tail` on in the tail. */
GR_DEVICE void gr_part_reserve(uint32_t count, uint32_t tail, uint32_t *cursors,
                               gr_part_shared *shared)
{
    GR_THREADS(t, GR_PART_THREADS)
    {
        uint32_t counts[GR_CURSORS] = { 0, 0, 0 };

        if (t % 32)
            continue;
        gr_part_count(t, count, tail, shared->votes, counts);
        GR_UNROLL
        for (uint32_t c = 0; c < GR_CURSORS; c++)
            shared->warp[t / 32][c] = gr_atomic_add_u32(&shared->total[c], counts[c]);
    }
    GR_BARRIER();
    GR_THREADS(t, GR_PART_THREADS)
    {
        if (t < GR_CURSORS)
            shared->start[t] =
                shared->total[t] ? gr_atomic_add_u32(cursors + t, shared->total[t]) : 0;
    }
    GR_BARRIER();
}

/* Moves all rows of a block to the other list: the tail is all. */
GR_DEVICE void gr_part_all(const gr_tree_data *data, const gr_device_split *split, uint32_t first,
                           uint32_t *cursors, gr_part_shared *shared)
{
    const gr_row_list *from = &data->lists[split->list];
    const gr_row_list *to = &data->lists[gr_next_list(split->list)];
    const uint32_t start = split->start + first, end = split->start + split->count;

    gr_part_vote(data, split, first, false, shared);
    gr_part_reserve(split->count - first, 0, cursors, shared);
    GR_THREADS(t, GR_PART_THREADS)
    {
        uint32_t rows[GR_PART_EACH];
        uint64_t words[GR_PART_EACH];
        uint32_t left = split->start + shared->start[1] + shared->warp[t / 32][1];
        uint32_t right = end - 1 - shared->start[2] - shared->warp[t / 32][2];

        GR_LOAD_ROWS(from, rows, GR_PART_EACH, start + t, GR_PART_THREADS, end, start);
        GR_UNROLL
        for (uint32_t k = 0; k < GR_PART_EACH; k++) {
            const uint32_t at = start + k * GR_PART_THREADS + t;

            words[k] = from->words[at < end ? at : start];
        }
        GR_UNROLL
        for (uint32_t k = 0; k < GR_PART_EACH; k++) {
            const uint32_t at = k * GR_PART_THREADS + t, vote = shared->votes[at / 32];
            const uint32_t lefts = gr_bits_set(vote & ((1u << t % 32) - 1u));
            const uint32_t place = vote >> t % 32 & 1 ? left + lefts : right - (t % 32 - lefts);

            if (start + at < end) {
                to->rows[place] = rows[k];
                to->words[place] = words[k];
            }
            left += gr_bits_set(vote);
            right -= 32 - gr_bits_set(vote);
        }
    }
    GR_BARRIER();
}

/* Moves the rows of the smaller child of a block to the other list, and notes the gaps and the rows that
 * will fill them (gr_fill_gaps). */
GR_DEVICE void gr_part_smaller(const gr_tree_data *data, const gr_device_split *split,
                               uint32_t first, uint32_t *cursors, gr_part_shared *shared)
{
    const gr_row_list *from = &data->lists[split->list];
    const gr_row_list *to = &data->lists[gr_next_list(split->list)];
    const bool right = split->lefts > split->count - split->lefts;
    const uint32_t larger = right ? split->lefts : split->count - split->lefts;
    const uint32_t start = split->start, count = split->count - first;
    const uint32_t tail = larger > first ? larger - first : 0; /* of the block */

    gr_part_vote(data, split, first, right, shared);
    gr_part_reserve(count, tail, cursors, shared);
    GR_THREADS(t, GR_PART_THREADS)
    {
        const uint32_t *warp = shared->warp[t / 32], below = (1u << t % 32) - 1u;
        uint32_t gap = start + shared->start[0] + warp[0];
        uint32_t last = start + split->count - 1 - (shared->start[1] + warp[1]);
        uint32_t filler = start + (split->count - larger) + shared->start[2] + warp[2];

        GR_UNROLL
        for (uint32_t k = 0; k < GR_PART_EACH; k++) {
            const uint32_t at = k * GR_PART_THREADS + t, word = at - t % 32;
            const uint32_t before = gr_bits_before(word, tail), vote = shared->votes[at / 32];

            if (vote == 0 && before == UINT32_MAX)
                continue;
            const uint32_t others = ~vote & ~before & gr_bits_before(word, count);
            const uint32_t i = start + first + at;

            if (vote >> t % 32 & 1) {
                const uint32_t own = gap + gr_bits_set(vote & before & below);
                const uint32_t place =
                    at < tail ? own + larger : last - gr_bits_set(vote & ~before & below);

                to->rows[place] = from->rows[i];
                to->words[place] = from->words[i];
                if (at < tail)
                    data->gaps[own] = i;
            } else if (others >> t % 32 & 1) {
                data->gaps[filler + gr_bits_set(others & below)] = i;
            }
            gap += gr_bits_set(vote & before);
            last -= gr_bits_set(vote & ~before);
            filler += gr_bits_set(others);
        }
    }
    GR_BARRIER();
}

GR_DEVICE void gr_part_body(const gr_tree_data *data, const gr_split_batch *batch, uint32_t block,
                            gr_part_shared *shared)
{
    const uint32_t s = gr_split_of_block(batch, block);
    const gr_device_split split = batch->split[s];
    const uint32_t first = (block - batch->first_block[s]) * GR_PART_ROWS;

    if (gr_larger_stays(&split))
        gr_part_smaller(data, &split, first, gr_cursors_of(data, batch, s), shared);
    else
        gr_part_all(data, &split, first, gr_cursors_of(data, batch, s), shared);
}

/* ---- after the partition ---- */

/* Splits with gaps, and the gaps of those before each. */
typedef struct gr_gaps_shared {
    uint32_t count[GR_DEVICE_BATCH], first[GR_DEVICE_BATCH + 1];
} gr_gaps_shared;

/* Counts the gaps of a batch: two phases, each of thread t with a barrier after it. */
GR_DEVICE void gr_gaps_load(const gr_tree_data *data, const gr_split_batch *batch, uint32_t t,
                            gr_gaps_shared *shared)
{
    if (t < batch->count)
        shared->count[t] =
            !batch->root && gr_larger_stays(&batch->split[t]) ? *gr_cursors_of(data, batch, t) : 0;
}

GR_DEVICE void gr_gaps_add(const gr_split_batch *batch, uint32_t t, gr_gaps_shared *shared)
{
    uint32_t sum = 0;

    for (uint32_t s = 0; s < t && t <= batch->count; s++)
        sum += shared->count[s];
    if (t <= batch->count)
        shared->first[t] = sum;
}

/* Fills the gaps in the lists of a batch: those of thread `thread` of `threads`. */
GR_DEVICE void gr_fill_gaps(const gr_tree_data *data, const gr_split_batch *batch, uint32_t thread,
                            uint32_t threads, const gr_gaps_shared *shared)
{
    for (uint32_t i = thread; i < shared->first[batch->count]; i += threads) {
        uint32_t s = 0;

        while (shared->first[s + 1] <= i)
            s++;
        const gr_device_split *split = &batch->split[s];
        const uint32_t rights = split->count - split->lefts;
        const uint32_t smaller = split->lefts < rights ? split->lefts : rights;
        const uint32_t *gaps = data->gaps + split->start + (i - shared->first[s]);
        const gr_row_list *list = &data->lists[split->list];

        list->rows[gaps[0]] = list->rows[gaps[smaller]];
        list->words[gaps[0]] = list->words[gaps[smaller]];
    }
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
