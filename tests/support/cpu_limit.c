/* SPDX-License-Identifier: Apache-2.0 */
/* The levels of kernels/versions.h as features to hide. */
#include "cpu_limit.h"

#include "cpu_features.h"

#include "kernels/kernels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The features beyond each level. */
static const unsigned hidden[GR_CPUS] = {
    [GR_CPU_BASELINE] = HIDDEN_AVX512 | HIDDEN_AVX2,
    [GR_CPU_AVX2] = HIDDEN_AVX512,
    [GR_CPU_AVX512] = HIDDEN_AVX512_VBMI,
};

bool limit_cpu(const char *level)
{
    gr_cpu cpu = level ? 0 : GR_CPUS - 1;

    while (cpu < GR_CPUS && level && strcmp(gr_cpu_names[cpu], level) != 0)
        cpu++;
    if (cpu == GR_CPUS)
        return false;
    hide_cpu_features(hidden[cpu]);
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
