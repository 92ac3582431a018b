/* SPDX-License-Identifier: Apache-2.0 */
/* The splits of LightGBM, and their translation to `value < threshold` with a side for NaN.
 *
 * A split sends values <= threshold (doubles) left. None: NaN is 0. NaN: NaN goes to the default side.
 * Zero: NaN and values from -1e-35f to 1e-35f go to the default side; if these are then surrounded by
 * values of the other side, the split becomes three splits, and the subtrees below it are copied. Of a
 * copied subtree only the nodes that some row can reach are kept. */
#ifndef GR_EXCHANGE_LIGHTGBM_MISSING_H
#define GR_EXCHANGE_LIGHTGBM_MISSING_H

#include "exchange/import_trees.h"

typedef enum gr_lightgbm_missing {
    GR_LIGHTGBM_NONE,
    GR_LIGHTGBM_ZERO,
    GR_LIGHTGBM_NAN
} gr_lightgbm_missing;

typedef struct gr_lightgbm_split {
    uint32_t feature;
    gr_lightgbm_missing missing;
    bool default_left;
    double threshold;
    float gain;
    int32_t left, right; /* a split, or ~leaf */
} gr_lightgbm_split;

/* A tree as read. Zero-initialized before the first use, and used for all trees in turn. */
typedef struct gr_lightgbm_tree {
    size_t leaves;
    gr_lightgbm_split *splits; /* leaves - 1 */
    double *values;            /* of the leaves */
    uint32_t *counts;          /* rows in each leaf; 0: unknown */
    size_t added;              /* nodes that all translations so far added */
    size_t steps;              /* of all translations so far */
    size_t ranged;             /* features whose range has its initial value between translations */
    gr_array split_items, value_items, count_items;
    gr_array nodes, ranges, copies, stack; /* scratch */
} gr_lightgbm_tree;

/* Allocates the arrays of a tree. */
gradus_status gr_lightgbm_reserve(gr_lightgbm_tree *tree, size_t leaves, gradus_error *err);
/* Sets *nodes to the translated tree, valid until the next call. features: of the model; at: position
 * for messages. Fails if the copies take too much memory. */
gradus_status gr_lightgbm_translate(gr_lightgbm_tree *tree, size_t features,
                                    const gr_import_file *file, size_t at,
                                    const gr_import_node **nodes, size_t *count, gradus_error *err);
void gr_lightgbm_tree_free(gr_lightgbm_tree *tree);

#endif
