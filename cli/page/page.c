/* SPDX-License-Identifier: Apache-2.0 */
/* Embeds the page template, a file of the build folder, into the program. */
#include "page.h"

#include <stdint.h>

__asm__(".pushsection .rodata\n"
        ".global report_page\n"
        "report_page:\n"
        ".incbin \"" PAGE_FILE "\"\n"
        "report_page_end:\n"
        ".byte 0\n"
        ".global report_page_end\n"
        ".popsection\n");

extern const char report_page_end[];

size_t report_page_size(void)
{
    return (uintptr_t)report_page_end - (uintptr_t)report_page;
}
