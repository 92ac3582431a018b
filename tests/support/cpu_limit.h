/* SPDX-License-Identifier: Apache-2.0 */
/* Simulates an older CPU for a whole test or benchmark program, by hiding instruction sets from
 * kernels/versions.h. The library has no such switch, because it keeps no global state. */
#ifndef GR_TESTS_CPU_LIMIT_H
#define GR_TESTS_CPU_LIMIT_H

#include <stdbool.h>

/* Hides what is beyond the named level (gr_cpu_names). False if there is no such level, or this CPU
 * does not have it. NULL: all features of this CPU. Not thread-safe. */
bool limit_cpu(const char *level);

/* Takes "--kernels LEVEL" off the front of a program's arguments; exits if it cannot be done. */
void limit_cpu_by_option(int *count, char ***words);

#endif
