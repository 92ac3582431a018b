/* SPDX-License-Identifier: Apache-2.0 */
/* Replaces experiments/report/page_template.c: gradus as built without Chart.js. */
#include "experiments/report/page_template.h"

const char gr_page_template[1] = "";

size_t gr_page_template_size(void)
{
    return 0;
}
