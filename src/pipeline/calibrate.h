/* SPDX-License-Identifier: Apache-2.0 */
/* Models built from other models: calibrated models and ensembles. */
#ifndef GR_PIPELINE_CALIBRATE_H
#define GR_PIPELINE_CALIBRATE_H

#include "base/param.h"
#include "model/model.h"

extern const gr_operation gr_operation_calibrate, gr_operation_ensemble;

gradus_model *gr_calibrate(const gradus_context *context, const gradus_model *model,
                           const gradus_dataset *data, const gradus_options *options,
                           gradus_error *err);
gradus_model *gr_ensemble(const gradus_context *context, const gradus_model *const *models,
                          size_t count, const gradus_dataset *valid, const gradus_options *options,
                          gradus_error *err);
gradus_status gr_reliability(const gradus_context *context, const gradus_model *model,
                             const gradus_dataset *data, size_t bins, gradus_reliability *out,
                             gradus_error *err);

/* A model that borrows the nodes of other models, which must outlive it. Takes over the scorer. */
gradus_model *gr_model_wrap(const gradus_model *model, gr_scorer *scorer, gradus_error *err);
/* Adds the nodes of a model, borrowed. *last: index of its last node in `to`. */
gradus_status gr_model_borrow(gradus_model *to, const gradus_model *from, size_t *last,
                              gradus_error *err);
/* Adds a node with the given inputs; frees it on failure. */
gradus_status gr_model_append(gradus_model *to, gr_node *node, const size_t *inputs, size_t count,
                              gradus_error *err);
/* The level of each row among the grades of a scorer; fails if a label is not one of them. */
gradus_status gr_levels_of(const gr_scorer *scorer, const gradus_dataset *data, uint8_t *level_of,
                           gradus_error *err);

#endif
