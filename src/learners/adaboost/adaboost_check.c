/* SPDX-License-Identifier: Apache-2.0 */
/* Validation of voting classifiers read from model files. */
#include "learners/adaboost/votes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static gradus_status check_splits(const gr_votes *votes, size_t t, gradus_error *err)
{
    for (uint64_t s = votes->starts[t]; s < votes->starts[t + 1]; s++) {
        const gr_split *split = &votes->splits[s];

        if (split->feature >= votes->features)
            return gr_fail(err, GRADUS_BAD_FORMAT,
                           "round %zu: feature %u is out of range (%zu features)", t,
                           split->feature, votes->features);
        if (isnan(split->threshold) || split->missing_left > 1)
            return gr_fail(err, GRADUS_BAD_FORMAT,
                           "round %zu: a threshold is NaN or a direction of missing values is not "
                           "0 or 1",
                           t);
        if (!gr_split_gain_is_valid(split))
            return gr_fail(err, GRADUS_BAD_FORMAT,
                           "round %zu: the gain of a split is negative or not finite", t);
        if (votes->products && (split->left != ~0 || split->right != ~1))
            return gr_fail(err, GRADUS_BAD_FORMAT, "round %zu: a cut of a product has children", t);
    }
    return GRADUS_OK;
}

/* Every child comes after its parent and has only one parent, so every row ends in a leaf. */
static gradus_status check_tree(const gr_votes *votes, size_t t, bool *seen, gradus_error *err)
{
    const size_t count = (size_t)(votes->starts[t + 1] - votes->starts[t]);
    const gr_split *splits = votes->splits + votes->starts[t];

    memset(seen, 0, 2 * count + 1);
    for (size_t s = 0; s < count; s++)
        for (int side = 0; side < 2; side++) {
            const int32_t child = side ? splits[s].right : splits[s].left;
            const size_t place = child >= 0 ? (size_t)child : count + (size_t)~child;

            if (place > 2 * count || (child >= 0 && (place <= s || place >= count)) || seen[place])
                return gr_fail(err, GRADUS_BAD_FORMAT,
                               "round %zu, split %zu: a child does not exist, comes before it or "
                               "has two parents",
                               t, s);
            seen[place] = true;
        }
    return GRADUS_OK;
}

static gradus_status check_sizes(const gr_votes *votes, size_t *most, gradus_error *err)
{
    double reach = 0.0;

    if (votes->outputs == 0 || votes->rounds == 0 || votes->starts[0] != 0)
        return gr_fail(err, GRADUS_BAD_FORMAT, "there are no labels or no rounds of votes");
    for (size_t t = 0; t < votes->rounds; t++) {
        if (votes->starts[t + 1] < votes->starts[t] ||
            votes->starts[t + 1] - votes->starts[t] > INT32_MAX / 2)
            return gr_fail(err, GRADUS_BAD_FORMAT, "round %zu: its number of splits is invalid", t);
        if ((size_t)(votes->starts[t + 1] - votes->starts[t]) > *most)
            *most = (size_t)(votes->starts[t + 1] - votes->starts[t]);
        if (!(votes->alphas[t] >= 0.0))
            return gr_fail(err, GRADUS_BAD_FORMAT, "round %zu: its weight is negative or NaN", t);
        reach += votes->alphas[t];
    }
    if (!isfinite(reach) || !(votes->alphas[0] > 0.0))
        return gr_fail(err, GRADUS_BAD_FORMAT,
                       "the sum of the rounds' weights is not finite or the first weight is 0");
    return GRADUS_OK;
}

gradus_status gr_votes_check(const gr_votes *votes, gradus_error *err)
{
    gradus_status status = GRADUS_OK;
    size_t most = 0;
    bool *seen;

    GR_TRY(check_sizes(votes, &most, err));
    for (size_t i = 0; i < gr_votes_vectors(votes, votes->rounds) * votes->outputs; i++)
        if (!(fabsf(votes->votes[i]) <= 1.0f))
            return gr_fail(err, GRADUS_BAD_FORMAT, "a vote is not between -1 and 1");
    seen = gr_new_array(2 * most + 1, sizeof *seen);
    if (!seen)
        return gr_fail_memory(err, "checking votes");
    for (size_t t = 0; t < votes->rounds && status == GRADUS_OK; t++) {
        status = check_splits(votes, t, err);
        if (status == GRADUS_OK && !votes->products)
            status = check_tree(votes, t, seen, err);
    }
    free(seen);
    return status;
}
