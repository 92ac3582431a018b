/* SPDX-License-Identifier: Apache-2.0 */
/* gr_m5_spread_kernel with vectors of WIDTH doubles. */
#include "kernels/lanes.h"

typedef int32_t LANED(words) __attribute__((vector_size(WIDTH * 4)));

/* x^(1/5) for 0 <= x <= 1e30; 0 below 1e-30. The bits of a float approximate its logarithm, which
 * gives y = x^(-1/5) with an error of 3%. Each third-order iteration (one in float, two in double)
 * cubes the error. */
LANED_INLINE lanes LANED(fifth_root)(lanes x)
{
    const lanes least = LANED(all_of)(1e-30);
    const lanes kept = LANED(choose)(x < least, least, x);
    const narrow xf = __builtin_convertvector(kept, narrow);
    const narrow guess = 1.27797e9f - 0.2f * __builtin_convertvector((LANED(words))xf, narrow);
    narrow yf = (narrow) __builtin_convertvector(guess, LANED(words));
    const narrow df = 1.0f - xf * yf * (yf * yf) * (yf * yf);

    yf = yf * (1.0f + df * (0.2f + df * 0.12f));
    lanes y = __builtin_convertvector(yf, lanes);
    lanes d = 1.0 - kept * y * (y * y) * (y * y);

    y = y * (1.0 + d * (0.2 + d * 0.12));
    d = 1.0 - kept * y * (y * y) * (y * y);
    y = y * (1.0 + d * (0.2 + d * 0.12));
    return LANED(choose)(x < least, LANED(all_of)(0.0), kept * (y * y) * (y * y));
}

LANED_INLINE lanes LANED(side)(lanes weight, lanes sum, lanes squares, lanes inverse)
{
    const lanes share = 1.0 / weight, mean = sum * share;

    return weight * LANED(fifth_root)(LANED(size)(squares * share - mean * mean) * inverse);
}

static TARGET void LANED(spreads)(gr_m5_cuts *cuts, size_t count, const gr_m5_sums *all,
                                  double *spreads)
{
    const lanes inverse = LANED(all_of)(1.0 / gr_m5_variance(all));

    for (; count % WIDTH; count++) { /* repeats the last cut; fits, as 256 is a multiple of WIDTH */
        cuts->weights[count] = cuts->weights[count - 1];
        cuts->sums[count] = cuts->sums[count - 1];
        cuts->squares[count] = cuts->squares[count - 1];
    }
    for (size_t i = 0; i < count; i += WIDTH) {
        const lanes w = LANED(load)(cuts->weights + i), s = LANED(load)(cuts->sums + i),
                    q = LANED(load)(cuts->squares + i);

        LANED(store)
        (spreads + i, LANED(side)(w, s, q, inverse) +
                          LANED(side)(all->weight - w, all->sum - s, all->squares - q, inverse));
    }
}
#include "kernels/lanes_end.h"
