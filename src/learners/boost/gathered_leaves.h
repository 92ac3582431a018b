/* SPDX-License-Identifier: Apache-2.0 */
/* The leaves of a tree with the rows of all processes, for losses whose leaf values need the rows
 * and not only sums over them. */
#ifndef GR_LEARNERS_BOOST_GATHERED_LEAVES_H
#define GR_LEARNERS_BOOST_GATHERED_LEAVES_H

#include "learners/tree/tree.h"
#include "objectives/problem.h"

typedef struct gr_gathered_leaves {
    uint32_t *rows;   /* sampled rows of all processes, leaf by leaf, ascending within each leaf */
    uint32_t *starts; /* leaves + 1 offsets into rows */
    double *scores;   /* of all rows */
} gr_gathered_leaves;

/* Gathers the leaves and the scores (one output) of the rows of all processes. Free the result even
 * if this fails. */
gradus_status gr_leaves_gather(const gr_problem *problem, const gr_grown *grown,
                               const double *scores, gr_gathered_leaves *gathered,
                               gradus_error *err);
void gr_gathered_leaves_free(gr_gathered_leaves *gathered);

#endif
