/* The kernels of rows.h over strips: vectors of LANES weights of type REAL, WIDE(name) for the
 * instructions that TARGET allows. Weights have room for whole strips. LOAD_FEW(to, from, count)
 * fills a strip from `count` floats, fewer than LANES, and zeros. */
#define INLINE static inline __attribute__((always_inline)) TARGET

typedef REAL WIDE(strip) __attribute__((vector_size(64)));
typedef float WIDE(floats) __attribute__((vector_size(LANES * 4)));
typedef MASK WIDE(mask) __attribute__((vector_size(64)));

/* Values that are not finite become 0: only they differ from themselves by other than 0. */
INLINE void WIDE(drop)(WIDE(strip) * x, bool careful)
{
    if (careful)
        *x = (WIDE(strip))((*x - *x == 0) & (WIDE(mask)) * x);
}

INLINE void WIDE(load)(WIDE(strip) * x, const float *from, bool careful)
{
    WIDE(floats) read;

    memcpy(&read, from, sizeof read);
    *x = __builtin_convertvector(read, WIDE(strip));
    WIDE(drop)(x, careful);
}

INLINE void WIDE(load_few)(WIDE(strip) * x, const float *from, size_t count, bool careful)
{
    WIDE(floats) read;

    LOAD_FEW(&read, from, count);
    *x = __builtin_convertvector(read, WIDE(strip));
    WIDE(drop)(x, careful);
}

/* A strip of row a, or of a minus b. */
INLINE void WIDE(take)(WIDE(strip) * x, const float *a, const float *b, size_t i, size_t count,
                       bool careful)
{
    WIDE(strip) y;

    if (count - i >= LANES) {
        WIDE(load)(x, a + i, careful);
        if (b) {
            WIDE(load)(&y, b + i, careful);
            *x -= y;
        }
        return;
    }
    WIDE(load_few)(x, a + i, count - i, careful);
    if (b) {
        WIDE(load_few)(&y, b + i, count - i, careful);
        *x -= y;
    }
}

INLINE REAL WIDE(sum)(const WIDE(strip) * all)
{
    REAL lanes[LANES];

    memcpy(lanes, all, sizeof lanes);
    return NAMED(add_lanes)(lanes);
}

INLINE REAL WIDE(any_dot)(const float *a, const float *b, const REAL *weights, size_t count,
                          bool careful)
{
    WIDE(strip) sum = { 0 };

    for (size_t i = 0; i < count; i += LANES) {
        WIDE(strip) x, w;

        WIDE(take)(&x, a, b, i, count, careful);
        memcpy(&w, weights + i, sizeof w);
        sum += x * w;
    }
    return WIDE(sum)(&sum);
}

INLINE REAL WIDE(any_add)(const float *a, const float *b, REAL factor, REAL *weights, size_t count,
                          bool careful)
{
    WIDE(strip) growth = { 0 };

    for (size_t i = 0; i < count; i += LANES) {
        WIDE(strip) x, old;

        WIDE(take)(&x, a, b, i, count, careful);
        memcpy(&old, weights + i, sizeof old);
        const WIDE(strip) more = factor * x, sum = old + more;

        memcpy(weights + i, &sum, sizeof sum);
        growth += more * (old + sum);
    }
    return WIDE(sum)(&growth);
}

TARGET static REAL WIDE(sparse_dot)(const gr_row *row, const REAL *weights)
{
    const size_t whole = row->count / LANES * LANES;
    REAL lanes[LANES] = { 0 };

    for (size_t i = 0; i < whole; i += LANES)
        for (size_t l = 0; l < LANES; l++)
            lanes[l] += (REAL)row->values[i + l] * weights[row->columns[i + l]];
    for (size_t i = whole; i < row->count; i++)
        lanes[i - whole] += (REAL)row->values[i] * weights[row->columns[i]];
    return NAMED(add_lanes)(lanes);
}

TARGET static REAL WIDE(sparse_add)(const gr_row *row, REAL factor, REAL *weights)
{
    const size_t whole = row->count / LANES * LANES;
    REAL lanes[LANES] = { 0 };

    for (size_t i = 0; i < row->count; i += LANES) {
        const size_t end = i < whole ? LANES : row->count - whole;

        for (size_t l = 0; l < end; l++) {
            REAL *weight = &weights[row->columns[i + l]];
            const REAL more = factor * (REAL)row->values[i + l], old = *weight, sum = old + more;

            *weight = sum;
            lanes[l] += more * (old + sum);
        }
    }
    return NAMED(add_lanes)(lanes);
}

#define PLAIN(name) WIDE(name)
#define ATTRIBUTE TARGET
#include "kernels/rows_table.h"
#undef PLAIN
#undef ATTRIBUTE
#undef INLINE
