/* SPDX-License-Identifier: Apache-2.0 */
/* ls, ewls, el, ell and sn: one sigmoid for the outputs of all grades, fitted to five different
 * targets (Busa-Fekete, Kegl, Elteto and Szarvas, 2012). */
#include "calibration/parameters.h"

#include "base/math.h"
#include "kernels/sigmoid.h"
#include "objectives/problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STARTS = 5, TRIED = 3, STEPS = 400 };
enum { LOG_SLOPE, MIDPOINT, SEARCHED }; /* coordinates of the search */
static const double powers_of_4[STARTS] = { 0.25, 1.0, 4.0, 16.0, 64.0 };

/* Below SMALL, s(z) equals e^z in double precision; beyond FAR, 1 + e^-x equals 1. */
#define SMALL (-40.0)
#define FAR 40.0

/* A row of a query while it is ranked. */
typedef struct ranked {
    double score, gain;
} ranked;

/* Buffers for evaluating the target. */
typedef struct room {
    double *z, *p; /* levels x rows */
    /* sn, each as long as the longest query: */
    ranked *order;
    double *scores, *gains, *apart; /* in ranked order; distances of scores */
    double *shares, *shared;        /* per rank: sums of kernel weights, of weight * gain */
    const gr_sigmoid_kernels *kernels;
    double memory[];
} room;

/* What the sigmoid minimises: the sum of a loss of each row, or a function of all rows. */
typedef struct target {
    double (*of_row)(const gr_calibration_task *task, size_t r, const double *p); /* NULL: of_all */
    double (*of_all)(const gr_calibration_task *task, room *in);
} target;

static const target *target_of(const gr_calibration_task *task)
{
    return gr_calibrators[task->options->method]->variant;
}

static size_t longest_query(const gr_calibration_task *task)
{
    size_t most = 0;

    for (size_t q = 0; q < task->queries; q++)
        if (task->query_starts[q + 1] - task->query_starts[q] > most)
            most = (size_t)(task->query_starts[q + 1] - task->query_starts[q]);
    return most;
}

/* Buffers for a task; NULL: out of memory. */
static room *new_room(const gr_calibration_task *task)
{
    const size_t most = target_of(task)->of_all ? longest_query(task) : 0;
    size_t cells, numbers, bytes;
    room *made;

    if (!gr_size_times(task->rows, task->levels, &cells) || !gr_size_times(cells, 2, &numbers) ||
        !gr_size_plus(numbers, 7 * most, &numbers) ||
        !gr_size_times(numbers, sizeof(double), &bytes) ||
        !gr_size_plus(bytes, sizeof *made, &bytes) || !(made = malloc(bytes)))
        return NULL;
    made->kernels = gr_sigmoid_here();
    made->z = made->memory;
    made->p = made->z + cells;
    made->order = (ranked *)(made->p + cells);
    made->scores = (double *)(made->order + most);
    made->gains = made->scores + most;
    made->apart = made->gains + most;
    made->shares = made->apart + most;
    made->shared = made->shares + most;
    return made;
}

/* p of a row where every s(z) equals e^z: a softmax, which does not underflow. */
static void take_small(double *p, const double *z, size_t rows, size_t levels, double largest)
{
    double sum = 0.0;

    for (size_t k = 0; k < levels; k++)
        sum += p[k * rows] = gr_exp(z[k * rows] - largest);
    for (size_t k = 0; k < levels; k++)
        p[k * rows] /= sum;
}

