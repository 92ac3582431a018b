/* SPDX-License-Identifier: Apache-2.0 */
/* Trains a net on mini-batches of queries with Adam (Kingma and Ba 2015) or SGD with momentum. The
 * queries of a batch are divided into shards by their numbers of rows; each shard sums its
 * gradients in its own buffer, and the buffers are added in shard order, so that the number of
 * threads does not change a bit. */
#include "learners/net/net.h"

#include "base/math.h"
#include "base/ranges.h"
#include "base/rng.h"
#include "base/text.h"
#include "data/row_blocks.h"
#include "kernels/axpy.h"
#include "learners/sgd/sgd_pairs.h"
#include "objectives/label_gains.h"
#include "objectives/objective_lambdarank.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    SHARD_ROWS = 128,
    MAX_SHARDS = 16,
    BLOCK = 64,     /* rows that pass through the net together */
    ROW_CHUNK = 64, /* rows per list of the squared loss, which ignores queries */
    WEIGHTS_OF_TASK = 4096
};

static const double SECOND_DECAY = 0.999, LEAST_SLOPE = 1e-8; /* Adam: beta2 and epsilon */
static const double MAX_SCORE = 1e12; /* beyond it, floats cannot separate rows */

typedef struct list_at {
    uint32_t start, count; /* rows of the data */
    uint32_t order;        /* position in order.rows */
    uint32_t query;
} list_at;

/* Buffers of one thread. */
typedef struct workspace {
    float *values; /* [BLOCK x features]; NULL: rows are read in place */
    float *units;  /* [rows of the longest list x pitch] */
    float *few;    /* [BLOCK]: scores of a block */
    double *scratch;
} workspace;

struct gr_net_training {
    gr_net_task task;
    gr_net net; /* a view of the arrays below */
    size_t count;
    float *weights;
    double *moments; /* [2 x count]: running means of gradients and of their squares */
    uint64_t steps;
    double loss;
    gr_pair_order order;
    size_t lists, skipped, longest;
    list_at *at;
    size_t *turns;  /* [lists]: the shuffled order of this round */
    double *scores; /* [rows], as are slopes and hessians (which are never read) */
    float *slopes, *hessians;
    float *gains; /* [rows]: replaces labels for listnet; NULL: labels are used */
    gr_lambda_state *lambda;
    bool in_place;
    size_t threads;
    workspace *workspaces;
    /* The current batch. */
    size_t shards, shard_starts[MAX_SHARDS + 1]; /* indices into `turns` */
    float *sums;                                 /* [MAX_SHARDS x count] */
    double losses[MAX_SHARDS];
    bool lost[MAX_SHARDS];
    size_t batch_lists;
    gr_arena arena; /* owns the arrays */
};

void gr_net_training_free(gr_net_training *t)
{
    if (!t)
        return;
    gr_objective_lambdarank.end(t->lambda);
    gr_pair_order_free(&t->order);
    gr_arena_free(&t->arena);
    free(t);
}

/* Uniform with standard deviation sqrt(2 / (in + out)) (Glorot and Bengio 2010); biases start at
 * 0. */
static void draw_weights(gr_net_training *t)
{
    const size_t features = t->net.features, units = t->net.units, pitch = gr_net_pitch(units);
    gr_rng rng = gr_rng_for(t->task.seed, "net weights", 0);
    const double width = sqrt(6.0 / (double)(features + units));
    const double above = sqrt(6.0 / (double)(units + 1));

    if (units == 0)
        return; /* a linear function starts at 0 */
    for (size_t f = 0; f < features; f++)
        for (size_t h = 0; h < units; h++)
            t->weights[f * pitch + h] = (float)(width * (2.0 * gr_rng_uniform(&rng) - 1.0));
    for (size_t h = 0; h < units; h++)
        t->weights[(features + 1) * pitch + h] =
            (float)(above * (2.0 * gr_rng_uniform(&rng) - 1.0));
}

