/* SPDX-License-Identifier: Apache-2.0 */
/* Facts about a model as members of a JSON object, for report pages and `gradus show --json`. */
#ifndef GR_EXPERIMENTS_MODEL_JSON_H
#define GR_EXPERIMENTS_MODEL_JSON_H

#include "base/json.h"

void gr_model_put_facts(gr_json_writer *j, const char *path, const gradus_model_facts *facts);
/* Calibrations with their parameters, the last applied first. */
void gr_model_put_calibrations(gr_json_writer *j, const gradus_model *model);
/* The members of an ensemble, recursively. */
gradus_status gr_model_put_members(gr_json_writer *j, const gradus_model *model, size_t members,
                                   gradus_error *err);
/* The name of the number that ranks features by importance: "gain" or "size". */
const char *gr_model_gain(const gradus_model_facts *facts);

#endif
