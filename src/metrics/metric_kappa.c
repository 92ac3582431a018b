/* SPDX-License-Identifier: Apache-2.0 */
/* Cohen's weighted kappa (Cohen 1968): 1 - (observed disagreement / disagreement expected if labels
 * and predictions were independent). */
#include "metrics/metric_rows.h"

#include <math.h>

/* Closed form of the mean squared distance between independent draws. */
static double quadratic_of_list(const gr_ranked *ranked, size_t depth)
{
    double weights = 0.0, a = 0.0, b = 0.0, squares = 0.0, apart = 0.0;

    (void)depth;
    for (size_t i = 0; i < ranked->count; i++) {
        const double weight = gr_row_weight(ranked, i), label = ranked->labels[i];
        const double score = ranked->scores[i], off = label - score;

        weights += weight;
        a += weight * label;
        b += weight * score;
        squares += weight * (label * label + score * score);
        apart += weight * off * off;
    }
    const double expected = squares - 2.0 * a * b / weights;

    return weights > 0.0 && expected > 0.0 ? 1.0 - apart / expected : NAN;
}

enum { GRADES = 1024 };

/* |a - b| is the number of unit steps between a and b, so the expectation is a sum over thresholds.
 */
static double linear_of_list(const gr_ranked *ranked, size_t depth)
{
    double labels[GRADES] = { 0.0 }, scores[GRADES] = { 0.0 };
    double weights = 0.0, apart = 0.0, expected = 0.0, a = 0.0, b = 0.0;

    (void)depth;
    for (size_t i = 0; i < ranked->count; i++) {
        const double weight = gr_row_weight(ranked, i);

        labels[(size_t)ranked->labels[i]] += weight;
        scores[(size_t)ranked->scores[i]] += weight;
        weights += weight;
        apart += weight * fabs(ranked->labels[i] - ranked->scores[i]);
    }
    for (size_t cut = 0; cut < GRADES; cut++) {
        a += labels[cut];
        b += scores[cut];
        expected += a * (weights - b) + b * (weights - a);
    }
    return weights > 0.0 && expected > 0.0 ? 1.0 - apart * weights / expected : NAN;
}

const gr_metric gr_metric_kappa = {
    .about = { .name = "kappa",
               .summary = "quadratically weighted kappa of predicted grades",
               .details =
                   "1 - sum (label - grade)^2 / its expectation if labels and predicted grades "
                   "were independent: 1 for perfect agreement, 0 for chance agreement. Grades "
                   "count as numbers. Scores must be predicted grades; use --grades to get "
                   "them from a model. Undefined if all labels and predictions are the same "
                   "grade. Weighted by row weights. Source: Cohen 1968. Cost: O(n)." },
    .low = -INFINITY,
    .high = 1,
    .pooled = true,
    .ties = GR_TIED_FIXED,
    .grades = true,
    .labels = GR_LABELS_WHOLE,
    .of_list = quadratic_of_list,
};

const gr_metric gr_metric_kappa_linear = {
    .about = { .name = "kappa-linear",
               .summary = "linearly weighted kappa of predicted grades",
               .details = "As kappa, with |label - grade| in place of its square. Cost: O(n)." },
    .low = -INFINITY,
    .high = 1,
    .pooled = true,
    .ties = GR_TIED_FIXED,
    .grades = true,
    .labels = GR_LABELS_WHOLE,
    .of_list = linear_of_list,
};
