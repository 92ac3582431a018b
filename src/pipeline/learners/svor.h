/* SPDX-License-Identifier: Apache-2.0 */
/* The learners that methods of support vector ordinal regression bring themselves. */
#ifndef GR_PIPELINE_LEARNERS_SVOR_H
#define GR_PIPELINE_LEARNERS_SVOR_H

#include "pipeline/learner.h"

extern const gr_learner gr_learner_svor_linear;    /* "linear" */
extern const gr_learner *const gr_svor_learners[]; /* "kernel", "linear"; NULL ends them */

#endif
