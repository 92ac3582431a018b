/* SPDX-License-Identifier: Apache-2.0 */
/* The template of playgrounds, which CMake makes from web/. */
#ifndef GR_EXPERIMENTS_REPORT_PLAYGROUND_TEMPLATE_H
#define GR_EXPERIMENTS_REPORT_PLAYGROUND_TEMPLATE_H

#include <stddef.h>

extern const char gr_playground_template[] __attribute__((visibility("hidden")));
size_t gr_playground_template_size(void);

#endif
