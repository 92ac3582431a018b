/* SPDX-License-Identifier: Apache-2.0 */
/* Writes model files; docs/formats/models.md specifies the format. */
#ifndef GR_MODEL_MODEL_WRITE_H
#define GR_MODEL_MODEL_WRITE_H

#include "base/json.h"
#include "model/model.h"
#include "model/section_layout.h"

/* Size of the file in bytes. */
gradus_status gr_model_size(const gradus_model *model, uint64_t *size, gradus_error *err);
gradus_status gr_model_write(const gradus_model *model, const char *path, gradus_error *err);
/* The file in memory: *bytes is freed with free(). */
gradus_status gr_model_to_bytes(const gradus_model *model, void **bytes, size_t *size,
                                gradus_error *err);
/* The model as members of the object that is open in json: those of the header of a file, with the
 * contents of the sections as numbers (docs/formats/exported-models.md). */
gradus_status gr_model_put_json(const gradus_model *model, gr_json_writer *json, gradus_error *err);

/* For the kinds of nodes: the JSON object for the facts of the node being written. */
gr_json_writer *gr_model_json(gr_model_writer *writer);
/* Adds a section for the node being written. layout: the type of its items (section_layout.h);
 * NULL: JSON has the same in another form. The bytes must stay valid until the file is written. */
gradus_status gr_model_add_section(gr_model_writer *writer, const char *name, const char *layout,
                                   const void *bytes, size_t size, gradus_error *err);
/* Adds a scorer to the model or to the node being written. */
gradus_status gr_scorer_put(const gr_scorer *scorer, gr_model_writer *writer, gradus_error *err);

#endif
