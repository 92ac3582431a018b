/* SPDX-License-Identifier: Apache-2.0 */
/* Distillation of a model. */
#ifndef GR_PIPELINE_DISTIL_H
#define GR_PIPELINE_DISTIL_H

#include "base/param.h"
#include "model/model.h"

gradus_model *gr_distil(gradus_context *context, const gradus_model *model,
                        const gradus_dataset *data, const gradus_options *options,
                        gradus_error *err);

#endif
