/* SPDX-License-Identifier: Apache-2.0 */
/* Asking long work to stop: Ctrl-C (SIGINT), SIGTERM and SIGHUP. */
#ifndef CLI_SIGNALS_H
#define CLI_SIGNALS_H

#include <stdbool.h>

/* From now on the first of these signals lets work that reports progress end by itself, so that its
 * temporary files are removed; after a second, or at a second signal, it ends the program. */
void signals_stop(void);
/* From now on the first of these signals is only remembered, and a second one ends the program.
 * words: what to print on the first one ("..., stopping\n"), NULL: nothing. */
void signals_remember(const char *words);
/* From now on the first one ends the program, as if they had never been remembered. */
void signals_default(void);
/* Whether one came. */
bool signals_came(void);
/* The exit status after work that a signal stopped, as shells have it: 128 and its number; 1 if
 * none came. */
int signals_status(void);

#endif
