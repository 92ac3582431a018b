/* SPDX-License-Identifier: Apache-2.0 */
/* Version and build information: compiler, processor, optional components. */
#include "api/api_arguments.h"
#include "kernels/versions.h"

#include <zlib.h>
#include <zstd.h>

#if defined(__clang__)
#define TEXT(word) #word
#define VERSION_TEXT(major, minor, patch) TEXT(major) "." TEXT(minor) "." TEXT(patch)
/* not __clang_version__, which ends with a space or a repository address */
#define COMPILER "clang " VERSION_TEXT(__clang_major__, __clang_minor__, __clang_patchlevel__)
#elif defined(__GNUC__)
#define COMPILER "gcc " __VERSION__
#else
#define COMPILER "unknown"
#endif

#if defined(__x86_64__)
#define ARCHITECTURE "x86-64"
#elif defined(__aarch64__)
#define ARCHITECTURE "aarch64"
#else
#define ARCHITECTURE "other"
#endif

const char *gradus_version(void)
{
    return GRADUS_VERSION;
}

void gradus_build_describe(gradus_build *build)
{
    static const char *const kernels[] = { "baseline", "avx2", "avx512" };

    if (!GR_GIVEN(NULL, build))
        return;
    *build =
        (gradus_build){ GRADUS_VERSION, COMPILER, ARCHITECTURE, kernels[gr_versions_here() - 1] };
}

/* __builtin_cpu_supports accepts only literals. */
#if defined(__x86_64__)
#define EVERY_FEATURE(FEATURE)                                                                     \
    FEATURE("popcnt")                                                                              \
    FEATURE("avx2")                                                                                \
    FEATURE("avx512f")                                                                             \
    FEATURE("avx512dq")                                                                            \
    FEATURE("avx512vl")                                                                            \
    FEATURE("avx512bw")                                                                            \
    FEATURE("avx512vbmi")
#else
#define EVERY_FEATURE(FEATURE)
#endif

bool gradus_cpu_feature_at(size_t index, const char **name, bool *present)
{
    if (!GR_GIVEN(NULL, name, present))
        return false;
#define FEATURE(word)                                                                              \
    if (index-- == 0) {                                                                            \
        *name = word;                                                                              \
        *present = __builtin_cpu_supports(word) != 0;                                              \
        return true;                                                                               \
    }
    EVERY_FEATURE(FEATURE)
#undef FEATURE
    (void)index; /* on architectures without a list */
    return false;
}

bool gradus_component_at(size_t index, gradus_component *component)
{
    const gradus_component components[] = {
        { "zlib", zlibVersion(), true },
        { "zstd", ZSTD_versionString(), true },
        { "python", "", false },
        { "server", "", false },
        { "mpi", "", false },
        { "cuda", "", false },
    };

    if (!GR_GIVEN(NULL, component) || index >= sizeof components / sizeof *components)
        return false;
    *component = components[index];
    return true;
}
