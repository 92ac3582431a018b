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

static REAL NAMED(plain_sparse_dot)(const gr_row *row, const REAL *weights)
{
    REAL lanes[LANES] = { 0 };

    for (size_t i = 0; i < row->count; i++)
        lanes[i % LANES] += (REAL)row->values[i] * weights[row->columns[i]];
    return NAMED(add_lanes)(lanes);
}

static REAL NAMED(plain_sparse_add)(const gr_row *row, REAL factor, REAL *weights)
{
    REAL lanes[LANES] = { 0 };

    for (size_t i = 0; i < row->count; i++) {
        REAL *weight = &weights[row->columns[i]];
        const REAL more = factor * (REAL)row->values[i], old = *weight, sum = old + more;

        *weight = sum;
        lanes[i % LANES] += more * (old + sum);
    }
    return NAMED(add_lanes)(lanes);
}
