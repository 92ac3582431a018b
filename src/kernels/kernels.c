/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the versions of every kernel from the rows of kernels.def. */
#include "kernels/kernels.h"

#if defined(__x86_64__)
#define GR_KERNEL(name, baseline, avx2, avx512, vbmi)                                              \
    extern const __typeof__(*gr_##name##_versions[0]) gr_##name##_##baseline, gr_##name##_##avx2,  \
        gr_##name##_##avx512, gr_##name##_##vbmi;                                                  \
    const __typeof__(*gr_##name##_versions[0]) *const gr_##name##_versions[] = {                   \
        &gr_##name##_##baseline, &gr_##name##_##avx2, &gr_##name##_##avx512, &gr_##name##_##vbmi   \
    };
#else
#define GR_KERNEL(name, baseline, avx2, avx512, vbmi)                                              \
    extern const __typeof__(*gr_##name##_versions[0]) gr_##name##_##baseline;                      \
    const __typeof__(*gr_##name##_versions[0]) *const gr_##name##_versions[] = {                   \
        &gr_##name##_##baseline                                                                    \
    };
#endif
#include "kernels/kernels.def"
#undef GR_KERNEL

const gr_kernel_entry gr_kernel_table[] = {
#if defined(__x86_64__)
#define GR_KERNEL(name, baseline, avx2, avx512, vbmi)                                              \
    { #name, { #baseline, #avx2, #avx512, #vbmi } },
#else
#define GR_KERNEL(name, baseline, avx2, avx512, vbmi) { #name, { #baseline } },
#endif
#include "kernels/kernels.def"
#undef GR_KERNEL
};

const char *const gr_cpu_names[] = {
    "baseline",
#if defined(__x86_64__)
    "avx2",
    "avx512",
    "avx512-vbmi",
#endif
};
