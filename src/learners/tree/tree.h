/* SPDX-License-Identifier: Apache-2.0 */
/* The tree engine: grows regression trees on binned rows from the gradients and hessians of any
 * objective.
 *
 * Every round, the gradients of each output are quantised (quantize.h): multiplied by
 * 2^floor(log2(2^30 / sum|g|)) and rounded stochastically, keyed by (seed, round, output, row).
 * Hessians or weights are treated the same way, except that weights of 1 stay 1 and then count
 * rows. Each row has one 64-bit word with the gradient in the upper half and the hessian in the
 * lower half (the two "lanes"); no sum over any set of rows overflows a lane. Because all sums are
 * integer sums, they are exact: a tree does not depend on the order of rows, on the number of
 * threads, or on which of two siblings was scanned and which was obtained by subtraction.
 *
 * How the files work together. grower.c owns the buffers and starts a round: quantize.c quantises
 * the gradients, and with several outputs root_histograms.c builds all root histograms in one pass.
 * grow.c grows the tree of one output: it takes a batch of nodes from best_first.c, splits their
 * rows (partition.c, reading cached bin columns from column_cache.c), and calls histograms.c, which
 * scans the smaller child of each into a histogram, subtracts that from the parent's histogram to
 * get the larger child's, and finds the best cut of each feature in both (split_search.c). pick.c takes the best of
 * these; with several processes, each of which has the histograms of its features, pick_shared.c does.
 * root_carry.c computes a root from the leaves of the last tree, where that is exact. layout.c assigns
 * histogram entries and recycles histogram memory. out_of_bag.c finds the leaves of rows outside
 * the sample, and quantize.c sums the exact gradients of each leaf. With a device (backend/tree_device.h),
 * device_grow.c replaces all of this, and best_first.c decides which of the device's splits to keep.
 * tests/support/reference_tree.c is a slow, simple version of the whole engine that the tests compare
 * with bit for bit. */
#ifndef GR_LEARNERS_TREE_TREE_H
#define GR_LEARNERS_TREE_TREE_H

#include "backend/share.h"
#include "backend/tree_device.h"
#include "bins/bins.h"
#include "learners/tree/runs.h"

#include <math.h>

/* An inner node: 24 bytes, the same in memory and in the model file. */
typedef struct gr_split {
    uint32_t feature;
    float threshold;       /* left: value < threshold; INFINITY: only missing values go right */
    int32_t left, right;   /* an inner node of the tree, or ~leaf */
    float gain;            /* decrease of the search's objective: half of
                              gl^2 / (hl + l2) + gr^2 / (hr + l2) - g^2 / (h + l2) */
    uint32_t missing_left; /* 1: missing values go left, 0: right. If the node had none in
                              training, the side with the larger sum of hessians */
} gr_split;

/* Always true for splits found by the search; model files need the check. */
static inline bool gr_split_gain_is_valid(const gr_split *split)
{
    return split->gain >= 0.0f && split->gain < INFINITY;
}

enum { GR_GROW_BEST, GR_GROW_LEVEL };

typedef struct gr_tree_options {
    uint64_t leaves;      /* maximum; 0: limited by depth only */
    uint64_t depth;       /* maximum; 0: limited by leaves only */
    int grow;             /* GR_GROW_BEST: the leaf with the largest gain first; or by level */
    uint64_t min_rows;    /* per leaf */
    double min_weight;    /* minimum sum of hessians (or weights) per leaf */
    double min_hessian;   /* the same in units of min_rows times the parent's mean hessian */
    double l2;            /* added to the sum of hessians */
    double min_gain;      /* a split must gain more than this */
    double feature_share; /* fraction of the features sampled for each tree */
    const char *monotone; /* "3:+,7:-": the output must not fall with feature 3 nor rise with
                             feature 7; "": none */
    bool scan_roots;      /* not in gr_tree_params, for tests: the rows of every root are scanned
                             (root_carry.c) */
} gr_tree_options;

extern const gr_param gr_tree_params[];

/* The training target of one round. Arrays are outputs x rows. A leaf's value is -sum g / (sum h +
 * l2). */
