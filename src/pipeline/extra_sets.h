/* SPDX-License-Identifier: Apache-2.0 */
/* Sets in the input.others of a training: evaluated, without influence on it. */
#ifndef GR_PIPELINE_EXTRA_SETS_H
#define GR_PIPELINE_EXTRA_SETS_H

#include "base/error.h"

/* Computes their outputs for the rounds done so far. */
gradus_status gr_others_start(gradus_training *training, gradus_error *err);
/* Adds a round to their outputs; if `measure`, evaluates them. */
gradus_status gr_others_step(gradus_training *training, uint64_t round, bool measure,
                             gradus_error *err);
double gr_others_value(const gradus_training *training, size_t index); /* NAN: not evaluated */
/* The caller's dataset of which `data` is a copy, transformed or with fewer columns; data itself if
 * training uses none. */
const gradus_dataset *gr_given_set(const gradus_training *training, const gradus_dataset *data);
void gr_others_free(gradus_training *training);

#endif
