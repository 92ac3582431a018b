/* SPDX-License-Identifier: Apache-2.0 */
/* What a round works with, shared by the files that find base classifiers. */
#ifndef GR_LEARNERS_ADABOOST_ROUND_H
#define GR_LEARNERS_ADABOOST_ROUND_H

#include "learners/adaboost/adaboost.h"
#include "learners/adaboost/edges.h"

/* A leaf of the tree that is growing. */
typedef struct gr_vote_leaf {
    size_t first, end;  /* places in rows */
    int64_t *histogram; /* NULL: none */
    int64_t edge;       /* of its votes */
    gr_cut cut;         /* the best */
    int32_t parent;     /* split; -1: the root */
    bool is_right;
} gr_vote_leaf;

struct gr_adaboost {
    gr_adaboost_task task;
    gr_pool *pool;
    gr_pool *asked; /* whether to stop */
    size_t rows, labels;
    gr_bins bins;
    gr_edges edges;
    gr_votes votes;
    double *sums;     /* labels x rows */
    double *powers;   /* e^(...) of each label and row, before they are divided by their sum */
    int64_t *weights; /* (groups, rows, 4): signed, whole numbers */
    int64_t all;      /* the sum of their sizes */
    double log_total; /* log of the sum of the first weights times e^(-y f) */
    double *partial;  /* one a stretch of rows */
    int64_t *whole;   /* the same, of the sizes of weights */
    /* the base classifier */
    gr_split *splits;
    float *voting;           /* vectors of votes */
    uint32_t *order, *spare; /* rows, leaf by leaf */
    gr_vote_leaf *leaves;
    int64_t *histograms, *totals; /* one a leaf */
    size_t leaf_room, leaf_count, split_count;
    bool *odd;        /* (terms + 1, rows): on the left of each cut, and whether of an odd number */
    gr_cut *cuts;     /* one a term */
    int64_t *flipped; /* weights with the signs of the other terms */
    double alpha, edge, normaliser, log_bound;
    bool separated;
    double preparing;
};

/* Weights from the sums so far. */
void gr_adaboost_weigh(gr_adaboost *boost);

gradus_status gr_vote_tree_start(gr_adaboost *boost, gradus_error *err);
/* Finds the tree, unless it is cancelled; leaf l has the rows order[leaves[l].first] to order[leaves[l].end - 1]. */
void gr_vote_tree_grow(gr_adaboost *boost);
/* Votes of real value for the leaves that were found. Sets alpha and the normaliser. */
void gr_vote_tree_real(gr_adaboost *boost);

gradus_status gr_vote_product_start(gr_adaboost *boost, gradus_error *err);
/* Finds the product, unless it is cancelled; the last row of `odd` says which rows get the opposite votes. */
void gr_vote_product_find(gr_adaboost *boost);

static inline size_t gr_adaboost_stretches(const gr_adaboost *boost)
{
    return (boost->rows + (1 << 13) - 1) >> 13;
}
static inline size_t gr_adaboost_end(const gr_adaboost *boost, size_t stretch)
{
    const size_t end = (stretch + 1) << 13;

    return end < boost->rows ? end : boost->rows;
}

#endif
