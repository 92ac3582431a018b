/* SPDX-License-Identifier: Apache-2.0 */
/* Facts about a model as members of a JSON object, for report pages and `gradus show --json`. Facts
 * of a new kind of model appear without a change. */
#ifndef GR_EXPERIMENTS_MODEL_JSON_H
#define GR_EXPERIMENTS_MODEL_JSON_H

#include "base/json.h"

void gr_model_put_info(gr_json_writer *j, const char *path, const gradus_model *model,
                       const gradus_model_info *info);
/* Facts that belong together, as objects: "kernel.name" and "kernel.degree" are members of an object
 * "kernel". */
void gr_model_put_groups(gr_json_writer *j, const gradus_model *model);
/* Calibrations with their parameters, the last applied first. */
void gr_model_put_calibrations(gr_json_writer *j, const gradus_model *model);
/* The members of an ensemble, recursively. */
gradus_status gr_model_put_members(gr_json_writer *j, const gradus_model *model, size_t members,
                                   gradus_error *err);

/* Length of the part of a fact's name before the dot; 0: it has none. */
size_t gr_fact_group(const gradus_model_fact *fact);
/* Whether it measures the size of the model: a count without a group. */
bool gr_fact_is_size(const gradus_model_fact *fact);

#endif
