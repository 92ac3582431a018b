/* SPDX-License-Identifier: Apache-2.0 */
/* Lists the nodes of a tree breadth first, and walks through them depth first. */
#include "exchange/flat_tree.h"

#include <math.h>
#include <stdlib.h>

static bool reserve(gr_flat_tree *tree, size_t count)
{
    if (count <= tree->room)
        return true;
    gr_flat_tree_free(tree);
    tree->nodes = gr_new_array(count, sizeof *tree->nodes);
    tree->sources = gr_new_array(count, sizeof *tree->sources);
    if (tree->nodes && tree->sources)
        tree->room = count;
    return tree->room == count;
}

static void append(gr_flat_tree *tree, int32_t parent, int32_t source)
{
    tree->nodes[tree->count] = (gr_flat_node){ .parent = parent, .left = -1 };
    tree->sources[tree->count++] = source;
}

/* The rows and the mean value of a split, from those of its children. */
static void combine(gr_flat_node *node, const gr_flat_node *children)
{
    const double left = children[0].rows, right = children[1].rows, all = left + right;
    const double weight = all > 0.0 ? left / all : 0.5;

    node->rows = all;
    node->value =
        (float)(weight * (double)children[0].value + (1.0 - weight) * (double)children[1].value);
}

gradus_status gr_flatten(const gr_tree_sum *sum, size_t t, gr_flat_tree *tree, gradus_error *err)
{
    const gr_forest *forest = &sum->forest;
    const size_t first = (size_t)forest->starts[t];
    const size_t splits = (size_t)forest->starts[t + 1] - first;

    if (!reserve(tree, 2 * splits + 1))
        return gr_fail_memory(err, "a tree");
    tree->count = 0;
    append(tree, -1, splits ? 0 : ~0);
    for (size_t n = 0; n < tree->count; n++) {
        gr_flat_node *node = &tree->nodes[n];

        if (tree->sources[n] < 0) {
            const size_t leaf = first + t + (size_t)~tree->sources[n];

            node->rows = (double)forest->covers[leaf];
            node->value = (float)(sum->weights[t] * (double)forest->leaves[leaf]);
            if (!isfinite(node->value))
                return gr_fail(err, GRADUS_BAD_NUMBER,
                               "tree %zu: a leaf value is too large for a float", t + 1);
            continue;
        }
        const gr_split *split = &forest->splits[first + (size_t)tree->sources[n]];

        node->feature = split->feature;
        node->threshold = split->threshold;
        node->missing_left = split->missing_left != 0;
        node->gain = split->gain;
        node->left = (int32_t)tree->count;
        append(tree, (int32_t)n, split->left);
        append(tree, (int32_t)n, split->right);
    }
    for (size_t n = tree->count; n-- > 0;)
        if (!gr_is_leaf(&tree->nodes[n]))
            combine(&tree->nodes[n], &tree->nodes[tree->nodes[n].left]);
    return GRADUS_OK;
}

void gr_flat_tree_free(gr_flat_tree *tree)
{
    free(tree->nodes);
    free(tree->sources);
    *tree = (gr_flat_tree){ 0 };
}

static bool enter(gr_tree_walk *walk, size_t node)
{
    walk->node = node;
    walk->step = gr_is_leaf(&walk->tree->nodes[node]) ? GR_TREE_LEAF : GR_TREE_SPLIT;
    return true;
}

bool gr_tree_walk_is_left(const gr_tree_walk *walk)
{
    const gr_flat_node *nodes = walk->tree->nodes;
    const int32_t parent = nodes[walk->node].parent;

    return parent >= 0 && (size_t)nodes[parent].left == walk->node;
}

bool gr_tree_walk_next(gr_tree_walk *walk)
{
    const gr_flat_node *node = &walk->tree->nodes[walk->node];

    if (walk->step == GR_TREE_NONE)
        return enter(walk, 0);
    if (walk->step == GR_TREE_SPLIT || walk->step == GR_TREE_MIDDLE) {
        walk->depth++;
        return enter(walk, (size_t)node->left + (walk->step == GR_TREE_MIDDLE));
    }
    if (node->parent < 0)
        return false;
    walk->step = gr_tree_walk_is_left(walk) ? GR_TREE_MIDDLE : GR_TREE_END;
    walk->node = (size_t)node->parent;
    walk->depth--;
    return true;
}

float gr_float_below(float threshold)
{
    return nextafterf(threshold, -INFINITY);
}
