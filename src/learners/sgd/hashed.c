/* SPDX-License-Identifier: Apache-2.0 */
/* Validation and scoring of linear models with hashed features. */
#include "learners/sgd/hashed.h"

#include "data/row_blocks.h"

#include <math.h>

enum { ROWS_AT_ONCE = 512 };

gradus_status gr_hashed_check(const gr_hashed *hashed, gradus_error *err)
{
    if (hashed->bits < 1 || hashed->bits > GR_MAX_HASH_BITS ||
        hashed->linear.features != (size_t)1 << hashed->bits)
        return gr_fail(err, GRADUS_BAD_FORMAT,
                       "the number of buckets is not a power of 2 up to 2^%d", GR_MAX_HASH_BITS);
    for (size_t f = 0; f < hashed->linear.features; f++)
        if (hashed->linear.means[f] != 0.0)
            return gr_fail(err, GRADUS_BAD_FORMAT, "the mean of a bucket is not 0");
    return gr_linear_check(&hashed->linear, err);
}

void gr_hashed_free(gr_hashed *hashed)
{
    gr_linear_free(&hashed->linear);
    *hashed = (gr_hashed){ .bits = 0 };
}

void gr_hashed_row(const gr_hashed *hashed, const float *values, const uint32_t *columns,
                   size_t count, double *out, size_t stride_out)
{
    const gr_linear *linear = &hashed->linear;

    for (size_t k = 0; k < linear->outputs; k++) {
        const double *coefficients = linear->coefficients + k * linear->features;
        double sum = linear->bases[k];

        for (size_t i = 0; i < count; i++) {
            const size_t feature = columns ? columns[i] : i;
            float sign;

            if (feature >= hashed->features || !isfinite(values[i]))
                continue;
            const size_t bucket = gr_hash_bucket(feature, hashed->bits, &sign);

            sum += coefficients[bucket] * (double)(sign * values[i]);
        }
        out[k * stride_out] = sum;
    }
}

typedef struct adding {
    const gr_hashed *hashed;
    double *sums;
} adding;

static void add_rows(void *argument, const gr_row_block *block)
{
    const adding *work = argument;
    const gradus_arrays *a = block->arrays;
    const size_t outputs = work->hashed->linear.outputs;
    double *out = block->scratch;

    for (size_t r = block->first; r < block->first + block->rows; r++) {
        if (a->row_starts)
            gr_hashed_row(work->hashed, a->entries + a->row_starts[r],
                          a->columns + a->row_starts[r],
                          (size_t)(a->row_starts[r + 1] - a->row_starts[r]), out, 1);
        else
            gr_hashed_row(work->hashed, a->values + r * a->stride, NULL, a->features, out, 1);
        for (size_t k = 0; k < outputs; k++)
            work->sums[k * a->rows + r] += out[k];
    }
}

gradus_status gr_hashed_add(const gr_hashed *hashed, const gradus_dataset *data, double *sums,
                            gr_pool *pool, gradus_error *err)
{
    const gr_row_loop loop = { .arrays = &data->arrays,
                               .rows = ROWS_AT_ONCE,
                               .scratch = hashed->linear.outputs * sizeof(double) };
    adding work = { hashed, sums };

    return gr_for_row_blocks(pool, &loop, add_rows, &work, err);
}
