/* SPDX-License-Identifier: Apache-2.0 */
/* Embeds the page template, a file of the build folder, into the library. */
#include "experiments/report/page_template.h"

#include <stdint.h>

__asm__(".pushsection .rodata\n"
        ".global gr_page_template\n"
        ".hidden gr_page_template\n"
        "gr_page_template:\n"
        ".incbin \"" PAGE_FILE "\"\n"
        ".global gr_page_template_end\n"
        ".hidden gr_page_template_end\n"
        "gr_page_template_end:\n"
        ".byte 0\n"
        ".popsection\n");

extern const char gr_page_template_end[] __attribute__((visibility("hidden")));

size_t gr_page_template_size(void)
{
    return (uintptr_t)gr_page_template_end - (uintptr_t)gr_page_template;
}
