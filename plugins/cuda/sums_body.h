/* SPDX-License-Identifier: Apache-2.0 */
/* Histograms of the nodes of a batch.
 *
 * The rows of the scanned nodes are divided into items, a panel of some rows each, one or two per block:
 * how many rows a node has is only known after the partition, so the blocks divide them here. A block
 * adds the rows of an item in shared memory, with 32-bit sums, which cannot overflow (see quantize.h).
 * There a bin has one bank per column: at any time the lanes of a warp update different columns, or
 * different copies of them in a panel of fewer than 32, so that they never wait for each other.
 *
 * Of wide sums, an item has either the gradients or the hessians of at most GR_SUMS_WIDE_ROWS rows: the upper and
 * the lower 16 bits of the numbers, of at most 31 bits, are added apart, again without overflow, and put
 * together in the 64 bits of the histogram. Hessians that are all 1 are counted together with the gradients.
 *
 * The root of a tree may be scanned together with that of the next output, if hessians are all 1: the third array
 * of shared memory then counts the rows for both, and the other two have the gradients of one each.
 *
 * Columns of panels with more than GR_SMALL_BINS bins are added directly to the histogram, which is slower.
 *
 * Before that the blocks fill the gaps that the partition has left in lists, which no scanned node has. */
#ifndef GR_PLUGINS_CUDA_SUMS_BODY_H
#define GR_PLUGINS_CUDA_SUMS_BODY_H

#include "lists_body.h"

enum {
    GR_SUMS_THREADS = 512,
    GR_SUMS_DEEP = 4, /* rows that a thread loads at once */
    GR_SUMS_SCANS = 2 * GR_DEVICE_BATCH,
    GR_SUMS_FEW = 8,     /* nodes whose rows are divided into one item per block */
    GR_SUMS_ROUND = 128, /* rows of an item are a multiple of it */
    GR_SUMS_WIDE_ROWS =
        1 << 16 /* most of an item of wide sums: 2^16 numbers below 2^16 fit 32 bits */
};

/* What is added: constants, so that code for other cases is left out. */
typedef struct gr_sums_kind {
    bool rows;  /* rows are counted, into the third array of shared memory: gr_sums_count_rows */
    bool wide;  /* data->words is 2 */
    bool mixed; /* some panels have more than GR_SMALL_BINS bins */
    bool pair;  /* roots of two outputs are scanned together; without the others */
} gr_sums_kind;

/* What is to be scanned, and its division into items. */
typedef struct gr_sums_shared {
    uint32_t rows[GR_SUMS_SCANS];
    uint32_t items[GR_SUMS_SCANS];
    uint32_t first[GR_SUMS_SCANS + 1]; /* item */
    gr_gaps_shared gaps;
    uint64_t each; /* rows of an item; a number that aligns what comes after the struct */
} gr_sums_shared;

/* An item: the rows of a node in the columns of a panel. */
typedef struct gr_sums_item {
    const gr_panel *panel;
    const gr_row_list *list;
    uint32_t first, end; /* in the list */
    uint32_t slot;
    uint32_t half; /* of wide sums: 0 gradients, and hessians that are all 1; 1 other hessians */
    bool rows;     /* rows are counted */
    bool alone;    /* no other item adds to the same panel */
    bool pair;     /* of two outputs */
} gr_sums_item;

/* Whether the blocks of a batch count rows. */
GR_HOST_AND_DEVICE bool gr_sums_count_rows(const gr_tree_data *data)
{
    return data->counts || (data->words == 2 && data->unit);
}

/* Items with the same rows and panel. */
GR_DEVICE uint32_t gr_sums_halves(const gr_tree_data *data)
{
    return data->words == 2 && !data->unit ? 2 : 1;
}

/* The rows of an item: enough items for all blocks, but not more than are of use. */
GR_DEVICE uint32_t gr_sums_each(const gr_tree_data *data, uint32_t children, uint32_t blocks,
                                const gr_sums_shared *shared)
{
    const uint32_t pieces = data->panels * gr_sums_halves(data);
    uint64_t all = 0;
    uint32_t each, scans = 0, parts;

    for (uint32_t i = 0; i < children; i++) {
        all += shared->rows[i];
        scans += shared->rows[i] > 0;
    }
    /* the last part of each node is smaller, on average by half */
    parts = blocks * (scans > GR_SUMS_FEW ? 2 : 1) / pieces;
    parts = parts > scans ? parts - scans / 2 : (parts + 1) / 2;
    all = all / (parts ? parts : 1) + 1;
    each = all < GR_SUMS_LEAST ? GR_SUMS_LEAST : (uint32_t)all;
    each = (each + GR_SUMS_ROUND - 1) / GR_SUMS_ROUND * GR_SUMS_ROUND;
    return data->words == 2 && each > GR_SUMS_WIDE_ROWS ? GR_SUMS_WIDE_ROWS : each;
}

