/* SPDX-License-Identifier: Apache-2.0 */
/* The linear model of a node. One pass over the rows sums products of deviations from the means of
 * attributes and target; these are scaled to correlations and solved with the sweep operator
 * (Goodnight 1979). Sweeping by an attribute puts it into the model, sweeping again removes it; the
 * last row of the matrix holds the standardised coefficients, and its last element the fraction of
 * the target's variance that is unexplained. An attribute whose variance is explained by those in
 * the model up to a fraction of 1e-10 is left out. (learners/linear/solve.h solves one large system
 * accurately, with pivoting; here there are thousands of small systems, from which attributes are
 * added and removed in WEKA's order.)
 *
 * WEKA's elimination rules: first, against collinearity, remove the attribute with the largest
 * standardised coefficient while that exceeds 1.5; then remove the attribute with the smallest one
 * as long as Akaike's criterion improves. The ridge of 1e-8 applies to standardised attributes. */
#include "learners/m5/m5_fit.h"

#include "kernels/m5_products.h"

#include <stdlib.h>

enum { PILOT = 64, AHEAD = 8 };

#define LEAST_PIVOT 1e-10
#define RIDGE 1e-8
#define MAX_STANDARDISED 1.5
/* An unexplained fraction of the target's variance below this is rounding error: the fit is
 * perfect. */
#define ROUNDING 1e-14
/* A variance below this fraction of the squared mean is rounding error of a constant; a varying
 * column in float precision has more. */
#define LEAST_VARIANCE 1e-24

void gr_m5_model_free(gr_m5_model *model)
{
    free(model->features);
    free(model->factors);
    model->features = NULL;
    model->factors = NULL;
}

void gr_m5_fitter_free(gr_m5_fitter *fitter)
{
    gr_arena_free(&fitter->arena);
}

static size_t width_of(size_t attributes)
{
    return (attributes + 2 + GR_M5_TILE - 1) / GR_M5_TILE * GR_M5_TILE;
}

bool gr_m5_fitter_start(gr_m5_fitter *f, size_t attributes, const gr_m5_set *set)
{
    const size_t width = width_of(attributes);
    size_t square;

    if (!gr_size_times(width, width, &square))
        return false;
    *f = (gr_m5_fitter){ .width = width };
    f->means = gr_arena_array(&f->arena, width, sizeof *f->means);
    f->scales = gr_arena_array(&f->arena, width, sizeof *f->scales);
    f->column = gr_arena_array(&f->arena, width, sizeof *f->column);
    f->left = gr_arena_array(&f->arena, width * GR_M5_PANEL, sizeof *f->left);
    f->right = gr_arena_array(&f->arena, width * GR_M5_PANEL, sizeof *f->right);
    f->products = gr_arena_array(&f->arena, square, sizeof *f->products);
    f->swept = gr_arena_array(&f->arena, square, sizeof *f->swept);
    f->chosen = gr_arena_array(&f->arena, width, sizeof *f->chosen);
    f->in = gr_arena_array(&f->arena, width, 1);
    f->places = gr_arena_array(&f->arena, set->sparse ? set->features : 1, sizeof *f->places);
    return !f->arena.failed;
}

/* One fit. */
typedef struct fitting {
    gr_m5_fitter *room;
    const gr_m5_sample *sample;
    const uint32_t *rows;
    size_t row_count;
    const uint32_t *attributes;
    size_t count, width; /* column `count`: target; next: constant 1 */
    double weight;
} fitting;

static const float *row_at(const fitting *fit, size_t i)
{
    const size_t r = fit->sample->rows[fit->rows[i]];

    return fit->sample->set->values + r * fit->sample->set->stride;
}

static double weight_at(const fitting *fit, size_t i)
{
    return fit->sample->weights ? fit->sample->weights[fit->rows[i]] : 1.0;
}

