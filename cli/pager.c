/* SPDX-License-Identifier: Apache-2.0 */
/* Help on a terminal: width, bold text and a pager. */
#include "pager.h"

#include "command.h"
#include "progress.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NARROWEST = 40, USUAL = 80, WIDEST = 100 };

size_t help_width(void)
{
    const char *columns = getenv("COLUMNS");
    const size_t terminal = terminal_width(STDOUT_FILENO);
    uint64_t width;

    if (!columns || !parse_count(columns, 100000, &width) || width == 0)
        width = terminal ? terminal : USUAL;
    return width < NARROWEST ? NARROWEST : width > WIDEST ? WIDEST : (size_t)width;
}

void add_bold(text *t, const char *words)
{
    const bool fancy = is_terminal(STDOUT_FILENO) && !getenv("NO_COLOR");

    text_add(t, fancy ? "\033[1m" : "");
    text_add(t, words);
    text_add(t, fancy ? "\033[0m" : "");
}

static bool is_in_path(const char *program)
{
    const char *at = getenv("PATH");

    while (at && *at) {
        const size_t length = strcspn(at, ":");
        text file = { NULL, 0, 0 };

        text_add_bytes(&file, at, length);
        text_add(&file, "/");
        text_add(&file, program);
        const bool found = access(text_string(&file), X_OK) == 0;

        text_free(&file);
        if (found)
            return true;
        at += length + (at[length] == ':');
    }
    return false;
}

/* The pager's command line, or NULL. */
static const char *chosen_pager(void)
{
    const char *pager = getenv("PAGER"), *kind = getenv("TERM");

    if (!isatty(STDOUT_FILENO) || !kind || strcmp(kind, "dumb") == 0)
        return NULL;
    if (!pager)
        return is_in_path("less") ? "less" : NULL;
    return *pager && strcmp(pager, "cat") != 0 ? pager : NULL;
}

/* False if the pager could not be started, so that nothing was shown. A user who quits the pager
 * early closes the pipe (main ignores SIGPIPE), and Ctrl-C is for the pager: neither ends
 * this command before the pager ends. */
static bool show_in(const char *pager, const text *t)
{
    FILE *to;
    int status;

    setenv("LESS", "FRX", 0); /* as git: quit if it fits, keep bold and the screen */
    to = popen(pager, "w");
    if (!to)
        return false;
    void (*before)(int) = signal(SIGINT, SIG_IGN);

    fputs(text_string(t), to);
    status = pclose(to);
    signal(SIGINT, before);
    return !(WIFEXITED(status) && (WEXITSTATUS(status) == 126 || WEXITSTATUS(status) == 127));
}

int page_text(text *t)
{
    const char *pager = chosen_pager();

    if (pager && show_in(pager, t)) {
        text_free(t);
        return 0;
    }
    return print_text(t);
}
