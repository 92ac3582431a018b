/* SPDX-License-Identifier: Apache-2.0 */
/* Runs nodes of model trees (M5): trees with a linear model in each leaf, averaged. */
#include "model/m5_node.h"

#include <stdlib.h>

static size_t columns(const void *state)
{
    return ((const gr_m5_node *)state)->m5.forest.outputs;
}

static size_t scratch(const void *state, size_t rows)
{
    (void)state;
    (void)rows;
    return 0;
}

/* The mean over the rounds, summed in order so that the result is always the same. */
static void apply(const void *state, const gr_batch *batch, double *out)
{
    const gr_m5 *m5 = &((const gr_m5_node *)state)->m5;
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

static void end(void *state)
{
    gr_m5_node *node = state;

    if (!node)
        return;
    gr_m5_free(&node->m5);
    free(node);
}

gradus_status gr_m5_node_new(gr_m5 *m5, gr_node *node, gradus_error *err)
{
    gr_m5_node *state = calloc(1, sizeof *state);

    if (!state)
        return gr_fail_memory(err, "a model");
    state->m5 = *m5;
    *m5 = (gr_m5){ .leaf_room = 0 };
    *node = (gr_node){ .kind = &gr_node_m5, .state = state };
    return GRADUS_OK;
}

static size_t rounds(const void *state)
{
    return gr_forest_rounds(&((const gr_m5_node *)state)->m5.forest);
}

static gradus_status first(const void *state, size_t count, gr_node *node, gradus_error *err)
{
    gr_m5 m5 = ((const gr_m5_node *)state)->m5;

    m5.leaf_room = m5.term_room = m5.forest.tree_room = m5.forest.split_room = 0;
    gr_m5_forget(&m5, count);
    return gr_m5_node_new(&m5, node, err);
}

static size_t list_uses(const void *state, gradus_feature_use *uses)
{
    return gr_forest_uses(&((const gr_m5_node *)state)->m5.forest, uses);
}

static void importance(const void *state, double *gains, uint64_t *splits)
{
    gr_forest_importance(&((const gr_m5_node *)state)->m5.forest, gains, splits);
}

const gr_node_kind gr_node_m5 = {
    .about = { .name = "m5",
               .summary = "trees with a linear model in each leaf, averaged",
               .details = "" },
    .noun = "set of model trees",
    .columns = columns,
    .scratch = scratch,
    .apply = apply,
    .write = gr_m5_node_write,
    .read = gr_m5_node_read,
    .free = end,
    .rounds = rounds,
    .first = first,
    .importance = importance,
    .uses = list_uses,
};
