/* SPDX-License-Identifier: Apache-2.0 */
/* Simulates an older processor by hiding its features from __builtin_cpu_supports, which the
 * library uses to choose kernels. */
#ifndef GR_TESTS_CPU_LIMIT_H
#define GR_TESTS_CPU_LIMIT_H

#include <stdbool.h>

/* NULL-terminated: "avx2" hides AVX-512, "sse2" everything beyond the x86-64 baseline; empty on
 * other processors. */
extern const char *const cpu_levels[];

/* False if there is no such level. NULL: all features of this processor. Not thread-safe. */
bool limit_cpu(const char *level);

#endif
