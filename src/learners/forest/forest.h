/* SPDX-License-Identifier: Apache-2.0 */
/* Forests: the trees that boosting grows, a model file stores and scoring evaluates.
 *
 * Trees are stored in the order they were grown: round by round, one tree per output, so tree t
 * belongs to output t % outputs. Tree t has splits[starts[t]] to splits[starts[t + 1] - 1] and one
 * leaf more than splits; its leaves start at starts[t] + t. Raw output k of a row is bases[k] plus
 * the values of the row's leaves, added as doubles in the order of the rounds, so that every
 * implementation gives the same bits.
 *
 * How the files work together. forest.c holds the trees, forest_copy.c copies and forest_check.c
 * validates them (for model files). For scoring, compile.c turns a forest into tables for the
 * kernels of kernels/forest_masks.h: forest_codes.c assigns each threshold a byte code, compile.c
 * lays out trees for tiles of 64 rows, and row_trees.c for single rows. forest_run.c passes rows
 * through the compiled trees; forest_walk.c evaluates trees that are too large to compile.
 * add_scores.c adds trees to the scores of a dataset. */
#ifndef GR_LEARNERS_FOREST_FOREST_H
#define GR_LEARNERS_FOREST_FOREST_H

#include "learners/tree/tree.h"

typedef struct gr_forest {
    size_t features, outputs, trees;
    double *bases;    /* per output */
    uint64_t *starts; /* trees + 1 */
    gr_split *splits;
    float *leaves;                /* leaf values, including the learning rate */
    uint32_t *covers;             /* training rows in each leaf */
    size_t tree_room, split_room; /* capacity in trees and splits; 0: the arrays are borrowed */
} gr_forest;

gradus_status gr_forest_start(gr_forest *forest, size_t features, size_t outputs,
                              const double *bases, gradus_error *err);
/* Appends a tree with leaves - 1 splits. */
gradus_status gr_forest_add(gr_forest *forest, const gr_split *splits, size_t leaves,
                            const float *values, const uint32_t *covers, gradus_error *err);

/* forest_copy.c */
/* A deep copy of the first `rounds` rounds (SIZE_MAX: all). */
gradus_status gr_forest_copy(const gr_forest *from, size_t rounds, gr_forest *to,
                             gradus_error *err);

/* forest.c */
/* Truncates the forest to its first `rounds` rounds. */
void gr_forest_cut(gr_forest *forest, size_t rounds);
void gr_forest_free(gr_forest *forest);

static inline size_t gr_forest_rounds(const gr_forest *forest)
{
    return forest->trees / forest->outputs;
}

/* forest_check.c */
/* Validates a forest read from a file: indices are in range, numbers are finite and every node but
 * the root has exactly one parent, so that any row ends in a leaf. */
gradus_status gr_forest_check(const gr_forest *forest, gradus_error *err);

/* forest.c */
/* The leaf of tree t that a row falls in. */
uint32_t gr_forest_leaf(const gr_forest *forest, size_t t, const float *row);

/* Reference implementation: raw[k] of one row over the first `rounds` rounds (SIZE_MAX: all). */
void gr_forest_row(const gr_forest *forest, const float *row, size_t rounds, double *raw);

/* add_scores.c */
/* Adds the trees of rounds [first, end), without the bases, to the scores of all rows of data
 * (outputs x rows, row r of output k at [k * rows + r]). Extra features of the dataset are ignored;
 * features that it lacks are 0. */
gradus_status gr_forest_add_scores(const gr_forest *forest, size_t first, size_t end,
                                   const gradus_dataset *data, double *scores, gr_pool *pool,
                                   gradus_error *err);

/* A forest compiled for fast scoring; immutable, can be shared by any number of threads. */
typedef struct gr_compiled gr_compiled;

/* compile.c */
/* Compiles the first `rounds` rounds (SIZE_MAX: all). The forest must outlive the result. */
gr_compiled *gr_compile(const gr_forest *forest, size_t rounds, gradus_error *err);
void gr_compiled_free(gr_compiled *compiled);

/* forest_run.c */
/* Bytes of scratch, aligned to 64, that gr_compiled_run needs for up to `rows` rows. */
size_t gr_compiled_scratch(const gr_compiled *compiled, size_t rows);
/* Computes raw outputs, including the bases, of dense rows (output k of row r at [k * raw_stride +
 * r]), with the same bits as gr_forest_row. Works for any number of rows; fastest for multiples of
 * 64, and for one. */
void gr_compiled_run(const gr_compiled *compiled, const float *values, size_t rows, size_t stride,
                     double *raw, size_t raw_stride, void *scratch);

/* forest.c */
/* The importance of each feature: the sum of its gains and its number of splits. */
void gr_forest_importance(const gr_forest *forest, double *gains, uint64_t *splits);
/* Fills in one entry per split and returns their number. uses NULL: only counts. */
size_t gr_forest_uses(const gr_forest *forest, gradus_feature_use *uses);

#endif
