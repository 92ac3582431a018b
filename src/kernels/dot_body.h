/* SPDX-License-Identifier: Apache-2.0 */
/* gr_dot_kernels over vectors of WIDTH doubles; see dot.h. */
#include "kernels/lanes.h"

/* PARTS vectors hold a strip. The number of simultaneous sums hides the latency of an addition and
 * still fits the registers. */
enum { LANED(PARTS) = GR_DOT / WIDTH, LANED(STRIPS) = 4, LANED(TALL) = WIDTH };

LANED_INLINE lanes LANED(widened)(const float *from)
{
    narrow few;

    memcpy(&few, from, sizeof few);
    return __builtin_convertvector(few, lanes);
}

/* Dot products of one row with `strips` strips, at most STRIPS. */
LANED_INLINE void LANED(one_tile)(const double *left, const float *right, size_t features,
                                  int strips, double *dots)
{
    lanes sums[LANED(STRIPS)][LANED(PARTS)];

    for (int s = 0; s < strips; s++)
        for (int part = 0; part < LANED(PARTS); part++)
            sums[s][part] = LANED(all_of)(0.0);
    for (size_t f = 0; f < features; f++)
        for (int s = 0; s < strips; s++)
            for (int part = 0; part < LANED(PARTS); part++)
                sums[s][part] +=
                    left[f] *
                    LANED(widened)(right + ((size_t)s * features + f) * GR_DOT + part * WIDTH);
    for (int s = 0; s < strips; s++)
        for (int part = 0; part < LANED(PARTS); part++)
            LANED(store)(dots + s * GR_DOT + part * WIDTH, sums[s][part]);
}

TARGET static void LANED(one)(const double *left, const gr_dot_rows *right, size_t from, size_t to,
                              double *dots)
{
    const size_t features = right->features, strips = (to + GR_DOT - 1) / GR_DOT;
    size_t s = from / GR_DOT;

    if (!right->strips) {
        sparse_one(left, right, from, to, dots);
        return;
    }
    for (; s + LANED(STRIPS) <= strips; s += LANED(STRIPS))
        LANED(one_tile)
    (left, right->strips + s * features * GR_DOT, features, LANED(STRIPS),
     dots + s * GR_DOT - from);
    for (; s < strips; s++)
        LANED(one_tile)
    (left, right->strips + s * features * GR_DOT, features, 1, dots + s * GR_DOT - from);
}

/* Dot products of TALL left rows with a strip. */
LANED_INLINE void LANED(tile)(const double *left, const float *right, size_t features, double *dots,
                              size_t stride)
{
    lanes sums[LANED(TALL)][LANED(PARTS)];

    for (int i = 0; i < LANED(TALL); i++)
        for (int part = 0; part < LANED(PARTS); part++)
            sums[i][part] = LANED(all_of)(0.0);
    for (size_t f = 0; f < features; f++) {
        lanes wide[LANED(PARTS)];

        for (int part = 0; part < LANED(PARTS); part++)
            wide[part] = LANED(widened)(right + f * GR_DOT + part * WIDTH);
        for (int i = 0; i < LANED(TALL); i++)
            for (int part = 0; part < LANED(PARTS); part++)
                sums[i][part] += left[f * GR_DOT + (size_t)i] * wide[part];
    }
    for (int i = 0; i < LANED(TALL); i++)
        for (int part = 0; part < LANED(PARTS); part++)
            LANED(store)(dots + (size_t)i * stride + part * WIDTH, sums[i][part]);
}

/* Dot products of all left rows with a sparse row: each entry is multiplied by a vector of them. */
LANED_INLINE void LANED(sparse_all)(const double *left, const gr_dot_rows *right, size_t r,
                                    double *dots, size_t stride)
{
    lanes sums[LANED(PARTS)];
    double all[GR_DOT];

    for (int part = 0; part < LANED(PARTS); part++)
        sums[part] = LANED(all_of)(0.0);
    for (uint64_t e = right->starts[r]; e < right->starts[r + 1]; e++) {
        const double *column = left + (size_t)right->columns[e] * GR_DOT;
        const double entry = (double)right->entries[e];

        for (int part = 0; part < LANED(PARTS); part++)
            sums[part] += LANED(load)(column + part * WIDTH) * entry;
    }
    memcpy(all, sums, sizeof all);
    for (size_t i = 0; i < GR_DOT; i++)
        dots[i * stride] = all[i];
}

TARGET static void LANED(all)(const double *left, const gr_dot_rows *right, size_t from, size_t to,
                              double *dots, size_t stride)
{
    const size_t features = right->features;

    if (!right->strips) {
        for (size_t r = from; r < to; r++)
            LANED(sparse_all)(left, right, r, dots + (r - from), stride);
        return;
    }
    for (size_t r = from; r < to; r += GR_DOT)
        for (size_t i = 0; i < GR_DOT; i += LANED(TALL))
            LANED(tile)
    (left + i, right->strips + r * features, features, dots + i * stride + (r - from), stride);
}

TARGET static double LANED(dot)(const double *left, const float *row, size_t features)
{
    const size_t whole = features / GR_DOT * GR_DOT;
    lanes sums[LANED(PARTS)];
    double all[GR_DOT];

    for (int part = 0; part < LANED(PARTS); part++)
        sums[part] = LANED(all_of)(0.0);
    for (size_t f = 0; f < whole; f += GR_DOT)
        for (int part = 0; part < LANED(PARTS); part++)
            sums[part] +=
                LANED(load)(left + f + part * WIDTH) * LANED(widened)(row + f + part * WIDTH);
    memcpy(all, sums, sizeof all);
    for (size_t f = whole; f < features; f++)
        all[f - whole] += left[f] * (double)row[f];
    return add_lanes(all);
}

TARGET static void LANED(add)(double *sums, const float *row, double by, size_t features)
{
    const size_t whole = features / WIDTH * WIDTH;

    for (size_t f = 0; f < whole; f += WIDTH)
        LANED(store)(sums + f, LANED(load)(sums + f) + by * LANED(widened)(row + f));
    for (size_t f = whole; f < features; f++)
        sums[f] += by * (double)row[f];
}

static const gr_dot_kernels LANED(kernels) = { LANED(one), LANED(all), LANED(dot), LANED(add) };

#include "kernels/lanes_end.h"
