/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes of AdaBoost.MH votes: their sums divided by the largest possible value. */
#include "model/votes_node.h"

#include "model/forest_node.h"
#include "model/model.h"
#include "model/model_reader.h"
#include "model/model_write.h"

#include <string.h>

static size_t columns(const void *state)
{
    return ((const gr_votes *)state)->outputs;
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

static void free_state(void *state)
{
    gr_votes_free(state);
}

static size_t rounds(const void *state)
{
    return ((const gr_votes *)state)->rounds;
}

static gradus_status write_votes(const void *state, gr_model_writer *writer, gradus_error *err)
{
    const gr_votes *votes = state;
    const size_t splits = (size_t)votes->starts[votes->rounds];
    gr_json_writer *facts = gr_model_json(writer);

    gr_json_put_count(facts, "features", votes->features);
    gr_json_put_count(facts, "outputs", votes->outputs);
    gr_json_put_count(facts, "rounds", votes->rounds);
    gr_json_put_count(facts, "splits", splits);
    gr_json_put_count(facts, "products", votes->products);
    GR_TRY(gr_model_add_section(writer, "alphas", GR_F64, votes->alphas,
                                votes->rounds * sizeof *votes->alphas, err));
    GR_TRY(gr_model_add_section(writer, "starts", GR_U64, votes->starts,
                                (votes->rounds + 1) * sizeof *votes->starts, err));
    GR_TRY(gr_model_add_section(writer, "splits", GR_SPLITS, votes->splits,
                                splits * sizeof *votes->splits, err));
    return gr_model_add_section(
        writer, "votes", GR_F32, votes->votes,
        gr_votes_vectors(votes, votes->rounds) * votes->outputs * sizeof *votes->votes, err);
}

static gradus_status read_votes(gr_model_reader *reader, size_t model_features, void *state,
                                gradus_error *err)
{
    gr_votes *votes = state;
    uint64_t features, outputs, rounds, splits, products;

    GR_TRY(gr_model_read_count(reader, "features", &features, err));
    GR_TRY(gr_model_read_count(reader, "outputs", &outputs, err));
    GR_TRY(gr_model_read_count(reader, "rounds", &rounds, err));
    GR_TRY(gr_model_read_count(reader, "splits", &splits, err));
    GR_TRY(gr_model_read_count(reader, "products", &products, err));
    if (features > UINT32_MAX || outputs > UINT16_MAX || rounds > UINT32_MAX ||
        splits > UINT64_MAX >> 32 || products > 1)
        return gr_model_damaged(reader, err, "too many votes");
    *votes = (gr_votes){ .features = (size_t)features,
                         .outputs = (size_t)outputs,
                         .rounds = (size_t)rounds,
                         .products = products != 0 };
    const uint64_t vectors = (products ? 0 : splits) + rounds;

    GR_TRY(
        gr_model_read_array(reader, "alphas", rounds, sizeof *votes->alphas, &votes->alphas, err));
    GR_TRY(gr_model_read_array(reader, "starts", rounds + 1, sizeof *votes->starts, &votes->starts,
                               err));
    GR_TRY(
        gr_model_read_array(reader, "splits", splits, sizeof *votes->splits, &votes->splits, err));
    GR_TRY(gr_model_read_array(reader, "votes", vectors * outputs, sizeof *votes->votes,
                               &votes->votes, err));
    if (votes->starts[rounds] != splits)
        return gr_model_damaged(reader, err, "its rounds do not cover the splits");
    for (uint64_t t = 0; t < rounds; t++)
        if (votes->starts[t] > splits)
            return gr_model_damaged(reader, err, "its rounds do not cover the splits");
    if (votes->features != model_features)
        return gr_model_damaged(reader, err, "votes with %zu features in a model with %zu",
                                votes->features, model_features);
    return GRADUS_OK;
}

static gradus_status check(const void *state, gradus_error *err)
{
    return gr_votes_check(state, err);
}

/* A node of a tree, or of a product: a chain of stumps and one leaf. */
static bool tree_at(const void *state, size_t tree, size_t node, gradus_tree_node *out)
{
    const gr_votes *votes = state;

    if (tree >= votes->rounds)
        return false;
    const size_t count = (size_t)(votes->starts[tree + 1] - votes->starts[tree]);
    const float *vectors = votes->votes + gr_votes_vectors(votes, tree) * votes->outputs;
    const gr_split *split = votes->splits + votes->starts[tree] + node;

    if (node > (votes->products ? count : 2 * count))
        return false;
    if (node >= count) {
        *out = (gradus_tree_node){ .is_leaf = true,
                                   .votes = vectors + (node - count) * votes->outputs };
        return true;
    }
    *out = gr_split_describe(split, count);
    if (votes->products)
        out->left = out->right = node + 1;
    return true;
}

gradus_status gr_votes_node_new(gr_votes *votes, gr_node *node, gradus_error *err)
{
    return gr_node_new(&gr_node_votes, votes, node, err);
}

const gr_votes *gr_model_votes(const gradus_model *model)
{
    return gr_model_last(model, &gr_node_votes);
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

static size_t trees(const void *state)
{
    const gr_votes *votes = state;

    return votes->products ? 0 : votes->rounds;
}

static size_t products(const void *state)
{
    const gr_votes *votes = state;

    return votes->products ? votes->rounds : 0;
}

static size_t splits(const void *state)
{
    const gr_votes *votes = state;

    return votes->products ? 0 : (size_t)votes->starts[votes->rounds];
}

static size_t stumps(const void *state)
{
    const gr_votes *votes = state;

    return votes->products ? (size_t)votes->starts[votes->rounds] : 0;
}

static const gr_node_size sizes[] = {
    { "voters", "voting tree", "voting trees", "voting trees and products", trees },
    { "voters", "product", "products", NULL, products },
    { "voter_splits", "split", "splits", NULL, splits },
    { "voter_splits", "stump", "stumps", NULL, stumps },
    { NULL, NULL, NULL, NULL, NULL },
};

static bool fact_at(const void *state, size_t index, gradus_model_fact *fact)
{
    const gradus_model_fact all[] = {
        GR_FLAG_FACT("products", ((const gr_votes *)state)->products),
    };

    return GR_FACT_AT(all, index, fact);
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
    .size = sizeof(gr_votes),
    .columns = columns,
    .apply = apply,
    .write = write_votes,
    .read = read_votes,
    .check = check,
    .free = free_state,
    .rounds = rounds,
    .first = first,
    .uses = list_uses,
    .relabel = relabel_features,
    .tree_at = tree_at,
    .gain = "gain",
    .places = "splits",
    .sizes = sizes,
    .fact = fact_at,
};