/* values[a]: attribute a of row i. */
static void take_values(const fitting *fit, size_t i, double *values)
{
    const gr_m5_set *set = fit->sample->set;
    const gradus_arrays *sparse = set->sparse;

    if (!sparse) {
        const float *row = row_at(fit, i);

        for (size_t a = 0; a < fit->count; a++)
            values[a] = (double)row[fit->attributes[a]];
        return;
    }
    const size_t r = fit->sample->rows[fit->rows[i]];

    memset(values, 0, fit->count * sizeof *values);
    for (uint64_t e = sparse->row_starts[r]; e < sparse->row_starts[r + 1]; e++) {
        const uint32_t f = sparse->columns[e], place = fit->room->places[f];

        if (place)
            values[place - 1] = (double)gr_m5_filled(set, f, sparse->entries[e]);
    }
}

/* Means over the first PILOT rows. Deviations from these are small, so that one pass over all rows
 * is accurate enough: since the pilot rows belong to the data, the sum of squared deviations from
 * the pilot means is at most 1 + rows / PILOT times that from the true means. */
static void find_pilot_means(const fitting *fit)
{
    const size_t rows = fit->row_count < PILOT ? fit->row_count : PILOT;
    double *means = fit->room->means, weight = 0.0;

    memset(means, 0, fit->width * sizeof *means);
    for (size_t i = 0; i < rows; i++) {
        const double w = weight_at(fit, i);

        take_values(fit, i, fit->room->right);
        for (size_t a = 0; a < fit->count; a++)
            means[a] += w * fit->room->right[a];
        means[fit->count] += w * fit->sample->targets[fit->rows[i]];
        weight += w;
    }
    for (size_t a = 0; a <= fit->count; a++)
        means[a] /= weight;
}

static void fill_panel(const fitting *fit, size_t first, size_t rows)
{
    gr_m5_fitter *room = fit->room;
    const size_t width = fit->width, count = fit->count;
    const uint32_t *attributes = fit->attributes;
    const double *means = room->means;

    for (size_t i = 0; i < rows; i++) {
        double *right = room->right + i * width, *weighted = room->left + i * width;

        if (!fit->sample->set->sparse && first + i + AHEAD < fit->row_count) {
            const float *ahead = row_at(fit, first + i + AHEAD); /* rows are scattered */

            for (size_t a = 0; a < count; a += 8)
                __builtin_prefetch(ahead + attributes[a]);
        }
        take_values(fit, first + i, right);
        for (size_t a = 0; a < count; a++)
            right[a] -= means[a];
        right[count] = fit->sample->targets[fit->rows[first + i]] - means[count];
        right[count + 1] = 1.0;
        if (!fit->sample->weights)
            continue;
        const double w = weight_at(fit, first + i);

        for (size_t a = 0; a <= count + 1; a++)
            weighted[a] = w * right[a];
    }
}

/* Sums of products of deviations: first from the pilot means, then corrected to the true means. */
static void sum_products(const fitting *fit)
{
    gr_m5_fitter *room = fit->room;
    gr_m5_products_kernel *const kernel = gr_m5_products_here()->products;
    const size_t width = fit->width, one = fit->count + 1;
    double *products = room->products;

    memset(products, 0, width * width * sizeof *products);
    memset(room->right, 0, width * GR_M5_PANEL * sizeof *room->right);
    memset(room->left, 0, width * GR_M5_PANEL * sizeof *room->left);
    for (size_t first = 0; first < fit->row_count; first += GR_M5_PANEL) {
        const size_t left = fit->row_count - first;
        const size_t rows = left < GR_M5_PANEL ? left : GR_M5_PANEL;

        fill_panel(fit, first, rows);
        kernel(fit->sample->weights ? room->left : room->right, room->right, rows, width, products);
    }
    for (size_t i = 0; i < one; i++) {
        const double off = products[i * width + one] / fit->weight;

        for (size_t j = i; j < one; j++)
            products[i * width + j] -= off * products[j * width + one];
        room->means[i] += off;
    }
}

/* Correlations of the chosen attributes and the target in the lower triangle of `swept`, whose rows
 * have length count + 1. */
