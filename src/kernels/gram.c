/* SPDX-License-Identifier: Apache-2.0 */
/* Gram matrices: the plain version; gram_body.h has the others. */
#include "kernels/gram.h"

#include <math.h>

static double add_lanes(const double *lanes)
{
    return ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) +
           ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]));
}

static bool plain_total(const float *row, size_t features, double weight, double *sums)
{
    bool all = true;

    for (size_t f = 0; f < features; f++) {
        all = all && isfinite(row[f]);
        sums[f] += weight * (isfinite(row[f]) ? (double)row[f] : 0.0);
    }
    return all;
}

static void plain_pack(const gr_pack *pack, double *panel)
{
    const size_t strips = (pack->features + GR_STRIP - 1) / GR_STRIP;

    for (size_t r = 0; r < pack->rows; r++)
        for (size_t f = 0; f < strips * GR_STRIP; f++) {
            const size_t from = pack->numbers ? pack->numbers[r] : r;
            const double off = f < pack->features
                                   ? (double)pack->values[from * pack->stride + f] - pack->means[f]
                                   : 0.0;

            panel[(f / GR_STRIP * pack->rows + r) * GR_STRIP + f % GR_STRIP] =
                isfinite(off) ? off : 0.0;
        }
}

static void plain_gram(const double *left, const double *right, size_t rows, size_t strips,
                       double *products, size_t stride)
{
    for (size_t i = 0; i < strips * GR_STRIP; i++)
        for (size_t j = 0; j < (i / GR_STRIP + 1) * GR_STRIP; j++) {
            double sum = 0.0;

            for (size_t r = 0; r < rows; r++)
                sum += left[(i / GR_STRIP * rows + r) * GR_STRIP + i % GR_STRIP] *
                       right[(j / GR_STRIP * rows + r) * GR_STRIP + j % GR_STRIP];
            products[i * stride + j] += sum;
        }
}

static double plain_dot(const double *a, const double *b, size_t count)
{
    double lanes[GR_STRIP] = { 0 };

    for (size_t i = 0; i < count; i++)
        lanes[i % GR_STRIP] += a[i] * b[i];
    return add_lanes(lanes);
}

const gr_gram_kernels gr_gram_plain = { plain_total, plain_pack, plain_gram, plain_dot };

#define BODY "kernels/gram_body.h"
#include "kernels/every_version.h"
