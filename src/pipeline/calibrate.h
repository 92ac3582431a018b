/* SPDX-License-Identifier: Apache-2.0 */
/* Calibrated models. */
#ifndef GR_PIPELINE_CALIBRATE_H
#define GR_PIPELINE_CALIBRATE_H

#include "base/param.h"
#include "model/model.h"

extern const gr_operation gr_operation_calibrate;

gradus_model *gr_calibrate(const gradus_context *context, const gradus_model *model,
                           const gradus_dataset *data, const gradus_options *options,
                           gradus_error *err);

#endif
