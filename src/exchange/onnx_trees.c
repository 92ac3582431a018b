/* SPDX-License-Identifier: Apache-2.0 */
/* Forests as tree operators of ONNX: TreeEnsemble of ai.onnx.ml 5, and TreeEnsembleRegressor of
 * earlier versions.
 *
 * A row takes the true branch if value < threshold, or if the value is missing and the node
 * tracks missing values as true: the rule of gradus. Each tree has its own target, so that the
 * operator adds nothing: ONNX Runtime adds trees in an order that depends on the number of
 * threads and rows. */
#include "exchange/onnx_trees.h"

#include "exchange/onnx_proto.h"

#include <stdlib.h>

#define ML_DOMAIN "ai.onnx.ml"
enum { MODE_LESS_THAN = 1, AGGREGATE_SUM = 1, TRANSFORM_NONE = 0 };
/* A float holds all whole numbers up to this one. */
enum { MAX_FLOAT_WHOLE = 1 << 24 };

typedef struct tree_node {
    uint32_t feature;
    float threshold;
    int32_t yes, no; /* as in gr_split: a split of the tree, or ~leaf */
    bool missing_yes;
} tree_node;

typedef struct tree_leaf {
    double weight;
    size_t target;
} tree_leaf;

/* All trees one after another, with those of the bases first. */
typedef struct tree_list {
    size_t trees, node_count, leaf_count;
    size_t *roots;      /* trees + 1: first node of each tree */
    size_t *first_leaf; /* trees + 1 */
    tree_node *nodes;
    tree_leaf *leaves;
    gr_arena arena;
} tree_list;

static void add_leaf(tree_list *list, double weight, size_t target)
{
    list->leaves[list->leaf_count++] = (tree_leaf){ weight, target };
}

static void close_tree(tree_list *list)
{
    list->trees++;
    list->roots[list->trees] = list->node_count;
    list->first_leaf[list->trees] = list->leaf_count;
}

static int32_t swapped(int32_t child, int32_t a, int32_t b)
{
    return child == a ? b : child == b ? a : child;
}

/* ONNX Runtime up to 1.23 takes the root of a tree for a leaf if one branch leads to a node and the
 * other to the leaf of the same number (issue 24679). Then the leaf changes places with another one
 * of the tree. */
static void avoid_equal_numbers(tree_list *list, size_t first_node, size_t first_leaf)
{
    const tree_node *root = list->nodes + first_node;
    int32_t leaf = root->yes < 0 ? root->yes : root->no;
    int32_t node = root->yes < 0 ? root->no : root->yes;
    int32_t other = leaf == ~0 ? ~1 : ~0;
    tree_leaf kept;

    if (leaf >= 0 || node < 0 || first_leaf + (size_t)~leaf != first_node + (size_t)node)
        return;
    for (size_t i = first_node; i < list->node_count; i++) {
        list->nodes[i].yes = swapped(list->nodes[i].yes, leaf, other);
        list->nodes[i].no = swapped(list->nodes[i].no, leaf, other);
    }
    kept = list->leaves[first_leaf + (size_t)~leaf];
    list->leaves[first_leaf + (size_t)~leaf] = list->leaves[first_leaf + (size_t)~other];
    list->leaves[first_leaf + (size_t)~other] = kept;
}

/* A tree of one leaf becomes a split with two equal leaves: ONNX Runtime 1.27 gives wrong values if
 * both branches of a root lead to one leaf. */
static void add_tree(tree_list *list, const gr_onnx_trees *trees, size_t t)
{
    const gr_forest *forest = trees->forest;
    size_t splits = (size_t)(forest->starts[t + 1] - forest->starts[t]);
    size_t leaves = splits > 0 ? splits + 1 : 2;
    const gr_split *split = forest->splits + forest->starts[t];
    const float *values = forest->leaves + forest->starts[t] + t;

    for (size_t i = 0; i < splits; i++, split++)
        list->nodes[list->node_count++] =
            (tree_node){ split->feature, split->threshold, split->left, split->right,
                         split->missing_left != 0 };
    if (splits == 0)
        list->nodes[list->node_count++] = (tree_node){ 0, 0.0f, ~0, ~1, false };
    for (size_t i = 0; i < leaves; i++) {
        size_t leaf = i <= splits ? i : 0;

        add_leaf(list, trees->targets == GR_ONNX_LEAVES ? (double)leaf : (double)values[leaf],
                 list->trees);
    }
    avoid_equal_numbers(list, list->roots[list->trees], list->first_leaf[list->trees]);
    close_tree(list);
}

