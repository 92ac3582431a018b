/* SPDX-License-Identifier: Apache-2.0 */
/* The simplex method of Nelder and Mead (1965), which needs no derivatives. */
#include "calibration/calibration.h"

#include <math.h>
#include <string.h>

/* Stop after this many steps without a difference between the values at the corners: the function
 * is flat there. */
enum { LEVEL_STEPS = 10 };

typedef struct simplex {
    double (*f)(const void *task, const double *x);
    const void *task;
    size_t n;
    double at[GR_SIMPLEX_MAX + 1][GR_SIMPLEX_MAX], value[GR_SIMPLEX_MAX + 1];
} simplex;

/* NaN counts as the worst value. */
static double value_at(const simplex *s, const double *x)
{
    const double value = s->f(s->task, x);

    return isnan(value) ? INFINITY : value;
}

static void sort_corners(simplex *s)
{
    for (size_t i = 1; i <= s->n; i++)
        for (size_t j = i; j > 0 && s->value[j] < s->value[j - 1]; j--) {
            double corner[GR_SIMPLEX_MAX];
            const double value = s->value[j];

            memcpy(corner, s->at[j], sizeof corner);
            memcpy(s->at[j], s->at[j - 1], sizeof corner);
            memcpy(s->at[j - 1], corner, sizeof corner);
            s->value[j] = s->value[j - 1];
            s->value[j - 1] = value;
        }
}

/* Evaluates a point on the line from the worst corner through the centroid of the others. */
static double try_point(const simplex *s, double factor, double *x)
{
    for (size_t i = 0; i < s->n; i++) {
        double middle = 0.0;

        for (size_t c = 0; c < s->n; c++)
            middle += s->at[c][i] / (double)s->n;
        x[i] = middle + factor * (middle - s->at[s->n][i]);
    }
    return value_at(s, x);
}

static void replace_worst(simplex *s, const double *x, double value)
{
    memcpy(s->at[s->n], x, s->n * sizeof *x);
    s->value[s->n] = value;
}

static void shrink(simplex *s)
{
    for (size_t c = 1; c <= s->n; c++) {
        for (size_t i = 0; i < s->n; i++)
            s->at[c][i] = 0.5 * (s->at[0][i] + s->at[c][i]);
        s->value[c] = value_at(s, s->at[c]);
    }
}

static void move(simplex *s)
{
    double x[GR_SIMPLEX_MAX], farther[GR_SIMPLEX_MAX];
    const double value = try_point(s, 1.0, x);

    if (value < s->value[0]) {
        const double more = try_point(s, 2.0, farther);

        if (more < value)
            replace_worst(s, farther, more);
        else
            replace_worst(s, x, value);
        return;
    }
    if (value < s->value[s->n - 1]) {
        replace_worst(s, x, value);
        return;
    }
    const bool outside = value < s->value[s->n];
    const double nearer = try_point(s, outside ? 0.5 : -0.5, farther);

    if (nearer < (outside ? value : s->value[s->n]))
        replace_worst(s, farther, nearer);
    else
        shrink(s);
}

/* The largest distance of a corner from the best one, relative to its coordinates. */
static double width_of(const simplex *s)
{
    double width = 0.0;

    for (size_t c = 1; c <= s->n; c++)
        for (size_t k = 0; k < s->n; k++)
            width = fmax(width, fabs(s->at[c][k] - s->at[0][k]) / (1.0 + fabs(s->at[0][k])));
    return width;
}

double gr_minimise(double (*f)(const void *task, const double *x), const void *task, double *x,
                   const double *steps, size_t n, size_t most, double width)
{
    simplex s = { .f = f, .task = task, .n = n };
    size_t level = 0; /* steps since the values last differed */

    for (size_t c = 0; c <= n; c++) {
        memcpy(s.at[c], x, n * sizeof *x);
        if (c > 0)
            s.at[c][c - 1] += steps[c - 1];
        s.value[c] = value_at(&s, s.at[c]);
    }
    sort_corners(&s);
    for (size_t i = 0; i < most && level < LEVEL_STEPS; i++) {
        const bool alike = s.value[n] - s.value[0] <= 1e-3 * width * (1.0 + fabs(s.value[0]));

        if (alike && width_of(&s) < width)
            break;
        level = alike ? level + 1 : 0;
        move(&s);
        sort_corners(&s);
    }
    memcpy(x, s.at[0], n * sizeof *x);
    return s.value[0];
}
