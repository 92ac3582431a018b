/* SPDX-License-Identifier: Apache-2.0 */
/* A check of the finished model. */
#ifndef GR_PIPELINE_CHECK_CONSTANT_H
#define GR_PIPELINE_CHECK_CONSTANT_H

#include "base/error.h"

/* Notes if the finished model ranks no better than a constant score. */
gradus_status gr_training_check_constant(gradus_training *training, gradus_error *err);

#endif
