/* SPDX-License-Identifier: Apache-2.0 */
/* Builds the rows of the linear SVOR solver and evaluates f on all of them. */
#include "learners/svor/design.h"

#include "base/ranges.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 1024 };

void gr_svor_lines_free(gr_svor_lines *lines)
{
    gr_array_free(&lines->filled);
    gr_array_free(&lines->entries);
    gr_array_free(&lines->of);
    free(lines->means);
    *lines = (gr_svor_lines){ .rows = 0 };
}

/* Whether any value is missing: its feature then counts fewer values than rows. */
static bool some_missing(const gr_spread *spreads, size_t features, size_t rows)
{
    for (size_t f = 0; f < features; f++)
        if (spreads[f].count < (double)rows)
            return true;
    return false;
}

static float or_mean(float value, double mean)
{
    return isfinite(value) ? value : (float)mean;
}

static bool fill_missing(const gradus_arrays *a, gr_svor_lines *lines)
{
    float *filled;

    if (!gr_array_reserve(&lines->filled, a->rows * a->features * sizeof *filled))
        return false;
    filled = lines->filled.at;
    for (size_t r = 0; r < a->rows; r++)
        for (size_t f = 0; f < a->features; f++)
            filled[r * a->features + f] = or_mean(a->values[r * a->stride + f], lines->means[f]);
    lines->values = filled;
    lines->stride = a->features;
    return true;
}

typedef struct measuring {
    gr_svor_lines *lines;
    const gradus_arrays *arrays;
} measuring;

static double copy_entries(const measuring *m, size_t r)
{
    const gradus_arrays *a = m->arrays;
    gr_dot_entry *to = m->lines->entries.at;
    double square = 0.0;

    for (uint64_t e = a->row_starts[r]; e < a->row_starts[r + 1]; e++) {
        const uint32_t column = a->columns[e];
        const float value = or_mean(a->entries[e], m->lines->means[column]);

        to[e] = (gr_dot_entry){ column, value };
        square += (double)value * (double)value;
    }
    return square;
}

static void measure_block(void *argument, gr_range range)
{
    const measuring *m = argument;
    gr_svor_lines *lines = m->lines;

    for (size_t r = range.first; r < range.end; r++) {
        gr_svor_line *line = gr_svor_line_at(lines, r);
        double square = 0.0;

        *line = (gr_svor_line){ .square = 0.0 };
        for (size_t f = 0; lines->values && f < lines->features; f++) {
            const double off = (double)lines->values[r * lines->stride + f] - lines->means[f];

            square += off * off;
        }
        if (!lines->values) {
            line->start = m->arrays->row_starts[r];
            line->count = m->arrays->row_starts[r + 1] - line->start;
            square = copy_entries(m, r);
        }
        line->with_mean = gr_svor_lines_dot(lines, r, lines->means);
        if (!lines->values)
            square += lines->mean_square - 2.0 * line->with_mean;
        line->square = square > 0.0 ? square : 0.0;
    }
}

gradus_status gr_svor_lines_of(const gradus_dataset *data, const gr_spread *spreads, gr_pool *pool,
                               gr_svor_lines *lines, gradus_error *err)
{
    const gradus_arrays *a = &data->arrays;
    const size_t entries = a->row_starts ? (size_t)a->row_starts[a->rows] : 0;
    measuring m = { lines, a };

    *lines = (gr_svor_lines){ .rows = a->rows,
                              .features = a->features,
                              .kernels = gr_dot_here(),
                              .values = a->values,
                              .stride = a->stride };
    lines->means = gr_new_array(a->features, sizeof *lines->means);
    if (!lines->means || !gr_array_reserve(&lines->of, a->rows * sizeof(gr_svor_line)) ||
        !gr_array_reserve(&lines->entries, entries * sizeof(gr_dot_entry)))
        return gr_fail_memory(err, "rows to train on");
    gr_array_use_huge_pages(&lines->of);
    gr_array_use_huge_pages(&lines->entries);
    for (size_t f = 0; f < a->features; f++) {
        lines->means[f] = spreads[f].count > 0.0 ? spreads[f].mean : 0.0;
        lines->mean_square += lines->means[f] * lines->means[f];
    }
    if (a->values && some_missing(spreads, a->features, a->rows) && !fill_missing(a, lines))
        return gr_fail_memory(err, "rows to train on");
    gr_for_ranges(pool, a->rows, BLOCK, measure_block, &m);
    return GRADUS_OK;
}

typedef struct valuing {
    const gr_svor_lines *lines;
    const double *w;
    double shift; /* mean' w */
    double *f;
} valuing;

static void value_block(void *argument, gr_range range)
{
    const valuing *v = argument;

    for (size_t r = range.first; r < range.end; r++)
        v->f[r] = gr_svor_lines_dot(v->lines, r, v->w) - v->shift;
}

void gr_svor_lines_values(const gr_svor_lines *lines, const double *w, gr_pool *pool, double *f)
{
    valuing v = { .lines = lines, .w = w, .f = f };

    for (size_t i = 0; i < lines->features; i++)
        v.shift += w[i] * lines->means[i];
    gr_for_ranges(pool, lines->rows, BLOCK, value_block, &v);
}
