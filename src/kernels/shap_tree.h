/* SPDX-License-Identifier: Apache-2.0 */
/* Path-dependent Shapley values of one tree: the inner loop of explain/shap_path.c, which explains
 * the method. */
#ifndef GR_KERNELS_SHAP_TREE_H
#define GR_KERNELS_SHAP_TREE_H

#include "kernels/versions.h"

#include <stdint.h>

enum { GR_SHAP_LANES = 4 }; /* the number of points is a multiple of this */

/* A split. Vectors of `points` doubles: one per split, then one per leaf. The first `inner` splits
 * have a child that is a split, the others have two leaves, which need no vectors. */
typedef struct gr_shap_node {
    uint32_t feature;
    float threshold;
    uint32_t child[2];  /* vectors of the left and the right child; parents come before children */
    double part[2];     /* fractions of the split's training rows that go left and right */
    uint32_t above;     /* the nearest ancestor that splits on the same feature; splits: none */
    uint32_t factors;   /* its row of `factors`: 0 without such an ancestor, else 2 or more */
    uint32_t slot;      /* of the feature, in the sums */
    uint8_t above_side; /* the child of `above` that the split is under */
    uint8_t missing_left; /* 1: missing values go left */
} gr_shap_node;

/* A split as a row decides it. */
typedef struct gr_shap_turn {
    double part;                    /* of the child that the row does not take */
    uint32_t taken, other, factors; /* children, and the row of factors */
} gr_shap_turn;

/* Row 0 of factors is (1 - t, 1), row 1 is (1, 0), for the points t. */
typedef struct gr_shap_tree {
    size_t splits, inner, points;
    const gr_shap_node *nodes; /* splits */
    const float *leaves;       /* splits + 1; first the children of the inner splits */
    size_t beside;             /* leaves that are children of inner splits */
    const double *factors;     /* pairs of vectors */
} gr_shap_tree;

/* Bytes of work memory, aligned to 32 bytes, for trees of up to that size. */
static inline size_t gr_shap_work(size_t splits, size_t points)
{
    return (5 * splits + 2) * points * sizeof(double) + splits * (sizeof(gr_shap_turn) + 1) + 1;
}

typedef struct gr_shap_kernels {
    /* Adds the terms of dense rows: those of the feature with slot s of row r, at the points, to
     * sums[r * sums_stride + s * points ...]. */
    void (*add)(const gr_shap_tree *tree, const float *values, size_t rows, size_t stride,
                void *work, double *sums, size_t sums_stride);
} gr_shap_kernels;

GR_KERNEL_VERSIONS(shap_tree, gr_shap_kernels)

#endif
