/* SPDX-License-Identifier: Apache-2.0 */
/* Accuracy of predicted grades. */
#include "metrics/metric_rows.h"

static double is_right(double label, double score)
{
    return label == score ? 1.0 : 0.0;
}

const gr_metric gr_metric_accuracy = {
    .about = { .name = "accuracy",
               .summary = "fraction of rows whose predicted grade equals the label",
               .details =
                   "Scores must be predicted grades; use --grades to get them from a model. "
                   "Weighted by row weights; the value of a query covers its own rows. Cost: "
                   "O(n)." },
    .low = 0,
    .high = 1,
    .pooled = true,
    .ties = GR_TIED_FIXED,
    .grades = true,
    .labels = GR_LABELS_WHOLE,
    .row_loss = is_right,
};
