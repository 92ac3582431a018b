/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that are compiled for several instruction sets and chosen at run time: the same source
 * (kernels/lanes.h) over vectors of 2, 4 or 8 doubles, with the same bits from each. */
#ifndef GR_KERNELS_VERSIONS_H
#define GR_KERNELS_VERSIONS_H

#include <stddef.h>

#if defined(__x86_64__)
enum { GR_VERSIONS = 3 };
#define GR_TARGET_4 __attribute__((target("avx2")))
#define GR_TARGET_8 __attribute__((target("avx512f,avx512dq,avx512vl")))
#define GR_EVERY_VERSION(name)                                                                     \
    {                                                                                              \
        name##_2, name##_4, name##_8                                                               \
    }
#else
enum { GR_VERSIONS = 1 };
#define GR_EVERY_VERSION(name)                                                                     \
    {                                                                                              \
        name##_2                                                                                   \
    }
#endif

/* How many of a kernel's versions this processor can run; the last of them is the fastest. */
static inline size_t gr_versions_here(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl"))
        return 3;
    return __builtin_cpu_supports("avx2") ? 2 : 1;
#else
    return 1;
#endif
}

/* The largest x whose e^-x is a normal number. */
#define GR_EXP_LIMIT 708.0

#endif
