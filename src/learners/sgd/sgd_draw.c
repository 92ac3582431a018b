/* SPDX-License-Identifier: Apache-2.0 */
/* Draws the row, pair or list of each step. */
#include "learners/sgd/sgd_state.h"

#include "base/rng.h"

typedef struct streams {
    uint64_t kind, row, pair, list;
} streams;

static streams streams_of(const gr_sgd *sgd, size_t shard)
{
    gr_rng rng = gr_rng_for(sgd->task.seed, "sgd", shard);
    streams all;

    all.kind = gr_rng_long(&rng);
    all.row = gr_rng_long(&rng);
    all.pair = gr_rng_long(&rng);
    all.list = gr_rng_long(&rng);
    return all;
}

/* A uniform 64-bit number is below this with probability p. */
static uint64_t threshold(double p)
{
    return p >= 1.0 ? UINT64_MAX : (uint64_t)(p * 0x1p64);
}

static double weight_of(const gr_sgd *sgd, uint32_t r)
{
    const float *weights = sgd->task.problem->row_weights;

    return weights ? (double)weights[r] / sgd->mean_weight : 1.0;
}

static void draw_row(const gr_sgd *sgd, const gr_equation *equation, uint64_t random, gr_draw *draw)
{
    const uint32_t r = (uint32_t)gr_sgd_below(random, sgd->arrays->rows);
    double target = gr_sgd_target(sgd, equation, r);

    if (sgd->task.loss == GR_SGD_HINGE)
        target = target >= 0.5 ? 1.0 : -1.0;
    *draw = (gr_draw){ r, GR_NO_ROW, target, weight_of(sgd, r) };
}

static void draw_pair(const gr_sgd *sgd, const gr_equation *equation, uint64_t stream,
                      uint64_t step, gr_draw *draw)
{
    double target;

    gr_sgd_pairs_draw(equation->pairs, stream, step, &draw->a, &draw->b);
    target = gr_sgd_target(sgd, equation, draw->a) - gr_sgd_target(sgd, equation, draw->b);
    if (sgd->task.loss == GR_SGD_LOGISTIC)
        target = 0.5 * (1.0 + target);
    else if (sgd->task.loss == GR_SGD_HINGE)
        target = target > 0.0 ? 1.0 : -1.0;
    draw->target = target;
    draw->weight = 1.0;
    if (sgd->task.problem->row_weights)
        draw->weight = __builtin_sqrt(weight_of(sgd, draw->a) * weight_of(sgd, draw->b));
}

/* Draws a query with different labels uniformly; its weight is that of its first row. */
static void draw_list(const gr_sgd *sgd, uint64_t random, gr_draw *draw)
{
    const uint32_t q = (uint32_t)gr_sgd_below(random, sgd->order.queries);

    *draw = (gr_draw){ q, GR_LIST, 0.0, weight_of(sgd, sgd->order.rows[sgd->order.starts[q]]) };
}

void gr_sgd_draw(const gr_sgd *sgd, const gr_equation *equation, size_t shard, uint64_t first,
                 size_t count, gr_draw *draws)
{
    const double listwise = sgd->task.options->listwise;
    const uint64_t lists = threshold(listwise / (1.0 + listwise));
    const uint64_t rows = threshold(equation->alpha);
    const streams from = streams_of(sgd, shard);

    for (size_t i = 0; i < count; i++) {
        const uint64_t step = first + i;

        if (lists && gr_sgd_random(from.kind, 2 * step + 1) < lists)
            draw_list(sgd, gr_sgd_random(from.list, step), &draws[i]);
        else if (rows == UINT64_MAX || (rows && gr_sgd_random(from.kind, 2 * step) < rows))
            draw_row(sgd, equation, gr_sgd_random(from.row, step), &draws[i]);
        else
            draw_pair(sgd, equation, from.pair, step, &draws[i]);
        draws[i].weight *= 1.0 + listwise;
    }
}
