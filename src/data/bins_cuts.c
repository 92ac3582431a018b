/* Thresholds: a sample of the rows, and of each feature in turn its values there. Features are
 * taken in groups, a group a task, so that the memory needed does not grow with the features. */
#include "data/bins_work.h"

#include "base/rng.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One row from each of `sample` stretches of rows. */
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
        return gr_fail_memory(err, "a sample of rows");
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

/* Features first to end - 1, and their thresholds one after the other. */
typedef struct feature_group {
    size_t first, end;
    gr_array thresholds;
    bool failed;
} feature_group;

typedef struct group_list {
    gr_binning *work;
    feature_group *groups;
    size_t count;
    uint64_t *entries; /* sparse rows: entries of each feature in the sample, as starts */
} group_list;

/* Memory of a task: the keys of its features, and what cutting one of them needs. */
typedef struct group_room {
    uint32_t *keys, *spare, *at, *missing;
    size_t *starts; /* where the keys of each feature of the group start */
    gr_distinct *distinct;
} group_room;

static void end_room(group_room *room)
{
    free(room->keys);
    free(room->spare);
    free(room->at);
    free(room->missing);
    free(room->starts);
    free(room->distinct);
}

static bool make_room(const group_list *list, const feature_group *group, group_room *room)
{
    const size_t width = group->end - group->first, sampled = list->work->sampled;
    size_t total = 0, longest = 0;

    *room = (group_room){ .starts = gr_new_array(width, sizeof *room->starts) };
    if (!room->starts)
        return false;
    for (size_t i = 0; i < width; i++) {
        const size_t f = group->first + i;
        const size_t count =
            list->entries ? (size_t)(list->entries[f + 1] - list->entries[f]) : sampled;

        room->starts[i] = total;
        total += count;
        longest = count > longest ? count : longest;
    }
    room->keys = malloc((total + 1) * sizeof *room->keys);
    room->spare = malloc((longest + 1) * sizeof *room->spare);
    room->distinct = malloc((longest + 1) * sizeof *room->distinct);
    room->at = gr_new_array(width, sizeof *room->at);
    room->missing = gr_new_array(width, sizeof *room->missing);
    return room->keys && room->spare && room->distinct && room->at && room->missing;
}

/* Adds a value to the keys of the i-th feature of a group. */
static inline void gather_key(group_room *room, size_t i, int32_t key)
{
    const bool missing = gr_key_is_missing(key);

    room->keys[room->starts[i] + room->at[i]] = gr_sort_key(key);
    room->at[i] += key != 0 && !missing;
    room->missing[i] += missing;
}

/* The same for several values. Kept in registers: a count in memory would wait for itself. */
static void gather_keys(group_room *room, size_t i, const int32_t *from, size_t count)
{
    uint32_t *to = room->keys + room->starts[i], at = room->at[i], missing = 0;

    for (size_t r = 0; r < count; r++) {
        const bool misses = gr_key_is_missing(from[r]);

        to[at] = gr_sort_key(from[r]);
        at += (from[r] != 0) & !misses;
        missing += misses;
    }
    room->at[i] = at;
    room->missing[i] += missing;
}

static void gather_dense(const gr_binning *work, const feature_group *group, group_room *room)
{
    const gradus_arrays *a = &work->data->arrays;
    const size_t width = group->end - group->first;
    const float *rows[GR_TILE];
    int32_t turned[GR_LINE][GR_TILE];

    for (size_t s = 0; s < work->sampled; s += GR_TILE) {
        const size_t count = work->sampled - s < GR_TILE ? work->sampled - s : GR_TILE;

        for (size_t i = 0; i < count; i++)
            rows[i] = a->values + sample_row(work, s + i) * a->stride + group->first;
        gr_turn_keys(rows, count, width, turned[0], GR_TILE);
        for (size_t i = 0; i < width; i++)
            gather_keys(room, i, turned[i], count);
    }
}

/* The first entry of a row from a column on. */
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

static void gather_sparse(const gr_binning *work, const feature_group *group, group_room *room)
{
    const gradus_arrays *a = &work->data->arrays;

    for (size_t s = 0; s < work->sampled; s++) {
        const size_t r = sample_row(work, s);

        for (uint64_t e = find_entry(a, r, group->first);
             e < a->row_starts[r + 1] && a->columns[e] < group->end; e++)
            gather_key(room, a->columns[e] - group->first, gr_float_key(a->entries[e]));
    }
}

static void cut_group(void *argument, size_t index, size_t worker)
{
    group_list *list = argument;
    gr_binning *work = list->work;
    feature_group *group = &list->groups[index];
    group_room room;
    size_t used = 0;

    (void)worker;
    group->failed = !make_room(list, group, &room);
    if (!group->failed && list->entries)
        gather_sparse(work, group, &room);
    else if (!group->failed)
        gather_dense(work, group, &room);
    for (size_t f = group->first; f < group->end && !group->failed; f++) {
        const size_t i = f - group->first, count = room.at[i];
        const size_t most = count < work->options->bins ? count : (size_t)work->options->bins - 1;
        gr_column *column = &work->columns[f];

        group->failed = !gr_array_reserve(&group->thresholds, (used + most + 1) * sizeof(float));
        if (group->failed)
            break;
        column->missing = room.missing[i];
        column->zeros = (uint32_t)(work->sampled - count - column->missing);
        gr_column_cut(work->options, room.keys + room.starts[i], count, room.spare, room.distinct,
                      column, (float *)group->thresholds.at + used);
        used += column->thresholds;
    }
    end_room(&room);
}

/* Groups of features; those of dense rows a cache line wide unless the keys of all threads
 * together would take more than a byte a value. */
