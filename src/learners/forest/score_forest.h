/* SPDX-License-Identifier: Apache-2.0 */
/* The trees of a forest in the form in which devices take them. */
#ifndef GR_LEARNERS_FOREST_SCORE_FOREST_H
#define GR_LEARNERS_FOREST_SCORE_FOREST_H

#include "backend/score_device.h"
#include "learners/forest/forest.h"

typedef struct gr_score_forest {
    gr_score_trees trees; /* those of the rounds, as if they were the first; bases of the forest */
    gr_score_node *nodes;
    uint64_t *starts;
} gr_score_forest;

/* Whether devices can take the numbers of the features, which must leave a bit free. */
static inline bool gr_score_forest_fits(const gr_forest *forest)
{
    return forest->features <= UINT32_MAX / 2;
}

/* Describes rounds [first, end). The leaf values are those of the forest. */
gradus_status gr_score_forest_make(const gr_forest *forest, size_t first, size_t end,
                                   gr_score_forest *made, gradus_error *err);
void gr_score_forest_free(gr_score_forest *made);

#endif
