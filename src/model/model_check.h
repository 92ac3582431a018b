/* SPDX-License-Identifier: Apache-2.0 */
/* Consistency checks for any model. */
#ifndef GR_MODEL_MODEL_CHECK_H
#define GR_MODEL_MODEL_CHECK_H

#include "model/model.h"

/* Checks that the parts of a model are consistent (the nodes check themselves), so that a written
 * file can be read back. */
gradus_status gr_model_check(const gradus_model *model, gradus_error *err);
/* The same for a scorer alone. */
gradus_status gr_model_check_scorer(const gr_scorer *scorer, gradus_error *err);

#endif
