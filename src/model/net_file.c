/* SPDX-License-Identifier: Apache-2.0 */
/* Writes and reads neural net nodes. */
#include "model/net_node.h"

#include "model/model_reader.h"

#include <string.h>

static const char *const activations[] = { "tanh", "relu" };

gradus_status gr_net_node_write(const void *state, gr_model_writer *writer, gradus_error *err)
{
    const gr_net *net = state;
    const size_t count = gr_net_count(net->features, net->units);
    gr_json_writer *facts = gr_model_facts(writer);
    gradus_error found = { GRADUS_OK, "" };

    if (gr_net_check(net, &found) != GRADUS_OK)
        return gr_fail(err, GRADUS_BAD_NUMBER, "the model cannot be written: %.400s",
                       found.message);
    gr_json_put_count(facts, "features", net->features);
    gr_json_put_count(facts, "units", net->units);
    gr_json_put_text(facts, "activation", activations[net->activation]);
    gr_json_put_count(facts, "rounds", net->rounds);
    return gr_model_add_section(writer, "weights", net->weights, count * sizeof(float), err);
}

static gradus_status read_facts(gr_model_reader *reader, size_t features, gr_net *net,
                                gradus_error *err)
{
    uint64_t own, units;
    const char *name;

    GR_TRY(gr_model_read_count(reader, "features", &own, err));
    GR_TRY(gr_model_read_count(reader, "units", &units, err));
    GR_TRY(gr_model_read_count(reader, "rounds", &net->rounds, err));
    if (!gr_json_text(gr_json_find(reader->facts, "activation"), &name))
        return gr_model_damaged(reader, err, "its activation is missing");
    for (net->activation = 0; net->activation < 2; net->activation++)
        if (strcmp(activations[net->activation], name) == 0)
            break;
    if (net->activation == 2)
        return gr_model_damaged(reader, err, "unknown activation '%.40s'", name);
    if (own != features)
        return gr_model_damaged(reader, err, "a net with %llu features in a model with %zu",
                                (unsigned long long)own, features);
    if (units > GR_MAX_UNITS || features > UINT32_MAX)
        return gr_model_damaged(reader, err, "too many units");
    net->features = features;
    net->units = (size_t)units;
    return GRADUS_OK;
}

static gradus_status read_net(gr_model_reader *reader, size_t features, gr_net *net,
                              gradus_error *err)
{
    gradus_error found = { GRADUS_OK, "" };
    const void *bytes;
    size_t count;

    GR_TRY(read_facts(reader, features, net, err));
    count = gr_net_count(features, net->units);
    GR_TRY(gr_model_read_section(reader, "weights", count, sizeof(float), &bytes, err));
    net->weights = bytes;
    if (gr_net_check(net, &found) != GRADUS_OK)
        return gr_model_damaged(reader, err, "%.200s", found.message);
    return GRADUS_OK;
}

gradus_status gr_net_node_read(gr_model_reader *reader, size_t features, void **state,
                               gradus_error *err)
{
    gr_net net = { .features = 0 };
    gr_node node;

    GR_TRY(read_net(reader, features, &net, err));
    GR_TRY(gr_net_node_new(&net, &node, err));
    *state = node.state;
    return GRADUS_OK;
}
