/* SPDX-License-Identifier: Apache-2.0 */
/* Products with the data matrix, in parallel over fixed blocks of rows. */
#include "learners/ranksvm/ranksvm_rows.h"

#include "base/ranges.h"
#include "kernels/dot.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 2048, MAX_BLOCKS = 64 };

void gr_svm_rows_free(gr_svm_rows *rows)
{
    free(rows->own);
    free(rows->sums);
    *rows = (gr_svm_rows){ .own = NULL };
}

static bool all_finite(const float *values, size_t rows, size_t stride, size_t count)
{
    for (size_t r = 0; r < rows; r++)
        for (size_t i = 0; i < count; i++)
            if (!(fabsf(values[r * stride + i]) <= FLT_MAX))
                return false;
    return true;
}

static float *cleaned(const float *values, size_t rows, size_t stride, size_t count)
{
    size_t cells;
    float *made = gr_size_times(rows, count, &cells) ? gr_new_array(cells, sizeof *made) : NULL;

    for (size_t r = 0; made && r < rows; r++)
        for (size_t i = 0; i < count; i++) {
            const float value = values[r * stride + i];

            made[r * count + i] = fabsf(value) <= FLT_MAX ? value : 0.0f;
        }
    return made;
}

gradus_status gr_svm_rows_make(const gradus_dataset *data, gr_pool *pool, gr_svm_rows *rows,
                               gradus_error *err)
{
    const gradus_arrays *a = &data->arrays;
    const size_t each = (a->rows + MAX_BLOCKS - 1) / MAX_BLOCKS;

    *rows = (gr_svm_rows){ .arrays = *a, .pool = pool, .block = each < BLOCK ? BLOCK : each };
    rows->blocks = gr_range_count(a->rows, rows->block);
    rows->sums = gr_new_array(a->features, rows->blocks * sizeof *rows->sums);
    if (!rows->sums)
        return gr_fail_memory(err, "sums over rows");
    if (a->row_starts) {
        const size_t entries = (size_t)a->row_starts[a->rows];

        if (all_finite(a->entries, 1, 0, entries))
            return GRADUS_OK;
        rows->own = cleaned(a->entries, 1, 0, entries);
        rows->arrays.entries = rows->own;
    } else {
        if (all_finite(a->values, a->rows, a->stride, a->features))
            return GRADUS_OK;
        rows->own = cleaned(a->values, a->rows, a->stride, a->features);
        rows->arrays.values = rows->own;
        rows->arrays.stride = a->features;
    }
    return rows->own ? GRADUS_OK : gr_fail_memory(err, "rows");
}

typedef struct work {
    const gr_svm_rows *rows;
    const double *from;
    double *to;
} work;

static void times_block(void *argument, gr_range range)
{
    const work *w = argument;
    const gradus_arrays *a = &w->rows->arrays;

    for (size_t r = range.first; r < range.end; r++)
        w->to[r] = a->row_starts
                       ? gr_dot_sparse(w->from, a->columns + a->row_starts[r],
                                       a->entries + a->row_starts[r],
                                       (size_t)(a->row_starts[r + 1] - a->row_starts[r]))
                       : gr_dot_here()->dot(w->from, a->values + r * a->stride, a->features);
}

void gr_svm_rows_times(const gr_svm_rows *rows, const double *weights, double *out)
{
    work w = { rows, weights, out };

    gr_for_ranges(rows->pool, rows->arrays.rows, rows->block, times_block, &w);
}

static void combine_block(void *argument, gr_range range)
{
    const work *w = argument;
    const gradus_arrays *a = &w->rows->arrays;
    double *sums = w->to + range.index * a->features;

    memset(sums, 0, a->features * sizeof *sums);
    for (size_t r = range.first; r < range.end; r++) {
        if (w->from[r] == 0.0)
            continue;
        if (!a->row_starts)
            gr_dot_here()->add(sums, a->values + r * a->stride, w->from[r], a->features);
        else
            for (uint64_t e = a->row_starts[r]; e < a->row_starts[r + 1]; e++)
                sums[a->columns[e]] += w->from[r] * (double)a->entries[e];
    }
}

void gr_svm_rows_combine(const gr_svm_rows *rows, const double *factors, double *out)
{
    const size_t features = rows->arrays.features;
    work w = { rows, factors, rows->sums };

    gr_for_ranges(rows->pool, rows->arrays.rows, rows->block, combine_block, &w);
    memset(out, 0, features * sizeof *out);
    for (size_t b = 0; b < rows->blocks; b++)
        for (size_t f = 0; f < features; f++)
            out[f] += rows->sums[b * features + f];
}
