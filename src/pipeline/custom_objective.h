/* SPDX-License-Identifier: Apache-2.0 */
/* Objectives defined by the caller. */
#ifndef GR_PIPELINE_CUSTOM_OBJECTIVE_H
#define GR_PIPELINE_CUSTOM_OBJECTIVE_H

#include "objectives/objective.h"

/* Its `custom` option is the gradus_training. */
extern const gr_objective gr_custom_objective;

#endif
