/* SPDX-License-Identifier: Apache-2.0 */
/* Shows the progress of `gradus tune`. */
#include "cmd_tune.h"

#include "progress.h"
#include "signals.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { LEAST_BAR = 6, MAX_BAR = 30 };
static const double seconds_between_lines = 10.0;

/* "; 1:32 left" */
static void add_left(text *line, const tune_watch *w, const char *before)
{
    const double elapsed = seconds_now() - w->began, gone = w->fraction - w->first_fraction;
    double left = (double)NAN;

    if (isfinite(w->most))
        left = w->most - w->used - (seconds_now() - w->ended);
    else if (gone > 0.005)
        left = elapsed * (1.0 - w->fraction) / gone;
    if (!isfinite(left))
        return;
    text_add(line, before);
    text_clock(line, left);
    text_add(line, " left");
}

static void add_count(text *line, const tune_watch *w)
{
    if (w->planned)
        text_format(line, "%zu/%zu", w->done, w->planned);
    else
        text_format(line, "%zu", w->done);
}

/* Adds a string, cut to the columns that are left. */
static void add_cut(text *line, const char *string, size_t room)
{
    text shown = { NULL, 0, 0 };

    if (room < 8)
        return;
    text_add_shown(&shown, string);
    if (shown.length <= room) {
        text_add(line, text_string(&shown));
    } else {
        text_add_bytes(line, shown.at, room - 3);
        text_add(line, "...");
    }
    text_free(&shown);
}

/* "31/65 ██████░░░░  1:32 left  best ndcg@10 0.4821: lambdamart leaves=31 ..." */
static void draw(tune_watch *w)
{
    const size_t width = terminal_width(STDERR_FILENO);
    text line = { NULL, 0, 0 };
    size_t room;

    add_count(&line, w);
    text_add(&line, " ");
    text_bar(&line, w->fraction < 1.0 ? w->fraction : 1.0,
             width > 100  ? MAX_BAR
             : width > 60 ? 12
                          : LEAST_BAR);
    add_left(&line, w, "  ");
    room = text_columns(text_string(&line)) + 3;
    if (*w->best && room < width) {
        text_add(&line, "  ");
        add_cut(&line, w->best, width - room);
    }
    fprintf(stderr, "\r\033[K%s", text_string(&line));
    text_free(&line);
}

static bool progress(void *user, const char *what, double done)
{
    tune_watch *w = user;
    const double at = seconds_now();

    if (strcmp(what, "tuning") != 0)
        return !signals_came();
    if (w->first_fraction < 0.0)
        w->first_fraction = done;
    w->fraction = done;
    if (w->form == TUNE_BAR && at - w->shown >= 0.1 && at - w->began > 0.5 && done < 1.0) {
        w->shown = at;
        draw(w);
    }
    return !signals_came();
}

void tune_watch_begin(tune_watch *w, const arguments *given)
{
    *w = (tune_watch){ .began = seconds_now(),
                       .first_fraction = -1.0,
                       .most = (double)INFINITY,
                       .noun = "training run" };
    w->form = given->quiet || given->json  ? TUNE_UNSEEN
              : is_terminal(STDERR_FILENO) ? TUNE_BAR
                                           : TUNE_LINES;
    w->shown = w->ended = w->began;
    gradus_context_on_progress(given->context, progress, w);
    w->context = given->context;
}

static void print_line(tune_watch *w)
{
    text line = { NULL, 0, 0 };

    add_count(&line, w);
    text_format(&line, " %s%s", w->noun, plural(w->planned ? w->planned : w->done, "", "s"));
    if (*w->best)
        text_format(&line, ", %s", w->best);
    add_left(&line, w, "; ");
    fprintf(stderr, "%s\n", text_string(&line));
    text_free(&line);
}

void tune_watch_ended(void *watch, const gradus_tuning_state *s)
{
    tune_watch *w = watch;
    const double at = seconds_now();

    w->done = s->done;
    w->planned = s->planned;
    w->used = s->used;
    w->most = s->most;
    w->ended = at;
    if (*s->best_method)
        snprintf(w->best, sizeof w->best, "best %s %.4f: %s %s", s->metric, s->best, s->best_method,
                 s->best_settings);
    if (w->form != TUNE_LINES)
        return;
    if (w->lines == 0 || at - w->shown >= seconds_between_lines || s->done == s->planned) {
        print_line(w);
        w->shown = at;
        w->lines++;
    }
}

void tune_watch_end(tune_watch *w)
{
    if (w->form == TUNE_BAR)
        fputs("\r\033[K", stderr);
    gradus_context_on_progress(w->context, NULL, NULL);
}
