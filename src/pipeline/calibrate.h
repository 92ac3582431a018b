/* SPDX-License-Identifier: Apache-2.0 */
/* Models made of models: calibrated ones, and ensembles. */
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

/* A model whose nodes are those of others, which outlive it, and a scorer that is taken over. */
gradus_model *gr_model_around(const gradus_model *model, gr_scorer *scorer, gradus_error *err);
/* Adds the nodes of a model, borrowed; *last: the number of its last node here. */
gradus_status gr_model_borrow(gradus_model *to, const gradus_model *from, size_t *last,
                              gradus_error *err);
/* Adds a node that takes those listed; it is freed if that fails. */
gradus_status gr_model_append(gradus_model *to, gr_node *node, const size_t *inputs, size_t count,
                              gradus_error *err);
/* The level of each row among those of a scorer; an error if a label is none of them. */
gradus_status gr_levels_of(const gr_scorer *scorer, const gradus_dataset *data, uint8_t *level_of,
                           gradus_error *err);

#endif
