/* SPDX-License-Identifier: Apache-2.0 */
/* Training by SGD: sets up samplers, equations and walks, then runs rounds of steps. */
#include "base/grid.h"
#include "learners/sgd/sgd_state.h"

#include "data/column_statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STRIP = 16, SHARDS_OF_LONG = 8 };
#define LONG_TRAINING 20000000u /* from this many steps on, several shards pay off */
#define MAX_NORM 1e60

static size_t weight_room(const gr_sgd *sgd)
{
    return (sgd->features + STRIP - 1) / STRIP * STRIP;
}

static void *new_weights(const gr_sgd *sgd)
{
    const size_t size =
        sgd->task.options->precision == GR_SGD_FLOAT ? sizeof(float) : sizeof(double);

    return gr_new_array(weight_room(sgd), size);
}

static void free_walk(gr_walk *walk)
{
    free(walk->v);
    free(walk->u);
    free(walk->sums);
    free(walk->squares);
}

void gr_sgd_free(gr_sgd *sgd)
{
    if (!sgd)
        return;
    for (size_t e = 0; sgd->equations && e < sgd->models * sgd->outputs; e++) {
        for (size_t s = 0; sgd->equations[e].walks && s < sgd->shards; s++)
            free_walk(&sgd->equations[e].walks[s]);
        free(sgd->equations[e].walks);
    }
    free(sgd->equations);
    for (size_t i = 0; sgd->samplers && i < sgd->sampler_count; i++)
        gr_sgd_pairs_free(&sgd->samplers[i]);
    free(sgd->samplers);
    gr_pair_order_free(&sgd->order);
    free(sgd->spreads);
    free(sgd);
}

static gradus_status make_walk(const gr_sgd *sgd, gr_walk *walk, gradus_error *err)
{
    const gr_sgd_options *options = sgd->task.options;

    walk->scale = 1.0;
    walk->v = new_weights(sgd);
    if (options->average) {
        walk->u = new_weights(sgd);
        walk->sums = gr_new_array(sgd->features + 1, sizeof *walk->sums);
    }
    if (options->rule == GR_STEPS_ADAGRAD)
        walk->squares = new_weights(sgd);
    if (!walk->v || (options->average && (!walk->u || !walk->sums)) ||
        (options->rule == GR_STEPS_ADAGRAD && !walk->squares))
        return gr_fail_memory(err, "weights");
    return GRADUS_OK;
}

/* Upper bound of lambda |w|^2 at the minimum, at least 1. For the squared loss, a gradient of 0
 * means lambda |w|^2 = mean of (y - z) z <= mean of y^2 / 4 over rows and pairs with outputs z; for
 * the other losses it is 1 (Pegasos). Lists add beta log(n + 1), n the length of the longest. */
static double bound_of(const gr_sgd *sgd, double alpha)
{
    const gr_problem *problem = sgd->task.problem;
    double rows = 0.0, pairs = 0.0, bound = 0.0;

    if (sgd->task.loss != GR_SGD_SQUARED || sgd->task.options->one_vs_all)
        return 1.0 + sgd->task.options->listwise * log((double)sgd->longest + 1.0);
    for (size_t r = 0; r < problem->rows; r++)
        rows += (double)problem->labels[r] * (double)problem->labels[r];
    bound = alpha * rows / (double)problem->rows;
    for (size_t q = 0; alpha < 1.0 && q < sgd->order.queries; q++) {
        double sum = 0.0, squares = 0.0;

        for (size_t i = 0; i < sgd->order.counts[q]; i++) {
            const double y = (double)problem->labels[sgd->order.rows[sgd->order.starts[q] + i]];

            sum += y;
            squares += y * y;
        }
        pairs += (double)sgd->order.counts[q] * squares - sum * sum;
    }
    if (pairs > 0.0)
        bound += (1.0 - alpha) * pairs / sgd->samplers[0].pairs;
    bound = 0.25 * bound + sgd->task.options->listwise * log((double)sgd->longest + 1.0);
    return bound > 1.0 ? bound : 1.0;
}

