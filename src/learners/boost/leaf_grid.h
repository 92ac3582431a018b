/* SPDX-License-Identifier: Apache-2.0 */
/* Least squares on a grid: base and leaf values that are multiples of a power of two, so that scores
 * are too and the trees' integer gradients are exact instead of rounded stochastically. The root
 * histogram of a round is then the sum of the leaf histograms of the round before
 * (learners/tree/root_carry.c). */
#ifndef GR_LEARNERS_BOOST_LEAF_GRID_H
#define GR_LEARNERS_BOOST_LEAF_GRID_H

#include "learners/boost/boost_state.h"

#include <math.h>

enum { GR_GRID_ROWS = 1 << 16 }; /* smallest training set with a grid */

/* The grid of a training: values are multiples of 1 / grid; 0: no grid. A function of data and
 * options, which all processes and devices agree on and which a resumed training finds again. start:
 * the forest to resume from; NULL: none. initial: as in gr_booster_new. */
double gr_leaf_grid(const gr_boost_state *boosting, const gr_forest *start, const double *initial);

/* The nearest multiple of 1 / grid; `value` if there is no grid. */
static inline double gr_on_grid(double value, double grid)
{
    return grid > 0.0 ? rint(value * grid) / grid : value;
}

#endif
