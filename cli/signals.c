#include "signals.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t came;
static const char *volatile words_to_say;

static void remember(int number)
{
    const char *words = words_to_say;
    struct sigaction by_default = { .sa_handler = SIG_DFL };

    came = 1;
    sigaction(SIGINT, &by_default, NULL);
    sigaction(SIGTERM, &by_default, NULL);
    (void)number;
    if (words && write(STDERR_FILENO, words, strlen(words)) < 0)
        came = 1; /* nobody to tell */
}

static void on_both(void (*handler)(int))
{
    struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART };
    struct sigaction before;

    /* what whoever started the program chose to ignore (nohup, a shell's "&") stays ignored */
    if (sigaction(SIGINT, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
        sigaction(SIGINT, &action, NULL);
    if (sigaction(SIGTERM, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
        sigaction(SIGTERM, &action, NULL);
}

void signals_remember(const char *words)
{
    words_to_say = words;
    if (!came)
        on_both(remember);
}

void signals_default(void)
{
    on_both(SIG_DFL);
}

bool signals_came(void)
{
    return came != 0;
}
