/* SPDX-License-Identifier: Apache-2.0 */
/* How well calibrated a model's grade probabilities are. */
#ifndef GR_PIPELINE_RELIABILITY_H
#define GR_PIPELINE_RELIABILITY_H

#include "model/model.h"

gradus_status gr_reliability(const gradus_context *context, const gradus_model *model,
                             const gradus_dataset *data, size_t bins, gradus_reliability *out,
                             gradus_error *err);

#endif
