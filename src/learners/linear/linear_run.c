/* SPDX-License-Identifier: Apache-2.0 */
/* Scores rows with a linear model. Each output is a sum in a fixed order, so that threads, blocks
 * and the CPU do not change a bit of it. Sparse rows with many features are summed in a different
 * order, over their entries only. */
#include "learners/linear/linear.h"

#include "kernels/gram.h"
#include "learners/forest/forest_block.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SPARSE_BLOCK = 512, WIDE = 1024 };

void gr_linear_importance(const gr_linear *linear, double *sizes, uint64_t *equations)
{
    for (size_t f = 0; f < linear->features; f++) {
        double size = 0.0;
        uint64_t count = 0;

        for (size_t k = 0; k < linear->outputs; k++) {
            const double coefficient = linear->coefficients[k * linear->features + f];

            size += fabs(coefficient) * linear->spreads[f];
            count += coefficient != 0.0;
        }
        if (sizes)
            sizes[f] = size;
        if (equations)
            equations[f] = count;
    }
}

size_t gr_linear_scratch(const gr_linear *linear)
{
    const size_t strips = (linear->features + GR_STRIP - 1) / GR_STRIP;

    return strips * GR_STRIP > linear->outputs ? strips * GR_STRIP : linear->outputs;
}

void gr_linear_run(const gr_linear *linear, const float *values, size_t rows, size_t stride,
                   double *out, size_t stride_out, double *scratch)
{
    const gr_gram_kernels *kernels = gr_gram_fastest();
    gr_pack pack = { .features = linear->features, .rows = 1, .means = linear->means };

    for (size_t r = 0; r < rows; r++) {
        pack.values = values + r * stride;
        kernels->pack(&pack, scratch); /* packs a single row: subtracts the means */
        for (size_t k = 0; k < linear->outputs; k++)
            out[k * stride_out + r] =
                linear->bases[k] + kernels->dot(linear->coefficients + k * linear->features,
                                                scratch, linear->features);
    }
}

bool gr_linear_takes_sparse(const gr_linear *linear)
{
    for (size_t f = 0; f < linear->features && linear->features < WIDE; f++)
        if (linear->means[f] != 0.0)
            return false;
    return true;
}

void gr_linear_zeros(const gr_linear *linear, double *zeros)
{
    for (size_t k = 0; k < linear->outputs; k++)
        zeros[k] = -gr_gram_fastest()->dot(linear->coefficients + k * linear->features,
                                           linear->means, linear->features);
}

void gr_linear_run_sparse(const gr_linear *linear, const double *zeros, const uint32_t *columns,
                          const float *entries, size_t count, double *out, size_t stride_out)
{
    for (size_t k = 0; k < linear->outputs; k++) {
        const double *coefficients = linear->coefficients + k * linear->features;
        double lanes[GR_STRIP] = { 0 };

        for (size_t e = 0; e < count && columns[e] < linear->features; e++) {
            const double value =
                isfinite(entries[e]) ? (double)entries[e] : linear->means[columns[e]];

            lanes[columns[e] % GR_STRIP] += coefficients[columns[e]] * value;
        }
        out[k * stride_out] =
            (linear->bases[k] + zeros[k]) + (((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) +
                                             ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7])));
    }
}

typedef struct adding {
    const gr_linear *linear;
    const gradus_arrays *arrays;
    size_t block; /* rows per task */
    bool sparse;  /* score sparse rows without making them dense */
    /* [threads x block x features], all 0 between tasks; NULL: rows are read in place. */
    float *values;
    double *scratch; /* [threads x scratch_size] */
    double *zeros;   /* [output], for sparse rows */
    double *outputs; /* [threads x outputs x block] */
    size_t scratch_size;
    double *sums;
} adding;

static void add_block(void *argument, size_t index, size_t worker)
{
    const adding *work = argument;
    const gradus_arrays *a = work->arrays;
    const size_t features = work->linear->features, outputs = work->linear->outputs;
    const size_t from = index * work->block;
    const size_t rows = a->rows - from < work->block ? a->rows - from : work->block;
    double *scratch = work->scratch + worker * work->scratch_size;
    double *out = work->outputs + worker * outputs * work->block;

    for (size_t r = from; work->sparse && r < from + rows; r++)
        gr_linear_run_sparse(
            work->linear, work->zeros, a->columns + a->row_starts[r], a->entries + a->row_starts[r],
            (size_t)(a->row_starts[r + 1] - a->row_starts[r]), out + r - from, rows);
    if (work->values) {
        float *values = work->values + worker * work->block * features;

        gr_block_fill(a, from, from + rows, features, values);
        gr_linear_run(work->linear, values, rows, features, out, rows, scratch);
        gr_block_clear(a, from, from + rows, features, values);
    } else if (!work->sparse) {
        gr_linear_run(work->linear, a->values + from * a->stride, rows, a->stride, out, rows,
                      scratch);
    }
    for (size_t k = 0; k < outputs; k++)
        for (size_t r = 0; r < rows; r++)
            work->sums[k * a->rows + from + r] += out[k * rows + r];
}

gradus_status gr_linear_add(const gr_linear *linear, const gradus_dataset *data, double *sums,
                            gr_pool *pool, gradus_error *err)
{
    const gradus_arrays *a = &data->arrays;
    const bool sparse = a->row_starts && gr_linear_takes_sparse(linear);
    const bool in_place = sparse || gr_block_in_place(a, linear->features);
    const size_t threads = gr_pool_threads(pool);
    const size_t block = sparse ? SPARSE_BLOCK : gr_block_rows(linear->features);
    adding work = { .linear = linear,
                    .arrays = a,
                    .block = block,
                    .sparse = sparse,
                    .scratch_size = gr_linear_scratch(linear),
                    .sums = sums };
    gradus_status status = GRADUS_OK;

    work.values = in_place ? NULL : gr_new_array(threads * block * linear->features, sizeof(float));
    work.scratch = gr_new_array(threads * work.scratch_size, sizeof(double));
    work.outputs = gr_new_array(threads * block * linear->outputs, sizeof(double));
    work.zeros = gr_new_array(linear->outputs, sizeof(double));
    if (sparse && work.zeros)
        gr_linear_zeros(linear, work.zeros);
    if (work.scratch && work.outputs && work.zeros && (in_place || work.values))
        gr_pool_run(pool, (a->rows + block - 1) / block, add_block, &work);
    else
        status = gr_fail_memory(err, "rows to score");
    free(work.values);
    free(work.scratch);
    free(work.outputs);
    free(work.zeros);
    return status;
}
