/* SPDX-License-Identifier: Apache-2.0 */
/* Losses of lists: what the scores of a query's rows cost, and the slopes at them.
 *
 * ranknet   the mean over pairs of different labels of log(1 + e^(-sigma (s_better - s_worse)))
 *           (Burges et al., 2005); the slopes of a row's pairs are summed before anything goes back
 *           through the net, so that a query of n rows takes n ways back, not one a pair
 * listnet   the cross-entropy of softmax(labels) and softmax(scores) (Cao et al., 2007)
 * listmle   the mean over rows of log(sum of e^s over what is left) - s, better labels being chosen
 *           first (Xia et al., 2008). Rows of one label are chosen from the same rows: all that are
 *           not better; among rows of the lowest label there is no order
 * squared   half the mean squared error
 * lambdarank has slopes only: objectives/lambdarank.h. */
#ifndef GR_LEARNERS_NET_LOSSES_H
#define GR_LEARNERS_NET_LOSSES_H

#include <stddef.h>
#include <stdint.h>

typedef enum gr_list_loss {
    GR_LOSS_RANKNET,
    GR_LOSS_LAMBDARANK,
    GR_LOSS_LISTNET,
    GR_LOSS_LISTMLE,
    GR_LOSS_NET_SQUARED
} gr_list_loss;

/* Rows of a query. */
typedef struct gr_list {
    size_t count;
    const double *scores; /* of all rows of the data */
    const float *labels;  /* of all rows */
    const float *weights; /* of all rows; NULL: 1. Lists are weighted by the mean of their rows' */
    const uint32_t *rows; /* which they are; by ascending label, but of the squared loss */
    double sigma;
} gr_list;

/* Doubles of scratch for a list of `count` rows. */
#define GR_LIST_SCRATCH(count) (4 * (count))

/* The loss, times the list's weight; its slopes are written for the rows of the list. */
double gr_list_slopes(gr_list_loss loss, const gr_list *list, float *slopes, double *scratch);

#endif
