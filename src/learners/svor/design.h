/* SPDX-License-Identifier: Apache-2.0 */
/* Rows for the linear SVOR solver: missing values are replaced by means, and the products with the
 * mean vector that centring needs are precomputed. */
#ifndef GR_LEARNERS_SVOR_DESIGN_H
#define GR_LEARNERS_SVOR_DESIGN_H

#include "data/dataset.h"
#include "data/column_statistics.h"
#include "kernels/dot.h"

/* What the solver needs of a row besides its values, in one struct: rows are visited in random
 * order, so each separate array would cost a cache miss. */
typedef struct gr_svor_line {
    double with_mean; /* row' mean */
    double square;    /* |row - mean|^2 */
    uint64_t start;   /* sparse: index of its first entry */
    uint64_t count;   /* sparse: number of entries */
} gr_svor_line;

typedef struct gr_svor_lines {
    size_t rows, features;
    const gr_dot_kernels *kernels;
    const float *values; /* dense: [rows x stride]; NULL: sparse */
    size_t stride;
    gr_array filled;    /* dense: copy of `values`, if some are missing */
    gr_array entries;   /* sparse: gr_dot_entry (column and value) */
    double *means;      /* [feature] */
    double mean_square; /* |mean|^2 */
    gr_array of;        /* gr_svor_line [row] */
} gr_svor_lines;

gradus_status gr_svor_lines_of(const gradus_dataset *data, const gr_spread *spreads, gr_pool *pool,
                               gr_svor_lines *lines, gradus_error *err);
void gr_svor_lines_free(gr_svor_lines *lines);
/* f[r] = (row - mean)' w */
void gr_svor_lines_values(const gr_svor_lines *lines, const double *w, gr_pool *pool, double *f);

static inline gr_svor_line *gr_svor_line_at(const gr_svor_lines *lines, size_t r)
{
    return (gr_svor_line *)lines->of.at + r;
}

static inline const gr_dot_entry *gr_svor_entries_at(const gr_svor_lines *lines, size_t r)
{
    return (const gr_dot_entry *)lines->entries.at + gr_svor_line_at(lines, r)->start;
}

static inline double gr_svor_lines_dot(const gr_svor_lines *lines, size_t r, const double *by)
{
    if (lines->values)
        return lines->kernels->dot(by, lines->values + r * lines->stride, lines->features);
    return gr_dot_entries(by, gr_svor_entries_at(lines, r), gr_svor_line_at(lines, r)->count);
}

/* sums += by * row */
static inline void gr_svor_lines_add(const gr_svor_lines *lines, size_t r, double by, double *sums)
{
    if (lines->values) {
        lines->kernels->add(sums, lines->values + r * lines->stride, by, lines->features);
        return;
    }
    const gr_dot_entry *row = gr_svor_entries_at(lines, r);
    const size_t count = gr_svor_line_at(lines, r)->count;

    for (size_t e = 0; e < count; e++)
        sums[row[e].column] += by * (double)row[e].value;
}

/* Prefetches the row's values. */
static inline void gr_svor_lines_ask(const gr_svor_lines *lines, size_t r)
{
    const char *at = lines->values ? (const char *)(lines->values + r * lines->stride)
                                   : (const char *)gr_svor_entries_at(lines, r);

    __builtin_prefetch(at);
    __builtin_prefetch(at + 64);
    __builtin_prefetch(at + 128);
}

#endif