static gradus_status fill_list(tree_list *list, const gr_onnx_trees *trees, gradus_error *err)
{
    const uint64_t *starts = trees->forest->starts;
    size_t count = trees->end - trees->first;
    size_t splits = (size_t)(starts[trees->end] - starts[trees->first]);

    list->roots = gr_arena_array(&list->arena, count + 1, sizeof *list->roots);
    list->first_leaf = gr_arena_array(&list->arena, count + 1, sizeof *list->first_leaf);
    list->nodes = gr_arena_array(&list->arena, splits + count, sizeof *list->nodes);
    list->leaves = gr_arena_array(&list->arena, splits + 2 * count, sizeof *list->leaves);
    if (list->arena.failed)
        return gr_fail_memory(err, "trees");
    for (size_t t = trees->first; t < trees->end; t++)
        add_tree(list, trees, t);
    return GRADUS_OK;
}

/* Attributes that both operators have, with one number per node. */
typedef enum node_field { NODE_FEATURE, NODE_MISSING, NODE_YES, NODE_NO } node_field;

/* TreeEnsemble numbers nodes and leaves of all trees together. */
static int64_t number_in_ensemble(const tree_list *list, size_t t, const tree_node *node,
                                  node_field field)
{
    int32_t child = field == NODE_YES ? node->yes : node->no;

    if (field == NODE_FEATURE)
        return (int64_t)node->feature;
    if (field == NODE_MISSING)
        return node->missing_yes;
    return child >= 0 ? (int64_t)list->roots[t] + child : (int64_t)list->first_leaf[t] + ~child;
}

static void put_field(gr_buffer *out, const tree_list *list, const char *name, node_field field)
{
    gr_onnx_list ints = gr_onnx_ints_begin(out, name);

    for (size_t t = 0; t < list->trees; t++)
        for (size_t i = list->roots[t]; i < list->roots[t + 1]; i++)
            gr_onnx_ints_put(out, number_in_ensemble(list, t, list->nodes + i, field));
    gr_onnx_ints_end(out, &ints);
}

/* Whether each branch leads to a leaf. */
static void put_leaf_flags(gr_buffer *out, const tree_list *list, const char *name, bool yes)
{
    gr_onnx_list ints = gr_onnx_ints_begin(out, name);

    for (size_t i = 0; i < list->node_count; i++)
        gr_onnx_ints_put(out, (yes ? list->nodes[i].yes : list->nodes[i].no) < 0);
    gr_onnx_ints_end(out, &ints);
}

static void put_splits_and_modes(gr_buffer *out, const tree_list *list)
{
    gr_onnx_list tensor =
        gr_onnx_tensor_begin(out, "nodes_splits", GR_ONNX_DOUBLE, list->node_count);

    for (size_t i = 0; i < list->node_count; i++)
        gr_onnx_put_double(out, (double)list->nodes[i].threshold);
    gr_onnx_tensor_end(out, &tensor);
    tensor = gr_onnx_tensor_begin(out, "nodes_modes", GR_ONNX_UINT8, list->node_count);
    for (size_t i = 0; i < list->node_count; i++)
        gr_onnx_put_byte(out, MODE_LESS_THAN);
    gr_onnx_tensor_end(out, &tensor);
}

static void put_leaves(gr_buffer *out, const tree_list *list)
{
    gr_onnx_list tensor =
        gr_onnx_tensor_begin(out, "leaf_weights", GR_ONNX_DOUBLE, list->leaf_count);

    for (size_t i = 0; i < list->leaf_count; i++)
        gr_onnx_put_double(out, list->leaves[i].weight);
    gr_onnx_tensor_end(out, &tensor);
    tensor = gr_onnx_ints_begin(out, "leaf_targetids");
    for (size_t i = 0; i < list->leaf_count; i++)
        gr_onnx_ints_put(out, (int64_t)list->leaves[i].target);
    gr_onnx_ints_end(out, &tensor);
}

