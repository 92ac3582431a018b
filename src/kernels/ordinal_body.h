/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of ordinal.h over vectors of WIDTH doubles. The last rows may not fill a vector;
 * `left` is the number of rows that remain. */
#include "kernels/lanes.h"

LANED_INLINE lanes LANED(load_few)(const double *from, size_t left)
{
    lanes all = { 0.0 };

    if (left >= WIDTH)
        return LANED(load)(from);
    memcpy(&all, from, left * sizeof *from);
    return all;
}

LANED_INLINE void LANED(store_few)(double *to, lanes all, size_t left)
{
    if (left >= WIDTH)
        LANED(store)(to, all);
    else
        memcpy(to, &all, left * sizeof *to);
}

LANED_INLINE void LANED(store_narrow_few)(float *to, lanes all, size_t left)
{
    float rounded[WIDTH];

    if (left >= WIDTH) {
        LANED(store_narrow)(to, all);
        return;
    }
    LANED(store_narrow)(rounded, all);
    memcpy(to, rounded, left * sizeof *to);
}

LANED_INLINE lanes LANED(weights_few)(const double *weights, size_t r, size_t left)
{
    return weights ? LANED(load_few)(weights + r, left) : LANED(all_of)(1.0);
}

LANED_INLINE void LANED(powers_few)(lanes x, lanes *down, lanes *up)
{
    const lanes far = LANED(all_of)(GR_POWER_FAR), size = LANED(size)(x);
    const lanes small = LANED(exp_minus)(LANED(choose)(size > far, far, size));
    const lanes large = 1.0 / small;

    *down = LANED(choose)(x < 0.0, large, small);
    *up = LANED(choose)(x < 0.0, small, large);
}

TARGET static void LANED(powers_rows)(const double *x, size_t count, double *down, double *up)
{
    for (size_t r = 0; r < count; r += WIDTH) {
        lanes minus, plus;

        LANED(powers_few)(LANED(load_few)(x + r, count - r), &minus, &plus);
        LANED(store_few)(down + r, minus, count - r);
        LANED(store_few)(up + r, plus, count - r);
    }
}

/* Computes x, y and 1 / ((1 + x) (1 + y)). The latter times 1 + y is 1 / (1 + x), and vice versa:
 * one division instead of two. It does not overflow, because x y <= 1: x and y are not both
 * large. */
LANED_INLINE lanes LANED(odds_few)(const gr_odds_rows *rows, size_t r, size_t left, lanes *x,
                                   lanes *y)
{
    lanes down, up;

    LANED(powers_few)(LANED(load_few)(rows->scores + r, left), &down, &up);
    *x = up * LANED(load_few)(rows->above + r, left);
    *y = down * LANED(load_few)(rows->below + r, left);
    return 1.0 / ((1.0 + *x) * (1.0 + *y));
}

TARGET static void LANED(odds_gradient_rows)(const gr_odds_rows *rows, float *gradients,
                                             float *hessians)
{
    const lanes floor = LANED(all_of)(GR_LEAST_CURVATURE);

    for (size_t r = 0; r < rows->count; r += WIDTH) {
        const size_t left = rows->count - r;
        lanes x, y;
        const lanes both = LANED(odds_few)(rows, r, left, &x, &y);
        const lanes u = (1.0 + y) * both, v = (1.0 + x) * both;
        const lanes curvature = x * u * u + y * v * v;
        const lanes weight = LANED(weights_few)(rows->weights, r, left);

        LANED(store_narrow_few)(gradients + r, weight * ((x - y) * both), left);
        LANED(store_narrow_few)
        (hessians + r, weight * LANED(choose)(curvature < floor, floor, curvature), left);
    }
}

TARGET static void LANED(odds_terms_rows)(const gr_odds_rows *rows,
                                          double *const terms[GR_ODDS_TERMS])
{
    for (size_t r = 0; r < rows->count; r += WIDTH) {
        const size_t left = rows->count - r;
        lanes x, y;
        const lanes both = LANED(odds_few)(rows, r, left, &x, &y);
        const lanes u = (1.0 + y) * both, v = (1.0 + x) * both;
        const lanes m = x * y;
        const lanes share = LANED(load_few)(rows->shares + r, left);
        const lanes weight = LANED(weights_few)(rows->weights, r, left);
        const lanes a = (x + m) * u * share, b = (y + m) * v * share;

        LANED(store_few)(terms[0] + r, weight * a, left);
        LANED(store_few)(terms[1] + r, weight * a * (2.0 * u - 1.0 + a), left);
        LANED(store_few)(terms[2] + r, weight * b, left);
        LANED(store_few)(terms[3] + r, weight * b * (2.0 * v - 1.0 + b), left);
    }
}

TARGET static void LANED(pair_rows)(const double *scores, const double *down, const double *up,
                                    const double *weights, size_t count, float *gradients,
                                    float *hessians)
{
    const lanes most = LANED(all_of)(GR_POWER_MAX);

    for (size_t r = 0; r < count; r += WIDTH) {
        const size_t left = count - r;
        const lanes weight = LANED(weights_few)(weights, r, left);
        lanes minus, plus;

        LANED(powers_few)(LANED(load_few)(scores + r, left), &minus, &plus);
        minus *= LANED(load_few)(down + r, left);
        plus *= LANED(load_few)(up + r, left);
        minus = weight * LANED(choose)(minus > most, most, minus);
        plus = weight * LANED(choose)(plus > most, most, plus);
        LANED(store_narrow_few)(gradients + r, plus - minus, left);
        LANED(store_narrow_few)(hessians + r, minus + plus, left);
    }
}

TARGET static void LANED(line_rows)(const double *scores, const double *steps, double share,
                                    const double *weights, size_t count,
                                    double *const terms[GR_LINE_TERMS])
{
    for (size_t r = 0; r < count; r += WIDTH) {
        const size_t left = count - r;
        const lanes d = LANED(load_few)(steps + r, left);
        const lanes weight = LANED(weights_few)(weights, r, left);
        lanes minus, plus;

        LANED(powers_few)(LANED(load_few)(scores + r, left) + share * d, &minus, &plus);
        minus *= weight;
        plus *= weight;
        LANED(store_few)(terms[0] + r, minus, left);
        LANED(store_few)(terms[1] + r, -d * minus, left);
        LANED(store_few)(terms[2] + r, d * d * minus, left);
        LANED(store_few)(terms[3] + r, plus, left);
        LANED(store_few)(terms[4] + r, d * plus, left);
        LANED(store_few)(terms[5] + r, d * d * plus, left);
    }
}

static const gr_ordinal_kernels LANED(ordinal) = {
    LANED(powers_rows), LANED(odds_gradient_rows), LANED(odds_terms_rows),
    LANED(pair_rows),   LANED(line_rows),
};

#include "kernels/lanes_end.h"
