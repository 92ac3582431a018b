/* SPDX-License-Identifier: Apache-2.0 */
/* What a grower has on a device: its memory, and the bins that are copied there. For trees_driver.h. */
#ifndef GR_PLUGINS_CUDA_TREES_SETUP_H
#define GR_PLUGINS_CUDA_TREES_SETUP_H

#include "growth_body.h"
#include "leaves_body.h"
#include "rounding_bodies.h"
#include "sums_body.h"
#include "unpack_body.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Arrays one after the other in one allocation. They are laid out twice, at first without memory to find
 * out its size. */
typedef struct driver_slab {
    char *memory; /* NULL: only its size is needed */
    size_t bytes;
} driver_slab;

enum { DRIVER_ALIGNMENT = 256 };

/* Entries of a histogram, whose numbers have 32 bits; two histograms of that size need at least 32 GB. */
#define DRIVER_MOST_ENTRIES ((uint64_t)1 << 31)

struct gr_device_trees {
    machine on;
    driver_slab own, shared; /* on the device and, for both, on the host */
    gr_tree_data data;
    gr_device_rows rows;
    gr_panel *panels;       /* on the host */
    uint64_t by_row;        /* bytes of the bins by row */
    uint64_t bins8, bins16; /* bins by column, of small panels and of others */
    gr_panel *panels_there;
    gr_device_column *columns_there;
    size_t outputs, leaves, expansions;
    gr_device_round round; /* likely: NULL unless numbers have been rounded with it */
    void *histograms;
    uint64_t slot_bytes,
        slot_each;      /* room for histograms, and what one took when it was allocated */
    uint32_t pair_slot; /* one for the root of another output; UINT32_MAX: none */
    size_t paired;      /* the output whose root histogram is there; SIZE_MAX: none */
    float *weights;
    const float *weights_from; /* what was copied to `weights` */
    uint32_t *sample;
    uint64_t *words; /* outputs x rows */
    gr_totals *totals;
    uint8_t *tried;
    gr_placed_run *runs;
    gr_device_fork *forks;
    uint64_t *leaf_sums;
    uint32_t splits; /* of the tree so far */
    gr_split_batch *batch;
    gr_device_cut *cuts;
    gr_growth growth;
    size_t steps; /* batches that the next tree is likely to have */
    /* on the host, and written by kernels */
    gr_device_extent *extents;
    gr_device_grown *grown;
    gr_growth_report *report;
    int64_t *seen_sums;
    /* on the host, for the device to read */
    gr_placed_run *placed;
    gr_split_batch *planned;
    uint8_t *seen_tried; /* what the device has */
};

/* Memory of the device or, if shared, of the host for results of kernels. NULL and an error if there is
 * none. */
static void *machine_new(gr_device_trees *trees, size_t bytes, bool shared, gradus_error *err);
static void machine_free(gr_device_trees *trees, void *memory, bool shared); /* accepts NULL */
/* Tests forbid the use of the MACHINE_GAP bytes after an array. */
static void machine_guard(void *gap);
/* The bytes that can be allocated. */
static uint64_t machine_room(gr_device_trees *trees);
/* Checks that they can be, before anything is. */
static gradus_status machine_fits(gr_device_trees *trees, uint64_t bytes, size_t rows,
                                  size_t columns, gradus_error *err);
static gradus_status machine_fail(gradus_status status, const char *message, gradus_error *err);
static gradus_status machine_upload(gr_device_trees *trees, void *to, const void *from,
                                    size_t bytes, gradus_error *err);
static gradus_status machine_download(gr_device_trees *trees, void *to, const void *from,
                                      size_t bytes, gradus_error *err);
static gradus_status machine_clear(gr_device_trees *trees, void *memory, size_t bytes,
                                   gradus_error *err);