/* Computes the probabilities of all rows. */
static void take_probabilities(const gr_calibration_task *task, gr_sigmoid_parameters s, room *in)
{
    const size_t rows = task->rows, cells = rows * task->levels;

    for (size_t i = 0; i < cells; i++)
        in->z[i] = s.slope * (task->x[i] - s.midpoint);
    in->kernels->exp_minus(in->z, cells, in->p);
    for (size_t i = 0; i < cells; i++)
        in->p[i] = (in->z[i] < 0.0 ? in->p[i] : 1.0) / (1.0 + in->p[i]);
    for (size_t r = 0; r < rows; r++) {
        double largest = in->z[r], sum = in->p[r];

        for (size_t k = 1; k < task->levels; k++) {
            sum += in->p[k * rows + r];
            largest = fmax(largest, in->z[k * rows + r]);
        }
        if (largest < SMALL) {
            take_small(in->p + r, in->z + r, rows, task->levels, largest);
            continue;
        }
        for (size_t k = 0; k < task->levels; k++)
            in->p[k * rows + r] /= sum;
    }
}

static double gain_of(double label)
{
    return exp2(label) - 1.0;
}

/* -log p; rounding may have made p 0. */
static double surprise(double p)
{
    return -gr_log(p > 1e-300 ? p : 1e-300);
}

static double entropy_to(double power, const double *p, size_t rows, size_t levels)
{
    double entropy = 0.0;

    for (size_t k = 0; k < levels; k++)
        entropy += p[k * rows] > 0.0 ? p[k * rows] * surprise(p[k * rows]) : 0.0;
    if (power == 2.0)
        return entropy * entropy;
    if (power == 0.0)
        return 1.0;
    return entropy > 0.0 ? gr_exp(power * gr_log(entropy)) : 0.0;
}

/* Losses of rows. p: the probabilities of row r, `rows` apart. */
static double log_loss(const gr_calibration_task *task, size_t r, const double *p)
{
    return surprise(p[task->level_of[r] * task->rows]);
}

static double weighted_log_loss(const gr_calibration_task *task, size_t r, const double *p)
{
    return log_loss(task, r, p) *
           entropy_to(task->options->entropy_power, p, task->rows, task->levels);
}

static double expected_square(const gr_calibration_task *task, size_t r, const double *p)
{
    const double label = task->level_labels[task->level_of[r]];
    double sum = 0.0;

    for (size_t k = 0; k < task->levels; k++) {
        const double distance = task->level_labels[k] - label;

        sum += p[k * task->rows] * distance * distance;
    }
    return sum;
}

static double square_of_expected(const gr_calibration_task *task, size_t r, const double *p)
{
    const double label = task->level_labels[task->level_of[r]];
    double sum = 0.0;

    for (size_t k = 0; k < task->levels; k++)
        sum += p[k * task->rows] * (task->level_labels[k] - label);
    return sum * sum;
}

static int best_first(const void *a, const void *b)
{
    const ranked *x = a, *y = b;

    if (x->score != y->score)
        return x->score > y->score ? -1 : 1;
    return x->gain < y->gain ? -1 : x->gain > y->gain; /* ties: the worst order */
}

/* Negative DCG in which the gain at each rank is a mean over all rows, weighted by how close their
 * scores are to the score at that rank. Scores descend, so the inner loop stops at the first row
 * that is far away; the weight of a pair is symmetric and is computed once. */
static double smoothed(room *in, size_t count, double sigma)
{
    double sum = 0.0;

    for (size_t t = 0; t < count; t++) {
        in->shares[t] = 1.0;
        in->shared[t] = in->gains[t];
    }
    for (size_t t = 0; t < count; t++) {
        size_t near = t + 1;

        for (; near < count; near++) {
            const double apart = in->scores[near] - in->scores[t];

            in->apart[near] = apart * apart / sigma;
            if (in->apart[near] > FAR)
                break;
        }
        in->kernels->exp_minus(in->apart + t + 1, near - t - 1, in->apart + t + 1);
        for (size_t i = t + 1; i < near; i++) {
            in->shares[t] += in->apart[i];
            in->shared[t] += in->apart[i] * in->gains[i];
            in->shares[i] += in->apart[i];
            in->shared[i] += in->apart[i] * in->gains[t];
        }
        sum -= in->shared[t] / in->shares[t] / gr_log2(2.0 + (double)t);
    }
    return sum;
}

