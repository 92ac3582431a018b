/* SPDX-License-Identifier: Apache-2.0 */
/* Stands in for cli/page/page.c: gradus as it is built without the library of charts. */
#include "page.h"

const char report_page[1] = "";

size_t report_page_size(void)
{
    return 0;
}
