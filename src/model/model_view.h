/* SPDX-License-Identifier: Apache-2.0 */
/* A model under another scoring rule, or truncated to its first rounds. */
#ifndef GR_MODEL_MODEL_VIEW_H
#define GR_MODEL_MODEL_VIEW_H

#include "model/model.h"
#include "scoring/choose.h"

/* The model under another scoring rule (NULL: unchanged), truncated to its first `rounds` rounds
 * (0: all). */
gradus_model *gr_model_view(const gradus_model *model, const gr_score_choice *choice,
                            uint64_t rounds, const gradus_context *context, gradus_error *err);
/* The predicted grade of each row; fails for models without grades. */
gradus_status gr_model_grades(const gradus_model *model, const gradus_dataset *data,
                              const gradus_context *context, double *grades, gradus_error *err);

#endif
