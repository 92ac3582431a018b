/* SPDX-License-Identifier: Apache-2.0 */
/* The template of report pages, which CMake makes from web/ and Chart.js. */
#ifndef GR_EXPERIMENTS_REPORT_PAGE_TEMPLATE_H
#define GR_EXPERIMENTS_REPORT_PAGE_TEMPLATE_H

#include <stddef.h>

extern const char gr_page_template[];
/* 0: built without Chart.js. */
size_t gr_page_template_size(void);

#endif