static gradus_status machine_wait(gr_device_trees *trees, gradus_error *err);
/* Waits for what came before the mark. */
static gradus_status machine_mark(gr_device_trees *trees, gradus_error *err);
static gradus_status machine_wait_for_mark(gr_device_trees *trees, gradus_error *err);
/* Copies the words of groups, whose addresses are those of the host, in pieces, and unpacks them: all rows.
 * Takes at most MACHINE_STAGED bytes. */
static gradus_status machine_copy_words(gr_device_trees *trees, const gr_packed_words *groups,
                                        size_t count, gradus_error *err);
static gradus_status machine_unpack_lists(gr_device_trees *trees, const gr_packed_lists *packed,
                                          uint32_t blocks, gradus_error *err);
static gradus_status machine_measure(gr_device_trees *trees, const gr_extent_work *of,
                                     uint32_t blocks, gradus_error *err);
static gradus_status machine_round(gr_device_trees *trees, const gr_rounds *of, uint32_t blocks,
                                   gradus_error *err);
/* The batch in trees->batch: its partition, histograms and search. */
static gradus_status machine_part(gr_device_trees *trees, gradus_error *err);
static gradus_status machine_sums(gr_device_trees *trees, gradus_error *err);
static gradus_status machine_cuts(gr_device_trees *trees, gradus_error *err);
static gradus_status machine_growth(gr_device_trees *trees, gradus_error *err);
/* Makes a batch of the root. */
static gradus_status machine_start(gr_device_trees *trees, uint32_t rows, uint32_t slot,
                                   gradus_error *err);
/* At least `steps` steps (driver_step), or all that the tree of an output needs. */
static gradus_status machine_steps(gr_device_trees *trees, size_t output, size_t steps,
                                   gradus_error *err);
static gradus_status machine_leaf_sums(gr_device_trees *trees, const gr_leaf_work *work,
                                       uint32_t blocks, gradus_error *err);
static gradus_status machine_walk(gr_device_trees *trees, uint32_t blocks, gradus_error *err);

#define DRIVER_TRY(call)                                                                           \
    do {                                                                                           \
        const gradus_status status_ = (call);                                                      \
        if (status_ != GRADUS_OK)                                                                  \
            return status_;                                                                        \
    } while (0)

static uint32_t driver_parts(uint64_t count, uint32_t each)
{
    return (uint32_t)((count + each - 1) / each);
}

/* ---- memory ---- */

static void *driver_place(driver_slab *slab, size_t bytes)
{
    char *at = slab->memory ? slab->memory + slab->bytes : NULL;

    if (at)
        machine_guard(at + bytes);
    slab->bytes +=
        (bytes + MACHINE_GAP + DRIVER_ALIGNMENT - 1) / DRIVER_ALIGNMENT * DRIVER_ALIGNMENT;
    return at;
}

#define DRIVER_PLACE(slab, where, type, count)                                                     \
    ((where) = (type *)driver_place(&trees->slab, (size_t)(count) * sizeof(type)))

static bool driver_chooses(const gr_device_trees *trees)
{
    return trees->leaves > 1 && trees->leaves <= GR_DEVICE_LEAVES;
}

/* Batches of splits, their results and, if the device chooses them, nodes. */
static void driver_place_growth(gr_device_trees *trees)
{
    gr_growth *growth = &trees->growth;
    const size_t parts = gr_cuts_parts(trees->data.columns);
    const size_t nodes = driver_chooses(trees) ? 2 * trees->expansions + 1 : 0;

    DRIVER_PLACE(own, trees->batch, gr_split_batch, 1);
    DRIVER_PLACE(own, trees->cuts, gr_device_cut, 2 * GR_DEVICE_BATCH * parts);
    DRIVER_PLACE(own, growth->state, gr_growth_state, 1);
    DRIVER_PLACE(own, growth->nodes, gr_growing_node, nodes);
    DRIVER_PLACE(own, growth->slots, uint32_t, trees->leaves + GR_DEVICE_BATCH + 2);
    for (int i = 0; i < 2; i++)
        DRIVER_PLACE(own, growth->order[i], gr_growing_turn, trees->leaves);
    DRIVER_PLACE(shared, trees->grown, gr_device_grown,
                 driver_chooses(trees) ? trees->expansions : (size_t)GR_DEVICE_BATCH);
    DRIVER_PLACE(shared, trees->report, gr_growth_report, 1);
    DRIVER_PLACE(shared, trees->planned, gr_split_batch, 1);
    growth->cursors = GR_CURSORS * (uint32_t)trees->expansions;
    growth->batch = trees->batch;
    growth->cuts = trees->cuts;
    growth->grown = trees->grown;
    growth->report = trees->report;
}

