/* SPDX-License-Identifier: Apache-2.0 */
/* Internal to the tree engine: types and functions shared by its files. tree.h has the overview. */
#ifndef GR_LEARNERS_TREE_GROW_H
#define GR_LEARNERS_TREE_GROW_H

#include "learners/tree/column_cache.h"
#include "learners/tree/partition.h"
#include "learners/tree/quantize.h"
#include "learners/tree/split_search.h"

#define GR_NO_HISTOGRAM SIZE_MAX
enum { GR_MAX_BATCH = 32, GR_SHARED_BATCH = 8 };

/* A node of the tree being grown. */
typedef struct gr_branch {
    uint32_t start, count; /* its range in grower->rows */
    uint32_t all;          /* its rows on all processes */
    uint32_t depth;
    double gradient, hessian; /* sums of the quantised gradients and hessians of its rows */
    double low, high;         /* monotone bounds of its value, in quantised units */
    double gain;              /* of the best split */
    gr_candidate best;
    uint32_t feature;     /* of the best split */
    size_t histogram;     /* its number in grower->histograms, or GR_NO_HISTOGRAM */
    uint32_t list, place; /* of the device: the list that has its rows, and where they begin */
    int32_t left, right;  /* child nodes once expanded; left 0: not expanded */
    uint32_t split;       /* in the finished tree, the number of its split or leaf */
    uint32_t order;       /* the number that sequential growth would give the node */
    bool open;            /* it has a useful split and may still be in the tree */
    bool kept;            /* it needs its histogram only for the next root (root_carry.c) */
} gr_branch;

/* Positions of the features' entries (gradient and hessian sums per bin, called bin_sums) in a
 * histogram. A unit is the part of a histogram that one task searches: units are the blocks of
 * dense features, followed by the bundles of sparse features (gr_bundle). */
typedef struct gr_layout {
    size_t units, bin_sums;
    size_t *starts;  /* units + 1: first bin_sum of each unit */
    size_t *columns; /* first bin_sum of each dense column */
} gr_layout;

/* The features whose bin_sums each process adds up and searches: consecutive positions
 * (gr_feature_at), which is the order of the layout. */
typedef struct gr_feature_cuts {
    uint64_t *features; /* size + 1: rank i has positions features[i] to features[i + 1] */
    size_t *sums;       /* size + 1: the same for bin_sums */
    size_t *unused; /* size: a bin_sum of each rank's that scans leave 0; SIZE_MAX: no features */
    size_t first_feature, end_feature; /* of this process */
    size_t first, end;                 /* the units that these are in */
} gr_feature_cuts;

/* The features of a unit that this process has, and their bin_sums. */
typedef struct gr_unit_part {
    size_t first, end; /* positions */
    size_t sum, sums;  /* the first bin_sum, and how many */
} gr_unit_part;

/* A pool of histograms, for as many nodes as the memory limit allows. */
typedef struct gr_histograms {
    gr_array memory;
    size_t words; /* 64-bit words per histogram */
    size_t count, idle;
    uint32_t *free; /* stack of the idle histograms' numbers */
} gr_histograms;

/* Binary heap of nodes that can be split, the next one to split first. */
typedef struct gr_queue {
    uint32_t *nodes;
    size_t count;
    bool level;
} gr_queue;

/* The leaf histograms of a tree, from which the root of the next round is computed. */
typedef struct gr_carry {
    bool on;              /* the tree keeps them */
    bool known;           /* the steps are known, and the scores have changed by them */
    double grid;          /* of the round */
    size_t leaves;        /* of the tree */
    size_t *histograms;   /* per leaf, in the order of gr_grown */
    uint32_t *steps;      /* per leaf: its value in units of the grid */
    size_t extra;         /* rows that were scanned only for this */
    unsigned pause, wait; /* after too many of them: rounds to skip, in all and from now on */
    bool always;          /* for tests: whether or not it pays */
    size_t folds;         /* roots computed, for tests */
} gr_carry;

