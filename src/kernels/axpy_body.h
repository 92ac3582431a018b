/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of axpy.h over strips of LANES weights of type REAL, as PARTS vectors of EACH lanes.
 * WIDE(name) is the name of a function or type for the instruction set of TARGET. Weights are
 * padded to whole strips. LOAD_FEW(to, from, count) loads `count` floats, fewer than EACH, and
 * fills up with zeros; SUM_HALVES sums a vector. */
#define INLINE static inline __attribute__((always_inline)) TARGET
enum { WIDE(EACH) = LANES / PARTS };

typedef REAL WIDE(vector) __attribute__((vector_size(64 / PARTS)));
typedef float WIDE(floats) __attribute__((vector_size(LANES / PARTS * 4)));
typedef MASK WIDE(mask) __attribute__((vector_size(64 / PARTS)));
typedef struct WIDE(strip) {
    WIDE(vector) part[PARTS];
} WIDE(strip);

/* Loads `few` values. careful: values that are not finite, for which x - x is not 0, become 0. */
INLINE void WIDE(load)(WIDE(vector) * x, const float *from, size_t few, bool careful)
{
    WIDE(floats) read;

    if (few == WIDE(EACH))
        memcpy(&read, from, sizeof read);
    else
        LOAD_FEW(&read, from, few);
    *x = __builtin_convertvector(read, WIDE(vector));
    if (careful)
        *x = (WIDE(vector))((*x - *x == 0) & (WIDE(mask)) * x);
}

/* Loads a strip: `few` values of row a, or of a minus b, filled up with zeros. */
INLINE void WIDE(take)(WIDE(strip) * x, const float *a, const float *b, size_t few, bool careful)
{
    for (size_t p = 0; p < PARTS; p++) {
        const size_t before = p * WIDE(EACH);
        const size_t left = few > before ? few - before : 0;
        const size_t count = left < WIDE(EACH) ? left : WIDE(EACH);
        WIDE(vector) y;

        WIDE(load)(&x->part[p], a + before, count, careful);
        if (!b)
            continue;
        WIDE(load)(&y, b + before, count, careful);
        x->part[p] -= y;
    }
}

/* Adds the lanes by halving, as add_lanes does. */
INLINE REAL WIDE(sum)(const WIDE(strip) * all)
{
    WIDE(vector) sum = all->part[0];

    for (size_t p = 1; p < PARTS; p++)
        sum += all->part[p];
    return SUM_HALVES(sum);
}

INLINE void WIDE(dot_strip)(WIDE(strip) * sum, const float *a, const float *b, const REAL *weights,
                            size_t few, bool careful)
{
    WIDE(strip) x;

    WIDE(take)(&x, a, b, few, careful);
    for (size_t p = 0; p < PARTS; p++) {
        WIDE(vector) w;

        memcpy(&w, weights + p * WIDE(EACH), sizeof w);
        sum->part[p] += x.part[p] * w;
    }
}

INLINE REAL WIDE(any_dot)(const float *a, const float *b, const REAL *weights, size_t count,
                          bool careful)
{
    WIDE(strip) sum = { .part = { { 0 } } };
    size_t i = 0;

    for (; i + LANES <= count; i += LANES)
        WIDE(dot_strip)(&sum, a + i, b ? b + i : b, weights + i, LANES, careful);
    if (i < count)
        WIDE(dot_strip)(&sum, a + i, b ? b + i : b, weights + i, count - i, careful);
    return WIDE(sum)(&sum);
}

INLINE void WIDE(add_strip)(WIDE(strip) * growth, const float *a, const float *b, REAL factor,
                            REAL *weights, size_t few, bool careful)
{
    WIDE(strip) x;

    WIDE(take)(&x, a, b, few, careful);
    for (size_t p = 0; p < PARTS; p++) {
        WIDE(vector) old;

        memcpy(&old, weights + p * WIDE(EACH), sizeof old);
        const WIDE(vector) more = factor * x.part[p], sum = old + more;

        memcpy(weights + p * WIDE(EACH), &sum, sizeof sum);
        growth->part[p] += more * (old + sum);
    }
}

INLINE REAL WIDE(any_add)(const float *a, const float *b, REAL factor, REAL *weights, size_t count,
                          bool careful)
{
    WIDE(strip) growth = { .part = { { 0 } } };
    size_t i = 0;

    for (; i + LANES <= count; i += LANES)
        WIDE(add_strip)(&growth, a + i, b ? b + i : b, factor, weights + i, LANES, careful);
    if (i < count)
        WIDE(add_strip)(&growth, a + i, b ? b + i : b, factor, weights + i, count - i, careful);
    return WIDE(sum)(&growth);
}

typedef REAL WIDE(four) __attribute__((vector_size(4 * sizeof(REAL))));

/* Loads four values and the weights of their columns. Single loads, because gathers are slower on
 * many processors; two columns per load, because the number of loads limits the speed. */
INLINE void WIDE(values_at)(WIDE(four) * x, WIDE(four) * w, const float *values,
                            const uint32_t *columns, const REAL *weights)
{
    typedef float four_floats __attribute__((vector_size(16)));
    four_floats read;
    uint64_t low, high;

    memcpy(&read, values, sizeof read);
    memcpy(&low, columns, sizeof low);
    memcpy(&high, columns + 2, sizeof high);
    *x = __builtin_convertvector(read, WIDE(four));
    *w = (WIDE(four)){ weights[(uint32_t)low], weights[low >> 32], weights[(uint32_t)high],
                       weights[high >> 32] };
}

INLINE REAL WIDE(sum_of_8)(const WIDE(four) * low, const WIDE(four) * high)
{
    const WIDE(four) s = *low + *high;

    return (s[0] + s[2]) + (s[1] + s[3]);
}

TARGET static REAL WIDE(sparse_dot)(const gr_row_values *row, const REAL *weights)
{
    WIDE(four) sums[2] = { { 0 }, { 0 } };
    size_t i = 0;

    for (; i + GR_SPARSE_LANES <= row->count; i += GR_SPARSE_LANES)
        for (size_t half = 0; half < 2; half++) {
            WIDE(four) x, w;

            WIDE(values_at)
            (&x, &w, row->values + i + 4 * half, row->columns + i + 4 * half, weights);
            sums[half] += x * w;
        }
    for (; i < row->count; i++)
        sums[0][0] += (REAL)row->values[i] * weights[row->columns[i]];
    return WIDE(sum_of_8)(&sums[0], &sums[1]);
}

TARGET static REAL WIDE(sparse_add)(const gr_row_values *row, REAL factor, REAL *weights)
{
    WIDE(four) growths[2] = { { 0 }, { 0 } };
    size_t i = 0;

    for (; i + GR_SPARSE_LANES <= row->count; i += GR_SPARSE_LANES)
        for (size_t half = 0; half < 2; half++) {
            const uint32_t *columns = row->columns + i + 4 * half;
            WIDE(four) x, old;

            WIDE(values_at)(&x, &old, row->values + i + 4 * half, columns, weights);
            const WIDE(four) more = factor * x, sum = old + more;

            for (size_t l = 0; l < 4; l++)
                weights[columns[l]] = sum[l];
            growths[half] += more * (old + sum);
        }
    for (; i < row->count; i++)
        growths[0][0] += NAMED(add_entry)(row, i, factor, weights);
    return WIDE(sum_of_8)(&growths[0], &growths[1]);
}

#define PLAIN(name) WIDE(name)
#define ATTRIBUTE TARGET
#include "kernels/axpy_table.h"
#undef INLINE
#undef TARGET
#undef WIDE
#undef LOAD_FEW
#undef PARTS
#undef SUM_HALVES
