/* SPDX-License-Identifier: Apache-2.0 */
/* A bar on the terminal for work that takes a while. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include "gradus.h"
#include "text.h"

/* Work that runs in the context ends with GRADUS_CANCELLED once a signal came (signals.h). If
 * visible, its progress is shown on standard error, where that is a terminal: nothing in the first
 * half second, then what, a bar, and the time left. */
void progress_show(gradus_context *context, bool visible);

/* Seconds on a clock that only goes forward. */
double seconds_now(void);
/* "0:07", "12:34", "3:04:05" */
void text_clock(text *t, double seconds);
/* "7.12 ms", "4.52 s", "3:05" */
void text_seconds(text *t, double seconds);
/* A bar of so many columns, a share of them full. */
void text_bar(text *t, double share, size_t width);
/* The columns of the terminal behind a descriptor; 0 if it is none. */
size_t terminal_width(int descriptor);

#endif
