/* SPDX-License-Identifier: Apache-2.0 */
/* gr_lambda_kernel over vectors of 2 * WIDTH floats; see lambda.c. */
#include "kernels/float_lanes.h"

enum { LANED(PARTS) = 8 / WIDTH };

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

LANED_INLINE void LANED(pair_part)(const gr_lambda_pairs *pairs, size_t j, int part, marks alive,
                                   LANED(tally) * tally)
{
    const floats distance = pairs->score - LANED(float_load)(pairs->scores + j);
    const floats better = pairs->value - LANED(float_load)(pairs->values + j);
    const floats change = better * (pairs->place + LANED(float_load)(pairs->places + j));
    const floats divisor = pairs->offset + pairs->slope * distance;
    const floats e = LANED(float_exp_minus)(pairs->sigma * distance);
    const floats one = (floats){ 0.0f } + 1.0f;
    const floats shared = 1.0f / ((1.0f + e) * divisor); /* one division instead of two */
    const marks is_better = better > 0.0f;
    const floats wrong = pairs->sigma * change * shared * LANED(float_choose)(is_better, e, one);
    const floats right = LANED(float_choose)(is_better, one, e) * (shared * divisor);
    const floats lambda = (floats)(alive & (marks)wrong);
    const floats curvature =
        (floats)(alive & (marks)(pairs->sigma * LANED(float_size)(wrong) * right));

    LANED(float_add)(pairs->gradients + j, lambda);
    LANED(float_add)(pairs->hessians + j, curvature);
    tally->gradient[part] += lambda;
    tally->hessian[part] += curvature;
    tally->size[part] += LANED(float_size)(lambda);
}

/* Adds the lanes by halving, in the same order for all widths. */
LANED_INLINE double LANED(total)(const floats *parts)
{
    float sums[16];

    memcpy(sums, parts, sizeof sums);
    for (int half = 8; half > 0; half /= 2)
        for (int l = 0; l < half; l++)
            sums[l] += sums[l + half];
    return (double)sums[0];
}

/* A step of 16 items of which only those in [first, end) count. */
LANED_INLINE void LANED(edge)(const gr_lambda_pairs *pairs, size_t step, LANED(tally) * tally)
{
    int32_t alive[GR_LAMBDA_STEP] __attribute__((aligned(64)));

    for (size_t l = 0; l < GR_LAMBDA_STEP; l++)
        alive[l] = step + l >= pairs->first && step + l < pairs->end ? -1 : 0;
    for (int part = 0; part < LANED(PARTS); part++) {
        const size_t at = (size_t)part * LANED(FLOATS);

        LANED(pair_part)(pairs, step + at, part, *(const marks *)(const void *)(alive + at), tally);
    }
}

/* Steps start at multiples of 16 whatever `first` is. The loads of the next document then match the
 * stores of this one, so that store forwarding works. */
TARGET static void LANED(lambda_row)(const gr_lambda_pairs *given, gr_lambda_sums *sums)
{
    const gr_lambda_pairs pairs = *given;
    const size_t last = pairs.end / GR_LAMBDA_STEP * GR_LAMBDA_STEP;
    const marks all = ~(marks){ 0 };
    size_t step = pairs.first / GR_LAMBDA_STEP * GR_LAMBDA_STEP;
    LANED(tally) tally = { 0 };

    if (step < last) {
        LANED(edge)(&pairs, step, &tally);
        step += GR_LAMBDA_STEP;
    }
    for (; step < last; step += GR_LAMBDA_STEP)
        for (int part = 0; part < LANED(PARTS); part++)
            LANED(pair_part)(&pairs, step + (size_t)part * LANED(FLOATS), part, all, &tally);
    if (step < pairs.end)
        LANED(edge)(&pairs, step, &tally);
    sums->gradient = -LANED(total)(tally.gradient);
    sums->hessian = LANED(total)(tally.hessian);
    sums->size = LANED(total)(tally.size);
}

const gr_lambda_kernels LANED(gr_lambda) = { LANED(lambda_row) };

#include "kernels/lanes_end.h"
