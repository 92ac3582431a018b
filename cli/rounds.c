/* SPDX-License-Identifier: Apache-2.0 */
/* Shows training progress: a bar on a terminal, a line now and then elsewhere, or JSON events. */
#include "progress.h"
#include "cmd_train.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { LEAST_BAR = 6, MAX_BAR = 30 };
static const double seconds_between_lines = 10.0;

/* The parts of a progress line; on a narrow terminal most of them can be dropped. */
enum { PIECE_TRAIN, PIECE_VALID, PIECE_OTHERS, PIECE_BEST, PIECE_RATE, PIECE_LEFT, PIECES };

typedef struct pieces {
    text of[PIECES];
} pieces;

static void make_pieces(pieces *p, const rounds *r, const gradus_training_state *s)
{
    const double spent = seconds_now() - r->started;
    const double rate = spent > 0.0 ? (double)(s->round - r->first) / spent : 0.0;
    const bool bar = r->form == ROUNDS_BAR; /* shorter words, as a terminal may be narrow */

    *p = (pieces){ 0 };
    if (isfinite(s->train))
        text_format(&p->of[PIECE_TRAIN], " train %.4f", s->train);
    if (isfinite(s->valid))
        text_format(&p->of[PIECE_VALID], " %s %.4f", r->of->valids[0].name, s->valid);
    for (size_t i = 1; i < r->of->valid_count; i++) {
        const double value = gradus_training_other(r->of->training, i - 1);

        if (isfinite(value))
            text_format(&p->of[PIECE_OTHERS], " %s %.4f", r->of->valids[i].name, value);
    }
    if (s->best_round && s->by_rounds)
        text_format(&p->of[PIECE_BEST], bar ? " best %.4f at %zu" : " best %.4f (round %zu)",
                    s->best_valid, s->best_round);
    if (rate > 0.0 && s->by_rounds) {
        text_format(&p->of[PIECE_RATE], rate < 10.0 ? "  %.1f" : "  %.0f", rate);
        text_add(&p->of[PIECE_RATE], bar ? "/s" : " rounds/s");
        text_add(&p->of[PIECE_LEFT], "  ");
        text_clock(&p->of[PIECE_LEFT], ((double)s->rounds - (double)s->round) / rate);
        text_add(&p->of[PIECE_LEFT], " left");
    }
}

static void free_pieces(pieces *p)
{
    for (size_t i = 0; i < PIECES; i++)
        text_free(&p->of[i]);
}

static size_t columns_of(const pieces *p)
{
    size_t columns = 0;

    for (size_t i = 0; i < PIECES; i++)
        columns += p->of[i].length;
    return columns;
}

static void add_pieces(text *line, const pieces *p)
{
    for (size_t i = 0; i < PIECES; i++)
        text_add(line, text_string(&p->of[i]));
}

static bool has_metric(const gradus_training_state *s)
{
    return s->metric[0] && (isfinite(s->train) || isfinite(s->valid));
}

/* "123/500 ██████░░░░ ndcg@10 train 0.6123 valid 0.5012 best 0.5020 at 110  12/s  0:31 left" */
static void draw_bar(const rounds *r, const gradus_training_state *s)
{
    static const int droppable[] = { PIECE_RATE, PIECE_OTHERS, PIECE_TRAIN, PIECE_BEST,
                                     PIECE_VALID };
    const size_t width = terminal_width(STDERR_FILENO);
    const double share = s->rounds ? (double)s->round / (double)s->rounds : 1.0;
    text line = { NULL, 0, 0 }, metric = { NULL, 0, 0 };
    pieces p;
    size_t bar;

    make_pieces(&p, r, s);
    text_format(&line, "%zu/%zu ", s->round, s->rounds);
    if (has_metric(s))
        text_format(&metric, " %s", s->metric);
    for (size_t i = 0; i < sizeof droppable / sizeof *droppable; i++)
        if (line.length + metric.length + columns_of(&p) + LEAST_BAR + 1 > width)
            text_free(&p.of[droppable[i]]);
    bar = line.length + metric.length + columns_of(&p) + 1;
    bar = bar + LEAST_BAR > width ? LEAST_BAR : width - bar < MAX_BAR ? width - bar : MAX_BAR;
    text_bar(&line, share, bar);
    text_add(&line, text_string(&metric));
    add_pieces(&line, &p);
    fprintf(stderr, "\r\033[K%s", text_string(&line));
    free_pieces(&p);
    text_free(&metric);
    text_free(&line);
}

