/* SPDX-License-Identifier: Apache-2.0 */
/* Drops attributes by Akaike's criterion. With the inverse of the normal equations, removing an
 * attribute is a rank-1 update; nothing is solved again. */
#include "learners/linear/system.h"

#include "base/memory.h"
#include "base/pool.h"

#include <math.h>
#include <stdlib.h>

typedef struct shrinking {
    const gr_system *system;
    size_t size;     /* number of attributes at the start */
    double *inverse; /* [size x size], in pivot order */
    double *b, *c;   /* [size]: solution and targets, in pivot order */
    bool *gone;
    size_t *places; /* [feature of the system]: its pivot */
} shrinking;

static double rss_of(const shrinking *w, const double *b)
{
    double rss = w->system->moments->target_square;

    for (size_t i = 0; i < w->size; i++)
        if (!w->gone[i])
            rss -= b[i] * (w->c[i] + w->system->ridge * b[i]);
    return rss > 0.0 ? rss : 0.0;
}

static double rss_without(const shrinking *w, size_t j)
{
    const double *row = w->inverse + j * w->size;
    const double step = w->b[j] / row[j];
    double rss = w->system->moments->target_square;

    for (size_t i = 0; i < w->size; i++)
        if (!w->gone[i] && i != j) {
            const double b = w->b[i] - step * row[i];

            rss -= b * (w->c[i] + w->system->ridge * b);
        }
    return rss > 0.0 ? rss : 0.0;
}

static void take_away(shrinking *w, size_t j)
{
    const double *row = w->inverse + j * w->size;
    const double step = w->b[j] / row[j];

    for (size_t i = 0; i < w->size; i++) {
        double *other = w->inverse + i * w->size;
        const double share = row[i] / row[j];

        if (w->gone[i] || i == j)
            continue;
        w->b[i] -= step * row[i];
        for (size_t k = 0; k < w->size; k++)
            other[k] -= share * row[k];
    }
    w->gone[j] = true;
    w->b[j] = 0.0;
}

/* The pivot with the smallest standardised coefficient; the first feature of equal ones. */
static size_t smallest(const shrinking *w)
{
    size_t found = SIZE_MAX;

    for (size_t f = 0; f < w->size; f++) {
        const size_t i = w->places[f];

        if (!w->gone[i] && (found == SIZE_MAX || fabs(w->b[i]) < fabs(w->b[found])))
            found = i;
    }
    return found;
}

static size_t cheapest(const shrinking *w)
{
    size_t found = SIZE_MAX;
    double least = INFINITY;

    for (size_t f = 0; f < w->size; f++) {
        const size_t i = w->places[f];
        const double rss = w->gone[i] ? INFINITY : rss_without(w, i);

        if (rss < least) {
            least = rss;
            found = i;
        }
    }
    return found;
}

static void shrink(shrinking *w, int elimination)
{
    const double n = w->system->moments->count, v = (double)w->size + 1.0;
    const double before = rss_of(w, w->b);
    double best = n + v;

    if (before <= 1e-14 * w->system->moments->target_square)
        return; /* residuals are rounding errors and carry no information */
    for (size_t left = w->size; left > 0 && !gr_pool_cancelled(w->system->asked); left--) {
        const size_t j = elimination == GR_ELIMINATE_M5 ? smallest(w) : cheapest(w);
        const double akaike =
            j == SIZE_MAX ? INFINITY : rss_without(w, j) / before * (n - v) + 2.0 * (double)left;

        if (!(akaike < best))
            return;
        best = akaike;
        take_away(w, j);
    }
}

gradus_status gr_eliminate(const gr_system *s, int elimination, size_t *features, size_t *count,
                           gradus_error *err)
{
    const size_t size = s->rank;
    shrinking w = { .system = s,
                    .size = size,
                    .inverse = gr_new_array(size * size, sizeof(double)),
                    .b = gr_new_array(size, sizeof(double)),
                    .c = gr_new_array(size, sizeof(double)),
                    .gone = gr_new_array(size, sizeof(bool)),
                    .places = gr_new_array(size, sizeof(size_t)) };
    gradus_status status = GRADUS_OK;

    if (w.inverse && w.b && w.c && w.gone && w.places) {
        gr_system_invert(s, w.inverse);
        for (size_t k = 0; k < size; k++) {
            w.places[s->order[k]] = k;
            w.b[k] = s->solution[s->order[k]];
            w.c[k] = s->targets[s->order[k]];
        }
        shrink(&w, elimination);
        *count = 0;
        for (size_t f = 0; f < size; f++)
            if (!w.gone[w.places[f]])
                features[(*count)++] = s->features[f];
        status = gr_pool_check(s->asked, err);
    } else {
        status = gr_fail_memory(err, "the elimination of attributes");
    }
    free(w.inverse);
    free(w.b);
    free(w.c);
    free(w.gone);
    free(w.places);
    return status;
}
