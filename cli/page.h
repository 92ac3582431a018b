/* SPDX-License-Identifier: Apache-2.0 */
/* The page template of gradus report, which CMake makes from web/ and Chart.js. */
#ifndef CLI_PAGE_H
#define CLI_PAGE_H

#include <stddef.h>

extern const char report_page[];
/* 0: gradus was built without Chart.js. */
size_t report_page_size(void);

#endif
