/* SPDX-License-Identifier: Apache-2.0 */
/* Forest nodes: run the sum of the trees, compiled; write, read and describe trees. */
#include "model/forest_node.h"

#include "learners/forest/compile.h"
#include "model/model.h"
#include "model/model_reader.h"
#include "model/model_write.h"

#include <stdlib.h>

_Static_assert(sizeof(gr_split) == 24, "splits are stored as they are in memory");

typedef struct forest_state {
    gr_forest forest;
    gr_compiled *compiled;
} forest_state;

static size_t columns(const void *state)
{
    return ((const forest_state *)state)->forest.outputs;
}

static size_t scratch(const void *state, size_t rows)
{
    return gr_compiled_scratch(((const forest_state *)state)->compiled, rows);
}

static void apply(const void *state, const gr_batch *batch, double *out)
{
    gr_compiled_run(((const forest_state *)state)->compiled, batch->values, batch->rows,
                    batch->stride, out, batch->rows, batch->scratch);
}

static void free_state(void *state)
{
    forest_state *node = state;

    gr_compiled_free(node->compiled);
    gr_forest_free(&node->forest);
}

static size_t rounds(const void *state)
{
    return gr_forest_rounds(&((const forest_state *)state)->forest);
}

static uint64_t splits_of(const gr_forest *forest)
{
    return forest->starts[forest->trees];
}

gradus_status gr_forest_put(const gr_forest *forest, gr_model_writer *writer, gradus_error *err)
{
    const size_t splits = (size_t)splits_of(forest), leaves = splits + forest->trees;
    gr_json_writer *facts = gr_model_json(writer);

    gr_json_put_count(facts, "features", forest->features);
    gr_json_put_count(facts, "outputs", forest->outputs);
    gr_json_put_count(facts, "trees", forest->trees);
    gr_json_put_count(facts, "splits", splits);
    GR_TRY(gr_model_add_section(writer, "bases", GR_F64, forest->bases,
                                forest->outputs * sizeof *forest->bases, err));
    GR_TRY(gr_model_add_section(writer, "starts", GR_U64, forest->starts,
                                (forest->trees + 1) * sizeof *forest->starts, err));
    GR_TRY(gr_model_add_section(writer, "splits", GR_SPLITS, forest->splits,
                                splits * sizeof *forest->splits, err));
    GR_TRY(gr_model_add_section(writer, "leaves", GR_F32, forest->leaves,
                                leaves * sizeof *forest->leaves, err));
    return gr_model_add_section(writer, "covers", GR_U32, forest->covers,
                                leaves * sizeof *forest->covers, err);
}

static gradus_status write_forest(const void *state, gr_model_writer *writer, gradus_error *err)
{
    return gr_forest_put(&((const forest_state *)state)->forest, writer, err);
}

gradus_status gr_forest_take(gr_model_reader *reader, size_t model_features, gr_forest *forest,
                             gradus_error *err)
{
    uint64_t features, outputs, trees, splits;
    void *bases, *starts, *all_splits, *leaves, *covers;

    GR_TRY(gr_model_read_count(reader, "features", &features, err));
    GR_TRY(gr_model_read_count(reader, "outputs", &outputs, err));
    GR_TRY(gr_model_read_count(reader, "trees", &trees, err));
    GR_TRY(gr_model_read_count(reader, "splits", &splits, err));
    if (features > UINT32_MAX || outputs > UINT32_MAX || trees > UINT64_MAX / 64 ||
        splits > UINT64_MAX / 64)
        return gr_model_damaged(reader, err, "too many trees");
    GR_TRY(gr_model_read_array(reader, "bases", outputs, sizeof *forest->bases, &bases, err));
    GR_TRY(gr_model_read_array(reader, "starts", trees + 1, sizeof *forest->starts, &starts, err));
    GR_TRY(gr_model_read_array(reader, "splits", splits, sizeof *forest->splits, &all_splits, err));
    GR_TRY(gr_model_read_array(reader, "leaves", splits + trees, sizeof *forest->leaves, &leaves,
                               err));
    GR_TRY(gr_model_read_array(reader, "covers", splits + trees, sizeof *forest->covers, &covers,
                               err));
    *forest = (gr_forest){ .features = (size_t)features,
                           .outputs = (size_t)outputs,
                           .trees = (size_t)trees,
                           .bases = bases,
                           .starts = starts,
                           .splits = all_splits,
                           .leaves = leaves,
                           .covers = covers };
    if (forest->starts[0] != 0 || splits_of(forest) != splits)
        return gr_model_damaged(reader, err, "its trees do not cover the splits");
    if (forest->features != model_features)
        return gr_model_damaged(reader, err, "trees with %zu features in a model with %zu",
                                forest->features, model_features);
    return GRADUS_OK;
}

static gradus_status read_forest(gr_model_reader *reader, size_t features, void *state,
                                 gradus_error *err)
{
    return gr_forest_take(reader, features, &((forest_state *)state)->forest, err);
}

