/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of sigmoid.h over vectors of WIDTH doubles. The last rows, if they do not fill a
 * vector, are copied to a padded one. */
#include "kernels/lanes.h"

TARGET static void LANED(exp_minus_rows)(const double *x, size_t count, double *powers)
{
    size_t r = 0;

    for (; r + WIDTH <= count; r += WIDTH)
        LANED(store)(powers + r, LANED(exp_minus)(LANED(size)(LANED(load)(x + r))));
    if (r < count) {
        double padded[WIDTH] = { 0.0 };

        memcpy(padded, x + r, (count - r) * sizeof *x);
        LANED(store)(padded, LANED(exp_minus)(LANED(size)(LANED(load)(padded))));
        memcpy(powers + r, padded, (count - r) * sizeof *x);
    }
}

/* Gradient and hessian from a probability p and its curvature p (1 - p). */
LANED_INLINE void LANED(put)(lanes p, lanes curvature, const double *targets, const double *weights,
                             float *gradients, float *hessians)
{
    const lanes weight = LANED(load)(weights), floor = LANED(all_of)(GR_LEAST_CURVATURE);

    LANED(store_narrow)(gradients, weight * (p - LANED(load)(targets)));
    LANED(store_narrow)(hessians, weight * LANED(choose)(curvature < floor, floor, curvature));
}

/* e = e^-|score| is at most 1, so neither p nor 1 - p loses precision when it is small. */
LANED_INLINE void LANED(logistic_few)(const double *scores, const double *targets,
                                      const double *weights, float *gradients, float *hessians)
{
    const lanes score = LANED(load)(scores), e = LANED(exp_minus)(LANED(size)(score));
    const lanes share = 1.0 / (1.0 + e), rest = e * share;
    const lanes p = LANED(choose)(score < 0.0, rest, share);

    LANED(put)(p, rest * share, targets, weights, gradients, hessians);
}

LANED_INLINE void LANED(chance_few)(const double *chances, const double *targets,
                                    const double *weights, float *gradients, float *hessians)
{
    const lanes p = LANED(load)(chances);

    LANED(put)(p, p * (1.0 - p), targets, weights, gradients, hessians);
}

/* Calls `few` for every WIDTH rows, the last ones padded. */
#define LANED_ROWS(few, first)                                                                     \
    size_t r = 0;                                                                                  \
                                                                                                   \
    for (; r + WIDTH <= count; r += WIDTH)                                                         \
        few(first + r, targets + r, weights + r, gradients + r, hessians + r);                     \
    if (r < count) {                                                                               \
        double padded[3][WIDTH] = { { 0.0 } };                                                     \
        float made[2][WIDTH];                                                                      \
                                                                                                   \
        memcpy(padded[0], first + r, (count - r) * sizeof(double));                                \
        memcpy(padded[1], targets + r, (count - r) * sizeof(double));                              \
        memcpy(padded[2], weights + r, (count - r) * sizeof(double));                              \
        few(padded[0], padded[1], padded[2], made[0], made[1]);                                    \
        memcpy(gradients + r, made[0], (count - r) * sizeof(float));                               \
        memcpy(hessians + r, made[1], (count - r) * sizeof(float));                                \
    }

TARGET static void LANED(logistic_rows)(const double *scores, const double *targets,
                                        const double *weights, size_t count, float *gradients,
                                        float *hessians){ LANED_ROWS(LANED(logistic_few), scores) }

TARGET static void LANED(chance_rows)(const double *chances, const double *targets,
                                      const double *weights, size_t count, float *gradients,
                                      float *hessians){ LANED_ROWS(LANED(chance_few), chances) }

/* The softmax of WIDTH rows: scores of output k at scores + k * stride, its probabilities at
 * chances + k * pitch. */
LANED_INLINE void LANED(softmax_few)(const double *scores, size_t stride, size_t outputs,
                                     size_t pitch, double *chances)
{
    lanes most = LANED(load)(scores), sum = LANED(all_of)(0.0);

    for (size_t k = 1; k < outputs; k++) {
        const lanes score = LANED(load)(scores + k * stride);

        most = LANED(choose)(score > most, score, most);
    }
    for (size_t k = 0; k < outputs; k++) {
        const lanes e = LANED(exp_minus)(most - LANED(load)(scores + k * stride));

        LANED(store)(chances + k * pitch, e);
        sum += e;
    }
    const lanes share = 1.0 / sum;
    for (size_t k = 0; k < outputs; k++)
        LANED(store)(chances + k * pitch, LANED(load)(chances + k * pitch) * share);
}

TARGET static void LANED(softmax_rows)(const double *scores, size_t stride, size_t outputs,
                                       size_t count, double *chances)
{
    double padded[GR_MAX_CLASSES * WIDTH];
    size_t r = 0;

    for (; r + WIDTH <= count; r += WIDTH)
        LANED(softmax_few)(scores + r, stride, outputs, count, chances + r);
    if (r == count)
        return;
    memset(padded, 0, outputs * WIDTH * sizeof *padded);
    for (size_t k = 0; k < outputs; k++)
        memcpy(padded + k * WIDTH, scores + k * stride + r, (count - r) * sizeof *padded);
    LANED(softmax_few)(padded, WIDTH, outputs, WIDTH, padded);
    for (size_t k = 0; k < outputs; k++)
        memcpy(chances + k * count + r, padded + k * WIDTH, (count - r) * sizeof *padded);
}

static const gr_sigmoid_kernels LANED(kernels) = {
    LANED(exp_minus_rows),
    LANED(logistic_rows),
    LANED(softmax_rows),
    LANED(chance_rows),
};

#undef LANED_ROWS
#include "kernels/lanes_end.h"
