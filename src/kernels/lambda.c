/* A pair's probability to be in the wrong order is rho = 1 / (1 + e^(sigma (s_better - s_worse))).
 * Document i ranks above j, so with e = e^(-sigma (s_i - s_j)), which is at most 1, rho is
 * e / (1 + e) if i is the better one and 1 / (1 + e) if not, and rho (1 - rho) is e / (1 + e)^2
 * either way. Equal grades have a change of 0: no branch is needed to leave them out.
 *
 * Sums are in eight lanes, each in the order of the documents, so that they do not depend on the
 * width of a vector. */
#include "kernels/lambda.h"

#include "kernels/exp_lane.h"

#include <math.h>

enum { CHUNK = 512, LANES = 8 };

static const double FARTHEST = 0x1p500; /* of two scores: beyond, all is as if at that distance */

/* Lambdas and hessians of `count` pairs from the j-th on, into room of their own. */
GR_INLINE void pair_chunk(const gr_lambda_pairs *pairs, size_t first, size_t count,
                          double *restrict lambdas, double *restrict curvatures)
{
    const double *restrict scores = pairs->scores + first;
    const double *restrict values = pairs->values + first;
    const double *restrict places = pairs->places + first;
    double *restrict gradients = pairs->gradients + first;
    double *restrict hessians = pairs->hessians + first;
    const double score = pairs->score, value = pairs->value, place = pairs->place;
    const double sigma = pairs->sigma, offset = pairs->offset, slope = pairs->slope;

    for (size_t j = 0; j < count; j++) {
        const double distance = gr_clamp_lane(score - scores[j], 0.0, FARTHEST);
        const double e = gr_exp_lane(-gr_clamp_lane(sigma * distance, 0.0, GR_EXP_LIMIT));
        const double better = value - values[j], divisor = offset + slope * distance;
        const double change = better * (place + places[j]);
        const double shared = 1.0 / ((1.0 + e) * divisor); /* one division for both */
        const double lambda = sigma * change * shared * (better > 0.0 ? e : 1.0);
        const double right = (better > 0.0 ? 1.0 : e) * (shared * divisor); /* 1 - rho */
        const double curvature = sigma * fabs(lambda) * right;

        lambdas[j] = lambda;
        curvatures[j] = curvature;
        gradients[j] += lambda;
        hessians[j] += curvature;
    }
}

GR_INLINE void add_chunk(const double *restrict lambdas, const double *restrict curvatures,
                         size_t count, double sums[3][LANES])
{
    size_t j = 0;

    for (; j + LANES <= count; j += LANES)
        for (size_t lane = 0; lane < LANES; lane++) {
            sums[0][lane] += lambdas[j + lane];
            sums[1][lane] += curvatures[j + lane];
            sums[2][lane] += fabs(lambdas[j + lane]);
        }
    for (size_t lane = 0; j < count; j++, lane++) {
        sums[0][lane] += lambdas[j];
        sums[1][lane] += curvatures[j];
        sums[2][lane] += fabs(lambdas[j]);
    }
}

GR_INLINE double of_lanes(const double lanes[LANES])
{
    return ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) +
           ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]));
}

GR_INLINE void lambda_row(const gr_lambda_pairs *pairs, gr_lambda_sums *sums)
{
    double lambdas[CHUNK], curvatures[CHUNK], lanes[3][LANES] = { { 0.0 } };

    for (size_t j = 0; j < pairs->count; j += CHUNK) {
        const size_t count = pairs->count - j < CHUNK ? pairs->count - j : CHUNK;

        pair_chunk(pairs, j, count, lambdas, curvatures);
        add_chunk(lambdas, curvatures, count, lanes);
    }
    sums->gradient = -of_lanes(lanes[0]);
    sums->hessian = of_lanes(lanes[1]);
    sums->size = of_lanes(lanes[2]);
}

GR_VERSIONS(gr_lambda_row, lambda_row, (const gr_lambda_pairs *pairs, gr_lambda_sums *sums),
            (pairs, sums))
