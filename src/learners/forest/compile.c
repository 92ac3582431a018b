/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles a forest into the tables of kernels/forest_masks.h. */
#include "learners/forest/compile.h"

#include "base/sort.h"

#include <stdlib.h>
#include <string.h>

enum { LINE = 64 };

/* A tree in the order of the kernels: nodes level by level, leaves from left to right. */
typedef struct laid_out {
    size_t count;                        /* nodes */
    uint8_t order[GR_MASK_LEAVES];       /* the split of each node */
    uint8_t place[GR_MASK_LEAVES];       /* the node of each split */
    uint16_t leaves[GR_MASK_LEAVES];     /* number of leaves below each node */
    uint16_t first_leaf[GR_MASK_LEAVES]; /* number of the leftmost leaf below each node */
} laid_out;

void *gr_new_lines(size_t count, size_t size)
{
    size_t bytes;

    if (!gr_size_times(count, size, &bytes) || !gr_size_plus(bytes, LINE, &bytes))
        return NULL;
    return aligned_alloc(LINE, bytes / LINE * LINE);
}

static size_t leaf_room(size_t leaves)
{
    return leaves <= 32 ? 32 : (leaves + 63) / 64 * 64;
}

static size_t leaves_below(const laid_out *tree, int32_t child)
{
    return child < 0 ? 1 : tree->leaves[tree->place[child]];
}

static void lay_out(const gr_split *splits, size_t count, laid_out *tree)
{
    size_t known = count ? 1 : 0;

    tree->count = count;
    tree->order[0] = tree->place[0] = 0;
    tree->first_leaf[0] = 0;
    for (size_t i = 0; i < known; i++) {
        const int32_t children[] = { splits[tree->order[i]].left, splits[tree->order[i]].right };

        for (size_t side = 0; side < 2; side++)
            if (children[side] >= 0) {
                tree->order[known] = (uint8_t)children[side];
                tree->place[children[side]] = (uint8_t)known++;
            }
    }
    for (size_t i = count; i-- > 0;) {
        const gr_split *split = &splits[tree->order[i]];

        tree->leaves[i] =
            (uint16_t)(leaves_below(tree, split->left) + leaves_below(tree, split->right));
    }
    for (size_t i = 0; i < count; i++) {
        /* NOLINTNEXTLINE(clang-analyzer-core.uninitialized.ArraySubscript): all were set */
        const gr_split *split = &splits[tree->order[i]];

        if (split->left >= 0)
            tree->first_leaf[tree->place[split->left]] = tree->first_leaf[i];
        if (split->right >= 0)
            tree->first_leaf[tree->place[split->right]] =
                (uint16_t)(tree->first_leaf[i] + leaves_below(tree, split->left));
    }
}

static uint32_t slot_of(const laid_out *tree, int32_t child)
{
    return child < 0 ? GR_MASK_NO_NODE : tree->place[child] * GR_MASK_SLOT;
}

static void write_nodes(const laid_out *tree, const gr_split *splits, const gr_coded_split *coded,
                        const gr_code_column *columns, const float *values, gr_mask_node *nodes,
                        float *leaves)
{
    if (tree->count == 0)
        leaves[0] = values[0];
    for (size_t i = 0; i < tree->count; i++) {
        const gr_split *split = &splits[tree->order[i]];
        const gr_coded_split *code = &coded[tree->order[i]];
        const size_t passed = leaves_below(tree, split->left);
        const bool copy = columns[code->column].mixed && split->missing_left;

        nodes[i] = (gr_mask_node){ .column = code->column * GR_TILE,
                                   .code = code->code * 0x01010101u,
                                   .passed = (uint32_t)passed * 0x01010101u,
                                   .children = slot_of(tree, split->left) |
                                               slot_of(tree, split->right) << 16 |
                                               (copy ? GR_MASK_COPIED : 0) };
        if (split->left < 0)
            leaves[tree->first_leaf[i]] = values[~split->left];
        if (split->right < 0)
            leaves[tree->first_leaf[i] + passed] = values[~split->right];
    }
}

