/* SPDX-License-Identifier: Apache-2.0 */
/* RankSVM by Newton's method: conjugate gradients for the step, then a backtracking line search. */
#include "learners/ranksvm/ranksvm.h"

#include "base/math.h"
#include "base/sort.h"
#include "learners/ranksvm/ranksvm_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_STEPS = 200, MAX_PRODUCTS = 200, MAX_HALVINGS = 40 };

static const double FALL = 1e-4;   /* line search: required fraction of the predicted decrease */
static const double FORCING = 0.1; /* conjugate gradients stop at this fraction of the gradient */

const gr_param gr_ranksvm_params[] = {
    GR_PARAM_REAL(gr_ranksvm_options, gap, "hinge-gap", "X", 1e-6, 1e-12, 1,
                  "ranksvm --learner linear: stop when the duality gap is this fraction of the "
                  "objective, like --tolerance of svor"),
    GR_PARAM_END,
};

GR_OPTION_BLOCK(ranksvm);

/* Buffers of one thread, for the longest query. */
typedef struct workspace {
    gr_hinge_sums *sums;
    double *tree, *scores, *values;
    size_t *places;
    gr_keyed *sorting;
} workspace;

typedef struct solver {
    const gr_ranksvm_task *task;
    gr_svm_rows rows;
    gr_pair_order pairs;
    size_t longest, threads;
    workspace *workspaces;
    uint32_t *ranks;  /* [position in pairs.rows]: rank of the label in its query */
    uint32_t *sorted; /* [position in pairs.rows]: places of each query by ascending score */
    double *unit;     /* [query]: weight of each of its pairs */
    double *losses;   /* [query] */
    double pair_count;
    /* [features] each. */
    double *gradient, *step, *residual, *direction, *product;
    /* [rows] each. */
    double *scores, *moved, *factors, *shift;
    gr_arena arena; /* owns the arrays */
} solver;

static void end_solver(solver *s)
{
    gr_svm_rows_free(&s->rows);
    gr_pair_order_free(&s->pairs);
    gr_arena_free(&s->arena);
}

/* Ranks the labels of each query and sets the weights of pairs, which sum to 1. */
static void weigh_pairs(solver *s)
{
    const gr_problem *problem = s->task->problem;
    double all = 0.0;

    for (size_t q = 0; q < s->pairs.queries; q++) {
        const uint32_t *rows = s->pairs.rows + s->pairs.starts[q];
        uint32_t *ranks = s->ranks + s->pairs.starts[q];
        double pairs = 0.0, weight = 0.0;
        size_t below = 0;

        for (size_t i = 0; i < s->pairs.counts[q]; i++) {
            const bool higher = i > 0 && problem->labels[rows[i]] != problem->labels[rows[i - 1]];

            ranks[i] = i ? ranks[i - 1] + higher : 0;
            below = higher ? i : below;
            pairs += (double)below;
            weight += gr_problem_weight(problem, 0, rows[i]) / (double)s->pairs.counts[q];
        }
        s->pair_count += pairs;
        s->unit[q] = s->task->by_query ? weight / pairs : weight;
        all += s->unit[q] * pairs;
    }
    for (size_t q = 0; q < s->pairs.queries; q++)
        s->unit[q] /= all;
}

static bool make_workspaces(solver *s)
{
    s->threads = gr_pool_threads(s->rows.pool);
    s->workspaces = gr_arena_array(&s->arena, s->threads, sizeof *s->workspaces);
    for (size_t i = 0; s->workspaces && i < s->threads; i++) {
        workspace *d = &s->workspaces[i];

        d->sums = gr_arena_array(&s->arena, s->longest, sizeof *d->sums);
        d->tree = gr_arena_array(&s->arena, s->longest + 1, 2 * sizeof *d->tree);
        d->scores = gr_arena_array(&s->arena, s->longest, sizeof *d->scores);
        d->values = gr_arena_array(&s->arena, s->longest, sizeof *d->values);
        d->places = gr_arena_array(&s->arena, s->longest, sizeof *d->places);
        d->sorting = gr_arena_array(&s->arena, 1, GR_SORT_SCRATCH(s->longest));
    }
    return !s->arena.failed;
}

