/* SPDX-License-Identifier: Apache-2.0 */
/* The learner of RankBoost. */
#ifndef GR_PIPELINE_LEARNERS_LEARNER_RANKBOOST_H
#define GR_PIPELINE_LEARNERS_LEARNER_RANKBOOST_H

#include "pipeline/learner.h"

extern const gr_learner *const gr_rankboost_learners[]; /* NULL-terminated */

#endif
