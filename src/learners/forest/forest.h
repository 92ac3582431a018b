/* SPDX-License-Identifier: Apache-2.0 */
/* Trees by the thousand: what boosting makes, a model file keeps and scoring runs.
 *
 * Trees stand in the order they were made: round by round, one an output; tree t is of output
 * t % outputs. Tree t has splits[starts[t]] to splits[starts[t + 1] - 1] and one leaf more than
 * splits: its leaves begin at starts[t] + t. The raw output k of a row is bases[k] plus the leaves
 * it falls in, added as doubles in the order of the rounds: the same bits however it is computed.
 */
#ifndef GR_LEARNERS_FOREST_FOREST_H
#define GR_LEARNERS_FOREST_FOREST_H

#include "learners/tree/tree.h"

typedef struct gr_forest {
    size_t features, outputs, trees;
    double *bases;    /* one an output */
    uint64_t *starts; /* trees + 1 */
    gr_split *splits;
    float *leaves;                /* values, learning rate and all */
    uint32_t *covers;             /* training rows of each leaf */
    size_t tree_room, split_room; /* room there is, in trees and in splits; 0: not ours to free */
} gr_forest;

gradus_status gr_forest_start(gr_forest *forest, size_t features, size_t outputs,
                              const double *bases, gradus_error *err);
/* Appends a tree: as many leaves as splits and one more. */
gradus_status gr_forest_add(gr_forest *forest, const gr_split *splits, size_t leaves,
                            const float *values, const uint32_t *covers, gradus_error *err);
/* The first `rounds` rounds (SIZE_MAX: all), owned apart. */
gradus_status gr_forest_copy(const gr_forest *from, size_t rounds, gr_forest *to,
                             gradus_error *err);
/* Forgets the trees after the first `rounds` rounds. */
void gr_forest_cut(gr_forest *forest, size_t rounds);
void gr_forest_free(gr_forest *forest);

static inline size_t gr_forest_rounds(const gr_forest *forest)
{
    return forest->trees / forest->outputs;
}

/* Whether children, features and numbers are such that walking any row ends in a leaf; what a
 * file says is not to be believed. Every node but the root has one parent. */
gradus_status gr_forest_check(const gr_forest *forest, gradus_error *err);

/* The leaf of tree t that a row falls in, by plain walking. */
uint32_t gr_forest_leaf(const gr_forest *forest, size_t t, const float *row);

/* The reference: raw[k] for one row, over the first `rounds` rounds (SIZE_MAX: all). */
void gr_forest_row(const gr_forest *forest, const float *row, size_t rounds, double *raw);

/* Adds the trees of rounds [first, end) to scores (outputs x rows, row r of output k at
 * [k * rows + r]), for all rows of data. Bases are not added. The dataset may have more features
 * than the forest, or fewer: those are 0. */
gradus_status gr_forest_add_scores(const gr_forest *forest, size_t first, size_t end,
                                   const gradus_dataset *data, double *scores, gr_pool *pool,
                                   gradus_error *err);

/* A forest compiled for speed; immutable, used by any number of threads. */
typedef struct gr_compiled gr_compiled;

/* The forest must outlive it. rounds: only the first so many (SIZE_MAX: all). */
gr_compiled *gr_compile(const gr_forest *forest, size_t rounds, gradus_error *err);
void gr_compiled_free(gr_compiled *compiled);
/* Bytes of scratch that gr_compiled_run needs for so many rows, or fewer; aligned to 64. */
size_t gr_compiled_scratch(const gr_compiled *compiled, size_t rows);
/* raw (outputs x rows; output k of row r at [k * raw_stride + r]) of dense rows, bases and all: the
 * same bits as gr_forest_row. Any number of rows; the best are multiples of 64, and one. */
void gr_compiled_run(const gr_compiled *compiled, const float *values, size_t rows, size_t stride,
                     double *raw, size_t raw_stride, void *scratch);

/* Importance of each feature: sum of gains, and number of splits. */
void gr_forest_importance(const gr_forest *forest, double *gains, uint64_t *splits);
/* One entry per split; how many. NULL: only counts. */
size_t gr_forest_uses(const gr_forest *forest, gradus_feature_use *uses);

#endif