static gradus_status set_up(solver *s, gradus_error *err)
{
    const size_t rows = s->task->problem->rows, features = s->task->data->arrays.features;

    GR_TRY(gr_svm_rows_make(s->task->data, gr_pool_of(s->task->context), &s->rows, err));
    GR_TRY(gr_pair_order_make(s->task->problem, &s->pairs, err));
    for (size_t q = 0; q < s->pairs.queries; q++)
        s->longest = s->pairs.counts[q] > s->longest ? s->pairs.counts[q] : s->longest;
    if (s->pairs.queries == 0)
        return gr_fail(err, GRADUS_BAD_NUMBER,
                       "none of %zu queries has rows with different labels: there is nothing to "
                       "learn from",
                       s->task->problem->queries);
    s->ranks = gr_arena_array(&s->arena, rows, sizeof *s->ranks);
    s->sorted = gr_arena_array(&s->arena, rows, sizeof *s->sorted);
    s->unit = gr_arena_array(&s->arena, s->pairs.queries, sizeof *s->unit);
    s->losses = gr_arena_array(&s->arena, s->pairs.queries, sizeof *s->losses);
    s->gradient = gr_arena_array(&s->arena, features, 5 * sizeof *s->gradient);
    s->scores = gr_arena_array(&s->arena, rows, 4 * sizeof *s->scores);
    if (s->arena.failed || !make_workspaces(s))
        return gr_fail_memory(err, "training");
    s->step = s->gradient + features;
    s->residual = s->step + features;
    s->direction = s->residual + features;
    s->product = s->direction + features;
    s->moved = s->scores + rows;
    s->factors = s->moved + rows;
    s->shift = s->factors + rows;
    weigh_pairs(s);
    return GRADUS_OK;
}

typedef struct pass {
    solver *s;
    const double *scores; /* [rows] */
    const double *values; /* [rows]: multiply the Hessian by these; NULL: gradient and loss */
} pass;

static gr_hinge_list list_of(const pass *p, size_t q, workspace *d)
{
    const solver *s = p->s;
    const size_t start = s->pairs.starts[q], count = s->pairs.counts[q];

    for (size_t i = 0; i < count; i++)
        d->scores[i] = p->scores[s->pairs.rows[start + i]];
    return (gr_hinge_list){ .count = count,
                            .order = s->sorted + start,
                            .scores = d->scores,
                            .ranks = s->ranks + start,
                            .levels = s->ranks[start + count - 1] + 1 };
}

/* factors: the derivatives of the query's loss in the scores. The loss is the sum over pairs of
 * x^2, x = 1 - s_better + s_worse; as x^2 = x (1 - s_better + s_worse), it equals the sum of x plus
 * half the product of derivatives and scores. */
static void slope_query(void *argument, size_t q, size_t worker)
{
    const pass *p = argument;
    solver *s = p->s;
    workspace *d = &s->workspaces[worker];
    const gr_hinge_list list = list_of(p, q, d);
    const size_t start = s->pairs.starts[q];
    double margins = 0.0, slopes = 0.0;

    gr_sort_ascending(d->scores, list.count, d->places, d->sorting);
    for (size_t i = 0; i < list.count; i++)
        s->sorted[start + i] = (uint32_t)d->places[i];
    gr_hinge_sum(&list, d->scores, d->sums, d->tree);
    for (size_t i = 0; i < list.count; i++) {
        const gr_hinge_sums *sums = &d->sums[i];
        const double short_of = sums->better_count * (1.0 - d->scores[i]) + sums->better_sum;
        const double over = sums->worse_count * (1.0 + d->scores[i]) - sums->worse_sum;

        margins += short_of;
        slopes += (over - short_of) * d->scores[i];
        s->factors[s->pairs.rows[start + i]] = 2.0 * s->unit[q] * (over - short_of);
    }
    s->losses[q] = s->unit[q] * (margins + slopes);
}

/* factors: the query's Hessian times values. Uses the score order of the last slope_query. */
static void bend_query(void *argument, size_t q, size_t worker)
{
    const pass *p = argument;
    solver *s = p->s;
    workspace *d = &s->workspaces[worker];
    const gr_hinge_list list = list_of(p, q, d);
    const size_t start = s->pairs.starts[q];

    for (size_t i = 0; i < list.count; i++)
        d->values[i] = p->values[s->pairs.rows[start + i]];
    gr_hinge_sum(&list, d->values, d->sums, d->tree);
    for (size_t i = 0; i < list.count; i++) {
        const gr_hinge_sums *sums = &d->sums[i];

        s->factors[s->pairs.rows[start + i]] =
            2.0 * s->unit[q] *
            ((sums->better_count + sums->worse_count) * d->values[i] - sums->better_sum -
             sums->worse_sum);
    }
}

/* The loss at these scores; factors: its derivatives in the scores. */
static double loss_at(solver *s, const double *scores)
{
    pass p = { s, scores, NULL };
    double sum = 0.0;

    gr_pool_run(s->rows.pool, s->pairs.queries, slope_query, &p);
    for (size_t q = 0; q < s->pairs.queries; q++)
        sum += s->losses[q];
    return sum;
}

/* product = (lambda I + X' C X) direction, where C is the Hessian of the loss in the scores. */
static void multiply(solver *s, const double *direction)
{
    const size_t features = s->rows.arrays.features;
    pass p = { s, s->scores, s->shift };

    gr_svm_rows_times(&s->rows, direction, s->shift);
    gr_pool_run(s->rows.pool, s->pairs.queries, bend_query, &p);
    gr_svm_rows_combine(&s->rows, s->factors, s->product);
    for (size_t f = 0; f < features; f++)
        s->product[f] += s->task->lambda * direction[f];
}

