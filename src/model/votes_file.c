/* SPDX-License-Identifier: Apache-2.0 */
/* Writes and reads nodes of AdaBoost.MH votes. */
#include "model/votes_node.h"

#include "model/model_file.h"
#include "model/forest_node.h"

#include <stdlib.h>

gradus_status gr_votes_node_write(const void *state, gr_model_writer *writer, gradus_error *err)
{
    const gr_votes *votes = state;
    const size_t splits = (size_t)votes->starts[votes->rounds];
    gr_json_writer *facts = gr_model_facts(writer);
    gradus_error found = { GRADUS_OK, "" };

    if (gr_votes_check(votes, &found) != GRADUS_OK)
        return gr_fail(err, found.status == GRADUS_NO_MEMORY ? GRADUS_NO_MEMORY : GRADUS_BAD_NUMBER,
                       "the model cannot be written: %.400s", found.message);
    gr_json_put_count(facts, "features", votes->features);
    gr_json_put_count(facts, "outputs", votes->outputs);
    gr_json_put_count(facts, "rounds", votes->rounds);
    gr_json_put_count(facts, "splits", splits);
    gr_json_put_count(facts, "products", votes->products);
    GR_TRY(gr_model_add_section(writer, "alphas", votes->alphas,
                                votes->rounds * sizeof *votes->alphas, err));
    GR_TRY(gr_model_add_section(writer, "starts", votes->starts,
                                (votes->rounds + 1) * sizeof *votes->starts, err));
    GR_TRY(
        gr_model_add_section(writer, "splits", votes->splits, splits * sizeof *votes->splits, err));
    return gr_model_add_section(
        writer, "votes", votes->votes,
        gr_votes_vectors(votes, votes->rounds) * votes->outputs * sizeof *votes->votes, err);
}

static gradus_status take_votes(gr_model_reader *reader, gr_votes *votes, gradus_error *err)
{
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
        gr_section_as_array(reader, "alphas", rounds, sizeof *votes->alphas, &votes->alphas, err));
    GR_TRY(gr_section_as_array(reader, "starts", rounds + 1, sizeof *votes->starts, &votes->starts,
                               err));
    GR_TRY(
        gr_section_as_array(reader, "splits", splits, sizeof *votes->splits, &votes->splits, err));
    GR_TRY(gr_section_as_array(reader, "votes", vectors * outputs, sizeof *votes->votes,
                               &votes->votes, err));
    if (votes->starts[rounds] != splits)
        return gr_model_damaged(reader, err, "its rounds do not cover the splits");
    for (uint64_t t = 0; t < rounds; t++)
        if (votes->starts[t] > splits)
            return gr_model_damaged(reader, err, "its rounds do not cover the splits");
    return GRADUS_OK;
}

gradus_status gr_votes_node_read(gr_model_reader *reader, size_t features, void **state,
                                 gradus_error *err)
{
    gradus_error found = { GRADUS_OK, "" };
    gr_votes votes;
    gr_node node;

    GR_TRY(take_votes(reader, &votes, err));
    if (votes.features != features)
        return gr_model_damaged(reader, err, "votes with %zu features in a model with %zu",
                                votes.features, features);
    const gradus_status status = gr_votes_check(&votes, &found);

    if (status == GRADUS_NO_MEMORY)
        return gr_fail(err, status, "%s", found.message);
    if (status != GRADUS_OK)
        return gr_model_damaged(reader, err, "%.200s", found.message);
    GR_TRY(gr_votes_node_new(&votes, &node, err));
    *state = node.state;
    return GRADUS_OK;
}
