/* SPDX-License-Identifier: Apache-2.0 */
/* Training on the used columns of wide sparse data. */
#ifndef GR_PIPELINE_NARROW_TRAINING_H
#define GR_PIPELINE_NARROW_TRAINING_H

#include "gradus.h"

/* Leaves out the unused columns of wide sparse data. */
gradus_status gr_training_narrow(gradus_training *training, gradus_error *err);
void gr_training_narrow_free(gradus_training *training);
/* Whether features are hashed: a fixed number of weights, which depend on the feature ids. */
bool gr_training_hashes(const gradus_training *training);

#endif