/* Conjugate gradients for the Newton step, starting at 0. *products_taken is increased by the
 * number of Hessian products. */
static gradus_status solve_step(solver *s, uint64_t *products_taken, gradus_error *err)
{
    const size_t features = s->rows.arrays.features;
    const double size = gr_inner_product(s->gradient, s->gradient, features);
    double now = size;
    uint64_t products = 0;

    memset(s->step, 0, features * sizeof *s->step);
    for (size_t f = 0; f < features; f++)
        s->residual[f] = s->direction[f] = -s->gradient[f];
    while (products < MAX_PRODUCTS && now > FORCING * FORCING * size) {
        GR_TRY(gr_pool_check(s->rows.pool, err));
        multiply(s, s->direction);
        products++;
        const double length = now / gr_inner_product(s->direction, s->product, features),
                     before = now;

        for (size_t f = 0; f < features; f++) {
            s->step[f] += length * s->direction[f];
            s->residual[f] -= length * s->product[f];
        }
        now = gr_inner_product(s->residual, s->residual, features);
        for (size_t f = 0; f < features; f++)
            s->direction[f] = s->residual[f] + now / before * s->direction[f];
    }
    *products_taken += products;
    return GRADUS_OK;
}

/* Line search: halves the step until the objective decreases enough. False if it never does,
 * because only rounding errors are left. */
static bool go_along(solver *s, double *weights, double *objective)
{
    const size_t features = s->rows.arrays.features, rows = s->task->problem->rows;
    const double slope = gr_inner_product(s->gradient, s->step, features), lambda = s->task->lambda;
    const double size = gr_inner_product(weights, weights, features),
                 cross = gr_inner_product(weights, s->step, features);
    const double step_size = gr_inner_product(s->step, s->step, features);
    double share = 1.0;

    gr_svm_rows_times(&s->rows, s->step, s->shift);
    for (int i = 0; i < MAX_HALVINGS && !gr_pool_cancelled(s->rows.pool); i++, share *= 0.5) {
        for (size_t r = 0; r < rows; r++)
            s->moved[r] = s->scores[r] + share * s->shift[r];
        const double value =
            loss_at(s, s->moved) +
            0.5 * lambda * (size + 2.0 * share * cross + share * share * step_size);

        if (value <= *objective + FALL * share * slope) {
            for (size_t f = 0; f < features; f++)
                weights[f] += share * s->step[f];
            memcpy(s->scores, s->moved, rows * sizeof *s->scores);
            *objective = value;
            return true;
        }
    }
    return false;
}

/* Computes the gradient from the factors; returns the duality gap. */
static double take_gradient(solver *s, const double *weights)
{
    const size_t features = s->rows.arrays.features;

    gr_svm_rows_combine(&s->rows, s->factors, s->gradient);
    for (size_t f = 0; f < features; f++)
        s->gradient[f] += s->task->lambda * weights[f];
    return gr_inner_product(s->gradient, s->gradient, features) / (2.0 * s->task->lambda);
}

static gradus_status descend(solver *s, double *weights, gr_ranksvm_fit *fit, gradus_error *err)
{
    const size_t features = s->rows.arrays.features;

    gr_svm_rows_times(&s->rows, weights, s->scores);
    fit->objective = loss_at(s, s->scores) +
                     0.5 * s->task->lambda * gr_inner_product(weights, weights, features);
    for (;;) {
        fit->gap = take_gradient(s, weights);
        fit->converged = fit->gap <= s->task->gap * fit->objective;
        if (fit->converged || fit->steps == MAX_STEPS)
            return GRADUS_OK;
        GR_TRY(solve_step(s, &fit->products, err));
        if (!go_along(s, weights, &fit->objective)) {
            loss_at(s, s->scores);
            return gr_pool_check(s->rows.pool, err);
        }
        fit->steps++;
    }
}

gradus_status gr_ranksvm_train(const gr_ranksvm_task *task, double *weights, gr_ranksvm_fit *fit,
                               gradus_error *err)
{
    solver s = { .task = task };
    gradus_status status = set_up(&s, err);

    *fit = (gr_ranksvm_fit){ .steps = 0 };
    if (status == GRADUS_OK) {
        fit->pairs = s.pair_count;
        fit->skipped = task->problem->queries - s.pairs.queries;
        status = descend(&s, weights, fit, err);
        if (status == GRADUS_OK && (!isfinite(fit->objective) || !isfinite(fit->gap)))
            status = gr_fail(err, GRADUS_BAD_NUMBER,
                             "the objective is not finite: scale the features "
                             "('transform standardise')");
    }
    end_solver(&s);
    return status;
}
