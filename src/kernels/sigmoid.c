#include "kernels/sigmoid.h"

#include "kernels/exp_lane.h"

#include <math.h>

/* e = e^-|score| is at most 1, so that neither p nor 1 - p loses digits where it is small. */
GR_INLINE void logistic_rows(const double *restrict scores, const double *restrict targets,
                             const double *restrict weights, size_t count,
                             float *restrict gradients, float *restrict hessians)
{
    for (size_t r = 0; r < count; r++) {
        const double e = gr_exp_lane(gr_clamp_lane(-fabs(scores[r]), -GR_EXP_LIMIT, 0.0));
        const double share = 1.0 / (1.0 + e), curvature = e * share * share;
        const double p = scores[r] < 0.0 ? e * share : share;
        const double floored = curvature < GR_LEAST_CURVATURE ? GR_LEAST_CURVATURE : curvature;

        gradients[r] = (float)(weights[r] * (p - targets[r]));
        hessians[r] = (float)(weights[r] * floored);
    }
}

enum { CHUNK = 64 }; /* rows whose largest scores and sums are kept on the stack */

GR_INLINE void softmax_chunk(const double *restrict scores, size_t stride, size_t outputs,
                             size_t count, size_t pitch, double *restrict chances)
{
    double most[CHUNK], sums[CHUNK];

    for (size_t r = 0; r < count; r++) {
        most[r] = scores[r];
        sums[r] = 0.0;
    }
    for (size_t k = 1; k < outputs; k++)
        for (size_t r = 0; r < count; r++)
            most[r] = scores[k * stride + r] > most[r] ? scores[k * stride + r] : most[r];
    for (size_t k = 0; k < outputs; k++)
        for (size_t r = 0; r < count; r++) {
            const double below = scores[k * stride + r] - most[r];
            const double e = gr_exp_lane(gr_clamp_lane(below, -GR_EXP_LIMIT, 0.0));

            chances[k * pitch + r] = e;
            sums[r] += e;
        }
    for (size_t r = 0; r < count; r++)
        sums[r] = 1.0 / sums[r];
    for (size_t k = 0; k < outputs; k++)
        for (size_t r = 0; r < count; r++)
            chances[k * pitch + r] *= sums[r];
}

GR_INLINE void softmax_rows(const double *restrict scores, size_t stride, size_t outputs,
                            size_t count, double *restrict chances)
{
    for (size_t r = 0; r < count; r += CHUNK)
        softmax_chunk(scores + r, stride, outputs, count - r < CHUNK ? count - r : CHUNK, count,
                      chances + r);
}

GR_INLINE void chance_rows(const double *restrict chances, const double *restrict targets,
                           const double *restrict weights, size_t count, float *restrict gradients,
                           float *restrict hessians)
{
    for (size_t r = 0; r < count; r++) {
        const double p = chances[r], curvature = p * (1.0 - p);
        const double floored = curvature < GR_LEAST_CURVATURE ? GR_LEAST_CURVATURE : curvature;

        gradients[r] = (float)(weights[r] * (p - targets[r]));
        hessians[r] = (float)(weights[r] * floored);
    }
}

GR_VERSIONS(gr_logistic_rows, logistic_rows,
            (const double *scores, const double *targets, const double *weights, size_t count,
             float *gradients, float *hessians),
            (scores, targets, weights, count, gradients, hessians))

GR_VERSIONS(gr_softmax_rows, softmax_rows,
            (const double *scores, size_t stride, size_t outputs, size_t count, double *chances),
            (scores, stride, outputs, count, chances))

GR_VERSIONS(gr_chance_rows, chance_rows,
            (const double *chances, const double *targets, const double *weights, size_t count,
             float *gradients, float *hessians),
            (chances, targets, weights, count, gradients, hessians))
