/* SPDX-License-Identifier: Apache-2.0 */
/* Figures of experiments as SVG. */
#include "figure.h"

#include <math.h>
#include <stdbool.h>

enum { WIDTH = 720, HEIGHT = 400, LEFT = 70, RIGHT = 190, TOP = 40, BOTTOM = 50, TICKS = 6 };

/* The palette of Okabe and Ito, which colour-blind readers can distinguish. */
static const char *const colours[] = { "#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                       "#56b4e9", "#e69f00", "#000000" };
enum { COLOURS = sizeof colours / sizeof colours[0] };

typedef struct range {
    double low, high;
} range;

typedef struct panel {
    const gradus_figure *figure;
    range x, y;
    double top; /* of the panel on the page */
} panel;

static void widen(range *r, double value)
{
    if (isfinite(value)) {
        r->low = fmin(r->low, value);
        r->high = fmax(r->high, value);
    }
}

static range settle(range r)
{
    if (!(r.low <= r.high))
        return (range){ 0.0, 1.0 };
    const double room = r.high > r.low ? 0.03 * (r.high - r.low) : 0.5;

    return (range){ r.low - room, r.high + room };
}

static void measure(panel *p)
{
    range x = { INFINITY, -INFINITY }, y = x;

    for (size_t s = 0; s < p->figure->count; s++)
        for (size_t i = 0; i < p->figure->series[s].count; i++) {
            widen(&x, p->figure->series[s].x[i]);
            widen(&y, p->figure->series[s].y[i]);
        }
    p->x = settle(x);
    p->y = settle(y);
}

static double across(const panel *p, double x)
{
    return LEFT + (x - p->x.low) / (p->x.high - p->x.low) * (WIDTH - LEFT - RIGHT);
}

static double down(const panel *p, double y)
{
    return p->top + HEIGHT - BOTTOM -
           (y - p->y.low) / (p->y.high - p->y.low) * (HEIGHT - TOP - BOTTOM);
}

/* Escapes text for XML. */
static void escaped(text *t, const char *words)
{
    for (; *words; words++)
        if (*words == '&' || *words == '<' || *words == '>')
            text_add(t, *words == '&' ? "&amp;" : *words == '<' ? "&lt;" : "&gt;");
        else
            text_add_bytes(t, words, 1);
}

/* The distance between ticks: 1, 2 or 5 times a power of ten. */
static double tick_of(range r)
{
    const double rough = (r.high - r.low) / TICKS;
    const double power = pow(10.0, floor(log10(rough)));
    const double times = rough / power;

    return power * (times <= 1.0 ? 1.0 : times <= 2.0 ? 2.0 : times <= 5.0 ? 5.0 : 10.0);
}

static void axis(text *t, const panel *p, bool is_x)
{
    const range r = is_x ? p->x : p->y;
    const double tick = tick_of(r), bottom = p->top + HEIGHT - BOTTOM;

    for (double at = ceil(r.low / tick) * tick; at <= r.high; at += tick) {
        const double value = fabs(at) < tick / 2.0 ? 0.0 : at;

        if (is_x)
            text_format(t,
                        "<line class=\"grid\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>"
                        "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%.6g</text>\n",
                        across(p, value), p->top + TOP, across(p, value), bottom, across(p, value),
                        bottom + 16.0, value);
        else
            text_format(t,
                        "<line class=\"grid\" x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\"/>"
                        "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%.6g</text>\n",
                        LEFT, down(p, value), WIDTH - RIGHT, down(p, value), LEFT - 6,
                        down(p, value) + 4.0, value);
    }
}

static void line(text *t, const panel *p, size_t number)
{
    const gradus_series *s = &p->figure->series[number];
    bool pen = false;

    text_format(t, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"%s\"%s d=\"",
                colours[number % COLOURS], s->theory ? "1.5" : "2",
                s->theory ? " stroke-dasharray=\"6 4\"" : "");
    for (size_t i = 0; i < s->count; i++) {
        const bool there = isfinite(s->x[i]) && isfinite(s->y[i]);

        if (there)
            text_format(t, "%c%.1f %.1f", pen ? 'L' : 'M', across(p, s->x[i]), down(p, s->y[i]));
        pen = there;
    }
    text_add(t, "\"/>\n");
}

static void key(text *t, const panel *p, size_t number)
{
    const gradus_series *s = &p->figure->series[number];
    const double y = p->top + TOP + 10.0 + 18.0 * (double)number;

    text_format(t,
                "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" stroke=\"%s\" "
                "stroke-width=\"2\"%s/><text x=\"%d\" y=\"%.1f\">",
                WIDTH - RIGHT + 10, y, WIDTH - RIGHT + 36, y, colours[number % COLOURS],
                s->theory ? " stroke-dasharray=\"6 4\"" : "", WIDTH - RIGHT + 42, y + 4.0);
    escaped(t, s->name);
    text_add(t, "</text>\n");
}

static void draw(text *t, panel *p)
{
    measure(p);
    text_format(t, "<text x=\"%d\" y=\"%.1f\" font-weight=\"bold\">", LEFT, p->top + 22.0);
    escaped(t, p->figure->title);
    text_add(t, "</text>\n");
    axis(t, p, true);
    axis(t, p, false);
    for (size_t s = 0; s < p->figure->count; s++) {
        line(t, p, s);
        key(t, p, s);
    }
    text_format(t, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"middle\">", (LEFT + WIDTH - RIGHT) / 2,
                p->top + HEIGHT - 12.0);
    escaped(t, p->figure->x);
    text_format(t,
                "</text>\n<text transform=\"translate(16 %.1f) rotate(-90)\" "
                "text-anchor=\"middle\">",
                p->top + (HEIGHT + TOP - BOTTOM) / 2.0);
    escaped(t, p->figure->y);
    text_add(t, "</text>\n");
}

void figures_svg(text *t, const gradus_figure *figures, size_t count)
{
    text_format(t,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%zu\" "
                "font-family=\"sans-serif\" font-size=\"12\">\n<style>.grid{stroke:#ddd}</style>\n"
                "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
                WIDTH, count * HEIGHT);
    for (size_t i = 0; i < count; i++) {
        panel p = { .figure = &figures[i], .top = (double)(i * HEIGHT) };

        draw(t, &p);
    }
    text_add(t, "</svg>\n");
}
