/* Asking long work to stop: Ctrl-C (SIGINT) and SIGTERM. */
#ifndef CLI_SIGNALS_H
#define CLI_SIGNALS_H

#include <stdbool.h>

/* From now on the first of these signals is only remembered, and a second one ends the program.
 * words: what to say on the first one ("..., ending after this round\n"), NULL: nothing. */
void signals_remember(const char *words);
/* From now on the first one ends the program, as if they had never been remembered. */
void signals_default(void);
/* Whether one came. */
bool signals_came(void);

#endif
