/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of a device that grow trees. The device rounds gradients, partitions rows, builds
 * histograms, finds the best cut of a node and adds up leaves. It splits nodes in batches that it chooses
 * itself; the tree engine (learners/tree) decides which of the splits are in the tree, in the same way as
 * without a device, and asks for those that are missing. All sums are integers and the scores of cuts
 * are computed by the same operations on doubles, so that trees have the same bits. */
#ifndef GR_BACKEND_TREE_DEVICE_H
#define GR_BACKEND_TREE_DEVICE_H

#include "backend/device.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    GR_DEVICE_BATCH = 32,    /* most nodes that are split at once */
    GR_DEVICE_LEAVES = 4096, /* most leaves of a tree whose nodes the device chooses */
    GR_MEASURED_ROWS = 8192, /* rows that are measured together (learners/tree/quantize.c) */
    GR_EXTENT_KINDS = 3      /* gradients, hessians of leaf values, hessians of the search */
};

/* ---- the data of a grower ---- */

/* A column has the bins of one feature. Columns are those of the dense words, which may have unused
 * ones at the end, and then the sparse features. */
typedef struct gr_device_column {
    uint32_t feature;
    uint32_t bins;              /* with that of missing values, which is the last; 0: unused */
    uint32_t default_bin, code; /* of a sparse feature: see gr_sparse_feature */
    uint8_t missing;            /* whether there is a bin of missing values */
    int8_t sign;                /* monotone constraint: -1, 0 or 1 */
} gr_device_column;

/* Words of dense columns: row r has words[r * stride] to words[r * stride + stride - 1]. */
typedef struct gr_device_group {
    const uint64_t *words;
    size_t stride;
} gr_device_group;

/* Lists of the bins that are not the default ones (gr_bundle). */
typedef struct gr_device_bundle {
    uint32_t first, count; /* columns */
    const uint64_t *row_starts;
    const uint16_t *entries;
} gr_device_bundle;

typedef struct gr_device_bins {
    size_t rows, columns, outputs;
    const gr_device_column *column;
    unsigned width; /* bits of a bin in the words: 8 or 16 */
    size_t groups;  /* their words have the columns from 0 on, in order */
    const gr_device_group *group;
    size_t bundles;
    const gr_device_bundle *bundle;
    size_t leaves, expansions; /* most of a tree */
    uint64_t reserved;         /* bytes that have to stay free for the scores of the caller */
} gr_device_bins;

/* The minimum of bytes that trees take on a device, without histograms. */
static inline double gr_device_tree_bytes(size_t rows, size_t features, size_t outputs)
{
    return (double)rows * (2.0 * (double)features + 36.0 + 16.0 * (double)outputs);
}

/* ---- a round ---- */

/* Arrays on the device that belong to the trees of a grower. */
typedef struct gr_device_rows {
    float *gradients, *hessians; /* outputs x rows */
    uint32_t *leaf_of;           /* per row, also of those outside the sample: the leaf in the tree
                                    that was finished last */
    void *stream;                /* in the order of which they are used */
} gr_device_rows;

/* How an output is rounded: gr_rounding. */
typedef struct gr_device_scale {
    double gradient, hessian;
    uint64_t key;
} gr_device_scale;

typedef struct gr_device_round {
    /* outputs x rows, on the host; NULL: they are in gr_device_rows already. hessians is NULL, too,
     * if they are all 1. */
    const float *gradients, *hessians;
    const float *weights;   /* per row: hessians of the search, which do not change from round to
                               round; NULL: the same as `hessians` or, if unit, all 1 */
    const uint32_t *sample; /* ascending; NULL: all rows */
    size_t count;           /* sampled rows */
    bool unit;              /* hessians of the search are all 1 */
    bool ones;              /* hessians of leaf values are all 1 */
    bool wide;              /* sums have 64 bits */
    bool counted;           /* cuts have to leave min_rows rows, which hessians do not count */
    size_t most_slots;      /* histograms that can be of use ... */
    size_t slot_bytes;      /* ... and the memory that they may take; 0: as the device decides */
    /* What round() will probably get, so that the device can round while the host computes it; NULL:
     * unknown. */
    const gr_device_scale *likely;
} gr_device_round;

/* Of the gr_device_round.count rows of one output, GR_MEASURED_ROWS at a time: gr_extent. */
typedef struct gr_device_extent {
    double sum, most;
    uint32_t negative;
} gr_device_extent;

/* ---- a tree ---- */

/* What the search of all nodes of a tree has in common. */
typedef struct gr_device_rules {
    double l2, min_hessian, min_weight; /* in units of rounded hessians */
    double min_rows;
    uint8_t newton; /* min_hessian applies */
    uint8_t checked;
    uint8_t drops; /* gr_drops_short_cuts */
    uint8_t unused[5];
} gr_device_rules;

/* The best cut of a node: gr_candidate and its feature. */
typedef struct gr_device_cut {
    double score; /* negative: no valid cut */
    double gradient, hessian;
    uint32_t bin, missing_left;
    uint32_t feature, column;
    uint32_t lefts; /* rows on the left; UINT32_MAX: unknown */
} gr_device_cut;

typedef struct gr_device_tree {
    size_t output;
    const uint8_t *tried; /* per column */
    gr_device_rules rules;
    uint32_t slot; /* of the root's histogram */
} gr_device_tree;

