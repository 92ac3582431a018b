/* SPDX-License-Identifier: Apache-2.0 */
/* Stopping long work with Ctrl-C (SIGINT), SIGTERM or SIGHUP. */
#ifndef CLI_SIGNALS_H
#define CLI_SIGNALS_H

#include <stdbool.h>

/* From now on the first signal lets work that reports progress end by itself and remove its
 * temporary files; after one second, or at a second signal, the program ends. */
void signals_stop(void);
/* From now on the first signal is only recorded, and a second one ends the program. words: printed
 * at the first signal ("stopping\n"); NULL: nothing. */
void signals_remember(const char *words);
/* From now on the first signal ends the program: restores the default actions. */
void signals_default(void);
/* Whether a signal was received. */
bool signals_came(void);
/* The exit status of work stopped by a signal: 128 plus its number, as in shells; 1 if there was no
 * signal. */
int signals_status(void);

#endif
