/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the best cut of a feature from the histogram of a node.
 *
 * All sums are the quantised integers, held exactly as doubles. A cut after bin b divides the
 * node's sums G and H into GL + GR and HL + HR. Its score is GL^2 / (HL + l2) + GR^2 / (HR + l2),
 * computed with a single division as (GL^2 (HR + l2) + GR^2 (HL + l2)) / ((HL + l2) (HR + l2)).
 * Ties go to the lower bin, then to missing values on the right. */
#ifndef GR_LEARNERS_TREE_SPLIT_SEARCH_H
#define GR_LEARNERS_TREE_SPLIT_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The settings common to all features of a node. */
typedef struct gr_search {
    double gradient, hessian; /* sums over its rows */
    double need;              /* minimum hessian sum of a side; at least 1 */
    double l2;
    double low, high; /* bounds of the values -G / (H + l2), if checked */
    bool checked;     /* monotone constraints exist: check the order and bounds of values */
    bool wide;        /* bin_sums are pairs of 64-bit sums */
} gr_search;

/* Rows per bin of a feature in a node, where hessians do not count rows. */
typedef struct gr_bin_rows {
    const uint32_t *counts; /* bins of values, then of missing values (0 if there is no such bin) */
    uint64_t rows;          /* of the node */
    uint64_t min_rows;      /* of each side */
} gr_bin_rows;

/* The histogram entries of one feature. */
typedef struct gr_feature_sums {
    const uint64_t *bin_sums;
    size_t bins;             /* including the bin of missing values, which comes last */
    bool missing;            /* whether there is such a bin */
    int sign;                /* values must rise (1) or fall (-1) from left to right; 0: any */
    const gr_bin_rows *rows; /* only try cuts that leave min_rows on each side; NULL: any */
} gr_feature_sums;

typedef struct gr_candidate {
    double score;             /* negative: no valid cut */
    double gradient, hessian; /* sums of the left side */
    uint32_t bin;             /* the last bin of the left side */
    uint32_t missing_left;    /* if the node has no missing values: the heavier side */
    bool counted;             /* both sides are known to have min_rows rows */
} gr_candidate;

/* scratch: 2 * bins + 8 doubles. */
gr_candidate gr_search_feature(const gr_search *node, const gr_feature_sums *feature,
                               double *scratch);

#endif
