/* SPDX-License-Identifier: Apache-2.0 */
/* Embeds the template of playgrounds, a file of the build folder, into the library. */
#include "experiments/report/playground_template.h"

#include <stdint.h>

__asm__(".pushsection .rodata\n"
        ".global gr_playground_template\n"
        ".hidden gr_playground_template\n"
        "gr_playground_template:\n"
        ".incbin \"" PLAYGROUND_FILE "\"\n"
        ".global gr_playground_template_end\n"
        ".hidden gr_playground_template_end\n"
        "gr_playground_template_end:\n"
        ".byte 0\n"
        ".popsection\n");

extern const char gr_playground_template_end[] __attribute__((visibility("hidden")));

size_t gr_playground_template_size(void)
{
    return (uintptr_t)gr_playground_template_end - (uintptr_t)gr_playground_template;
}
