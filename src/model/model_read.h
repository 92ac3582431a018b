/* SPDX-License-Identifier: Apache-2.0 */
/* Builds a model from the bytes of a file. */
#ifndef GR_MODEL_MODEL_READ_H
#define GR_MODEL_MODEL_READ_H

#include "model/model.h"
#include "model/model_reader.h"

/* Reads from memory, which must outlive the model and be aligned to 64 bytes. name: for
 * messages. */
gradus_model *gr_model_parse(const void *bytes, size_t size, const char *name, gradus_error *err);
/* Reads the scorer of the model or of the node being read. What is read is not checked, and must be
 * freed whatever the status. */
gradus_status gr_scorer_take(const gr_model_reader *reader, gr_scorer *scorer, gradus_error *err);

#endif
