/* SPDX-License-Identifier: Apache-2.0 */
/* Line plots and sparklines made of characters. */
#include "curve.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEFT = 10, RIGHT = 14, MAX_CURVES = 4 };

/* The plot as dots: a character has two across and four down. */
typedef struct canvas {
    size_t columns, lines; /* of characters */
    unsigned char *cells;
    bool utf8; /* else ASCII */
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
    if (!(c->y_low < c->y_high)) { /* a flat line is drawn in the middle */
        c->y_low -= 0.5;
        c->y_high += 0.5;
    }
}

/* The dot, from 0, at which a value between low and high is drawn. */
static size_t dot_at(double value, double low, double high, size_t dots)
{
    return nearest_step(high > low ? (value - low) / (high - low) : 0.0, dots - 1);
}

static void set_dot(canvas *c, size_t across, size_t up)
{
    static const unsigned char bits[4][2] = { { 0x40, 0x80 }, { 4, 32 }, { 2, 16 }, { 1, 8 } };
    const size_t line = c->lines - 1 - up / 4;

    c->cells[line * c->columns + across / 2] |= bits[up % 4][across % 2];
}

/* Draws one column of dots, from the height of the previous column to that of this one. */
static void set_dots(canvas *c, size_t across, size_t from, size_t to)
{
    const size_t low = from < to ? from : to, high = from < to ? to : from;

    for (size_t up = low; up <= high; up++)
        if (up == to || up != from) /* the previous column has that one */
            set_dot(c, across, up);
}

static void draw_curve(canvas *c, const plot *p, const double *y)
{
    const size_t dots = 2 * c->columns, tall = 4 * c->lines;
    bool any = false;
    size_t before = 0, before_up = 0, last = 0;

    for (size_t i = 0; i < p->count; i++) {
        if (!isfinite(y[i]))
            continue;
        const size_t across = dot_at(p->x[i], c->x_low, c->x_high, dots);
        const size_t up = dot_at(y[i], c->y_low, c->y_high, tall);

        for (size_t d = before + 1; any && d < across; d++) { /* a line from the previous point */
            const double share = (double)(d - before) / (double)(across - before);
            const double rise = share * ((double)up - (double)before_up);
            const size_t now = (size_t)((double)before_up + rise + 0.5);

            set_dots(c, d, last, now);
            last = now;
        }
        set_dots(c, across, any ? last : up, up);
        any = true;
        before = across;
        before_up = last = up;
    }
}

static double last_value(const plot *p, const double *y)
{
    for (size_t i = p->count; i-- > 0;)
        if (isfinite(y[i]))
            return y[i];
    return (double)NAN;
}

/* The line of each curve's name: that of its last value, or the next free one. */
static void place_names(const canvas *c, const plot *p, size_t lines[MAX_CURVES])
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

/* A character of dots: braille; in ASCII one that shows dots in the upper half, the lower, or both.
 */
static void add_cell(text *t, unsigned bits, bool utf8)
{
    enum { UPPER = 1 | 8 | 2 | 16 };
    const char dots[4] = { (char)0xE2, (char)(0xA0 | bits >> 6), (char)(0x80 | (bits & 63)), 0 };

    if (bits == 0)
        text_add(t, " ");
    else if (utf8)
        text_add(t, dots);
    else
        text_add(t, !(bits & UPPER) ? "." : bits & ~(unsigned)UPPER ? ":" : "'");
}

static void add_line(text *t, const canvas *c, const plot *p, size_t line,
                     const size_t names[MAX_CURVES])
{
    const double step = (c->y_high - c->y_low) / (double)(c->lines - 1);

    if (line % 3 == 0 || line + 1 == c->lines)
        text_format(t, "%*.4f %s", LEFT - 2, c->y_high - step * (double)line, c->utf8 ? "┤" : "+");
    else
        text_format(t, "%*s %s", LEFT - 2, "", c->utf8 ? "│" : "|");
    for (size_t i = 0; i < c->columns; i++)
        add_cell(t, c->cells[line * c->columns + i], c->utf8);
    for (size_t k = 0; k < p->curve_count; k++)
        if (names[k] == line)
            text_format(t, " %s %.4f", p->curves[k].name, last_value(p, p->curves[k].y));
    while (t->length && t->at[t->length - 1] == ' ')
        t->at[--t->length] = '\0';
    text_add(t, "\n");
}

static void add_axis(text *t, const canvas *c, bool marks, size_t at)
{
    static const char *const parts[2][3] = { { "+", "^", "-" }, { "└", "▲", "─" } };
    const char *const *part = parts[c->utf8];

    text_format(t, "%*s %s", LEFT - 2, "", part[0]);
    for (size_t i = 0; i < c->columns; i++)
        text_add(t, part[marks && i == at ? 1 : 2]);
    text_add(t, "\n");
}

/* Numbers below the axis: the marked one with its word, then the first and the last if they fit.
 */
static void add_numbers(text *t, const canvas *c, const plot *p, bool marks, size_t at)
{
    char *line = must_have(c->columns + 1, 1), number[80];
    size_t begin = 0, length = 0;

    memset(line, ' ', c->columns);
    if (marks) {
        length = (size_t)snprintf(number, sizeof number, "%s %.0f", p->word, p->marked);
        length = length < c->columns ? length : c->columns;
        begin = at > length / 2 ? at - length / 2 : 0;
        begin = begin + length > c->columns ? c->columns - length : begin;
        memcpy(line + begin, number, length);
    }
    const size_t first = (size_t)snprintf(number, sizeof number, "%.0f", c->x_low);

    if (first <= c->columns && (!marks || begin > first))
        memcpy(line, number, first);
    const size_t last = (size_t)snprintf(number, sizeof number, "%.0f", c->x_high);

    if (begin + length + 1 + last < c->columns)
        memcpy(line + c->columns - last, number, last);
    for (size_t end = c->columns; end > 0 && line[end - 1] == ' '; end--)
        line[end - 1] = '\0';
    text_pad(t, LEFT);
    text_format(t, "%s\n", line);
    free(line);
}

void text_plot(text *t, const plot *p)
{
    canvas c = { .lines = p->height - 2, .utf8 = locale_is_utf8() };
    size_t names[MAX_CURVES];

    if (p->count == 0 || p->curve_count > MAX_CURVES)
        return;
    c.columns = p->width > LEFT + RIGHT + 10 ? p->width - LEFT - RIGHT : 10;
    set_range(&c, p);
    c.cells = must_have(c.columns * c.lines, 1);
    for (size_t k = 0; k < p->curve_count; k++)
        draw_curve(&c, p, p->curves[k].y);
    place_names(&c, p, names);
    const bool marks = p->marked > 0.0;
    const size_t at = marks ? dot_at(p->marked, c.x_low, c.x_high, 2 * c.columns) / 2 : 0;

    for (size_t line = 0; line < c.lines; line++)
        add_line(t, &c, p, line, names);
    add_axis(t, &c, marks, at);
    add_numbers(t, &c, p, marks, at);
    free(c.cells);
}

void text_sparkline(text *t, const size_t *counts, size_t count)
{
    static const char *const steps[2][9] = { { " ", ".", ":", "-", "=", "+", "*", "#", "@" },
                                             { " ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" } };
    const bool utf8 = locale_is_utf8();
    size_t most = 1;

    for (size_t i = 0; i < count; i++)
        most = counts[i] > most ? counts[i] : most;
    for (size_t i = 0; i < count; i++)
        text_add(t, steps[utf8][(8 * counts[i] + most - 1) / most]);
}
