/* SPDX-License-Identifier: Apache-2.0 */
/* A compiled forest, and what is known of it only here. */
#ifndef GR_LEARNERS_FOREST_COMPILE_H
#define GR_LEARNERS_FOREST_COMPILE_H

#include "kernels/forest_masks.h"
#include "learners/forest/forest.h"

struct gr_compiled {
    const gr_forest *forest;
    size_t first, end; /* trees of the forest */
    const gr_forest_kernels *kernels;
    size_t columns;
    gr_code_column *column; /* ascending by feature */
    bool mixed;             /* one of them is */
    float *tables;
    gr_mask_tree *trees; /* end - first; those with nodes NULL are too large for masks */
    gr_mask_node *nodes;
    float *leaves;
    gr_code_column *row_column; /* as row trees number them; NULL: not all trees, or not the
                                   kernels, are such */
    gr_row_trees rows;
};

/* The trees of rounds [first, end) for certain kernels. */
gr_compiled *gr_compile_for(const gr_forest *forest, size_t first, size_t end,
                            const gr_forest_kernels *kernels, gradus_error *err);

/* Adds the trees to sums (output k of row r at [k * sum_stride + r]), in their order. */
void gr_compiled_add(const gr_compiled *compiled, const float *values, size_t rows, size_t stride,
                     double *sums, size_t sum_stride, void *scratch);

/* Columns and codes: fills in columns, column and tables, and for each split of the forest from
 * the first tree on where it is compared. Trees too large for masks are passed over. */
typedef struct gr_coded_split {
    uint32_t column;
    uint8_t code;
} gr_coded_split;
gradus_status gr_code_splits(gr_compiled *compiled, gr_coded_split *coded, gradus_error *err);

/* The trees for one row at a time, if they and the kernels allow it. */
gradus_status gr_make_row_trees(gr_compiled *compiled, const gr_coded_split *coded,
                                gradus_error *err);
void gr_row_trees_free(gr_row_trees *rows);
/* Room for `count` things that begins with a line of the cache; not cleared. To free(). */
void *gr_new_lines(size_t count, size_t size);

static inline size_t gr_tree_splits(const gr_forest *forest, size_t t)
{
    return (size_t)(forest->starts[t + 1] - forest->starts[t]);
}

/* Adds tree t to rows by plain walking, several at a time. */
void gr_walk_rows(const gr_forest *forest, size_t t, const float *values, size_t rows,
                  size_t stride, double *sums);

#endif
