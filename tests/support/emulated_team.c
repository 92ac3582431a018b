/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of emulated_device.c, with other names, over a team of threads. */
#include "emulated_team.h"

#include "thread_team.h" /* before the bodies */

#define emulated_trees team_trees
#define emulated_device team_device
#define emulated_room team_room
#define emulated_largest team_largest

/* NOLINTNEXTLINE(bugprone-suspicious-include): compiled again with other macros */
#include "emulated_device.c"
