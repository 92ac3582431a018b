/* SPDX-License-Identifier: Apache-2.0 */
/* Alpha with an edge offset, and votes of 0, as in MultiBoost (Benbouzid and others, 2012).
 *
 * Let e+, e- and e0 be the weights of the votes that are right, wrong and 0. With an offset theta a
 * round minimises the margin loss
 *
 *     Z(alpha) = e- e^(alpha (1 + theta)) + e+ e^(-alpha (1 - theta)) + e0 e^(alpha theta)
 *
 * whose minimum is the positive root u = e^alpha of (1 + theta) e- u^2 + theta e0 u = (1 - theta) e+.
 * It is above 1 only if the edge e+ - e- exceeds theta times the whole weight.
 *
 * For fixed alpha > 0 a vote with the weights a for and b against it, a >= b, lowers Z if b / a < e^-alpha:
 * the votes that remain are those with the smallest b / a. So the best set of votes is one of the
 * prefixes in that order, and the search is exact. */
#ifndef GR_LEARNERS_ADABOOST_ADABOOST_ABSTAIN_H
#define GR_LEARNERS_ADABOOST_ADABOOST_ABSTAIN_H

#include <stdbool.h>
#include <stddef.h>

/* The votes of one label on some rows. */
typedef struct gr_vote_cell {
    double right, wrong; /* weights, right >= wrong */
    size_t index;
    bool votes; /* output; else it abstains */
} gr_vote_cell;

/* Weights of votes. */
typedef struct gr_vote_sums {
    double right, wrong, none;
} gr_vote_sums;

/* The alpha that minimises Z; wrong > 0, 0 <= offset < 1. */
double gr_vote_alpha(gr_vote_sums sums, double offset);
double gr_vote_loss(gr_vote_sums sums, double offset, double alpha);

/* Chooses the cells that vote: those that minimise Z over alpha >= 0, where `least` is added to the right
 * and the wrong weight, so that a few pure cells do not get an infinite alpha. Sorts the cells by
 * wrong / right, then index. Returns the sums of the choice, without `least`. */
gr_vote_sums gr_vote_choose(gr_vote_cell *cells, size_t count, double offset, double least);

#endif
