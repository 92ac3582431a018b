/* SPDX-License-Identifier: Apache-2.0 */
/* The tree engine: grows regression trees on binned rows from gradients and hessians, and knows
 * nothing of what they are the gradients of. Sums are sums of integers, so that they do not depend
 * on the order of rows, on threads, or on which of two siblings was scanned.
 *
 * Each round the gradients of an output are multiplied by 2^floor(log2(2^30 / sum|g|)) and rounded
 * at random, keyed by (seed, round, output, row); so are the hessians (or weights: 1 stays 1, and
 * the lane counts rows). A 64-bit word holds both, the gradient in its upper half; no sum over any
 * rows overflows a lane. */
#ifndef GR_LEARNERS_TREE_TREE_H
#define GR_LEARNERS_TREE_TREE_H

#include "data/bins.h"

#include <math.h>

/* An inner node, as it is in memory and in the model file: 24 bytes. */
typedef struct gr_split {
    uint32_t feature;
    float threshold;       /* left: value < threshold; INFINITY parts values from missing ones */
    int32_t left, right;   /* an inner node of the tree, or ~leaf */
    float gain;            /* how much the split lowered the objective of the search: half of
                              gl^2 / (hl + l2) + gr^2 / (hr + l2) - g^2 / (h + l2) */
    uint32_t missing_left; /* 1: missing values go left, 0: right. If the node had none in
                              training: to the side with the larger sum of hessians */
} gr_split;

/* What search finds is; a file may have anything. */
static inline bool gr_split_gain_is_valid(const gr_split *split)
{
    return split->gain >= 0.0f && split->gain < INFINITY;
}

enum { GR_GROW_BEST, GR_GROW_LEVEL };

typedef struct gr_tree_options {
    uint64_t leaves;      /* at most; 0: no limit but depth */
    uint64_t depth;       /* at most; 0: no limit but leaves */
    int grow;             /* the leaf that gains most first, or level by level */
    uint64_t min_rows;    /* in a leaf */
    double min_weight;    /* least sum of hessians (or weights) in a leaf */
    double min_hessian;   /* the same, in units of min_rows times the parent's mean hessian */
    double l2;            /* added to the sum of hessians */
    double min_gain;      /* that a split must bring */
    double feature_share; /* features tried by a tree */
    const char *monotone; /* "3:+,7:-": features the output may only rise or fall with; "" none */
} gr_tree_options;

extern const gr_param gr_tree_params[];

/* What a round fits: outputs x rows. value of a leaf = -sum g / (sum h + l2). */
typedef struct gr_round {
    const float *gradients;
    const float *hessians; /* what leaf values are made of */
    const float *weights;  /* NULL: the search uses the hessians. Else it minimises the weighted
                              squared error of g / weight, with these weights, rows of them (the
                              same for all outputs) */
    bool unit;             /* the search uses hessians (weights) that are all 1: lanes count rows */
    bool ones;             /* hessians are all 1, and need not be looked at */
    bool newton;           /* (not unit) hessians are second derivatives, not weights of rows:
                              min_hessian applies */
    bool may_be_short;     /* the search may use gradients of 8 bits, rounded at random */
    const uint32_t *rows;  /* the sample, ascending; NULL: all rows */
    size_t count;          /* of the sample, or of all rows */
    uint64_t seed, round;  /* keys of everything random */
} gr_round;

/* A tree just grown. Valid until the next call on its grower. */
typedef struct gr_grown {
    size_t leaves;                /* 1 if no split was worth while; numbered from left to right */
    const gr_split *splits;       /* leaves - 1; the root is split 0 */
    const uint32_t *rows;         /* of the sample, leaf by leaf, ascending within a leaf */
    const uint32_t *starts;       /* leaves + 1 places in rows */
    const uint32_t *others;       /* rows outside the sample, in any order ... */
    const uint32_t *other_leaves; /* ... and the leaf of each */
    size_t other_count;
    const double *gradients; /* one a leaf: exact sums of the unrounded gradients ... */
    const double *hessians;  /* ... and hessians, the same for any number of threads */
} gr_grown;

typedef struct gr_grower gr_grower;

/* signs: one a feature, -1, 0 or 1 (monotone); NULL: all 0. bins and pool must outlive it. */
gr_grower *gr_grower_new(const gr_bins *bins, size_t outputs, const gr_tree_options *options,
                         const int8_t *signs, gr_pool *pool, gradus_error *err);
void gr_grower_free(gr_grower *grower);

/* Rounds the gradients of all outputs and makes their root histograms in one pass over the rows.
 * Fails with GRADUS_BAD_NUMBER if a gradient or hessian is not finite. */
gradus_status gr_grower_begin(gr_grower *grower, const gr_round *round, gradus_error *err);
/* Grows the tree of one output; each output once after a begin, in order. */
gradus_status gr_grower_grow(gr_grower *grower, size_t output, gr_grown *grown, gradus_error *err);

#endif
