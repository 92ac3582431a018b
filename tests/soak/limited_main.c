/* SPDX-License-Identifier: Apache-2.0 */
/* gradus on a simulated older CPU: GRADUS_TEST_CPU=avx2 hides AVX-512, =sse2 everything beyond the
 * x86-64 baseline. Results of kernels must not depend on it. */
#include "command.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The variable of libgcc and compiler-rt that __builtin_cpu_supports reads. */
extern struct {
    unsigned vendor, type, subtype, features[1];
} __cpu_model;

/* Feature bits, as in gcc's cpuinfo.h. */
#define POPCNT (1u << 2)
#define SSE4_2 (1u << 8)
#define AVX2 (1u << 10)
#define AVX512 (1u << 15 | 0xfff00000u)

int main(int count, char **words)
{
    const char *level = getenv("GRADUS_TEST_CPU");

    signal(SIGPIPE, SIG_IGN);
    __builtin_cpu_init();
    if (level && strcmp(level, "avx2") != 0 && strcmp(level, "sse2") != 0) {
        fprintf(stderr, "GRADUS_TEST_CPU is avx2 or sse2, not '%s'\n", level);
        return 2;
    }
    if (level)
        __cpu_model.features[0] &= ~AVX512;
    if (level && strcmp(level, "sse2") == 0)
        __cpu_model.features[0] &= ~(POPCNT | SSE4_2 | AVX2);
    return run_command(count, words);
}