static void correlate(const fitting *fit, const uint32_t *chosen, size_t count)
{
    gr_m5_fitter *room = fit->room;
    const size_t size = count + 1;

    for (size_t i = 0; i < size; i++) {
        const size_t a = i < count ? chosen[i] : fit->count;

        for (size_t j = 0; j <= i; j++) {
            const size_t b = j < count ? chosen[j] : fit->count;

            room->swept[i * size + j] =
                room->products[b * fit->width + a] * room->scales[a] * room->scales[b];
        }
        if (i < count)
            room->swept[i * size + i] = 1.0 + RIDGE / fit->weight;
    }
}

/* Sweeps by attribute k to add it, or to remove it (back), in the lower triangle only. */
static void sweep(gr_m5_fitter *room, size_t size, size_t k, bool back)
{
    double *swept = room->swept, *column = room->column;
    const double pivot = swept[k * size + k];
    const double share = 1.0 / pivot;

    for (size_t i = 0; i < size; i++)
        column[i] = i < k ? swept[k * size + i] : swept[i * size + k];
    for (size_t i = 0; i < size; i++) {
        const double factor = column[i] * share;
        double *row = swept + i * size;

        if (i == k)
            continue;
        for (size_t j = 0; j <= i; j++)
            row[j] -= factor * column[j];
    }
    const double sign = back ? -1.0 : 1.0;

    for (size_t i = 0; i < size; i++)
        *(i < k ? &swept[k * size + i] : &swept[i * size + k]) = sign * column[i] * share;
    swept[k * size + k] = -share;
}

static double *cell(gr_m5_fitter *room, size_t size, size_t i, size_t j)
{
    return &room->swept[i < j ? j * size + i : i * size + j];
}

/* Attribute k is a linear combination of attributes in the model. Like WEKA's rule against
 * collinearity, this leaves out the one with the largest standardised coefficient in that
 * combination; k itself counts as 1. Returns whether k goes in. */
static bool exchange(gr_m5_fitter *room, size_t size, size_t k)
{
    double largest = 1.0 + 1e-6;
    size_t which = k;

    for (size_t j = 0; j < k; j++)
        if (room->in[j] && fabs(*cell(room, size, k, j)) > largest) {
            largest = fabs(*cell(room, size, k, j));
            which = j;
        }
    if (which == k)
        return false;
    sweep(room, size, which, true);
    room->in[which] = false;
    if (*cell(room, size, k, k) > LEAST_PIVOT)
        return true;
    sweep(room, size, which, false); /* the larger coefficient was rounding error */
    room->in[which] = true;
    return false;
}

/* Sweeps by every attribute that is not a linear combination of the others; in[k]: whether k is in
 * the model. Returns how many are. */
static size_t sweep_all(gr_m5_fitter *room, size_t count)
{
    const size_t size = count + 1;
    size_t used = 0;

    for (size_t k = 0; k < count; k++) {
        room->in[k] = *cell(room, size, k, k) > LEAST_PIVOT || exchange(room, size, k);
        if (room->in[k])
            sweep(room, size, k, false);
    }
    for (size_t k = 0; k < count; k++)
        used += room->in[k];
    return used;
}

/* The attribute in the model with the largest (or smallest) absolute standardised coefficient;
 * count: none. */
static size_t extreme(const gr_m5_fitter *room, size_t count, bool largest, double *found)
{
    const double *coefficients = room->swept + count * (count + 1);
    size_t which = count;

    for (size_t i = 0; i < count; i++) {
        const double size = fabs(coefficients[i]);

        if (room->in[i] && (which == count || (largest ? size > *found : size < *found))) {
            *found = size;
            which = i;
        }
    }
    return which;
}

/* The unexplained fraction of the target's variance. */
static double left_over(const gr_m5_fitter *room, size_t count)
{
    const double share = room->swept[count * (count + 1) + count];

    return share > 0.0 ? share : 0.0;
}

