/* SPDX-License-Identifier: Apache-2.0 */
/* Runs, writes and reads nodes that are sums of Gaussian kernels of single features. */
#include "model/gaussians_node.h"

#include "model/model_file.h"

#include <stdlib.h>

_Static_assert(sizeof(gr_gaussian) == 48, "kernels are stored as they are in memory");

static size_t columns(const void *state)
{
    return ((const gr_gaussians *)state)->outputs;
}

static size_t scratch(const void *state, size_t rows)
{
    (void)state;
    (void)rows;
    return 0;
}

static void apply(const void *state, const gr_batch *batch, double *out)
{
    gr_gaussians_run(state, batch->values, batch->rows, batch->stride, out);
}

static gradus_status write_state(const void *state, gr_model_writer *writer, gradus_error *err)
{
    const gr_gaussians *g = state;
    gr_json_writer *facts = gr_model_facts(writer);
    gradus_error found = { GRADUS_OK, "" };

    if (gr_gaussians_check(g, &found) != GRADUS_OK)
        return gr_fail(err, GRADUS_BAD_NUMBER, "the model cannot be written: %.400s",
                       found.message);
    gr_json_put_count(facts, "features", g->features);
    gr_json_put_count(facts, "outputs", g->outputs);
    gr_json_put_count(facts, "kernels", g->terms);
    GR_TRY(gr_model_add_section(writer, "bases", g->bases, g->outputs * sizeof *g->bases, err));
    return gr_model_add_section(writer, "kernels", g->term, g->terms * sizeof *g->term, err);
}

static gradus_status take_sections(gr_model_reader *reader, gr_gaussians *g, gradus_error *err)
{
    uint64_t features, outputs, terms;
    const void *bases, *kernels;

    GR_TRY(gr_model_read_count(reader, "features", &features, err));
    GR_TRY(gr_model_read_count(reader, "outputs", &outputs, err));
    GR_TRY(gr_model_read_count(reader, "kernels", &terms, err));
    if (features > UINT32_MAX || outputs > UINT32_MAX || terms > UINT64_MAX / 64)
        return gr_model_damaged(reader, err, "too many kernels");
    GR_TRY(gr_model_read_section(reader, "bases", outputs, sizeof *g->bases, &bases, err));
    GR_TRY(gr_model_read_section(reader, "kernels", terms, sizeof *g->term, &kernels, err));
    *g = (gr_gaussians){ .features = (size_t)features,
                         .outputs = (size_t)outputs,
                         .terms = (size_t)terms,
                         .bases = (double *)(uintptr_t)bases,
                         .term = (gr_gaussian *)(uintptr_t)kernels };
    return GRADUS_OK;
}

static gradus_status read_state(gr_model_reader *reader, size_t features, void **state,
                                gradus_error *err)
{
    gradus_error found = { GRADUS_OK, "" };
    gr_gaussians g;
    gr_node node = { .kind = NULL };

    GR_TRY(take_sections(reader, &g, err));
    if (g.features != features)
        return gr_model_damaged(reader, err, "kernels with %zu features in a model with %zu",
                                g.features, features);
    if (gr_gaussians_check(&g, &found) != GRADUS_OK)
        return gr_model_damaged(reader, err, "%.200s", found.message);
    GR_TRY(gr_gaussians_node_new(&g, &node, err));
    *state = node.state;
    return GRADUS_OK;
}

static void free_state(void *state)
{
    if (state)
        gr_gaussians_free(state);
    free(state);
}

gradus_status gr_gaussians_node_new(gr_gaussians *g, gr_node *node, gradus_error *err)
{
    gr_gaussians *state = malloc(sizeof *state);

    if (!state)
        return gr_fail_memory(err, "a model");
    *state = *g;
    *g = (gr_gaussians){ .features = 0 };
    *node = (gr_node){ .kind = &gr_node_gaussians, .state = state };
    return GRADUS_OK;
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

static void importance(const void *state, double *sizes, uint64_t *kernels)
{
    gr_gaussians_importance(state, sizes, kernels);
}

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
    .columns = columns,
    .scratch = scratch,
    .apply = apply,
    .write = write_state,
    .read = read_state,
    .free = free_state,
    .rounds = rounds,
    .first = first,
    .importance = importance,
    .uses = list_uses,
    .relabel = relabel_features,
};
