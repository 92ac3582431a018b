/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of gr_tree_device over the kernels, the same on a GPU and in the emulation that tests
 * use. The file that includes this one defines before it the type `machine` and after it the functions
 * declared here as machine_*: memory, copies and launches. They run in order, and the host waits only
 * in machine_wait. */
#ifndef GR_PLUGINS_CUDA_TREES_DRIVER_H
#define GR_PLUGINS_CUDA_TREES_DRIVER_H

#include "growth_body.h"
#include "leaves_body.h"
#include "rounding_bodies.h"
#include "sums_body.h"
#include "unpack_body.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DRIVER_OWNED = 48 }; /* most allocations */

struct gr_device_trees {
    machine on;
    struct {
        void *memory;
        bool shared;
    } owned[DRIVER_OWNED];
    size_t owned_count;
    gr_tree_data data;
    gr_device_rows rows;
    gr_panel *panels; /* on the host */
    size_t outputs, leaves, expansions;
    gr_device_round round;
    size_t slots, slot_bytes; /* room for histograms */
    void *histograms;
    float *weights;
    const float *weights_from; /* what was copied to `weights` */
    uint32_t *sample;
    uint64_t *words; /* outputs x rows */
    gr_totals *totals;
    uint8_t *tried;
    gr_placed_run *runs;
    gr_device_fork *forks;
    uint64_t *leaf_sums;
    size_t run_room;
    uint32_t cursor; /* the next one that is not in use */
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
static void machine_free(gr_device_trees *trees, void *memory, bool shared);
/* The bytes that can be allocated. */
static uint64_t machine_room(gr_device_trees *trees);
static gradus_status machine_fits(gr_device_trees *trees, uint64_t bytes, size_t rows,
                                  size_t columns, gradus_error *err);
static gradus_status machine_upload(gr_device_trees *trees, void *to, const void *from,
                                    size_t bytes, gradus_error *err);
static gradus_status machine_download(gr_device_trees *trees, void *to, const void *from,
                                      size_t bytes, gradus_error *err);
static gradus_status machine_clear(gr_device_trees *trees, void *memory, size_t bytes,
                                   gradus_error *err);
static gradus_status machine_wait(gr_device_trees *trees, gradus_error *err);
static gradus_status machine_unpack_words(gr_device_trees *trees, const gr_packed_words *packed,
                                          uint32_t blocks, gradus_error *err);
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
static gradus_status machine_leaf_sums(gr_device_trees *trees, const gr_leaf_work *work,
                                       uint32_t blocks, gradus_error *err);
static gradus_status machine_walk(gr_device_trees *trees, uint32_t blocks, gradus_error *err);

#define DRIVER_TRY(call)                                                                           \
    do {                                                                                           \
        const gradus_status status_ = (call);                                                      \
        if (status_ != GRADUS_OK)                                                                  \
            return status_;                                                                        \
    } while (0)

/* Allocates an array and returns from the function if that fails. */
#define DRIVER_NEW(where, type, count)                                                             \
    do {                                                                                           \
        (where) = (type *)driver_new(trees, (count) * sizeof(type), false, err);                   \
        if (!(where))                                                                              \
            return GRADUS_NO_MEMORY;                                                               \
    } while (0)

#define DRIVER_SHARED(where, type, count)                                                          \
    do {                                                                                           \
        (where) = (type *)driver_new(trees, (count) * sizeof(type), true, err);                    \
        if (!(where))                                                                              \
            return GRADUS_NO_MEMORY;                                                               \
    } while (0)

/* Memory that is freed at the end, or before by driver_drop. */
static void *driver_new(gr_device_trees *trees, size_t bytes, bool shared, gradus_error *err)
{
    void *memory = machine_new(trees, bytes ? bytes : 1, shared, err);

    if (memory) {
        trees->owned[trees->owned_count].memory = memory;
        trees->owned[trees->owned_count++].shared = shared;
    }
    return memory;
}

static void driver_drop(gr_device_trees *trees, void *memory)
{
    for (size_t i = 0; memory && i < trees->owned_count; i++)
        if (trees->owned[i].memory == memory) {
            machine_free(trees, memory, trees->owned[i].shared);
            trees->owned[i] = trees->owned[--trees->owned_count];
            return;
        }
}

static void driver_free(gr_device_trees *trees)
{
    while (trees->owned_count > 0)
        driver_drop(trees, trees->owned[trees->owned_count - 1].memory);
    free(trees->panels);
}

static uint32_t driver_parts(uint64_t count, uint32_t each)
{
    return (uint32_t)((count + each - 1) / each);
}

/* ---- bins ---- */

/* Divides the columns into panels. Returns the bytes of the bins by row. */
static uint64_t driver_panels(gr_device_trees *trees, const gr_device_bins *bins)
{
    const uint32_t count = trees->data.panels, full = (uint32_t)(bins->columns / GR_PANEL);
    uint64_t at = 0;
    uint32_t start = 0;

    for (uint32_t p = 0; p < count; p++) {
        gr_panel *panel = &trees->panels[p];
        const uint32_t left = (uint32_t)bins->columns - p * GR_PANEL;
        /* up to four panels share the lines of their rows */
        const uint32_t group = p / 4 * 4, together = full - group < 4 ? full - group : 4;

        panel->first = p * GR_PANEL;
        panel->width = left > 16 ? GR_PANEL : left > 8 ? 16 : 8;
        panel->bins = 1;
        for (uint32_t c = panel->first; c < bins->columns && c < panel->first + GR_PANEL; c++)
            if (bins->column[c].bins > panel->bins)
                panel->bins = bins->column[c].bins;
        panel->start = start;
        start += panel->bins * panel->width;
        panel->stride = p < full ? together * GR_PANEL : panel->width;
        panel->at = at + (p < full ? (p - group) * GR_PANEL : 0);
        if (p >= full || p + 1 == group + together)
            at += (uint64_t)bins->rows * panel->stride;
    }
    trees->data.entries = start;
    return at;
}

/* Copies the words of a group, and unpacks them. */
static gradus_status driver_copy_groups(gr_device_trees *trees, const gr_device_bins *bins,
                                        void *room, gradus_error *err)
{
    const uint32_t each = 64 / bins->width;
    uint32_t first = 0;

    for (size_t g = 0; g < bins->groups; g++) {
        const gr_device_group *group = &bins->group[g];
        const gr_packed_words packed = { (const uint64_t *)room, (uint32_t)group->stride,
                                         bins->width, first };

        DRIVER_TRY(machine_upload(trees, room, group->words,
                                  bins->rows * group->stride * sizeof *group->words, err));
        DRIVER_TRY(machine_unpack_words(
            trees, &packed, (uint32_t)group->stride * driver_parts(bins->rows, GR_UNPACK_THREADS),
            err));
        first += (uint32_t)group->stride * each;
    }
    return GRADUS_OK;
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
    return GRADUS_OK;
}

/* The largest piece of the processor's layout that is copied at once. */
static uint64_t driver_room(const gr_device_bins *bins)
{
    uint64_t most = 8;

    for (size_t g = 0; g < bins->groups; g++)
        if ((uint64_t)bins->rows * bins->group[g].stride * 8 > most)
            most = (uint64_t)bins->rows * bins->group[g].stride * 8;
    for (size_t b = 0; b < bins->bundles; b++) {
        const uint64_t bytes = (uint64_t)(bins->rows + 1) * 8 +
                               bins->bundle[b].row_starts[bins->rows] * sizeof(uint16_t);

        most = bytes > most ? bytes : most;
    }
    return most;
}

static gradus_status driver_copy_bins(gr_device_trees *trees, const gr_device_bins *bins,
                                      uint64_t by_row, bool small, gradus_error *err)
{
    gr_tree_data *data = &trees->data;
    gr_device_column *columns;
    gr_panel *panels;
    const uint64_t cells = (uint64_t)bins->rows * bins->columns;
    void *room = driver_new(trees, (size_t)driver_room(bins), false, err);

    if (!room)
        return GRADUS_NO_MEMORY;
    DRIVER_NEW(panels, gr_panel, data->panels);
    DRIVER_NEW(columns, gr_device_column, bins->columns);
    data->panel = panels;
    data->column = columns;
    if (small) {
        DRIVER_NEW(data->columns8, uint8_t, cells);
        DRIVER_NEW(data->bytes, uint8_t, by_row);
        DRIVER_TRY(machine_clear(trees, data->bytes, (size_t)by_row, err));
    } else {
        DRIVER_NEW(data->columns16, uint16_t, cells);
    }
    DRIVER_TRY(machine_upload(trees, panels, trees->panels, data->panels * sizeof *panels, err));
    DRIVER_TRY(machine_upload(trees, columns, bins->column, bins->columns * sizeof *columns, err));
    DRIVER_TRY(driver_copy_groups(trees, bins, room, err));
    DRIVER_TRY(driver_copy_bundles(trees, bins, room, err));
    DRIVER_TRY(machine_wait(trees, err));
    driver_drop(trees, room);
    return GRADUS_OK;
}

static bool driver_chooses(const gr_device_trees *trees)
{
    return trees->leaves > 1 && trees->leaves <= GR_DEVICE_LEAVES;
}

/* Histograms that are used if the device chooses. */
static size_t driver_growth_slots(const gr_device_trees *trees)
{
    return driver_chooses(trees) ? trees->leaves + GR_DEVICE_BATCH + 2 : 0;
}

/* Of driver_growth_rooms, on the device. */
static uint64_t driver_growth_bytes(const gr_device_trees *trees)
{
    const uint64_t nodes = driver_chooses(trees) ? 2 * (uint64_t)trees->expansions + 1 : 0;

    return sizeof(gr_split_batch) + sizeof(gr_growth_state) + nodes * sizeof(gr_growing_node) +
           (2 * (uint64_t)trees->leaves + driver_growth_slots(trees)) * sizeof(uint32_t) +
           (uint64_t)2 * GR_DEVICE_BATCH * gr_cuts_octets(trees->data.columns) *
               sizeof(gr_device_cut);
}

/* Batches of splits, their results and, if the device chooses them, nodes. */
static gradus_status driver_growth_rooms(gr_device_trees *trees, gradus_error *err)
{
    gr_growth *growth = &trees->growth;

    DRIVER_NEW(trees->batch, gr_split_batch, 1);
    DRIVER_NEW(trees->cuts, gr_device_cut,
               (size_t)2 * GR_DEVICE_BATCH * gr_cuts_octets(trees->data.columns));
    DRIVER_NEW(growth->state, gr_growth_state, 1);
    DRIVER_NEW(growth->nodes, gr_growing_node,
               driver_chooses(trees) ? 2 * trees->expansions + 1 : 0);
    DRIVER_NEW(growth->slots, uint32_t, driver_growth_slots(trees));
    for (int i = 0; i < 2; i++)
        DRIVER_NEW(growth->order[i], uint32_t, trees->leaves);
    DRIVER_SHARED(trees->grown, gr_device_grown, trees->expansions);
    DRIVER_SHARED(trees->report, gr_growth_report, 1);
    DRIVER_SHARED(trees->planned, gr_split_batch, 1);
    growth->cursors = 2 * (uint32_t)trees->expansions;
    growth->batch = trees->batch;
    growth->cuts = trees->cuts;
    growth->grown = trees->grown;
    growth->report = trees->report;
    for (trees->steps = 3; (size_t)1 << trees->steps < 8 * trees->leaves;)
        trees->steps++;
    return GRADUS_OK;
}

/* What is allocated once. */
static gradus_status driver_rooms(gr_device_trees *trees, gradus_error *err)
{
    gr_tree_data *data = &trees->data;
    const size_t rows = data->rows, cells = trees->outputs * rows;
    const size_t blocks = driver_parts(rows, GR_MEASURED_ROWS);

    trees->run_room = trees->expansions + 1;
    DRIVER_NEW(trees->rows.gradients, float, cells);
    DRIVER_NEW(trees->rows.hessians, float, cells);
    DRIVER_NEW(trees->rows.leaf_of, uint32_t, rows);
    DRIVER_NEW(trees->words, uint64_t, cells);
    DRIVER_NEW(trees->sample, uint32_t, rows);
    for (int i = 1; i < GR_LISTS; i++) {
        DRIVER_NEW(data->lists[i].rows, uint32_t, rows);
        DRIVER_NEW(data->lists[i].words, uint64_t, rows);
    }
    DRIVER_NEW(data->cursors, uint32_t, 2 * trees->expansions);
    DRIVER_NEW(trees->totals, gr_totals, trees->outputs);
    DRIVER_NEW(trees->tried, uint8_t, data->columns);
    DRIVER_NEW(trees->runs, gr_placed_run, trees->run_room);
    DRIVER_NEW(trees->forks, gr_device_fork, trees->leaves);
    DRIVER_NEW(trees->leaf_sums, uint64_t, 2 * trees->leaves);
    DRIVER_SHARED(trees->extents, gr_device_extent, trees->outputs * GR_EXTENT_KINDS * blocks);
    DRIVER_SHARED(trees->seen_sums, int64_t, 2 * trees->leaves);
    DRIVER_SHARED(trees->placed, gr_placed_run, trees->run_room);
    DRIVER_SHARED(trees->seen_tried, uint8_t, data->columns);
    data->tried = trees->tried;
    memset(trees->seen_tried, 0, data->columns);
    DRIVER_TRY(machine_clear(trees, trees->tried, data->columns, err));
    return driver_growth_rooms(trees, err);
}

static gradus_status driver_fill(gr_device_trees *trees, const gr_device_bins *bins,
                                 gradus_error *err)
{
    const uint64_t rows = bins->rows, cells = rows * bins->columns;
    uint64_t by_row, bytes;
    bool small = true;

    trees->outputs = bins->outputs;
    trees->leaves = bins->leaves;
    trees->expansions = bins->expansions;
    trees->data.rows = (uint32_t)rows;
    trees->data.columns = (uint32_t)bins->columns;
    trees->data.panels = driver_parts(bins->columns, GR_PANEL);
    trees->panels = (gr_panel *)calloc(trees->data.panels + 1, sizeof *trees->panels);
    if (!trees->panels)
        return GRADUS_NO_MEMORY;
    by_row = driver_panels(trees, bins);
    for (size_t c = 0; c < bins->columns; c++)
        small &= bins->column[c].bins <= GR_SMALL_BINS;
    /* lists, sample and leaves; per output words, gradients and hessians; at least two histograms */
    bytes = rows * (2 * 12 + 8 + 16 * (uint64_t)bins->outputs) +
            (small ? cells + by_row : 2 * cells) + driver_room(bins) + driver_growth_bytes(trees) +
            (uint64_t)trees->data.entries * 2 * 20;
    DRIVER_TRY(machine_fits(trees, bytes, bins->rows, bins->columns, err));
    DRIVER_TRY(driver_copy_bins(trees, bins, by_row, small, err));
    return driver_rooms(trees, err);
}

/* ---- rounds ---- */

/* Makes room for histograms, as many as can be of use or there is memory for. */
static gradus_status driver_slots(gr_device_trees *trees, const gr_device_round *round,
                                  size_t *slots, gradus_error *err)
{
    gr_tree_data *data = &trees->data;
    const uint32_t words = round->wide ? 2 : 1;
    const uint64_t each =
        ((uint64_t)data->entries * (8 * words + (round->counted ? 4 : 0)) + 63) / 64 * 64;
    const uint64_t wanted = each * round->most_slots;
    uint64_t most = round->slot_bytes;

    if (most == 0)
        most = wanted <= trees->slot_bytes ? wanted : (machine_room(trees) + trees->slot_bytes) / 2;
    if (most > wanted)
        most = wanted;
    *slots = each ? (size_t)(most / each) : 2;
    if (*slots < 2)
        *slots = 2;
    if (!trees->histograms || *slots * each > trees->slot_bytes) {
        driver_drop(trees, trees->histograms);
        trees->slot_bytes = 0;
        trees->histograms = driver_new(trees, (size_t)(*slots * each), false, err);
        if (!trees->histograms)
            return GRADUS_NO_MEMORY;
        trees->slot_bytes = (size_t)(*slots * each);
    }
    data->words = words;
    data->slot_words = (uint64_t)data->entries * words;
    data->sums = (uint64_t *)trees->histograms;
    data->counts =
        round->counted ? (uint32_t *)(void *)(data->sums + *slots * data->slot_words) : NULL;
    return GRADUS_OK;
}

/* Copies what the round has on the host. */
static gradus_status driver_upload_round(gr_device_trees *trees, const gr_device_round *round,
                                         gradus_error *err)
{
    const size_t rows = trees->data.rows, bytes = trees->outputs * rows * sizeof(float);

    if (round->gradients)
        DRIVER_TRY(machine_upload(trees, trees->rows.gradients, round->gradients, bytes, err));
    if (round->hessians)
        DRIVER_TRY(machine_upload(trees, trees->rows.hessians, round->hessians, bytes, err));
    if (round->sample)
        DRIVER_TRY(machine_upload(trees, trees->sample, round->sample,
                                  round->count * sizeof *round->sample, err));
    if (!round->weights || trees->weights_from == round->weights)
        return GRADUS_OK;
    if (!trees->weights)
        DRIVER_NEW(trees->weights, float, rows);
    DRIVER_TRY(machine_upload(trees, trees->weights, round->weights, rows * sizeof(float), err));
    trees->weights_from = round->weights;
    return GRADUS_OK;
}

static gradus_status driver_measure(gr_device_trees *trees, const gr_device_round *round,
                                    const gr_device_extent **extents, size_t *slots,
                                    gradus_error *err)
{
    const uint32_t blocks = driver_parts(round->count, GR_MEASURED_ROWS);
    const uint32_t outputs = (uint32_t)trees->outputs;
    gr_extent_work of = {
        trees->rows.gradients,   trees->data.rows, round->sample ? trees->sample : NULL,
        (uint32_t)round->count,  blocks,           trees->extents,
        GR_EXTENT_KINDS * blocks
    };

    trees->round = *round;
    DRIVER_TRY(driver_slots(trees, round, slots, err));
    DRIVER_TRY(driver_upload_round(trees, round, err));
    DRIVER_TRY(machine_measure(trees, &of, outputs * blocks, err));
    if (!round->ones) {
        of.values = trees->rows.hessians;
        of.extents = trees->extents + blocks;
        DRIVER_TRY(machine_measure(trees, &of, outputs * blocks, err));
    }
    if (!round->unit && round->weights) {
        of.values = trees->weights;
        of.apart = 0;
        of.extents = trees->extents + 2 * blocks;
        DRIVER_TRY(machine_measure(trees, &of, outputs * blocks, err));
    }
    DRIVER_TRY(machine_wait(trees, err));
    *extents = trees->extents;
    return GRADUS_OK;
}

static gradus_status driver_round(gr_device_trees *trees, const gr_device_scale *scales,
                                  gradus_error *err)
{
    const gr_device_round *round = &trees->round;
    const size_t rows = trees->data.rows;

    DRIVER_TRY(machine_clear(trees, trees->totals, trees->outputs * sizeof *trees->totals, err));
    for (size_t k = 0; k < trees->outputs; k++) {
        const gr_rounds of = { trees->rows.gradients + k * rows,
                               round->unit      ? NULL
                               : round->weights ? trees->weights
                                                : trees->rows.hessians + k * rows,
                               round->sample ? trees->sample : NULL,
                               (uint32_t)round->count,
                               scales[k],
                               trees->words + k * rows,
                               trees->totals + k };

        DRIVER_TRY(machine_round(trees, &of, driver_parts(round->count, GR_ROUND_ROWS), err));
    }
    return GRADUS_OK;
}

/* ---- trees ---- */

/* Starts a tree with a batch of its root. */
static gradus_status driver_start(gr_device_trees *trees, const gr_device_tree *tree, bool chooses,
                                  gradus_error *err)
{
    gr_tree_data *data = &trees->data;

    trees->cursor = 0;
    data->lists[0].rows = trees->round.sample ? trees->sample : NULL;
    data->lists[0].words = trees->words + tree->output * data->rows;
    data->totals = trees->totals + tree->output;
    data->rules = tree->rules;
    data->unit = trees->round.unit;
    if (memcmp(trees->seen_tried, tree->tried, data->columns) != 0) {
        memcpy(trees->seen_tried, tree->tried, data->columns);
        DRIVER_TRY(machine_upload(trees, trees->tried, trees->seen_tried, data->columns, err));
    }
    trees->growth.start = 1;
    trees->growth.chooses = chooses;
    trees->growth.rows = (uint32_t)trees->round.count;
    DRIVER_TRY(machine_growth(trees, err));
    trees->growth.start = 0;
    return GRADUS_OK;
}

/* Makes the splits of the batch and, if the device chooses, the next batch. */
static gradus_status driver_step(gr_device_trees *trees, gradus_error *err)
{
    DRIVER_TRY(machine_part(trees, err));
    DRIVER_TRY(machine_sums(trees, err));
    DRIVER_TRY(machine_cuts(trees, err));
    return machine_growth(trees, err);
}

static gradus_status driver_root(gr_device_trees *trees, const gr_device_tree *tree,
                                 gr_device_root *root, gradus_error *err)
{
    trees->growth.root_slot = tree->slot;
    DRIVER_TRY(driver_start(trees, tree, false, err));
    DRIVER_TRY(driver_step(trees, err));
    DRIVER_TRY(machine_wait(trees, err));
    *root = trees->report->root;
    return GRADUS_OK;
}

static gradus_status driver_split(gr_device_trees *trees, const gr_device_split *splits,
                                  size_t count, gr_device_found *found, gradus_error *err)
{
    gr_split_batch *batch = trees->planned;
    const gr_device_grown *grown = trees->grown + trees->cursor / 2;

    memset(batch, 0, sizeof *batch);
    batch->count = (uint32_t)count;
    batch->cursor = trees->cursor;
    trees->cursor += 2 * batch->count;
    for (uint32_t s = 0; s < batch->count; s++) {
        batch->split[s] = splits[s];
        batch->first_block[s] = batch->part_blocks;
        batch->part_blocks += driver_parts(splits[s].count, GR_PART_ROWS);
    }
    batch->first_block[count] = batch->part_blocks;
    trees->growth.chooses = 0;
    DRIVER_TRY(machine_upload(trees, trees->batch, batch, sizeof *batch, err));
    DRIVER_TRY(driver_step(trees, err));
    DRIVER_TRY(machine_wait(trees, err));
    for (size_t s = 0; s < count; s++)
        found[s] = grown[s].found;
    return GRADUS_OK;
}

/* As many steps are launched as the last tree had, and one more: a step that is not needed takes less
 * time than a wait. */
static gradus_status driver_grow(gr_device_trees *trees, const gr_device_tree *tree,
                                 const gr_device_growth *growth, gr_device_root *root,
                                 const gr_device_grown **grown, size_t *count, gradus_error *err)
{
    const gr_growth_report *report = trees->report;
    size_t steps = trees->steps;

    trees->growth.rules = *growth;
    trees->growth.root_slot = 0;
    DRIVER_TRY(driver_start(trees, tree, true, err));
    do {
        for (; steps > 0; steps--)
            DRIVER_TRY(driver_step(trees, err));
        DRIVER_TRY(machine_wait(trees, err));
        steps = 2;
    } while (!report->done);
    trees->steps = report->steps + 1;
    trees->cursor = 2 * report->splits;
    *root = report->root;
    *grown = trees->grown;
    *count = report->splits;
    return GRADUS_OK;
}

/* Copies the runs and the first block of each; returns the number of blocks. */
static gradus_status driver_runs(gr_device_trees *trees, const gr_device_end *end, uint32_t *blocks,
                                 gradus_error *err)
{
    *blocks = 0;
    for (size_t i = 0; i < end->run_count; i++) {
        trees->placed[i].run = end->runs[i];
        trees->placed[i].first_block = *blocks;
        *blocks += driver_parts(end->runs[i].count, GR_LEAVES_ROWS);
    }
    DRIVER_TRY(machine_upload(trees, trees->runs, trees->placed,
                              end->run_count * sizeof *trees->placed, err));
    return machine_clear(trees, trees->leaf_sums, 2 * end->leaves * sizeof(uint64_t), err);
}

static gradus_status driver_finish(gr_device_trees *trees, const gr_device_end *end,
                                   gradus_error *err)
{
    const size_t rows = trees->data.rows;
    const bool walks = trees->round.sample && end->leaves > 1;
    const gr_leaf_work work = { trees->runs,
                                (uint32_t)end->run_count,
                                trees->rows.gradients + end->output * rows,
                                end->ones ? NULL : trees->rows.hessians + end->output * rows,
                                end->gradient_scale,
                                end->hessian_scale,
                                trees->leaf_sums,
                                walks ? NULL : trees->rows.leaf_of };
    uint32_t blocks;

    trees->data.lists[0].rows = trees->round.sample ? trees->sample : NULL;
    DRIVER_TRY(driver_runs(trees, end, &blocks, err));
    if (trees->round.sample && !walks)
        DRIVER_TRY(machine_clear(trees, trees->rows.leaf_of, rows * sizeof(uint32_t), err));
    DRIVER_TRY(machine_leaf_sums(trees, &work, blocks, err));
    if (walks) {
        DRIVER_TRY(machine_upload(trees, trees->forks, end->forks,
                                  (end->leaves - 1) * sizeof *end->forks, err));
        DRIVER_TRY(machine_walk(trees, driver_parts(rows, GR_LEAVES_THREADS), err));
    }
    DRIVER_TRY(machine_download(trees, trees->seen_sums, trees->leaf_sums,
                                2 * end->leaves * sizeof *end->sums, err));
    if (end->leaf_of)
        DRIVER_TRY(machine_download(trees, end->leaf_of, trees->rows.leaf_of,
                                    rows * sizeof *end->leaf_of, err));
    DRIVER_TRY(machine_wait(trees, err));
    memcpy(end->sums, trees->seen_sums, 2 * end->leaves * sizeof *end->sums);
    return GRADUS_OK;
}

static const gr_device_rows *driver_rows(gr_device_trees *trees)
{
    return &trees->rows;
}

#endif
