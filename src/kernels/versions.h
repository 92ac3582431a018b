/* SPDX-License-Identifier: Apache-2.0 */
/* The inner loops of gradus ("kernels" in the sense of compute kernels), and their SIMD versions.
 *
 * A kernel is a struct of functions, declared in kernels/NAME.h; its versions are constants of that
 * type, gr_NAME_VERSION, and its row in kernels/kernels.def gives the version for each instruction
 * set. gr_NAME_here() is the one for this processor. All versions give the same bits: lanes are
 * independent, sums run in a fixed order and no product is fused with a sum. tests/unit/
 * test_kernel_versions.c runs every version of every row.
 *
 * Most kernels are written once, in a file NAME_body.h over the vectors of kernels/lanes.h, and
 * compiled (kernels/every_version.h) for vectors of 2, 4 and 8 doubles: baseline, AVX2 and AVX-512.
 * The others have separate SIMD code beside a plain version. */
#ifndef GR_KERNELS_VERSIONS_H
#define GR_KERNELS_VERSIONS_H

#include <stddef.h>

/* Instruction sets that kernels have versions for; each includes those before it. */
typedef enum gr_cpu {
    GR_CPU_BASELINE,
#if defined(__x86_64__)
    GR_CPU_AVX2,        /* and POPCNT */
    GR_CPU_AVX512,      /* F, DQ, VL and BW */
    GR_CPU_AVX512_VBMI, /* and byte permutations */
#endif
    GR_CPUS
} gr_cpu;

#if defined(__x86_64__)
#define GR_TARGET_4 __attribute__((target("avx2")))
#define GR_TARGET_8 __attribute__((target("avx512f,avx512dq,avx512vl")))
#endif

/* The best of them that this processor supports. */
static inline gr_cpu gr_cpu_here(void)
{
#if defined(__x86_64__)
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("popcnt"))
        return GR_CPU_BASELINE;
    if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512dq") ||
        !__builtin_cpu_supports("avx512vl") || !__builtin_cpu_supports("avx512bw"))
        return GR_CPU_AVX2;
    return __builtin_cpu_supports("avx512vbmi") ? GR_CPU_AVX512_VBMI : GR_CPU_AVX512;
#else
    return GR_CPU_BASELINE;
#endif
}

/* Declares gr_NAME_versions, by instruction set (defined in kernels.c), and gr_NAME_here(). */
#define GR_KERNEL_VERSIONS(name, type)                                                             \
    extern const type *const gr_##name##_versions[GR_CPUS];                                        \
    static inline const type *gr_##name##_here(void)                                               \
    {                                                                                              \
        return gr_##name##_versions[gr_cpu_here()];                                                \
    }

/* For x up to this, e^-x is a normal number. */
#define GR_EXP_LIMIT 708.0

#endif
