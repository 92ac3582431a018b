/* SPDX-License-Identifier: Apache-2.0 */
/* One sigmoid for the outputs of all grades, by five targets. numbers: a, b. */
#include "calibration/calibration.h"

#include "base/math.h"
#include "kernels/sigmoid.h"
#include "objectives/problem.h"

#include <math.h>
#include <stdlib.h>

enum { STARTS = 5, TRIED = 3, STEPS = 400 };
static const double powers_of_4[STARTS] = { 0.25, 1.0, 4.0, 16.0, 64.0 };

/* Below this s(z) is e^z to the last digit; beyond that distance e^-x adds nothing to 1. */
#define SMALL (-40.0)
#define FAR 40.0

/* What a value of the target is computed in. */
typedef struct room {
    double *z, *p;                  /* levels x rows */
    double *order;                  /* of the longest query: score and gain of each row ... */
    double *scores, *gains, *apart; /* ... then in their order, and distances of scores */
    double *shares, *shared;        /* what rows near a place add up to */
    const gr_sigmoid_kernels *kernels;
    double memory[];
} room;

static size_t longest_query(const gr_calibration_task *task)
{
    size_t most = 0;

    for (size_t q = 0; q < task->queries; q++)
        if (task->query_starts[q + 1] - task->query_starts[q] > most)
            most = (size_t)(task->query_starts[q + 1] - task->query_starts[q]);
    return most;
}

/* Room for a task; NULL: there is none. */
static room *new_room(const gr_calibration_task *task)
{
    const size_t most = task->options->method == GR_CALIBRATE_SN ? longest_query(task) : 0;
    size_t cells, numbers, bytes;
    room *made;

    if (!gr_size_times(task->rows, task->levels, &cells) || !gr_size_times(cells, 2, &numbers) ||
        !gr_size_plus(numbers, 7 * most, &numbers) ||
        !gr_size_times(numbers, sizeof(double), &bytes) ||
        !gr_size_plus(bytes, sizeof *made, &bytes) || !(made = malloc(bytes)))
        return NULL;
    made->kernels = gr_sigmoid_versions[gr_versions_here() - 1];
    made->z = made->memory;
    made->p = made->z + cells;
    made->order = made->p + cells;
    made->scores = made->order + 2 * most;
    made->gains = made->scores + most;
    made->apart = made->gains + most;
    made->shares = made->apart + most;
    made->shared = made->shares + most;
    return made;
}

/* p of a row whose sigmoids are all so small that s(z) is e^z. */
static void take_small(double *p, const double *z, size_t rows, size_t levels, double largest)
{
    double sum = 0.0;

    for (size_t k = 0; k < levels; k++)
        sum += p[k * rows] = gr_exp(z[k * rows] - largest);
    for (size_t k = 0; k < levels; k++)
        p[k * rows] /= sum;
}

/* Probabilities of all rows. */
static void take_probabilities(const gr_calibration_task *task, double a, double b, room *in)
{
    const size_t rows = task->rows, cells = rows * task->levels;

    for (size_t i = 0; i < cells; i++)
        in->z[i] = a * (task->x[i] - b);
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

/* -log p, of a p that rounding may have made 0. */
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

/* p: of a row, levels of them `rows` apart. */
static double row_loss(const gr_calibration_task *task, size_t r, const double *p)
{
    const size_t own = task->level_of[r], rows = task->rows;
    const double label = task->level_labels[own];
    double expected = 0.0, squares = 0.0;

    if (task->options->method == GR_CALIBRATE_LS)
        return surprise(p[own * rows]);
    if (task->options->method == GR_CALIBRATE_EWLS)
        return surprise(p[own * rows]) *
               entropy_to(task->options->entropy_power, p, rows, task->levels);
    for (size_t k = 0; k < task->levels; k++) {
        const double distance = task->level_labels[k] - label;

        expected += p[k * rows] * distance;
        squares += p[k * rows] * distance * distance;
    }
    return task->options->method == GR_CALIBRATE_EL ? squares : expected * expected;
}

/* A row of a query: its score, and its gain. */
static int best_first(const void *a, const void *b)
{
    const double *x = a, *y = b;

    if (x[0] != y[0])
        return x[0] > y[0] ? -1 : 1;
    return x[1] < y[1] ? -1 : x[1] > y[1]; /* ties: the worst order */
}

/* Minus the DCG in which every row is at a place by how near its score is to the one there. Scores
 * descend, so that rows far from a place come last; two rows are as near to each other either way.
 */
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
    double gains[GR_MOST_LEVELS], sum = 0.0;

    for (size_t k = 0; k < task->levels; k++)
        gains[k] = gain_of(task->level_labels[k]);
    for (size_t q = 0; q < task->queries; q++) {
        const size_t first = (size_t)task->query_starts[q];
        const size_t count = (size_t)task->query_starts[q + 1] - first;

        for (size_t i = 0; i < count; i++) {
            double score = 0.0;

            for (size_t k = 0; k < task->levels; k++)
                score += in->p[k * rows + first + i] * gains[k];
            in->order[2 * i] = score;
            in->order[2 * i + 1] = gains[task->level_of[first + i]];
        }
        qsort(in->order, count, 2 * sizeof *in->order, best_first);
        for (size_t i = 0; i < count; i++) {
            in->scores[i] = in->order[2 * i];
            in->gains[i] = in->order[2 * i + 1];
        }
        sum += smoothed(in, count, task->options->smoothness);
    }
    return sum;
}