/* Divides the rows into items and counts gaps. Returns the number of items. */
GR_DEVICE uint32_t gr_sums_divide(const gr_tree_data *data, const gr_split_batch *batch,
                                  uint32_t blocks, gr_sums_shared *shared)
{
    const uint32_t children = 2 * batch->count, pieces = data->panels * gr_sums_halves(data);

    GR_THREADS(t, GR_SUMS_THREADS)
    {
        if (t < children)
            shared->rows[t] = gr_is_scanned(data, batch, t / 2, t % 2)
                                  ? gr_child_of(data, batch, t / 2, t % 2).count
                                  : 0;
        else if (t >= GR_SUMS_SCANS)
            gr_gaps_load(data, batch, t - GR_SUMS_SCANS, &shared->gaps);
    }
    GR_BARRIER();
    GR_THREADS(t, GR_SUMS_THREADS)
    {
        if (t < children) {
            const uint32_t each = gr_sums_each(data, children, blocks, shared);

            shared->items[t] = (shared->rows[t] + each - 1) / each * pieces;
            if (t == 0)
                shared->each = each;
        } else if (t >= GR_SUMS_SCANS) {
            gr_gaps_add(batch, t - GR_SUMS_SCANS, &shared->gaps);
        }
    }
    GR_BARRIER();
    GR_THREADS(t, GR_SUMS_THREADS)
    {
        uint32_t items = 0;

        for (uint32_t i = 0; t <= children && i < t; i++)
            items += shared->items[i];
        if (t <= children)
            shared->first[t] = items;
    }
    GR_BARRIER();
    return shared->first[children];
}

/* Panels change fastest, so that blocks that run at the same time read the same rows. */
GR_DEVICE gr_sums_item gr_sums_item_at(const gr_tree_data *data, const gr_split_batch *batch,
                                       const gr_sums_shared *shared, uint32_t number)
{
    const uint32_t halves = gr_sums_halves(data), pieces = data->panels * halves;
    const uint32_t each = (uint32_t)shared->each;
    uint32_t low = 0, high = 2 * batch->count;
    gr_child child;
    gr_sums_item item;

    while (high - low > 1) {
        const uint32_t middle = (low + high) / 2;

        if (shared->first[middle] <= number)
            low = middle;
        else
            high = middle;
    }
    child = gr_child_of(data, batch, low / 2, low % 2);
    number -= shared->first[low];
    item.panel = &data->panel[number % data->panels];
    item.half = number / data->panels % halves;
    item.rows = data->counts ? item.half + 1 == halves : data->words == 2 && data->unit;
    item.pair = batch->root && data->pair_words;
    item.list = &data->lists[child.list];
    item.slot = child.slot;
    item.alone = child.count <= each;
    item.first = child.start + number / pieces * each;
    item.end = child.start + child.count;
    if (item.end - item.first > each)
        item.end = item.first + each;
    return item;
}

/* lanes: 2 sums, and 3 with row counts or of two outputs; each is GR_SMALL_BINS x GR_PANEL. */
GR_DEVICE void gr_sums_add(const gr_tree_data *data, const gr_sums_item *item, gr_sums_kind kind,
                           uint32_t *lanes, uint32_t t)
{
    const uint32_t width = item->panel->width, per_row = width / 8;
    const uint32_t octet = t % per_row, line = t / per_row, lines = GR_SUMS_THREADS / per_row;
    /* the line within the warp */
    const uint32_t turn = t % 32 / per_row;
    const bool pair = kind.pair && item->pair;
    const bool counted = pair || (kind.rows && (!kind.wide || item->rows));
    uint32_t *uppers = lanes + turn / 8 * width + octet * 8;
    uint32_t *lowers = uppers + GR_SMALL_BINS * GR_PANEL;
    uint32_t *counts = counted ? lowers + GR_SMALL_BINS * GR_PANEL : lowers;
    const uint8_t *bytes = data->bytes + item->panel->at + octet * 8;
    const uint64_t stride = item->panel->stride;

    for (uint32_t i = item->first + line; i < item->end; i += GR_SUMS_DEEP * lines) {
        uint64_t bins[GR_SUMS_DEEP], words[GR_SUMS_DEEP], others[GR_SUMS_DEEP];

        GR_UNROLL
        for (uint32_t d = 0; d < GR_SUMS_DEEP; d++) {
            const uint32_t at = i + d * lines < item->end ? i + d * lines : item->first;

            words[d] = item->list->words[at];
            others[d] = pair ? data->pair_words[at] : 0;
            bins[d] = *(const uint64_t *)(const void *)(bytes + gr_row_of(item->list, at) * stride);
        }
        GR_UNROLL
        for (uint32_t d = 0; d < GR_SUMS_DEEP; d++) {
            const uint32_t gradient = (uint32_t)(words[d] >> 32), hessian = (uint32_t)words[d];
            const uint32_t number = item->half ? hessian : gradient;
            const uint32_t upper = kind.wide ? (uint32_t)((int32_t)number >> 16) : gradient;
            const uint32_t lower = pair        ? (uint32_t)(others[d] >> 32)
                                   : kind.wide ? number & 0xffff
                                               : hessian;
            const uint32_t low = turn % 8;
            const uint64_t turned = low ? bins[d] >> 8 * low | bins[d] << (64 - 8 * low) : bins[d];

            if (i + d * lines >= item->end)
                continue;
            GR_UNROLL
            for (uint32_t k = 0; k < 8; k++) {
                const uint32_t bin = (uint32_t)(turned >> 8 * k) & 0xff;
                const uint32_t at = bin * GR_PANEL + ((k + turn) & 7);

                gr_atomic_add_u32(uppers + at, upper);
                gr_atomic_add_u32(lowers + at, lower);
                if (counted)
                    gr_atomic_add_u32(counts + at, 1);
            }
        }
    }
}

