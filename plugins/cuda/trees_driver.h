/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of gr_tree_device over the kernels, the same on a GPU and in the emulation that tests
 * use. The file that includes this one defines before it the type `machine` and after it the functions
 * declared here as machine_*: memory, copies and launches. They run in order, and the host waits only
 * in machine_wait. */
#ifndef GR_PLUGINS_CUDA_TREES_DRIVER_H
#define GR_PLUGINS_CUDA_TREES_DRIVER_H

#include "trees_setup.h"

/* ---- rounds ---- */

/* Allocates histograms of `each` bytes, as many as can be of use or half of the memory holds. */
static gradus_status driver_new_slots(gr_device_trees *trees, const gr_device_round *round,
                                      uint64_t each, gradus_error *err)
{
    uint64_t slots = round->most_slots + (trees->outputs > 1), most;

    machine_free(trees, trees->histograms, false);
    trees->histograms = NULL;
    most = (round->slot_bytes ? round->slot_bytes : machine_room(trees) / 2) / each;
    if (slots > most)
        slots = most;
    /* if something else has taken the memory in between, fewer do as well */
    for (bool last = false; !trees->histograms && !last; slots /= 2) {
        last = slots <= 2;
        if (last)
            slots = 2;
        trees->slot_bytes = (size_t)(slots * each);
        trees->histograms = machine_new(trees, trees->slot_bytes, false, err);
    }
    trees->slot_each = each;
    return trees->histograms ? GRADUS_OK : GRADUS_NO_MEMORY;
}

/* Makes room for histograms. What was allocated is kept, even if there is more memory now: to exchange it
 * may fail, if another process takes it. */
static gradus_status driver_slots(gr_device_trees *trees, const gr_device_round *round,
                                  size_t *slots, gradus_error *err)
{
    gr_tree_data *data = &trees->data;
    const uint32_t words = round->wide ? 2 : 1;
    const uint64_t each =
        ((uint64_t)data->entries * (8 * words + (round->counted ? 4 : 0)) + 63) / 64 * 64;

    if (!trees->histograms ||
        (each > trees->slot_each && trees->slot_bytes / each < round->most_slots))
        DRIVER_TRY(driver_new_slots(trees, round, each, err));
    *slots = (size_t)(trees->slot_bytes / each);
    if (*slots > round->most_slots)
        *slots = round->most_slots;
    trees->pair_slot = trees->slot_bytes / each > *slots ? (uint32_t)*slots : UINT32_MAX;
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
        trees->weights = (float *)machine_new(trees, rows * sizeof(float), false, err);
    if (!trees->weights)
        return GRADUS_NO_MEMORY;
    DRIVER_TRY(machine_upload(trees, trees->weights, round->weights, rows * sizeof(float), err));
    trees->weights_from = round->weights;
    return GRADUS_OK;
}

static gradus_status driver_round_by(gr_device_trees *trees, const gr_device_scale *scales,
                                     gradus_error *err)
{
    const gr_device_round *round = &trees->round;
    const size_t rows = trees->data.rows;

    trees->paired = SIZE_MAX;
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
    DRIVER_TRY(machine_mark(trees, err));
    if (round->likely)
        DRIVER_TRY(driver_round_by(trees, round->likely, err));
    DRIVER_TRY(machine_wait_for_mark(trees, err));
    *extents = trees->extents;
    return GRADUS_OK;
}

static gradus_status driver_round(gr_device_trees *trees, const gr_device_scale *scales,
                                  gradus_error *err)
{
    const gr_device_scale *likely = trees->round.likely;

    trees->round.likely = NULL;
    return likely && memcmp(likely, scales, trees->outputs * sizeof *scales) == 0
               ? GRADUS_OK
               : driver_round_by(trees, scales, err);
}

/* ---- trees ---- */

/* Whether the root of a tree that the device grows is scanned together with that of the next output: if
 * hessians are all 1, so that both count the same rows, and sums and bins have the usual size. */
static bool driver_pairs(const gr_device_trees *trees, const gr_device_tree *tree)
{
    return trees->pair_slot != UINT32_MAX && tree->output + 1 < trees->outputs &&
           trees->round.unit && trees->data.words == 1 && !trees->data.columns16;
}

/* The slot of the root, whose histogram may be there already. */
static uint32_t driver_root_slot(gr_device_trees *trees, const gr_device_tree *tree, bool chooses)
{
    gr_tree_data *data = &trees->data;

    data->root_ready = chooses && trees->paired == tree->output;
    trees->paired = SIZE_MAX;
    data->pair_words = NULL;
    if (!data->root_ready && chooses && driver_pairs(trees, tree)) {
        trees->paired = tree->output + 1;
        data->pair_words = trees->words + trees->paired * data->rows;
        data->pair_slot = trees->pair_slot;
    }
    return !chooses ? tree->slot : data->root_ready ? trees->pair_slot : 0;
}

/* Starts a tree with a batch of its root. */
static gradus_status driver_start(gr_device_trees *trees, const gr_device_tree *tree, bool chooses,
                                  gradus_error *err)
{
    gr_tree_data *data = &trees->data;
    const uint32_t slot = driver_root_slot(trees, tree, chooses);

    trees->splits = 0;
    data->lists[0].rows = trees->round.sample ? trees->sample : NULL;
    data->lists[0].words = trees->words + tree->output * data->rows;
    data->totals = trees->totals + tree->output;
    data->rules = tree->rules;
    data->unit = trees->round.unit;
    if (memcmp(trees->seen_tried, tree->tried, data->columns) != 0) {
        memcpy(trees->seen_tried, tree->tried, data->columns);
        DRIVER_TRY(machine_upload(trees, trees->tried, trees->seen_tried, data->columns, err));
    }
    trees->growth.chooses = chooses;
    return machine_start(trees, (uint32_t)trees->round.count, slot, err);
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

    memset(batch, 0, sizeof *batch);
    batch->count = (uint32_t)count;
    batch->first = trees->splits;
    trees->splits += batch->count;
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
        found[s] = trees->grown[s].found;
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
    DRIVER_TRY(driver_start(trees, tree, true, err));
    do {
        DRIVER_TRY(machine_steps(trees, tree->output, steps, err));
        DRIVER_TRY(machine_wait(trees, err));
        steps = 2;
    } while (!report->done);
    trees->steps = report->steps + 1;
    trees->splits = report->splits;
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
