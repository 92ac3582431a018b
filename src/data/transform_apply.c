/* SPDX-License-Identifier: Apache-2.0 */
/* Applies a fitted transform to rows and datasets. */
#include "data/transform.h"

#include "base/ranges.h"
#include "data/subset.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROW_CHUNK = 1 << 12 }; /* rows */

static float rescaled(float value, double shift, double unit)
{
    if (!isfinite(value))
        return value;
    return unit == 0.0 ? 0.0f : (float)(((double)value - shift) / unit);
}

float gr_transform_value(const gr_fitted_transform *fitted, size_t f, float value)
{
    return rescaled(value, fitted->shift[f], fitted->unit[f]);
}

static void scale(const gr_fitted_transform *fitted, const gr_spread *spread, double *shift,
                  double *unit)
{
    fitted->transform->scale(spread, shift, unit);
    if (fitted->keep_zeros)
        *shift = 0.0;
}

/* Overwrites low and high of a spread with the feature's shift and unit. */
static void scale_in_place(const gr_fitted_transform *fitted, gr_spread *spread)
{
    double shift, unit;

    scale(fitted, spread, &shift, &unit);
    spread->low = shift;
    spread->high = unit;
}

void gr_transform_rows(const gr_fitted_transform *fitted, float *values, size_t rows, size_t stride,
                       gr_spread *scratch)
{
    const size_t features = fitted->features;

    if (!fitted->transform->by_query) {
        for (size_t r = 0; r < rows; r++)
            for (size_t f = 0; f < features; f++)
                values[r * stride + f] =
                    rescaled(values[r * stride + f], fitted->shift[f], fitted->unit[f]);
        return;
    }
    gr_spread_dense(values, rows, stride, features, scratch);
    for (size_t f = 0; f < features; f++)
        scale_in_place(fitted, &scratch[f]);
    for (size_t r = 0; r < rows; r++)
        for (size_t f = 0; f < features; f++)
            values[r * stride + f] =
                rescaled(values[r * stride + f], scratch[f].low, scratch[f].high);
}

/* Rescaling of a dataset, by query or by range of rows. */
typedef struct rescaling {
    const gr_fitted_transform *fitted;
    const gradus_arrays *arrays;
    float *values;      /* dense values, changed in place */
    float *entries;     /* sparse entries, changed in place; NULL: only check zeros */
    gr_spread *spreads; /* (threads, features) */
    uint32_t *touched;  /* (threads, features) */
    atomic_bool moves_zeros;
} rescaling;

static void rescale_chunk(void *argument, gr_range range)
{
    const rescaling *work = argument;
    const gradus_arrays *a = work->arrays;

    gr_transform_rows(work->fitted, work->values + range.first * a->stride, range.end - range.first,
                      a->stride, NULL);
}

static void rescale_entries(void *argument, gr_range range)
{
    const rescaling *work = argument;
    const gradus_arrays *a = work->arrays;
    const gr_fitted_transform *fitted = work->fitted;

    for (uint64_t e = a->row_starts[range.first]; e < a->row_starts[range.end]; e++)
        work->entries[e] =
            rescaled(work->entries[e], fitted->shift[a->columns[e]], fitted->unit[a->columns[e]]);
}

static void rescale_dense_query(void *argument, size_t q, size_t worker)
{
    const rescaling *work = argument;
    const gradus_arrays *a = work->arrays;
    const size_t from = (size_t)a->query_starts[q], to = (size_t)a->query_starts[q + 1];

    gr_transform_rows(work->fitted, work->values + from * a->stride, to - from, a->stride,
                      work->spreads + worker * a->features);
}

static void rescale_sparse_query(void *argument, size_t q, size_t worker)
{
    rescaling *work = argument;
    const gradus_arrays *a = work->arrays;
    const size_t from = (size_t)a->query_starts[q], to = (size_t)a->query_starts[q + 1];
    gr_spread *spreads = work->spreads + worker * a->features;
    uint32_t *touched = work->touched + worker * a->features;
    const size_t count = gr_spread_sparse(a, from, to, spreads, touched);

    for (size_t t = 0; t < count; t++) {
        gr_spread *spread = &spreads[touched[t]];

        scale_in_place(work->fitted, spread);
        if (spread->low != 0.0 && spread->high != 0.0)
            atomic_store(&work->moves_zeros, true);
    }
    for (uint64_t e = a->row_starts[from]; work->entries && e < a->row_starts[to]; e++) {
        const gr_spread *spread = &spreads[a->columns[e]];

        work->entries[e] = rescaled(work->entries[e], spread->low, spread->high);
    }
    for (size_t t = 0; t < count; t++)
        memset(&spreads[touched[t]], 0, sizeof *spreads);
}

