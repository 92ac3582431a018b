/* SPDX-License-Identifier: Apache-2.0 */
/* The terms of a model: container, validation and evaluation. */
#include "learners/gaussians/gaussians.h"

#include "data/row_blocks.h"
#include "kernels/sigmoid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

gradus_status gr_gaussians_start(gr_gaussians *g, size_t features, size_t outputs,
                                 const double *bases, gradus_error *err)
{
    *g = (gr_gaussians){ .features = features, .outputs = outputs };
    g->own = g->bases = gr_new_array(outputs, sizeof *g->bases);
    if (!g->bases)
        return gr_fail_memory(err, "kernels");
    memcpy(g->bases, bases, outputs * sizeof *bases);
    return GRADUS_OK;
}

gradus_status gr_gaussians_add(gr_gaussians *g, const gr_gaussian *term, gradus_error *err)
{
    if (g->terms == g->room) {
        const size_t room = g->room ? 2 * g->room : 64;
        gr_gaussian *more = realloc(g->term, room * sizeof *more);

        if (!more)
            return gr_fail_memory(err, "kernels");
        g->term = more;
        g->room = room;
    }
    g->term[g->terms++] = *term;
    return GRADUS_OK;
}

gradus_status gr_gaussians_copy(const gr_gaussians *from, size_t rounds, gr_gaussians *to,
                                gradus_error *err)
{
    const size_t all = gr_gaussians_rounds(from), kept = rounds < all ? rounds : all;

    GR_TRY(gr_gaussians_start(to, from->features, from->outputs, from->bases, err));
    for (size_t t = 0; t < kept * from->outputs; t++)
        if (gr_gaussians_add(to, &from->term[t], err) != GRADUS_OK) {
            gr_gaussians_free(to);
            return GRADUS_NO_MEMORY;
        }
    return GRADUS_OK;
}

void gr_gaussians_free(gr_gaussians *g)
{
    free(g->own);
    if (g->room)
        free(g->term);
    *g = (gr_gaussians){ .features = 0 };
}

static bool in_range(double number)
{
    return isfinite(number) && fabs(number) <= 1e100;
}

gradus_status gr_gaussians_check(const gr_gaussians *g, gradus_error *err)
{
    if (g->outputs == 0 || g->terms % g->outputs != 0)
        return gr_fail(err, GRADUS_BAD_FORMAT,
                       "the number of kernels, %zu, is not a multiple of the outputs, %zu",
                       g->terms, g->outputs);
    for (size_t k = 0; k < g->outputs; k++)
        if (!in_range(g->bases[k]))
            return gr_fail(err, GRADUS_BAD_FORMAT, "the base of output %zu, %g, is out of range", k,
                           g->bases[k]);
    for (size_t t = 0; t < g->terms; t++) {
        const gr_gaussian *term = &g->term[t];

        if (term->feature >= g->features)
            return gr_fail(err, GRADUS_BAD_FORMAT,
                           "kernel %zu: feature %llu is out of range (%zu features)", t,
                           (unsigned long long)term->feature, g->features);
        if (!in_range(term->centre) || !in_range(term->bandwidth) || !(term->bandwidth > 0.0) ||
            !in_range(term->weight) || !in_range(term->offset) || !in_range(term->gain) ||
            term->gain < 0.0)
            return gr_fail(err, GRADUS_BAD_FORMAT,
                           "kernel %zu: a number is out of range, the bandwidth is not above 0 or "
                           "the gain is negative",
                           t);
    }
    return GRADUS_OK;
}

size_t gr_gaussians_uses(const gr_gaussians *g, gradus_feature_use *uses)
{
    for (size_t t = 0; uses && t < g->terms; t++)
        uses[t] = (gradus_feature_use){ (size_t)g->term[t].feature, g->term[t].gain, 1 };
    return g->terms;
}

void gr_gaussians_importance(const gr_gaussians *g, double *gains, uint64_t *terms)
{
    for (size_t f = 0; f < g->features; f++) {
        if (gains)
            gains[f] = 0.0;
        if (terms)
            terms[f] = 0;
    }
    for (size_t t = 0; t < g->terms; t++) {
        if (gains)
            gains[g->term[t].feature] += g->term[t].gain;
        if (terms)
            terms[g->term[t].feature]++;
    }
}

void gr_gaussian_kernel(const gr_gaussian *term, const float *values, size_t stride, size_t count,
                        double *kernel)
{
    const gr_sigmoid_kernels *kernels = gr_sigmoid_here();
    const double scale = 1.0 / term->bandwidth;
    double halves[GR_GAUSSIAN_ROWS] = { 0.0 };

    for (size_t r = 0; r < count; r++) {
        const double z = ((double)values[r * stride] - term->centre) * scale;
        const double half = z * z / 2.0;

        halves[r] = half < GR_EXP_LIMIT ? half : GR_EXP_LIMIT; /* NaN (missing) too */
    }
    kernels->exp_minus(halves, count, kernel);
    for (size_t r = 0; r < count; r++)
        kernel[r] = halves[r] < GR_EXP_LIMIT ? kernel[r] : 0.0;
}

/* Adds terms [first, end) to out[k * pitch + r]. */
static void add_terms(const gr_gaussians *g, size_t first, size_t end, const float *values,
                      size_t rows, size_t stride, double *out, size_t pitch)
{
    double kernel[GR_GAUSSIAN_ROWS];

    for (size_t r = 0; r < rows; r += GR_GAUSSIAN_ROWS) {
        const size_t count = rows - r < GR_GAUSSIAN_ROWS ? rows - r : GR_GAUSSIAN_ROWS;

        for (size_t t = first; t < end; t++) {
            const gr_gaussian *term = &g->term[t];
            double *to = out + t % g->outputs * pitch + r;

            gr_gaussian_kernel(term, values + r * stride + term->feature, stride, count, kernel);
            for (size_t i = 0; i < count; i++)
                to[i] += term->weight * (kernel[i] - term->offset);
        }
    }
}

void gr_gaussians_run(const gr_gaussians *g, const float *values, size_t rows, size_t stride,
                      double *out)
{
    for (size_t k = 0; k < g->outputs; k++)
        for (size_t r = 0; r < rows; r++)
            out[k * rows + r] = g->bases[k];
    add_terms(g, 0, g->terms, values, rows, stride, out, rows);
}

typedef struct adding {
    const gr_gaussians *g;
    size_t first, end; /* terms */
    double *sums;
} adding;

static void add_block(void *argument, const gr_row_block *block)
{
    const adding *work = argument;

    add_terms(work->g, work->first, work->end, block->values, block->rows, block->stride,
              work->sums + block->first, block->arrays->rows);
}

gradus_status gr_gaussians_add_scores(const gr_gaussians *g, size_t first, size_t end,
                                      const gradus_dataset *data, double *sums, gr_pool *pool,
                                      gradus_error *err)
{
    const gr_row_loop loop = { .arrays = &data->arrays,
                               .features = g->features,
                               .rows = gr_block_rows(g->features) };
    adding work = { g, first * g->outputs, end * g->outputs, sums };

    return gr_for_row_blocks(pool, &loop, add_block, &work, err);
}
