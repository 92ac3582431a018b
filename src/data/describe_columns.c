/* SPDX-License-Identifier: Apache-2.0 */
/* Finds constant and duplicate features. One pass over the rows computes a hash and a few counts
 * per feature; a second pass compares only features with equal hashes. Processes that have some of
 * the rows each add up their counts, and get the same lists. */
#include "data/describe.h"

#include "base/sort.h"
#include "data/value_hash.h"

#include <stdlib.h>

/* The sums of one lane for a feature. They are integers, so their total does not depend on the
 * order. */
typedef struct column_sum {
    uint64_t hash;
    uint64_t filled; /* values other than 0 */
    uint64_t same;   /* of these, equal to the value in the first row */
} column_sum;

typedef struct column_scan {
    const gradus_dataset *data; /* this process's rows */
    size_t first, rows;         /* the number of its first row among all, and of all rows */
    size_t lanes;               /* ranges of rows with separate sums */
    column_sum *sums;           /* lanes x features */
    uint64_t *missing;          /* one per lane */
    uint32_t *first_row;        /* bit patterns of the values in the first row */
} column_scan;

static void add_value(column_sum *sum, uint32_t bits, size_t row, uint32_t first)
{
    sum->hash += gr_value_hash(bits, row);
    sum->filled++;
    sum->same += bits == first;
}

static void scan_dense(const column_scan *scan, size_t r, column_sum *sums, uint64_t *missing)
{
    const gradus_arrays *a = &scan->data->arrays;
    const float *row = a->values + r * a->stride;

    for (size_t f = 0; f < a->features; f++) {
        const uint32_t bits = gr_value_bits(row[f]);

        if (bits)
            add_value(&sums[f], bits, scan->first + r, scan->first_row[f]);
        *missing += row[f] != row[f];
    }
}

static void scan_sparse(const column_scan *scan, size_t r, column_sum *sums, uint64_t *missing)
{
    const gradus_arrays *a = &scan->data->arrays;

    for (uint64_t e = a->row_starts[r]; e < a->row_starts[r + 1]; e++) {
        const uint32_t bits = gr_value_bits(a->entries[e]), f = a->columns[e];

        if (bits)
            add_value(&sums[f], bits, scan->first + r, scan->first_row[f]);
        *missing += a->entries[e] != a->entries[e];
    }
}

static size_t lane_start(const column_scan *scan, size_t lane)
{
    const size_t rows = scan->data->arrays.rows;

    return rows / scan->lanes * lane + (lane < rows % scan->lanes ? lane : rows % scan->lanes);
}

static void scan_lane(void *argument, size_t lane, size_t worker)
{
    const column_scan *scan = argument;
    const size_t features = scan->data->arrays.features, end = lane_start(scan, lane + 1);
    column_sum *sums = scan->sums + lane * features;
    uint64_t missing = 0;

    (void)worker;
    for (size_t r = lane_start(scan, lane); r < end; r++)
        if (gr_dataset_is_dense(scan->data))
            scan_dense(scan, r, sums, &missing);
        else
            scan_sparse(scan, r, sums, &missing);
    scan->missing[lane] = missing;
}

static void add_lanes(const column_scan *scan)
{
    const size_t features = scan->data->arrays.features;

    for (size_t lane = 1; lane < scan->lanes; lane++)
        for (size_t f = 0; f < features; f++) {
            const column_sum *more = &scan->sums[lane * features + f];

            scan->sums[f].hash += more->hash;
            scan->sums[f].filled += more->filled;
            scan->sums[f].same += more->same;
        }
}

/* One lane per thread, unless the sums would take more memory than the data. */
static size_t choose_lanes(const gradus_dataset *data, gr_pool *pool)
{
    const gradus_arrays *a = &data->arrays;
    const uint64_t values = gr_dataset_is_dense(data) ? (uint64_t)a->rows * a->features
                            : a->rows                 ? a->row_starts[a->rows]
                                                      : 0;
    const uint64_t fit = values / 8 / (a->features ? a->features : 1);
    const size_t threads = gr_pool_threads(pool);

    return fit < 1 ? 1 : fit < threads ? (size_t)fit : threads;
}

