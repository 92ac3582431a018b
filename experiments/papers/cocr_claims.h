/* SPDX-License-Identifier: Apache-2.0 */
/* How the claims of the COCR paper are judged: by counts of comparisons over data sets. */
#ifndef GR_EXPERIMENTS_PAPERS_COCR_CLAIMS_H
#define GR_EXPERIMENTS_PAPERS_COCR_CLAIMS_H

#include "experiments/experiment.h"

/* Wins of one method over another, over data sets and methods. */
typedef struct gr_cocr_tally {
    size_t cells, higher, better, worse;
    double least; /* p-value */
} gr_cocr_tally;

void gr_cocr_add(gr_cocr_tally *to, const gr_cocr_tally *t);

/* At least as good on every data set, and significantly better on most. */
void gr_cocr_judge(const gr_run *run, const gr_cocr_tally *t, const char *claim);

/* At least as high on all sets but `exceptions`. */
void gr_cocr_judge_cost(const gr_run *run, const gr_cocr_tally *t, size_t exceptions,
                        const char *claim);

/* Every cost is significantly better on every set, but one on one set. */
void gr_cocr_judge_almost(const gr_run *run, const gr_cocr_tally *t);

/* Methods are about the same: no comparison is significant, after Bonferroni's correction for their
 * number. */
void gr_cocr_judge_equal(const gr_run *run, const gr_cocr_tally *t, const char *claim);

/* oerr is never significantly below direct regression (t) or another cost (others). */
void gr_cocr_judge_oerr(const gr_run *run, const gr_cocr_tally *t, const gr_cocr_tally *others);

#endif
