/* SPDX-License-Identifier: Apache-2.0 */
/* A progress bar on the terminal, and times as text. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include "gradus.h"
#include "print_text.h"

/* Makes work in the context end with GRADUS_CANCELLED after a signal (signals.h). If visible and
 * standard error is a terminal, shows the name of the work, a bar and the time left, from half a
 * second on. */
void progress_show(gradus_context *context, bool visible);
/* From now on work with such progress also ends with GRADUS_CANCELLED once this time is over. */
void progress_limit(double seconds);

/* Seconds on a monotonic clock. */
double seconds_now(void);
/* "0:07", "12:34", "3:04:05" */
void text_clock(text *t, double seconds);
/* "7.12 ms", "4.52 s", "3:05" */
void text_seconds(text *t, double seconds);
/* A bar of `width` columns, a fraction of them filled. */
void text_bar(text *t, double share, size_t width);
/* From now on the output is that of a file, with the usual width: the standard output of Open MPI's processes
 * is a terminal even if the launcher's output goes to a file. */
void terminals_ignore(void);
bool is_terminal(int descriptor);
/* The columns of a terminal; 0 if the descriptor is not one. */
size_t terminal_width(int descriptor);

#endif
