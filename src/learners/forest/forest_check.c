/* SPDX-License-Identifier: Apache-2.0 */
/* Validation of forests read from model files. */
#include "learners/forest/forest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The tree being checked. */
typedef struct examined {
    size_t tree, features, count; /* count: splits */
    const gr_split *splits;
    const float *leaves;
    int32_t *stack; /* inner nodes still to visit, up to count */
    bool *seen;     /* inner nodes, then leaves: 2 * count + 1 */
} examined;

static gradus_status check_numbers(const examined *tree, gradus_error *err)
{
    for (size_t s = 0; s < tree->count; s++) {
        const gr_split *split = &tree->splits[s];

        if (split->feature >= tree->features)
            return gr_fail(err, GRADUS_BAD_FORMAT,
                           "tree %zu, split %zu: feature %u is out of range (%zu features)",
                           tree->tree, s, split->feature, tree->features);
        if (isnan(split->threshold) || split->missing_left > 1)
            return gr_fail(err, GRADUS_BAD_FORMAT,
                           "tree %zu, split %zu: the threshold is NaN or the direction of missing "
                           "values is not 0 or 1",
                           tree->tree, s);
        if (!gr_split_gain_is_valid(split))
            return gr_fail(err, GRADUS_BAD_FORMAT,
                           "tree %zu, split %zu: the gain is negative or not finite", tree->tree,
                           s);
    }
    for (size_t l = 0; l <= tree->count; l++)
        if (!isfinite(tree->leaves[l]))
            return gr_fail(err, GRADUS_BAD_FORMAT, "tree %zu, leaf %zu: the value is not finite",
                           tree->tree, l);
    return GRADUS_OK;
}

/* Marks a child as visited; false if it does not exist or was visited before. */
static bool visit(examined *tree, int32_t child, size_t *waiting)
{
    const size_t place = child >= 0 ? (size_t)child : tree->count + (size_t)~child;

    if ((child >= 0 ? place >= tree->count : place > 2 * tree->count) || tree->seen[place])
        return false;
    tree->seen[place] = true;
    if (child >= 0)
        tree->stack[(*waiting)++] = child;
    return true;
}

/* It is a tree if no node is reached twice and every split is reached. */
static gradus_status check_shape(examined *tree, gradus_error *err)
{
    size_t waiting = 0, met = 0;

    if (tree->count == 0)
        return GRADUS_OK;
    memset(tree->seen, 0, 2 * tree->count + 1);
    tree->seen[0] = true;
    tree->stack[waiting++] = 0;
    while (waiting) {
        const int32_t node = tree->stack[--waiting];

        met++;
        if (!visit(tree, tree->splits[node].left, &waiting) ||
            !visit(tree, tree->splits[node].right, &waiting))
            return gr_fail(err, GRADUS_BAD_FORMAT,
                           "tree %zu, split %d: a child does not exist or has two parents",
                           tree->tree, node);
    }
    if (met != tree->count)
        return gr_fail(err, GRADUS_BAD_FORMAT, "tree %zu: %zu of %zu splits are unreachable",
                       tree->tree, tree->count - met, tree->count);
    return GRADUS_OK;
}

static gradus_status check_sizes(const gr_forest *forest, size_t *most, gradus_error *err)
{
    if (forest->outputs == 0 || forest->trees % forest->outputs != 0)
        return gr_fail(err, GRADUS_BAD_FORMAT,
                       "the number of trees, %zu, is not a multiple of the outputs, %zu",
                       forest->trees, forest->outputs);
    for (size_t k = 0; k < forest->outputs; k++)
        if (!isfinite(forest->bases[k]))
            return gr_fail(err, GRADUS_BAD_FORMAT, "the base of output %zu is not finite", k);
    if (forest->trees && forest->starts[0] != 0)
        return gr_fail(err, GRADUS_BAD_FORMAT, "the first tree does not start at the first split");
    for (size_t t = 0; t < forest->trees; t++) {
        const uint64_t count = forest->starts[t + 1] - forest->starts[t];

        if (forest->starts[t + 1] < forest->starts[t] || count > INT32_MAX)
            return gr_fail(err, GRADUS_BAD_FORMAT, "tree %zu: its number of splits is invalid", t);
        if (count > *most)
            *most = (size_t)count;
    }
    return GRADUS_OK;
}

gradus_status gr_forest_check(const gr_forest *forest, gradus_error *err)
{
    gradus_status status = GRADUS_OK;
    examined tree = { .features = forest->features };
    size_t most = 0;

    GR_TRY(check_sizes(forest, &most, err));
    tree.stack = gr_new_array(most, sizeof *tree.stack);
    tree.seen = gr_new_array(2 * most + 1, sizeof *tree.seen);
    if (!tree.stack || !tree.seen)
        status = gr_fail_memory(err, "checking trees");
    for (size_t t = 0; t < forest->trees && status == GRADUS_OK; t++) {
        tree.tree = t;
        tree.count = (size_t)(forest->starts[t + 1] - forest->starts[t]);
        tree.splits = forest->splits + forest->starts[t];
        tree.leaves = forest->leaves + forest->starts[t] + t;
        status = check_numbers(&tree, err);
        if (status == GRADUS_OK)
            status = check_shape(&tree, err);
    }
    free(tree.stack);
    free(tree.seen);
    return status;
}
