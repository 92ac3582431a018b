/* SPDX-License-Identifier: Apache-2.0 */
/* The exact linear solver of RankSVM. */
#ifndef GR_PIPELINE_LEARNERS_LEARNER_RANKSVM_H
#define GR_PIPELINE_LEARNERS_LEARNER_RANKSVM_H

#include "pipeline/learner.h"

extern const gr_learner gr_learner_ranksvm_linear;

#endif
