/* SPDX-License-Identifier: Apache-2.0 */
/* The inner loops of gradus ("kernels" in the sense of compute kernels), and their SIMD versions.
 *
 * Most kernels are written once, in a file NAME_body.h over the vectors of kernels/lanes.h, and
 * compiled (kernels/every_version.h) for vectors of 2, 4 and 8 doubles: baseline, AVX2 and AVX-512.
 * The fastest version that the processor supports is chosen at run time. All versions give the same
 * bits: lanes are independent, sums run in a fixed order and no product is fused with a sum. Other
 * kernels (bin_search, forest_masks, pick_rows, place_rows, rows, sort_rows) have separate SIMD
 * code beside a plain version with the same results. */
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

/* The number of versions that this processor can run; the last of them is the fastest. */
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

/* For x up to this, e^-x is a normal number. */
#define GR_EXP_LIMIT 708.0

#endif