static gradus_status make_weights(gr_net_training *t, gradus_error *err)
{
    const gr_net *start = t->task.start;
    const size_t features = t->task.data->arrays.features;

    t->net = (gr_net){ .features = features,
                       .units = (size_t)t->task.options->hidden,
                       .activation = t->task.options->activation };
    if (start && (start->features != features || start->units != t->net.units ||
                  (start->units && start->activation != t->net.activation)))
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "the net to resume from has %zu features and %zu units, but the data and "
                       "'hidden' require %zu and %zu, with the same 'activation'",
                       start->features, start->units, features, t->net.units);
    t->count = gr_net_count(features, t->net.units);
    t->weights = gr_arena_array(&t->arena, t->count, sizeof *t->weights);
    t->moments = gr_arena_array(&t->arena, t->count, 2 * sizeof *t->moments);
    t->sums = gr_arena_array(&t->arena, t->count, MAX_SHARDS * sizeof *t->sums);
    if (t->arena.failed)
        return gr_fail_memory(err, "a net");
    t->net.weights = t->weights;
    if (!start) {
        draw_weights(t);
        return GRADUS_OK;
    }
    memcpy(t->weights, start->weights, t->count * sizeof *t->weights);
    t->net.rounds = start->rounds;
    return GRADUS_OK;
}

/* For the squared loss, a list is a run of up to ROW_CHUNK rows of a query, in the order of the
 * data. */
static gradus_status make_stretches(gr_net_training *t, gradus_error *err)
{
    const gr_problem *problem = t->task.problem;

    t->order.rows = gr_new_array(problem->rows, sizeof *t->order.rows);
    t->at =
        gr_arena_array(&t->arena, problem->rows / ROW_CHUNK + problem->queries + 1, sizeof *t->at);
    if (!t->order.rows || t->arena.failed)
        return gr_fail_memory(err, "lists");
    for (size_t r = 0; r < problem->rows; r++)
        t->order.rows[r] = (uint32_t)r;
    for (size_t q = 0; q < problem->queries; q++)
        for (uint64_t r = problem->query_starts[q]; r < problem->query_starts[q + 1];
             r += ROW_CHUNK) {
            const uint64_t left = problem->query_starts[q + 1] - r;

            t->at[t->lists++] = (list_at){ .start = (uint32_t)r,
                                           .order = (uint32_t)r,
                                           .count = (uint32_t)(left < ROW_CHUNK ? left : ROW_CHUNK),
                                           .query = (uint32_t)q };
        }
    return GRADUS_OK;
}

static gradus_status begin_lambdas(gr_net_training *t, gradus_error *err)
{
    void *state = NULL;

    if (t->task.loss != GR_LOSS_LAMBDARANK)
        return GRADUS_OK;
    t->hessians = gr_arena_array(&t->arena, t->task.problem->rows, sizeof *t->hessians);
    if (!t->hessians)
        return gr_fail_memory(err, "lambdas");
    GR_TRY(gr_objective_lambdarank.begin(t->task.problem, t->task.objective,
                                         gr_pool_of(t->task.context), &state, err));
    t->lambda = state;
    return GRADUS_OK;
}

static gradus_status take_gains(gr_net_training *t, gradus_error *err)
{
    const gr_problem *problem = t->task.problem;

    if (!t->task.gains)
        return GRADUS_OK;
    t->gains = gr_arena_array(&t->arena, problem->rows, sizeof *t->gains);
    if (!t->gains)
        return gr_fail_memory(err, "gains");
    return gr_gains_fill(t->task.gains, problem->labels, problem->rows, t->gains, err);
}

/* For the ranking losses, a list is a query in which one order is better than another. */
static gradus_status make_queries(gr_net_training *t, gradus_error *err)
{
    const gr_problem *problem = t->task.problem;
    size_t q = 0;

    GR_TRY(gr_pair_order_make(problem, &t->order, err));
    GR_TRY(begin_lambdas(t, err));
    GR_TRY(take_gains(t, err));
    t->at = gr_arena_array(&t->arena, t->order.queries, sizeof *t->at);
    if (!t->at)
        return gr_fail_memory(err, "lists");
    for (size_t i = 0; i < t->order.queries; i++) {
        while (problem->query_starts[q + 1] <= t->order.rows[t->order.starts[i]])
            q++;
        if (!t->lambda || t->lambda->matters[q])
            t->at[t->lists++] = (list_at){ .start = (uint32_t)problem->query_starts[q],
                                           .count = t->order.counts[i],
                                           .order = t->order.starts[i],
                                           .query = (uint32_t)q };
    }
    t->skipped = problem->queries - t->lists;
    if (t->lists == 0)
        return gr_fail(err, GRADUS_BAD_NUMBER,
                       "in none of %zu queries is one order better than another: there is nothing "
                       "to learn from",
                       problem->queries);
    if (t->skipped)
        gr_note(t->task.context, "%zu of %zu queries %s rows of one grade only and %s skipped",
                t->skipped, problem->queries, gr_plural(t->skipped, "has", "have"),
                gr_plural(t->skipped, "is", "are"));
    return GRADUS_OK;
}

