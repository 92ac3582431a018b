/* SPDX-License-Identifier: Apache-2.0 */
#include "metrics/rows.h"

static double is_right(double label, double score)
{
    return label == score ? 1.0 : 0.0;
}

static double accuracy_of_list(const gr_ranked *ranked, size_t depth)
{
    (void)depth;
    return gr_mean_loss(ranked, is_right);
}

const gr_metric gr_metric_accuracy = {
    .about = { .name = "accuracy",
               .summary = "share of rows whose predicted grade is the label",
               .details =
                   "Scores must be predicted grades: --grades asks a model for them. Weighted by "
                   "row weights; the value of a query is that of its rows. Cost: O(n)." },
    .low = 0,
    .high = 1,
    .pooled = true,
    .ties = GR_TIED_FIXED,
    .grades = true,
    .labels = GR_LABELS_WHOLE,
    .of_list = accuracy_of_list,
};
