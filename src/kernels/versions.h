/* One source, compiled for several instruction sets and chosen at run time. The body is plain C
 * over elementwise operations, so every version gives the same bits: what differs is how many
 * elements an instruction takes. */
#ifndef GR_KERNELS_VERSIONS_H
#define GR_KERNELS_VERSIONS_H

#include <stddef.h>

enum { GR_MOST_VERSIONS = 3 };

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

#define GR_INLINE static inline __attribute__((always_inline))

/* Defines `name` and the table name##_versions from the GR_INLINE function `body`, which takes the
 * arguments of `parameters` and returns nothing. */
#if defined(__x86_64__)
#define GR_VERSIONS(name, body, parameters, arguments)                                             \
    static void body##_plain parameters                                                            \
    {                                                                                              \
        body arguments;                                                                            \
    }                                                                                              \
    __attribute__((target("avx2"))) static void body##_avx2 parameters                             \
    {                                                                                              \
        body arguments;                                                                            \
    }                                                                                              \
    __attribute__((target("avx512f,avx512dq,avx512vl"))) static void body##_avx512 parameters      \
    {                                                                                              \
        body arguments;                                                                            \
    }                                                                                              \
    void(*const name##_versions[GR_MOST_VERSIONS])                                                 \
        parameters = { body##_plain, body##_avx2, body##_avx512 };                                 \
    void name parameters                                                                           \
    {                                                                                              \
        name##_versions[gr_versions_here() - 1] arguments;                                         \
    }
#else
#define GR_VERSIONS(name, body, parameters, arguments)                                             \
    static void body##_plain parameters                                                            \
    {                                                                                              \
        body arguments;                                                                            \
    }                                                                                              \
    void(*const name##_versions[GR_MOST_VERSIONS]) parameters = { body##_plain, NULL, NULL };      \
    void name parameters                                                                           \
    {                                                                                              \
        body##_plain arguments;                                                                    \
    }
#endif

#endif
