/* SPDX-License-Identifier: Apache-2.0 */
/* Runs, writes and reads nodes that are sums of Gaussian kernels of single features. */
#include "model/gaussians_node.h"

#include "model/model.h"
#include "model/model_reader.h"
#include "model/model_write.h"

_Static_assert(sizeof(gr_gaussian) == 48, "kernels are stored as they are in memory");

static size_t columns(const void *state)
{
    return ((const gr_gaussians *)state)->outputs;
}

/* gr_gaussian */
#define GAUSSIANS "centre f64, bandwidth f64, weight f64, offset f64, gain f64, feature u64"

static void apply(const void *state, const gr_batch *batch, double *out)
{
    gr_gaussians_run(state, batch->values, batch->rows, batch->stride, out);
}

static gradus_status write_state(const void *state, gr_model_writer *writer, gradus_error *err)
{
    const gr_gaussians *g = state;
    gr_json_writer *facts = gr_model_json(writer);

    gr_json_put_count(facts, "features", g->features);
    gr_json_put_count(facts, "outputs", g->outputs);
    gr_json_put_count(facts, "kernels", g->terms);
    GR_TRY(gr_model_add_section(writer, "bases", GR_F64, g->bases, g->outputs * sizeof *g->bases,
                                err));
    return gr_model_add_section(writer, "kernels", GAUSSIANS, g->term, g->terms * sizeof *g->term,
                                err);
}

static gradus_status read_state(gr_model_reader *reader, size_t model_features, void *state,
                                gradus_error *err)
{
    gr_gaussians *g = state;
    uint64_t features, outputs, terms;

    GR_TRY(gr_model_read_count(reader, "features", &features, err));
    GR_TRY(gr_model_read_count(reader, "outputs", &outputs, err));
    GR_TRY(gr_model_read_count(reader, "kernels", &terms, err));
    if (features > UINT32_MAX || outputs > UINT32_MAX || terms > UINT64_MAX / 64)
        return gr_model_damaged(reader, err, "too many kernels");
    GR_TRY(gr_model_read_array(reader, "bases", outputs, sizeof *g->bases, &g->bases, err));
    GR_TRY(gr_model_read_array(reader, "kernels", terms, sizeof *g->term, &g->term, err));
    g->features = (size_t)features;
    g->outputs = (size_t)outputs;
    g->terms = (size_t)terms;
    if (g->features != model_features)
        return gr_model_damaged(reader, err, "kernels with %zu features in a model with %zu",
                                g->features, model_features);
    return GRADUS_OK;
}

static gradus_status check(const void *state, gradus_error *err)
{
    return gr_gaussians_check(state, err);
}

static void free_state(void *state)
{
    gr_gaussians_free(state);
}

gradus_status gr_gaussians_node_new(gr_gaussians *gaussians, gr_node *node, gradus_error *err)
{
    return gr_node_new(&gr_node_gaussians, gaussians, node, err);
}

const gr_gaussians *gr_model_gaussians(const gradus_model *model)
{
    return gr_model_last(model, &gr_node_gaussians);
}

static size_t rounds(const void *state)
{
    return gr_gaussians_rounds(state);
}

static gradus_status first(const void *state, size_t count, gr_node *node, gradus_error *err)
{
    gr_gaussians g = *(const gr_gaussians *)state;

    g.own = NULL;
    g.room = 0;
    g.terms = count * g.outputs;
    return gr_gaussians_node_new(&g, node, err);
}

static size_t list_uses(const void *state, gradus_feature_use *uses)
{
    return gr_gaussians_uses(state, uses);
}

static size_t kernels(const void *state)
{
    return ((const gr_gaussians *)state)->terms;
}

static const gr_node_size sizes[] = {
    { "kernels", "kernel", "kernels", NULL, kernels },
    { NULL, NULL, NULL, NULL, NULL },
};

static gradus_status relabel_features(const void *state, const gr_relabel *relabel, gr_node *node,
                                      gradus_error *err)
{
    gr_gaussians copy;
    gradus_status status;

    GR_TRY(gr_gaussians_copy(state, SIZE_MAX, &copy, err));
    copy.features = gr_relabel_features(relabel);
    for (size_t t = 0; t < copy.terms; t++)
        copy.term[t].feature = gr_relabel_feature(relabel, (size_t)copy.term[t].feature);
    status = gr_gaussians_node_new(&copy, node, err);
    gr_gaussians_free(&copy);
    return status;
}

const gr_node_kind gr_node_gaussians = {
    .about = { .name = "gaussians", .summary = "sum of kernels of single features", .details = "" },
    .noun = "sum of kernels",
    .size = sizeof(gr_gaussians),
    .columns = columns,
    .apply = apply,
    .write = write_state,
    .read = read_state,
    .check = check,
    .free = free_state,
    .rounds = rounds,
    .first = first,
    .uses = list_uses,
    .relabel = relabel_features,
    .sizes = sizes,
};
