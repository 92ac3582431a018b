/* Trees as one row at a time goes through them. */
#include "base/sort.h"
#include "learners/forest/compile.h"

#include <stdlib.h>
#include <string.h>

/* Numbers columns by how many splits use them, most first. */
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

/* The nodes of a tree: each is followed by those of its left subtree, then of its right one. */
typedef struct node_order {
    uint8_t split[GR_ROW_LEAVES]; /* of each node */
    uint8_t node[GR_ROW_LEAVES];  /* of each split */
} node_order;

static void order_nodes(const gr_split *splits, size_t count, node_order *order)
{
    int32_t waiting[GR_ROW_LEAVES + 1];
    size_t depth = 0;

    if (count)
        waiting[depth++] = 0;
    for (size_t i = 0; i < count; i++) {
        const int32_t split = waiting[--depth];

        order->split[i] = (uint8_t)split;
        order->node[split] = (uint8_t)i;
        if (splits[split].right >= 0)
            waiting[depth++] = splits[split].right;
        if (splits[split].left >= 0)
            waiting[depth++] = splits[split].left;
    }
}

/* Right leaves stand where no left one does. */
static void write_children(const gr_split *splits, size_t count, const node_order *order,
                           const float *values, gr_row_trees *rows, size_t t)
{
    double *leaves = rows->leaves + t * GR_ROW_LEAVES;
    uint64_t lefts = 0;
    uint8_t next = 0;

    for (size_t i = 0; i < count; i++) {
        const int32_t left = splits[order->split[i]].left;

        if (left < 0) {
            lefts |= (uint64_t)1 << i;
            leaves[i] = (double)values[~left];
        }
    }
    for (size_t i = 0; i < count; i++) {
        const int32_t right = splits[order->split[i]].right;

        if (right >= 0) {
            rows->trees[t].right[i] = (uint8_t)(GR_ROW_NODE + order->node[right]);
            continue;
        }
        while (lefts >> next & 1)
            next++;
        leaves[next] = (double)values[~right];
        rows->trees[t].right[i] = next++;
    }
    rows->left_leaves[t] |= lefts;
}

static void write_tree(gr_compiled *compiled, size_t t, const gr_coded_split *coded,
                       const uint8_t *ranks)
{
    const gr_forest *forest = compiled->forest;
    gr_row_trees *rows = &compiled->rows;
    gr_row_tree *tree = &rows->trees[t];
    const uint64_t first = forest->starts[compiled->first + t];
    const size_t count = gr_tree_splits(forest, compiled->first + t);
    const gr_split *splits = forest->splits + first;
    const float *values = forest->leaves + first + compiled->first + t;
    node_order order;

    memset(tree, 0, sizeof *tree);
    memset(rows->leaves + t * GR_ROW_LEAVES, 0, GR_ROW_LEAVES * sizeof *rows->leaves);
    rows->left_leaves[t] = rows->copied[t] = 0;
    if (count == 0) {
        rows->left_leaves[t] = 1; /* node 0 has leaf 0 on both sides */
        rows->leaves[t * GR_ROW_LEAVES] = (double)values[0];
    }
    order_nodes(splits, count, &order);
    for (size_t i = 0; i < count; i++) {
        const gr_split *split = &splits[order.split[i]];
        const gr_coded_split *code = &coded[order.split[i]];

        tree->column[i] = ranks[code->column];
        tree->code[i] = code->code;
        if (tree->column[i] >= 128)
            rows->left_leaves[t] |= GR_ROW_WIDE;
        if (compiled->column[code->column].mixed && split->missing_left)
            rows->copied[t] |= (uint64_t)1 << i;
    }
    write_children(splits, count, &order, values, rows, t);
}

static bool fits(const gr_compiled *compiled)
{
    for (size_t t = compiled->first; t < compiled->end; t++)
        if (gr_tree_splits(compiled->forest, t) >= GR_ROW_LEAVES)
            return false;
    return compiled->columns <= GR_ROW_COLUMNS;
}

gradus_status gr_make_row_trees(gr_compiled *compiled, const gr_coded_split *coded,
                                gradus_error *err)
{
    const uint64_t *starts = compiled->forest->starts;
    const size_t trees = compiled->end - compiled->first;
    gr_row_trees *rows = &compiled->rows;
    uint8_t ranks[GR_ROW_COLUMNS];

    if (!fits(compiled))
        return GRADUS_OK;
    rows->count = trees;
    rows->trees = gr_new_lines(trees, sizeof *rows->trees);
    rows->left_leaves = gr_new_lines(trees, sizeof *rows->left_leaves);
    rows->copied = gr_new_lines(trees, sizeof *rows->copied);
    rows->leaves = gr_new_lines(trees, GR_ROW_LEAVES * sizeof *rows->leaves);
    compiled->row_column = gr_new_array(compiled->columns, sizeof *compiled->row_column);
    if (!rows->trees || !rows->left_leaves || !rows->copied || !rows->leaves ||
        !compiled->row_column)
        return gr_fail_memory(err, "trees");
    rank_columns(compiled, coded, (size_t)(starts[compiled->end] - starts[compiled->first]), ranks);
    for (size_t t = 0; t < trees; t++)
        write_tree(compiled, t, coded + (starts[compiled->first + t] - starts[compiled->first]),
                   ranks);
    return GRADUS_OK;
}

void gr_row_trees_free(gr_row_trees *rows)
{
    free(rows->trees);
    free(rows->left_leaves);
    free(rows->copied);
    free(rows->leaves);
}