struct gr_grower {
    const gr_bins *bins;
    gr_pool *pool;
    gr_tree_options options;
    size_t outputs;
    int8_t *signs; /* monotone constraints per feature; NULL: none */
    size_t leaves; /* maximum */
    size_t most_nodes;
    size_t narrow_rows, histogram_bytes; /* limits; tests lower them */
    gr_layout layout;
    double *scan_work, all_scan_work; /* gr_scan_work, and its sum */
    gr_feature_cuts cuts;             /* of one process: all features */
    gr_histograms histograms;         /* with a device: their numbers only */
    const gradus_device *device;      /* NULL: none */
    gr_device_trees *trees;
    gr_device_run *device_runs;
    gr_device_fork *forks;
    uint8_t *device_tried;          /* per column of the device */
    gr_device_scale *device_scales; /* of the last round; 0: of none */
    size_t *roots; /* per output: histogram of its root; GR_NO_HISTOGRAM: not built yet */
    gr_round round;
    gr_lanes *lanes;      /* per output: how it is quantised */
    gr_array words;       /* outputs x rows quantised words of the round */
    gr_array partial;     /* partial histograms of large nodes that are scanned in parts */
    gr_array message;     /* with several processes, the histograms that a batch scans */
    gr_array ordered;     /* words of the nodes to be scanned: that of rows[i] at i */
    gr_array masks;       /* the same for row masks; empty if unused */
    gr_array rows;        /* sampled rows node by node, then the rows outside the sample */
    gr_array spare;       /* scratch of the partition; at the end, leaves of the rows outside */
    uint32_t *counts;     /* scratch of the partition */
    uint32_t *bin_counts; /* rows per bin in a counted search: count_room per worker */
    size_t count_room;
    gr_columns columns;
    gr_route *routes;         /* of the splits, for rows outside the sample */
    bool *tried;              /* features sampled for this tree: dense columns, then sparse */
    gr_candidate *candidates; /* best cut of each feature in the same order, for two nodes of each
                                 expansion of a batch */
    double *scratch;          /* of the search: scratch_room per worker */
    size_t scratch_room;
    gr_branch *nodes, *spare_nodes;
    size_t node_count, split_count;
    size_t batch;                       /* maximum nodes expanded at once */
    size_t expansions, most_expansions; /* of this tree, including wasted ones */
    uint32_t *chosen; /* nodes to expand, in the order of sequential growth (best_first.c) */
    size_t chosen_count;
    gr_partition_work *works; /* of a batch */
    struct gr_step *steps;    /* of a batch: at most two per node */
    gr_queue queue;
    gr_carry carry;
    /* the finished tree */
    size_t output;
    gr_split *splits;
    uint32_t *starts;
    size_t runs;
    uint32_t *run_starts, *run_leaves; /* gr_runs */
    uint32_t *run_lists, *run_places;  /* on the device */
    uint32_t *covers;
    double *gradients, *hessians;
    gr_arena arena; /* owns the arrays */
};

/* layout.c */
gradus_status gr_layout_new(gr_layout *layout, const gr_bins *bins, gradus_error *err);
void gr_layout_free(gr_layout *layout);
/* Estimates the work of scanning the rows of each group and then of each bundle, relative to the largest.
 * Returns the sum. */
double gr_scan_work(const gr_bins *bins, double *work);
/* The first bin_sum of the feature at position i (gr_feature_at), or of the end. */
size_t gr_first_sum(const gr_layout *layout, const gr_bins *bins, size_t i);
/* The work of a process that has feature i: it adds up the bin_sums of all `size` processes, used or
 * not, and searches the bins. */
uint64_t gr_owner_work(const gr_layout *layout, const gr_bins *bins, size_t i, size_t size);
/* Divides the features among the processes of a share (NULL: one process), with about equal work. */
gradus_status gr_features_cut(gr_feature_cuts *cuts, const gr_layout *layout, const gr_bins *bins,
                              const gr_share *share, gradus_error *err);
void gr_features_cut_free(gr_feature_cuts *cuts);
/* What this process has of one of its units. */
gr_unit_part gr_own_part(const gr_grower *grower, size_t unit);
/* Adds up `count` histograms, one after the other, over all processes, in one message: each gets the
 * bin_sums of its features. */
gradus_status gr_features_sum(const gr_feature_cuts *cuts, const gr_share *share, size_t words,
                              uint64_t *histograms, size_t count, gradus_error *err);

gradus_status gr_histograms_start(gr_histograms *histograms, size_t words, size_t count,
                                  gradus_error *err);
