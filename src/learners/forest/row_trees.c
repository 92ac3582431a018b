/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the tables for scoring a single row, which is compared with all nodes of a tree at once
 * (kernels/node_maps.h). */
#include "base/sort.h"
#include "learners/forest/compile.h"

#include <stdlib.h>
#include <string.h>

/* Numbers the columns by the number of splits that use them, most used first. */
static void rank_columns(gr_compiled *compiled, const gr_coded_split *coded, size_t splits,
                         uint8_t *ranks)
{
    double uses[GR_ROW_COLUMNS] = { 0 };
    size_t order[GR_ROW_COLUMNS];
    gr_keyed scratch[2 * GR_ROW_COLUMNS];

    for (size_t s = 0; s < splits; s++)
        uses[coded[s].column] += 1.0;
    gr_sort_descending(uses, compiled->columns, order, scratch);
    for (size_t c = 0; c < compiled->columns; c++) {
        ranks[order[c]] = (uint8_t)c;
        compiled->row_column[c] = compiled->column[order[c]];
    }
}

/* The order of a tree's nodes. */
typedef struct node_order {
    uint8_t split[GR_ROW_LEAVES]; /* the split of each node */
    uint8_t node[GR_ROW_LEAVES];  /* the node of each split */
} node_order;

/* 0: no child is a leaf; 1: the left one is; 2: both are; 3: the right one is. */
static int leaf_class(const gr_split *split)
{
    return split->left < 0 ? split->right < 0 ? 2 : 1 : split->right < 0 ? 3 : 0;
}

/* The root first, then the others by leaf class. Leaves are numbered by their parent, so this keeps
 * the values of left leaves together, and those of right leaves: fewer cache lines are touched. */
static void order_nodes(const gr_split *splits, size_t count, node_order *order)
{
    uint8_t next = count != 0;

    order->split[0] = order->node[0] = 0;
    for (int class = 0; class < 4; class ++)
        for (size_t s = 1; s < count; s++)
            if (leaf_class(&splits[s]) == class) {
                order->split[next] = (uint8_t)s;
                order->node[s] = next++;
            }
}

/* The map entry of a child: its node number, or `name` if it is a leaf, whose value is stored. */
static uint8_t write_child(int32_t child, const node_order *order, const float *values, size_t name,
                           double *leaves)
{
    if (child >= 0)
        return order->node[child];
    leaves[name] = (double)values[~child];
    return (uint8_t)name;
}

static size_t depth_of(const gr_split *splits, size_t count)
{
    int32_t met[GR_ROW_LEAVES] = { 0 };
    size_t known = count != 0, depth = 0;

    for (size_t i = 0; i < known; depth++)
        for (const size_t end = known; i < end; i++) {
            const gr_split *split = &splits[met[i]];

            if (split->left >= 0)
                met[known++] = split->left;
            if (split->right >= 0)
                met[known++] = split->right;
        }
    return depth;
}

static void write_tree(gr_compiled *compiled, size_t t, const gr_coded_split *coded,
                       const uint8_t *ranks)
{
    const gr_forest *forest = compiled->forest;
    gr_row_tree *tree = &compiled->rows.trees[t];
    double *leaves = compiled->rows.leaves + t * GR_MAP_NAMES;
    const uint64_t first = forest->starts[compiled->first + t];
    const size_t count = gr_tree_splits(forest, compiled->first + t);
    const gr_split *splits = forest->splits + first;
    const float *values = forest->leaves + first + compiled->first + t;
    const size_t depth = depth_of(splits, count);
    node_order order;

    if (depth > compiled->rows.depth)
        compiled->rows.depth = depth;
    order_nodes(splits, count, &order);
    if (count == 0) /* node 0 maps to itself, the only leaf */
        leaves[0] = (double)values[0];
    for (size_t i = 0; i < count; i++) {
        const gr_split *split = &splits[order.split[i]];
        const gr_coded_split *code = &coded[order.split[i]];

        tree->column[i] = ranks[code->column];
        tree->wide |= tree->column[i] >> 7;
        tree->code[i] = code->code;
        tree->left[i] = write_child(split->left, &order, values, i, leaves);
        tree->right[i] = write_child(split->right, &order, values, GR_RIGHT_LEAF + i, leaves);
        if (compiled->column[code->column].mixed && split->missing_left)
            compiled->rows.copied[t] |= (uint64_t)1 << i;
    }
}

static bool fits(const gr_compiled *compiled)
{
    for (size_t t = compiled->first; t < compiled->end; t++)
        if (gr_tree_splits(compiled->forest, t) >= GR_ROW_LEAVES)
            return false;
    return compiled->columns <= GR_ROW_COLUMNS;
}

static gradus_status new_trees(gr_row_trees *rows, size_t count, gradus_error *err)
{
    const size_t all = count + GR_ROW_BEGUN;

    rows->count = count;
    rows->trees = gr_new_lines(all, sizeof *rows->trees);
    rows->copied = gr_new_lines(all, sizeof *rows->copied);
    rows->leaves = gr_new_lines(all, GR_MAP_NAMES * sizeof *rows->leaves);
    if (!rows->trees || !rows->copied || !rows->leaves)
        return gr_fail_memory(err, "trees");
    memset(rows->trees, 0, all * sizeof *rows->trees);
    memset(rows->copied, 0, all * sizeof *rows->copied);
    memset(rows->leaves, 0, all * GR_MAP_NAMES * sizeof *rows->leaves);
    return GRADUS_OK;
}

gradus_status gr_make_row_trees(gr_compiled *compiled, const gr_coded_split *coded,
                                gradus_error *err)
{
    const uint64_t *starts = compiled->forest->starts;
    const size_t first = compiled->first, end = compiled->end;
    uint8_t ranks[GR_ROW_COLUMNS];

    if (!fits(compiled))
        return GRADUS_OK;
    GR_TRY(new_trees(&compiled->rows, end - first, err));
    compiled->row_column = gr_new_array(compiled->columns, sizeof *compiled->row_column);
    if (!compiled->row_column)
        return gr_fail_memory(err, "trees");
    rank_columns(compiled, coded, (size_t)(starts[end] - starts[first]), ranks);
    for (size_t t = first; t < end; t++)
        write_tree(compiled, t - first, coded + (starts[t] - starts[first]), ranks);
    return GRADUS_OK;
}

void gr_row_trees_free(gr_row_trees *rows)
{
    free(rows->trees);
    free(rows->copied);
    free(rows->leaves);
}
