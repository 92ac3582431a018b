/* SPDX-License-Identifier: Apache-2.0 */
/* Two-pass statistics (mean first) per block of rows, combined in order (Chan, Golub and LeVeque,
 * 1979), so that the result is accurate to rounding and does not depend on the number of threads.
 * Sparse rows are processed as one block by the calling thread, because a pass is only one access
 * per entry. */
#include "data/column_statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 1 << 10 }; /* rows */

static const gr_spread NOTHING = { 0.0, 0.0, 0.0, INFINITY, -INFINITY, 0 };

static void join(gr_spread *all, const gr_spread *more)
{
    const double count = all->count + more->count;
    const double distance = more->mean - all->mean;

    if (more->count == 0.0)
        return;
    all->mean += distance * (more->count / count);
    all->squares += more->squares + distance * distance * (all->count * more->count / count);
    all->count = count;
    all->low = fmin(all->low, more->low);
    all->high = fmax(all->high, more->high);
}

static void add_value(gr_spread *spread, double value)
{
    spread->count += 1.0;
    spread->mean += value; /* the sum until end_mean divides it */
    spread->low = value < spread->low ? value : spread->low;
    spread->high = value > spread->high ? value : spread->high;
}

static void end_mean(gr_spread *spread)
{
    if (spread->count > 0.0)
        spread->mean /= spread->count;
}

static void add_distance(gr_spread *spread, double value)
{
    const double distance = value - spread->mean;

    spread->squares += distance * distance;
}

void gr_spread_dense(const float *values, size_t rows, size_t stride, size_t features,
                     gr_spread *spreads)
{
    for (size_t f = 0; f < features; f++)
        spreads[f] = NOTHING;
    for (size_t r = 0; r < rows; r++)
        for (size_t f = 0; f < features; f++)
            if (isfinite(values[r * stride + f]))
                add_value(&spreads[f], (double)values[r * stride + f]);
    for (size_t f = 0; f < features; f++)
        end_mean(&spreads[f]);
    for (size_t r = 0; r < rows; r++)
        for (size_t f = 0; f < features; f++)
            if (isfinite(values[r * stride + f]))
                add_distance(&spreads[f], (double)values[r * stride + f]);
}

static void join_zeros(gr_spread *spread, uint64_t zeros)
{
    const gr_spread all_zero = { (double)zeros, 0.0, 0.0, 0.0, 0.0, 0 };

    join(spread, &all_zero);
}

size_t gr_spread_sparse(const gradus_arrays *arrays, size_t from, size_t to, gr_spread *spreads,
                        uint32_t *touched)
{
    const uint64_t begin = arrays->row_starts[from], end = arrays->row_starts[to];
    size_t count = 0;

    for (uint64_t e = begin; e < end; e++) {
        gr_spread *spread = &spreads[arrays->columns[e]];

        if (spread->entries == 0) {
            *spread = NOTHING;
            touched[count++] = arrays->columns[e];
        }
        spread->entries++;
        if (isfinite(arrays->entries[e]))
            add_value(spread, (double)arrays->entries[e]);
    }
    for (size_t t = 0; t < count; t++)
        end_mean(&spreads[touched[t]]);
    for (uint64_t e = begin; e < end; e++)
        if (isfinite(arrays->entries[e]))
            add_distance(&spreads[arrays->columns[e]], (double)arrays->entries[e]);
    for (size_t t = 0; t < count; t++)
        join_zeros(&spreads[touched[t]], to - from - spreads[touched[t]].entries);
    return count;
}

static gradus_status all_sparse(const gradus_arrays *a, gr_spread *spreads, gradus_error *err)
{
    uint32_t *touched = gr_new_array(a->features, sizeof *touched);

    if (!touched)
        return gr_fail_memory(err, "feature statistics");
    memset(spreads, 0, a->features * sizeof *spreads);
    gr_spread_sparse(a, 0, a->rows, spreads, touched);
    for (size_t f = 0; f < a->features; f++)
        if (spreads[f].entries == 0)
            spreads[f].count = (double)a->rows;
    free(touched);
    return GRADUS_OK;
}

typedef struct measuring {
    const gradus_arrays *arrays;
    gr_spread *of_slots; /* (slots, features) */
    gr_spread *all;
} measuring;

static gradus_status measure_block(void *argument, size_t index, size_t slot, gradus_error *err)
{
    const measuring *m = argument;
    const gradus_arrays *a = m->arrays;
    const size_t from = index * BLOCK, left = a->rows - from;

    (void)err;
    gr_spread_dense(a->values + from * a->stride, left < BLOCK ? left : BLOCK, a->stride,
                    a->features, m->of_slots + slot * a->features);
    return GRADUS_OK;
}

static gradus_status join_block(void *argument, size_t index, size_t slot, gradus_error *err)
{
    const measuring *m = argument;
    const size_t features = m->arrays->features;

    (void)index;
    (void)err;
    for (size_t f = 0; f < features; f++)
        join(&m->all[f], &m->of_slots[slot * features + f]);
    return GRADUS_OK;
}

gradus_status gr_spread_all(const gradus_dataset *data, gr_spread *spreads, gr_pool *pool,
                            gradus_error *err)
{
    const gradus_arrays *a = &data->arrays;
    const size_t slots = gr_stream_slots(pool);
    measuring m = { a, NULL, spreads };
    const gr_stream stream = {
        .make = measure_block, .take = join_block, .argument = &m, .slots = slots
    };
    gradus_status status;
    size_t cells;

    if (!gr_dataset_is_dense(data))
        return all_sparse(a, spreads, err);
    for (size_t f = 0; f < a->features; f++)
        spreads[f] = NOTHING;
    if (!gr_size_times(slots, a->features, &cells) ||
        !(m.of_slots = gr_new_array(cells, sizeof *m.of_slots)))
        return gr_fail_memory(err, "feature statistics");
    status = gr_pool_stream(pool, (a->rows + BLOCK - 1) / BLOCK, &stream, err);
    free(m.of_slots);
    return status;
}
