/* SPDX-License-Identifier: Apache-2.0 */
/* Voting classifiers: the models that AdaBoost trains, a model file stores and scoring evaluates.
 *
 * Round t has a weight alpha and a base classifier h with an output in [-1, 1] for each label. The
 * model's output is the sum of alpha h over the rounds, divided by the sum of alpha. The base
 * classifier is
 *
 *   a tree      every leaf has a vector of votes, one per label; or
 *   a product   of cuts, each -1 on its left and +1 on its right, times one vector of votes. A cut
 *               is a gr_split with the children ~0 (left) and ~1 (right).
 *
 * The splits of round t are splits[starts[t]] to splits[starts[t + 1] - 1]. A tree has one leaf
 * more than splits; its leaves start at starts[t] + t. Sums are added in the order of rounds. */
#ifndef GR_LEARNERS_ADABOOST_VOTES_H
#define GR_LEARNERS_ADABOOST_VOTES_H

#include "learners/tree/tree.h"

typedef struct gr_votes {
    size_t features, outputs, rounds;
    bool products;    /* else trees */
    double *alphas;   /* per round, not negative */
    uint64_t *starts; /* rounds + 1 */
    gr_split *splits;
    float *votes; /* per leaf, or per round of products: one per label */
    bool own;     /* the arrays are owned; else they are borrowed and cannot grow */
    size_t round_room, split_room, vote_room; /* in items */
} gr_votes;

/* A base classifier; splits and votes as above. */
typedef struct gr_voter {
    double alpha;
    size_t splits;
    const gr_split *split;
    const float *votes;
} gr_voter;

gradus_status gr_votes_start(gr_votes *votes, size_t features, size_t outputs, bool products,
                             gradus_error *err);
gradus_status gr_votes_add(gr_votes *votes, const gr_voter *voter, gradus_error *err);
/* A deep copy of the first `rounds` rounds (SIZE_MAX: all). */
gradus_status gr_votes_copy(const gr_votes *from, size_t rounds, gr_votes *to, gradus_error *err);
void gr_votes_free(gr_votes *votes);

/* The number of vote vectors of the first `rounds` rounds. */
static inline size_t gr_votes_vectors(const gr_votes *votes, size_t rounds)
{
    return (votes->products ? 0 : (size_t)votes->starts[rounds]) + rounds;
}
/* The sum of alpha over the first `rounds` rounds, a bound on |sum of alpha h|. */
double gr_votes_reach(const gr_votes *votes, size_t rounds);

/* adaboost_check.c */
/* Validates votes read from a file: every row ends in a leaf, and outputs are finite. */
gradus_status gr_votes_check(const gr_votes *votes, gradus_error *err);

/* votes.c */
/* Adds rounds [first, end) to the sums of dense rows; label k of row r is at [k * sums_stride +
 * r]. */
void gr_votes_add_rows(const gr_votes *votes, size_t first, size_t end, const float *values,
                       size_t rows, size_t stride, double *sums, size_t sums_stride);
/* The same for all rows of a dataset; sums: outputs x rows. */
gradus_status gr_votes_add_sums(const gr_votes *votes, size_t first, size_t end,
                                const gradus_dataset *data, double *sums, gr_pool *pool,
                                gradus_error *err);
/* The importance of each feature: the sum of alpha times the edge its splits added, and their
 * number. */
void gr_votes_importance(const gr_votes *votes, double *gains, uint64_t *splits);
/* Fills in one entry per split and returns their number. uses NULL: only counts. */
size_t gr_votes_uses(const gr_votes *votes, gradus_feature_use *uses);

#endif
