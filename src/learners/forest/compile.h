/* SPDX-License-Identifier: Apache-2.0 */
/* Internal to the forest folder: a compiled forest and how it is made. */
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
    bool mixed;             /* some column sends missing values both ways */
    float *tables;
    gr_mask_tree *trees; /* end - first; nodes NULL: too large for masks, to be walked */
    gr_mask_node *nodes;
    float *leaves;
    gr_code_column *row_column; /* the columns as the row trees number them; NULL if a tree is too
                                   large, columns are too many or the CPU does not support it */
    gr_row_trees rows;
};

/* Compiles the trees of rounds [first, end) for given kernels. */
gr_compiled *gr_compile_for(const gr_forest *forest, size_t first, size_t end,
                            const gr_forest_kernels *kernels, gradus_error *err);

/* forest_run.c */
/* Adds the trees, in their order, to sums (output k of row r at [k * sum_stride + r]). */
void gr_compiled_add(const gr_compiled *compiled, const float *values, size_t rows, size_t stride,
                     double *sums, size_t sum_stride, void *scratch);

/* The column and code that a split compares with. */
typedef struct gr_coded_split {
    uint32_t column;
    uint8_t code;
} gr_coded_split;

/* forest_codes.c */
/* Fills in compiled->columns, column and tables, and the code of each split, counted from the first
 * compiled tree. Trees too large for masks are skipped. */
gradus_status gr_code_splits(gr_compiled *compiled, gr_coded_split *coded, gradus_error *err);

/* row_trees.c */
/* Makes the trees for single rows, if all trees are small enough. */
gradus_status gr_make_row_trees(gr_compiled *compiled, const gr_coded_split *coded,
                                gradus_error *err);
void gr_row_trees_free(gr_row_trees *rows);

/* compile.c */
/* Allocates `count` items aligned to a cache line, not cleared. Free with free(). */
void *gr_new_lines(size_t count, size_t size);

static inline size_t gr_tree_splits(const gr_forest *forest, size_t t)
{
    return (size_t)(forest->starts[t + 1] - forest->starts[t]);
}

/* forest_walk.c */
/* Adds tree t to the sums of rows by walking from the root, several rows at a time. */
void gr_walk_rows(const gr_forest *forest, size_t t, const float *values, size_t rows,
                  size_t stride, double *sums);

#endif
