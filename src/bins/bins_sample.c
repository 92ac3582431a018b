/* SPDX-License-Identifier: Apache-2.0 */
/* Samples rows and gathers their values as integer keys, feature by feature. */
#include "bins/bins_sample.h"

#include "base/rng.h"

#include <stdlib.h>

enum {
    LEAST_ROOM = 1 << 20, /* minimum keys per panel */
    PADDING = 16,         /* keys between features, so that they do not crowd the same cache sets */
    BLOCK = 1024          /* sampled rows transposed per task */
};

/* Stratified sample: one random row from each of `sample` equal ranges of rows. */
gradus_status gr_binning_sample(gr_binning *work, gradus_error *err)
{
    const size_t rows = work->data->arrays.rows;
    gr_rng rng = gr_rng_for(work->options->seed, "bin-sample", 0);

    work->sampled = rows;
    if (work->options->sample == 0 || work->options->sample >= rows)
        return GRADUS_OK;
    work->sampled = (size_t)work->options->sample;
    work->sample_rows = gr_new_array(work->sampled, sizeof *work->sample_rows);
    if (!work->sample_rows)
        return gr_fail_memory(err, "sampled rows");
    for (size_t i = 0; i < work->sampled; i++) {
        const uint64_t start = (uint64_t)i * rows / work->sampled;
        const uint64_t end = (uint64_t)(i + 1) * rows / work->sampled;

        work->sample_rows[i] = (uint32_t)(start + gr_rng_below(&rng, end - start));
    }
    return GRADUS_OK;
}

static size_t sample_row(const gr_binning *work, size_t i)
{
    return work->sample_rows ? work->sample_rows[i] : i;
}

/* ---- Dense rows: several features are read per row, to keep TLB misses low ---- */

static void turn_block(void *argument, size_t index, size_t worker)
{
    const gr_panel *panel = argument;
    const gr_binning *work = panel->work;
    const gradus_arrays *a = &work->data->arrays;
    const size_t start = index * BLOCK;
    const size_t count = work->sampled - start < BLOCK ? work->sampled - start : BLOCK;
    const float *rows[BLOCK];

    (void)worker;
    for (size_t i = 0; i < count; i++)
        rows[i] = a->values + sample_row(work, start + i) * a->stride + panel->first;
    gr_turn_keys(rows, count, panel->end - panel->first, panel->keys + start,
                 work->sampled + PADDING);
}

/* Chooses the panel width: keys take about one byte per value of the data, and all panels are
 * equally wide. */
static void set_width(gr_panel *panel)
{
    const gr_binning *work = panel->work;
    const size_t features = work->bins->features, column = work->sampled + PADDING;
    const uint64_t bytes = (uint64_t)work->bins->rows * features;
    const uint64_t most = (bytes / 4 > LEAST_ROOM ? bytes / 4 : LEAST_ROOM) / column;
    const size_t fit = most < 1 ? 1 : most < features ? (size_t)most : features;
    const size_t panels = (features + fit - 1) / (fit ? fit : 1);

    panel->width = panels ? (features + panels - 1) / panels : 1;
    panel->room = (uint64_t)panel->width * column;
}

/* ---- Sparse rows: each task gathers its features from all sampled rows ---- */

