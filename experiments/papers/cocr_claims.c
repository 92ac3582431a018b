/* SPDX-License-Identifier: Apache-2.0 */
/* How the claims of the COCR paper are judged (see cocr_claims.h). */
#include "experiments/papers/cocr_claims.h"

#include <math.h>

void gr_cocr_add(gr_cocr_tally *to, const gr_cocr_tally *t)
{
    to->least = to->cells == 0 ? t->least : t->cells == 0 ? to->least : fmin(to->least, t->least);
    to->cells += t->cells;
    to->higher += t->higher;
    to->better += t->better;
    to->worse += t->worse;
}

void gr_cocr_judge(const gr_run *run, const gr_cocr_tally *t, const char *claim)
{
    gr_results_claim(run->results, t->higher == t->cells && 2 * t->better > t->cells, claim,
                     "at least as good on %zu of %zu, significantly better on %zu, significantly "
                     "worse on %zu",
                     t->higher, t->cells, t->better, t->worse);
}

void gr_cocr_judge_cost(const gr_run *run, const gr_cocr_tally *t, size_t exceptions,
                        const char *claim)
{
    gr_results_claim(run->results, t->higher + exceptions >= t->cells, claim,
                     "at least as high on %zu of %zu sets, significantly higher on %zu, lower "
                     "on %zu",
                     t->higher, t->cells, t->better, t->worse);
}

void gr_cocr_judge_almost(const gr_run *run, const gr_cocr_tally *t)
{
    gr_results_claim(run->results, t->better + 1 >= t->cells,
                     "every cost is significantly better in ERR than direct regression, on all "
                     "sets but one cost on one set",
                     "significantly better in %zu of %zu comparisons, significantly worse in %zu",
                     t->better, t->cells, t->worse);
}

void gr_cocr_judge_equal(const gr_run *run, const gr_cocr_tally *t, const char *claim)
{
    const double comparisons = (double)t->cells;

    gr_results_claim(run->results, t->least >= 0.05 / comparisons, claim,
                     "the smallest p-value of %zu comparisons is %.2g, with Bonferroni's "
                     "correction %.2g",
                     t->cells, t->least, fmin(comparisons * t->least, 1.0));
}

void gr_cocr_judge_oerr(const gr_run *run, const gr_cocr_tally *t, const gr_cocr_tally *others)
{
    gr_results_claim(run->results, t->worse + others->worse == 0,
                     "COCR with the oerr cost is never significantly below direct regression or "
                     "another cost in ERR",
                     "significantly below direct regression in %zu of %zu comparisons, below "
                     "another cost in %zu of %zu",
                     t->worse, t->cells, others->worse, others->cells);
}
