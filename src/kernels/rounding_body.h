/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of rounding.h over vectors of WIDTH doubles. */
#include "kernels/lanes.h"

typedef uint64_t LANED(whole) __attribute__((vector_size(WIDTH * 8)));

/* The values of WIDTH rows from position i on. */
LANED_INLINE lanes LANED(read)(const float *values, const gr_rows *rows, size_t i)
{
    narrow some = { 0 };

    if (rows->list)
        for (size_t l = 0; l < WIDTH; l++)
            some[l] = values[rows->list[i + l]];
    else
        memcpy(&some, values + rows->first + i, sizeof some);
    return __builtin_convertvector(some, lanes);
}

LANED_INLINE bits LANED(numbers)(const gr_rows *rows, size_t i)
{
    bits all = { 0 };

    for (size_t l = 0; l < WIDTH; l++)
        all[l] = (int64_t)row_at(rows, i + l);
    return all;
}

TARGET static gr_extent LANED(measure)(const float *values, const gr_rows *rows)
{
    enum { VECTORS = LINES / WIDTH };
    lanes sums[VECTORS] = { { 0 } }, most[VECTORS] = { { 0 } }, least[VECTORS] = { { 0 } };
    gr_extent found = { 0 };
    double lines[LINES];
    size_t i = 0;

    for (; i + LINES <= rows->count; i += LINES)
        for (size_t v = 0; v < VECTORS; v++) {
            const lanes x = LANED(read)(values, rows, i + v * WIDTH), size = LANED(size)(x);

            sums[v] += size;
            most[v] = LANED(choose)(size > most[v], size, most[v]);
            least[v] = LANED(choose)(x < least[v], x, least[v]);
        }
    for (size_t line = 0; line < LINES; line++) {
        const double size = most[line / WIDTH][line % WIDTH];

        lines[line] = sums[line / WIDTH][line % WIDTH];
        found.most = size > found.most ? size : found.most;
        found.negative |= least[line / WIDTH][line % WIDTH] < 0;
    }
    for (; i < rows->count; i++)
        measure_one(values[row_at(rows, i)], &lines[i % LINES], &found);
    for (size_t line = 0; line < LINES; line++)
        found.sum += lines[line];
    return found;
}

LANED_INLINE LANED(whole) LANED(hash)(uint64_t key, uint64_t first, bits row)
{
    LANED(whole) z = ((LANED(whole))row + first) * 0x9E3779B97F4A7C15u;

    z ^= key;
    z = (z ^ z >> 32) * 0xD6E8FEB86659FD93u;
    z = (z ^ z >> 32) * 0xD6E8FEB86659FD93u;
    return z ^ z >> 32;
}

/* The integers nearest to x + u, with u from 32 random bits. Doubles from 2^52 on have no fraction,
 * so that adding `zero` rounds. */
LANED_INLINE bits LANED(nearest)(lanes x, bits random)
{
    const lanes zero = LANED(all_of)(0x1.8p52);
    const lanes drawn = (lanes)(random | (bits)LANED(all_of)(0x1p52)) - 0x1p52;

    return (bits)(x + ((drawn + 0.5) * 0x1p-32 - 0.5) + zero) - (bits)zero;
}

LANED_INLINE void LANED(put)(const gr_rounding *how, const gr_rows *rows, size_t i,
                             LANED(whole) words, size_t count)
{
    if (!rows->list && count == WIDTH)
        memcpy(how->words + rows->first + i, &words, sizeof words);
    else
        for (size_t l = 0; l < count; l++)
            how->words[row_at(rows, i + l)] = words[l];
}

/* Rounds `count` rows, at most WIDTH, from position i on. */
LANED_INLINE void LANED(round_some)(const gr_rounding *how, const gr_rows *rows, size_t i,
                                    size_t count, bits *sums)
{
    lanes gradients = { 0 }, hessians = { 0 };
    bits row = { 0 }, g, h = { 0 };

    if (count == WIDTH) {
        row = LANED(numbers)(rows, i);
        gradients = LANED(read)(how->gradients, rows, i);
        if (how->hessians)
            hessians = LANED(read)(how->hessians, rows, i);
    } else
        for (size_t l = 0; l < count; l++) {
            row[l] = (int64_t)row_at(rows, i + l);
            gradients[l] = (double)how->gradients[row[l]];
            hessians[l] = how->hessians ? (double)how->hessians[row[l]] : 0;
        }
    const LANED(whole) random = LANED(hash)(how->key, how->first, row);

    g = LANED(nearest)(gradients * how->gradient_scale, (bits)(random >> 32));
    if (how->hessians)
        h = LANED(nearest)(hessians * how->hessian_scale, (bits)(random & UINT32_MAX));
    else
        h += 1;
    LANED(put)(how, rows, i, ((LANED(whole))g << 32) + (LANED(whole))h, count);
    for (size_t l = count; l < WIDTH; l++)
        g[l] = h[l] = 0;
    sums[0] += g;
    sums[1] += h;
    sums[2] = ((h > sums[2]) & h) | (~(h > sums[2]) & sums[2]);
}

TARGET static gr_rounded LANED(round)(const gr_rounding *how, const gr_rows *rows)
{
    bits sums[3] = { { 0 } };
    gr_rounded found = { 0 };
    size_t i = 0;

    for (; i + WIDTH <= rows->count; i += WIDTH)
        LANED(round_some)(how, rows, i, WIDTH, sums);
    if (i < rows->count)
        LANED(round_some)(how, rows, i, rows->count - i, sums);
    for (size_t l = 0; l < WIDTH; l++) {
        found.gradients += sums[0][l];
        found.hessians += sums[1][l];
        found.most = sums[2][l] > found.most ? sums[2][l] : found.most;
    }
    return found;
}

TARGET static void LANED(sum)(const gr_summing *how, const gr_rows *rows, int64_t *gradients,
                              int64_t *hessians)
{
    bits g = { 0 }, h = { 0 };
    size_t i = 0;

    for (; i + WIDTH <= rows->count; i += WIDTH) {
        g += __builtin_convertvector(LANED(read)(how->gradients, rows, i) * how->gradient_scale,
                                     bits);
        if (how->hessians)
            h += __builtin_convertvector(LANED(read)(how->hessians, rows, i) * how->hessian_scale,
                                         bits);
    }
    for (; i < rows->count; i++) {
        const size_t r = row_at(rows, i);

        g[0] += (int64_t)((double)how->gradients[r] * how->gradient_scale);
        if (how->hessians)
            h[0] += (int64_t)((double)how->hessians[r] * how->hessian_scale);
    }
    *gradients = *hessians = 0;
    for (size_t l = 0; l < WIDTH; l++) {
        *gradients += g[l];
        *hessians += h[l];
    }
}

const gr_rounding_kernels LANED(gr_rounding) = { LANED(measure), LANED(round), LANED(sum) };

#include "kernels/lanes_end.h"
