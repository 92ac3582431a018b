/* SPDX-License-Identifier: Apache-2.0 */
/* Every pair of a method of rankers.def and a learner of learners.def that can be trained, so that
 * a new row is tested without being named. */
#ifndef GR_TESTS_METHOD_PAIRS_H
#define GR_TESTS_METHOD_PAIRS_H

#include "pipeline/learner.h"
#include "pipeline/ranker.h"

typedef struct method_pair {
    const gr_ranker *ranker;
    const gr_learner *learner;
} method_pair;

typedef enum pair_range {
    PAIRS_ALL,
    PAIRS_COVERING /* every method, every learner and solver, every objective of a learner */
} pair_range;

/* Options of "train" for a small fit that is still long enough to be cancelled; rounds apply to
 * learners that have them. */
gradus_options *pair_options(const method_pair *pair, const char *rounds);

typedef void pair_check(const method_pair *pair);

/* Calls `check` for the pairs; those that training with these data rejects are left out. */
void check_pairs(pair_range range, const gradus_training_input *input, pair_check *check);

/* Fails with the names of the pair. */
void fail_pair(const method_pair *pair, const char *what);

#endif
