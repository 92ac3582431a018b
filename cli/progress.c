/* SPDX-License-Identifier: Apache-2.0 */
/* A progress bar on the terminal, and times as text. */
#include "progress.h"

#include "signals.h"

#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

enum { WIDTH = 30 };

/* The state of the only bar, that of the terminal. */
typedef struct progress {
    const char *what;
    double started, shown; /* seconds */
    double end;            /* work is cancelled from then on; 0: no limit */
    bool visible;
} progress;

double seconds_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void text_clock(text *t, double seconds)
{
    const unsigned long all = seconds > 0.0 && seconds < 3.6e9 ? (unsigned long)(seconds + 0.5) : 0;

    if (all >= 3600)
        text_format(t, "%lu:%02lu:%02lu", all / 3600, all / 60 % 60, all % 60);
    else
        text_format(t, "%lu:%02lu", all / 60, all % 60);
}

void text_seconds(text *t, double seconds)
{
    if (seconds < 1.0)
        text_format(t, seconds < 0.01 ? "%.2f ms" : "%.0f ms", 1000.0 * seconds);
    else if (seconds < 120.0)
        text_format(t, "%.3g s", seconds);
    else
        text_clock(t, seconds);
}

void text_bar(text *t, double share, size_t width)
{
    static const char *const marks[2][2] = { { ".", "#" }, { "░", "█" } };
    const double full = share * (double)width;
    const bool utf8 = locale_is_utf8();

    for (size_t i = 0; i < width; i++)
        text_add(t, marks[utf8][(double)i + 1.0 <= full]);
}

static bool ignored; /* terminals */

void terminals_ignore(void)
{
    ignored = true;
}

bool is_terminal(int descriptor)
{
    return !ignored && isatty(descriptor);
}

size_t terminal_width(int descriptor)
{
    struct winsize size;

    if (!is_terminal(descriptor))
        return 0;
    return ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

static void draw(const progress *p, double done, double at)
{
    const double left = done > 0.0 ? (at - p->started) * (1.0 - done) / done : 0.0;
    text line = { NULL, 0, 0 };

    text_add(&line, "\r\033[K");
    text_format(&line, "%s ", p->what);
    text_bar(&line, done, WIDTH);
    if (done > 0.0)
        text_format(&line, " %3.0f%%, %.0f s left", 100.0 * done, left);
    fputs(text_string(&line), stderr);
    text_free(&line);
}

static void show(progress *p, const char *what, double done)
{
    const double at = seconds_now();

    if (p->what != what) {
        p->what = what;
        p->started = at;
        p->shown = 0.0;
    }
    if (done >= 1.0) {
        if (p->shown > 0.0)
            fputs("\r\033[K", stderr);
        p->what = NULL;
    } else if (at - p->started > 0.5 && at - p->shown > 0.1) {
        p->shown = at;
        draw(p, done, at);
    }
}

static bool report(void *user, const char *what, double done)
{
    progress *p = user;
    const bool stop = signals_came() || (p->end > 0.0 && seconds_now() > p->end);

    if (p->visible && strcmp(what, "fitting") != 0) /* it only polls for a signal */
        show(p, what, stop ? 1.0 : done);
    return !stop;
}

static progress terminal;

void progress_show(gradus_context *context, bool visible)
{
    terminal = (progress){ .visible = visible && is_terminal(STDERR_FILENO) };
    gradus_context_on_progress(context, report, &terminal);
}

void progress_limit(double seconds)
{
    terminal.end = seconds_now() + seconds;
}
