/* SPDX-License-Identifier: Apache-2.0 */
/* gr_lambda_kernel over vectors of 2 * WIDTH floats; see lambda.c. */
#include "kernels/float_lanes.h"

enum { LANED(PARTS) = 8 / WIDTH };

typedef float LANED(quad) __attribute__((vector_size(16)));
typedef float LANED(stored) __attribute__((vector_size(WIDTH * 8), may_alias));

LANED_INLINE floats LANED(float_load)(const float *from)
{
    return *(const LANED(stored) *)(const void *)from;
}

LANED_INLINE void LANED(float_add)(float *to, floats more)
{
    *(LANED(stored) *)(void *)to += more;
}

/* Sums in 16 lanes; lane l sums over items l, l + 16, l + 32, ... */
typedef struct LANED(tally) {
    floats gradient[LANED(PARTS)], hessian[LANED(PARTS)], size[LANED(PARTS)];
} LANED(tally);

/* usual: see lambda_row. */
LANED_INLINE void LANED(pair_part)(const gr_lambda_pairs *pairs, size_t j, int part, bool usual,
                                   marks alive, LANED(tally) * tally)
{
    const float sigma = usual ? 1.0f : pairs->sigma, slope = usual ? 1.0f : pairs->slope;
    const floats distance = pairs->score - LANED(float_load)(pairs->scores + j);
    const floats better = pairs->value - LANED(float_load)(pairs->values + j);
    const floats change = better * (pairs->place + LANED(float_load)(pairs->places + j));
    const floats divisor = pairs->offset + slope * distance;
    const floats e = usual ? LANED(float_exp)(-distance) : LANED(float_exp_minus)(sigma * distance);
    const floats one = (floats){ 0.0f } + 1.0f;
    const floats shared = 1.0f / ((1.0f + e) * divisor); /* one division instead of two */
    const marks is_better = better > 0.0f;
    const floats wrong = sigma * change * shared * LANED(float_choose)(is_better, e, one);
    const floats right = LANED(float_choose)(is_better, one, e) * (shared * divisor);
    const floats lambda = (floats)(alive & (marks)wrong);
    const floats curvature = (floats)(alive & (marks)(sigma * LANED(float_size)(wrong) * right));

    LANED(float_add)(pairs->gradients + j, lambda);
    LANED(float_add)(pairs->hessians + j, curvature);
    tally->gradient[part] += lambda;
    tally->hessian[part] += curvature;
    tally->size[part] += LANED(float_size)(lambda);
}

/* Adds the lanes by halving, in the same order for all widths. */
LANED_INLINE double LANED(total)(const floats *parts)
{
    LANED(quad) sums[4];

    memcpy(sums, parts, sizeof sums);
    sums[0] = (sums[0] + sums[2]) + (sums[1] + sums[3]);
    return (double)((sums[0][0] + sums[0][2]) + (sums[0][1] + sums[0][3]));
}

/* A step of 16 items of which only those in [first, end) count. */
LANED_INLINE void LANED(edge)(const gr_lambda_pairs *pairs, size_t step, bool usual,
                              LANED(tally) * tally)
{
    static const int32_t items[GR_LAMBDA_STEP]
        __attribute__((aligned(64))) = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };
    const int32_t before = step < pairs->first ? (int32_t)(pairs->first - step) : 0;
    const int32_t left =
        pairs->end - step < GR_LAMBDA_STEP ? (int32_t)(pairs->end - step) : GR_LAMBDA_STEP;

    for (int part = 0; part < LANED(PARTS); part++) {
        const size_t at = (size_t)part * LANED(FLOATS);
        const marks item = *(const marks *)(const void *)(items + at);

        LANED(pair_part)(pairs, step + at, part, usual, (item >= before) & (item < left), tally);
    }
}

/* Steps start at multiples of 16 whatever `first` is. The loads of the next document then match the
 * stores of this one, so that store forwarding works. */
LANED_INLINE void LANED(add_pairs)(const gr_lambda_pairs *given, bool usual, gr_lambda_sums *sums)
{
    const gr_lambda_pairs pairs = *given;
    const size_t last = pairs.end / GR_LAMBDA_STEP * GR_LAMBDA_STEP;
    const marks all = ~(marks){ 0 };
    size_t step = pairs.first / GR_LAMBDA_STEP * GR_LAMBDA_STEP;
    LANED(tally) tally = { 0 };

    if (step < last) {
        LANED(edge)(&pairs, step, usual, &tally);
        step += GR_LAMBDA_STEP;
    }
    for (; step < last; step += GR_LAMBDA_STEP)
        for (int part = 0; part < LANED(PARTS); part++)
            LANED(pair_part)(&pairs, step + (size_t)part * LANED(FLOATS), part, usual, all, &tally);
    if (step < pairs.end)
        LANED(edge)(&pairs, step, usual, &tally);
    sums->gradient = -LANED(total)(tally.gradient);
    sums->hessian = LANED(total)(tally.hessian);
    sums->size = LANED(total)(tally.size);
}

/* Usually sigma and slope are 1 and need no multiplications, and the scores are so close that no
 * exponent has to be limited. The results are the same. */
TARGET static void LANED(lambda_row)(const gr_lambda_pairs *pairs, gr_lambda_sums *sums)
{
    if (pairs->sigma == 1.0f && pairs->slope == 1.0f && pairs->first < pairs->end &&
        pairs->score - pairs->scores[pairs->end - 1] <= -GR_FLOAT_EXP_LEAST)
        LANED(add_pairs)(pairs, true, sums);
    else
        LANED(add_pairs)(pairs, false, sums);
}

const gr_lambda_kernels LANED(gr_lambda) = { LANED(lambda_row) };

#include "kernels/lanes_end.h"