static gradus_status check(const void *state, gradus_error *err)
{
    return gr_forest_check(&((const forest_state *)state)->forest, err);
}

/* The compiled forest points at the forest, so that must be at its final address. */
static gradus_status prepare(void *state, gradus_error *err)
{
    forest_state *node = state;

    node->compiled = gr_compile(&node->forest, SIZE_MAX, err);
    return node->compiled ? GRADUS_OK : GRADUS_NO_MEMORY;
}

/* Training rows in the leaves beneath a split; 0 if out of memory. */
static size_t rows_beneath(const gr_split *splits, const uint32_t *covers, size_t count,
                           size_t split)
{
    int32_t *waiting = gr_new_array(count + 1, sizeof *waiting);
    size_t left = 0, rows = 0;

    if (!waiting)
        return 0;
    waiting[left++] = (int32_t)split;
    while (left) {
        const int32_t node = waiting[--left];

        if (node < 0) {
            rows += covers[~node];
            continue;
        }
        waiting[left++] = splits[node].left;
        waiting[left++] = splits[node].right;
    }
    free(waiting);
    return rows;
}

gradus_tree_node gr_split_describe(const gr_split *split, size_t splits)
{
    return (gradus_tree_node){
        .feature = split->feature,
        .threshold = split->threshold,
        .left = split->left >= 0 ? (size_t)split->left : splits + (size_t)~split->left,
        .right = split->right >= 0 ? (size_t)split->right : splits + (size_t)~split->right,
        .missing_left = split->missing_left != 0,
        .gain = (double)split->gain,
    };
}

bool gr_forest_tree_at(const gr_forest *forest, size_t tree, size_t node, gradus_tree_node *out)
{
    if (tree >= forest->trees)
        return false;
    const size_t first = (size_t)forest->starts[tree];
    const size_t count = (size_t)forest->starts[tree + 1] - first;
    const gr_split *splits = forest->splits + first;
    const uint32_t *covers = forest->covers + first + tree;

    if (node > 2 * count)
        return false;
    if (node >= count) {
        *out = (gradus_tree_node){ .is_leaf = true,
                                   .value = (double)forest->leaves[first + tree + node - count],
                                   .rows = covers[node - count] };
        return true;
    }
    *out = gr_split_describe(splits + node, count);
    out->rows = rows_beneath(splits, covers, count, node);
    return true;
}

static bool tree_at(const void *state, size_t tree, size_t node, gradus_tree_node *out)
{
    return gr_forest_tree_at(&((const forest_state *)state)->forest, tree, node, out);
}

gradus_status gr_forest_node_new(gr_forest *forest, gr_node *node, gradus_error *err)
{
    forest_state state = { .forest = *forest };

    GR_TRY(gr_node_new(&gr_node_forest, &state, node, err));
    *forest = (gr_forest){ 0 };
    return GRADUS_OK;
}

const gr_forest *gr_forest_node_forest(const gr_node *node)
{
    return &((const forest_state *)node->state)->forest;
}

const gr_forest *gr_model_forest(const gradus_model *model)
{
    const forest_state *state = gr_model_last(model, &gr_node_forest);

    return state ? &state->forest : NULL;
}

static gradus_status first(const void *state, size_t count, gr_node *node, gradus_error *err)
{
    gr_forest forest = ((const forest_state *)state)->forest;

    forest.tree_room = forest.split_room = 0;
    gr_forest_cut(&forest, count);
    return gr_forest_node_new(&forest, node, err);
}

static size_t list_uses(const void *state, gradus_feature_use *uses)
{
    return gr_forest_uses(&((const forest_state *)state)->forest, uses);
}

static size_t trees(const void *state)
{
    return ((const forest_state *)state)->forest.trees;
}

static size_t leaves(const void *state)
{
    const gr_forest *forest = &((const forest_state *)state)->forest;

    return (size_t)splits_of(forest) + forest->trees;
}

static const gr_node_size sizes[] = {
    { "trees", "tree", "trees", NULL, trees },
    { "leaves", "leaf", "leaves", NULL, leaves },
    { NULL, NULL, NULL, NULL, NULL },
};

static gradus_status relabel_features(const void *state, const gr_relabel *relabel, gr_node *node,
                                      gradus_error *err)
{
    gr_forest copy;
    gradus_status status;

    GR_TRY(gr_forest_copy(&((const forest_state *)state)->forest, SIZE_MAX, &copy, err));
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
    .size = sizeof(forest_state),
    .columns = columns,
    .scratch = scratch,
    .apply = apply,
    .write = write_forest,
    .read = read_forest,
    .check = check,
    .prepare = prepare,
    .free = free_state,
    .rounds = rounds,
    .first = first,
    .uses = list_uses,
    .relabel = relabel_features,
    .tree_at = tree_at,
    .gain = "gain",
    .places = "splits",
    .sizes = sizes,
};
