/* SPDX-License-Identifier: Apache-2.0 */
/* Area under the ROC curve, counted over pairs of a relevant and an irrelevant document. */
#include "metrics/pairs.h"

#include <math.h>

/* For each run of equal scores: pairs with irrelevant documents ranked ahead, plus pairs within the
 * run, weighted by the tie rule. */
static double auc_of_list(const gr_ranked *ranked, size_t depth)
{
    double relevant = 0.0, others = 0.0, wrong = 0.0;

    (void)depth;
    for (size_t start = 0, end; start < ranked->count; start = end) {
        end = gr_score_run(ranked, start);
        const double good = (double)gr_relevant_between(ranked, start, end);
        const double bad = (double)(end - start) - good;

        wrong += good * (others + bad * ranked->settings->tied_pairs);
        relevant += good;
        others += bad;
    }
    return relevant * others > 0.0 ? 1.0 - wrong / (relevant * others) : NAN;
}

const gr_metric gr_metric_auc = {
    .about = { .name = "auc",
               .summary = "area under the ROC curve: relevant documents ahead of irrelevant ones",
               .details = "The fraction of pairs of a relevant (label >= --relevant) and an "
                          "irrelevant document of a query in which the relevant one has the higher "
                          "score; equal scores count one half, which is the expectation over tie "
                          "orders. Queries without such a pair are left out and counted as empty. "
                          "With --within all it is the AUC of a classifier. Cost: O(n log n)." },
    .low = 0,
    .high = 1,
    .pairs = true,
    .of_list = auc_of_list,
};
