/* SPDX-License-Identifier: Apache-2.0 */
/* A model's file, in memory. */
#ifndef GR_TESTS_MODEL_BYTES_H
#define GR_TESTS_MODEL_BYTES_H

#include "gradus.h"

/* Aligned as gradus_model_from_memory requires; the caller frees it. */
char *model_bytes(const gradus_model *model, size_t *size);

/* Whether bytes are accepted as a model 'x.model'; refusing them must give a reason. They are
 * copied to a block of exactly their size. */
bool model_accepted(const char *bytes, size_t size, gradus_error *err);

#endif
