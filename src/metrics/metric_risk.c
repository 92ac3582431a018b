/* SPDX-License-Identifier: Apache-2.0 */
/* Pairwise cost risk R0 (Uematsu and Lee 2015). */
#include "metrics/pairs.h"

#include <math.h>
#include <string.h>

/* Cost of ranking a document of this level below the documents counted in ahead[level]. */
static double cost_of_place(const gr_ranked *ranked, size_t level, const double *ahead)
{
    double sum = 0.0;

    for (size_t low = 0; low < level; low++)
        if (ahead[low] > 0.0)
            sum +=
                ahead[low] * gr_cost_of_pair(&ranked->settings->cost, ranked->levels, low, level);
    return sum;
}

/* Queried before and after the run of equal scores is added: a tied pair counts 0 and 1. */
static double risk_of_list(const gr_ranked *ranked, size_t depth)
{
    const double tied = ranked->settings->tied_pairs;
    const double passes[2] = { 2.0 * (1.0 - tied), 2.0 * tied };
    const gr_levels *levels = ranked->levels;
    double *ahead = ranked->work, sum = 0.0;

    (void)depth;
    if (!(levels->pairs > 0.0))
        return NAN;
    memset(ahead, 0, levels->count * sizeof *ahead);
    for (size_t start = 0, end; start < ranked->count; start = end) {
        end = gr_score_run(ranked, start);
        for (int pass = 0; pass < 2; pass++) {
            for (size_t i = start; i < end; i++)
                sum += passes[pass] * cost_of_place(ranked, ranked->level_of[i], ahead);
            for (size_t i = start; i < end && pass == 0; i++)
                ahead[ranked->level_of[i]]++;
        }
    }
    return sum / 2.0 / levels->pairs;
}

const gr_metric gr_metric_risk = {
    .about = { .name = "risk",
               .summary = "pairwise cost risk: mean cost of misordered pairs, under --cost",
               .details =
                   "R0 = the mean over pairs of documents of a query with grades j < i of "
                   "c[j][i] if the higher grade has the lower score, half of it for equal "
                   "scores (the expectation over tie orders). c is --cost: a named cost (see "
                   "'gradus help costs') or a file with a matrix, row j and column i. Under "
                   "costs pairs, ovo and cons the risk is 1 - u-pairs, 1 - u-ovo and 1 - "
                   "u-cons. Queries without a pair are left out and counted as empty. Lower is "
                   "better; the maximum is the largest cost. Cost: O(n log n + n L), L grades "
                   "in the query. Source: Uematsu and Lee 2015." },
    .low = 0,
    .high = INFINITY,
    .lower_is_better = true,
    .pairs = true,
    .labels = GR_LABELS_GRADES,
    .of_list = risk_of_list,
};
