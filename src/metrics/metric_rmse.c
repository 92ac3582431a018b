/* SPDX-License-Identifier: Apache-2.0 */
/* Root mean squared error of scores against labels. */
#include "metrics/metric_rows.h"

#include <math.h>

static double rmse_of_list(const gr_ranked *ranked, size_t depth)
{
    return sqrt(gr_metric_of_list(&gr_metric_mse, ranked, depth));
}

const gr_metric gr_metric_rmse = {
    .about = { .name = "rmse",
               .summary = "root mean squared error of scores against labels",
               .details =
                   "The square root of mse: overall, of the mean over all rows; for a query, "
                   "of the mean over its rows. Lower is better. Any labels. Cost: O(n)." },
    .low = 0,
    .high = INFINITY,
    .lower_is_better = true,
    .pooled = true,
    .ties = GR_TIED_FIXED,
    .of_list = rmse_of_list,
};
