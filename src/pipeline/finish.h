/* SPDX-License-Identifier: Apache-2.0 */
/* Models from trainings. */
#ifndef GR_PIPELINE_FINISH_H
#define GR_PIPELINE_FINISH_H

#include "base/error.h"

/* A model or, if it is not finished, a checkpoint. rounds: the number of rounds to keep. */
gradus_model *gr_training_model(const gradus_training *training, uint64_t rounds, bool finished,
                                gradus_error *err);

#endif