static double smoothed_metric(const gr_calibration_task *task, room *in)
{
    const size_t rows = task->rows;
    double gains[GR_MAX_LEVELS], sum = 0.0;

    for (size_t k = 0; k < task->levels; k++)
        gains[k] = gain_of(task->level_labels[k]);
    for (size_t q = 0; q < task->queries; q++) {
        const size_t first = (size_t)task->query_starts[q];
        const size_t count = (size_t)task->query_starts[q + 1] - first;

        for (size_t i = 0; i < count; i++) {
            double score = 0.0;

            for (size_t k = 0; k < task->levels; k++)
                score += in->p[k * rows + first + i] * gains[k];
            in->order[i] = (ranked){ score, gains[task->level_of[first + i]] };
        }
        qsort(in->order, count, sizeof *in->order, best_first);
        for (size_t i = 0; i < count; i++) {
            in->scores[i] = in->order[i].score;
            in->gains[i] = in->order[i].gain;
        }
        sum += smoothed(in, count, task->options->smoothness);
    }
    return sum;
}

double gr_target_value(const void *argument, const double *x)
{
    const gr_calibration_task *task = argument;
    const gr_sigmoid_parameters s = { .slope = gr_exp(x[LOG_SLOPE]), .midpoint = x[MIDPOINT] };
    const target *minimised = target_of(task);
    room *in = task->room ? task->room : new_room(task);
    double sum = 0.0;

    if (!in)
        return NAN;
    if (gr_pool_cancelled(task->asked)) {
        if (!task->room)
            free(in);
        return 0.0; /* constant, so that the search ends soon */
    }
    take_probabilities(task, s, in);
    if (minimised->of_all)
        sum = minimised->of_all(task, in);
    else
        for (size_t r = 0; r < task->rows; r++)
            sum += (task->weights ? task->weights[r] : 1.0) * minimised->of_row(task, r, in->p + r);
    if (!task->room)
        free(in);
    return sum;
}

/* Mean and deviation of all outputs, which set the scale of the starting points. */
static void spread_of(const gr_calibration_task *task, double *mean, double *deviation)
{
    const size_t count = task->rows * task->inputs;
    double sum = 0.0, squares = 0.0;

    for (size_t i = 0; i < count; i++)
        sum += task->x[i];
    *mean = sum / (double)count;
    for (size_t i = 0; i < count; i++)
        squares += (task->x[i] - *mean) * (task->x[i] - *mean);
    *deviation = sqrt(squares / (double)count);
    if (!(*deviation > 1e-12))
        *deviation = 1.0;
}

typedef struct start {
    double x[SEARCHED], value;
} start;

/* Runs the simplex method roughly from the best of a grid of starts, then twice to convergence from
 * the best point found. */
static double search(const gr_calibration_task *task, double best[SEARCHED])
{
    start starts[STARTS * STARTS];
    double mean, deviation, least = INFINITY;

    spread_of(task, &mean, &deviation);
    const double lengths[SEARCHED] = { [LOG_SLOPE] = 0.5, [MIDPOINT] = 0.5 * deviation };

    for (size_t i = 0; i < STARTS * STARTS; i++) {
        start *s = &starts[i];

        s->x[LOG_SLOPE] = gr_log(powers_of_4[i % STARTS] / deviation);
        /* NOLINTNEXTLINE(bugprone-integer-division): the row of a grid, a whole number */
        s->x[MIDPOINT] = mean + 1.5 * deviation * ((double)(i / STARTS) - (STARTS - 1) / 2.0);
        s->value = gr_target_value(task, s->x);
    }
    for (size_t tried = 0; tried < TRIED; tried++) {
        size_t chosen = 0;

        for (size_t i = 1; i < STARTS * STARTS; i++)
            if (!(starts[chosen].value <= starts[i].value))
                chosen = i;
        const double value =
            gr_minimise(gr_target_value, task, starts[chosen].x, lengths, SEARCHED, STEPS, 1e-3);

        if (value < least) {
            least = value;
            memcpy(best, starts[chosen].x, sizeof starts[chosen].x);
        }
        starts[chosen].value = INFINITY;
    }
    if (!isfinite(least))
        return least;
    gr_minimise(gr_target_value, task, best, lengths, SEARCHED, STEPS, 1e-7);
    return gr_minimise(gr_target_value, task, best, lengths, SEARCHED, STEPS, 1e-7);
}

