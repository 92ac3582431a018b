/* SPDX-License-Identifier: Apache-2.0 */
/* Data structures of one tree while it is grown (internal to this folder). m5.h describes how the
 * files work together. */
#ifndef GR_LEARNERS_M5_M5_BUILD_H
#define GR_LEARNERS_M5_M5_BUILD_H

#include "learners/m5/m5.h"
#include "kernels/m5_spread.h"

#include <math.h>
#include <string.h>

/* A node of the tree. Its rows are tree->rows[first .. first + count - 1]. */
typedef struct gr_m5_branch {
    uint32_t first, count;
    int32_t left, right; /* indices of the children; -1: leaf */
    uint32_t feature;
    float cut; /* left: value <= cut */
    gr_m5_sums sums;
} gr_m5_branch;

typedef struct gr_m5_tree {
    gr_m5_branch *at; /* at[0] is the root */
    size_t count, room;
    uint32_t *rows;
} gr_m5_tree;

/* A node becomes a leaf if it has less weight or less variance than these. */
typedef struct gr_m5_limits {
    double weight;
    double variance;
} gr_m5_limits;

/* Rows sorted by each feature. An entry holds a value in its upper 32 bits, encoded so that integer
 * order is numeric order, and the row number in its lower 32 bits. */
typedef struct gr_m5_block {
    size_t features, count;
    /* feature f: entries[f * stride .. f * stride + count - 1] */
    uint64_t *entries;
    size_t stride;
    const double *targets;  /* [row] */
    const double *weights;  /* [row]; NULL: all 1 */
    uint32_t *rows;         /* row numbers, grouped by node, ascending in each */
    uint8_t *sides;         /* scratch [row]: 1 = left child */
    const uint32_t *active; /* features to search */
    size_t active_count;
    gr_pool *asked; /* polled for cancellation */
} gr_m5_block;

/* The best cut of a feature: between entries `place` and `place` + 1 of the node. */
typedef struct gr_m5_cut {
    double spread; /* weighted spread of the two sides; INFINITY: no cut */
    size_t place;
} gr_m5_cut;

/* Packs a value and its row. The sign bit of a positive float is set and all bits of a negative one
 * are inverted, so that the encodings compare like the numbers. */
static inline uint64_t gr_m5_entry(float value, uint32_t row)
{
    uint32_t bits;

    value += 0.0f; /* turns -0 into 0 */
    memcpy(&bits, &value, sizeof bits);
    bits ^= bits >> 31 ? UINT32_MAX : 1u << 31;
    return (uint64_t)bits << 32 | row;
}

