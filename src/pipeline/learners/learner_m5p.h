/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by model trees and bagged model trees: rounds of trees whose outputs are averaged. */
#ifndef GR_PIPELINE_LEARNERS_LEARNER_M5P_H
#define GR_PIPELINE_LEARNERS_LEARNER_M5P_H

#include "pipeline/train.h"

typedef struct gr_m5_rounds {
    gr_fit fit;
    gr_m5_grower *grower;
    gr_m5 m5;
    gr_m5 *ahead; /* bagging: rounds that were grown but not used yet */
    size_t ahead_first, ahead_end;
    gr_array sums, outputs; /* double, outputs x rows, of the training rows */
} gr_m5_rounds;

/* bagged: can start from a model. */
gradus_status gr_m5_rounds_start(const gr_fit *fit, bool bagged, void **state, gradus_error *err);
/* Grows the trees of a round on rows with these counts (NULL: all), without adding them. */
gradus_status gr_m5_rounds_grow(const gr_m5_rounds *rounds, const uint32_t *counts, gr_pool *pool,
                                gr_m5 *trees, gradus_error *err);
/* Adds a round and frees it. */
gradus_status gr_m5_rounds_add(gr_m5_rounds *rounds, gr_m5 *trees, gradus_error *err);
uint64_t gr_m5_rounds_done(const void *state);
const double *gr_m5_rounds_outputs(const void *state);
gradus_status gr_m5_rounds_add_outputs(const void *state, uint64_t first, uint64_t end,
                                       const gradus_dataset *data, double *sums, gr_pool *pool,
                                       gradus_error *err);
gradus_status gr_m5_rounds_node(const void *state, uint64_t kept, gr_node *made, gradus_error *err);
double gr_m5_rounds_preparing(const void *state);
void gr_m5_rounds_end(void *state);

#endif
