/* SPDX-License-Identifier: Apache-2.0 */
/* Logarithmic loss of the probability of being relevant. */
#include "metrics/metric_rows.h"

#include <math.h>

static double log_loss(double label, double score)
{
    const double p = fmin(fmax(score, 0x1p-52), 1.0 - 0x1p-52);

    return label > 0.0 ? -log(p) : -log1p(-p);
}

const gr_metric gr_metric_log_loss = {
    .about = { .name = "log-loss",
               .summary = "mean negative log-likelihood of being relevant",
               .details =
                   "The mean over rows of -log(p) if the label is relevant (>= --relevant) and "
                   "-log(1 - p) if not, where p is the score, which must be a probability from "
                   "0 to 1; weighted by row weights. p is kept 2^-52 away from 0 and 1, as in "
                   "scikit-learn, so that a confident error costs 36, not infinity. The value "
                   "of a query is the mean over its rows. Lower is better. Cost: O(n)." },
    .aliases = "logloss",
    .low = 0,
    .high = 37,
    .lower_is_better = true,
    .pooled = true,
    .ties = GR_TIED_FIXED,
    .probabilities = true,
    .row_loss = log_loss,
};