static void put_ensemble(gr_buffer *out, const tree_list *list, const char *input,
                         const char *output)
{
    size_t node = gr_onnx_node_begin(out, ML_DOMAIN, "TreeEnsemble", &input, 1, output);
    gr_onnx_list roots;

    gr_onnx_int(out, "aggregate_function", AGGREGATE_SUM);
    gr_onnx_int(out, "post_transform", TRANSFORM_NONE);
    gr_onnx_int(out, "n_targets", (int64_t)list->trees);
    roots = gr_onnx_ints_begin(out, "tree_roots");
    for (size_t t = 0; t < list->trees; t++)
        gr_onnx_ints_put(out, (int64_t)list->roots[t]);
    gr_onnx_ints_end(out, &roots);
    put_splits_and_modes(out, list);
    put_field(out, list, "nodes_featureids", NODE_FEATURE);
    put_field(out, list, "nodes_truenodeids", NODE_YES);
    put_leaf_flags(out, list, "nodes_trueleafs", true);
    put_field(out, list, "nodes_falsenodeids", NODE_NO);
    put_leaf_flags(out, list, "nodes_falseleafs", false);
    put_field(out, list, "nodes_missing_value_tracks_true", NODE_MISSING);
    put_leaves(out, list);
    gr_proto_end(out, node);
}

/* TreeEnsembleRegressor: nodes and leaves are numbered from 0 within each tree, the splits first. */
typedef struct regressor_node {
    size_t tree, number;
    const tree_node *split; /* NULL: a leaf */
    const tree_leaf *leaf;
} regressor_node;

static size_t tree_splits(const tree_list *list, size_t t)
{
    return list->first_leaf[t + 1] - list->first_leaf[t] - 1;
}

/* Calls put for all nodes in order: splits, then leaves of a tree; or for the leaves only. */
static void each_node(gr_buffer *out, const tree_list *list, bool splits_too,
                      void (*put)(gr_buffer *out, const tree_list *list,
                                  const regressor_node *node))
{
    for (size_t t = 0; t < list->trees; t++) {
        size_t splits = tree_splits(list, t);

        for (size_t i = splits_too ? 0 : splits; i <= 2 * splits; i++) {
            regressor_node node = { .tree = t, .number = i };

            if (i < splits)
                node.split = list->nodes + list->roots[t] + i;
            else
                node.leaf = list->leaves + list->first_leaf[t] + (i - splits);
            put(out, list, &node);
        }
    }
}

static void put_tree(gr_buffer *out, const tree_list *list, const regressor_node *node)
{
    (void)list;
    gr_onnx_ints_put(out, (int64_t)node->tree);
}

static void put_number(gr_buffer *out, const tree_list *list, const regressor_node *node)
{
    (void)list;
    gr_onnx_ints_put(out, (int64_t)node->number);
}

static void put_feature(gr_buffer *out, const tree_list *list, const regressor_node *node)
{
    (void)list;
    gr_onnx_ints_put(out, node->split ? (int64_t)node->split->feature : 0);
}

static void put_child(gr_buffer *out, const tree_list *list, const regressor_node *node,
                      int32_t child)
{
    size_t splits = tree_splits(list, node->tree);

    gr_onnx_ints_put(out, child >= 0 ? (int64_t)child : (int64_t)splits + ~child);
}

static void put_yes(gr_buffer *out, const tree_list *list, const regressor_node *node)
{
    if (node->split)
        put_child(out, list, node, node->split->yes);
    else
        gr_onnx_ints_put(out, 0);
}

static void put_no(gr_buffer *out, const tree_list *list, const regressor_node *node)
{
    if (node->split)
        put_child(out, list, node, node->split->no);
    else
        gr_onnx_ints_put(out, 0);
}

