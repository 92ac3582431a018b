/* SPDX-License-Identifier: Apache-2.0 */
/* Samples rows and gathers their values as integer keys, feature by feature. */
#include "bins/bins_sample.h"

#include "base/bisect.h"
#include "base/ranges.h"
#include "base/rng.h"

#include <stdlib.h>
#include <string.h>

enum {
    LEAST_ROOM = 1 << 20, /* minimum keys per sample */
    PADDING = 16,         /* keys between features, so that they do not crowd the same cache sets */
    BLOCK = 1024          /* sampled rows transposed per task */
};

/* Stratified sample: one random row from each of `sample` equal ranges of rows. */
gradus_status gr_binning_sample(gr_binning *work, gradus_error *err)
{
    const size_t rows = gr_binning_rows(work);
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

static void turn_block(void *argument, gr_range range)
{
    const gr_column_sample *sample = argument;
    const gr_binning *work = sample->work;
    const gradus_arrays *a = &work->data->arrays; /* of this process */
    const size_t before = gr_share_first_row(work->bins->share);
    const size_t start = sample->first_own + range.first, count = range.end - range.first;
    const float *rows[BLOCK];

    for (size_t i = 0; i < count; i++)
        rows[i] = a->values + (sample_row(work, start + i) - before) * a->stride + sample->first;
    gr_transpose_keys(rows, count, sample->end - sample->first, sample->keys + start,
                      work->sampled + PADDING);
}

/* Chooses the sample width: keys take about one byte per value of the data, which is the memory
 * that the bins will take (a quarter of it beside the values of the sampled rows), and all samples
 * are equally wide. */
static void set_width(gr_column_sample *sample)
{
    const gr_binning *work = sample->work;
    const size_t features = work->bins->features, column = work->sampled + PADDING;
    const gr_share *share = work->bins->share; /* all processes need the same width */
    const size_t rows = gr_binning_rows(work) / (share ? share->with->size : 1);
    const uint64_t bytes = (uint64_t)rows * features;
    const uint64_t keys = work->streamed ? bytes / 16 : bytes / 4;
    const uint64_t most = (keys > LEAST_ROOM ? keys : LEAST_ROOM) / column;
    const size_t fit = most < 1 ? 1 : most < features ? (size_t)most : features;
    const size_t samples = (features + fit - 1) / (fit ? fit : 1);

    sample->width = samples ? (features + samples - 1) / samples : 1;
    sample->room = (uint64_t)sample->width * column;
}

/* ---- Sparse rows: each task gathers its features from all sampled rows ---- */

/* The first entry of a row at or after a column. */
static uint64_t find_entry(const gradus_arrays *a, size_t r, size_t column)
{
    return GR_BISECT(a->row_starts[r], a->row_starts[r + 1], e, a->columns[e] < column);
}

typedef struct sparse_gather {
    gr_column_sample *sample;
    size_t tasks;
} sparse_gather;

/* The first feature of a task; tasks have about equally many entries. */
static size_t task_start(const sparse_gather *gather, size_t task)
{
    const gr_column_sample *sample = gather->sample;
    const uint64_t before = sample->entries[sample->first];
    const uint64_t all = sample->entries[sample->end] - before;
    const uint64_t wanted = before + (uint64_t)((double)all * (double)task / (double)gather->tasks);

    if (task == 0 || task == gather->tasks)
        return task == 0 ? sample->first : sample->end;
    return GR_BISECT(sample->first, sample->end, f, sample->entries[f] < wanted);
}

static void gather_entries(void *argument, size_t task, size_t worker)
{
    const sparse_gather *gather = argument;
    gr_column_sample *sample = gather->sample;
    const gr_binning *work = sample->work;
    const gradus_arrays *a = &gr_binning_all(work)->arrays;
    const size_t first = task_start(gather, task), end = task_start(gather, task + 1);

    (void)worker;
    if (first >= end)
        return;
    for (size_t s = 0; s < work->sampled; s++) {
        const size_t r = sample_row(work, s);

        for (uint64_t e = find_entry(a, r, first); e < a->row_starts[r + 1] && a->columns[e] < end;
             e++) {
            const size_t i = a->columns[e] - sample->first;

            sample->keys[sample->starts[i] + sample->counts[i]++] = gr_float_key(a->entries[e]);
        }
    }
}

/* Counts the entries of each feature, and limits samples to half of all entries. */
static gradus_status count_entries(gr_column_sample *sample, size_t *longest, gradus_error *err)
{
    const gr_binning *work = sample->work;
    const gradus_arrays *a = &gr_binning_all(work)->arrays;
    uint64_t *entries = gr_new_array(a->features + 1, sizeof *entries);

    sample->entries = entries;
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
    sample->room = entries[a->features] / 2 > LEAST_ROOM ? entries[a->features] / 2 : LEAST_ROOM;
    if (sample->room > entries[a->features])
        sample->room = entries[a->features];
    if (sample->room < *longest)
        sample->room = *longest;
    return GRADUS_OK;
}

/* ---- Both ---- */

/* Finds the sampled rows that this process has. */
static void find_own(gr_column_sample *sample)
{
    const gr_binning *work = sample->work;
    const uint64_t first = gr_share_first_row(work->bins->share);
    const uint64_t end = first + work->data->arrays.rows;

    sample->first_own = 0;
    sample->end_own = work->sampled;
    if (!work->bins->share)
        return;
    sample->first_own = GR_BISECT(0, work->sampled, i, sample_row(work, i) < first);
    sample->end_own = GR_BISECT(0, work->sampled, i, sample_row(work, i) < end);
}

gradus_status gr_column_sample_start(gr_column_sample *sample, size_t *longest, gradus_error *err)
{
    const gr_binning *work = sample->work;
    const size_t features = work->bins->features;
    size_t bytes;

    *longest = 0;
    find_own(sample);
    if (gr_dataset_is_dense(work->data)) {
        set_width(sample);
        *longest = work->sampled;
    } else {
        sample->width = features;
        GR_TRY(count_entries(sample, longest, err));
    }
    sample->starts = gr_new_array(sample->width, sizeof *sample->starts);
    sample->counts = gr_new_array(sample->width, sizeof *sample->counts);
    if (!sample->starts || !sample->counts ||
        !gr_size_times((size_t)sample->room + 1, sizeof *sample->keys, &bytes) ||
        !(sample->keys = malloc(bytes)))
        return gr_fail_memory(err, "feature values");
    return GRADUS_OK;
}

void gr_column_sample_next(gr_column_sample *sample)
{
    const gr_binning *work = sample->work;
    const size_t features = work->bins->features;

    sample->first = sample->end;
    if (!sample->entries) {
        sample->end =
            features - sample->first < sample->width ? features : sample->first + sample->width;
        for (size_t i = 0; i < sample->end - sample->first; i++) {
            sample->starts[i] = i * (work->sampled + PADDING);
            sample->counts[i] = (uint32_t)work->sampled;
        }
        return;
    }
    while (sample->end < features &&
           sample->entries[sample->end + 1] - sample->entries[sample->first] <= sample->room) {
        const size_t i = sample->end++ - sample->first;

        sample->starts[i] =
            (size_t)(sample->entries[sample->first + i] - sample->entries[sample->first]);
        sample->counts[i] = 0;
    }
}

/* Each process reads the keys of the rows it has; the others' keys are 0 there, so that sums of the
 * words have all keys. */
static gradus_status share_keys(const gr_column_sample *sample, gradus_error *err)
{
    const gr_share *share = sample->work->bins->share;
    const size_t keys = (sample->end - sample->first) * (sample->work->sampled + PADDING);

    return gr_share_sum_words(share, (uint64_t *)(void *)sample->keys, (keys + 1) / 2, err);
}

gradus_status gr_column_sample_gather(gr_column_sample *sample, gradus_error *err)
{
    const gr_binning *work = sample->work;
    gr_pool *pool = gr_pool_of(work->context);

    if (sample->entries) {
        sparse_gather gather = { sample, 2 * gr_pool_threads(pool) };

        gr_pool_run(pool, gather.tasks, gather_entries, &gather);
        return GRADUS_OK;
    }
    if (work->bins->share)
        memset(sample->keys, 0, ((size_t)sample->room + 1) * sizeof *sample->keys);
    gr_for_ranges(pool, sample->end_own - sample->first_own, BLOCK, turn_block, sample);
    return share_keys(sample, err);
}

void gr_column_sample_end(gr_column_sample *sample)
{
    free(sample->keys);
    free(sample->starts);
    free(sample->counts);
    free(sample->entries);
}
