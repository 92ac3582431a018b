/* SPDX-License-Identifier: Apache-2.0 */
/* Warm start and checkpoints. */
#ifndef GR_PIPELINE_RESUME_H
#define GR_PIPELINE_RESUME_H

#include "base/error.h"

/* Checks the model to start from, if there is one, and takes over its rounds and its curve. */
gradus_status gr_training_resume(gradus_training *training, gradus_error *err);

#endif
