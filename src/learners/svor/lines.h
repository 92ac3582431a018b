/* Rows as linear svor wants them: nothing missing, and what their means have to do with them. */
#ifndef GR_LEARNERS_SVOR_LINES_H
#define GR_LEARNERS_SVOR_LINES_H

#include "data/dataset.h"
#include "data/spread.h"
#include "kernels/cross.h"

typedef struct gr_svor_lines {
    size_t rows, features;
    const gradus_arrays *arrays;
    const gr_cross_kernels *kernels;
    const float *values;  /* dense: rows, `stride` apart */
    const float *entries; /* sparse */
    size_t stride;
    gr_array filled;    /* what replaces values or entries, if some are missing */
    double *means;      /* of each feature */
    double mean_square; /* |mean|^2 */
    double *with_mean;  /* row'mean */
    double *squares;    /* |row - mean|^2 */
} gr_svor_lines;

gradus_status gr_svor_lines_of(const gradus_dataset *data, const gr_spread *spreads, gr_pool *pool,
                               gr_svor_lines *lines, gradus_error *err);
void gr_svor_lines_free(gr_svor_lines *lines);
/* f[r] = (row - mean)'w */
void gr_svor_lines_values(const gr_svor_lines *lines, const double *w, gr_pool *pool, double *f);

static inline double gr_svor_lines_dot(const gr_svor_lines *lines, size_t r, const double *by)
{
    const gradus_arrays *a = lines->arrays;

    if (lines->values)
        return lines->kernels->dot(by, lines->values + r * lines->stride, lines->features);
    return gr_cross_dot_sparse(by, a->columns + a->row_starts[r], lines->entries + a->row_starts[r],
                               (size_t)(a->row_starts[r + 1] - a->row_starts[r]));
}

/* sums += by * row */
static inline void gr_svor_lines_add(const gr_svor_lines *lines, size_t r, double by, double *sums)
{
    const gradus_arrays *a = lines->arrays;

    if (lines->values)
        lines->kernels->add(sums, lines->values + r * lines->stride, by, lines->features);
    else
        for (uint64_t e = a->row_starts[r]; e < a->row_starts[r + 1]; e++)
            sums[a->columns[e]] += by * (double)lines->entries[e];
}

/* Says that the row will be needed soon. */
static inline void gr_svor_lines_ask(const gr_svor_lines *lines, size_t r)
{
    const float *at = lines->values ? lines->values + r * lines->stride
                                    : lines->entries + lines->arrays->row_starts[r];

    __builtin_prefetch(at);
    __builtin_prefetch(at + 16);
    if (!lines->values)
        __builtin_prefetch(lines->arrays->columns + lines->arrays->row_starts[r]);
}

#endif
