/* SPDX-License-Identifier: Apache-2.0 */
/* Hides instruction sets from kernels/versions.h for a whole test or benchmark program, as if it ran on
 * an older CPU. The library has no such switch, because it keeps no global state. */
#ifndef GR_TESTS_LIMIT_CPU_H
#define GR_TESTS_LIMIT_CPU_H

#include "kernels/kernels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
/* The variable of libgcc and compiler-rt that __builtin_cpu_supports reads. */
extern struct {
    unsigned vendor, type, subtype, features[1];
} __cpu_model;

/* Feature bits, as in gcc's cpuinfo.h. */
#define LIMIT_POPCNT (1u << 2)
#define LIMIT_SSE4_2 (1u << 8)
#define LIMIT_AVX2 (1u << 10)
#define LIMIT_AVX512 (1u << 15 | 0xfff00000u)
#define LIMIT_VBMI (1u << 26)

static inline void hide_above(gr_cpu level)
{
    __builtin_cpu_init();
    if (level < GR_CPU_AVX512_VBMI)
        __cpu_model.features[0] &= ~LIMIT_VBMI;
    if (level < GR_CPU_AVX512)
        __cpu_model.features[0] &= ~LIMIT_AVX512;
    if (level < GR_CPU_AVX2)
        __cpu_model.features[0] &= ~(LIMIT_POPCNT | LIMIT_SSE4_2 | LIMIT_AVX2);
}
#else
static inline void hide_above(gr_cpu level)
{
    (void)level;
}
#endif

/* Hides what is beyond the named level (gr_cpu_names); exits if there is none of that name, or if this
 * CPU does not have it. */
static inline void limit_cpu(const char *name)
{
    for (gr_cpu level = 0; level < GR_CPUS; level++)
        if (strcmp(name, gr_cpu_names[level]) == 0) {
            hide_above(level);
            if (gr_cpu_here() == level)
                return;
        }
    fprintf(stderr, "this CPU has no kernels '%s'; its best are '%s'\n", name,
            gr_cpu_names[gr_cpu_here()]);
    exit(2);
}

/* Takes '--kernels LEVEL' off the front of a program's arguments. */
static inline void limit_cpu_by_option(int *count, char ***words)
{
    if (*count < 3 || strcmp((*words)[1], "--kernels") != 0)
        return;
    limit_cpu((*words)[2]);
    (*words)[2] = (*words)[0];
    *words += 2;
    *count -= 2;
}

#endif
