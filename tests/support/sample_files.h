/* SPDX-License-Identifier: Apache-2.0 */
/* Model files for the tests: a temporary folder, and the bytes of sample models. */
#ifndef GR_TESTS_SAMPLE_FILES_H
#define GR_TESTS_SAMPLE_FILES_H

#include "random_sets.h"
#include "sample_model.h"
#include "seal.h"

/* Of the current test: set by set_up_samples. */
extern char sample_folder[64], sample_path[128];

int set_up_samples(void **state);

int tear_down_samples(void **state);

char *sample_bytes(const gradus_model *model, size_t *size);

char *sample_kind_bytes(size_t kind, size_t *size);

#endif