static gradus_status fit(const gr_calibration_task *task, gr_calibration *calibration,
                         double *thresholds, gradus_error *err)
{
    gr_calibration_task own = *task;
    double best[SEARCHED] = { 0.0, 0.0 }, least;

    (void)thresholds;
    GR_TRY(gr_calibration_numbers(calibration, GR_SIGMOID_COUNT, err));
    own.room = new_room(task);
    if (!own.room)
        return gr_fail_memory(err, "a calibration");
    least = search(&own, best);
    free(own.room);
    calibration->outputs = task->levels;
    gr_sigmoid_parameters *sigmoid = gr_sigmoid_of(calibration);

    *sigmoid =
        (gr_sigmoid_parameters){ .slope = gr_exp(best[LOG_SLOPE]), .midpoint = best[MIDPOINT] };
    return isfinite(least) && isfinite(sigmoid->slope)
               ? GRADUS_OK
               : gr_fail(err, GRADUS_BAD_NUMBER, "no sigmoid has a finite loss on these outputs");
}

static double log_sigmoid(double x)
{
    return x > 0.0 ? -gr_log(1.0 + gr_exp(-x)) : x - gr_log(1.0 + gr_exp(x));
}

static void apply(const gr_calibration *c, const double *in, size_t rows, double *out)
{
    const gr_sigmoid_parameters *sigmoid = gr_sigmoid_of(c);

    for (size_t i = 0; i < rows * c->inputs; i++)
        out[i] = log_sigmoid(sigmoid->slope * (in[i] - sigmoid->midpoint));
    gr_calibration_softmax(out, rows, c->inputs);
}

static bool check(const gr_calibration *c)
{
    return c->inputs == c->outputs && c->inputs > 1 && c->count == GR_SIGMOID_COUNT;
}

static bool parameter(const gr_calibration *c, size_t index, const char **name, size_t *output,
                      double *value)
{
    (void)output;
    if (index >= c->count)
        return false;
    *name = index == 0 ? "a" : "b";
    *value = c->numbers[index]; /* the fields of the struct in order */
    return true;
}

/* p_k = s(f_k) / sum of s, s(x) = 1 / (1 + e^(-a (x - b))). */
#define SIGMOID(text, loss, ...)                                                                   \
    {                                                                                              \
        .about = { .name = text, .summary = "one sigmoid for all grades; " loss, .details = "" },  \
        .needs_grades = true, .gives = GR_CALIBRATED_PROBABILITIES, .group = "cpc",                \
        .variant = &(const target){ __VA_ARGS__ }, .fit = fit, .apply = apply, .check = check,     \
        .parameter = parameter,                                                                    \
    }

const gr_calibrator gr_calibrator_ls = SIGMOID("ls", "log loss", .of_row = log_loss);
const gr_calibrator gr_calibrator_ewls =
    SIGMOID("ewls", "log loss weighted by a power of the entropy", .of_row = weighted_log_loss);
const gr_calibrator gr_calibrator_el =
    SIGMOID("el", "expected squared error of the grade", .of_row = expected_square);
const gr_calibrator gr_calibrator_ell =
    SIGMOID("ell", "squared error of the expected grade", .of_row = square_of_expected);
const gr_calibrator gr_calibrator_sn =
    SIGMOID("sn", "negative smoothed DCG", .of_all = smoothed_metric);