typedef struct gr_device_root {
    int64_t gradient, hessian; /* sums over its rows */
    gr_device_cut cut;
} gr_device_root;

/* What becomes of the histograms of a split node. */
typedef enum gr_device_scan {
    GR_SCAN_NONE, /* its children are not searched */
    GR_SCAN_SMALL, /* the larger child (the right one, if they are equal) gets the node's histogram minus that of the
                      smaller child */
    GR_SCAN_BOTH /* the node has no histogram: both children are scanned */
} gr_device_scan;

/* A node to be split. Rows are lists: list 0 has all sampled rows; those of a node in list 1 go to
 * list 2, all others to list 1, in the same range, the left ones first. If the number of left rows is known, the
 * node is not in list 0 and only one child is scanned, then only the rows of the smaller child go there, to the
 * end of the range, and those of the larger one stay in the list and come first. */
typedef struct gr_device_split {
    uint32_t list, start, count;
    uint32_t lefts; /* rows; UINT32_MAX: unknown */
    uint32_t column, bin;
    uint32_t missing;  /* the bin that goes left although it is higher; UINT32_MAX: none */
    uint32_t scan;     /* gr_device_scan */
    uint32_t slots[2]; /* of the smaller and the larger child; both: left, right */
    double gradient[2], hessian[2]; /* of the children */
    double low[2], high[2];
} gr_device_split;

typedef struct gr_device_found {
    uint32_t lefts;
    uint32_t stays;        /* whether the rows of the larger child stayed in the list */
    gr_device_cut cuts[2]; /* of the children, if they were scanned */
} gr_device_found;

/* ---- growth ---- */

/* What the device needs to choose nodes. */
typedef struct gr_device_growth {
    uint32_t leaves, expansions, slots; /* most; leaves: 2 to GR_DEVICE_LEAVES */
    uint32_t batch;                     /* most nodes that are split at once */
    uint32_t depth;                     /* most; 0: any */
    uint32_t level;                     /* nodes of lower depth come first */
    double gain_unit, min_gain;         /* see gr_take_cut */
} gr_device_growth;

/* A split. Nodes are numbered in the order of splits: the root is 0, and the children of split i are
 * 2 i + 1 and 2 i + 2. */
typedef struct gr_device_grown {
    uint32_t node;
    gr_device_found found;
} gr_device_grown;

/* ---- the end of a tree ---- */

/* Rows of a leaf. */
typedef struct gr_device_run {
    uint32_t list, start, count, leaf;
} gr_device_run;

/* A split of the finished tree. */
typedef struct gr_device_fork {
    uint32_t column, bin, missing;
    int32_t left, right; /* a split, or ~leaf */
} gr_device_fork;

typedef struct gr_device_end {
    size_t output;
    const gr_device_run *runs;
    size_t run_count;
    const gr_device_fork *forks;
    size_t leaves;
    double gradient_scale, hessian_scale; /* of leaf sums */
    bool ones;                            /* hessians are not summed */
    int64_t *sums;                        /* output: gradient and hessian of each leaf */
    uint32_t *leaf_of;                    /* output, per row; NULL: it stays on the device */
} gr_device_end;

typedef struct gr_device_trees gr_device_trees; /* what a grower has on the device */

struct gr_tree_device {
    /* Copies the bins to the device. NULL and an error if that is not possible. */
    gr_device_trees *(*open)(const struct gradus_device *device, const gr_device_bins *bins,
                             gradus_error *err);
    void (*close)(gr_device_trees *trees); /* accepts NULL */
    const gr_device_rows *(*rows)(gr_device_trees *trees);
    /* Starts a round and measures its numbers: *extents has, by output and kind, those of each block
     * of GR_MEASURED_ROWS rows. Kinds that are all 1, or the same as the hessians of leaf values, are
     * not filled in. *slots: the number of histograms that fit, at least 2. */
    gradus_status (*measure)(gr_device_trees *trees, const gr_device_round *round,
                             const gr_device_extent **extents, size_t *slots, gradus_error *err);
    /* Rounds the numbers of all outputs. */
    gradus_status (*round)(gr_device_trees *trees, const gr_device_scale *scales,
                           gradus_error *err);
    /* Starts a tree, and finds the cut of its root. */
    gradus_status (*root)(gr_device_trees *trees, const gr_device_tree *tree, gr_device_root *root,
                          gradus_error *err);
    /* Splits at most GR_DEVICE_BATCH nodes. */
    gradus_status (*split)(gr_device_trees *trees, const gr_device_split *splits, size_t count,
                           gr_device_found *found, gradus_error *err);
    /* In place of root() and split(): starts a tree and splits the nodes that sequential growth splits,
     * unless gains are equal or expansions run out, and some others. *grown: the splits in order, valid
     * until the next call. Afterwards no node has a histogram. */
    gradus_status (*grow)(gr_device_trees *trees, const gr_device_tree *tree,
                          const gr_device_growth *growth, gr_device_root *root,
                          const gr_device_grown **grown, size_t *count, gradus_error *err);
    /* Adds up the leaves of a tree and finds the leaf of each row. */
    gradus_status (*finish)(gr_device_trees *trees, const gr_device_end *end, gradus_error *err);
};

#ifdef __cplusplus
}
#endif

#endif
