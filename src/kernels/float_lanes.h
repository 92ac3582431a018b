/* SPDX-License-Identifier: Apache-2.0 */
/* kernels/lanes.h, and vectors of 2 * WIDTH floats. Include kernels/lanes_end.h afterwards. */
#include "kernels/lanes.h"

enum { LANED(FLOATS) = 2 * WIDTH };

typedef float LANED(floats) __attribute__((vector_size(WIDTH * 8)));
typedef int32_t LANED(marks) __attribute__((vector_size(WIDTH * 8)));
typedef uint32_t LANED(naturals) __attribute__((vector_size(WIDTH * 8)));

#define floats LANED(floats)
#define marks LANED(marks)

LANED_INLINE floats LANED(float_choose)(marks condition, floats a, floats b)
{
    return (floats)((condition & (marks)a) | (~condition & (marks)b));
}

LANED_INLINE floats LANED(float_size)(floats x)
{
    return (floats)((marks)x & INT32_MAX);
}

/* e^y for GR_FLOAT_EXP_LEAST <= y <= 0. The result is a normal number, so that adding k to the exponent
 * multiplies by 2^k. */
LANED_INLINE floats LANED(float_exp)(floats y)
{
    const floats rounded = GR_FLOAT_EXP_ROUNDED(y);
    const floats k = rounded - 0x1.8p23f, r = GR_FLOAT_EXP_REST(y, k);

    return (floats)((LANED(naturals))GR_FLOAT_EXP_SERIES(r) + ((LANED(naturals))rounded << 23));
}

/* e^-x for x >= 0 like exp_minus of lanes.h. */
LANED_INLINE floats LANED(float_exp_minus)(floats x)
{
    const floats limit = (floats){ 0.0f } + GR_FLOAT_EXP_LEAST;

    return LANED(float_exp)(LANED(float_choose)(-x < limit, limit, -x));
}