static gradus_status make_equations(gr_sgd *sgd, const double *alphas, size_t alpha_count,
                                    const double *lambdas, gradus_error *err)
{
    const size_t count = sgd->models * sgd->outputs;

    sgd->equations = gr_new_array(count, sizeof *sgd->equations);
    if (!sgd->equations)
        return gr_fail_memory(err, "models");
    for (size_t e = 0; e < count; e++) {
        const size_t model = e / sgd->outputs, k = e % sgd->outputs;
        gr_equation *equation = &sgd->equations[e];

        /* NOLINTNEXTLINE(clang-analyzer-core.DivideZero): there is at least one alpha */
        *equation = (gr_equation){ .alpha = alphas[model % alpha_count],
                                   .lambda = lambdas[model / alpha_count],
                                   .of_label = sgd->task.options->one_vs_all };
        if (equation->of_label)
            equation->label = (float)sgd->task.problem->level_labels[k];
        if (sgd->sampler_count)
            equation->pairs = &sgd->samplers[sgd->sampler_count > 1 ? k : 0];
        if (equation->pairs && equation->pairs->count == 0)
            equation->alpha = 1.0;
        if (!sgd->task.options->no_projection && equation->lambda > 0.0 &&
            sgd->task.options->rule != GR_STEPS_ADAGRAD)
            equation->radius = sqrt(bound_of(sgd, equation->alpha) / equation->lambda);
        equation->walks = gr_new_array(sgd->shards, sizeof *equation->walks);
        if (!equation->walks)
            return gr_fail_memory(err, "models");
        for (size_t s = 0; s < sgd->shards; s++)
            GR_TRY(make_walk(sgd, &equation->walks[s], err));
    }
    return GRADUS_OK;
}

