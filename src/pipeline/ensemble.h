/* SPDX-License-Identifier: Apache-2.0 */
/* Ensembles of models. */
#ifndef GR_PIPELINE_ENSEMBLE_H
#define GR_PIPELINE_ENSEMBLE_H

#include "model/model.h"

gradus_model *gr_ensemble(const gradus_context *context, const gradus_model *const *models,
                          size_t count, const gradus_dataset *valid, const gradus_options *options,
                          gradus_error *err);

#endif