void gr_histograms_free(gr_histograms *histograms);
uint64_t *gr_histogram_at(const gr_histograms *histograms, size_t number);
/* Takes an idle histogram; GR_NO_HISTOGRAM if all are in use. */
size_t gr_histogram_take(gr_histograms *histograms);
/* Returns one to the pool and sets *number to GR_NO_HISTOGRAM; accepts GR_NO_HISTOGRAM. */
void gr_histogram_give(gr_histograms *histograms, size_t *number);

/* queue.c */
void gr_queue_push(gr_queue *queue, const gr_branch *nodes, uint32_t node);
uint32_t gr_queue_pop(gr_queue *queue, const gr_branch *nodes);

/* best_first.c */
/* Finds the nodes that have to be expanded next, grower->chosen, and releases the histograms of
 * those that cannot be in the tree. Returns how many of them to expand now, 0: the tree is
 * complete. */
size_t gr_choose_batch(gr_grower *grower);
/* Numbers splits and nodes as sequential growth does, drops the children of displaced nodes, and
 * fills in grower->splits, except for the links, and the runs of rows, except for their leaves. */
void gr_keep_best(gr_grower *grower);

/* Builds the histogram of `scanned` from its rows (if `scan`), subtracts it from the one in `rest`,
 * which is the parent's at first and the sibling's afterwards (NULL: no subtraction), and finds the
 * best cut of each feature in the nodes to be searched. */
typedef struct gr_step {
    gr_branch *scanned, *rest;
    bool scan, search_scanned, search_rest;
    uint32_t rows;            /* with several processes: of both, on all of them */
    gr_candidate *candidates; /* of `scanned`, then of `rest`; of the features of this process */
    /* used by gr_run_steps */
    gr_search for_scanned, for_rest;
    size_t parts; /* of the unit with the most work */
    size_t first_task, first_partial;
    size_t in_message; /* its place among the scanned steps */
} gr_step;

/* histograms.c */
gradus_status gr_run_steps(gr_grower *grower, gr_step *steps, size_t count, gradus_error *err);
/* Sets the rows of all processes: `rows` are those of the scanned node, and the others of the step's
 * rows those of the rest. Nodes with too few are not searched. */
void gr_step_rows(const gr_grower *grower, gr_step *step, uint32_t rows);
/* The search settings that are common to all features of a node. */
gr_search gr_search_of(const gr_grower *grower, const gr_branch *node);

/* The feature at position i among the dense columns followed by the sparse features. */
static inline uint32_t gr_feature_at(const gr_bins *bins, size_t i)
{
    return i < bins->dense ? bins->columns[i] : bins->sparse[i - bins->dense].feature;
}
/* Counts the rows per bin of feature i that this process has in a node. counts: count_room per
 * thread of the pool; the first ones are the result. */
void gr_count_rows(const gr_grower *grower, const gr_branch *node, size_t i, gr_pool *pool,
                   uint32_t *counts);
/* The bin_sums of feature i in the histogram of a node. */
const uint64_t *gr_bin_sums_of(const gr_grower *grower, const gr_branch *node, size_t i);
/* The best cut of feature i, given its bin_sums, that leaves min_rows rows on each side. counts: rows
 * per bin, because histograms sum hessians, not rows. */
gr_candidate gr_search_counted(const gr_grower *grower, const gr_branch *node, size_t i,
                               const uint64_t *bin_sums, const uint32_t *counts, size_t worker);
/* 64-bit words of a bin_sum: 1 or 2. */
size_t gr_sum_words(const gr_grower *grower);

/* Fills in the default (most frequent) bin of those features of a unit that this process has, where
 * the scan skipped rows in that bin: its sums are the node's totals minus the sums of all other
 * bins. */
void gr_fill_default_bin(const gr_grower *grower, const gr_lanes *lanes, double gradient,
                         double hessian, size_t unit, uint64_t *histogram);

/* pick.c */
/* Makes a cut the best one of a node; false if it does not gain enough. */
bool gr_take_cut(const gr_grower *grower, gr_branch *node, const gr_candidate *cut,
                 uint32_t feature);
/* What a gain in units of quantised gradients and hessians is multiplied by. */
double gr_gain_unit(const gr_lanes *lanes);
/* Whether both sides of a cut are known to have min_rows rows without counting. */
bool gr_has_enough_rows(const gr_grower *grower, const gr_branch *node, const gr_candidate *cut);
/* Whether cut a of the feature at position i is better than b of that at j. */
bool gr_is_better(const gr_bins *bins, const gr_candidate *a, size_t i, const gr_candidate *b,
                  size_t j);
