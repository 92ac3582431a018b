#include "learners/svor/lines.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 1024 };

void gr_svor_lines_free(gr_svor_lines *lines)
{
    gr_array_free(&lines->filled);
    free(lines->means);
    free(lines->with_mean);
    free(lines->squares);
    *lines = (gr_svor_lines){ .rows = 0 };
}

/* Whether a value is missing: then its spread counts fewer than all. */
static bool some_missing(const gr_spread *spreads, size_t features, size_t rows)
{
    for (size_t f = 0; f < features; f++)
        if (spreads[f].count < (double)rows)
            return true;
    return false;
}

static bool fill_missing(gr_svor_lines *lines)
{
    const gradus_arrays *a = lines->arrays;
    const size_t entries = a->row_starts ? (size_t)a->row_starts[a->rows] : a->rows * a->features;
    float *filled;

    if (!gr_array_reserve(&lines->filled, entries * sizeof *filled))
        return false;
    filled = lines->filled.at;
    for (size_t e = 0; e < entries; e++) {
        const size_t f = a->row_starts ? a->columns[e] : e % a->features;
        const float value =
            a->row_starts ? a->entries[e] : a->values[e / a->features * a->stride + f];

        filled[e] = isfinite(value) ? value : (float)lines->means[f];
    }
    if (a->row_starts) {
        lines->entries = filled;
    } else {
        lines->values = filled;
        lines->stride = a->features;
    }
    return true;
}

static void measure_block(void *argument, size_t index, size_t worker)
{
    gr_svor_lines *lines = argument;
    const gradus_arrays *a = lines->arrays;
    const size_t from = index * BLOCK, to = lines->rows - from < BLOCK ? lines->rows : from + BLOCK;

    (void)worker;
    for (size_t r = from; r < to; r++) {
        double square = 0.0;

        if (lines->values)
            for (size_t f = 0; f < lines->features; f++) {
                const double off = (double)lines->values[r * lines->stride + f] - lines->means[f];

                square += off * off;
            }
        lines->with_mean[r] = gr_svor_lines_dot(lines, r, lines->means);
        if (!lines->values) {
            for (uint64_t e = a->row_starts[r]; e < a->row_starts[r + 1]; e++)
                square += (double)lines->entries[e] * (double)lines->entries[e];
            square += lines->mean_square - 2.0 * lines->with_mean[r];
        }
        lines->squares[r] = square > 0.0 ? square : 0.0;
    }
}

gradus_status gr_svor_lines_of(const gradus_dataset *data, const gr_spread *spreads, gr_pool *pool,
                               gr_svor_lines *lines, gradus_error *err)
{
    const gradus_arrays *a = &data->arrays;

    *lines = (gr_svor_lines){ .rows = a->rows,
                              .features = a->features,
                              .arrays = a,
                              .kernels = gr_cross_fastest(),
                              .values = a->values,
                              .entries = a->entries,
                              .stride = a->stride };
    lines->means = gr_new_array(a->features, sizeof *lines->means);
    lines->with_mean = gr_new_array(a->rows, sizeof *lines->with_mean);
    lines->squares = gr_new_array(a->rows, sizeof *lines->squares);
    if (!lines->means || !lines->with_mean || !lines->squares)
        return gr_fail_memory(err, "rows to train on");
    for (size_t f = 0; f < a->features; f++) {
        lines->means[f] = spreads[f].count > 0.0 ? spreads[f].mean : 0.0;
        lines->mean_square += lines->means[f] * lines->means[f];
    }
    if (some_missing(spreads, a->features, a->rows) && !fill_missing(lines))
        return gr_fail_memory(err, "rows to train on");
    gr_pool_run(pool, (a->rows + BLOCK - 1) / BLOCK, measure_block, lines);
    return GRADUS_OK;
}

typedef struct valuing {
    const gr_svor_lines *lines;
    const double *w;
    double shift; /* mean'w */
    double *f;
} valuing;

static void value_block(void *argument, size_t index, size_t worker)
{
    const valuing *v = argument;
    const size_t rows = v->lines->rows, from = index * BLOCK;
    const size_t to = rows - from < BLOCK ? rows : from + BLOCK;

    (void)worker;
    for (size_t r = from; r < to; r++)
        v->f[r] = gr_svor_lines_dot(v->lines, r, v->w) - v->shift;
}

void gr_svor_lines_values(const gr_svor_lines *lines, const double *w, gr_pool *pool, double *f)
{
    valuing v = { .lines = lines, .w = w, .f = f };

    for (size_t i = 0; i < lines->features; i++)
        v.shift += w[i] * lines->means[i];
    gr_pool_run(pool, (lines->rows + BLOCK - 1) / BLOCK, value_block, &v);
}