/* Prepares pairs and lists, if any are drawn. */
static gradus_status make_pairs(gr_sgd *sgd, bool pairs, bool lists, gradus_error *err)
{
    const gr_problem *problem = sgd->task.problem;
    const bool by_query = sgd->task.options->sampling == GR_PAIRS_BY_QUERY;
    const size_t count = sgd->task.options->one_vs_all ? sgd->outputs : 1;

    if (!pairs && !lists)
        return GRADUS_OK;
    GR_TRY(gr_pair_order_make(problem, &sgd->order, err));
    if (sgd->order.queries == 0)
        return gr_fail(err, GRADUS_BAD_NUMBER,
                       "no query has rows with different labels: there are no pairs to learn from "
                       "('alpha 1' needs no pairs)");
    for (size_t q = 0; q < sgd->order.queries; q++)
        sgd->longest = sgd->order.counts[q] > sgd->longest ? sgd->order.counts[q] : sgd->longest;
    if (!pairs)
        return GRADUS_OK;
    sgd->samplers = gr_new_array(count, sizeof *sgd->samplers);
    if (!sgd->samplers)
        return gr_fail_memory(err, "pairs");
    for (; sgd->sampler_count < count; sgd->sampler_count++) {
        const float label = count > 1 ? (float)problem->level_labels[sgd->sampler_count] : 0.0f;

        GR_TRY(gr_pairs_make(problem, &sgd->order, by_query, count > 1 ? &label : NULL,
                             &sgd->samplers[sgd->sampler_count], err));
    }
    return GRADUS_OK;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Warns of features with different scales, for which a single step size is inadequate. */
static void note_scales(const gr_sgd *sgd, const gr_spread *spreads, double *sizes)
{
    size_t count = 0;

    for (size_t f = 0; f < sgd->arrays->features; f++) {
        const double size = fmax(fabs(spreads[f].low), fabs(spreads[f].high));

        if (spreads[f].low <= spreads[f].high && size > 0.0)
            sizes[count++] = size;
    }
    qsort(sizes, count, sizeof *sizes, by_size);
    if (sgd->task.options->rule != GR_STEPS_ADAGRAD && count &&
        sizes[count - 1] > 1000.0 * sizes[count / 2])
        gr_note(
            sgd->task.context,
            "features have different scales: the largest absolute value is %.3g, the median over "
            "features is %.3g; SGD works better after 'transform standardise'",
            sizes[count - 1], sizes[count / 2]);
}

/* Warns if lambda is so large that it suppresses the weights: at the minimum they are of the order
 * of the squared norm of the rows divided by lambda. */
static void note_lambda(const gr_sgd *sgd, const gr_spread *spreads, double lambda)
{
    double length = 1.0;

    for (size_t f = 0; f < sgd->arrays->features; f++)
        if (spreads[f].count > 0.0)
            length += spreads[f].squares / spreads[f].count + spreads[f].mean * spreads[f].mean;
    if (lambda > 1000.0 * length)
        gr_note(sgd->task.context,
                "lambda %g is far above the mean squared norm of the rows, %.3g: all weights are "
                "close to 0; try a smaller 'lambda'",
                lambda, length);
}

static bool has_missing(const gradus_arrays *a)
{
    for (uint64_t e = 0; a->row_starts && e < a->row_starts[a->rows]; e++)
        if (!isfinite(a->entries[e]))
            return true;
    for (size_t r = 0; !a->row_starts && r < a->rows; r++)
        for (size_t f = 0; f < a->features; f++)
            if (!isfinite(a->values[r * a->stride + f]))
                return true;
    return false;
}

static gradus_status look_at_features(gr_sgd *sgd, double most_lambda, gradus_error *err)
{
    const size_t features = sgd->arrays->features;

    /* the statistics of many hashed features would take more memory than anything else */
    if (sgd->task.options->hash_bits > 0 && features >= gr_wide_features(sgd->task.context)) {
        sgd->careful = has_missing(sgd->arrays);
        return GRADUS_OK;
    }
    gr_spread *spreads = gr_new_array(features, sizeof *spreads);
    gradus_status status;

    sgd->spreads = gr_new_array(features, sizeof *sgd->spreads);
    if (!spreads || !sgd->spreads) {
        free(spreads);
        return gr_fail_memory(err, "features");
    }
    status = gr_spread_all(sgd->task.data, spreads, gr_pool_of(sgd->task.context), err);
    if (status == GRADUS_OK) {
        note_scales(sgd, spreads, sgd->spreads);
        note_lambda(sgd, spreads, most_lambda);
        for (size_t f = 0; f < features; f++) {
            const gr_spread *s = &spreads[f];

            sgd->spreads[f] = s->count > 0.0 ? sqrt(s->squares / s->count) : 0.0;
            sgd->careful = sgd->careful || s->count < (double)sgd->arrays->rows;
        }
    }
    free(spreads);
    return status;
}

/* The logistic loss needs targets from 0 to 1; the hinge loss needs two classes for single rows. */
static void set_targets(gr_sgd *sgd, bool single)
{
    const gr_problem *problem = sgd->task.problem;
    double low = INFINITY, high = -INFINITY, weights = 0.0;

    for (size_t r = 0; r < problem->rows; r++) {
        low = fmin(low, (double)problem->labels[r]);
        high = fmax(high, (double)problem->labels[r]);
        weights += problem->row_weights ? (double)problem->row_weights[r] : 1.0;
    }
    sgd->mean_weight = weights / (double)problem->rows;
    sgd->shift = 0.0;
    sgd->unit = 1.0;
    if (sgd->task.loss == GR_SGD_SQUARED || sgd->task.options->one_vs_all ||
        (low >= 0.0 && high <= 1.0) || (sgd->task.loss == GR_SGD_HINGE && !single))
        return;
    sgd->shift = low;
    sgd->unit = high > low ? 1.0 / (high - low) : 1.0;
    gr_note(sgd->task.context, "labels from %g to %g become targets from 0 to 1 for the %s loss",
            low, high, sgd->task.loss == GR_SGD_LOGISTIC ? "logistic" : "hinge");
}

static gradus_status check_options(const gr_sgd *sgd, const double *lambdas, size_t lambda_count,
                                   gradus_error *err)
{
    const gr_sgd_options *options = sgd->task.options;

    for (size_t i = 0; i < lambda_count; i++)
        if (lambdas[i] == 0.0 && options->rule == GR_STEPS_PEGASOS)
            return gr_fail(err, GRADUS_BAD_ARGUMENT,
                           "step rule 'pegasos' needs a lambda above 0: set 'lambda' or "
                           "another 'step-rule'");
    return GRADUS_OK;
}

static void set_work(gr_sgd *sgd)
{
    const gradus_arrays *a = sgd->arrays;
    const gr_sgd_options *options = sgd->task.options;
    const uint64_t entries =
        a->row_starts ? a->row_starts[a->rows] : (uint64_t)a->rows * a->features;
    const uint64_t touched = entries / a->rows + 1;

    sgd->shards = (size_t)options->shards;
    if (sgd->shards == 0)
        sgd->shards = options->steps < LONG_TRAINING ? 1 : SHARDS_OF_LONG;
    sgd->walk_steps = (options->steps + sgd->shards - 1) / sgd->shards;
    sgd->gap = sgd->features / touched;
    if (options->rule == GR_STEPS_ADAGRAD)
        sgd->gap = sgd->gap < 1 ? 1 : sgd->gap;
    else
        sgd->gap = sgd->gap < STRIP ? STRIP : sgd->gap;
}

static gradus_status set_up(gr_sgd *sgd, gradus_error *err)
{
    double alphas[GR_GRID_VALUES], lambdas[GR_GRID_VALUES];
    size_t alpha_count, lambda_count;
    double most_lambda = 0.0;
    bool pairs = false, single = false;

    GR_TRY(gr_grid_parse(sgd->task.options->alpha, "alpha", 0.0, 1.0, alphas, &alpha_count, err));
    GR_TRY(
        gr_grid_parse(sgd->task.options->lambda, "lambda", 0.0, 1e12, lambdas, &lambda_count, err));
    GR_TRY(check_options(sgd, lambdas, lambda_count, err));
    sgd->models = alpha_count * lambda_count;
    for (size_t i = 0; i < alpha_count; i++) {
        pairs = pairs || alphas[i] < 1.0;
        single = single || alphas[i] > 0.0;
    }
    for (size_t i = 0; i < lambda_count; i++)
        most_lambda = fmax(most_lambda, lambdas[i]);
    set_work(sgd);
    set_targets(sgd, single);
    GR_TRY(look_at_features(sgd, most_lambda, err));
    GR_TRY(make_pairs(sgd, pairs, sgd->task.options->listwise > 0.0, err));
    return make_equations(sgd, alphas, alpha_count, lambdas, err);
}

gr_sgd *gr_sgd_new(const gr_sgd_task *task, gradus_error *err)
{
    gr_sgd *sgd = calloc(1, sizeof *sgd);

    if (!sgd) {
        gr_fail_memory(err, "training");
        return NULL;
    }
    sgd->task = *task;
    sgd->arrays = &task->data->arrays;
    sgd->bits = (unsigned)task->options->hash_bits;
    sgd->features = sgd->bits ? (size_t)1 << sgd->bits : sgd->arrays->features;
    sgd->outputs = task->options->one_vs_all ? task->problem->levels : 1;
    if (set_up(sgd, err) != GRADUS_OK) {
        gr_sgd_free(sgd);
        return NULL;
    }
    return sgd;
}

/* The first step of a round, in each walk. */
static uint64_t first_step(const gr_sgd *sgd, uint64_t round)
{
    return (uint64_t)((unsigned __int128)sgd->walk_steps * round / sgd->task.rounds);
}

/* One round of all walks. A task has one shard of some equations and takes a chunk of steps for
 * each equation in turn, while the rows of the chunk are in the cache. */
typedef struct round_work {
    gr_sgd *sgd;
    size_t groups;
    double *scratch; /* [threads x longest] */
} round_work;

static size_t at_most(uint64_t count, size_t most)
{
    return count < most ? (size_t)count : most;
}

static void run_task(void *argument, size_t index, size_t worker)
{
    const round_work *work = argument;
    gr_sgd *sgd = work->sgd;
    const size_t shard = index % sgd->shards, group = index / sgd->shards;
    const size_t count = sgd->models * sgd->outputs;
    const uint64_t end = first_step(sgd, sgd->rounds + 1);
    gr_sgd_walker *take = gr_sgd_walker_of(sgd->task.options);
    gr_draws draws;

    for (uint64_t step = first_step(sgd, sgd->rounds); step < end; step += GR_SGD_CHUNK) {
        const bool averages = sgd->task.options->average && step >= sgd->walk_steps / 2;

        if (gr_pool_cancelled(gr_pool_of(sgd->task.context)))
            break; /* still settles the walks: gr_sgd_load requires it */
        draws.count = at_most(end - step, GR_SGD_CHUNK);
        draws.drawn = at_most(end - step, GR_SGD_CHUNK + GR_SGD_AHEAD);
        for (size_t e = group; e < count; e += work->groups) {
            gr_equation *equation = &sgd->equations[e];
            gr_walk *walk = &equation->walks[shard];

            if (walk->lost)
                continue;
            gr_sgd_draw(sgd, equation, shard, step, draws.drawn, draws.at);
            take(sgd, equation, walk, &draws, averages, work->scratch + worker * sgd->longest);
        }
    }
    for (size_t e = group; e < count; e += work->groups)
        gr_walk_apply_decay(sgd, &sgd->equations[e].walks[shard], sgd->equations[e].lambda);
}

static gradus_status check_walks(const gr_sgd *sgd, gradus_error *err)
{
    for (size_t e = 0; e < sgd->models * sgd->outputs; e++)
        for (size_t s = 0; s < sgd->shards; s++) {
            const gr_walk *walk = &sgd->equations[e].walks[s];

            if (walk->lost || !(walk->norm < MAX_NORM))
                return gr_fail(err, GRADUS_BAD_NUMBER,
                               "training diverged within %llu steps (alpha %g, lambda %g): "
                               "'transform standardise', a larger 'lambda' or a smaller "
                               "'step-size' may help",
                               (unsigned long long)walk->steps, sgd->equations[e].alpha,
                               sgd->equations[e].lambda);
        }
    return GRADUS_OK;
}

static gradus_status run_round(gr_sgd *sgd, gradus_error *err)
{
    gr_pool *pool = gr_pool_of(sgd->task.context);
    const size_t count = sgd->models * sgd->outputs, threads = gr_pool_threads(pool);
    round_work work = { .sgd = sgd, .groups = count < threads ? count : threads };

    work.scratch = gr_new_array(threads * sgd->longest, sizeof *work.scratch);
    if (!work.scratch)
        return gr_fail_memory(err, "a round");
    gr_pool_run(pool, work.groups * sgd->shards, run_task, &work);
    free(work.scratch);
    GR_TRY(gr_pool_check(pool, err));
    GR_TRY(check_walks(sgd, err));
    for (size_t e = 0; e < count; e++)
        gr_walks_join(sgd, sgd->equations[e].walks);
    sgd->steps +=
        (first_step(sgd, sgd->rounds + 1) - first_step(sgd, sgd->rounds)) * sgd->shards * count;
    sgd->rounds++;
    return GRADUS_OK;
}

/* A cancelled round restores the state before it. */
gradus_status gr_sgd_round(gr_sgd *sgd, gradus_error *err)
{
    const gradus_context *context = sgd->task.context;
    double *before;
    gradus_status status;

    if (!context || !context->progress)
        return run_round(sgd, err);
    before = gr_new_array(gr_sgd_state_size(sgd), sizeof *before);
    if (!before)
        return gr_fail_memory(err, "a round");
    gr_sgd_save(sgd, before);
    status = run_round(sgd, err);
    if (status == GRADUS_CANCELLED)
        gr_sgd_load(sgd, sgd->rounds, before);
    free(before);
    return status;
}

uint64_t gr_sgd_rounds(const gr_sgd *sgd)
{
    return sgd->rounds;
}

uint64_t gr_sgd_steps(const gr_sgd *sgd)
{
    return sgd->steps;
}

void gr_sgd_model(const gr_sgd *sgd, size_t model, double *alpha, double *lambda)
{
    *alpha = sgd->equations[model * sgd->outputs].alpha;
    *lambda = sgd->equations[model * sgd->outputs].lambda;
}

size_t gr_sgd_models(const gr_sgd *sgd)
{
    return sgd->models;
}

/* Maps outputs from [-1, 1] to [0, 1]. */
static void to_shares(double *coefficients, size_t features, double *base)
{
    for (size_t f = 0; f < features; f++)
        coefficients[f] *= 0.5;
    *base = 0.5 + 0.5 * *base;
}

gradus_status gr_sgd_linear(const gr_sgd *sgd, size_t model, gr_linear *linear, gradus_error *err)
{
    const size_t features = sgd->features;

    GR_TRY(gr_linear_new(linear, features, sgd->outputs, err));
    if (!sgd->bits)
        memcpy(linear->own + features, sgd->spreads, features * sizeof *sgd->spreads);
    for (size_t k = 0; k < sgd->outputs; k++) {
        const gr_walk *walks = sgd->equations[model * sgd->outputs + k].walks;
        double *coefficients = linear->own + (2 + k) * features;
        double *base = linear->own + (sgd->outputs + 2) * features + k;

        for (size_t s = 0; s < sgd->shards; s++) {
            for (size_t f = 0; f < features; f++)
                coefficients[f] += gr_walk_weight(sgd, &walks[s], f) / (double)sgd->shards;
            *base += (walks[s].averaged ? walks[s].sums[features] / (double)walks[s].averaged
                                        : walks[s].bias) /
                     (double)sgd->shards;
        }
        if (sgd->task.options->one_vs_all && sgd->task.loss == GR_SGD_HINGE)
            to_shares(coefficients, features, base);
    }
    return GRADUS_OK;
}
