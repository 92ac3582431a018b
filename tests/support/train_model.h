/* SPDX-License-Identifier: Apache-2.0 */
/* Training a model with options given as name, value pairs, NULL-terminated. */
#ifndef GR_TESTS_TRAIN_MODEL_H
#define GR_TESTS_TRAIN_MODEL_H

#include "gradus.h"

/* The options of "train". */
gradus_options *train_options(const char *const *pairs);

/* valid: NULL for none. Failures fail the test. */
gradus_model *train_model(size_t threads, const gradus_dataset *train, const gradus_dataset *valid,
                          const char *const *pairs);

/* Frees the options. */
gradus_model *train_by_options(size_t threads, const gradus_dataset *train,
                               const gradus_dataset *valid, gradus_options *options);

/* Compares the files of two models. */
void check_same_model(const gradus_model *a, const gradus_model *b);

#endif
