/* gr_lambda_kernel over vectors of WIDTH doubles; see lambda.c. */
#include "kernels/lanes.h"

enum { LANED(PARTS) = 8 / WIDTH };

/* Sums of eight lanes, lane l over the documents l, l + 8, l + 16, ... */
typedef struct LANED(tally) {
    lanes gradient[LANED(PARTS)], hessian[LANED(PARTS)], size[LANED(PARTS)];
} LANED(tally);

LANED_INLINE void LANED(pair_part)(const gr_lambda_pairs *pairs, size_t j, int part, bits alive,
                                   LANED(tally) * tally)
{
    const lanes distance = pairs->score - LANED(load)(pairs->scores + j);
    const lanes better = pairs->value - LANED(load)(pairs->values + j);
    const lanes change = better * (pairs->place + LANED(load)(pairs->places + j));
    const lanes divisor = pairs->offset + pairs->slope * distance;
    const lanes e = LANED(exp_minus)(pairs->sigma * distance), one = LANED(all_of)(1.0);
    const lanes shared = 1.0 / ((1.0 + e) * divisor); /* one division for both */
    const bits is_better = better > 0.0;
    const lanes wrong = pairs->sigma * change * shared * LANED(choose)(is_better, e, one);
    const lanes right = LANED(choose)(is_better, one, e) * (shared * divisor);
    const lanes lambda = (lanes)(alive & (bits)wrong);
    const lanes curvature = (lanes)(alive & (bits)(pairs->sigma * LANED(size)(wrong) * right));

    LANED(store)(pairs->gradients + j, LANED(load)(pairs->gradients + j) + lambda);
    LANED(store)(pairs->hessians + j, LANED(load)(pairs->hessians + j) + curvature);
    tally->gradient[part] += lambda;
    tally->hessian[part] += curvature;
    tally->size[part] += LANED(size)(lambda);
}

LANED_INLINE double LANED(total)(const lanes *parts)
{
    double sums[8];

    memcpy(sums, parts, sizeof sums);
    return ((sums[0] + sums[4]) + (sums[2] + sums[6])) +
           ((sums[1] + sums[5]) + (sums[3] + sums[7]));
}

TARGET static void LANED(lambda_row)(const gr_lambda_pairs *given, gr_lambda_sums *sums)
{
    static const int64_t alive_then_not[16] = { -1, -1, -1, -1, -1, -1, -1, -1 };
    const gr_lambda_pairs pairs = *given;
    const size_t whole = pairs.count / 8 * 8;
    const bits all = ~(bits){ 0 };
    LANED(tally) tally = { 0 };

    for (size_t j = 0; j < whole; j += 8)
        for (int part = 0; part < LANED(PARTS); part++)
            LANED(pair_part)(&pairs, j + (size_t)part * WIDTH, part, all, &tally);
    if (whole < pairs.count)
        for (int part = 0; part < LANED(PARTS); part++) {
            const size_t at = (size_t)part * WIDTH;
            bits alive;

            memcpy(&alive, alive_then_not + 8 - (pairs.count - whole) + at, sizeof alive);
            LANED(pair_part)(&pairs, whole + at, part, alive, &tally);
        }
    sums->gradient = -LANED(total)(tally.gradient);
    sums->hessian = LANED(total)(tally.hessian);
    sums->size = LANED(total)(tally.size);
}

#include "kernels/lanes_end.h"
