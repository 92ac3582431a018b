/* SPDX-License-Identifier: Apache-2.0 */
/* AdaGrad (Duchi, Hazan and Singer 2011) for weights of type REAL: each weight has its own step
 * size, S / sqrt(sum of its squared gradients). lambda and l1 are applied to all weights every
 * `gap` steps, for all these steps at once (if rows are dense, at every step). */

/* Moves one weight by its (negated) gradient. */
static inline void NAMED(nudge)(gr_walk *walk, double size, double gradient, size_t f)
{
    REAL *squares = walk->squares, *v = walk->v, *u = walk->u;
    const double sum = (double)squares[f] + gradient * gradient;

    if (gradient == 0.0)
        return;
    const double change = size * gradient / sqrt(sum);

    squares[f] = (REAL)sum;
    v[f] = (REAL)((double)v[f] + change);
    if (walk->scale_sum > 0.0)
        u[f] = (REAL)((double)u[f] + walk->scale_sum * change);
}

/* Moves the weights of row a minus row b. Both have ascending columns; b may be empty. */
static void NAMED(nudge_pair)(const gr_sgd *sgd, gr_walk *walk, double pull, const gr_row_values *a,
                              const gr_row_values *b)
{
    size_t i = 0, j = 0;

    while (i < a->count || j < b->count) {
        const size_t at = i < a->count ? (a->columns ? a->columns[i] : i) : SIZE_MAX;
        const size_t other = j < b->count ? (b->columns ? b->columns[j] : j) : SIZE_MAX;
        const size_t f = at < other ? at : other;
        float sign = 1.0f;
        double x = 0.0;

        if (f == at)
            x += finite_or_0(a->values[i++]);
        if (f == other)
            x -= finite_or_0(b->values[j++]);
        const size_t place = sgd->bits ? gr_hash_bucket(f, sgd->bits, &sign) : f;

        NAMED(nudge)(walk, sgd->task.options->step_size, pull * (double)sign * x, place);
    }
}

static void NAMED(nudge_draw)(const gr_sgd *sgd, gr_walk *walk, const gr_draw *draw, double pull)
{
    const double size = sgd->task.options->step_size;
    const gr_row_values none = { NULL, NULL, 0 }, a = gr_sgd_row(sgd->arrays, draw->a);
    const gr_row_values b = draw->b == GR_NO_ROW ? none : gr_sgd_row(sgd->arrays, draw->b);

    NAMED(nudge_pair)(sgd, walk, pull, &a, &b);
    if (draw->b != GR_NO_ROW || pull == 0.0)
        return;
    walk->bias_squares += pull * pull;
    const double change = size * pull / sqrt(walk->bias_squares);

    walk->bias += change;
    walk->bias_u += walk->scale_sum * change;
}

/* The rows of a list are added to the squared gradients one by one. */
static void NAMED(nudge_list)(const gr_sgd *sgd, gr_walk *walk, const gr_draw *draw,
                              const double *pulls)
{
    const uint32_t *rows = sgd->order.rows + sgd->order.starts[draw->a];
    const gr_row_values none = { NULL, NULL, 0 };

    for (size_t i = 0; i < sgd->order.counts[draw->a]; i++) {
        const gr_row_values row = gr_sgd_row(sgd->arrays, rows[i]);

        NAMED(nudge_pair)(sgd, walk, draw->weight * pulls[i], &row, &none);
    }
}

/* Applies lambda and l1 to all weights for the steps since the last time. */
static void NAMED(regularise)(const gr_sgd *sgd, gr_walk *walk, double lambda)
{
    const double size = sgd->task.options->step_size * (double)walk->waiting;
    const double l1 = sgd->task.options->l1;
    const REAL *squares = walk->squares;
    REAL *v = walk->v;

    if (walk->waiting == 0)
        return;
    NAMED(finish_average)(sgd, walk);
    for (size_t f = 0; f < sgd->features; f++) {
        if (v[f] == 0)
            continue;
        const double length = size / sqrt((double)squares[f]), pull = length * l1;
        const double kept = (double)v[f] / (1.0 + length * lambda);

        v[f] = (REAL)(kept > pull ? kept - pull : kept < -pull ? kept + pull : 0.0);
    }
    if (walk->bias_squares > 0.0)
        walk->bias /= 1.0 + size / sqrt(walk->bias_squares) * lambda;
    walk->waiting = 0;
}

static void NAMED(adagrad)(const gr_sgd *sgd, const gr_equation *equation, gr_walk *walk,
                           const gr_draws *draws, bool averages, double *scratch)
{
    const TABLE *kernels = VERSIONS[gr_versions_here() - 1];

    for (size_t i = 0; i < draws->count; i++) {
        const gr_draw *draw = &draws->at[i];

        if (i + GR_SGD_AHEAD < draws->drawn) {
            ask_for_first(sgd->arrays, draw + GR_SGD_AHEAD);
            ask_for_second(sgd->arrays, draw + GR_SGD_AHEAD);
        }
        if (draw->b == GR_LIST) {
            NAMED(dot_list)(sgd, kernels, equation, walk, draw, scratch);
            NAMED(nudge_list)(sgd, walk, draw, scratch);
        } else {
            const double z = (double)NAMED(dot_draw)(sgd, kernels, draw, walk->v) +
                             (draw->b == GR_NO_ROW ? walk->bias : 0.0);

            NAMED(nudge_draw)
            (sgd, walk, draw, draw->weight * pull_of(sgd->task.loss, draw->target, z));
        }
        walk->scale_sum += averages;
        walk->averaged += averages;
        walk->waiting++;
        if (++walk->steps % sgd->gap == 0)
            NAMED(regularise)(sgd, walk, equation->lambda);
    }
}
