/* SPDX-License-Identifier: Apache-2.0 */
/* Replaces cli/page/page.c: gradus as built without Chart.js. */
#include "page.h"

const char report_page[1] = "";

size_t report_page_size(void)
{
    return 0;
}
