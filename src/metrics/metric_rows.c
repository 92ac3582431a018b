/* SPDX-License-Identifier: Apache-2.0 */
/* Weighted means of a loss over rows. */
#include "metrics/metric_rows.h"

#include <math.h>

double gr_metric_of_list(const gr_metric *metric, const gr_ranked *ranked, size_t depth)
{
    double sum = 0.0, weights = 0.0;

    if (metric->of_list)
        return metric->of_list(ranked, depth);
    for (size_t i = 0; i < ranked->count; i++) {
        const double label = ranked->labels[i], weight = gr_row_weight(ranked, i);
        const bool relevant = gr_is_relevant(&ranked->settings->convention, label);

        sum += weight * metric->row_loss(metric->probabilities ? (double)relevant : label,
                                         ranked->scores[i]);
        weights += weight;
    }
    return weights > 0.0 ? sum / weights : NAN;
}

double gr_squared_error(double label, double score)
{
    return (score - label) * (score - label);
}
