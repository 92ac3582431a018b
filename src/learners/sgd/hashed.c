/* SPDX-License-Identifier: Apache-2.0 */
/* Validation and scoring of linear models with hashed features. */
#include "learners/sgd/hashed.h"

#include <math.h>
#include <stdlib.h>

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
    const gradus_arrays *arrays;
    double *sums;
    double *outputs; /* [threads x outputs] */
} adding;

static void add_rows(void *argument, size_t index, size_t worker)
{
    const adding *work = argument;
    const gradus_arrays *a = work->arrays;
    const size_t outputs = work->hashed->linear.outputs, from = index * ROWS_AT_ONCE;
    const size_t to = a->rows - from < ROWS_AT_ONCE ? a->rows : from + ROWS_AT_ONCE;
    double *out = work->outputs + worker * outputs;

    for (size_t r = from; r < to; r++) {
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
    const size_t threads = gr_pool_threads(pool);
    adding work = { .hashed = hashed,
                    .arrays = &data->arrays,
                    .sums = sums,
                    .outputs = gr_new_array(threads * hashed->linear.outputs, sizeof(double)) };

    if (!work.outputs)
        return gr_fail_memory(err, "rows to score");
    gr_pool_run(pool, (data->arrays.rows + ROWS_AT_ONCE - 1) / ROWS_AT_ONCE, add_rows, &work);
    free(work.outputs);
    return GRADUS_OK;
}
