/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors of doubles of one width. Included once for each width that a kernel is compiled for, with
 * WIDTH (doubles per vector) and TARGET (the attribute that enables the instructions) defined
 * before. LANED(name) appends the width to a name. Only elementwise operations, so that every width
 * gives the same bits. Include kernels/lanes_end.h afterwards. */
#include "kernels/exp_series.h"

#include <stdint.h>
#include <string.h>

#define LANED_AS(name, width) name##_##width
#define LANED_BY(name, width) LANED_AS(name, width)
#define LANED(name) LANED_BY(name, WIDTH)
#define LANED_INLINE static inline __attribute__((always_inline)) TARGET

typedef double LANED(lanes) __attribute__((vector_size(WIDTH * 8)));
typedef int64_t LANED(bits) __attribute__((vector_size(WIDTH * 8)));
typedef float LANED(narrow) __attribute__((vector_size(WIDTH * 4)));

#define lanes LANED(lanes)
#define bits LANED(bits)
#define narrow LANED(narrow)

LANED_INLINE lanes LANED(load)(const double *from)
{
    lanes all;

    memcpy(&all, from, sizeof all);
    return all;
}

LANED_INLINE void LANED(store)(double *to, lanes all)
{
    memcpy(to, &all, sizeof all);
}

LANED_INLINE void LANED(store_narrow)(float *to, lanes all)
{
    const narrow rounded = __builtin_convertvector(all, narrow);

    memcpy(to, &rounded, sizeof rounded);
}

LANED_INLINE lanes LANED(all_of)(double number)
{
    return number - (lanes){ 0.0 };
}

/* Per lane: a where the condition (the result of a comparison) is true, else b. */
LANED_INLINE lanes LANED(choose)(bits condition, lanes a, lanes b)
{
    return (lanes)((condition & (bits)a) | (~condition & (bits)b));
}

LANED_INLINE lanes LANED(size)(lanes x)
{
    return (lanes)((bits)x & INT64_MAX);
}

/* e^-x for x >= 0; x is clamped to GR_EXP_LIMIT. See exp_series.h. */
LANED_INLINE lanes LANED(exp_minus)(lanes x)
{
    const lanes limit = LANED(all_of)(-GR_EXP_LIMIT);
    const lanes y = LANED(choose)(-x < limit, limit, -x);
    const lanes rounded = GR_EXP_ROUNDED(y), r = GR_EXP_REST(y, rounded);
    const bits power = ((bits)rounded + 1023) << 52;

    return GR_EXP_SERIES(r) * (lanes)power;
}
