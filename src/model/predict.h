/* SPDX-License-Identifier: Apache-2.0 */
/* Scores, probabilities and outputs of rows. */
#ifndef GR_MODEL_PREDICT_H
#define GR_MODEL_PREDICT_H

#include "base/context.h"
#include "model/model.h"

/* Checks that data can be scored: too few features are an error; extra features are ignored, with a
 * note. */
gradus_status gr_model_fits(const gradus_model *model, const gradus_dataset *data,
                            const gradus_context *context, gradus_error *err);
/* scores: one per row; probabilities: rows x levels; NULL: not requested. Fails with
 * GRADUS_BAD_NUMBER if a result is not finite, as the functions below do. */
gradus_status gr_model_run(const gradus_model *model, const gradus_dataset *data,
                           const gradus_context *context, double *scores, double *probabilities,
                           gradus_error *err);
/* The same for dense rows, on the calling thread. The rows form one query. */
gradus_status gr_model_run_rows(const gradus_model *model, const float *values, size_t rows,
                                size_t stride, double *scores, double *probabilities,
                                gradus_error *err);
/* The outputs of the last node: outputs x rows. */
gradus_status gr_model_outputs(const gradus_model *model, const gradus_dataset *data,
                               const gradus_context *context, double *outputs, gradus_error *err);

#endif
