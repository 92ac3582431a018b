/* SPDX-License-Identifier: Apache-2.0 */
/* Scoring data that several processes have read together. */
#ifndef GR_MODEL_PREDICT_PARTS_H
#define GR_MODEL_PREDICT_PARTS_H

#include "base/context.h"
#include "model/model.h"

/* Whether processes divide the rows: then scoring them is a collective call. */
bool gr_rows_are_shared(const gradus_dataset *data);
/* As gr_model_run and gr_model_outputs (NULL: not requested): each process computes its rows, and all
 * get those of all. */
gradus_status gr_model_run_shared(const gradus_model *model, const gradus_dataset *data,
                                  const gradus_context *context, double *scores,
                                  double *probabilities, double *outputs, gradus_error *err);

#endif
