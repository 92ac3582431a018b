/* SPDX-License-Identifier: Apache-2.0 */
/* Learners of the methods that combine weak rankers. */
#ifndef GR_PIPELINE_LEARNERS_LEARNER_WEAK_H
#define GR_PIPELINE_LEARNERS_LEARNER_WEAK_H

#include "pipeline/learner.h"

extern const gr_learner *const gr_adarank_learners[];
extern const gr_learner *const gr_ascent_learners[];
extern const gr_learner *const gr_rankboost_learners[];

#endif