typedef struct gr_round {
    const float *gradients;
    const float *hessians; /* used for leaf values */
    const float *weights;  /* NULL: the search uses the hessians. Otherwise one weight per row,
                              shared by all outputs: the search minimises the squared error of
                              g / weight under these weights */
    bool unit;             /* the search's hessians (weights) are all 1: their sums count rows */
    bool ones;             /* the hessians of leaf values are all 1 and are not read */
    bool newton;           /* (not unit) hessians are second derivatives, not row weights:
                              min_hessian applies */
    bool may_be_short;     /* the search may quantise gradients to 8 bits */
    bool ascending;        /* the rows of each leaf are to be ascending; otherwise of each run */
    const uint32_t *rows;  /* the sampled rows, ascending; NULL: all rows */
    size_t count;          /* number of sampled rows, or of all rows */
    uint64_t seed, round;  /* keys of all random numbers */
    const gr_share *share; /* the rows are those of one process; NULL: of the only one */
    size_t all;            /* the same as count for the rows of all processes, if shared */
    bool on_device;        /* gradients and hessians are not here but in gr_grower_device_rows */
    double grid;  /* a power of two such that all gradients are multiples of 1 / grid, which
                              limits their scale; 0: none */
    bool no_rows; /* with a device: rows, starts, runs and others of the grown tree are not
                              needed and stay NULL */
} gr_round;

/* Whether a feature whose best cut leaves a side with fewer than min_rows rows is not cut at all,
 * instead of at its best valid cut. With second derivatives such a cut isolates few rows of large
 * hessians, and the next best cut of the feature is often a worse version of the same: dropping the
 * feature ranks better (bench/defaults; lambdamart gains up to .016 NDCG@10 on small sets). */
static inline bool gr_drops_short_cuts(const gr_tree_options *options, const gr_round *round)
{
    return round->newton && options->min_hessian > 0;
}

/* The number of sampled rows of all processes. */
static inline size_t gr_round_rows(const gr_round *round)
{
    return round->share ? round->all : round->count;
}

/* A newly grown tree, valid until the next call on its grower. */
typedef struct gr_grown {
    size_t leaves;                /* numbered from left to right; 1 if there was no useful split */
    const gr_split *splits;       /* leaves - 1; the root is split 0 */
    const uint32_t *rows;         /* sampled rows, leaf by leaf */
    const uint32_t *starts;       /* leaves + 1 offsets into rows */
    gr_runs runs;                 /* the same rows as ascending lists, one or more per leaf */
    const uint32_t *others;       /* rows outside the sample, in any order ... */
    const uint32_t *other_leaves; /* ... and the leaf of each */
    size_t other_count;
    const uint32_t *covers;  /* per leaf: its sampled rows, of all processes */
    const double *gradients; /* per leaf: exact sums of the unquantised gradients ... */
    const double *hessians;  /* ... and hessians, the same for any number of threads */
} gr_grown;

typedef struct gr_grower gr_grower;

/* grower.c */
/* signs: monotone constraint of each feature, -1, 0 or 1; NULL: all 0. bins and pool must outlive
 * the grower. */
gr_grower *gr_grower_new(const gr_bins *bins, size_t outputs, const gr_tree_options *options,
                         const int8_t *signs, gr_pool *pool, gradus_error *err);
void gr_grower_free(gr_grower *grower);

/* Quantises the gradients of all outputs and, where memory allows, builds the root histograms of
 * all outputs in one pass over the rows. Fails with GRADUS_BAD_NUMBER if a gradient or hessian is
 * not finite, or a hessian is negative. */
gradus_status gr_grower_begin(gr_grower *grower, const gr_round *round, gradus_error *err);

/* root_carry.c */
/* Reports that the scores have changed by the values of the leaves of the tree that was grown last, and
 * by nothing else since gr_grower_begin. Without this call the next round scans its root. */
void gr_grower_follow(gr_grower *grower, const float *values);

/* grow.c */
/* Grows the tree of one output. After gr_grower_begin, call it once per output, in order. */
gradus_status gr_grower_grow(gr_grower *grower, size_t output, gr_grown *grown, gradus_error *err);

/* device_grow.c */
/* Grows the trees on a device, which must outlive the grower, with the same bits. Fails if less than
 * `reserved` bytes would stay free there. To be called before the first round, and not if rows are
 * shared by several processes. */
gradus_status gr_grower_use_device(gr_grower *grower, const gradus_device *device,
                                   uint64_t reserved, gradus_error *err);
/* The arrays on the device; NULL without one. */
const gr_device_rows *gr_grower_device_rows(gr_grower *grower);

#endif
