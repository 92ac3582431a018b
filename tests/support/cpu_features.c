/* SPDX-License-Identifier: Apache-2.0 */
/* Edits the variable that __builtin_cpu_supports reads. A file that declares it must not use that
 * builtin: clang 14 crashes. */
#include "cpu_features.h"

#if defined(__x86_64__)
/* Of libgcc and compiler-rt. */
extern struct {
    unsigned vendor, type, subtype, features[1];
} __cpu_model;

void hide_cpu_features(unsigned bits)
{
    static unsigned all;

    __builtin_cpu_init();
    if (!all)
        all = __cpu_model.features[0];
    __cpu_model.features[0] = all & ~bits;
}
#else
void hide_cpu_features(unsigned bits)
{
    (void)bits;
}
#endif
