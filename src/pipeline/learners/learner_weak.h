/* SPDX-License-Identifier: Apache-2.0 */
/* The learners of AdaRank and coordinate ascent. */
#ifndef GR_PIPELINE_LEARNERS_LEARNER_WEAK_H
#define GR_PIPELINE_LEARNERS_LEARNER_WEAK_H

#include "pipeline/learner.h"

extern const gr_learner *const gr_adarank_learners[];
extern const gr_learner *const gr_ascent_learners[];

#endif
