/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by learners whose rounds are trees of a forest. */
#ifndef GR_PIPELINE_LEARNERS_FOREST_ROUNDS_H
#define GR_PIPELINE_LEARNERS_FOREST_ROUNDS_H

#include "learners/forest/forest.h"
#include "model/model.h"

/* Adds the bases of a model to sums (outputs x rows). */
void gr_add_bases(const double *bases, size_t outputs, size_t rows, double *sums);
/* Adds rounds [first, end) to sums of any rows, and the bases if first is 0. */
gradus_status gr_forest_add_rounds(const gr_forest *forest, uint64_t first, uint64_t end,
                                   const gradus_dataset *data, double *sums, gr_pool *pool,
                                   gradus_error *err);
/* A node with a copy of the first `rounds` rounds. */
gradus_status gr_forest_rounds_node(const gr_forest *forest, uint64_t rounds, gr_node *node,
                                    gradus_error *err);

#endif
