/* The plain kernels of rows.h over weights of type REAL in LANES lanes; NAMED(name) is the name of
 * a thing of that type. */

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

/* b NULL: there is no second row. */
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

/* Sparse kernels are the same for all instruction sets: gathers take longer than single loads. */
static REAL NAMED(sparse_dot)(const gr_row *row, const REAL *weights)
{
    const float *values = row->values;
    const uint32_t *columns = row->columns;
    REAL sum0 = 0, sum1 = 0, sum2 = 0, sum3 = 0;
    size_t i = 0;

    for (; i + GR_SPARSE_LANES <= row->count; i += GR_SPARSE_LANES) {
        __asm__(""); /* keeps compilers from making vectors of it */
        sum0 += (REAL)values[i] * weights[columns[i]];
        sum1 += (REAL)values[i + 1] * weights[columns[i + 1]];
        sum2 += (REAL)values[i + 2] * weights[columns[i + 2]];
        sum3 += (REAL)values[i + 3] * weights[columns[i + 3]];
    }
    for (; i < row->count; i++)
        sum0 += (REAL)values[i] * weights[columns[i]];
    return (sum0 + sum2) + (sum1 + sum3);
}

/* What the square of the weight grows by. */
static inline REAL NAMED(add_entry)(const gr_row *row, size_t i, REAL factor, REAL *weights)
{
    REAL *weight = &weights[row->columns[i]];
    const REAL more = factor * (REAL)row->values[i], old = *weight, sum = old + more;

    *weight = sum;
    return more * (old + sum);
}

static REAL NAMED(sparse_add)(const gr_row *row, REAL factor, REAL *weights)
{
    REAL sum0 = 0, sum1 = 0, sum2 = 0, sum3 = 0;
    size_t i = 0;

    for (; i + GR_SPARSE_LANES <= row->count; i += GR_SPARSE_LANES) {
        sum0 += NAMED(add_entry)(row, i, factor, weights);
        sum1 += NAMED(add_entry)(row, i + 1, factor, weights);
        sum2 += NAMED(add_entry)(row, i + 2, factor, weights);
        sum3 += NAMED(add_entry)(row, i + 3, factor, weights);
    }
    for (; i < row->count; i++)
        sum0 += NAMED(add_entry)(row, i, factor, weights);
    return (sum0 + sum2) + (sum1 + sum3);
}
