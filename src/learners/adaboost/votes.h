/* SPDX-License-Identifier: Apache-2.0 */
/* Voting classifiers: what AdaBoost makes, a model file keeps and scoring runs.
 *
 * Round t has a weight alpha and a base classifier h with an output in [-1, 1] for each label; the
 * sum of alpha h over the rounds, divided by the sum of alpha, is the output. The base classifier
 * is
 *
 *   a tree      every leaf has a vector of votes, one a label
 *   a product   of cuts, each -1 on its left and +1 on its right; their product times the one
 * vector of votes. A cut is a gr_split with the children ~0 (left) and ~1 (right).
 *
 * Splits of round t are splits[starts[t]] to splits[starts[t + 1] - 1]. A tree has one leaf more
 * than splits: its leaves begin at starts[t] + t. The sums are added in the order of rounds. */
#ifndef GR_LEARNERS_ADABOOST_VOTES_H
#define GR_LEARNERS_ADABOOST_VOTES_H

#include "learners/tree/tree.h"

typedef struct gr_votes {
    size_t features, outputs, rounds;
    bool products;    /* else trees */
    double *alphas;   /* one a round, not negative */
    uint64_t *starts; /* rounds + 1 */
    gr_split *splits;
    float *votes; /* of each leaf, or of each round of products: one a label */
    bool own;     /* else the arrays are not ours to free or to grow */
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
/* The first rounds (SIZE_MAX: all), owned apart. */
gradus_status gr_votes_copy(const gr_votes *from, size_t rounds, gr_votes *to, gradus_error *err);
void gr_votes_free(gr_votes *votes);

/* Vectors of votes that the first rounds have. */
static inline size_t gr_votes_vectors(const gr_votes *votes, size_t rounds)
{
    return (votes->products ? 0 : (size_t)votes->starts[rounds]) + rounds;
}
/* The sum of alpha over the first rounds: no output is larger in size. */
double gr_votes_reach(const gr_votes *votes, size_t rounds);

/* What a file says is not to be believed: whether walking any row ends, and outputs are finite. */
gradus_status gr_votes_check(const gr_votes *votes, gradus_error *err);

/* Adds rounds [first, end) to sums of dense rows: that of label k and row r is at
 * [k * sums_stride + r]. */
void gr_votes_add_rows(const gr_votes *votes, size_t first, size_t end, const float *values,
                       size_t rows, size_t stride, double *sums, size_t sums_stride);
/* The same for all rows of a dataset; sums: outputs x rows. */
gradus_status gr_votes_add_sums(const gr_votes *votes, size_t first, size_t end,
                                const gradus_dataset *data, double *sums, gr_pool *pool,
                                gradus_error *err);
/* Importance of each feature: alpha times what its splits added to the edge, and their number. */
void gr_votes_importance(const gr_votes *votes, double *gains, uint64_t *splits);
/* One entry per split; how many. NULL: only counts. */
size_t gr_votes_uses(const gr_votes *votes, gradus_feature_use *uses);

#endif
