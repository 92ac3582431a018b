/* SPDX-License-Identifier: Apache-2.0 */
/* Collects the trees of a model to import, checks them and builds a forest.
 *
 * Leaf values of a forest are floats. Values that are not (LightGBM stores doubles) are rounded; the
 * middle of the values of an output's first tree moves into the base, which is a double, because
 * that tree often includes the mean of the labels. Trees of one leaf before any other tree of their
 * output become part of the base exactly: formats without a base hold it in such trees. */
#ifndef GR_EXCHANGE_IMPORT_TREES_H
#define GR_EXCHANGE_IMPORT_TREES_H

#include "exchange/import_file.h"
#include "learners/forest/forest.h"

/* A node as other tools store it. Node 0 is the root. */
typedef struct gr_import_node {
    int32_t left, right; /* numbers of nodes; left < 0: a leaf */
    uint32_t feature;
    bool missing_left;
    float threshold; /* left: value < threshold */
    float gain;
    double value; /* of a leaf */
    double cover; /* of a leaf: rows, or another measure of its size; 0: unknown */
} gr_import_node;

typedef struct gr_import_trees {
    const gr_import_file *file;
    size_t features, outputs;
    double *bases;
    gr_forest flat;         /* all trees in their order, as if they had one output */
    gr_array tree_outputs;  /* size_t: of each tree of flat */
    size_t *trees_of;       /* trees of each output */
    gr_array queue, places; /* scratch of gr_import_tree */
    gr_array splits, values, covers;
} gr_import_trees;

/* Exports write a name for each feature, so a small file could ask for gigabytes of them. */
enum { GR_IMPORT_FEATURES = 1 << 24 };

/* bases: one per output. Free it whatever the status. */
gradus_status gr_import_trees_start(gr_import_trees *trees, const gr_import_file *file,
                                    size_t features, size_t outputs, const double *bases,
                                    gradus_error *err);
/* Adds a tree of `count` nodes to an output. Fails with the position `at` unless they form a tree;
 * nodes that the root does not reach are ignored. */
gradus_status gr_import_tree(gr_import_trees *trees, const gr_import_node *nodes, size_t count,
                             size_t output, size_t at, gradus_error *err);
/* Moves the trees into a forest: round by round, one tree per output. Outputs with fewer trees get
 * trees of one leaf with the value 0. */
gradus_status gr_import_trees_finish(gr_import_trees *trees, gr_forest *forest, gradus_error *err);
void gr_import_trees_free(gr_import_trees *trees);

/* The smallest float above a number: for floats x, x <= number is x < gr_float_above(number). */
float gr_float_above(double number);

#endif
