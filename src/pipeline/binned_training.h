/* SPDX-License-Identifier: Apache-2.0 */
/* Training on a binned file. */
#ifndef GR_PIPELINE_BINNED_TRAINING_H
#define GR_PIPELINE_BINNED_TRAINING_H

#include "base/context.h"

/* If the training data are a binned file: takes its binning options, so that the model records
 * them, and refuses what contradicts them or needs values. */
gradus_status gr_training_take_binning(gradus_training *training, gradus_error *err);

#endif
