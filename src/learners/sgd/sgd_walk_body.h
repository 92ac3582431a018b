/* SPDX-License-Identifier: Apache-2.0 */
/* Steps with one step size for all weights of type REAL; NAMED(name) appends the type to a name. */

/* Rows that must be processed entry by entry; see is_slow(). */
static REAL NAMED(slow_dot)(const gr_sgd *sgd, const gr_row_values *row, const REAL *weights)
{
    REAL sum = 0;

    for (size_t i = 0; i < row->count; i++) {
        size_t at;
        const float x = entry_of(sgd, row, i, &at);

        sum += (REAL)x * weights[at];
    }
    return sum;
}

/* weights += factor * row. Returns the increase of |weights|^2. */
static REAL NAMED(slow_add)(const gr_sgd *sgd, const gr_row_values *row, REAL factor, REAL *weights)
{
    REAL growth = 0;

    for (size_t i = 0; i < row->count; i++) {
        size_t at;
        const REAL more = factor * (REAL)entry_of(sgd, row, i, &at);
        const REAL old = weights[at], sum = old + more;

        weights[at] = sum;
        growth += more * (old + sum);
    }
    return growth;
}

static REAL NAMED(dot)(const gr_sgd *sgd, const TABLE *kernels, const gr_row_values *row,
                       const REAL *weights)
{
    if (is_slow(sgd))
        return NAMED(slow_dot)(sgd, row, weights);
    if (row->columns)
        return kernels->sparse_dot(row, weights);
    return (sgd->careful ? kernels->careful_dot : kernels->dot)(row->values, weights, row->count);
}

static REAL NAMED(add)(const gr_sgd *sgd, const TABLE *kernels, const gr_row_values *row,
                       REAL factor, REAL *weights)
{
    if (is_slow(sgd))
        return NAMED(slow_add)(sgd, row, factor, weights);
    if (row->columns)
        return kernels->sparse_add(row, factor, weights);
    return (sgd->careful ? kernels->careful_add : kernels->add)(row->values, factor, weights,
                                                                row->count);
}

/* The product of the weights with row a, or with row a minus row b. */
static REAL NAMED(dot_draw)(const gr_sgd *sgd, const TABLE *kernels, const gr_draw *draw,
                            const REAL *weights)
{
    const gr_row_values a = gr_sgd_row(sgd->arrays, draw->a);

    if (draw->b == GR_NO_ROW)
        return NAMED(dot)(sgd, kernels, &a, weights);
    const gr_row_values b = gr_sgd_row(sgd->arrays, draw->b);

    if (a.columns || sgd->bits)
        return NAMED(dot)(sgd, kernels, &a, weights) - NAMED(dot)(sgd, kernels, &b, weights);
    return (sgd->careful ? kernels->careful_dot_pair : kernels->dot_pair)(a.values, b.values,
                                                                          weights, a.count);
}

static double NAMED(add_draw)(const gr_sgd *sgd, const TABLE *kernels, const gr_draw *draw,
                              REAL factor, REAL *weights)
{
    const gr_row_values a = gr_sgd_row(sgd->arrays, draw->a);

    if (draw->b == GR_NO_ROW)
        return (double)NAMED(add)(sgd, kernels, &a, factor, weights);
    const gr_row_values b = gr_sgd_row(sgd->arrays, draw->b);

    if (a.columns || sgd->bits) {
        const REAL growth = NAMED(add)(sgd, kernels, &a, factor, weights);

        return (double)growth + (double)NAMED(add)(sgd, kernels, &b, -factor, weights);
    }
    return (double)(sgd->careful ? kernels->careful_add_pair
                                 : kernels->add_pair)(a.values, b.values, factor, weights, a.count);
}

static double NAMED(norm)(const gr_sgd *sgd, const gr_walk *walk)
{
    const REAL *v = walk->v;
    double lanes[8] = { 0 };

    for (size_t f = 0; f < sgd->features; f++)
        lanes[f % 8] += (double)v[f] * (double)v[f];
    return ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) +
           ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7])) + walk->bias * walk->bias;
}

/* Moves the pending part of the average, scale_sum * v - u, into its sums. */
static void NAMED(finish_average)(const gr_sgd *sgd, gr_walk *walk)
{
    const size_t features = sgd->features;
    const REAL *v = walk->v;
    REAL *u = walk->u;

    if (!walk->sums || walk->scale_sum == 0.0)
        return;
    for (size_t f = 0; f < features; f++) {
        walk->sums[f] += walk->scale_sum * (double)v[f] - (double)u[f];
        u[f] = 0;
    }
    walk->sums[features] += walk->scale_sum * walk->bias - walk->bias_u;
    walk->bias_u = 0.0;
    walk->scale_sum = 0.0;
}

/* Applies the accumulated L1 shrinkage (truncated gradient) to all weights except the bias. */
static void NAMED(truncate)(const gr_sgd *sgd, gr_walk *walk)
{
    const REAL pull = (REAL)walk->pull;
    REAL *v = walk->v;

    if (walk->pull == 0.0)
        return;
    NAMED(finish_average)(sgd, walk);
    for (size_t f = 0; f < sgd->features; f++)
        v[f] = v[f] > pull ? v[f] - pull : v[f] < -pull ? v[f] + pull : 0;
    walk->pull = 0.0;
}

static void NAMED(regularise)(const gr_sgd *sgd, gr_walk *walk, double lambda);

static void NAMED(apply_decay)(const gr_sgd *sgd, gr_walk *walk, double lambda)
{
    REAL *v = walk->v;

    NAMED(regularise)(sgd, walk, lambda);
    NAMED(truncate)(sgd, walk);
    NAMED(finish_average)(sgd, walk);
    for (size_t f = 0; f < sgd->features; f++)
        v[f] = (REAL)((double)v[f] * walk->scale);
    walk->bias *= walk->scale;
    walk->scale = 1.0;
    walk->norm = NAMED(norm)(sgd, walk);
}

