/* SPDX-License-Identifier: Apache-2.0 */
/* Mean squared error of scores against labels. */
#include "metrics/metric_rows.h"

#include <math.h>

const gr_metric gr_metric_mse = {
    .about = { .name = "mse",
               .summary = "mean squared error of scores against labels",
               .details =
                   "The mean over rows of (score - label)^2, weighted by row weights; the value of "
                   "a query is the mean over its rows. Lower is better. Any labels. Cost: O(n)." },
    .low = 0,
    .high = INFINITY,
    .lower_is_better = true,
    .pooled = true,
    .ties = GR_TIED_FIXED,
    .row_loss = gr_squared_error,
};
