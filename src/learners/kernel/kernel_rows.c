/* SPDX-License-Identifier: Apache-2.0 */
/* Support rows: dense rows are stored in strips (kernels/dot.h), sparse rows as lists. */
#include "learners/kernel/kernel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void gr_kernel_rows_free(gr_kernel_rows *rows)
{
    free(rows->strips);
    free(rows->starts);
    free(rows->columns);
    free(rows->entries);
    free(rows->squares);
    free(rows->means);
    *rows = (gr_kernel_rows){ .rows = 0 };
}

static size_t place_of(const gr_kernel_rows *rows, size_t r, size_t f)
{
    return (r / GR_DOT * rows->features + f) * GR_DOT + r % GR_DOT;
}

void gr_kernel_row_fill(const gr_kernel_rows *rows, size_t r, double *values)
{
    if (rows->strips) {
        for (size_t f = 0; f < rows->features; f++)
            values[f] = (double)rows->strips[place_of(rows, r, f)];
        return;
    }
    memset(values, 0, rows->features * sizeof *values);
    for (uint64_t e = rows->starts[r]; e < rows->starts[r + 1]; e++)
        values[rows->columns[e]] = (double)rows->entries[e];
}

gradus_status gr_kernel_rows_finish(gr_kernel_rows *rows, gradus_error *err)
{
    rows->squares = gr_new_array(rows->rows + GR_DOT, sizeof *rows->squares);
    if (!rows->squares)
        return gr_fail_memory(err, "support rows");
    for (size_t r = 0; r < rows->rows; r++) {
        double sum = 0.0;

        if (rows->strips)
            for (size_t f = 0; f < rows->features; f++) {
                const double value = (double)rows->strips[place_of(rows, r, f)];

                sum += value * value;
            }
        else
            for (uint64_t e = rows->starts[r]; e < rows->starts[r + 1]; e++)
                sum += (double)rows->entries[e] * (double)rows->entries[e];
        rows->squares[r] = sum;
    }
    return GRADUS_OK;
}

static bool new_strips(gr_kernel_rows *rows)
{
    size_t cells;

    return gr_size_times((rows->rows + GR_DOT - 1) / GR_DOT * GR_DOT, rows->features, &cells) &&
           (rows->strips = gr_new_array(cells, sizeof *rows->strips));
}

static bool new_sparse(gr_kernel_rows *rows, uint64_t entries)
{
    rows->starts = gr_new_array(rows->rows + 1, sizeof *rows->starts);
    rows->columns = gr_new_array((size_t)entries, sizeof *rows->columns);
    rows->entries = gr_new_array((size_t)entries, sizeof *rows->entries);
    return rows->starts && rows->columns && rows->entries;
}

static float filled(float value, float mean)
{
    return isfinite(value) ? value : mean;
}

static bool take_dense(const gradus_arrays *a, const uint32_t *numbers, gr_kernel_rows *rows)
{
    if (!new_strips(rows))
        return false;
    for (size_t r = 0; r < rows->rows; r++) {
        const float *values = a->values + (numbers ? numbers[r] : r) * a->stride;

        for (size_t f = 0; f < rows->features; f++)
            rows->strips[place_of(rows, r, f)] = filled(values[f], rows->means[f]);
    }
    return true;
}

static bool take_sparse(const gradus_arrays *a, const uint32_t *numbers, gr_kernel_rows *rows)
{
    uint64_t count = 0;

    for (size_t r = 0; r < rows->rows; r++) {
        const size_t from = numbers ? numbers[r] : r;

        count += a->row_starts[from + 1] - a->row_starts[from];
    }
    if (!new_sparse(rows, count))
        return false;
    count = 0;
    for (size_t r = 0; r < rows->rows; r++) {
        const size_t from = numbers ? numbers[r] : r;

        for (uint64_t e = a->row_starts[from]; e < a->row_starts[from + 1]; e++, count++) {
            rows->columns[count] = a->columns[e];
            rows->entries[count] = filled(a->entries[e], rows->means[a->columns[e]]);
        }
        rows->starts[r + 1] = count;
    }
    return true;
}

/* Completes the rows; frees them if anything failed. */
static gradus_status finished(bool made, gr_kernel_rows *rows, gradus_error *err)
{
    const gradus_status status =
        made ? gr_kernel_rows_finish(rows, err) : gr_fail_memory(err, "support rows");

    if (status != GRADUS_OK)
        gr_kernel_rows_free(rows);
    return status;
}

gradus_status gr_kernel_rows_of(const gradus_dataset *data, const uint32_t *numbers, size_t count,
                                const gr_spread *spreads, gr_kernel_rows *rows, gradus_error *err)
{
    const size_t features = data->arrays.features;

    *rows = (gr_kernel_rows){ .rows = count, .features = features };
    rows->means = gr_new_array(features, sizeof *rows->means);
    for (size_t f = 0; rows->means && f < features; f++)
        rows->means[f] = spreads[f].count > 0.0 ? (float)spreads[f].mean : 0.0f;
    return finished(rows->means &&
                        (gr_dataset_is_dense(data) ? take_dense(&data->arrays, numbers, rows)
                                                   : take_sparse(&data->arrays, numbers, rows)),
                    rows, err);
}

static bool pick_sparse(const gr_kernel_rows *from, const uint32_t *numbers, gr_kernel_rows *rows)
{
    uint64_t count = 0;

    for (size_t r = 0; r < rows->rows; r++)
        count += from->starts[numbers[r] + 1] - from->starts[numbers[r]];
    if (!new_sparse(rows, count))
        return false;
    for (size_t r = 0; r < rows->rows; r++) {
        const uint64_t first = from->starts[numbers[r]];
        const size_t size = (size_t)(from->starts[numbers[r] + 1] - first);

        memcpy(rows->columns + rows->starts[r], from->columns + first, size * sizeof(uint32_t));
        memcpy(rows->entries + rows->starts[r], from->entries + first, size * sizeof(float));
        rows->starts[r + 1] = rows->starts[r] + size;
    }
    return true;
}

static bool pick_dense(const gr_kernel_rows *from, const uint32_t *numbers, gr_kernel_rows *rows)
{
    if (!new_strips(rows))
        return false;
    for (size_t r = 0; r < rows->rows; r++)
        for (size_t f = 0; f < rows->features; f++)
            rows->strips[place_of(rows, r, f)] = from->strips[place_of(from, numbers[r], f)];
    return true;
}

gradus_status gr_kernel_rows_pick(const gr_kernel_rows *from, const uint32_t *numbers, size_t count,
                                  gr_kernel_rows *rows, gradus_error *err)
{
    *rows = (gr_kernel_rows){ .rows = count, .features = from->features };
    rows->means = gr_new_array(from->features, sizeof *rows->means);
    if (rows->means)
        memcpy(rows->means, from->means, from->features * sizeof *rows->means);
    return finished(rows->means && (from->strips ? pick_dense(from, numbers, rows)
                                                 : pick_sparse(from, numbers, rows)),
                    rows, err);
}
