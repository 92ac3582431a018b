/* SPDX-License-Identifier: Apache-2.0 */
/* Edits the variable that __builtin_cpu_supports reads. */
#include "cpu_limit.h"

#include "kernels/kernels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
/* Of libgcc and compiler-rt. */
extern struct {
    unsigned vendor, type, subtype, features[1];
} __cpu_model;

/* Feature bits, as in gcc's cpuinfo.h. */
#define POPCNT (1u << 2)
#define SSE4_2 (1u << 8)
#define AVX2 (1u << 10)
#define AVX512 (1u << 15 | 0xfff00000u)
#define VBMI (1u << 26)

static void hide_above(gr_cpu level)
{
    static unsigned all;

    __builtin_cpu_init();
    if (!all)
        all = __cpu_model.features[0];
    __cpu_model.features[0] = all;
    if (level < GR_CPU_AVX512_VBMI)
        __cpu_model.features[0] &= ~VBMI;
    if (level < GR_CPU_AVX512)
        __cpu_model.features[0] &= ~AVX512;
    if (level < GR_CPU_AVX2)
        __cpu_model.features[0] &= ~(POPCNT | SSE4_2 | AVX2);
}
#else
static void hide_above(gr_cpu level)
{
    (void)level;
}
#endif

bool limit_cpu(const char *level)
{
    if (!level) {
        hide_above(GR_CPUS);
        return true;
    }
    for (gr_cpu cpu = 0; cpu < GR_CPUS; cpu++)
        if (strcmp(level, gr_cpu_names[cpu]) == 0) {
            hide_above(cpu);
            return gr_cpu_here() == cpu;
        }
    return false;
}

void limit_cpu_by_option(int *count, char ***words)
{
    if (*count < 3 || strcmp((*words)[1], "--kernels") != 0)
        return;
    if (!limit_cpu((*words)[2])) {
        fprintf(stderr, "this CPU has no kernels '%s'\n", (*words)[2]);
        exit(2);
    }
    (*words)[2] = (*words)[0];
    *words += 2;
    *count -= 2;
}
