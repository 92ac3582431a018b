/* SPDX-License-Identifier: Apache-2.0 */
/* Opens model files. */
#ifndef GR_MODEL_MODEL_OPEN_H
#define GR_MODEL_MODEL_OPEN_H

#include "base/source.h"
#include "model/model.h"

gradus_model *gr_model_read(const char *path, gradus_error *err);
/* The same from memory, which is copied. name: for messages. */
gradus_model *gr_model_from_bytes(const void *bytes, size_t size, const char *name,
                                  gradus_error *err);
/* Reads a source of which at most the front was peeked at. */
gradus_model *gr_model_read_source(gr_source *source, gradus_error *err);
/* Whether a file starts like a model. */
bool gr_model_is_file(const char *path);

#endif