/* All that is allocated once. */
static void driver_lay_out(gr_device_trees *trees)
{
    gr_tree_data *data = &trees->data;
    const size_t rows = data->rows, cells = trees->outputs * rows;
    const size_t runs = trees->expansions + 1;
    const size_t blocks = driver_parts(rows, GR_MEASURED_ROWS);

    trees->own.bytes = trees->shared.bytes = 0;
    DRIVER_PLACE(own, trees->panels_there, gr_panel, data->panels);
    DRIVER_PLACE(own, trees->columns_there, gr_device_column, data->columns);
    DRIVER_PLACE(own, data->columns8, uint8_t, trees->bins8);
    DRIVER_PLACE(own, data->columns16, uint16_t, trees->bins16);
    DRIVER_PLACE(own, data->bytes, uint8_t, trees->by_row);
    DRIVER_PLACE(own, trees->rows.gradients, float, cells);
    DRIVER_PLACE(own, trees->rows.hessians, float, cells);
    DRIVER_PLACE(own, trees->rows.leaf_of, uint32_t, rows);
    DRIVER_PLACE(own, trees->words, uint64_t, cells);
    DRIVER_PLACE(own, trees->sample, uint32_t, rows);
    for (int i = 1; i < GR_LISTS; i++) {
        DRIVER_PLACE(own, data->lists[i].rows, uint32_t, rows);
        DRIVER_PLACE(own, data->lists[i].words, uint64_t, rows);
    }
    DRIVER_PLACE(own, data->cursors, uint32_t, GR_CURSORS * trees->expansions);
    DRIVER_PLACE(own, data->gaps, uint32_t, rows);
    DRIVER_PLACE(own, trees->totals, gr_totals, trees->outputs);
    DRIVER_PLACE(own, trees->tried, uint8_t, data->columns);
    DRIVER_PLACE(own, trees->runs, gr_placed_run, runs);
    DRIVER_PLACE(own, trees->forks, gr_device_fork, trees->leaves);
    DRIVER_PLACE(own, trees->leaf_sums, uint64_t, 2 * trees->leaves);
    DRIVER_PLACE(shared, trees->extents, gr_device_extent,
                 trees->outputs * GR_EXTENT_KINDS * blocks);
    DRIVER_PLACE(shared, trees->seen_sums, int64_t, 2 * trees->leaves);
    DRIVER_PLACE(shared, trees->placed, gr_placed_run, runs);
    DRIVER_PLACE(shared, trees->seen_tried, uint8_t, data->columns);
    driver_place_growth(trees);
    data->panel = trees->panels_there;
    data->column = trees->columns_there;
    data->tried = trees->tried;
    if (trees->bins16 == 0)
        data->columns16 = NULL;
}

static void driver_free(gr_device_trees *trees)
{
    machine_free(trees, trees->own.memory, false);
    machine_free(trees, trees->shared.memory, true);
    machine_free(trees, trees->histograms, false);
    machine_free(trees, trees->weights, false);
    free(trees->panels);
}

/* ---- bins ---- */

