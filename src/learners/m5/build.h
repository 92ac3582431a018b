/* SPDX-License-Identifier: Apache-2.0 */
/* A tree while it is made. grow.c finds the splits of sorted rows on one thread; top.c cuts a large
 * set down to parts that grow.c can take, on all threads; models.c fits, prunes and smooths. */
#ifndef GR_LEARNERS_M5_BUILD_H
#define GR_LEARNERS_M5_BUILD_H

#include "learners/m5/m5.h"
#include "learners/m5/spread.h"

#include <math.h>
#include <string.h>

/* A node. Its rows are rows[first] to rows[first + count - 1] of the tree. */
typedef struct gr_m5_branch {
    uint32_t first, count;
    int32_t left, right; /* branches; -1: it is a leaf */
    uint32_t feature;
    float cut; /* left: value <= cut */
    gr_m5_sums sums;
} gr_m5_branch;

typedef struct gr_m5_tree {
    gr_m5_branch *at; /* the root is 0 */
    size_t count, room;
    uint32_t *rows;
} gr_m5_tree;

/* When nodes are not split. */
typedef struct gr_m5_limits {
    double weight;   /* less than this */
    double variance; /* less than this */
} gr_m5_limits;

/* Rows sorted by each feature: an entry has the bits of the value, in an order that is that of
 * numbers, above the number of the row. */
typedef struct gr_m5_block {
    size_t features, count;
    uint64_t *entries; /* of feature f: at f * stride, count of them */
    size_t stride;
    const double *targets;  /* of each row */
    const double *weights;  /* NULL: all 1 */
    uint32_t *rows;         /* of the nodes: those of a node are together, ascending */
    uint8_t *sides;         /* room, one a row */
    const uint32_t *active; /* features that are not constant */
    size_t active_count;
    gr_pool *asked; /* whether to stop */
} gr_m5_block;

/* The best cut of a feature: after entry `place` of the node. */
typedef struct gr_m5_cut {
    double spread; /* what is left; INFINITY: it cannot be cut */
    size_t place;
} gr_m5_cut;

