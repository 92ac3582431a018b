/* SPDX-License-Identifier: Apache-2.0 */
/* Gains of labels, for the loss and the metric of a training. */
#ifndef GR_PIPELINE_TRAINING_GAINS_H
#define GR_PIPELINE_TRAINING_GAINS_H

#include "base/error.h"

/* Chooses the gains of labels in the loss and in the metric, and a metric that suits the labels. */
gradus_status gr_training_configure_gains(gradus_training *training, gradus_error *err);
bool gr_is_gain_option(const char *name);

#endif
