/* SPDX-License-Identifier: Apache-2.0 */
/* Computes the thresholds of all features from a sample of the rows. Features are processed in
 * samples (ranges of features), so that the keys take no more memory than the bins will. */
#include "bins/bins_sample.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Scratch memory for one feature. */
typedef struct cut_room {
    uint32_t *spare;
    gr_distinct *distinct;
    float *thresholds;
} cut_room;

typedef struct cut_run {
    gr_column_sample *sample;
    cut_room *rooms;         /* one per worker, allocated on first use */
    size_t threads, longest; /* longest: maximum keys of a feature */
} cut_run;

static bool make_room(const cut_run *run, cut_room *room)
{
    const uint64_t bins = run->sample->work->options->bins;
    const size_t most = run->longest < bins ? run->longest : (size_t)bins;

    if (!room->spare)
        room->spare = malloc((run->longest + 1) * sizeof *room->spare);
    if (!room->distinct)
        room->distinct = malloc((run->longest + 1) * sizeof *room->distinct);
    if (!room->thresholds)
        room->thresholds = malloc((most + 1) * sizeof *room->thresholds);
    return room->spare && room->distinct && room->thresholds;
}

/* Converts keys to sort keys in place and drops those of zeros and missing values. */
static size_t keep_numbers(int32_t *keys, size_t count, uint32_t *missing)
{
    uint32_t *kept = (uint32_t *)keys, misses = 0;
    size_t used = 0;

    for (size_t i = 0; i < count; i++) {
        const int32_t key = keys[i];
        const bool is_missing = gr_key_is_missing(key);

        kept[used] = gr_sort_key(key);
        used += (key != 0) & !is_missing;
        misses += is_missing;
    }
    *missing = misses;
    return used;
}

/* Computes the thresholds of a feature; they overwrite its keys in the sample. */
static void cut_feature(void *argument, size_t index, size_t worker)
{
    cut_run *run = argument;
    gr_column_sample *sample = run->sample;
    gr_binning *work = sample->work;
    cut_room *room = &run->rooms[worker];
    gr_column *column = &work->columns[sample->first + index];
    int32_t *keys = sample->keys + sample->starts[index];
    size_t count;

    if (!make_room(run, room)) {
        atomic_store(&work->failed, GRADUS_NO_MEMORY);
        return;
    }
    count = keep_numbers(keys, sample->counts[index], &column->missing);
    column->zeros = (uint32_t)(work->sampled - count - column->missing);
    gr_column_cut(work->options, (uint32_t *)keys, count, room->spare, room->distinct, column,
                  room->thresholds);
    memcpy(keys, room->thresholds, column->thresholds * sizeof *room->thresholds);
}

static bool append_thresholds(const gr_column_sample *sample, gr_array *all)
{
    gr_cuts *cuts = &sample->work->bins->cuts;

    for (size_t f = sample->first; f < sample->end; f++) {
        const gr_column *column = &sample->work->columns[f];
        const size_t used = (size_t)cuts->starts[f];

        cuts->starts[f + 1] = used + column->thresholds;
        cuts->missing[f] = column->missing > 0;
        if (!gr_array_reserve(all, ((size_t)cuts->starts[f + 1] + 1) * sizeof(float)))
            return false;
        memcpy((float *)all->at + used, sample->keys + sample->starts[f - sample->first],
               column->thresholds * sizeof(float));
    }
    return true;
}

static gradus_status cut_panels(cut_run *run, gr_array *all, gradus_error *err)
{
    gr_column_sample *sample = run->sample;
    gr_binning *work = sample->work;
    const size_t features = work->bins->features;

    while (sample->end < features) {
        gr_column_sample_next(sample);
        GR_TRY(gr_column_sample_gather(sample, err));
        gr_pool_run(gr_pool_of(work->context), sample->end - sample->first, cut_feature, run);
        if (atomic_load(&work->failed) || !append_thresholds(sample, all))
            return gr_fail_memory(err, "thresholds");
        GR_TRY(gr_progress(work->context, "binning", 0.5 * (double)sample->end / (double)features,
                           err));
    }
    return GRADUS_OK;
}

static void end_run(cut_run *run)
{
    for (size_t t = 0; t < run->threads && run->rooms; t++) {
        free(run->rooms[t].spare);
        free(run->rooms[t].distinct);
        free(run->rooms[t].thresholds);
    }
    free(run->rooms);
    gr_column_sample_end(run->sample);
}

