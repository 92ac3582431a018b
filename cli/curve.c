#include "curve.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEFT = 10, RIGHT = 14, MOST_CURVES = 4 };

/* Dots of the whole plot, two across and four down in a character. */
typedef struct canvas {
    size_t columns, lines; /* of characters */
    unsigned char *cells;
    double x_low, x_high, y_low, y_high;
} canvas;

static void set_range(canvas *c, const plot *p)
{
    c->x_low = p->x[0];
    c->x_high = p->x[p->count - 1];
    c->y_low = (double)INFINITY;
    c->y_high = -(double)INFINITY;
    for (size_t k = 0; k < p->curve_count; k++)
        for (size_t i = 0; i < p->count; i++)
            if (isfinite(p->curves[k].y[i])) {
                c->y_low = fmin(c->y_low, p->curves[k].y[i]);
                c->y_high = fmax(c->y_high, p->curves[k].y[i]);
            }
    if (!(c->y_low < c->y_high)) { /* a flat line stands in the middle */
        c->y_low -= 0.5;
        c->y_high += 0.5;
    }
}

/* A share of so many dots, counted from 0. */
static size_t dot_at(double value, double low, double high, size_t dots)
{
    const double share = high > low ? (value - low) / (high - low) : 0.0;

    return (size_t)(fmin(fmax(share, 0.0), 1.0) * (double)(dots - 1) + 0.5);
}

static void set_dot(canvas *c, size_t across, size_t up)
{
    static const unsigned char bits[4][2] = { { 0x40, 0x80 }, { 4, 32 }, { 2, 16 }, { 1, 8 } };
    const size_t line = c->lines - 1 - up / 4;

    c->cells[line * c->columns + across / 2] |= bits[up % 4][across % 2];
}

static void draw_curve(canvas *c, const plot *p, const double *y)
{
    const size_t dots = 2 * c->columns, tall = 4 * c->lines;
    bool any = false;
    size_t before = 0, before_up = 0;

    for (size_t i = 0; i < p->count; i++) {
        if (!isfinite(y[i]))
            continue;
        const size_t across = dot_at(p->x[i], c->x_low, c->x_high, dots);
        const size_t up = dot_at(y[i], c->y_low, c->y_high, tall);

        set_dot(c, across, up);
        for (size_t d = before + 1; any && d < across; d++) { /* a line from the point before */
            const double share = (double)(d - before) / (double)(across - before);

            set_dot(c, d,
                    (size_t)((double)before_up + share * ((double)up - (double)before_up) + 0.5));
        }
        any = true;
        before = across;
        before_up = up;
    }
}

static double last_value(const plot *p, const double *y)
{
    for (size_t i = p->count; i-- > 0;)
        if (isfinite(y[i]))
            return y[i];
    return (double)NAN;
}

/* The line where each curve's name stands: its last value's, or the next free one. */
static void place_names(const canvas *c, const plot *p, size_t lines[MOST_CURVES])
{
    for (size_t k = 0; k < p->curve_count; k++) {
        const double last = last_value(p, p->curves[k].y);
        bool taken;

        lines[k] = c->lines; /* none */
        if (!isfinite(last))
            continue;
        lines[k] = c->lines - 1 - dot_at(last, c->y_low, c->y_high, 4 * c->lines) / 4;
        do {
            taken = false;
            for (size_t o = 0; o < k; o++)
                taken |= lines[o] == lines[k];
            if (taken)
                lines[k] = lines[k] + 1 < c->lines ? lines[k] + 1 : 0;
        } while (taken);
    }
}

static void add_line(text *t, const canvas *c, const plot *p, size_t line,
                     const size_t names[MOST_CURVES])
{
    const double step = (c->y_high - c->y_low) / (double)(c->lines - 1);

    if (line % 3 == 0 || line + 1 == c->lines)
        text_format(t, "%*.4f ┤", LEFT - 2, c->y_high - step * (double)line);
    else
        text_format(t, "%*s │", LEFT - 2, "");
    for (size_t i = 0; i < c->columns; i++) {
        const unsigned bits = c->cells[line * c->columns + i];
        const char dots[4] = { (char)0xE2, (char)(0xA0 | bits >> 6), (char)(0x80 | (bits & 63)),
                               0 };

        text_add(t, bits ? dots : " ");
    }
    for (size_t k = 0; k < p->curve_count; k++)
        if (names[k] == line)
            text_format(t, " %s %.4f", p->curves[k].name, last_value(p, p->curves[k].y));
    while (t->length && t->at[t->length - 1] == ' ')
        t->at[--t->length] = '\0';
    text_add(t, "\n");
}

/* Numbers below the axis: the first, the last, and the marked one with its word. */
static void add_axis(text *t, const canvas *c, const plot *p)
{
    char first[32], last[32], mark[80] = "";
    const bool marks = p->marked > 0.0;
    const size_t at = marks ? dot_at(p->marked, c->x_low, c->x_high, 2 * c->columns) / 2 : 0;

    text_format(t, "%*s └", LEFT - 2, "");
    for (size_t i = 0; i < c->columns; i++)
        text_add(t, marks && i == at ? "▲" : "─");
    snprintf(first, sizeof first, "%.0f", c->x_low);
    snprintf(last, sizeof last, "%.0f", c->x_high);
    if (marks)
        snprintf(mark, sizeof mark, "%s %.0f", p->word, p->marked);
    text_add(t, "\n");
    text_pad(t, LEFT);
    const size_t line = t->length, length = strlen(mark), end = c->columns - strlen(last);

    text_add(t, first);
    if (marks) {
        size_t begin = at > length / 2 ? at - length / 2 : 0;

        begin = begin > strlen(first) + 1 ? begin : strlen(first) + 2;
        if (begin + length <= c->columns) {
            text_pad(t, begin - (t->length - line));
            text_add(t, mark);
        }
    }
    if (t->length - line + 2 <= end) {
        text_pad(t, end - (t->length - line));
        text_add(t, last);
    }
    text_add(t, "\n");
}

void text_plot(text *t, const plot *p)
{
    canvas c = { .lines = p->height - 2 };
    size_t names[MOST_CURVES];

    if (p->count == 0 || p->curve_count > MOST_CURVES)
        return;
    c.columns = p->width > LEFT + RIGHT + 10 ? p->width - LEFT - RIGHT : 10;
    set_range(&c, p);
    c.cells = must_have(c.columns * c.lines, 1);
    for (size_t k = 0; k < p->curve_count; k++)
        draw_curve(&c, p, p->curves[k].y);
    place_names(&c, p, names);
    for (size_t line = 0; line < c.lines; line++)
        add_line(t, &c, p, line, names);
    add_axis(t, &c, p);
    free(c.cells);
}