/* Sets a number of a histogram that no other item adds to, or adds to it. */
GR_DEVICE void gr_sums_put(bool alone, uint64_t *sum, uint64_t more)
{
    if (alone)
        *sum = more;
    else if (more)
        gr_atomic_add_u64(sum, more);
}

/* Where the sums of an item go. */
typedef struct gr_sums_target {
    uint64_t *sums;
    uint32_t *counts; /* NULL: none */
    bool alone, unit;
    uint32_t half;
} gr_sums_target;

GR_DEVICE gr_sums_target gr_sums_target_of(const gr_tree_data *data, const gr_sums_item *item,
                                           gr_sums_kind kind)
{
    const uint32_t start = item->panel->start;
    const bool counted = kind.rows && (!kind.wide || item->rows);
    gr_sums_target to;

    to.unit = kind.wide && counted && data->unit;
    to.sums = data->sums + item->slot * data->slot_words + (uint64_t)start * (kind.wide ? 2 : 1);
    to.counts =
        counted && !to.unit ? data->counts + (uint64_t)item->slot * data->entries + start : NULL;
    to.alone = item->alone;
    to.half = item->half;
    return to;
}

/* Puts the sums of entry i. */
GR_DEVICE void gr_sums_put_entry(const gr_sums_target *to, gr_sums_kind kind, uint32_t i,
                                 uint32_t upper, uint32_t lower, uint32_t rows)
{
    if (!kind.wide)
        /* a gradient is signed: its bits above the upper half do not matter */
        gr_sums_put(to->alone, to->sums + i, ((uint64_t)upper << 32) + lower);
    else
        gr_sums_put(to->alone, to->sums + 2 * (uint64_t)i + to->half,
                    (uint64_t)((int64_t)(int32_t)upper * 65536) + lower);
    if (to->unit)
        gr_sums_put(to->alone, to->sums + 2 * (uint64_t)i + 1, rows);
    else if (to->counts && to->alone)
        to->counts[i] = rows;
    else if (to->counts && rows)
        gr_atomic_add_u32(to->counts + i, rows);
}

/* Adds the sums of roots of two outputs to their histograms. */
GR_DEVICE void gr_sums_flush_pair(const gr_tree_data *data, const gr_sums_item *item,
                                  const uint32_t *lanes, uint32_t t)
{
    const uint32_t width = item->panel->width, column = t % width, end = item->panel->bins * width;
    const uint32_t step = GR_SUMS_THREADS / width * GR_PANEL;
    uint64_t *sums = data->sums + item->slot * data->slot_words + item->panel->start;
    uint64_t *others = data->sums + data->pair_slot * data->slot_words + item->panel->start;
    uint32_t at = t / width * GR_PANEL + column;

    for (uint32_t i = t; i < end; i += GR_SUMS_THREADS, at += step) {
        uint32_t found[3] = { 0, 0, 0 };

        for (uint32_t copy = at; copy < at + GR_PANEL - column; copy += width)
            for (uint32_t lane = 0; lane < 3; lane++)
                found[lane] += lanes[lane * GR_SMALL_BINS * GR_PANEL + copy];
        gr_sums_put(item->alone, sums + i, ((uint64_t)found[0] << 32) + found[2]);
        gr_sums_put(item->alone, others + i, ((uint64_t)found[1] << 32) + found[2]);
    }
}

/* Adds the sums of an item to the histogram. A thread always has the same column, because the number of
 * threads is a multiple of the width. */