static inline float gr_m5_entry_value(uint64_t entry)
{
    uint32_t bits = (uint32_t)(entry >> 32);
    float value;

    bits ^= bits >> 31 ? 1u << 31 : UINT32_MAX;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The midpoint, rounded down if it is not a float, so that `value <= cut` separates the two
 * values. */
static inline float gr_m5_half_way(float below, float above)
{
    const double middle = ((double)below + (double)above) * 0.5;
    const float cut = (float)middle;

    return (double)cut > middle ? nextafterf(cut, -INFINITY) : cut;
}

/* Each side of a cut must weigh more than this: a fifth of the node, rounded down, or 1 in nodes of
 * less than 5. */
static inline double gr_m5_least_side(double weight)
{
    return weight < 5.0 ? 1.0 : floor(weight / 5.0);
}

static inline bool gr_m5_is_leaf(const gr_m5_sums *sums, const gr_m5_limits *limits)
{
    const double variance = gr_m5_variance(sums);

    return sums->weight < limits->weight || sums->weight < 4.0 || variance < limits->variance ||
           variance <= 0.0;
}

/* A feature must beat the best one so far by 1e-6 in impurity, expressed here in the units of
 * gr_m5_cut.spread. */
static inline double gr_m5_margin(const gr_m5_sums *all)
{
    return 1e-6 * all->weight / gr_m5_fifth_root(gr_m5_variance(all));
}

static inline bool gr_m5_is_better(const gr_m5_cut *cut, const gr_m5_cut *best, double margin)
{
    return cut->spread < INFINITY &&
           (best->spread == INFINITY || best->spread - cut->spread > margin);
}

/* m5_grow.c */
gr_m5_sums gr_m5_sum_rows(const gr_m5_block *block, const uint32_t *rows, size_t count);
gr_m5_cut gr_m5_best_cut(const gr_m5_block *block, size_t feature, const gr_m5_branch *branch);
/* Partitions the rows of a node stably by side (1: left); returns how many go left. spare: [count]
 * of scratch. */
size_t gr_m5_part_rows(const gr_m5_block *block, const gr_m5_branch *branch, uint32_t *spare);
/* Makes nodes `left` and `left` + 1 the children of `branch`, using the sides of its rows. */
void gr_m5_make_children(const gr_m5_block *block, gr_m5_tree *tree, int32_t branch, int32_t left,
                         uint32_t *spare);
/* Partitions the entries of one feature. A side that is not requested (a leaf) is left
 * undefined. */
void gr_m5_part_entries(const gr_m5_block *block, const gr_m5_branch *branch, size_t feature,
                        bool left, bool right, uint64_t *spare);
/* Whether the feature has a single value in the node. */
static inline bool gr_m5_is_constant(const gr_m5_block *block, size_t feature,
                                     const gr_m5_branch *branch)
{
    const uint64_t *entries = block->entries + feature * block->stride + branch->first;

    return entries[0] >> 32 == entries[branch->count - 1] >> 32;
}

/* Appends a node to the tree; -1: out of memory. */
int32_t gr_m5_new_branch(gr_m5_tree *tree);

/* Grows a whole tree on the block. tree: empty; afterwards the block's rows are in the order of its
 * nodes. Returns false if out of memory or cancelled. */
bool gr_m5_grow_block(const gr_m5_block *block, const gr_m5_limits *limits, gr_m5_tree *tree);

/* A data set: dense rows with missing values filled in, or sparse rows unchanged. */
typedef struct gr_m5_set {
    const float *values; /* [row * stride + feature]; NULL: sparse */
    size_t stride, rows, features;
    const gradus_arrays *sparse; /* NULL: dense */
    const double *means;         /* [feature], replaces missing values */
} gr_m5_set;

static inline float gr_m5_filled(const gr_m5_set *set, size_t f, float value)
{
    return isnan(value) ? (float)set->means[f] : value;
}

/* m5_rows.c */
/* Computes the means of the features (means: [features], zeroed by the caller) and prepares the
 * rows. `filled` receives the dense copy if one is needed. */
gradus_status gr_m5_take_rows(const gradus_dataset *data, const float *row_weights, double *means,
                              gr_m5_set *set, gr_array *filled, gradus_error *err);

/* The training data of one tree. */
typedef struct gr_m5_sample {
    const gr_m5_set *set;
    const uint32_t *rows; /* rows of the set, ascending */
    size_t count;
    const double *targets; /* [row of the sample] */
    const double *weights; /* [row of the sample]; NULL: all 1 */
    gr_pool *asked;        /* polled for cancellation; samples may be tasks of this pool */
} gr_m5_sample;

/* m5_grow.c */
/* Starts a tree with a root of all rows, and sets the block's count, rows, targets, weights and
 * sides, which the caller frees. Returns false if out of memory. */
bool gr_m5_start_tree(const gr_m5_sample *sample, gr_m5_block *block, gr_m5_tree *tree);

/* grow_top.c */
/* The entries of all features of a sample, sorted: features x count. */
gradus_status gr_m5_sort_sample(const gr_m5_sample *sample, gr_pool *pool, uint64_t *entries,
                                gradus_error *err);
/* Grows a tree with exact split search. Overwrites the entries. The tree is in preorder. */
gradus_status gr_m5_grow_exact(const gr_m5_sample *sample, uint64_t *entries,
                               const gr_m5_limits *limits, gr_pool *pool, gr_m5_tree *tree,
                               gradus_error *err);

/* m5_sparse.c */
/* The same for sparse rows; the work depends on the stored values, not on the zeros. */
gradus_status gr_m5_grow_sparse(const gr_m5_sample *sample, const gr_m5_limits *limits,
                                gr_pool *pool, gr_m5_tree *tree, gradus_error *err);

/* The nodes `at` of the tree are roots of subtrees that gr_m5_grow_parts grows in parallel, one
 * thread each, before it puts the whole tree in preorder. entries: sorted entries of all rows,
 * those of a node at its `first`, overwritten; NULL: each subtree sorts its own rows. */
typedef struct gr_m5_parts {
    const gr_m5_sample *sample;
    const gr_m5_limits *limits;
    gr_m5_tree *tree;
    int32_t *at;
    size_t count, room;
    uint64_t *entries;
} gr_m5_parts;

/* grow_subtrees.c */
bool gr_m5_add_part(gr_m5_parts *parts, int32_t branch);
gradus_status gr_m5_grow_parts(gr_m5_parts *parts, gr_pool *pool, gradus_error *err);
/* A node with at most this many rows is grown by a single thread. */
enum { GR_M5_PART_ROWS = 4096 };
void gr_m5_tree_free(gr_m5_tree *tree);
/* The entries of features [first, end) of the given rows (NULL: all), unsorted; those of feature f
 * start at (f - first) * count. */
void gr_m5_take_entries(const gr_m5_sample *sample, const uint32_t *rows, size_t count,
                        size_t first, size_t end, uint64_t *entries);

/* Features discretised into at most 256 bins; the bin of row r of the set is codes[f * rows + r].
 * Cut b of feature f, cuts[starts[f] + b], puts bins 0 to b on the left. */
typedef struct gr_m5_bins {
    gr_array codes; /* uint8_t */
    uint64_t *starts;
    float *cuts;
} gr_m5_bins;

/* m5_bins.c */
gradus_status gr_m5_bins_new(const gradus_context *context, const gradus_dataset *data,
                             const gr_bin_options *options, const double *means, gr_m5_bins *bins,
                             gradus_error *err);
void gr_m5_bins_free(gr_m5_bins *bins);

/* m5_binned.c */
/* Splits large nodes between bins and smaller ones between values. */
gradus_status gr_m5_grow_binned(const gr_m5_sample *sample, const gr_m5_bins *bins,
                                const gr_m5_limits *limits, gr_pool *pool, gr_m5_tree *tree,
                                gradus_error *err);

/* m5_prune.c */
/* Fits the models, prunes, smooths and appends the tree to m5. shift: the constant that was
 * subtracted from the targets. */
gradus_status gr_m5_finish(const gr_m5_sample *sample, double shift, const gr_m5_tree *tree,
                           const gr_m5_options *options, gr_pool *pool, gr_m5 *m5,
                           gradus_error *err);

#endif