static void print_line(const rounds *r, const gradus_training_state *s)
{
    text line = { NULL, 0, 0 };
    pieces p;

    make_pieces(&p, r, s);
    if (s->by_rounds)
        text_format(&line, "round %zu of %zu:", s->round, s->rounds);
    else
        text_format(&line, "%s%s", s->stopped, has_metric(s) ? ":" : "");
    if (has_metric(s))
        text_format(&line, " %s", s->metric);
    add_pieces(&line, &p);
    fprintf(stderr, "%s\n", text_string(&line));
    free_pieces(&p);
    text_free(&line);
}

/* What the ranks have exchanged so far, as rank 0 has seen it. */
static void add_exchanged(json *j, const gradus_mpi *mpi)
{
    json_open(j, "collectives", '{');
    json_count(j, "processes", mpi->with.size);
    json_count(j, "calls", (size_t)mpi->calls);
    json_count(j, "bytes", (size_t)mpi->bytes);
    json_count(j, "whole_bytes", (size_t)mpi->whole);
    json_number(j, "seconds", mpi->seconds);
    json_close(j, '}');
}

static int print_event(const rounds *r, const gradus_training_state *s)
{
    text t = { NULL, 0, 0 };
    json j = JSON_TO(&t);

    json_open(&j, NULL, '{');
    json_string(&j, "event", "round");
    json_count(&j, "round", s->round);
    json_number(&j, "train", s->train);
    json_number(&j, "valid", s->valid);
    if (r->of->valid_count > 1) {
        json_open(&j, "valids", '{');
        for (size_t i = 0; i < r->of->valid_count; i++)
            json_number(&j, r->of->valids[i].name,
                        i ? gradus_training_other(r->of->training, i - 1) : s->valid);
        json_close(&j, '}');
    }
    json_count(&j, "best_round", s->best_round);
    json_number(&j, "best_valid", s->best_round ? s->best_valid : (double)NAN);
    json_number(&j, "seconds", seconds_now() - r->started);
    if (r->of->ranks.mpi)
        add_exchanged(&j, r->of->ranks.mpi);
    json_close(&j, '}');
    text_add(&t, "\n");
    return print_text(&t);
}

/* 1, 2, 5, 10, 20, 50, ... */
static size_t line_after(size_t round)
{
    size_t step = 1;

    for (;; step *= 10) {
        if (round < step)
            return step;
        if (round < 2 * step)
            return 2 * step;
        if (round < 5 * step)
            return 5 * step;
    }
}

void rounds_begin(rounds *r, const job *j, const gradus_training_state *state)
{
    const arguments *given = j->given;

    *r = (rounds){ .of = j, .started = seconds_now(), .first = state->round };
    r->form = given->json                  ? ROUNDS_EVENTS
              : given->quiet               ? ROUNDS_UNSEEN
              : is_terminal(STDERR_FILENO) ? ROUNDS_BAR
                                           : ROUNDS_LINES;
    r->next = state->round + 1;
    r->shown = r->started;
}

void rounds_show(rounds *r, const gradus_training_state *state)
{
    const double at = seconds_now();
    const bool last = state->round >= state->rounds || state->stopped[0];

    if (r->form == ROUNDS_EVENTS && print_event(r, state) != 0)
        r->form = ROUNDS_UNSEEN; /* the error is reported once */
    if (r->form == ROUNDS_BAR && (last || at - r->shown >= 0.1)) {
        draw_bar(r, state);
        r->shown = at;
    }
    if (r->form == ROUNDS_LINES &&
        (last || state->round >= r->next || at - r->shown >= seconds_between_lines)) {
        print_line(r, state);
        r->shown = at;
        r->next = line_after(state->round);
    }
}

void rounds_end(rounds *r)
{
    if (r->form == ROUNDS_BAR)
        fputs("\r\033[K", stderr);
}
