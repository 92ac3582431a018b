/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of losses that are sums over rows: gradients at the scores, and the leaf values of a tree
 * added to the scores. One thread per row; neighbouring threads have neighbouring rows. */
#ifndef GR_PLUGINS_CUDA_ROW_LOSSES_BODY_H
#define GR_PLUGINS_CUDA_ROW_LOSSES_BODY_H

#include "backend/boost_device.h"
#include "exp_body.h"
#include "kernels/ordinal.h"
#include "kernels/sigmoid.h"
#include "objectives/slopes.h"

#include <math.h>

/* Addresses on the device; what they are: gr_device_problem. */
typedef struct gr_row_losses {
    int loss;
    double number;
    size_t rows, outputs, levels;
    const float *labels;
    const uint8_t *level_of;
    const double *targets, *weights;
    const float *row_weights;
    const double *numbers; /* of levels, of losses with thresholds */
    double *scores;
    float *gradients, *hessians;
    bool ones;
} gr_row_losses;

GR_DEVICE double gr_row_target(const gr_row_losses *l, size_t k, size_t r)
{
    return l->targets ? l->targets[k * l->levels + l->level_of[r]] : (double)l->labels[r];
}

GR_DEVICE double gr_row_weight(const gr_row_losses *l, size_t k, size_t r)
{
    const double weight = l->weights ? l->weights[k * l->levels + l->level_of[r]] : 1.0;

    return l->row_weights ? weight * (double)l->row_weights[r] : weight;
}

GR_DEVICE double gr_row_slope(int loss, double off, double number)
{
    return loss == GR_DEVICE_SQUARED    ? gr_slope_squared(off, number)
           : loss == GR_DEVICE_ABSOLUTE ? gr_slope_absolute(off, number)
           : loss == GR_DEVICE_HUBER    ? gr_slope_huber(off, number)
                                        : gr_slope_quantile(off, number);
}

/* From a probability p and its curvature p (1 - p). */
GR_DEVICE void gr_row_put(const gr_row_losses *l, size_t at, double p, double curvature,
                          double target, double weight)
{
    l->gradients[at] = (float)(weight * (p - target));
    l->hessians[at] =
        (float)(weight * (curvature < GR_LEAST_CURVATURE ? GR_LEAST_CURVATURE : curvature));
}

/* Regression and logistic losses, at a score of output k. */
GR_DEVICE void gr_row_gradient(const gr_row_losses *l, size_t k, size_t r, double score)
{
    const double target = gr_row_target(l, k, r), weight = gr_row_weight(l, k, r);
    const size_t at = k * l->rows + r;

    if (l->loss == GR_DEVICE_LOGISTIC) {
        const double e = gr_exp_minus(fabs(score)), share = 1.0 / (1.0 + e), rest = e * share;

        gr_row_put(l, at, score < 0.0 ? rest : share, rest * share, target, weight);
        return;
    }
    l->gradients[at] = (float)(weight * gr_row_slope(l->loss, score - target, l->number));
    if (!l->ones)
        l->hessians[at] = (float)weight;
}

/* down = e^-x and up = e^x: LANED(powers_few) of kernels/ordinal_body.h. */
GR_DEVICE void gr_powers_of(double x, double *down, double *up)
{
    const double size = fabs(x);
    const double small = gr_exp_minus(size > GR_POWER_FAR ? GR_POWER_FAR : size);
    const double large = 1.0 / small;

    *down = x < 0.0 ? large : small;
    *up = x < 0.0 ? small : large;
}

typedef struct gr_row_chances {
    double x, y, both, u, v; /* see LANED(odds_few) */
} gr_row_chances;

GR_DEVICE gr_row_chances gr_row_chances_of(const gr_row_losses *l, size_t r)
{
    const double *own = l->numbers + l->level_of[r] * GR_DEVICE_LEVEL_NUMBERS;
    gr_row_chances c;
    double down, up;

    gr_powers_of(l->scores[r], &down, &up);
    c.x = up * own[0];
    c.y = down * own[1];
    c.both = 1.0 / ((1.0 + c.x) * (1.0 + c.y));
    c.u = (1.0 + c.y) * c.both;
    c.v = (1.0 + c.x) * c.both;
    return c;
}

/* Proportional odds. */
GR_DEVICE void gr_row_odds(const gr_row_losses *l, size_t r)
{
    const gr_row_chances c = gr_row_chances_of(l, r);
    const double curvature = c.x * c.u * c.u + c.y * c.v * c.v;
    const double weight = gr_row_weight(l, 0, r);

    l->gradients[r] = (float)(weight * ((c.x - c.y) * c.both));
    l->hessians[r] =
        (float)(weight * (curvature < GR_LEAST_CURVATURE ? GR_LEAST_CURVATURE : curvature));
}

