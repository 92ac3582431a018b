/* SPDX-License-Identifier: Apache-2.0 */
/* Losses over the rows of a query, and their gradients in the scores.
 *
 * ranknet: the mean over pairs with different labels of log(1 + e^(-sigma (s_better - s_worse)))
 * (Burges et al. 2005). The gradients of a row's pairs are summed before backpropagation, which
 * therefore runs once per row, not once per pair.
 *
 * listnet: the cross-entropy between softmax(labels) and softmax(scores) (Cao et al. 2007).
 *
 * listmle: the mean over rows of log(sum of e^s over the remaining rows) - s, when rows are chosen
 * in the order of their labels, best first (Xia et al. 2008). Rows with the same label are all
 * chosen from the same set, the rows that are not better; rows with the lowest label contribute
 * nothing.
 *
 * squared: half the mean squared error.
 *
 * lambdarank has gradients only: objectives/objective_lambdarank.h. */
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

/* The rows of a query. */
typedef struct gr_list {
    size_t count;
    const double *scores; /* [row of the data] */
    const float *labels;  /* [row of the data] */
    const float *weights; /* [row of the data]; NULL: all 1. Lists weigh the mean of their rows */
    const uint32_t *rows; /* [count]: rows of the list; by ascending label (squared: any order) */
    double sigma;
} gr_list;

/* Doubles of scratch needed for a list of `count` rows. */
#define GR_LIST_SCRATCH(count) (4 * (count))

/* Returns the loss times the list's weight, and writes its derivatives in the scores to slopes
 * ([row of the data]) for the rows of the list. */
double gr_list_slopes(gr_list_loss loss, const gr_list *list, float *slopes, double *scratch);

#endif
