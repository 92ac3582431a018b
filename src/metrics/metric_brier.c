/* SPDX-License-Identifier: Apache-2.0 */
/* Brier score (Brier 1950). */
#include "metrics/metric_rows.h"

const gr_metric gr_metric_brier = {
    .about = { .name = "brier",
               .summary = "mean squared error of the probability of being relevant",
               .details =
                   "The mean over rows of (p - r)^2, where p is the score, which must be a "
                   "probability from 0 to 1, and r is 1 if the label is >= --relevant, else 0; "
                   "weighted by row weights. The value of a query is the mean over its rows. "
                   "Lower is better. Cost: O(n). Source: Brier 1950." },
    .low = 0,
    .high = 1,
    .lower_is_better = true,
    .pooled = true,
    .ties = GR_TIED_FIXED,
    .probabilities = true,
    .row_loss = gr_squared_error,
};