/* The first entry of a row at or after a column. */
static uint64_t find_entry(const gradus_arrays *a, size_t r, size_t column)
{
    uint64_t low = a->row_starts[r], high = a->row_starts[r + 1];

    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;

        if (a->columns[middle] < column)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

typedef struct sparse_gather {
    gr_panel *panel;
    size_t tasks;
} sparse_gather;

/* The first feature of a task; tasks have about equally many entries. */
static size_t task_start(const sparse_gather *gather, size_t task)
{
    const gr_panel *panel = gather->panel;
    const uint64_t before = panel->entries[panel->first];
    const uint64_t all = panel->entries[panel->end] - before;
    const uint64_t wanted = before + (uint64_t)((double)all * (double)task / (double)gather->tasks);
    size_t low = panel->first, high = panel->end;

    if (task == gather->tasks)
        return panel->end;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (panel->entries[middle] < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return task == 0 ? panel->first : low;
}

static void gather_entries(void *argument, size_t task, size_t worker)
{
    const sparse_gather *gather = argument;
    gr_panel *panel = gather->panel;
    const gr_binning *work = panel->work;
    const gradus_arrays *a = &work->data->arrays;
    const size_t first = task_start(gather, task), end = task_start(gather, task + 1);

    (void)worker;
    if (first >= end)
        return;
    for (size_t s = 0; s < work->sampled; s++) {
        const size_t r = sample_row(work, s);

        for (uint64_t e = find_entry(a, r, first); e < a->row_starts[r + 1] && a->columns[e] < end;
             e++) {
            const size_t i = a->columns[e] - panel->first;

            panel->keys[panel->starts[i] + panel->counts[i]++] = gr_float_key(a->entries[e]);
        }
    }
}

/* Counts the entries of each feature, and limits panels to half of all entries. */
static gradus_status count_entries(gr_panel *panel, size_t *longest, gradus_error *err)
{
    const gr_binning *work = panel->work;
    const gradus_arrays *a = &work->data->arrays;
    uint64_t *entries = gr_new_array(a->features + 1, sizeof *entries);

    panel->entries = entries;
    if (!entries)
        return gr_fail_memory(err, "entry counts");
    for (size_t s = 0; s < work->sampled; s++) {
        const size_t r = sample_row(work, s);

        for (uint64_t e = a->row_starts[r]; e < a->row_starts[r + 1]; e++)
            entries[a->columns[e] + 1]++;
    }
    for (size_t f = 0; f < a->features; f++) {
        *longest = entries[f + 1] > *longest ? (size_t)entries[f + 1] : *longest;
        entries[f + 1] += entries[f];
    }
    panel->room = entries[a->features] / 2 > LEAST_ROOM ? entries[a->features] / 2 : LEAST_ROOM;
    if (panel->room > entries[a->features])
        panel->room = entries[a->features];
    if (panel->room < *longest)
        panel->room = *longest;
    return GRADUS_OK;
}

/* ---- Both ---- */

gradus_status gr_panel_start(gr_panel *panel, size_t *longest, gradus_error *err)
{
    const gr_binning *work = panel->work;
    const size_t features = work->bins->features;
    size_t bytes;

    *longest = 0;
    if (gr_dataset_is_dense(work->data)) {
        set_width(panel);
        *longest = work->sampled;
    } else {
        panel->width = features;
        GR_TRY(count_entries(panel, longest, err));
    }
    panel->starts = gr_new_array(panel->width, sizeof *panel->starts);
    panel->counts = gr_new_array(panel->width, sizeof *panel->counts);
    if (!panel->starts || !panel->counts ||
        !gr_size_times((size_t)panel->room + 1, sizeof *panel->keys, &bytes) ||
        !(panel->keys = malloc(bytes)))
        return gr_fail_memory(err, "feature values");
    return GRADUS_OK;
}

void gr_panel_next(gr_panel *panel)
{
    const gr_binning *work = panel->work;
    const size_t features = work->bins->features;

    panel->first = panel->end;
    if (!panel->entries) {
        panel->end =
            features - panel->first < panel->width ? features : panel->first + panel->width;
        for (size_t i = 0; i < panel->end - panel->first; i++) {
            panel->starts[i] = i * (work->sampled + PADDING);
            panel->counts[i] = (uint32_t)work->sampled;
        }
        return;
    }
    while (panel->end < features &&
           panel->entries[panel->end + 1] - panel->entries[panel->first] <= panel->room) {
        const size_t i = panel->end++ - panel->first;

        panel->starts[i] =
            (size_t)(panel->entries[panel->first + i] - panel->entries[panel->first]);
        panel->counts[i] = 0;
    }
}

void gr_panel_gather(gr_panel *panel)
{
    const gr_binning *work = panel->work;
    gr_pool *pool = gr_pool_of(work->context);

    if (panel->entries) {
        sparse_gather gather = { panel, 2 * gr_pool_threads(pool) };

        gr_pool_run(pool, gather.tasks, gather_entries, &gather);
    } else {
        gr_pool_run(pool, (work->sampled + BLOCK - 1) / BLOCK, turn_block, panel);
    }
}

void gr_panel_end(gr_panel *panel)
{
    free(panel->keys);
    free(panel->starts);
    free(panel->counts);
    free(panel->entries);
}
