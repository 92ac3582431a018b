/* SPDX-License-Identifier: Apache-2.0 */
/* Inside the tree engine: what its files share. */
#ifndef GR_LEARNERS_TREE_GROW_H
#define GR_LEARNERS_TREE_GROW_H

#include "learners/tree/columns.h"
#include "learners/tree/partition.h"
#include "learners/tree/rounding.h"
#include "learners/tree/search.h"

#define GR_NO_HISTOGRAM SIZE_MAX

typedef struct gr_branch {
    uint32_t start, count; /* its rows, in grower->rows */
    uint32_t depth;
    double gradient, hessian; /* sums of its lanes */
    double low, high;         /* bounds of its value, in integers of the lanes */
    double gain;              /* of the best split */
    gr_candidate best;
    uint32_t feature;    /* of the best split */
    size_t histogram;    /* its number in the pool, or GR_NO_HISTOGRAM */
    int32_t left, right; /* nodes, once split; left 0: a leaf */
    uint32_t split;      /* the number of its split, once split; else of its leaf */
} gr_branch;

/* Where the slots of features lie in a histogram. Units are what is searched by a task: blocks of
 * dense features, then slices of sparse ones. */
typedef struct gr_layout {
    size_t units, slots;
    size_t *starts;  /* units + 1: first slot of each unit */
    size_t *columns; /* first slot of each dense column */
} gr_layout;

/* Histograms for as many nodes as memory allows. */
typedef struct gr_histograms {
    gr_array memory;
    size_t words; /* of one histogram */
    size_t count, idle;
    uint32_t *free; /* the idle ones */
} gr_histograms;

/* Nodes that can be split, the next one to split first. */
typedef struct gr_queue {
    uint32_t *nodes;
    size_t count;
    bool level;
} gr_queue;

struct gr_grower {
    const gr_bins *bins;
    gr_pool *pool;
    gr_tree_options options;
    size_t outputs;
    int8_t *signs; /* NULL: none */
    size_t leaves; /* at most */
    size_t most_nodes;
    size_t narrow_rows, histogram_bytes; /* limits, which tests lower */
    gr_layout layout;
    gr_histograms histograms;
    size_t *roots; /* histograms of the outputs' roots; GR_NO_HISTOGRAM: not made yet */
    gr_round round;
    gr_lanes *lanes;      /* one an output */
    gr_array words;       /* outputs x rows of the round's words */
    gr_array partial;     /* histograms of threads but the first, of a node of many rows */
    bool *begun;          /* of each group and slice, whether a thread has added to it */
    gr_array ordered;     /* words of the rows of a node, in their order */
    gr_array rows, spare; /* the rows, node by node, then those outside the sample; room to sort,
                             and then the leaves of those outside */
    uint32_t *counts;     /* one a chunk of rows */
    uint32_t *bin_counts; /* of a feature whose rows are counted: count_room for each worker */
    size_t count_room;
    gr_columns columns;
    gr_route *routes;         /* of the splits, for rows outside the sample */
    bool *tried;              /* features of this tree: dense columns, then sparse ones */
    gr_candidate *candidates; /* for two nodes: dense columns, then sparse ones */
    double *scratch;          /* of the search: one for each worker */
    size_t scratch_room;
    gr_branch *nodes;
    const gr_branch *ordered_node; /* the one whose words are in order, if known */
    size_t node_count, split_count;
    gr_queue queue;
    /* the tree just grown */
    size_t output;
    gr_split *splits;
    uint32_t *starts;
    double *gradients, *hessians;
};

gradus_status gr_layout_new(gr_layout *layout, const gr_bins *bins, gradus_error *err);
void gr_layout_free(gr_layout *layout);

gradus_status gr_histograms_start(gr_histograms *histograms, size_t words, size_t count,
                                  gradus_error *err);
void gr_histograms_free(gr_histograms *histograms);
uint64_t *gr_histogram_at(const gr_histograms *histograms, size_t number);
size_t gr_histogram_take(gr_histograms *histograms); /* GR_NO_HISTOGRAM if none is idle */
void gr_histogram_give(gr_histograms *histograms, size_t *number);

void gr_queue_push(gr_queue *queue, const gr_branch *nodes, uint32_t node);
uint32_t gr_queue_pop(gr_queue *queue, const gr_branch *nodes);

/* Makes the histogram of `scanned` from its rows (NULL: nothing to scan), takes it from that of
 * `rest` (NULL: there is no rest), and finds the best cut of each feature in both, if they are to
 * be searched: candidates of scanned first, of rest second. */
typedef struct gr_step {
    gr_branch *scanned, *rest;
    bool scan, search_scanned, search_rest;
} gr_step;
gradus_status gr_run_step(gr_grower *grower, const gr_step *step, gradus_error *err);
/* What all features of a node share when it is searched. */
gr_search gr_search_of(const gr_grower *grower, const gr_branch *node);

/* The feature of a dense column, or of a sparse feature after those. */
static inline uint32_t gr_feature_at(const gr_bins *bins, size_t i)
{
    return i < bins->dense ? bins->columns[i] : bins->sparse[i - bins->dense].feature;
}
/* The best cut of feature i (gr_feature_at) among those that leave enough rows on each side, from
 * the node's histogram and a count of its rows. */
gr_candidate gr_search_counted(const gr_grower *grower, const gr_branch *node, size_t i);

/* Gives the usual bins of a unit's features, if rows of usual bins were left out of it, what the
 * other bins leave of a node's sums. */
void gr_fill_usual(const gr_grower *grower, const gr_lanes *lanes, double gradient, double hessian,
                   size_t unit, uint64_t *histogram);

/* Root histograms of all outputs in one pass: if there is memory for them, and lanes are narrow. */
bool gr_roots_can_share(const gr_grower *grower, bool wide);
gradus_status gr_make_roots(gr_grower *grower, gradus_error *err);

/* The leaves of the rows outside the sample: they come behind its rows in grower->rows, in any
 * order, and their leaves into grower->spare. */
void gr_place_others(gr_grower *grower);

/* For tests: wide lanes from so many rows on, and memory for histograms. */
void gr_grower_limit(gr_grower *grower, size_t narrow_rows, size_t histogram_bytes);

#endif
