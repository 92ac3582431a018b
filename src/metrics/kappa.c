/* SPDX-License-Identifier: Apache-2.0 */
/* Cohen's weighted kappa (1968): 1 minus the distance of predicted grades from labels over the
 * distance that there would be if neither knew of the other. */
#include "metrics/rows.h"

#include <math.h>

/* The mean squared distance of independent draws has a closed form. */
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

/* |a - b| is how many cuts lie between a and b, so that cuts can be counted one by one. */
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
                   "1 - sum (label - grade)^2 / sum of the same if labels and predicted grades "
                   "were independent: 1 if all are right, 0 if no better than that. Grades count "
                   "as numbers. Scores must be predicted grades: --grades asks a model for them. "
                   "Nothing if all labels and predictions are one grade. Weighted by row weights. "
                   "Source: Cohen 1968. Cost: O(n)." },
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