GR_DEVICE void gr_sums_flush(const gr_tree_data *data, const gr_sums_item *item, gr_sums_kind kind,
                             const uint32_t *lanes, uint32_t t)
{
    const gr_sums_target to = gr_sums_target_of(data, item, kind);
    const uint32_t width = item->panel->width, column = t % width, end = item->panel->bins * width;
    const uint32_t step = GR_SUMS_THREADS / width * GR_PANEL;
    const uint32_t *lowers = lanes + GR_SMALL_BINS * GR_PANEL;
    const uint32_t *counts = kind.rows ? lowers + GR_SMALL_BINS * GR_PANEL : lowers;
    uint32_t at = t / width * GR_PANEL + column;

    if (width == GR_PANEL) {
        GR_UNROLL_FEW
        for (uint32_t i = t; i < end; i += GR_SUMS_THREADS)
            gr_sums_put_entry(&to, kind, i, lanes[i], lowers[i], kind.rows ? counts[i] : 0);
        return;
    }
    for (uint32_t i = t; i < end; i += GR_SUMS_THREADS, at += step) {
        uint32_t upper = 0, lower = 0, rows = 0;

        for (uint32_t copy = at; copy < at + GR_PANEL - column; copy += width) {
            upper += lanes[copy];
            lower += lowers[copy];
            rows += kind.rows ? counts[copy] : 0;
        }
        gr_sums_put_entry(&to, kind, i, upper, lower, rows);
    }
}

/* Adds rows to the histogram directly. */
GR_DEVICE void gr_sums_add_directly(const gr_tree_data *data, const gr_sums_item *item,
                                    gr_sums_kind kind, uint32_t t)
{
    const gr_sums_target to = gr_sums_target_of(data, item, kind);
    const gr_panel *panel = item->panel;

    for (uint32_t c = 0; c < panel->width && panel->first + c < data->columns; c++)
        for (uint32_t i = item->first + t; i < item->end; i += GR_SUMS_THREADS) {
            const uint32_t row = gr_row_of(item->list, i);
            const uint64_t word = item->list->words[i];
            const uint32_t at = gr_bin_of(data, panel->first + c, row) * panel->width + c;

            if (!kind.wide)
                gr_atomic_add_u64(to.sums + at, word);
            else if (item->half)
                gr_atomic_add_u64(to.sums + 2 * (uint64_t)at + 1, (uint32_t)word);
            else
                gr_atomic_add_u64(to.sums + 2 * (uint64_t)at,
                                  (uint64_t)(int64_t)(int32_t)(word >> 32));
            if (to.unit)
                gr_atomic_add_u64(to.sums + 2 * (uint64_t)at + 1, 1);
            else if (to.counts)
                gr_atomic_add_u32(to.counts + at, 1);
        }
}

/* lanes: shared memory of 2 or, if rows are counted, 3 x GR_SMALL_BINS x GR_PANEL numbers. */
GR_DEVICE void gr_sums_body(const gr_tree_data *data, const gr_split_batch *batch,
                            gr_sums_kind kind, uint32_t block, uint32_t blocks,
                            gr_sums_shared *shared, uint32_t *lanes)
{
    const uint32_t items = gr_sums_divide(data, batch, blocks, shared);

    GR_THREADS(t, GR_SUMS_THREADS)
    {
        gr_fill_gaps(data, batch, block * GR_SUMS_THREADS + t, blocks * GR_SUMS_THREADS,
                     &shared->gaps);
    }
    for (uint32_t number = block; number < items; number += blocks) {
        const gr_sums_item item = gr_sums_item_at(data, batch, shared, number);
        const uint32_t used = item.panel->bins * GR_PANEL;

        if (kind.mixed && item.panel->bins > GR_SMALL_BINS) {
            GR_THREADS(t, GR_SUMS_THREADS)
            {
                gr_sums_add_directly(data, &item, kind, t);
            }
            continue;
        }
        GR_THREADS(t, GR_SUMS_THREADS)
        {
            const uint32_t used_lanes = kind.rows || (kind.pair && item.pair) ? 3 : 2;

            for (uint32_t lane = 0; lane < used_lanes; lane++) {
                GR_UNROLL_FEW
                for (uint32_t i = 2 * t; i < used; i += 2 * GR_SUMS_THREADS)
                    gr_clear_pair(lanes + lane * GR_SMALL_BINS * GR_PANEL + i);
            }
        }
        GR_BARRIER();
        GR_THREADS(t, GR_SUMS_THREADS)
        {
            gr_sums_add(data, &item, kind, lanes, t);
        }
        GR_BARRIER();
        GR_THREADS(t, GR_SUMS_THREADS)
        {
            if (kind.pair && item.pair)
                gr_sums_flush_pair(data, &item, lanes, t);
            else
                gr_sums_flush(data, &item, kind, lanes, t);
        }
        GR_BARRIER();
    }
}

#endif