/* The position of the feature with the best candidate, except `but`, among those of this process;
 * SIZE_MAX: none. */
size_t gr_best_feature(const gr_grower *grower, const gr_candidate *candidates, size_t but);
/* What a candidate that the node has taken becomes by a counted search. */
gr_candidate gr_after_count(const gr_grower *grower, const gr_branch *node, gr_candidate counted);
/* The node that step index / 2 has searched: `scanned` if the index is even, else `rest`; NULL: none.
 * *candidates: its. */
gr_branch *gr_searched_node(const gr_grower *grower, size_t index, gr_candidate **candidates);
/* Takes the cut of each node that the first `count` steps have searched from its candidates. */
gradus_status gr_pick_cuts(gr_grower *grower, size_t count, gradus_error *err);

/* pick_shared.c: the same with several processes */
gradus_status gr_pick_together(gr_grower *grower, size_t count, gradus_error *err);

/* root_histograms.c */
/* Root histograms of all outputs in one pass: possible if memory allows and sums have 32 bits. */
bool gr_roots_can_share(const gr_grower *grower, bool wide);
gradus_status gr_make_roots(gr_grower *grower, gradus_error *err);

/* root_carry.c */
/* Begins a round, whose gradients are quantised: decides whether its tree keeps leaf histograms. */
void gr_carry_begin(gr_grower *grower);
/* Releases the histogram of a node that needs no search, or keeps it for the next root. */
void gr_histogram_done(gr_grower *grower, gr_branch *node);
/* Releases all histograms that are kept: the next root will be scanned. */
void gr_carry_drop(gr_grower *grower);
/* Whether to scan this many rows although no search needs them. */
bool gr_carry_scans(gr_grower *grower, size_t rows);
/* Gives a node that was expanded and then displaced its histogram back. */
void gr_carry_displaced(gr_grower *grower, gr_branch *node);
/* Ends a tree, whose leaves are numbered. */
void gr_carry_end(gr_grower *grower, size_t leaves);
/* Computes the root from the last tree in histogram 0, which a new pool hands out first. False if
 * it has to be scanned. words, count: of the new pool. */
bool gr_carry_fold(gr_grower *grower, size_t words, size_t count);

/* out_of_bag.c */
/* Finds the leaves of the rows outside the sample. Appends these rows, in any order, to the sampled
 * ones in grower->rows and writes their leaves to grower->spare. */
void gr_place_out_of_bag(gr_grower *grower);

/* grow.c */
/* Whether a node has enough rows to be split and is not too deep. */
bool gr_may_split(const gr_grower *grower, const gr_branch *node);
/* Whether the children of a node may be split: not those of the last split. */
bool gr_is_searched(const gr_grower *grower, const gr_branch *node);
/* Takes a histogram for a node. If the pool is empty, takes that of the node that will be split
 * last; the children of that node are then scanned separately, without subtraction. */
size_t gr_histogram_for(gr_grower *grower);
/* Creates the children of a node, and notes how many of its rows go left: of this process, and of
 * all. */
void gr_make_children(gr_grower *grower, gr_branch *node);
void gr_count_children(const gr_grower *grower, const gr_branch *node, size_t lefts,
                       size_t all_lefts);

/* device_grow.c: the same steps with a device */
gradus_status gr_device_begin(gr_grower *grower, gradus_error *err);
/* Searches the root and, unless there are too few histograms, splits the nodes that the device chooses. */
gradus_status gr_device_start(gr_grower *grower, gr_branch *root, gradus_error *err);
/* Expands the first `count` chosen nodes. */
gradus_status gr_device_expand(gr_grower *grower, size_t count, gradus_error *err);
/* Fills in the sums of leaves and, unless round.no_rows, the rows. */
gradus_status gr_device_finish(gr_grower *grower, gr_grown *grown, gradus_error *err);

/* grower.c */
/* For tests: rows above which sums have 64 bits, and the memory limit for histograms. */
void gr_grower_limit(gr_grower *grower, size_t narrow_rows, size_t histogram_bytes);
/* For tests: the nodes expanded at once, at most GR_MAX_BATCH. Trees do not depend on it. */
void gr_grower_set_batch(gr_grower *grower, size_t batch);

#endif