static void put_missing(gr_buffer *out, const tree_list *list, const regressor_node *node)
{
    (void)list;
    gr_onnx_ints_put(out, node->split && node->split->missing_yes);
}

static void put_threshold(gr_buffer *out, const tree_list *list, const regressor_node *node)
{
    (void)list;
    gr_onnx_put_float(out, node->split ? node->split->threshold : 0.0f);
}

static void put_mode(gr_buffer *out, const tree_list *list, const regressor_node *node)
{
    (void)list;
    gr_onnx_strings_put(out, node->split ? "BRANCH_LT" : "LEAF");
}

static void put_target(gr_buffer *out, const tree_list *list, const regressor_node *node)
{
    (void)list;
    gr_onnx_ints_put(out, (int64_t)node->leaf->target);
}

static void put_weight(gr_buffer *out, const tree_list *list, const regressor_node *node)
{
    (void)list;
    gr_onnx_put_float(out, (float)node->leaf->weight);
}

static void put_regressor(gr_buffer *out, const tree_list *list, const char *input,
                          const char *output)
{
    static const struct {
        const char *name;
        bool splits_too;
        void (*put)(gr_buffer *out, const tree_list *list, const regressor_node *node);
    } ints[] = {
        { "nodes_treeids", true, put_tree },
        { "nodes_nodeids", true, put_number },
        { "nodes_featureids", true, put_feature },
        { "nodes_truenodeids", true, put_yes },
        { "nodes_falsenodeids", true, put_no },
        { "nodes_missing_value_tracks_true", true, put_missing },
        { "target_treeids", false, put_tree },
        { "target_nodeids", false, put_number },
        { "target_ids", false, put_target },
    };
    size_t node = gr_onnx_node_begin(out, ML_DOMAIN, "TreeEnsembleRegressor", &input, 1, output);
    gr_onnx_list attribute;

    gr_onnx_string(out, "aggregate_function", "SUM");
    gr_onnx_string(out, "post_transform", "NONE");
    gr_onnx_int(out, "n_targets", (int64_t)list->trees);
    for (size_t i = 0; i < sizeof ints / sizeof *ints; i++) {
        attribute = gr_onnx_ints_begin(out, ints[i].name);
        each_node(out, list, ints[i].splits_too, ints[i].put);
        gr_onnx_ints_end(out, &attribute);
    }
    attribute = gr_onnx_floats_begin(out, "nodes_values");
    each_node(out, list, true, put_threshold);
    gr_onnx_floats_end(out, &attribute);
    attribute = gr_onnx_floats_begin(out, "target_weights");
    each_node(out, list, false, put_weight);
    gr_onnx_floats_end(out, &attribute);
    attribute = gr_onnx_strings_begin(out, "nodes_modes");
    each_node(out, list, true, put_mode);
    gr_onnx_strings_end(out, &attribute);
    gr_proto_end(out, node);
}

/* Numbers of leaves must be exact in float. */
static gradus_status check_floats(const gr_onnx_trees *trees, gradus_error *err)
{
    const uint64_t *starts = trees->forest->starts;

    for (size_t t = trees->first; t < trees->end && trees->targets == GR_ONNX_LEAVES; t++)
        if (starts[t + 1] - starts[t] > MAX_FLOAT_WHOLE)
            return gr_fail(err, GRADUS_BAD_ARGUMENT,
                           "tree %zu has more than %d leaves, which 'opset-ml' 3 cannot number; "
                           "use 5",
                           t + 1, MAX_FLOAT_WHOLE);
    return GRADUS_OK;
}

gradus_status gr_onnx_trees_write(gr_buffer *out, const gr_onnx_trees *trees, const char *input,
                                  const char *output, gradus_error *err)
{
    bool as_floats = trees->opset_ml < 5;
    tree_list list = { 0 };
    gradus_status status = as_floats ? check_floats(trees, err) : GRADUS_OK;

    if (status == GRADUS_OK)
        status = fill_list(&list, trees, err);
    if (status == GRADUS_OK) {
        if (as_floats)
            put_regressor(out, &list, input, output);
        else
            put_ensemble(out, &list, input, output);
    }
    gr_arena_free(&list.arena);
    return status;
}
