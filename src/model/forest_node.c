/* SPDX-License-Identifier: Apache-2.0 */
/* Runs forest nodes: the sum of the trees, compiled. */
#include "model/forest_node.h"

#include <stdlib.h>

static size_t columns(const void *state)
{
    return ((const gr_forest_node *)state)->forest.outputs;
}

static size_t scratch(const void *state, size_t rows)
{
    return gr_compiled_scratch(((const gr_forest_node *)state)->compiled, rows);
}

static void apply(const void *state, const gr_batch *batch, double *out)
{
    gr_compiled_run(((const gr_forest_node *)state)->compiled, batch->values, batch->rows,
                    batch->stride, out, batch->rows, batch->scratch);
}

void gr_forest_node_free(void *state)
{
    gr_forest_node *node = state;

    if (!node)
        return;
    gr_compiled_free(node->compiled);
    gr_forest_free(&node->forest);
    free(node);
}

gradus_status gr_forest_node_new(gr_forest *forest, gr_node *node, gradus_error *err)
{
    gr_forest_node *state = calloc(1, sizeof *state);

    if (!state)
        return gr_fail_memory(err, "a model");
    /* The compiled forest points at the forest, so the forest must be at its final address
     * first. */
    state->forest = *forest;
    state->compiled = gr_compile(&state->forest, SIZE_MAX, err);
    if (!state->compiled) {
        free(state);
        return GRADUS_NO_MEMORY;
    }
    *forest = (gr_forest){ 0 };
    *node = (gr_node){ .kind = &gr_node_forest, .state = state };
    return GRADUS_OK;
}

static size_t rounds(const void *state)
{
    return gr_forest_rounds(&((const gr_forest_node *)state)->forest);
}

static gradus_status first(const void *state, size_t count, gr_node *node, gradus_error *err)
{
    gr_forest forest = ((const gr_forest_node *)state)->forest;

    forest.tree_room = forest.split_room = 0;
    gr_forest_cut(&forest, count);
    return gr_forest_node_new(&forest, node, err);
}

static size_t list_uses(const void *state, gradus_feature_use *uses)
{
    return gr_forest_uses(&((const gr_forest_node *)state)->forest, uses);
}

static void importance(const void *state, double *gains, uint64_t *splits)
{
    gr_forest_importance(&((const gr_forest_node *)state)->forest, gains, splits);
}

static gradus_status relabel_features(const void *state, const gr_relabel *relabel, gr_node *node,
                                      gradus_error *err)
{
    gr_forest copy;
    gradus_status status;

    GR_TRY(gr_forest_copy(&((const gr_forest_node *)state)->forest, SIZE_MAX, &copy, err));
    copy.features = gr_relabel_features(relabel);
    for (uint64_t s = 0; s < copy.starts[copy.trees]; s++)
        copy.splits[s].feature = gr_relabel_feature(relabel, copy.splits[s].feature);
    status = gr_forest_node_new(&copy, node, err);
    gr_forest_free(&copy);
    return status;
}

const gr_node_kind gr_node_forest = {
    .about = { .name = "forest", .summary = "sum of trees", .details = "" },
    .noun = "forest",
    .columns = columns,
    .scratch = scratch,
    .apply = apply,
    .write = gr_forest_node_write,
    .read = gr_forest_node_read,
    .free = gr_forest_node_free,
    .rounds = rounds,
    .first = first,
    .importance = importance,
    .uses = list_uses,
    .relabel = relabel_features,
};
