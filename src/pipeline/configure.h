/* SPDX-License-Identifier: Apache-2.0 */
/* Everything that precedes the first round of a training. */
#ifndef GR_PIPELINE_CONFIGURE_H
#define GR_PIPELINE_CONFIGURE_H

#include "base/error.h"

/* Chooses and checks everything, and starts the learner. */
gradus_status gr_training_configure(gradus_training *training, gradus_error *err);

#endif