/* ORBoost. */
GR_DEVICE void gr_row_powers(const gr_row_losses *l, size_t r)
{
    const double *own = l->numbers + l->level_of[r] * GR_DEVICE_LEVEL_NUMBERS;
    const double weight = gr_row_weight(l, 0, r);
    double minus, plus;

    gr_powers_of(l->scores[r], &minus, &plus);
    minus *= own[0];
    plus *= own[1];
    minus = weight * (minus > GR_POWER_MAX ? GR_POWER_MAX : minus);
    plus = weight * (plus > GR_POWER_MAX ? GR_POWER_MAX : plus);
    l->gradients[r] = (float)(plus - minus);
    l->hessians[r] = (float)(minus + plus);
}

GR_HOST_AND_DEVICE size_t gr_row_term_count(const gr_row_losses *l)
{
    return l->loss == GR_DEVICE_ORBOOST ? 2 : 4;
}

/* The terms of a row that fit thresholds: those of gr_odds_terms_kernel or of gr_power_sums. */
GR_DEVICE void gr_row_terms(const gr_row_losses *l, size_t r, double terms[GR_DEVICE_MAX_TERMS])
{
    const double weight = gr_row_weight(l, 0, r);

    if (l->loss == GR_DEVICE_ORBOOST) {
        gr_powers_of(l->scores[r], &terms[0], &terms[1]);
        terms[0] *= weight;
        terms[1] *= weight;
        return;
    }
    const gr_row_chances c = gr_row_chances_of(l, r);
    const double share = l->numbers[l->level_of[r] * GR_DEVICE_LEVEL_NUMBERS + 3], m = c.x * c.y;
    const double a = (c.x + m) * c.u * share, b = (c.y + m) * c.v * share;

    terms[0] = weight * a;
    terms[1] = weight * a * (2.0 * c.u - 1.0 + a);
    terms[2] = weight * b;
    terms[3] = weight * b * (2.0 * c.v - 1.0 + b);
}

/* All outputs of a row. Exponentials are computed twice instead of being stored. */
GR_DEVICE void gr_row_softmax(const gr_row_losses *l, size_t r)
{
    double most = l->scores[r], sum = 0.0;

    for (size_t k = 1; k < l->outputs; k++) {
        const double score = l->scores[k * l->rows + r];

        most = score > most ? score : most;
    }
    for (size_t k = 0; k < l->outputs; k++)
        sum += gr_exp_minus(most - l->scores[k * l->rows + r]);
    const double share = 1.0 / sum;
    for (size_t k = 0; k < l->outputs; k++) {
        const double p = gr_exp_minus(most - l->scores[k * l->rows + r]) * share;

        gr_row_put(l, k * l->rows + r, p, p * (1.0 - p), l->level_of[r] == k ? 1.0 : 0.0,
                   gr_row_weight(l, k, r));
    }
}

GR_DEVICE void gr_row_gradients(const gr_row_losses *l, size_t r)
{
    if (l->loss == GR_DEVICE_SOFTMAX)
        gr_row_softmax(l, r);
    else if (l->loss == GR_DEVICE_PROPODDS)
        gr_row_odds(l, r);
    else if (l->loss == GR_DEVICE_ORBOOST)
        gr_row_powers(l, r);
    else
        for (size_t k = 0; k < l->outputs; k++)
            gr_row_gradient(l, k, r, l->scores[k * l->rows + r]);
}

/* Whether the pass that adds a tree can compute the next gradients, too. Host code. */
static inline bool gr_row_adds_gradient(const gr_row_losses *l)
{
    return l->outputs == 1 && l->loss <= GR_DEVICE_LOGISTIC;
}

/* Whether gradients are valid until the scores change: not with thresholds, which change on their own. Host
 * code. */
static inline bool gr_row_keeps_gradients(const gr_row_losses *l)
{
    return l->loss <= GR_DEVICE_SOFTMAX;
}

/* Adds the value of the row's leaf. also_gradient: of the new score, for losses of a single output. */
GR_DEVICE void gr_row_add(const gr_row_losses *l, size_t k, size_t r, const uint32_t *leaf_of,
                          const double *values, bool also_gradient)
{
    const double score = l->scores[k * l->rows + r] + values[leaf_of[r]];

    l->scores[k * l->rows + r] = score;
    if (also_gradient)
        gr_row_gradient(l, k, r, score);
}

#endif
