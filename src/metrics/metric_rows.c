/* SPDX-License-Identifier: Apache-2.0 */
/* Weighted means of a loss over rows. */
#include "metrics/metric_rows.h"

#include <math.h>

static double mean(const gr_ranked *ranked, gr_row_loss loss, bool binary)
{
    double sum = 0.0, weights = 0.0;

    for (size_t i = 0; i < ranked->count; i++) {
        const double label = ranked->labels[i], weight = gr_row_weight(ranked, i);
        const bool relevant = gr_is_relevant(&ranked->settings->convention, label);

        sum += weight * loss(binary ? (double)relevant : label, ranked->scores[i]);
        weights += weight;
    }
    return weights > 0.0 ? sum / weights : NAN;
}

double gr_mean_loss(const gr_ranked *ranked, gr_row_loss loss)
{
    return mean(ranked, loss, false);
}

double gr_mean_binary_loss(const gr_ranked *ranked, gr_row_loss loss)
{
    return mean(ranked, loss, true);
}
