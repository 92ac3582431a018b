/* A bar on the terminal for work that takes a while. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include "gradus.h"

/* Shows the progress of what runs in the context on standard error, if that is a terminal: nothing
 * in the first half second, then what, a bar, and the time left. */
void progress_show(gradus_context *context);

#endif
