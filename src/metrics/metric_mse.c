/* SPDX-License-Identifier: Apache-2.0 */
/* Mean squared error of scores against labels. */
#include "metrics/metric_rows.h"

#include <math.h>

static double squared(double label, double score)
{
    return (score - label) * (score - label);
}

static double mse_of_list(const gr_ranked *ranked, size_t depth)
{
    (void)depth;
    return gr_mean_loss(ranked, squared);
}

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
    .of_list = mse_of_list,
};