static void read_own_first_row(const column_scan *scan)
{
    const gradus_arrays *a = &scan->data->arrays;

    if (a->rows == 0)
        return;
    if (gr_dataset_is_dense(scan->data)) {
        for (size_t f = 0; f < a->features; f++)
            scan->first_row[f] = gr_value_bits(a->values[f]);
        return;
    }
    for (uint64_t e = a->row_starts[0]; e < a->row_starts[1]; e++)
        scan->first_row[a->columns[e]] = gr_value_bits(a->entries[e]);
}

/* The first row of all is that of the first process that has rows. */
static gradus_status read_first_row(const column_scan *scan, gradus_error *err)
{
    const gr_share *share = scan->data->share;
    size_t from = 0;

    read_own_first_row(scan);
    while (share && from + 1 < share->with->size && share->row_cuts[from + 1] == 0)
        from++;
    return gr_share_broadcast(share, scan->first_row,
                              scan->data->arrays.features * sizeof *scan->first_row, from, err);
}

static bool is_constant(const column_scan *scan, size_t f)
{
    return scan->first_row[f] ? scan->sums[f].same == scan->rows : scan->sums[f].filled == 0;
}

static gradus_status list_constants(const column_scan *scan, gradus_description *d,
                                    gradus_error *err)
{
    size_t count = 0, *list;

    for (size_t f = 0; f < d->features; f++)
        d->constants += is_constant(scan, f);
    list = gr_new_array(d->constants, sizeof *list);
    d->constant_features = list;
    if (!list)
        return gr_fail_memory(err, "a list of features");
    for (size_t f = 0; f < d->features; f++)
        if (is_constant(scan, f))
            list[count++] = f;
    return GRADUS_OK;
}

/* Features with equal hashes, to be compared. */
typedef struct alike {
    const column_scan *scan;
    uint32_t *twin;         /* an earlier feature with the same hash, or the feature itself */
    unsigned char *differs; /* lanes x features: whether a row of the lane differs from the twin */
} alike;

static void check_sparse(const alike *work, size_t r, unsigned char *differs)
{
    const gradus_dataset *data = work->scan->data;
    const gradus_arrays *a = &data->arrays;

    for (uint64_t e = a->row_starts[r]; e < a->row_starts[r + 1]; e++) {
        const uint32_t f = a->columns[e], twin = work->twin[f];

        if (twin != f &&
            gr_value_bits(a->entries[e]) != gr_value_bits(gr_dataset_value(data, r, twin)))
            differs[f] = 1;
    }
}

static void check_dense(const alike *work, size_t r, unsigned char *differs)
{
    const gradus_arrays *a = &work->scan->data->arrays;
    const float *row = a->values + r * a->stride;

    for (size_t f = 0; f < a->features; f++)
        if (work->twin[f] != f && gr_value_bits(row[f]) != gr_value_bits(row[work->twin[f]]))
            differs[f] = 1;
}

/* Sparse rows are checked in one direction only: a feature and its twin have equally many nonzero
 * values, so they are equal if each nonzero value of one equals the other's. */
static void check_lane(void *argument, size_t lane, size_t worker)
{
    const alike *work = argument;
    const size_t features = work->scan->data->arrays.features;
    const size_t end = lane_start(work->scan, lane + 1);
    unsigned char *differs = work->differs + lane * features;

    (void)worker;
    for (size_t r = lane_start(work->scan, lane); r < end; r++)
        if (gr_dataset_is_dense(work->scan->data))
            check_dense(work, r, differs);
        else
            check_sparse(work, r, differs);
}

/* Assigns twins and returns the number of pairs. The sort is stable, so the first feature in a run
 * of equal hashes is the earliest. */
static size_t find_twins(const column_scan *scan, gr_keyed *items, uint32_t *twin)
{
    const size_t features = scan->data->arrays.features;
    size_t count = 0, pairs = 0;

    for (size_t f = 0; f < features; f++) {
        twin[f] = (uint32_t)f;
        if (!is_constant(scan, f))
            items[count++] = (gr_keyed){ scan->sums[f].hash, f };
    }
    gr_sort_keyed(items, count, items + features);
    for (size_t i = 1, leader = 0; i < count; i++) {
        const size_t f = (size_t)items[i].item, first = (size_t)items[leader].item;

        if (items[i].key != items[leader].key) {
            leader = i;
        } else if (scan->sums[f].filled == scan->sums[first].filled) {
            twin[f] = (uint32_t)first;
            pairs++;
        }
    }
    return pairs;
}

