/* SPDX-License-Identifier: Apache-2.0 */
/* Weighted means over rows, for metrics with a row_loss. */
#ifndef GR_METRICS_METRIC_ROWS_H
#define GR_METRICS_METRIC_ROWS_H

#include "metrics/metric.h"

static inline double gr_row_weight(const gr_ranked *ranked, size_t i)
{
    return ranked->weights ? ranked->weights[i] : 1.0;
}

/* The value of a list: of of_list, or the mean of row_loss; NAN if the weights sum to 0. */
double gr_metric_of_list(const gr_metric *metric, const gr_ranked *ranked, size_t depth);
double gr_squared_error(double label, double score);

#endif
