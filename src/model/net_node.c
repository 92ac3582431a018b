/* SPDX-License-Identifier: Apache-2.0 */
/* Neural net nodes: run, write, read and describe nets. */
#include "model/net_node.h"

#include "model/model.h"
#include "model/model_reader.h"
#include "model/model_write.h"

#include <string.h>

static size_t columns(const void *state)
{
    (void)state;
    return 1;
}

static size_t scratch(const void *state, size_t rows)
{
    (void)rows;
    return gr_net_scratch(state);
}

static void apply(const void *state, const gr_batch *batch, double *out)
{
    gr_net_run(state, batch->values, batch->rows, batch->stride, out, batch->scratch);
}

static void free_state(void *state)
{
    gr_net_free(state);
}

static size_t rounds(const void *state)
{
    return (size_t)((const gr_net *)state)->rounds;
}

static void importance(const void *state, double *sizes, uint64_t *ways)
{
    gr_net_importance(state, sizes, ways);
}

static const char *const activations[] = { "tanh", "relu" };

static gradus_status write_net(const void *state, gr_model_writer *writer, gradus_error *err)
{
    const gr_net *net = state;
    const size_t count = gr_net_count(net->features, net->units);
    gr_json_writer *facts = gr_model_json(writer);

    gr_json_put_count(facts, "features", net->features);
    gr_json_put_count(facts, "units", net->units);
    gr_json_put_text(facts, "activation", activations[net->activation]);
    gr_json_put_count(facts, "rounds", net->rounds);
    return gr_model_add_section(writer, "weights", GR_F32, net->weights, count * sizeof(float),
                                err);
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

static gradus_status read_net(gr_model_reader *reader, size_t features, void *state,
                              gradus_error *err)
{
    gr_net *net = state;

    GR_TRY(read_facts(reader, features, net, err));
    return gr_model_read_array(reader, "weights", gr_net_count(features, net->units), sizeof(float),
                               &net->weights, err);
}

static gradus_status check(const void *state, gradus_error *err)
{
    return gr_net_check(state, err);
}

gradus_status gr_net_node_new(gr_net *net, gr_node *node, gradus_error *err)
{
    return gr_node_new(&gr_node_net, net, node, err);
}

const gr_net *gr_model_net(const gradus_model *model)
{
    return gr_model_last(model, &gr_node_net);
}

static size_t units(const void *state)
{
    return ((const gr_net *)state)->units;
}

static size_t weights(const void *state)
{
    const gr_net *net = state;

    return net->units * (net->features + 2) + (net->units ? 0 : net->features) + 1;
}

static const gr_node_size sizes[] = {
    { "units", NULL, NULL, NULL, units },
    { "weights", "weight", "weights", NULL, weights },
    { NULL, NULL, NULL, NULL, NULL },
};

static bool fact_at(const void *state, size_t index, gradus_model_fact *fact)
{
    const gr_net *net = state;
    const gradus_model_fact all[] = {
        GR_TEXT_FACT("activation", activations[net->activation]),
        GR_LINE_FACT("size", net->units == 0   ? "neural net with {weights}, linear"
                             : net->units == 1 ? "neural net with {weights}, {units} unit"
                                               : "neural net with {weights}, {units} units"),
    };

    return GR_FACT_AT(all, index, fact);
}

const gr_node_kind gr_node_net = {
    .about = { .name = "net",
               .summary = "neural net: a linear score of the features or of one hidden layer",
               .details = "" },
    .noun = "net",
    .size = sizeof(gr_net),
    .columns = columns,
    .scratch = scratch,
    .apply = apply,
    .write = write_net,
    .read = read_net,
    .check = check,
    .free = free_state,
    .rounds = rounds,
    .importance = importance,
    .gain = "size",
    .places = "ways",
    .sizes = sizes,
    .fact = fact_at,
};