/* Places the bins of small panels by row: up to four full ones share the lines of their rows. */
static void driver_place_rows(gr_device_trees *trees, uint32_t full)
{
    gr_panel *together[4];
    uint64_t at = 0;
    uint32_t count = 0;

    for (uint32_t p = 0; p < trees->data.panels; p++) {
        gr_panel *panel = &trees->panels[p];

        if (panel->bins <= GR_SMALL_BINS)
            together[count++] = panel;
        if (count == 0 || (count < 4 && p + 1 < full))
            continue;
        for (uint32_t i = 0; i < count; i++) {
            together[i]->stride = count * panel->width;
            together[i]->at = at + i * panel->width;
        }
        at += (uint64_t)trees->data.rows * count * panel->width;
        count = 0;
    }
    trees->by_row = at;
}

/* Divides the columns into panels. Returns the entries of a histogram, which may be too many. */
static uint64_t driver_panels(gr_device_trees *trees, const gr_device_bins *bins)
{
    uint64_t start = 0;

    trees->bins8 = trees->bins16 = 0;
    for (uint32_t p = 0; p < trees->data.panels; p++) {
        gr_panel *panel = &trees->panels[p];
        const uint32_t left = (uint32_t)bins->columns - p * GR_PANEL;
        const uint32_t columns = left < GR_PANEL ? left : (uint32_t)GR_PANEL;
        uint64_t *placed;

        panel->first = p * GR_PANEL;
        panel->width = left > 16 ? GR_PANEL : left > 8 ? 16 : 8;
        panel->bins = 1;
        for (uint32_t c = panel->first; c < panel->first + columns; c++)
            if (bins->column[c].bins > panel->bins)
                panel->bins = bins->column[c].bins;
        panel->start = (uint32_t)start;
        start += (uint64_t)panel->bins * panel->width;
        placed = panel->bins <= GR_SMALL_BINS ? &trees->bins8 : &trees->bins16;
        panel->columns = *placed;
        *placed += (uint64_t)columns * bins->rows;
    }
    driver_place_rows(trees, (uint32_t)(bins->columns / GR_PANEL));
    trees->data.entries = (uint32_t)start;
    return start;
}

static gradus_status driver_refuse_bins(const gr_device_bins *bins, uint64_t entries,
                                        gradus_error *err)
{
    char message[200];

    snprintf(message, sizeof message,
             "the bins of %zu features make histograms of %llu numbers, and on a GPU they have at "
             "most %llu; choose fewer bins or features, or device 'cpu'",
             bins->columns, (unsigned long long)entries, (unsigned long long)DRIVER_MOST_ENTRIES);
    return machine_fail(GRADUS_NO_MEMORY, message, err);
}

static gradus_status driver_copy_groups(gr_device_trees *trees, const gr_device_bins *bins,
                                        gradus_error *err)
{
    gr_packed_words *groups = (gr_packed_words *)calloc(bins->groups + 1, sizeof *groups);
    gradus_status status = GRADUS_NO_MEMORY;
    uint32_t first = 0;

    for (size_t g = 0; groups && g < bins->groups; g++) {
        const gr_device_group *group = &bins->group[g];

        groups[g].words = group->words;
        groups[g].stride = (uint32_t)group->stride;
        groups[g].width = bins->width;
        groups[g].first = first;
        groups[g].rows = (uint32_t)bins->rows;
        first += (uint32_t)group->stride * (64 / bins->width);
    }
    if (groups)
        status = machine_copy_words(trees, groups, bins->groups, err);
    free(groups);
    return status;
}

/* The bytes of the longest lists of a bundle. */
static uint64_t driver_room(const gr_device_bins *bins)
{
    uint64_t most = 0;

    for (size_t b = 0; b < bins->bundles; b++) {
        const uint64_t bytes = (uint64_t)(bins->rows + 1) * 8 +
                               bins->bundle[b].row_starts[bins->rows] * sizeof(uint16_t);

        most = bytes > most ? bytes : most;
    }
    return most;
}

