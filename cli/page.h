/* SPDX-License-Identifier: Apache-2.0 */
/* The page that reports are written into, made by CMake of web/ and the library of charts. */
#ifndef CLI_PAGE_H
#define CLI_PAGE_H

#include <stddef.h>

extern const char report_page[];
/* 0: the library of charts was not there when gradus was built. */
size_t report_page_size(void);

#endif
