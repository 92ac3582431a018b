/* SPDX-License-Identifier: Apache-2.0 */
/* Transposes rows of floats into columns of keys (gr_float_key), in 4 x 4 tiles. */
#include "kernels/bin_search.h"

typedef int32_t four __attribute__((vector_size(16)));

static four load_keys(const float *values)
{
    four bits;

    memcpy(&bits, values, sizeof bits);
    const four sign = bits >> 31;

    return ((bits & INT32_MAX) ^ sign) - sign;
}

/* A 4 x 4 tile, by two rounds of shuffles. */
static void turn_four(const float *const *rows, size_t column, int32_t *keys, size_t across)
{
    const four a = load_keys(rows[0] + column), b = load_keys(rows[1] + column);
    const four c = load_keys(rows[2] + column), d = load_keys(rows[3] + column);
    const four ab = __builtin_shufflevector(a, b, 0, 4, 1, 5);
    const four cd = __builtin_shufflevector(c, d, 0, 4, 1, 5);
    const four ab_up = __builtin_shufflevector(a, b, 2, 6, 3, 7);
    const four cd_up = __builtin_shufflevector(c, d, 2, 6, 3, 7);
    const four turned[] = { __builtin_shufflevector(ab, cd, 0, 1, 4, 5),
                            __builtin_shufflevector(ab, cd, 2, 3, 6, 7),
                            __builtin_shufflevector(ab_up, cd_up, 0, 1, 4, 5),
                            __builtin_shufflevector(ab_up, cd_up, 2, 3, 6, 7) };

    for (size_t i = 0; i < 4; i++)
        memcpy(keys + (column + i) * across, &turned[i], sizeof turned[i]);
}

void gr_transpose_keys(const float *const *rows, size_t count, size_t columns, int32_t *keys,
                       size_t across)
{
    const size_t whole_rows = count / 4 * 4, whole_columns = columns / 4 * 4;

    for (size_t r = 0; r < whole_rows; r += 4)
        for (size_t c = 0; c < whole_columns; c += 4)
            turn_four(rows + r, c, keys + r, across);
    for (size_t r = 0; r < count; r++)
        for (size_t c = r < whole_rows ? whole_columns : 0; c < columns; c++)
            keys[c * across + r] = gr_float_key(rows[r][c]);
}
