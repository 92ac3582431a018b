/* SPDX-License-Identifier: Apache-2.0 */
/* Defines VERSION, a table of kernels, from PLAIN(any_dot), PLAIN(any_add) and the sparse functions. */
ATTRIBUTE static REAL PLAIN(dot)(const float *row, const REAL *weights, size_t count)
{
    return PLAIN(any_dot)(row, NULL, weights, count, false);
}

ATTRIBUTE static REAL PLAIN(dot_pair)(const float *a, const float *b, const REAL *weights,
                                      size_t count)
{
    return PLAIN(any_dot)(a, b, weights, count, false);
}

ATTRIBUTE static REAL PLAIN(add)(const float *row, REAL factor, REAL *weights, size_t count)
{
    return PLAIN(any_add)(row, NULL, factor, weights, count, false);
}

ATTRIBUTE static REAL PLAIN(add_pair)(const float *a, const float *b, REAL factor, REAL *weights,
                                      size_t count)
{
    return PLAIN(any_add)(a, b, factor, weights, count, false);
}

ATTRIBUTE static REAL PLAIN(careful_dot)(const float *row, const REAL *weights, size_t count)
{
    return PLAIN(any_dot)(row, NULL, weights, count, true);
}

ATTRIBUTE static REAL PLAIN(careful_dot_pair)(const float *a, const float *b, const REAL *weights,
                                              size_t count)
{
    return PLAIN(any_dot)(a, b, weights, count, true);
}

ATTRIBUTE static REAL PLAIN(careful_add)(const float *row, REAL factor, REAL *weights, size_t count)
{
    return PLAIN(any_add)(row, NULL, factor, weights, count, true);
}

ATTRIBUTE static REAL PLAIN(careful_add_pair)(const float *a, const float *b, REAL factor,
                                              REAL *weights, size_t count)
{
    return PLAIN(any_add)(a, b, factor, weights, count, true);
}

const TABLE VERSION = {
    PLAIN(dot),         PLAIN(dot_pair),         PLAIN(add),         PLAIN(add_pair),
    PLAIN(careful_dot), PLAIN(careful_dot_pair), PLAIN(careful_add), PLAIN(careful_add_pair),
    PLAIN(sparse_dot),  PLAIN(sparse_add),
};
#undef PLAIN
#undef VERSION
#undef ATTRIBUTE