static bool rows_are_plain(const gradus_arrays *a)
{
    bool plain = !a->row_starts;

    for (size_t r = 0; r < a->rows && plain; r++)
        for (size_t f = 0; f < a->features; f++)
            plain &= fabsf(a->values[r * a->stride + f]) <= FLT_MAX;
    return plain;
}

static gradus_status make_workspaces(gr_net_training *t, gradus_error *err)
{
    const size_t features = t->net.features, pitch = gr_net_pitch(t->net.units);

    t->threads = gr_pool_threads(gr_pool_of(t->task.context));
    t->in_place = rows_are_plain(&t->task.data->arrays);
    for (size_t l = 0; l < t->lists; l++)
        t->longest = t->at[l].count > t->longest ? t->at[l].count : t->longest;
    t->workspaces = gr_arena_array(&t->arena, t->threads, sizeof *t->workspaces);
    for (size_t i = 0; t->workspaces && i < t->threads; i++) {
        workspace *d = &t->workspaces[i];

        d->values =
            t->in_place ? NULL : gr_arena_array(&t->arena, BLOCK * features, sizeof *d->values);
        d->units = gr_arena_array(&t->arena, t->longest * pitch, sizeof *d->units);
        d->few = gr_arena_array(&t->arena, BLOCK, sizeof *d->few);
        d->scratch = gr_arena_array(&t->arena, GR_LIST_SCRATCH(t->longest), sizeof *d->scratch);
    }
    return t->arena.failed ? gr_fail_memory(err, "a net") : GRADUS_OK;
}

static gradus_status set_up(gr_net_training *t, gradus_error *err)
{
    const size_t rows = t->task.problem->rows;

    GR_TRY(make_weights(t, err));
    GR_TRY(t->task.loss == GR_LOSS_NET_SQUARED ? make_stretches(t, err) : make_queries(t, err));
    t->turns = gr_arena_array(&t->arena, t->lists, sizeof *t->turns);
    t->scores = gr_arena_array(&t->arena, rows, sizeof *t->scores);
    t->slopes = gr_arena_array(&t->arena, rows, sizeof *t->slopes);
    if (t->arena.failed)
        return gr_fail_memory(err, "training");
    return make_workspaces(t, err);
}

gr_net_training *gr_net_training_new(const gr_net_task *task, gradus_error *err)
{
    gr_net_training *t = calloc(1, sizeof *t);

    if (!t) {
        gr_fail_memory(err, "training");
        return NULL;
    }
    t->task = *task;
    t->loss = NAN;
    if (set_up(t, err) != GRADUS_OK) {
        gr_net_training_free(t);
        return NULL;
    }
    return t;
}

/* Rows [first, first + count) of the data, with values that are not finite as 0, *stride floats
 * apart. */
static const float *rows_at(const gr_net_training *t, const workspace *d, size_t first,
                            size_t count, size_t *stride)
{
    const gradus_arrays *a = &t->task.data->arrays;

    *stride = t->in_place ? a->stride : t->net.features;
    if (t->in_place)
        return a->values + first * a->stride;
    memset(d->values, 0, count * t->net.features * sizeof *d->values);
    gr_block_fill(a, first, first + count, t->net.features, d->values);
    for (size_t i = 0; i < count * t->net.features; i++)
        d->values[i] = fabsf(d->values[i]) <= FLT_MAX ? d->values[i] : 0.0f;
    return d->values;
}

static gr_layer layer_of(const gr_net_training *t)
{
    const size_t pitch = gr_net_pitch(t->net.units);

    return (gr_layer){ .features = t->net.features,
                       .pitch = pitch,
                       .activation = (gr_activation)t->net.activation,
                       .weights = t->weights,
                       .biases = t->weights + t->net.features * pitch,
                       .output = t->weights + (t->net.features + 1) * pitch };
}

/* Computes the scores of a list; false if one is out of bounds. */
static bool go_forward(gr_net_training *t, const list_at *list, const workspace *d)
{
    const gr_float_rows *linear = gr_float_rows_here();
    const gr_layer layer = layer_of(t);
    const double base = (double)t->weights[t->count - 1];
    bool bounded = true;

    for (size_t done = 0; done < list->count; done += BLOCK) {
        const size_t count = list->count - done < BLOCK ? list->count - done : BLOCK;
        const size_t first = list->start + done;
        size_t stride;
        const float *values = rows_at(t, d, first, count, &stride);

        if (t->net.units)
            gr_net_layers_here()->forward(&layer, values, count, stride,
                                          d->units + done * layer.pitch, d->few);
        for (size_t r = 0; r < count && !t->net.units; r++)
            d->few[r] = linear->dot(values + r * stride, t->weights, t->net.features);
        for (size_t r = 0; r < count; r++) {
            t->scores[first + r] = base + (double)d->few[r];
            bounded = bounded && fabs(t->scores[first + r]) <= MAX_SCORE;
        }
    }
    return bounded;
}

