/* SPDX-License-Identifier: Apache-2.0 */
/* What the kernels of trees read: the data on the device, and the plan of a batch of splits.
 *
 * Columns are divided into panels of 32, the last one of 8, 16 or 32. A histogram has the panels one
 * after the other; the entry of a bin of a column is at [bin][column of the panel], so that the
 * columns of a panel are in different banks of shared memory, whatever their bins. An entry is one
 * word, as in kernels/histogram.h, or two if sums are wide. Row counts, if any, are apart. */
#ifndef GR_PLUGINS_CUDA_TREE_PLAN_H
#define GR_PLUGINS_CUDA_TREE_PLAN_H

#include "backend/tree_device.h"
#include "portable.h"

enum {
    GR_PANEL = 32,
    GR_SMALL_BINS = 256,
    GR_LISTS = 3,
    GR_CURSORS = 3,      /* per expansion */
    GR_SUMS_LEAST = 2048 /* rows of an item of histograms, if there are as many */
};

#ifdef __CUDACC__

#define GR_UNROLL _Pragma("unroll")
#define GR_UNROLL_FEW _Pragma("unroll 5")

GR_DEVICE uint32_t gr_bits_set(uint32_t word)
{
    return (uint32_t)__popc(word);
}

/* Sets bit `lane` of a word in shared memory, for the 32 lanes of a warp together. */
GR_DEVICE void gr_vote(uint32_t *word, uint32_t lane, bool flag)
{
    const uint32_t all = __ballot_sync(0xffffffffu, flag);

    if (lane == 0)
        *word = all;
}

GR_DEVICE void gr_atomic_max_u64(uint64_t *to, uint64_t value)
{
    atomicMax((unsigned long long *)to, (unsigned long long)value);
}

#else

#define GR_UNROLL
#define GR_UNROLL_FEW

GR_DEVICE uint32_t gr_bits_set(uint32_t word)
{
    return (uint32_t)__builtin_popcount(word);
}

#ifdef GR_THREAD_TEAM

GR_DEVICE void gr_vote(uint32_t *word, uint32_t lane, bool flag)
{
    const uint32_t all = team_ballot(flag);

    if (lane == 0)
        *word = all;
}

