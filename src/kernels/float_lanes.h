/* SPDX-License-Identifier: Apache-2.0 */
/* kernels/lanes.h, and vectors of 2 * WIDTH floats. Include kernels/lanes_end.h afterwards. */
#include "kernels/lanes.h"

enum { LANED(FLOATS) = 2 * WIDTH };

typedef float LANED(floats) __attribute__((vector_size(WIDTH * 8)));
typedef int32_t LANED(marks) __attribute__((vector_size(WIDTH * 8)));

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

/* e^-x for x >= 0 like exp_minus of lanes.h, with a series to degree 6 and ln 2 split in two for
 * precision. */
LANED_INLINE floats LANED(float_exp_minus)(floats x)
{
    const floats limit = (floats){ 0.0f } - 80.0f;
    const floats y = LANED(float_choose)(-x < limit, limit, -x);
    const floats rounded = y * 0x1.715476p+0f + 0x1.8p23f;
    const floats k = rounded - 0x1.8p23f;
    const floats r = (y - k * 0.693359375f) - k * -2.12194440e-4f;
    const marks power = ((marks)rounded + 127) << 23;
    floats sum = r * (1.0f / 720) + 1.0f / 120;

    sum = r * sum + 1.0f / 24;
    sum = r * sum + 1.0f / 6;
    sum = r * sum + 0.5f;
    sum = r * sum + 1.0f;
    sum = r * sum + 1.0f;
    return sum * (floats)power;
}