/* Backpropagation: adds the gradient of a list to sums. */
static void go_back(gr_net_training *t, const list_at *list, const workspace *d, float *sums)
{
    const gr_float_rows *linear = gr_float_rows_here();
    const gr_layer layer = layer_of(t);
    const gr_layer_sums back = { sums, sums + t->net.features * layer.pitch,
                                 sums + (t->net.features + 1) * layer.pitch };

    for (size_t done = 0; done < list->count; done += BLOCK) {
        const size_t count = list->count - done < BLOCK ? list->count - done : BLOCK;
        const float *slopes = t->slopes + list->start + done;
        size_t stride;
        const float *values = rows_at(t, d, list->start + done, count, &stride);

        if (t->net.units)
            gr_net_layers_here()->backward(&layer, values, count, stride,
                                           d->units + done * layer.pitch, slopes, &back);
        for (size_t r = 0; r < count && !t->net.units; r++)
            linear->add(values + r * stride, slopes[r], sums, t->net.features);
        for (size_t r = 0; r < count; r++)
            sums[t->count - 1] += slopes[r];
    }
}

static double take_slopes(gr_net_training *t, const list_at *at, size_t worker)
{
    const gr_problem *problem = t->task.problem;
    const gr_list list = { .count = at->count,
                           .scores = t->scores,
                           .labels = t->gains ? t->gains : problem->labels,
                           .weights = problem->row_weights,
                           .rows = t->order.rows + at->order,
                           .sigma = t->task.objective->sigma };

    if (!t->lambda)
        return gr_list_slopes(t->task.loss, &list, t->slopes, t->workspaces[worker].scratch);
    gr_lambda_query(t->lambda, problem, at->query, t->scores, t->slopes, t->hessians, worker);
    return NAN;
}

static void run_shard(void *argument, size_t shard, size_t worker)
{
    gr_net_training *t = argument;
    float *sums = t->sums + shard * t->count;

    memset(sums, 0, t->count * sizeof *sums);
    t->losses[shard] = 0.0;
    t->lost[shard] = false;
    for (size_t i = t->shard_starts[shard]; i < t->shard_starts[shard + 1]; i++) {
        const list_at *list = &t->at[t->turns[i]];

        if (!go_forward(t, list, &t->workspaces[worker])) {
            t->lost[shard] = true;
            return;
        }
        t->losses[shard] += take_slopes(t, list, worker);
        go_back(t, list, &t->workspaces[worker], sums);
    }
}

/* Divides lists [from, to) of this round's order into shards of about equal numbers of rows. */
static void cut_batch(gr_net_training *t, size_t from, size_t to)
{
    size_t rows = 0, whole = 0;

    for (size_t i = from; i < to; i++)
        whole += t->at[t->turns[i]].count;
    const size_t least = (whole + MAX_SHARDS - 1) / MAX_SHARDS;
    const size_t wanted = least < SHARD_ROWS ? SHARD_ROWS : least;

    t->shards = 0;
    t->shard_starts[0] = from;
    t->batch_lists = to - from;
    for (size_t i = from; i < to; i++) {
        rows += t->at[t->turns[i]].count;
        if (rows >= wanted || i + 1 == to) {
            t->shard_starts[++t->shards] = i + 1;
            rows = 0;
        }
    }
}

/* Weight decay does not apply to biases. */
static bool decays(const gr_net_training *t, size_t i)
{
    const size_t pitch = gr_net_pitch(t->net.units), inner = t->net.features * pitch;

    return i < t->count - 1 && (t->net.units == 0 || i < inner || i >= inner + pitch);
}

/* Adam's bias correction, 1 / (1 - decay^steps). */
static double lacking(double decay, uint64_t steps)
{
    return 1.0 / (1.0 - (decay > 0.0 ? gr_exp((double)steps * gr_log(decay)) : 0.0));
}

