/* SPDX-License-Identifier: Apache-2.0 */
/* The choice of a transform of the features. */
#ifndef GR_PIPELINE_CHOOSE_TRANSFORM_H
#define GR_PIPELINE_CHOOSE_TRANSFORM_H

#include "base/error.h"

/* Replaces --transform auto with a transform. */
gradus_status gr_training_choose_transform(gradus_training *training, gradus_error *err);

#endif
