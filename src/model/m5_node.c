/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes of model trees (M5): trees with a linear model in each leaf, averaged. */
#include "model/m5_node.h"

#include "model/forest_node.h"
#include "model/model.h"
#include "model/model_reader.h"
#include "model/model_write.h"

static size_t columns(const void *state)
{
    return ((const gr_m5 *)state)->forest.outputs;
}

/* The mean over the rounds, summed in order so that the result is always the same. */
static void apply(const void *state, const gr_batch *batch, double *out)
{
    const gr_m5 *m5 = state;
    const size_t outputs = m5->forest.outputs, trees = m5->forest.trees;
    const double share = 1.0 / (double)gr_forest_rounds(&m5->forest);

    for (size_t i = 0; i < outputs * batch->rows; i++)
        out[i] = 0.0;
    for (size_t t = 0; t < trees; t++)
        for (size_t r = 0; r < batch->rows; r++)
            out[t % outputs * batch->rows + r] +=
                gr_m5_tree_output(m5, t, batch->values + r * batch->stride);
    for (size_t i = 0; i < outputs * batch->rows; i++)
        out[i] *= share;
}

static void free_state(void *state)
{
    gr_m5_free(state);
}

static size_t rounds(const void *state)
{
    return gr_forest_rounds(&((const gr_m5 *)state)->forest);
}

static gradus_status write_trees(const void *state, gr_model_writer *writer, gradus_error *err)
{
    const gr_m5 *m5 = state;
    const gr_forest *forest = &m5->forest;
    const size_t leaves = gr_m5_leaves(m5), terms = (size_t)m5->term_starts[leaves];
    gr_json_writer *facts = gr_model_json(writer);

    GR_TRY(gr_forest_put(forest, writer, err));
    gr_json_put_count(facts, "terms", terms);
    GR_TRY(gr_model_add_section(writer, "means", GR_F64, m5->means,
                                forest->features * sizeof *m5->means, err));
    GR_TRY(gr_model_add_section(writer, "intercepts", GR_F64, m5->intercepts,
                                leaves * sizeof *m5->intercepts, err));
    GR_TRY(gr_model_add_section(writer, "term_starts", GR_U64, m5->term_starts,
                                (leaves + 1) * sizeof *m5->term_starts, err));
    GR_TRY(gr_model_add_section(writer, "term_features", GR_U32, m5->term_features,
                                terms * sizeof *m5->term_features, err));
    return gr_model_add_section(writer, "term_factors", GR_F64, m5->term_factors,
                                terms * sizeof *m5->term_factors, err);
}

static gradus_status read_trees(gr_model_reader *reader, size_t features, void *state,
                                gradus_error *err)
{
    gr_m5 *m5 = state;
    uint64_t leaves, terms;

    GR_TRY(gr_forest_take(reader, features, &m5->forest, err));
    GR_TRY(gr_model_read_count(reader, "terms", &terms, err));
    if (terms > UINT64_MAX / 64)
        return gr_model_damaged(reader, err, "too many terms");
    if (m5->forest.trees == 0)
        return gr_model_damaged(reader, err, "it has no trees");
    leaves = m5->forest.starts[m5->forest.trees] + m5->forest.trees;
    GR_TRY(gr_model_read_array(reader, "means", m5->forest.features, sizeof *m5->means, &m5->means,
                               err));
    GR_TRY(gr_model_read_array(reader, "intercepts", leaves, sizeof *m5->intercepts,
                               &m5->intercepts, err));
    GR_TRY(gr_model_read_array(reader, "term_starts", leaves + 1, sizeof *m5->term_starts,
                               &m5->term_starts, err));
    GR_TRY(gr_model_read_array(reader, "term_features", terms, sizeof *m5->term_features,
                               &m5->term_features, err));
    GR_TRY(gr_model_read_array(reader, "term_factors", terms, sizeof *m5->term_factors,
                               &m5->term_factors, err));
    if (m5->term_starts[leaves] != terms)
        return gr_model_damaged(reader, err, "its leaves do not cover the terms");
    return GRADUS_OK;
}

static gradus_status check(const void *state, gradus_error *err)
{
    return gr_m5_check(state, err);
}

static bool tree_at(const void *state, size_t tree, size_t node, gradus_tree_node *out)
{
    return gr_forest_tree_at(&((const gr_m5 *)state)->forest, tree, node, out);
}

static bool leaf_at(const void *state, size_t tree, size_t node, gradus_leaf_model *out)
{
    const gr_m5 *m5 = state;

    if (tree >= m5->forest.trees)
        return false;
    const size_t first = (size_t)m5->forest.starts[tree];
    const size_t splits = (size_t)m5->forest.starts[tree + 1] - first;

    if (node < splits || node > 2 * splits)
        return false;
    const size_t leaf = first + tree + node - splits, start = (size_t)m5->term_starts[leaf];

    *out = (gradus_leaf_model){ .intercept = m5->intercepts[leaf],
                                .terms = (size_t)m5->term_starts[leaf + 1] - start,
                                .features = m5->term_features + start,
                                .factors = m5->term_factors + start,
                                .means = m5->means };
    return true;
}

gradus_status gr_m5_node_new(gr_m5 *m5, gr_node *node, gradus_error *err)
{
    return gr_node_new(&gr_node_m5, m5, node, err);
}

const gr_m5 *gr_model_m5(const gradus_model *model)
{
    return gr_model_last(model, &gr_node_m5);
}

static gradus_status first(const void *state, size_t count, gr_node *node, gradus_error *err)
{
    gr_m5 m5 = *(const gr_m5 *)state;

    m5.leaf_room = m5.term_room = m5.forest.tree_room = m5.forest.split_room = 0;
    gr_m5_forget(&m5, count);
    return gr_m5_node_new(&m5, node, err);
}

static size_t list_uses(const void *state, gradus_feature_use *uses)
{
    return gr_forest_uses(&((const gr_m5 *)state)->forest, uses);
}

static size_t trees(const void *state)
{
    return ((const gr_m5 *)state)->forest.trees;
}

static size_t leaves(const void *state)
{
    return gr_m5_leaves(state);
}

static const gr_node_size sizes[] = {
    { "trees", "tree", "trees", NULL, trees },
    { "leaves", "leaf", "leaves", NULL, leaves },
    { NULL, NULL, NULL, NULL, NULL },
};

const gr_node_kind gr_node_m5 = {
    .about = { .name = "m5",
               .summary = "trees with a linear model in each leaf, averaged",
               .details = "" },
    .noun = "set of model trees",
    .size = sizeof(gr_m5),
    .columns = columns,
    .apply = apply,
    .write = write_trees,
    .read = read_trees,
    .check = check,
    .free = free_state,
    .rounds = rounds,
    .first = first,
    .uses = list_uses,
    .tree_at = tree_at,
    .leaf_at = leaf_at,
    .gain = "gain",
    .places = "splits",
    .sizes = sizes,
};
