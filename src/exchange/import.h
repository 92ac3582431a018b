/* SPDX-License-Identifier: Apache-2.0 */
/* Models of other tools (importers.def), recognised by their content: converts them, and reads them
 * wherever a model file is accepted. */
#ifndef GR_EXCHANGE_IMPORT_H
#define GR_EXCHANGE_IMPORT_H

#include "base/table.h"
#include "model/model.h"

/* Converts a file of another tool: plain, gzip or zstd; "-": standard input. GRADUS_BAD_FORMAT: no
 * importer recognises it, or it is damaged; GRADUS_BAD_ARGUMENT: the model cannot be expressed. */
gradus_model *gr_model_import(const char *path, gradus_error *err);
/* The same from memory. name: for messages. */
gradus_model *gr_model_import_bytes(const char *bytes, size_t size, const char *name,
                                    gradus_error *err);

const gr_about *gr_importers_at(size_t index); /* NULL past the last */

/* Reads a model of gradus or of another tool. */
gradus_model *gr_model_read_any(const char *path, gradus_error *err);
/* Whether a file starts like a model of gradus or of another tool; false if it cannot be read. Fails
 * only for lack of memory. */
gradus_status gr_model_is_any(const char *path, bool *is_model, gradus_error *err);

#endif