/* Adds the rows of a list, each by its pull times the step size. */
static void NAMED(add_list)(const gr_sgd *sgd, const TABLE *kernels, gr_walk *walk,
                            const gr_draw *draw, double unit, const double *pulls, bool averages)
{
    const uint32_t *rows = sgd->order.rows + sgd->order.starts[draw->a];

    for (size_t i = 0; i < sgd->order.counts[draw->a]; i++) {
        const gr_row_values row = gr_sgd_row(sgd->arrays, rows[i]);
        const double factor = unit * pulls[i];

        walk->norm += (double)NAMED(add)(sgd, kernels, &row, (REAL)factor, walk->v);
        if (averages)
            NAMED(add)(sgd, kernels, &row, (REAL)(walk->scale_sum * factor), walk->u);
    }
}

static void NAMED(dot_list)(const gr_sgd *sgd, const TABLE *kernels, const gr_equation *equation,
                            const gr_walk *walk, const gr_draw *draw, double *pulls)
{
    const uint32_t *rows = sgd->order.rows + sgd->order.starts[draw->a];
    const size_t count = sgd->order.counts[draw->a];

    for (size_t i = 0; i < count; i++) {
        const gr_row_values row = gr_sgd_row(sgd->arrays, rows[i]);

        pulls[i] = walk->scale * (double)NAMED(dot)(sgd, kernels, &row, walk->v);
    }
    pull_list(sgd, equation, rows, count, pulls);
}

/* Multiplies the weights by 1 - eta lambda, or sets them to 0 if that is not positive. Rescales v
 * before `scale` underflows. */
static void NAMED(shrink)(const gr_sgd *sgd, gr_walk *walk, double eta, double lambda)
{
    walk->scale *= 1.0 - eta * lambda;
    if (walk->scale > SMALLEST_SCALE)
        return;
    if (walk->scale <= 0.0) {
        walk->scale = 0.0;
        NAMED(apply_decay)(sgd, walk, lambda);
        return;
    }
    NAMED(apply_decay)(sgd, walk, lambda);
}

static void NAMED(walk)(const gr_sgd *sgd, const gr_equation *equation, gr_walk *walk,
                        const gr_draws *draws, bool averages, double *scratch)
{
    const TABLE *kernels = VERSIONS[gr_versions_here() - 1];
    const gr_sgd_loss loss = sgd->task.loss;
    const double l1 = sgd->task.options->l1, radius = equation->radius * equation->radius;

    for (size_t i = 0; i < draws->count; i++) {
        const gr_draw *draw = &draws->at[i];
        const double eta = eta_of(sgd, equation->lambda, ++walk->steps);
        const bool single = draw->b == GR_NO_ROW;
        double pull = 0.0;

        if (i + GR_SGD_AHEAD < draws->drawn)
            ask_for_first(sgd->arrays, draw + GR_SGD_AHEAD);
        if (draw->b == GR_LIST)
            NAMED(dot_list)(sgd, kernels, equation, walk, draw, scratch);
        else
            pull = pull_of(loss, draw->target,
                           walk->scale * ((double)NAMED(dot_draw)(sgd, kernels, draw, walk->v) +
                                          (single ? walk->bias : 0.0)));
        if (i + GR_SGD_AHEAD < draws->drawn)
            ask_for_second(sgd->arrays, draw + GR_SGD_AHEAD);
        NAMED(shrink)(sgd, walk, eta, equation->lambda);
        const double unit = eta * draw->weight / walk->scale, factor = unit * pull;

        if (draw->b == GR_LIST) {
            NAMED(add_list)(sgd, kernels, walk, draw, unit, scratch, averages);
        } else if (pull != 0.0) {
            walk->norm += NAMED(add_draw)(sgd, kernels, draw, (REAL)factor, walk->v);
            if (averages)
                NAMED(add_draw)
            (sgd, kernels, draw, (REAL)(walk->scale_sum * factor), walk->u);
            if (single) {
                walk->norm += factor * (2.0 * walk->bias + factor);
                walk->bias += factor;
                walk->bias_u += walk->scale_sum * factor;
            }
        }
        if (radius > 0.0 && walk->norm * walk->scale * walk->scale > radius)
            walk->scale = sqrt(radius / walk->norm);
        walk->scale_sum += averages ? walk->scale : 0.0;
        walk->averaged += averages;
        if (l1 > 0.0) {
            walk->pull += eta * l1 / walk->scale;
            if (walk->steps % sgd->gap == 0) {
                NAMED(truncate)(sgd, walk);
                walk->norm = NAMED(norm)(sgd, walk);
            }
        }
    }
    walk->lost = walk->lost || !isfinite(walk->norm);
}

static void NAMED(join)(const gr_sgd *sgd, gr_walk *walks)
{
    const double share = 1.0 / (double)sgd->shards;
    double bias = 0.0;

    for (size_t f = 0; f < sgd->features; f++) {
        double sum = 0.0;

        for (size_t s = 0; s < sgd->shards; s++)
            sum += (double)((const REAL *)walks[s].v)[f];
        for (size_t s = 0; s < sgd->shards; s++)
            ((REAL *)walks[s].v)[f] = (REAL)(share * sum);
    }
    for (size_t s = 0; s < sgd->shards; s++)
        bias += share * walks[s].bias;
    for (size_t s = 0; s < sgd->shards; s++) {
        walks[s].bias = bias;
        walks[s].norm = NAMED(norm)(sgd, &walks[s]);
    }
}
