/* SPDX-License-Identifier: Apache-2.0 */
/* The plain kernels of axpy.h for weights of type REAL in LANES lanes; NAMED(name) is the name of a
 * function for that type. */

static inline REAL NAMED(add_lanes)(REAL *lanes)
{
    for (size_t half = LANES / 2; half > 0; half /= 2)
        for (size_t l = 0; l < half; l++)
            lanes[l] += lanes[l + half];
    return lanes[0];
}

static inline REAL NAMED(value)(float value, bool careful)
{
    return careful && !isfinite(value) ? (REAL)0 : (REAL)value;
}

/* b NULL: no second row. */
static inline REAL NAMED(any_dot)(const float *a, const float *b, const REAL *weights, size_t count,
                                  bool careful)
{
    REAL lanes[LANES] = { 0 };

    for (size_t i = 0; i < count; i++) {
        REAL x = NAMED(value)(a[i], careful);

        if (b)
            x -= NAMED(value)(b[i], careful);
        lanes[i % LANES] += x * weights[i];
    }
    return NAMED(add_lanes)(lanes);
}

static inline REAL NAMED(any_add)(const float *a, const float *b, REAL factor, REAL *weights,
                                  size_t count, bool careful)
{
    REAL lanes[LANES] = { 0 };

    for (size_t i = 0; i < count; i++) {
        REAL x = NAMED(value)(a[i], careful);

        if (b)
            x -= NAMED(value)(b[i], careful);
        const REAL more = factor * x, old = weights[i], sum = old + more;

        weights[i] = sum;
        lanes[i % LANES] += more * (old + sum);
    }
    return NAMED(add_lanes)(lanes);
}

/* Adds one entry; returns the increase of the weight's square. */
static inline REAL NAMED(add_entry)(const gr_row_values *row, size_t i, REAL factor, REAL *weights)
{
    REAL *weight = &weights[row->columns[i]];
    const REAL more = factor * (REAL)row->values[i], old = *weight, sum = old + more;

    *weight = sum;
    return more * (old + sum);
}

/* Entries after the last whole group of lanes are added to lane 0. */
static REAL NAMED(plain_sparse_dot)(const gr_row_values *row, const REAL *weights)
{
    const size_t whole = row->count / GR_SPARSE_LANES * GR_SPARSE_LANES;
    REAL s[GR_SPARSE_LANES] = { 0 };

    for (size_t i = 0; i < row->count; i++)
        s[i < whole ? i % GR_SPARSE_LANES : 0] += (REAL)row->values[i] * weights[row->columns[i]];
    return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

static REAL NAMED(plain_sparse_add)(const gr_row_values *row, REAL factor, REAL *weights)
{
    const size_t whole = row->count / GR_SPARSE_LANES * GR_SPARSE_LANES;
    REAL s[GR_SPARSE_LANES] = { 0 };

    for (size_t i = 0; i < row->count; i++)
        s[i < whole ? i % GR_SPARSE_LANES : 0] += NAMED(add_entry)(row, i, factor, weights);
    return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}
