/* SPDX-License-Identifier: Apache-2.0 */
/* Records SIGINT, SIGTERM and SIGHUP; a second signal ends the program. */
#include "signals.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };
enum { NUMBERS = sizeof numbers / sizeof *numbers };

static volatile sig_atomic_t came; /* the number of the signal; 0: none */
static const char *volatile words_to_say;
static volatile sig_atomic_t ends_soon; /* after a signal the program ends within a second */

static void set_default(void)
{
    struct sigaction by_default = { .sa_handler = SIG_DFL };

    for (int i = 0; i < NUMBERS; i++)
        sigaction(numbers[i], &by_default, NULL);
}

static void remember(int number)
{
    const char *words = words_to_say;

    came = number;
    set_default();
    if (ends_soon)
        alarm(1);
    if (words && write(STDERR_FILENO, words, strlen(words)) < 0)
        came = number; /* a failed write is ignored */
}

/* Signals that the parent process ignores (nohup, a shell's "&") stay ignored. */
static void on_all(void (*handler)(int))
{
    struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART };
    struct sigaction before;

    for (int i = 0; i < NUMBERS; i++)
        if (sigaction(numbers[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(numbers[i], &action, NULL);
}

/* Work that did not stop in time is ended by the original signal. */
static void end_now(int number)
{
    (void)number;
    raise(came);
}

void signals_stop(void)
{
    struct sigaction action = { .sa_handler = end_now };

    sigaction(SIGALRM, &action, NULL);
    ends_soon = 1;
    on_all(remember);
}

void signals_remember(const char *words)
{
    ends_soon = 0;
    words_to_say = words;
    if (!came)
        on_all(remember);
}

void signals_default(void)
{
    ends_soon = 0;
    on_all(SIG_DFL);
}

bool signals_came(void)
{
    return came != 0;
}

int signals_status(void)
{
    return came ? 128 + came : 1;
}