/* Compares features with their twins, in the rows of all processes. The result is in lane 0. */
static gradus_status check_twins(const alike *work, gr_pool *pool, gradus_error *err)
{
    const size_t features = work->scan->data->arrays.features;

    gr_pool_run(pool, work->scan->lanes, check_lane, (void *)(uintptr_t)work);
    for (size_t i = features; i < work->scan->lanes * features; i++)
        work->differs[i % features] |= work->differs[i];
    return gr_share_or(work->scan->data->share, work->differs, features, err);
}

static gradus_status list_duplicates(const alike *work, size_t most, gradus_description *d,
                                     gradus_error *err)
{
    size_t *list = gr_new_array(most, sizeof *list), *of = gr_new_array(most, sizeof *of);

    d->duplicate_features = list;
    d->duplicate_of = of;
    if (!list || !of)
        return gr_fail_memory(err, "a list of features");
    for (size_t f = 0; f < d->features; f++)
        if (work->twin[f] != f && !work->differs[f]) {
            list[d->duplicates] = f;
            of[d->duplicates++] = work->twin[f];
        }
    return GRADUS_OK;
}

static gradus_status find_duplicates(column_scan *scan, gr_pool *pool, gradus_description *d,
                                     gradus_error *err)
{
    gr_keyed *items = gr_new_array(d->features, 2 * sizeof *items);
    alike work = { scan, gr_new_array(d->features, sizeof *work.twin),
                   gr_new_array(d->features, scan->lanes) };
    gradus_status status = GRADUS_OK;

    if (items && work.twin && work.differs) {
        const size_t pairs = find_twins(scan, items, work.twin);

        if (pairs)
            status = check_twins(&work, pool, err);
        if (status == GRADUS_OK)
            status = list_duplicates(&work, pairs, d, err);
    } else {
        status = gr_fail_memory(err, "duplicate features");
    }
    free(work.differs);
    free(work.twin);
    free(items);
    return status;
}

static gradus_status scan_columns(column_scan *scan, gr_pool *pool, gradus_description *d,
                                  gradus_error *err)
{
    const gr_share *share = scan->data->share;

    GR_TRY(read_first_row(scan, err));
    gr_pool_run(pool, scan->lanes, scan_lane, scan);
    add_lanes(scan);
    for (size_t lane = 1; lane < scan->lanes; lane++)
        scan->missing[0] += scan->missing[lane];
    GR_TRY(gr_share_sum_words(share, &scan->sums[0].hash,
                              d->features * sizeof *scan->sums / sizeof(uint64_t), err));
    GR_TRY(gr_share_sum_words(share, scan->missing, 1, err));
    d->missing = (size_t)scan->missing[0];
    for (size_t f = 0; f < d->features; f++)
        d->entries += (size_t)scan->sums[f].filled;
    d->entries -= d->missing;
    if (d->rows && d->features)
        d->density = (double)d->entries / ((double)d->rows * (double)d->features);
    GR_TRY(list_constants(scan, d, err));
    return find_duplicates(scan, pool, d, err);
}

gradus_status gr_describe_columns(const gradus_dataset *own, gr_pool *pool, gradus_description *d,
                                  gradus_error *err)
{
    const size_t features = own->arrays.features;
    column_scan scan = { .data = own,
                         .first = gr_share_first_row(own->share),
                         .rows = gr_share_rows(own->share, own->arrays.rows),
                         .lanes = choose_lanes(own, pool) };
    gradus_status status;

    scan.sums = gr_new_array(features, scan.lanes * sizeof *scan.sums);
    scan.missing = gr_new_array(scan.lanes, sizeof *scan.missing);
    scan.first_row = gr_new_array(features, sizeof *scan.first_row);
    if (scan.sums && scan.missing && scan.first_row)
        status = scan_columns(&scan, pool, d, err);
    else
        status = gr_fail_memory(err, "a description of features");
    free(scan.first_row);
    free(scan.missing);
    free(scan.sums);
    return status;
}
