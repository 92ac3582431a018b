/* SPDX-License-Identifier: Apache-2.0 */
/* The learner of the method "calibrated". */
#ifndef GR_PIPELINE_LEARNERS_LEARNER_CALIBRATED_H
#define GR_PIPELINE_LEARNERS_LEARNER_CALIBRATED_H

#include "pipeline/learner.h"

extern const gr_learner *const gr_calibrated_learners[]; /* NULL-terminated */

#endif