static gradus_status group_dense(group_list *list, gradus_error *err)
{
    const gr_binning *work = list->work;
    const size_t features = work->bins->features, rows = work->bins->rows;
    const size_t threads = gr_pool_threads(gr_pool_of(work->context));
    const double fit = (double)rows * (double)features / 4.0 / ((double)work->sampled + 1.0);
    const size_t width = fit / (double)threads >= GR_LINE ? GR_LINE
                         : fit / (double)threads >= 1     ? (size_t)(fit / (double)threads)
                                                          : 1;

    list->groups = gr_new_array(features / width + 1, sizeof *list->groups);
    if (!list->groups)
        return gr_fail_memory(err, "groups of features");
    for (size_t f = 0; f < features; f += width)
        list->groups[list->count++] =
            (feature_group){ .first = f, .end = features - f < width ? features : f + width };
    return GRADUS_OK;
}

/* Groups of about equally many entries. */
static gradus_status group_sparse(group_list *list, gradus_error *err)
{
    const gr_binning *work = list->work;
    const gradus_arrays *a = &work->data->arrays;
    const size_t threads = gr_pool_threads(gr_pool_of(work->context));
    uint64_t total, most;
    size_t room;

    list->entries = gr_new_array(a->features + 1, sizeof *list->entries);
    if (!list->entries)
        return gr_fail_memory(err, "entries of features");
    for (size_t s = 0; s < work->sampled; s++) {
        const size_t r = sample_row(work, s);

        for (uint64_t e = a->row_starts[r]; e < a->row_starts[r + 1]; e++)
            list->entries[a->columns[e] + 1]++;
    }
    for (size_t f = 0; f < a->features; f++)
        list->entries[f + 1] += list->entries[f];
    total = list->entries[a->features];
    most = (total + a->features) / (8 * threads) + 1;
    room = 16 * threads + 2;
    list->groups = gr_new_array(room, sizeof *list->groups);
    if (!list->groups)
        return gr_fail_memory(err, "groups of features");
    for (size_t f = 0; f < a->features;) {
        feature_group *group = &list->groups[list->count++];

        group->first = f;
        do
            f++;
        while (f < a->features &&
               list->entries[f + 1] - list->entries[group->first] + f + 1 - group->first <= most);
        group->end = f;
    }
    return GRADUS_OK;
}

static gradus_status join_groups(const group_list *list, gradus_error *err)
{
    const gr_binning *work = list->work;
    gr_cuts *cuts = &work->bins->cuts;

    for (size_t f = 0; f < cuts->features; f++) {
        cuts->starts[f + 1] = cuts->starts[f] + work->columns[f].thresholds;
        cuts->missing[f] = work->columns[f].missing > 0;
    }
    cuts->thresholds = gr_new_array((size_t)cuts->starts[cuts->features], sizeof(float));
    if (!cuts->thresholds)
        return gr_fail_memory(err, "thresholds");
    for (size_t g = 0; g < list->count; g++) {
        const feature_group *group = &list->groups[g];
        const uint64_t start = cuts->starts[group->first];

        memcpy(cuts->thresholds + start, group->thresholds.at,
               (size_t)(cuts->starts[group->end] - start) * sizeof(float));
    }
    return GRADUS_OK;
}

/* Counts the rows that miss a feature. */
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

/* Whether a feature without thresholds has one bin or two depends on all rows: no sample will do.
 */
static void look_at_all_rows(gr_binning *work)
{
    const gradus_arrays *a = &work->data->arrays;
    const gr_cuts *cuts = &work->bins->cuts;

    for (size_t f = 0; f < cuts->features; f++)
        work->misses[f] = work->columns[f].missing;
    if (!work->sample_rows)
        return;
    if (gr_dataset_is_dense(work->data)) {
        gr_pool_run(gr_pool_of(work->context), a->features, count_missing, work);
    } else {
        memset(work->misses, 0, a->features * sizeof *work->misses);
        for (uint64_t e = 0; e < a->row_starts[a->rows]; e++)
            work->misses[a->columns[e]] += isnan(a->entries[e]) != 0;
    }
    for (size_t f = 0; f < cuts->features; f++)
        cuts->missing[f] = cuts->missing[f] || work->misses[f] > 0;
}

gradus_status gr_binning_cuts(gr_binning *work, gradus_error *err)
{
    const size_t features = work->bins->features;
    gr_cuts *cuts = &work->bins->cuts;
    group_list list = { .work = work };
    gradus_status status;

    cuts->features = features;
    cuts->starts = gr_new_array(features + 1, sizeof *cuts->starts);
    cuts->missing = gr_new_array(features, sizeof *cuts->missing);
    work->columns = gr_new_array(features, sizeof *work->columns);
    work->misses = gr_new_array(features, sizeof *work->misses);
    if (!cuts->starts || !cuts->missing || !work->columns || !work->misses)
        return gr_fail_memory(err, "thresholds");
    status = gr_dataset_is_dense(work->data) ? group_dense(&list, err) : group_sparse(&list, err);
    if (status == GRADUS_OK) {
        gr_pool_run(gr_pool_of(work->context), list.count, cut_group, &list);
        for (size_t g = 0; g < list.count && status == GRADUS_OK; g++)
            if (list.groups[g].failed)
                status = gr_fail_memory(err, "values of a feature");
    }
    if (status == GRADUS_OK)
        status = join_groups(&list, err);
    if (status == GRADUS_OK)
        look_at_all_rows(work);
    for (size_t g = 0; g < list.count; g++)
        gr_array_free(&list.groups[g].thresholds);
    free(list.groups);
    free(list.entries);
    return status;
}