static gradus_status rescale_queries(rescaling *work, bool dense, gr_pool *pool, gradus_error *err)
{
    const size_t features = work->arrays->features;
    gradus_status status = GRADUS_OK;
    size_t cells;

    if (!gr_size_times(gr_pool_threads(pool), features, &cells))
        return gr_fail_memory(err, "a transform");
    work->spreads = gr_new_array(cells, sizeof *work->spreads);
    work->touched = gr_new_array(dense ? 1 : cells, sizeof *work->touched);
    if (work->spreads && work->touched)
        gr_pool_run(pool, work->arrays->queries, dense ? rescale_dense_query : rescale_sparse_query,
                    work);
    else
        status = gr_fail_memory(err, "a transform");
    free(work->spreads);
    free(work->touched);
    work->spreads = NULL;
    work->touched = NULL;
    return status;
}

/* Rescales a dataset that owns its arrays. */
static gradus_status rescale(const gr_fitted_transform *fitted, gradus_dataset *data, gr_pool *pool,
                             gradus_error *err)
{
    const bool dense = gr_dataset_is_dense(data);
    rescaling work = { .fitted = fitted,
                       .arrays = &data->arrays,
                       .values = data->owned[GR_VALUES].at,
                       .entries = data->owned[GR_ENTRIES].at };

    if (fitted->transform->by_query)
        return rescale_queries(&work, dense, pool, err);
    gr_for_ranges(pool, data->arrays.rows, ROW_CHUNK, dense ? rescale_chunk : rescale_entries,
                  &work);
    return GRADUS_OK;
}

static gradus_status find_moved_zeros(const gr_fitted_transform *fitted, const gradus_dataset *data,
                                      gr_pool *pool, bool *moved, gradus_error *err)
{
    rescaling work = { .fitted = fitted, .arrays = &data->arrays };

    *moved = false;
    if (gr_dataset_is_dense(data) || fitted->keep_zeros)
        return GRADUS_OK;
    if (fitted->transform->by_query) {
        GR_TRY(rescale_queries(&work, false, pool, err));
        *moved = atomic_load(&work.moves_zeros);
        return GRADUS_OK;
    }
    for (size_t f = 0; f < fitted->features; f++)
        *moved = *moved || (fitted->shift[f] != 0.0 && fitted->unit[f] != 0.0);
    return GRADUS_OK;
}

/* Checks the memory of the copy against the limit of the context. */
static gradus_status check_copy(const gradus_context *context, const gr_fitted_transform *fitted,
                                const gradus_dataset *data, bool dense, gradus_error *err)
{
    const gradus_arrays *a = &data->arrays;
    const double bytes = dense || gr_dataset_is_dense(data)
                             ? (double)a->rows * (double)a->features * sizeof(float)
                             : (double)a->row_starts[a->rows] * (sizeof(uint32_t) + sizeof(float));
    char what[120];

    snprintf(what, sizeof what, "transform '%s' of %zu rows of %zu features",
             fitted->transform->about.name, a->rows, a->features);
    return gr_check_memory(context, what, bytes, err);
}

static gradus_status allow_dense(gradus_context *context, const gr_fitted_transform *fitted,
                                 const gradus_dataset *data, gradus_error *err)
{
    const double megabytes =
        (double)data->arrays.rows * (double)data->arrays.features * sizeof(float) / 1e6;
    const double memory = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE) / 1e6;

    if (megabytes > memory / 2.0)
        return gr_fail(err, GRADUS_NO_MEMORY,
                       "transform '%s' makes zeros nonzero: sparse rows would become dense and "
                       "take %.0f MB; use 'keep-zeros' to scale without shifting",
                       fitted->transform->about.name, megabytes);
    gr_note(context,
            "transform '%s' makes zeros nonzero: sparse rows become dense (%.0f MB); "
            "use 'keep-zeros' to scale without shifting",
            fitted->transform->about.name, megabytes);
    return GRADUS_OK;
}

gradus_dataset *gr_transform_apply(gradus_context *context, const gr_fitted_transform *fitted,
                                   const gradus_dataset *data, gradus_error *err)
{
    gr_pool *pool = gr_pool_of(context);
    gradus_dataset *copy;
    bool dense;

    if (data->arrays.features != fitted->features) {
        gr_fail(err, GRADUS_BAD_ARGUMENT,
                "transform '%s' was fitted to %zu features, but the data have %zu",
                fitted->transform->about.name, fitted->features, data->arrays.features);
        return NULL;
    }
    if (gr_dataset_need(data, GR_NEED_ALL, pool, err) != GRADUS_OK ||
        find_moved_zeros(fitted, data, pool, &dense, err) != GRADUS_OK ||
        check_copy(context, fitted, data, dense, err) != GRADUS_OK ||
        (dense && allow_dense(context, fitted, data, err) != GRADUS_OK))
        return NULL;
    copy = gr_dataset_copy(data, dense, pool, err);
    if (copy && rescale(fitted, copy, pool, err) != GRADUS_OK) {
        gradus_dataset_free(copy);
        return NULL;
    }
    return copy;
}
