/* SPDX-License-Identifier: Apache-2.0 */
/* Internal to AdaBoost: the state of training, shared by its files. */
#ifndef GR_LEARNERS_ADABOOST_ADABOOST_ROUND_H
#define GR_LEARNERS_ADABOOST_ADABOOST_ROUND_H

#include "learners/adaboost/adaboost.h"
#include "learners/adaboost/adaboost_abstain.h"
#include "learners/adaboost/edges.h"

/* A leaf of the tree being grown. */
typedef struct gr_vote_leaf {
    size_t first, end;  /* its range in gr_adaboost.order */
    int64_t *histogram; /* NULL: none */
    int64_t edge;       /* of its votes, without a cut */
    gr_cut cut;         /* its best cut */
    int32_t parent;     /* parent split; -1: the root */
    bool is_right;
} gr_vote_leaf;

struct gr_adaboost {
    gr_adaboost_task task;
    gr_pool *pool;
    gr_pool *asked; /* checked for cancellation */
    size_t rows, labels;
    gr_bins bins;
    gr_edges edges;
    gr_votes votes;
    double *sums;     /* f, labels x rows */
    double *powers;   /* unnormalised weights, labels x rows */
    int64_t *weights; /* (groups, rows, 4): w y as integers */
    int64_t all;      /* the sum of |weights| */
    double log_total; /* log of the sum of the initial weights times e^(-y f) */
    double *partial;  /* per chunk of rows: partial sums */
    int64_t *whole;   /* the same for |weights| */
    /* the base classifier */
    gr_split *splits;
    float *voting;           /* vectors of votes */
    uint32_t *order, *spare; /* rows, leaf by leaf */
    gr_vote_leaf *leaves;
    int64_t *histograms, *totals; /* per leaf */
    size_t leaf_room, leaf_count, split_count;
    bool *odd;        /* (terms + 1, rows): whether a row is left of each cut; the last: whether it
                         is left of an odd number of cuts, where the product is -1 */
    gr_cut *cuts;     /* one per term */
    int64_t *flipped; /* weights times the product of the other terms */
    gr_vote_cell *cells; /* votes of the base classifier; NULL: none abstain and no edge offset */
    double alpha, edge, normaliser, log_bound;
    bool separated;
    double preparing;
    gr_arena arena; /* owns the arrays but vectors */
};

/* adaboost_weights.c */
/* Computes the weights from the current sums. */
void gr_adaboost_weigh(gr_adaboost *boost);

/* adaboost_tree.c */
gradus_status gr_vote_tree_start(gr_adaboost *boost, gradus_error *err);
/* Grows the tree, unless cancelled; leaf l has the rows order[leaves[l].first] to
 * order[leaves[l].end - 1]. */
void gr_vote_tree_grow(gr_adaboost *boost);
/* Gives the leaves real-valued votes. Sets alpha and the normaliser. */
void gr_vote_tree_real(gr_adaboost *boost);
/* Fills the cells, one per leaf and label; returns their number. */
size_t gr_vote_tree_cells(gr_adaboost *boost);

/* adaboost_product.c */
gradus_status gr_vote_product_start(gr_adaboost *boost, gradus_error *err);
/* Finds the product, unless cancelled; the last row of `odd` says which rows get opposite votes. */
void gr_vote_product_find(gr_adaboost *boost);
/* Fills the cells, one per label; returns their number. */
size_t gr_vote_product_cells(gr_adaboost *boost);

enum { GR_ADABOOST_ROWS = 1 << 13 }; /* per task */

#endif