/* WEKA's elimination; see the head of this file. */
static void eliminate(const fitting *fit, size_t count, size_t used)
{
    gr_m5_fitter *room = fit->room;
    const size_t size = count + 1;
    double found = 0.0;
    size_t which;

    while ((which = extreme(room, count, true, &found)) < count && found > MAX_STANDARDISED) {
        sweep(room, size, which, true);
        room->in[which] = false;
        used--;
    }
    const double v = (double)used + 1.0;
    const double before = left_over(room, count) > ROUNDING ? left_over(room, count) : ROUNDING;
    double akaike = left_over(room, count) / before * (fit->weight - v) + 2.0 * v;

    while ((which = extreme(room, count, false, &found)) < count) {
        /* The increase of unexplained variance if this attribute is removed, read off the
         * matrix. */
        const double rise = found * found / -room->swept[which * size + which];
        const double smaller =
            (left_over(room, count) + rise) / before * (fit->weight - v) + 2.0 * (double)used;

        if (!(smaller < akaike))
            break;
        akaike = smaller;
        sweep(room, size, which, true);
        room->in[which] = false;
        used--;
    }
}

static bool keep(const fitting *fit, const uint32_t *chosen, size_t count, gr_m5_model *model)
{
    const gr_m5_fitter *room = fit->room;
    const double *coefficients = room->swept + count * (count + 1);
    const double scale = 1.0 / room->scales[fit->count];
    double squares = 0.0;

    model->features = gr_new_array(count, sizeof *model->features);
    model->factors = gr_new_array(count, sizeof *model->factors);
    if (!model->features || !model->factors)
        return false;
    for (size_t i = 0; i < count; i++) {
        const size_t a = chosen[i];
        const double factor = coefficients[i] * scale * room->scales[a];

        if (!room->in[i])
            continue;
        model->features[model->terms] = fit->attributes[a];
        model->factors[model->terms++] = factor;
        model->intercept -= factor * room->means[a];
        squares += coefficients[i] * coefficients[i];
    }
    /* The unexplained fraction includes the ridge penalty, which is not part of the error. */
    const double share = left_over(room, count) - squares * RIDGE / fit->weight;

    model->error = (share > 0.0 ? share : 0.0) * scale * scale;
    return true;
}

/* scales[a]: 1 / sqrt(sum of squared deviations), 0 for a constant column. Lists the attributes
 * that vary and returns their number. */
static size_t find_scales(const fitting *fit)
{
    gr_m5_fitter *room = fit->room;
    size_t count = 0;

    for (size_t a = 0; a <= fit->count; a++) {
        const double square = room->products[a * fit->width + a];
        const double least = LEAST_VARIANCE * fit->weight * room->means[a] * room->means[a];

        room->scales[a] = square > least ? 1.0 / sqrt(square) : 0.0;
        if (a < fit->count && room->scales[a] > 0.0)
            room->chosen[count++] = (uint32_t)a;
    }
    return count;
}

bool gr_m5_fit(gr_m5_fitter *room, const gr_m5_sample *sample, const uint32_t *rows,
               const gr_m5_branch *branch, const uint32_t *attributes, size_t count,
               gr_m5_model *model)
{
    const fitting fit = { .room = room,
                          .sample = sample,
                          .rows = rows,
                          .row_count = branch->count,
                          .attributes = attributes,
                          .count = count,
                          .width = width_of(count),
                          .weight = branch->sums.weight };
    size_t chosen, kept = 0;

    for (size_t a = 0; sample->set->sparse && a < count; a++)
        room->places[attributes[a]] = (uint32_t)a + 1;
    find_pilot_means(&fit);
    sum_products(&fit);
    for (size_t a = 0; sample->set->sparse && a < count; a++)
        room->places[attributes[a]] = 0;
    chosen = find_scales(&fit);
    *model = (gr_m5_model){ .intercept = room->means[count] };
    if (room->scales[count] == 0.0)
        return true;
    correlate(&fit, room->chosen, chosen);
    eliminate(&fit, chosen, sweep_all(room, chosen));
    for (size_t i = 0; i < chosen; i++)
        if (room->in[i])
            room->chosen[kept++] = room->chosen[i];
    correlate(&fit, room->chosen, kept); /* again, free of the rounding errors of removals */
    sweep_all(room, kept);
    return keep(&fit, room->chosen, kept, model);
}