GR_DEVICE void gr_atomic_max_u64(uint64_t *to, uint64_t value)
{
    uint64_t seen = __atomic_load_n(to, __ATOMIC_RELAXED);

    while (seen < value &&
           !__atomic_compare_exchange_n(to, &seen, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

#else

GR_DEVICE void gr_vote(uint32_t *word, uint32_t lane, bool flag)
{
    /* lanes come in any order, and all of them do */
    *word = (*word & ~((uint32_t)1 << lane)) | (uint32_t)flag << lane;
}

GR_DEVICE void gr_atomic_max_u64(uint64_t *to, uint64_t value)
{
    *to = value > *to ? value : *to;
}

#endif
#endif

/* Bins of small panels have 8 bits. */
typedef struct gr_panel {
    uint32_t first, width; /* columns; the width is a power of 2 */
    uint32_t bins;         /* most of its columns; small: at most GR_SMALL_BINS */
    uint32_t start;        /* its first entry in a histogram */
    uint32_t stride;       /* of a small one, bytes between rows ... */
    uint64_t at;           /* ... and where row 0 is */
    uint64_t columns;      /* where its columns begin in columns8 or columns16 */
} gr_panel;

/* Rows of nodes, and their words. */
typedef struct gr_row_list {
    uint32_t *rows; /* NULL: all rows, in order */
    uint64_t *words;
} gr_row_list;

/* Sums of the words of an output. */
typedef struct gr_totals {
    uint64_t gradient, hessian, most; /* the first two are signed */
} gr_totals;

/* All addresses are those of the device. */
typedef struct gr_tree_data {
    uint32_t rows, columns, panels, entries;
    const gr_panel *panel;
    const gr_device_column *column;
    const uint8_t *tried; /* per column */
    uint8_t *bytes;       /* bins of small panels by row, panel by panel */
    uint8_t *columns8;    /* the same by column */
    uint16_t *columns16;  /* bins of other panels by column; NULL: none */
    gr_row_list lists[GR_LISTS];
    uint64_t *sums;   /* of the histograms, slot_words each */
    uint32_t *counts; /* rows, entries each; NULL: not counted */
    uint64_t slot_words;
    uint32_t words;          /* per entry: 1 or 2 */
    uint32_t unit;           /* hessians are all 1 */
    uint32_t *cursors;       /* GR_CURSORS per expansion: see lists_body.h */
    uint32_t *gaps;          /* by row: gaps in lists, and rows to fill them with */
    const gr_totals *totals; /* of the output */
    /* The words of the next output if the root pass is shared with it, whose root histogram has a slot of its
     * own; NULL if not. */
    const uint64_t *pair_words;
    uint32_t pair_slot;
    uint32_t root_ready; /* in the tree of the second one: the root is scanned already */
    gr_device_rules rules;
} gr_tree_data;

/* In memory of the device: written there by growth_body.h, or copied from the host. Kernels are launched
 * before it is known, so they have a fixed number of blocks that divide the work. */
typedef struct gr_split_batch {
    uint32_t count;       /* 0: nothing is left to do */
    uint32_t root;        /* it is the root that is scanned and searched, not its children */
    uint32_t part_blocks; /* of the partition; further ones clear histograms */
    uint32_t first;       /* the number of the first split */
    uint32_t first_block[GR_DEVICE_BATCH + 1]; /* of the partition */
    /* of a tree whose nodes the device chooses */
    uint32_t node[GR_DEVICE_BATCH], turn[GR_DEVICE_BATCH]; /* turn: in the order of splits */
    gr_device_split split[GR_DEVICE_BATCH];
} gr_split_batch;

GR_DEVICE uint32_t gr_bin_of(const gr_tree_data *data, uint32_t column, uint32_t row)
{
    const gr_panel *panel;
    uint64_t at;

    if (!data->columns16) /* no need to look */
        return data->columns8[(uint64_t)column * data->rows + row];
    panel = &data->panel[column / GR_PANEL];
    at = panel->columns + (uint64_t)(column % GR_PANEL) * data->rows + row;
    return panel->bins <= GR_SMALL_BINS ? data->columns8[at] : data->columns16[at];
}

/* The rows at the positions of a list, several at a time so that the loads do not wait for each other:
 * those of `first`, `first + step` and so on that are before `end`; for others that of `spare`. */
#define GR_LOAD_ROWS(list, rows, number, first, step, end, spare)                                  \
    do {                                                                                           \
        const uint32_t *const load_from = (list)->rows;                                            \
        if (load_from) {                                                                           \
            GR_UNROLL                                                                              \
            for (uint32_t load_k = 0; load_k < (number); load_k++) {                               \
                const uint32_t load_at = (first) + load_k * (step);                                \
                (rows)[load_k] = load_from[load_at < (end) ? load_at : (spare)];                   \
            }                                                                                      \
        } else {                                                                                   \
            GR_UNROLL                                                                              \
            for (uint32_t load_k = 0; load_k < (number); load_k++) {                               \
                const uint32_t load_at = (first) + load_k * (step);                                \
                (rows)[load_k] = load_at < (end) ? load_at : (spare);                              \
            }                                                                                      \
        }                                                                                          \
    } while (0)

GR_DEVICE uint32_t gr_row_of(const gr_row_list *list, uint32_t at)
{
    return list->rows ? list->rows[at] : at;
}

/* The list that the children of a node are in. */
GR_DEVICE uint32_t gr_next_list(uint32_t list)
{
    return list == 1 ? 2 : 1;
}

GR_DEVICE uint32_t *gr_cursors_of(const gr_tree_data *data, const gr_split_batch *batch, uint32_t s)
{
    return data->cursors + GR_CURSORS * (batch->first + s);
}

/* Whether the rows of the larger child stay in the list: see gr_device_split. */
GR_DEVICE bool gr_larger_stays(const gr_device_split *split)
{
    return split->lefts != UINT32_MAX && split->list != 0 && split->scan != GR_SCAN_BOTH;
}

/* The rows of a child (0: left) of a split after the partition, or of the root. */
typedef struct gr_child {
    uint32_t list, start, count;
    uint32_t slot, other_slot; /* other: of the sibling */
    bool small;                /* not obtained by subtraction, if that is used */
} gr_child;

/* All is loaded before anything is decided, so that the loads do not wait for each other. */
GR_DEVICE gr_child gr_child_of(const gr_tree_data *data, const gr_split_batch *batch, uint32_t s,
                               uint32_t side)
{
    const gr_device_split *split = &batch->split[s];
    const uint32_t root = batch->root, list = split->list, start = split->start;
    const uint32_t count = split->count, known = split->lefts, scan = split->scan;
    const uint32_t slots[2] = { split->slots[0], split->slots[1] };
    const uint32_t lefts = known == UINT32_MAX && !root ? gr_cursors_of(data, batch, s)[1] : known;
    const uint32_t rows = side ? count - lefts : lefts;
    const bool smaller = (lefts <= count - lefts) == (side == 0);
    const bool stays = known != UINT32_MAX && list != 0 && scan != GR_SCAN_BOTH;
    const bool first = stays ? !smaller : side == 0; /* in the range */
    const uint32_t slot = scan == GR_SCAN_SMALL ? !smaller : side;
    gr_child child;

    child.list = root || (stays && !smaller) ? list : gr_next_list(list);
    child.start = root || first ? start : start + count - rows;
    child.count = root ? (side == 0 ? count : 0) : rows;
    child.slot = root ? slots[0] : slots[slot];
    child.other_slot = slots[!slot];
    child.small = root || scan != GR_SCAN_SMALL || smaller;
    return child;
}

/* Whether a child has enough rows to be split, or its larger sibling has. */
GR_DEVICE bool gr_may_split(const gr_tree_data *data, uint32_t rows)
{
    return (double)(rows / 2) >= data->rules.min_rows;
}

GR_DEVICE bool gr_is_scanned(const gr_tree_data *data, const gr_split_batch *batch, uint32_t s,
                             uint32_t side)
{
    const gr_device_split *split = &batch->split[s];
    const gr_child child = gr_child_of(data, batch, s, side);
    const uint32_t other = split->count - child.count;

    if (batch->root)
        return side == 0 && !data->root_ready;
    if (split->scan == GR_SCAN_BOTH)
        return gr_may_split(data, child.count);
    return split->scan == GR_SCAN_SMALL && child.small && gr_may_split(data, other);
}

#endif
