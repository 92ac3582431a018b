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
 * Columns of panels with more than GR_SMALL_BINS bins are added directly to the histogram, which is slower. */
#ifndef GR_PLUGINS_CUDA_SUMS_BODY_H
#define GR_PLUGINS_CUDA_SUMS_BODY_H

#include "tree_plan.h"

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
} gr_sums_kind;

/* What is to be scanned, and its division into items. */
typedef struct gr_sums_shared {
    uint32_t rows[GR_SUMS_SCANS];
    uint32_t first[GR_SUMS_SCANS + 1]; /* item */
    uint32_t each;                     /* rows of an item */
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

/* Returns the number of items. */
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
    }
    GR_BARRIER();
    GR_THREADS(t, GR_SUMS_THREADS)
    {
        uint64_t all = 0;
        uint32_t each, items = 0, scans = 0, parts;

        if (t > children)
            continue;
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
        if (data->words == 2 && each > GR_SUMS_WIDE_ROWS)
            each = GR_SUMS_WIDE_ROWS;
        for (uint32_t i = 0; i < t; i++)
            items += (shared->rows[i] + each - 1) / each;
        shared->first[t] = items * pieces;
        if (t == 0)
            shared->each = each;
    }
    GR_BARRIER();
    return shared->first[children];
}

/* Panels change fastest, so that blocks that run at the same time read the same rows. */
GR_DEVICE gr_sums_item gr_sums_item_at(const gr_tree_data *data, const gr_split_batch *batch,
                                       const gr_sums_shared *shared, uint32_t number)
{
    const uint32_t halves = gr_sums_halves(data), pieces = data->panels * halves;
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
    item.list = &data->lists[child.list];
    item.slot = child.slot;
    item.alone = child.count <= shared->each;
    item.first = child.start + number / pieces * shared->each;
    item.end = child.start + child.count;
    if (item.end - item.first > shared->each)
        item.end = item.first + shared->each;
    return item;
}

