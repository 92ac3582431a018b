/* SPDX-License-Identifier: Apache-2.0 */
/* Edits the variable that __builtin_cpu_supports reads. */
#include "cpu_limit.h"

#include <string.h>

#if defined(__x86_64__)

const char *const cpu_levels[] = { "avx2", "sse2", 0 };

/* Of libgcc and compiler-rt. */
extern struct {
    unsigned vendor, type, subtype, features[1];
} __cpu_model;

/* Feature bits, as in gcc's cpuinfo.h. */
#define POPCNT (1u << 2)
#define SSE4_2 (1u << 8)
#define AVX2 (1u << 10)
#define AVX512 (1u << 15 | 0xfff00000u)

bool limit_cpu(const char *level)
{
    static unsigned all;

    __builtin_cpu_init();
    if (!all)
        all = __cpu_model.features[0];
    if (level && strcmp(level, "avx2") != 0 && strcmp(level, "sse2") != 0)
        return false;
    __cpu_model.features[0] = !level ? all
                              : strcmp(level, "avx2") == 0
                                  ? all & ~AVX512
                                  : all & ~(AVX512 | POPCNT | SSE4_2 | AVX2);
    return true;
}

#else

const char *const cpu_levels[] = { 0 };

bool limit_cpu(const char *level)
{
    return !level;
}

#endif