double gr_target_value(const void *argument, const double *x)
{
    const gr_calibration_task *task = argument;
    room *in = task->room ? task->room : new_room(task);
    double sum = 0.0;

    if (!in)
        return NAN;
    if (gr_pool_cancelled(task->asked)) {
        if (!task->room)
            free(in);
        return 0.0; /* the same everywhere: the search soon ends */
    }
    take_probabilities(task, gr_exp(x[0]), x[1], in);
    if (task->options->method == GR_CALIBRATE_SN)
        sum = smoothed_metric(task, in);
    else
        for (size_t r = 0; r < task->rows; r++)
            sum += (task->weights ? task->weights[r] : 1.0) * row_loss(task, r, in->p + r);
    if (!task->room)
        free(in);
    return sum;
}

/* Mean and deviation of all outputs: what the starts are measured by. */
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

/* The simplex from the best of a grid of starts, roughly; then from the best of where they ended,
 * and once more from there. */
static double search(const gr_calibration_task *task, double best[2])
{
    double starts[STARTS * STARTS][3], mean, deviation, least = INFINITY;

    spread_of(task, &mean, &deviation);
    const double lengths[2] = { 0.5, 0.5 * deviation };

    for (size_t i = 0; i < STARTS * STARTS; i++) {
        starts[i][0] = gr_log(powers_of_4[i % STARTS] / deviation);
        /* NOLINTNEXTLINE(bugprone-integer-division): the row of a grid, a whole number */
        starts[i][1] = mean + 1.5 * deviation * ((double)(i / STARTS) - (STARTS - 1) / 2.0);
        starts[i][2] = gr_target_value(task, starts[i]);
    }
    for (size_t tried = 0; tried < TRIED; tried++) {
        size_t chosen = 0;

        for (size_t i = 1; i < STARTS * STARTS; i++)
            if (!(starts[chosen][2] <= starts[i][2]))
                chosen = i;
        const double value =
            gr_minimise(gr_target_value, task, starts[chosen], lengths, 2, STEPS, 1e-3);

        if (value < least) {
            least = value;
            best[0] = starts[chosen][0];
            best[1] = starts[chosen][1];
        }
        starts[chosen][2] = INFINITY;
    }
    if (!isfinite(least))
        return least;
    gr_minimise(gr_target_value, task, best, lengths, 2, STEPS, 1e-7);
    return gr_minimise(gr_target_value, task, best, lengths, 2, STEPS, 1e-7);
}

gradus_status gr_calibrate_sigmoid(const gr_calibration_task *task, gr_calibration *calibration,
                                   gradus_error *err)
{
    gr_calibration_task own = *task;
    double best[2] = { 0.0, 0.0 }, least;

    GR_TRY(gr_calibration_numbers(calibration, 2, err));
    own.room = new_room(task);
    if (!own.room)
        return gr_fail_memory(err, "a calibration");
    least = search(&own, best);
    free(own.room);
    calibration->outputs = task->levels;
    calibration->numbers[0] = gr_exp(best[0]);
    calibration->numbers[1] = best[1];
    return isfinite(least) && isfinite(calibration->numbers[0])
               ? GRADUS_OK
               : gr_fail(err, GRADUS_BAD_NUMBER, "no sigmoid has a finite target on these outputs");
}
