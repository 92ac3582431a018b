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
#define AVX512_VBMI (1u << 26)

/* The features beyond each level. */
static const unsigned hidden[GR_CPUS] = { [GR_CPU_BASELINE] = AVX512 | POPCNT | SSE4_2 | AVX2,
                                          [GR_CPU_AVX2] = AVX512,
                                          [GR_CPU_AVX512] = AVX512_VBMI };

static void hide_beyond(gr_cpu level)
{
    static unsigned all;

    __builtin_cpu_init();
    if (!all)
        all = __cpu_model.features[0];
    __cpu_model.features[0] = all & ~hidden[level];
}
#else
static void hide_beyond(gr_cpu level)
{
    (void)level;
}
#endif

bool limit_cpu(const char *level)
{
    gr_cpu cpu = level ? 0 : GR_CPUS - 1;

    while (cpu < GR_CPUS && level && strcmp(gr_cpu_names[cpu], level) != 0)
        cpu++;
    if (cpu == GR_CPUS)
        return false;
    hide_beyond(cpu);
    return !level || gr_cpu_here() == cpu;
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
