/* SPDX-License-Identifier: Apache-2.0 */
/* Runs nodes of AdaBoost.MH votes: their sums divided by the largest possible value. */
#include "model/votes_node.h"

#include <stdlib.h>
#include <string.h>

static size_t columns(const void *state)
{
    return ((const gr_votes *)state)->outputs;
}

static size_t scratch(const void *state, size_t rows)
{
    (void)state;
    (void)rows;
    return 0;
}

static void apply(const void *state, const gr_batch *batch, double *out)
{
    const gr_votes *votes = state;
    const double share = 1.0 / gr_votes_reach(votes, votes->rounds);

    memset(out, 0, votes->outputs * batch->rows * sizeof *out);
    gr_votes_add_rows(votes, 0, votes->rounds, batch->values, batch->rows, batch->stride, out,
                      batch->rows);
    for (size_t i = 0; i < votes->outputs * batch->rows; i++)
        out[i] *= share;
}

static void end(void *state)
{
    if (!state)
        return;
    gr_votes_free(state);
    free(state);
}

gradus_status gr_votes_node_new(gr_votes *votes, gr_node *node, gradus_error *err)
{
    gr_votes *state = malloc(sizeof *state);

    if (!state)
        return gr_fail_memory(err, "a model");
    *state = *votes;
    *votes = (gr_votes){ .rounds = 0 };
    *node = (gr_node){ .kind = &gr_node_votes, .state = state };
    return GRADUS_OK;
}

static size_t rounds(const void *state)
{
    return ((const gr_votes *)state)->rounds;
}

static gradus_status first(const void *state, size_t count, gr_node *node, gradus_error *err)
{
    gr_votes votes = *(const gr_votes *)state;

    votes.own = false;
    votes.rounds = count;
    return gr_votes_node_new(&votes, node, err);
}

static size_t list_uses(const void *state, gradus_feature_use *uses)
{
    return gr_votes_uses(state, uses);
}

static void importance(const void *state, double *gains, uint64_t *splits)
{
    gr_votes_importance(state, gains, splits);
}

static gradus_status relabel_features(const void *state, const gr_relabel *relabel, gr_node *node,
                                      gradus_error *err)
{
    gr_votes copy;
    gradus_status status;

    GR_TRY(gr_votes_copy(state, SIZE_MAX, &copy, err));
    copy.features = gr_relabel_features(relabel);
    for (uint64_t s = 0; s < copy.starts[copy.rounds]; s++)
        copy.splits[s].feature = gr_relabel_feature(relabel, copy.splits[s].feature);
    status = gr_votes_node_new(&copy, node, err);
    gr_votes_free(&copy);
    return status;
}

const gr_node_kind gr_node_votes = {
    .about = { .name = "votes",
               .summary = "weighted votes of classifiers on each grade",
               .details = "" },
    .noun = "set of voters",
    .columns = columns,
    .scratch = scratch,
    .apply = apply,
    .write = gr_votes_node_write,
    .read = gr_votes_node_read,
    .free = end,
    .rounds = rounds,
    .first = first,
    .importance = importance,
    .uses = list_uses,
    .relabel = relabel_features,
};
