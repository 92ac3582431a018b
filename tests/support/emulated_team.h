/* SPDX-License-Identifier: Apache-2.0 */
/* The emulated device for trees with threads that run at the same time (thread_team.h). */
#ifndef GR_TESTS_EMULATED_TEAM_H
#define GR_TESTS_EMULATED_TEAM_H

#include "backend/tree_device.h"

extern const struct gradus_device team_device;

#endif
