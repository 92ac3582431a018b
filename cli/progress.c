#include "progress.h"

#include "text.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { WIDTH = 30 };

/* Of the one bar there can be: the terminal's. */
typedef struct progress {
    const char *what;
    double started, shown; /* seconds */
} progress;

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void draw(const progress *p, double done, double at)
{
    const double left = done > 0.0 ? (at - p->started) * (1.0 - done) / done : 0.0;
    const int full = (int)(done * WIDTH);
    text line = { NULL, 0, 0 };

    text_format(&line, "\r\033[K%s ", p->what);
    for (int i = 0; i < WIDTH; i++)
        text_add(&line, i < full ? "█" : "░");
    if (done > 0.0)
        text_format(&line, " %3.0f%%, %.0f s left", 100.0 * done, left);
    fputs(text_string(&line), stderr);
    text_free(&line);
}

static bool report(void *user, const char *what, double done)
{
    progress *p = user;
    const double at = now();

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
    return true;
}

void progress_show(gradus_context *context)
{
    static progress terminal;

    if (isatty(STDERR_FILENO))
        gradus_context_on_progress(context, report, &terminal);
}