/* lanes: 2 sums, and 3 with row counts; each is GR_SMALL_BINS x GR_PANEL. */
GR_DEVICE void gr_sums_add(const gr_tree_data *data, const gr_sums_item *item, gr_sums_kind kind,
                           uint32_t *lanes, uint32_t t)
{
    const uint32_t width = item->panel->width, per_row = width / 8;
    const uint32_t octet = t % per_row, line = t / per_row, lines = GR_SUMS_THREADS / per_row;
    /* the line within the warp */
    const uint32_t turn = t % 32 / per_row;
    const bool counted = kind.rows && (!kind.wide || item->rows);
    uint32_t *uppers = lanes + turn / 8 * width + octet * 8;
    uint32_t *lowers = uppers + GR_SMALL_BINS * GR_PANEL;
    uint32_t *counts = counted ? lowers + GR_SMALL_BINS * GR_PANEL : lowers;
    const uint8_t *bytes = data->bytes + item->panel->at + octet * 8;
    const uint64_t stride = item->panel->stride;

    for (uint32_t i = item->first + line; i < item->end; i += GR_SUMS_DEEP * lines) {
        uint64_t bins[GR_SUMS_DEEP], words[GR_SUMS_DEEP];

        GR_UNROLL
        for (uint32_t d = 0; d < GR_SUMS_DEEP; d++) {
            const uint32_t at = i + d * lines < item->end ? i + d * lines : item->first;

            words[d] = item->list->words[at];
            bins[d] = *(const uint64_t *)(const void *)(bytes + gr_row_of(item->list, at) * stride);
        }
        GR_UNROLL
        for (uint32_t d = 0; d < GR_SUMS_DEEP; d++) {
            const uint32_t gradient = (uint32_t)(words[d] >> 32), hessian = (uint32_t)words[d];
            const uint32_t number = item->half ? hessian : gradient;
            const uint32_t upper = kind.wide ? (uint32_t)((int32_t)number >> 16) : gradient;
            const uint32_t lower = kind.wide ? number & 0xffff : hessian;
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
GR_DEVICE void gr_sums_put(const gr_sums_item *item, uint64_t *sum, uint64_t more)
{
    if (item->alone)
        *sum = more;
    else if (more)
        gr_atomic_add_u64(sum, more);
}

/* Adds the sums of an item to the histogram. */
GR_DEVICE void gr_sums_flush(const gr_tree_data *data, const gr_sums_item *item, gr_sums_kind kind,
                             const uint32_t *lanes, uint32_t t)
{
    const gr_panel *panel = item->panel;
    const bool counted = kind.rows && (!kind.wide || item->rows);
    const bool unit = kind.wide && counted && data->unit;
    uint64_t *sums =
        data->sums + item->slot * data->slot_words + (uint64_t)panel->start * (kind.wide ? 2 : 1);
    uint32_t *counts = counted && !unit
                           ? data->counts + (uint64_t)item->slot * data->entries + panel->start
                           : NULL;

    for (uint32_t i = t; i < panel->bins * panel->width; i += GR_SUMS_THREADS) {
        const uint32_t at = i / panel->width * GR_PANEL + i % panel->width;
        uint32_t upper = 0, lower = 0, rows = 0;

        for (uint32_t copy = at; copy < at + GR_PANEL - i % panel->width; copy += panel->width) {
            upper += lanes[copy];
            lower += lanes[GR_SMALL_BINS * GR_PANEL + copy];
            rows += counted ? lanes[2 * GR_SMALL_BINS * GR_PANEL + copy] : 0;
        }
        if (!kind.wide)
            /* a gradient is signed: its bits above the upper half do not matter */
            gr_sums_put(item, sums + i, ((uint64_t)upper << 32) + lower);
        else
            gr_sums_put(item, sums + 2 * (uint64_t)i + item->half,
                        (uint64_t)((int64_t)(int32_t)upper * 65536) + lower);
        if (unit)
            gr_sums_put(item, sums + 2 * (uint64_t)i + 1, rows);
        else if (counted && item->alone)
            counts[i] = rows;
        else if (counted && rows)
            gr_atomic_add_u32(counts + i, rows);
    }
}

/* Adds rows to the histogram directly. */
GR_DEVICE void gr_sums_add_directly(const gr_tree_data *data, const gr_sums_item *item,
                                    gr_sums_kind kind, uint32_t t)
{
    const gr_panel *panel = item->panel;
    const bool counted = kind.rows && (!kind.wide || item->rows);
    const bool unit = kind.wide && counted && data->unit;
    uint64_t *sums =
        data->sums + item->slot * data->slot_words + (uint64_t)panel->start * (kind.wide ? 2 : 1);
    uint32_t *counts = counted && !unit
                           ? data->counts + (uint64_t)item->slot * data->entries + panel->start
                           : NULL;

    for (uint32_t c = 0; c < panel->width && panel->first + c < data->columns; c++)
        for (uint32_t i = item->first + t; i < item->end; i += GR_SUMS_THREADS) {
            const uint32_t row = gr_row_of(item->list, i);
            const uint64_t word = item->list->words[i];
            const uint32_t at = gr_bin_of(data, panel->first + c, row) * panel->width + c;

            if (!kind.wide)
                gr_atomic_add_u64(sums + at, word);
            else if (item->half)
                gr_atomic_add_u64(sums + 2 * (uint64_t)at + 1, (uint32_t)word);
            else
                gr_atomic_add_u64(sums + 2 * (uint64_t)at,
                                  (uint64_t)(int64_t)(int32_t)(word >> 32));
            if (unit)
                gr_atomic_add_u64(sums + 2 * (uint64_t)at + 1, 1);
            else if (counted)
                gr_atomic_add_u32(counts + at, 1);
        }
}

/* lanes: shared memory of 2 or, if rows are counted, 3 x GR_SMALL_BINS x GR_PANEL numbers. */
GR_DEVICE void gr_sums_body(const gr_tree_data *data, const gr_split_batch *batch,
                            gr_sums_kind kind, uint32_t block, uint32_t blocks,
                            gr_sums_shared *shared, uint32_t *lanes)
{
    const uint32_t items = gr_sums_divide(data, batch, blocks, shared);

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
            for (uint32_t lane = 0; lane < (kind.rows ? 3 : 2); lane++)
                for (uint32_t i = t; i < used; i += GR_SUMS_THREADS)
                    lanes[lane * GR_SMALL_BINS * GR_PANEL + i] = 0;
        }
        GR_BARRIER();
        GR_THREADS(t, GR_SUMS_THREADS)
        {
            gr_sums_add(data, &item, kind, lanes, t);
        }
        GR_BARRIER();
        GR_THREADS(t, GR_SUMS_THREADS)
        {
            gr_sums_flush(data, &item, kind, lanes, t);
        }
        GR_BARRIER();
    }
}

#endif
