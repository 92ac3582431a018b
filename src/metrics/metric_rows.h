/* SPDX-License-Identifier: Apache-2.0 */
/* Weighted means over rows, shared by mse, rmse, mae, log-loss and brier. */
#ifndef GR_METRICS_METRIC_ROWS_H
#define GR_METRICS_METRIC_ROWS_H

#include "metrics/metric.h"

typedef double (*gr_row_loss)(double label, double score);

static inline double gr_row_weight(const gr_ranked *ranked, size_t i)
{
    return ranked->weights ? ranked->weights[i] : 1.0;
}

/* The mean of loss(label, score); NAN if the weights sum to 0. */
double gr_mean_loss(const gr_ranked *ranked, gr_row_loss loss);
/* The mean of loss(1 if relevant else 0, score). */
double gr_mean_binary_loss(const gr_ranked *ranked, gr_row_loss loss);

#endif
