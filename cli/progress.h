/* A bar on the terminal for work that takes a while. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include "gradus.h"
#include "text.h"

/* Shows the progress of what runs in the context on standard error, if that is a terminal: nothing
 * in the first half second, then what, a bar, and the time left. */
void progress_show(gradus_context *context);
/* The same if `visible`, and work ends with GRADUS_CANCELLED once a signal came that is to be
 * remembered (signals.h). */
void progress_heed_signals(gradus_context *context, bool visible);

/* Seconds on a clock that only goes forward. */
double seconds_now(void);
/* "0:07", "12:34", "3:04:05" */
void text_clock(text *t, double seconds);
/* A bar of so many columns, a share of them full. */
void text_bar(text *t, double share, size_t width);
/* The columns of the terminal behind a descriptor; 0 if it is none. */
size_t terminal_width(int descriptor);

#endif
