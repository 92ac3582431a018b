/* SPDX-License-Identifier: Apache-2.0 */
/* The learners of the support vector ordinal regression methods. */
#ifndef GR_PIPELINE_LEARNERS_LEARNER_SVOR_H
#define GR_PIPELINE_LEARNERS_LEARNER_SVOR_H

#include "pipeline/learner.h"

extern const gr_learner gr_learner_svor_linear;    /* "linear" */
extern const gr_learner *const gr_svor_learners[]; /* "kernel", "linear"; NULL-terminated */

#endif
