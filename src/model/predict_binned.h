/* SPDX-License-Identifier: Apache-2.0 */
/* Scores of rows whose bins are known, but not their values (data/binned.h). */
#ifndef GR_MODEL_PREDICT_BINNED_H
#define GR_MODEL_PREDICT_BINNED_H

#include "base/context.h"
#include "model/model.h"

/* Whether the model's scores depend only on the bins: it consists of trees that split between bins
 * of the data. */
bool gr_model_takes_bins(const gradus_model *model, const gradus_dataset *data);
/* As gr_model_run, for such a model. */
gradus_status gr_model_run_bins(const gradus_model *model, const gradus_dataset *data,
                                const gradus_context *context, double *scores,
                                double *probabilities, gradus_error *err);

#endif