static gradus_status driver_copy_bundles(gr_device_trees *trees, const gr_device_bins *bins,
                                         void *room, gradus_error *err)
{
    for (size_t b = 0; b < bins->bundles; b++) {
        const gr_device_bundle *bundle = &bins->bundle[b];
        const size_t starts = (bins->rows + 1) * sizeof *bundle->row_starts;
        const gr_packed_lists packed = { (const uint64_t *)room,
                                         (const uint16_t *)(void *)((char *)room + starts),
                                         bundle->first, bundle->count };

        DRIVER_TRY(machine_upload(trees, room, bundle->row_starts, starts, err));
        DRIVER_TRY(machine_upload(trees, (char *)room + starts, bundle->entries,
                                  bundle->row_starts[bins->rows] * sizeof *bundle->entries, err));
        DRIVER_TRY(
            machine_unpack_lists(trees, &packed, driver_parts(bins->rows, GR_UNPACK_THREADS), err));
    }
    return machine_wait(trees, err);
}

static gradus_status driver_copy_bins(gr_device_trees *trees, const gr_device_bins *bins,
                                      gradus_error *err)
{
    const gr_tree_data *data = &trees->data;
    gradus_status status;
    void *room;

    if (trees->by_row > 0) /* unused columns */
        DRIVER_TRY(machine_clear(trees, data->bytes, (size_t)trees->by_row, err));
    DRIVER_TRY(machine_upload(trees, trees->panels_there, trees->panels,
                              data->panels * sizeof *trees->panels, err));
    DRIVER_TRY(machine_upload(trees, trees->columns_there, bins->column,
                              bins->columns * sizeof *bins->column, err));
    DRIVER_TRY(machine_wait(trees, err));
    DRIVER_TRY(driver_copy_groups(trees, bins, err));
    if (bins->bundles == 0)
        return GRADUS_OK;
    room = machine_new(trees, (size_t)driver_room(bins), false, err);
    if (!room)
        return GRADUS_NO_MEMORY;
    status = driver_copy_bundles(trees, bins, room, err);
    machine_free(trees, room, false);
    return status;
}

static gradus_status driver_fill(gr_device_trees *trees, const gr_device_bins *bins,
                                 gradus_error *err)
{
    uint64_t staged = driver_room(bins), entries;

    if (staged < MACHINE_STAGED)
        staged = MACHINE_STAGED;
    trees->outputs = bins->outputs;
    trees->leaves = bins->leaves;
    trees->expansions = bins->expansions;
    for (trees->steps = 3; (size_t)1 << trees->steps < 8 * trees->leaves;)
        trees->steps++;
    trees->data.rows = (uint32_t)bins->rows;
    trees->data.columns = (uint32_t)bins->columns;
    trees->data.panels = driver_parts(bins->columns, GR_PANEL);
    trees->panels = (gr_panel *)calloc(trees->data.panels + 1, sizeof *trees->panels);
    if (!trees->panels)
        return GRADUS_NO_MEMORY;
    entries = driver_panels(trees, bins);
    if (entries > DRIVER_MOST_ENTRIES)
        return driver_refuse_bins(bins, entries, err);
    driver_lay_out(trees);
    /* at least two histograms, when the bins have been copied */
    DRIVER_TRY(machine_fits(
        trees, trees->own.bytes + staged + (uint64_t)trees->data.entries * 2 * 20 + bins->reserved,
        bins->rows, bins->columns, err));
    trees->own.memory = (char *)machine_new(trees, trees->own.bytes, false, err);
    trees->shared.memory =
        trees->own.memory ? (char *)machine_new(trees, trees->shared.bytes, true, err) : NULL;
    if (!trees->shared.memory)
        return GRADUS_NO_MEMORY;
    driver_lay_out(trees);
    memset(trees->seen_tried, 0, trees->data.columns);
    DRIVER_TRY(machine_clear(trees, trees->tried, trees->data.columns, err));
    return driver_copy_bins(trees, bins, err);
}

#endif
