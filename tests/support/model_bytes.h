/* SPDX-License-Identifier: Apache-2.0 */
/* A model's file, in memory. */
#ifndef GR_TESTS_MODEL_BYTES_H
#define GR_TESTS_MODEL_BYTES_H

#include "gradus.h"

/* Aligned as gradus_model_from_memory requires; the caller frees it. */
char *model_bytes(const gradus_model *model, size_t *size);

#endif
