/* SPDX-License-Identifier: Apache-2.0 */
/* gr_gram_kernels over vectors of WIDTH doubles; see gram.h. */
#include "kernels/lanes.h"

/* A tile of products is TALL left columns by one right strip: as many sums as fit the registers. */
enum { LANED(PARTS) = GR_STRIP / WIDTH, LANED(TALL) = WIDTH };

LANED_INLINE lanes LANED(widen)(const float *from)
{
    narrow few;

    memcpy(&few, from, sizeof few);
    return __builtin_convertvector(few, lanes);
}

/* value - mean; 0 if that is not finite, which is when off - off is not 0. */
LANED_INLINE lanes LANED(deviation)(lanes value, lanes mean)
{
    const lanes off = value - mean;

    return (lanes)((off - off == LANED(all_of)(0.0)) & (bits)off);
}

TARGET static bool LANED(total)(const float *row, size_t features, double weight, double *sums)
{
    const size_t whole = features / WIDTH * WIDTH;
    lanes odd = LANED(all_of)(0.0); /* NAN once a value is not finite */
    bool all = true;

    for (size_t f = 0; f < whole; f += WIDTH) {
        const lanes value = LANED(widen)(row + f), none = value - value;

        odd += none;
        LANED(store)
        (sums + f,
         LANED(load)(sums + f) + weight * (lanes)((none == LANED(all_of)(0.0)) & (bits)value));
    }
    for (size_t f = whole; f < features; f++) {
        all = all && isfinite(row[f]);
        sums[f] += weight * (isfinite(row[f]) ? (double)row[f] : 0.0);
    }
    for (int lane = 0; lane < WIDTH; lane++)
        all = all && odd[lane] == 0.0;
    return all;
}

TARGET static void LANED(pack)(const gr_pack *pack, double *panel)
{
    const size_t whole = pack->features / GR_STRIP, left = pack->features % GR_STRIP;

    for (size_t r = 0; r < pack->rows; r++) {
        const float *row = pack->values + (pack->numbers ? pack->numbers[r] : r) * pack->stride;
        double *to = panel + r * GR_STRIP;
        float last[GR_STRIP] = { 0 };
        double means[GR_STRIP] = { 0 };

        for (size_t s = 0; s < whole; s++)
            for (size_t at = 0; at < GR_STRIP; at += WIDTH)
                LANED(store)
        (to + s * pack->rows * GR_STRIP + at,
         LANED(deviation)(LANED(widen)(row + s * GR_STRIP + at),
                          LANED(load)(pack->means + s * GR_STRIP + at)));
        if (left == 0)
            continue;
        memcpy(last, row + whole * GR_STRIP, left * sizeof *last);
        memcpy(means, pack->means + whole * GR_STRIP, left * sizeof *means);
        for (size_t at = 0; at < GR_STRIP; at += WIDTH)
            LANED(store)
        (to + whole * pack->rows * GR_STRIP + at,
         LANED(deviation)(LANED(widen)(last + at), LANED(load)(means + at)));
    }
}

/* Products of TALL columns of the left strip with all columns of the right strip. */
LANED_INLINE void LANED(tile)(const double *left, const double *right, size_t rows,
                              double *products, size_t stride)
{
    lanes sums[LANED(TALL)][LANED(PARTS)];

    for (int i = 0; i < LANED(TALL); i++)
        for (int part = 0; part < LANED(PARTS); part++)
            sums[i][part] = LANED(all_of)(0.0);
    for (size_t r = 0; r < rows; r++) {
        lanes wide[LANED(PARTS)];

        for (int part = 0; part < LANED(PARTS); part++)
            wide[part] = LANED(load)(right + r * GR_STRIP + part * WIDTH);
        for (int i = 0; i < LANED(TALL); i++)
            for (int part = 0; part < LANED(PARTS); part++)
                sums[i][part] += left[r * GR_STRIP + (size_t)i] * wide[part];
    }
    for (int i = 0; i < LANED(TALL); i++)
        for (int part = 0; part < LANED(PARTS); part++) {
            double *to = products + (size_t)i * stride + part * WIDTH;

            LANED(store)(to, LANED(load)(to) + sums[i][part]);
        }
}

TARGET static void LANED(gram)(const double *left, const double *right, size_t rows, size_t strips,
                               double *products, size_t stride)
{
    const size_t strip = rows * GR_STRIP;

    for (size_t i = 0; i < strips; i++)
        for (size_t j = 0; j <= i; j++)
            for (size_t at = 0; at < GR_STRIP; at += LANED(TALL))
                LANED(tile)
    (left + i * strip + at, right + j * strip, rows,
     products + (i * GR_STRIP + at) * stride + j * GR_STRIP, stride);
}

TARGET static double LANED(dot)(const double *a, const double *b, size_t count)
{
    const size_t whole = count / GR_STRIP * GR_STRIP;
    lanes sums[LANED(PARTS)];
    double all[GR_STRIP];

    for (int part = 0; part < LANED(PARTS); part++)
        sums[part] = LANED(all_of)(0.0);
    for (size_t i = 0; i < whole; i += GR_STRIP)
        for (int part = 0; part < LANED(PARTS); part++)
            sums[part] += LANED(load)(a + i + part * WIDTH) * LANED(load)(b + i + part * WIDTH);
    memcpy(all, sums, sizeof all);
    for (size_t i = whole; i < count; i++)
        all[i - whole] += a[i] * b[i];
    return add_lanes(all);
}

const gr_gram_kernels LANED(gr_gram) = { LANED(total), LANED(pack), LANED(gram), LANED(dot) };

#include "kernels/lanes_end.h"
