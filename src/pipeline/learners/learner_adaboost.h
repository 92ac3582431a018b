/* SPDX-License-Identifier: Apache-2.0 */
/* The learner of the method "adaboost-mh". */
#ifndef GR_PIPELINE_LEARNERS_LEARNER_ADABOOST_H
#define GR_PIPELINE_LEARNERS_LEARNER_ADABOOST_H

#include "pipeline/learner.h"

extern const gr_learner *const gr_adaboost_learners[]; /* NULL-terminated */

#endif
