/* SPDX-License-Identifier: Apache-2.0 */
/* Feature importance of models. */
#ifndef GR_MODEL_USES_H
#define GR_MODEL_USES_H

#include "model/model.h"

/* See gradus_model_max_uses and gradus_model_uses. */
size_t gr_model_max_uses(const gradus_model *model);
gradus_status gr_model_uses(const gradus_model *model, gradus_feature_use *uses, size_t *count,
                            gradus_error *err);
/* Per feature, its importance and the number of places that use it; either may be NULL. For an
 * ensemble, each member's gains are normalised to sum to 1 and averaged with the absolute weights
 * of the members; places are summed. */
gradus_status gr_model_importance(const gradus_model *model, double *gains, uint64_t *places,
                                  gradus_error *err);

#endif