static void step_weights(void *argument, gr_range range)
{
    gr_net_training *t = argument;
    const gr_net_options *options = t->task.options;
    const double momentum = options->momentum, rate = options->rate;
    const double first = lacking(momentum, t->steps), unit = 1.0 / (double)t->batch_lists;
    const double second = lacking(SECOND_DECAY, t->steps), kept = 1.0 - rate * options->decay;

    for (size_t i = range.first; i < range.end; i++) {
        double *mean = &t->moments[i], *square = &t->moments[t->count + i];
        double slope = 0.0, step;

        for (size_t s = 0; s < t->shards; s++)
            slope += (double)t->sums[s * t->count + i];
        slope *= unit;
        if (options->optimiser == GR_SGD) {
            *mean = momentum * *mean + slope;
            step = *mean;
        } else {
            *mean = momentum * *mean + (1.0 - momentum) * slope;
            *square = SECOND_DECAY * *square + (1.0 - SECOND_DECAY) * slope * slope;
            step = first * *mean / (sqrt(second * *square) + LEAST_SLOPE);
        }
        t->weights[i] = (float)((decays(t, i) ? kept : 1.0) * (double)t->weights[i] - rate * step);
    }
}

static gradus_status ran_away(const gr_net_training *t, gradus_error *err)
{
    return gr_fail(err, GRADUS_BAD_NUMBER,
                   "training diverged in round %llu: a smaller 'net-rate' than %g, or "
                   "'transform standardise', may help",
                   (unsigned long long)t->net.rounds + 1, t->task.options->rate);
}

static gradus_status run_round(gr_net_training *t, gradus_error *err)
{
    gr_pool *pool = gr_pool_of(t->task.context);
    gr_rng rng = gr_rng_for(t->task.seed, "net round", t->net.rounds);
    const size_t batch = (size_t)t->task.options->batch;
    double loss = 0.0;

    for (size_t i = 0; i < t->lists; i++)
        t->turns[i] = i;
    gr_shuffle(&rng, t->turns, t->lists);
    for (size_t from = 0; from < t->lists; from += batch) {
        cut_batch(t, from, t->lists - from < batch ? t->lists : from + batch);
        GR_TRY(gr_pool_check(pool, err));
        gr_pool_run(pool, t->shards, run_shard, t);
        for (size_t s = 0; s < t->shards; s++) {
            if (t->lost[s])
                return ran_away(t, err);
            loss += t->losses[s];
        }
        t->steps++;
        gr_for_ranges(pool, t->count, WEIGHTS_OF_TASK, step_weights, t);
    }
    if (gr_net_check(&t->net, NULL) != GRADUS_OK)
        return ran_away(t, err);
    t->loss = loss / (double)t->lists;
    t->net.rounds++;
    return GRADUS_OK;
}

/* A cancelled round restores the state before it. */
gradus_status gr_net_training_round(gr_net_training *t, gradus_error *err)
{
    double *state = gr_new_array(gr_net_state_size(t), sizeof *state);
    float *weights = gr_new_array(t->count, sizeof *weights);
    gradus_status status;

    if (state && weights) {
        gr_net_save(t, state);
        memcpy(weights, t->weights, t->count * sizeof *weights);
        status = run_round(t, err);
    } else {
        status = gr_fail_memory(err, "a round");
    }
    if (status == GRADUS_CANCELLED) {
        gr_net_load(t, state, NULL);
        memcpy(t->weights, weights, t->count * sizeof *weights);
    }
    free(state);
    free(weights);
    return status;
}

size_t gr_net_state_size(const gr_net_training *t)
{
    return 1 + 2 * t->count;
}

void gr_net_save(const gr_net_training *t, double *numbers)
{
    numbers[0] = (double)t->steps;
    memcpy(numbers + 1, t->moments, 2 * t->count * sizeof *numbers);
}

gradus_status gr_net_load(gr_net_training *t, const double *numbers, gradus_error *err)
{
    for (size_t i = 0; i < gr_net_state_size(t); i++)
        if (!isfinite(numbers[i]) || ((i == 0 || i > t->count) && numbers[i] < 0.0))
            return gr_fail(err, GRADUS_BAD_FORMAT,
                           "the checkpoint is damaged: a moment is not a number");
    t->steps = numbers[0] < 0x1p53 ? (uint64_t)numbers[0] : 0;
    memcpy(t->moments, numbers + 1, 2 * t->count * sizeof *numbers);
    return GRADUS_OK;
}

const gr_net *gr_net_training_net(const gr_net_training *t)
{
    return &t->net;
}

double gr_net_training_loss(const gr_net_training *t)
{
    return t->loss;
}

size_t gr_net_training_skipped(const gr_net_training *t)
{
    return t->skipped;
}
