/* SPDX-License-Identifier: Apache-2.0 */
/* Simulates an older processor by hiding its features from __builtin_cpu_supports, which the
 * library uses to choose kernels. The library itself has no such switch, because it keeps no global
 * state. */
#ifndef GR_TESTS_CPU_LIMIT_H
#define GR_TESTS_CPU_LIMIT_H

#include <stdbool.h>

/* Hides what is beyond a level of gr_cpu_names (kernels/kernels.h): "baseline", "avx2" and so on.
 * False if there is no such level, or if this processor does not reach it. NULL: hides nothing. Not
 * thread-safe. */
bool limit_cpu(const char *level);

/* Takes '--kernels LEVEL' off the front of a program's arguments; exits if there is no such
 * level. */
void limit_cpu_by_option(int *count, char ***words);

#endif
