/* SPDX-License-Identifier: Apache-2.0 */
/* Facts about models of any kind. */
#ifndef GR_MODEL_MODEL_FACTS_H
#define GR_MODEL_MODEL_FACTS_H

#include "model/model.h"

/* See gradus_model_fact_at. */
bool gr_model_fact_at(const gradus_model *model, size_t index, gradus_model_fact *fact);
/* See gradus_model_describe. */
void gr_model_describe(const gradus_model *model, gradus_model_info *info);

#endif
