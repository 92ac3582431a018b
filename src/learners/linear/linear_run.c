/* SPDX-License-Identifier: Apache-2.0 */
/* Scores rows with a linear model. Each output is a sum in a fixed order, so that threads, blocks
 * and the CPU do not change a bit of it. Sparse rows with many features are summed in a different
 * order, over their entries only. */
#include "learners/linear/linear.h"

#include "data/row_blocks.h"
#include "kernels/gram.h"

#include <math.h>
#include <stdlib.h>

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
    const gr_gram_kernels *kernels = gr_gram_here();
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
        zeros[k] = -gr_gram_here()->dot(linear->coefficients + k * linear->features, linear->means,
                                        linear->features);
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
    double *zeros; /* [output], for sparse rows; NULL: dense rows */
    double *sums;
} adding;

static void add_block(void *argument, const gr_row_block *block)
{
    const adding *work = argument;
    const gradus_arrays *a = block->arrays;
    double *scratch = block->scratch, *out = scratch + gr_linear_scratch(work->linear);

    if (!work->zeros)
        gr_linear_run(work->linear, block->values, block->rows, block->stride, out, block->rows,
                      scratch);
    for (size_t i = 0; work->zeros && i < block->rows; i++) {
        const uint64_t start = a->row_starts[block->first + i];

        gr_linear_run_sparse(work->linear, work->zeros, a->columns + start, a->entries + start,
                             (size_t)(a->row_starts[block->first + i + 1] - start), out + i,
                             block->rows);
    }
    gr_row_block_add(block, out, work->linear->outputs, work->sums);
}

gradus_status gr_linear_add(const gr_linear *linear, const gradus_dataset *data, double *sums,
                            gr_pool *pool, gradus_error *err)
{
    const bool sparse = data->arrays.row_starts && gr_linear_takes_sparse(linear);
    const size_t rows = sparse ? SPARSE_BLOCK : gr_block_rows(linear->features);
    const gr_row_loop loop = {
        .arrays = &data->arrays,
        .features = sparse ? 0 : linear->features,
        .rows = rows,
        .scratch = (gr_linear_scratch(linear) + rows * linear->outputs) * sizeof(double),
    };
    adding work = { .linear = linear, .sums = sums };
    gradus_status status;

    if (sparse) {
        work.zeros = gr_new_array(linear->outputs, sizeof *work.zeros);
        if (!work.zeros)
            return gr_fail_memory(err, "rows to score");
        gr_linear_zeros(linear, work.zeros);
    }
    status = gr_for_row_blocks(pool, &loop, add_block, &work, err);
    free(work.zeros);
    return status;
}
