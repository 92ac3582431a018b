/* SPDX-License-Identifier: Apache-2.0 */
/* Trees of a sum, one at a time, as a list of nodes: for formats that number all nodes or nest
 * them. Nodes are numbered breadth first, so that siblings are neighbours: XGBoost requires that. */
#ifndef GR_EXCHANGE_FLAT_TREE_H
#define GR_EXCHANGE_FLAT_TREE_H

#include "exchange/tree_sum.h"

typedef struct gr_flat_node {
    int32_t parent, left; /* -1: none. The right child is left + 1 */
    uint32_t feature;
    float threshold; /* left: value < threshold; may be infinite */
    bool missing_left;
    float gain;
    double rows; /* training rows */
    float value; /* of a leaf, times the tree's weight; else the mean of the rows */
} gr_flat_node;

/* Zero-initialized before the first use; reused from tree to tree. */
typedef struct gr_flat_tree {
    gr_flat_node *nodes;
    size_t count;
    int32_t *sources; /* the node's split in the forest, or ~leaf */
    size_t room;
} gr_flat_tree;

/* Fails if memory is exhausted, or a weighted leaf value overflows. */
gradus_status gr_flatten(const gr_tree_sum *sum, size_t t, gr_flat_tree *tree, gradus_error *err);
void gr_flat_tree_free(gr_flat_tree *tree);

static inline bool gr_is_leaf(const gr_flat_node *node)
{
    return node->left < 0;
}

/* A walk through a tree, for formats that nest nodes: of a split SPLIT, its left child, MIDDLE, its
 * right child, END; LEAF of a leaf. Starts zero-initialized except for the tree. */
typedef enum gr_tree_step {
    GR_TREE_NONE,
    GR_TREE_SPLIT,
    GR_TREE_MIDDLE,
    GR_TREE_END,
    GR_TREE_LEAF
} gr_tree_step;

typedef struct gr_tree_walk {
    const gr_flat_tree *tree;
    gr_tree_step step;
    size_t node, depth;
} gr_tree_walk;

bool gr_tree_walk_next(gr_tree_walk *walk); /* false: the walk is over */
/* Whether the current node is the left child of another. */
bool gr_tree_walk_is_left(const gr_tree_walk *walk);

/* The largest float that goes left of a threshold, for formats that compare by <=. Not for
 * -INFINITY, which nothing is below. */
float gr_float_below(float threshold);

#endif