static inline uint64_t gr_m5_entry(float value, uint32_t row)
{
    uint32_t bits;

    value += 0.0f; /* -0 is 0 */
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

/* Half way, as a float that both sides of "value <= cut" agree on. */
static inline float gr_m5_half_way(float below, float above)
{
    const double middle = ((double)below + (double)above) * 0.5;
    const float cut = (float)middle;

    return (double)cut > middle ? nextafterf(cut, -INFINITY) : cut;
}

/* A side must have more weight than this. */
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

/* How much less spread a later feature must leave than the best so far: 1e-6 in impurity. */
static inline double gr_m5_margin(const gr_m5_sums *all)
{
    return 1e-6 * all->weight / gr_m5_fifth_root(gr_m5_variance(all));
}

static inline bool gr_m5_is_better(const gr_m5_cut *cut, const gr_m5_cut *best, double margin)
{
    return cut->spread < INFINITY &&
           (best->spread == INFINITY || best->spread - cut->spread > margin);
}

gr_m5_sums gr_m5_sum_rows(const gr_m5_block *block, const uint32_t *rows, size_t count);
/* Sorts by value; spare has room for as many. The result is in entries. */
void gr_m5_sort_entries(uint64_t *entries, size_t count, uint64_t *spare);
gr_m5_cut gr_m5_best_cut(const gr_m5_block *block, size_t feature, const gr_m5_branch *branch);
/* Rows of the branch, by side (1: left), stably; how many are left. spare: count. */
size_t gr_m5_part_rows(const gr_m5_block *block, const gr_m5_branch *branch, uint32_t *spare);
/* Gives a branch the two children `left` and `left` + 1, by the sides of its rows. */
void gr_m5_make_children(const gr_m5_block *block, gr_m5_tree *tree, int32_t branch, int32_t left,
                         uint32_t *spare);
/* The same for the entries of a feature. Only the sides that are asked for need be right. */
void gr_m5_part_entries(const gr_m5_block *block, const gr_m5_branch *branch, size_t feature,
                        bool left, bool right, uint64_t *spare);
/* Whether a feature has one value only in the node. */
static inline bool gr_m5_is_constant(const gr_m5_block *block, size_t feature,
                                     const gr_m5_branch *branch)
{
    const uint64_t *entries = block->entries + feature * block->stride + branch->first;

    return entries[0] >> 32 == entries[branch->count - 1] >> 32;
}

/* A new branch of the tree; -1 if there is no memory. */
int32_t gr_m5_new_branch(gr_m5_tree *tree);

/* Splits the block down to leaves; tree: empty, its rows are the block's afterwards. False: there is
 * no memory, or it was cancelled. */
bool gr_m5_grow_block(const gr_m5_block *block, const gr_m5_limits *limits, gr_m5_tree *tree);

/* A set: dense rows without missing values, or sparse ones as they are. */
typedef struct gr_m5_set {
    const float *values; /* feature f of row r at [r * stride + f]; NULL: sparse */
    size_t stride, rows, features;
    const gradus_arrays *sparse; /* NULL: dense */
    const double *means;         /* of each feature: what stands for a missing value */
} gr_m5_set;

static inline float gr_m5_filled(const gr_m5_set *set, size_t f, float value)
{
    return isnan(value) ? (float)set->means[f] : value;
}

/* The means of the features (room for all, 0) and the rows; filled has what had to be made dense.
 */
gradus_status gr_m5_take_rows(const gradus_dataset *data, const float *row_weights, double *means,
                              gr_m5_set *set, gr_array *filled, gradus_error *err);

/* What one tree is fitted to. */
typedef struct gr_m5_sample {
    const gr_m5_set *set;
    const uint32_t *rows; /* of the set, ascending */
    size_t count;
    const double *targets; /* one a row of the sample */
    const double *weights; /* NULL: all 1 */
    gr_pool *asked;        /* whether to stop. The sample may be one of several tasks of it */
} gr_m5_sample;

/* Entries of all features of a sample, sorted: features x count. */
gradus_status gr_m5_sort_sample(const gr_m5_sample *sample, gr_pool *pool, uint64_t *entries,
                                gradus_error *err);
/* Takes over entries as room. The tree is in preorder. */
gradus_status gr_m5_grow_exact(const gr_m5_sample *sample, uint64_t *entries,
                               const gr_m5_limits *limits, gr_pool *pool, gr_m5_tree *tree,
                               gradus_error *err);

/* The same for sparse rows, whose zeros are not looked at. */
gradus_status gr_m5_grow_sparse(const gr_m5_sample *sample, const gr_m5_limits *limits,
                                gr_pool *pool, gr_m5_tree *tree, gradus_error *err);

/* Grows the branches `parts` of the tree, each on one thread, and puts the tree in preorder.
 * entries: sorted, of all rows, those of a branch at its place, and room to work in; NULL: they are
 * made. */
typedef struct gr_m5_parts {
    const gr_m5_sample *sample;
    const gr_m5_limits *limits;
    gr_m5_tree *tree;
    int32_t *at;
    size_t count, room;
    uint64_t *entries;
} gr_m5_parts;
bool gr_m5_add_part(gr_m5_parts *parts, int32_t branch);
gradus_status gr_m5_grow_parts(gr_m5_parts *parts, gr_pool *pool, gradus_error *err);
/* Nodes of at most so many rows are grown by one thread. */
enum { GR_M5_PART_ROWS = 4096 };
void gr_m5_tree_free(gr_m5_tree *tree);
/* Entries of features [first, end) of some rows, unsorted: feature f at (f - first) * count. */
void gr_m5_take_entries(const gr_m5_sample *sample, const uint32_t *rows, size_t count,
                        size_t first, size_t end, uint64_t *entries);

/* Bins of the features, at most 256 of each; that of row r of the set is at [f * rows + r]. Cut b
 * of feature f, at cuts[starts[f] + b], has bins up to b on its left. */
typedef struct gr_m5_bins {
    gr_array codes; /* uint8_t */
    uint64_t *starts;
    float *cuts;
} gr_m5_bins;
gradus_status gr_m5_bins_new(const gradus_context *context, const gradus_dataset *data,
                             const gr_bin_options *options, const double *means, gr_m5_bins *bins,
                             gradus_error *err);
void gr_m5_bins_free(gr_m5_bins *bins);
/* Nodes of many rows are cut between bins, those of fewer between values. */
gradus_status gr_m5_grow_binned(const gr_m5_sample *sample, const gr_m5_bins *bins,
                                const gr_m5_limits *limits, gr_pool *pool, gr_m5_tree *tree,
                                gradus_error *err);

/* Fits the models, prunes, smooths, and adds the tree. shift was taken off the targets. */
gradus_status gr_m5_finish(const gr_m5_sample *sample, double shift, const gr_m5_tree *tree,
                           const gr_m5_options *options, gr_pool *pool, gr_m5 *m5,
                           gradus_error *err);

#endif