/* The total numbers of nodes and of (padded) leaves. */
typedef struct sizes {
    size_t nodes, leaves;
} sizes;

static sizes measure(const gr_compiled *compiled)
{
    sizes all = { 0, 0 };

    for (size_t t = compiled->first; t < compiled->end; t++) {
        const size_t splits = gr_tree_splits(compiled->forest, t);

        if (splits >= GR_MASK_LEAVES)
            continue;
        all.nodes += splits;
        all.leaves += leaf_room(splits + 1);
    }
    return all;
}

static void write_trees(gr_compiled *compiled, const gr_coded_split *coded)
{
    const gr_forest *forest = compiled->forest;
    gr_mask_node *nodes = compiled->nodes;
    float *leaves = compiled->leaves;
    laid_out tree;

    for (size_t t = compiled->first; t < compiled->end; t++) {
        const size_t count = gr_tree_splits(forest, t), i = t - compiled->first;
        const gr_split *splits = forest->splits + forest->starts[t];
        const gr_coded_split *codes = coded + (forest->starts[t] - forest->starts[compiled->first]);

        if (count >= GR_MASK_LEAVES)
            continue;
        lay_out(splits, count, &tree);
        memset(leaves, 0, leaf_room(count + 1) * sizeof *leaves);
        write_nodes(&tree, splits, codes, compiled->column, forest->leaves + forest->starts[t] + t,
                    nodes, leaves);
        compiled->trees[i] =
            (gr_mask_tree){ .nodes = nodes, .leaves = leaves, .count = (uint32_t)count };
        nodes += count;
        leaves += leaf_room(count + 1);
    }
}

static gradus_status fill(gr_compiled *compiled, gr_coded_split *coded, gradus_error *err)
{
    const size_t trees = compiled->end - compiled->first;
    const sizes all = measure(compiled);

    GR_TRY(gr_code_splits(compiled, coded, err));
    compiled->trees = gr_new_array(trees, sizeof *compiled->trees);
    compiled->nodes = gr_new_lines(all.nodes, sizeof *compiled->nodes);
    compiled->leaves = gr_new_lines(all.leaves, sizeof *compiled->leaves);
    if (!compiled->trees || !compiled->nodes || !compiled->leaves)
        return gr_fail_memory(err, "trees");
    write_trees(compiled, coded);
    return compiled->kernels->add_row ? gr_make_row_trees(compiled, coded, err) : GRADUS_OK;
}

gr_compiled *gr_compile_for(const gr_forest *forest, size_t first, size_t end,
                            const gr_forest_kernels *kernels, gradus_error *err)
{
    gr_compiled *compiled = calloc(1, sizeof *compiled);
    gr_coded_split *coded = NULL;

    if (compiled) {
        compiled->forest = forest;
        compiled->first = first * forest->outputs;
        compiled->end = end * forest->outputs;
        compiled->kernels = kernels;
        coded =
            gr_new_array((size_t)(forest->starts[compiled->end] - forest->starts[compiled->first]),
                         sizeof *coded);
    }
    if (!coded)
        gr_fail_memory(err, "trees");
    if (!coded || fill(compiled, coded, err) != GRADUS_OK) {
        gr_compiled_free(compiled);
        compiled = NULL;
    }
    free(coded);
    return compiled;
}

gr_compiled *gr_compile(const gr_forest *forest, size_t rounds, gradus_error *err)
{
    const size_t all = gr_forest_rounds(forest);

    return gr_compile_for(forest, 0, rounds < all ? rounds : all, gr_forest_masks_here(), err);
}

void gr_compiled_free(gr_compiled *compiled)
{
    if (!compiled)
        return;
    free(compiled->column);
    free(compiled->tables);
    free(compiled->trees);
    free(compiled->nodes);
    free(compiled->leaves);
    free(compiled->row_column);
    gr_row_trees_free(&compiled->rows);
    free(compiled);
}
