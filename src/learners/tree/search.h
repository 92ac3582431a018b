/* SPDX-License-Identifier: Apache-2.0 */
/* The best place to cut a feature, from the histogram of a node.
 *
 * Everything is in the integers of the lanes, as doubles, which hold them exactly. Cutting after
 * bin b leaves G, H = GL + GR, HL + HR. What is compared is the score (GL^2 (HR + l2) + GR^2 (HL +
 * l2)) / ((HL + l2) (HR + l2)), which is GL^2 / (HL + l2) + GR^2 / (HR + l2) with one division. Of
 * equal scores the lower bin wins, then missing values to the right. */
#ifndef GR_LEARNERS_TREE_SEARCH_H
#define GR_LEARNERS_TREE_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the features of a node share. */
typedef struct gr_search {
    double gradient, hessian; /* of all its rows */
    double need;              /* least hessian of a side; at least 1 */
    double l2;
    double low, high; /* where values, -G / (H + l2), must be, if checked */
    bool checked;     /* some feature is monotone: values must be in order and in bounds */
    bool wide;
} gr_search;

/* The rows of a node by bins of a feature, where hessians do not count them. */
typedef struct gr_bin_rows {
    const uint32_t *counts; /* bins of values, then missing values (0 without such a bin) */
    uint64_t rows;          /* of the node */
    uint64_t min_rows;      /* of a side */
} gr_bin_rows;

typedef struct gr_feature_slots {
    const uint64_t *slots;
    size_t bins;             /* with the bin of missing values, which is the last */
    bool missing;            /* whether there is such a bin */
    int sign;                /* 1, -1: values must rise, fall from left to right; 0: any */
    const gr_bin_rows *rows; /* only cuts that leave min_rows on each side; NULL: any */
} gr_feature_slots;

typedef struct gr_candidate {
    double score;             /* below 0: there is none */
    double gradient, hessian; /* of the left side */
    uint32_t bin;             /* the last of the left side */
    uint32_t missing_left;    /* without missing values in the node: the heavier side */
    bool counted;             /* found among cuts with enough rows */
} gr_candidate;

/* scratch: 2 * bins + 8 doubles. */
gr_candidate gr_search_feature(const gr_search *node, const gr_feature_slots *feature,
                               double *scratch);

#endif
