/* SPDX-License-Identifier: Apache-2.0 */
/* The learner that adaboost-mh brings itself. */
#ifndef GR_PIPELINE_LEARNERS_ADABOOST_H
#define GR_PIPELINE_LEARNERS_ADABOOST_H

#include "pipeline/learner.h"

extern const gr_learner *const gr_adaboost_learners[]; /* NULL ends them */

#endif