/* Computes all thresholds, in feature order. */
static gradus_status cut_all(gr_binning *work, gr_array *all, gradus_error *err)
{
    gr_column_sample sample = { .work = work };
    cut_run run = { .sample = &sample, .threads = gr_pool_threads(gr_pool_of(work->context)) };
    gradus_status status = gr_column_sample_start(&sample, &run.longest, err);

    if (status == GRADUS_OK) {
        run.rooms = gr_new_array(run.threads, sizeof *run.rooms);
        status = run.rooms ? cut_panels(&run, all, err) : gr_fail_memory(err, "thresholds");
    }
    end_run(&run);
    return status;
}

/* Counts the known rows with a missing value of a feature without thresholds. */
static void count_missing(void *argument, size_t f, size_t worker)
{
    gr_binning *work = argument;
    const gradus_arrays *a = &work->data->arrays;

    (void)worker;
    if (work->columns[f].thresholds > 0)
        return;
    work->misses[f] = 0;
    for (size_t r = 0; r < a->rows; r++)
        work->misses[f] += isnan(a->values[r * a->stride + f]) != 0;
}

/* Adds up the counts of all processes. Counts of the sample are the same everywhere, but are only
 * compared with 0. */
static gradus_status share_misses(gr_binning *work, gradus_error *err)
{
    const size_t features = work->bins->features;
    uint64_t *sums;
    gradus_status status;

    if (!work->bins->share)
        return GRADUS_OK;
    sums = gr_new_array(features, sizeof *sums);
    if (!sums)
        return gr_fail_memory(err, "missing values");
    for (size_t f = 0; f < features; f++)
        sums[f] = work->misses[f];
    status = gr_share_sum_words(work->bins->share, sums, features, err);
    for (size_t f = 0; f < features; f++)
        work->misses[f] = sums[f] > UINT32_MAX ? UINT32_MAX : (uint32_t)sums[f];
    free(sums);
    return status;
}

/* Whether a feature without thresholds has one bin or two depends on missing values in all rows,
 * not only in the sample. */
static gradus_status look_at_all_rows(gr_binning *work, gradus_error *err)
{
    const gradus_arrays *a = &work->data->arrays;
    const gr_cuts *cuts = &work->bins->cuts;

    for (size_t f = 0; f < cuts->features; f++)
        work->misses[f] = work->columns[f].missing;
    if (!work->sample_rows)
        return GRADUS_OK;
    if (gr_dataset_is_dense(work->data)) {
        gr_pool_run(gr_pool_of(work->context), a->features, count_missing, work);
    } else {
        memset(work->misses, 0, a->features * sizeof *work->misses);
        for (uint64_t e = 0; e < a->row_starts[a->rows]; e++)
            work->misses[a->columns[e]] += isnan(a->entries[e]) != 0;
    }
    GR_TRY(share_misses(work, err));
    for (size_t f = 0; f < cuts->features; f++) {
        cuts->missing[f] = cuts->missing[f] || work->misses[f] > 0;
        /* assumed of the rows to come, and checked when they are binned */
        if (work->streamed && work->misses[f] == a->rows)
            work->misses[f] = (uint32_t)work->bins->rows;
    }
    return GRADUS_OK;
}

gradus_status gr_binning_cuts(gr_binning *work, gradus_error *err)
{
    const size_t features = work->bins->features;
    gr_cuts *cuts = &work->bins->cuts;
    gr_array all = { NULL, 0, false };
    gradus_status status;

    cuts->features = features;
    cuts->starts = gr_new_array(features + 1, sizeof *cuts->starts);
    cuts->missing = gr_new_array(features, sizeof *cuts->missing);
    work->columns = gr_new_array(features, sizeof *work->columns);
    work->misses = gr_new_array(features, sizeof *work->misses);
    if (!cuts->starts || !cuts->missing || !work->columns || !work->misses)
        return gr_fail_memory(err, "thresholds");
    status = cut_all(work, &all, err);
    if (status == GRADUS_OK) {
        cuts->thresholds = gr_new_array((size_t)cuts->starts[features], sizeof(float));
        if (!cuts->thresholds)
            status = gr_fail_memory(err, "thresholds");
    }
    if (status == GRADUS_OK) {
        if (all.at)
            memcpy(cuts->thresholds, all.at, (size_t)cuts->starts[features] * sizeof(float));
        status = look_at_all_rows(work, err);
    }
    gr_array_free(&all);
    return status;
}
