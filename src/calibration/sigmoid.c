/* One sigmoid for the outputs of all grades, by five targets. numbers: a, b. */
#include "calibration/calibration.h"

#include "base/math.h"
#include "objectives/problem.h"

#include <math.h>
#include <stdlib.h>

enum { STARTS = 5, TRIED = 3, STEPS = 400 };

/* log s(x), which is finite for every x. */
static double log_sigmoid(double x)
{
    return x > 0.0 ? -gr_log(1.0 + gr_exp(-x)) : x - gr_log(1.0 + gr_exp(x));
}

/* p: levels. */
static void probabilities(double a, double b, const double *f, size_t stride, size_t levels,
                          double *p)
{
    double largest = -INFINITY, sum = 0.0;

    for (size_t k = 0; k < levels; k++) {
        p[k] = log_sigmoid(a * (f[k * stride] - b));
        largest = fmax(largest, p[k]);
    }
    for (size_t k = 0; k < levels; k++)
        sum += p[k] = gr_exp(p[k] - largest);
    for (size_t k = 0; k < levels; k++)
        p[k] /= sum;
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

static double row_loss(const gr_calibration_task *task, size_t r, const double *p)
{
    const size_t own = task->level_of[r];
    const double label = task->level_labels[own];
    double entropy = 0.0, expected = 0.0, squares = 0.0;

    for (size_t k = 0; k < task->levels; k++) {
        const double distance = task->level_labels[k] - label;

        entropy += p[k] > 0.0 ? p[k] * surprise(p[k]) : 0.0;
        expected += p[k] * task->level_labels[k];
        squares += p[k] * distance * distance;
    }
    switch (task->options->method) {
    case GR_CALIBRATE_EWLS:
        return surprise(p[own]) * pow(entropy, task->options->entropy_power);
    case GR_CALIBRATE_EL:
        return squares;
    case GR_CALIBRATE_ELL:
        return (expected - label) * (expected - label);
    default:
        return surprise(p[own]);
    }
}

/* A query's documents for the smoothed metric. */
typedef struct scored {
    double score, gain;
} scored;

static int best_first(const void *a, const void *b)
{
    const scored *x = a, *y = b;

    if (x->score != y->score)
        return x->score > y->score ? -1 : 1;
    return x->gain < y->gain ? -1 : x->gain > y->gain; /* ties: the worst order */
}

/* Minus the DCG in which every document is at a place by how near its score is to the one there. */
static double smoothed(const scored *list, size_t count, double sigma)
{
    double sum = 0.0;

    for (size_t t = 0; t < count; t++) {
        double all = 0.0, gains = 0.0;

        for (size_t i = 0; i < count; i++) {
            const double apart = list[i].score - list[t].score;
            const double share = gr_exp(-apart * apart / sigma);

            all += share;
            gains += share * list[i].gain;
        }
        sum -= gains / all / gr_log2(2.0 + (double)t);
    }
    return sum;
}

static scored *room_for(const gr_calibration_task *task)
{
    size_t most = 0;

    for (size_t q = 0; q < task->queries; q++)
        if (task->query_starts[q + 1] - task->query_starts[q] > most)
            most = (size_t)(task->query_starts[q + 1] - task->query_starts[q]);
    return gr_new_array(most, sizeof(scored));
}

static double smoothed_metric(const gr_calibration_task *task, double a, double b)
{
    scored *list = task->room ? task->room : room_for(task);
    double sum = 0.0, p[GR_MOST_LEVELS];

    if (!list)
        return NAN;
    for (size_t q = 0; q < task->queries; q++) {
        const size_t first = (size_t)task->query_starts[q];
        const size_t count = (size_t)task->query_starts[q + 1] - first;

        for (size_t i = 0; i < count; i++) {
            probabilities(a, b, task->x + first + i, task->rows, task->levels, p);
            list[i] = (scored){ 0.0, gain_of(task->level_labels[task->level_of[first + i]]) };
            for (size_t k = 0; k < task->levels; k++)
                list[i].score += p[k] * gain_of(task->level_labels[k]);
        }
        qsort(list, count, sizeof *list, best_first);
        sum += smoothed(list, count, task->options->smoothness);
    }
    if (!task->room)
        free(list);
    return sum;
}

double gr_target_value(const void *argument, const double *x)
{
    const gr_calibration_task *task = argument;
    const double a = gr_exp(x[0]), b = x[1];
    double sum = 0.0, p[GR_MOST_LEVELS];

    if (task->options->method == GR_CALIBRATE_SN)
        return smoothed_metric(task, a, b);
    for (size_t r = 0; r < task->rows; r++) {
        probabilities(a, b, task->x + r, task->rows, task->levels, p);
        sum += (task->weights ? task->weights[r] : 1.0) * row_loss(task, r, p);
    }
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

/* The simplex from the best of a grid of starts, each then begun anew from where it ended. */
static double search(const gr_calibration_task *task, double best[2])
{
    double starts[STARTS * STARTS][3], mean, deviation, least = INFINITY;

    spread_of(task, &mean, &deviation);
    for (size_t i = 0; i < STARTS * STARTS; i++) {
        starts[i][0] = log(pow(4.0, (double)(i % STARTS) - 1.0) / deviation);
        starts[i][1] = mean + 1.5 * deviation * ((double)(i / STARTS) - (STARTS - 1) / 2.0);
        starts[i][2] = gr_target_value(task, starts[i]);
    }
    for (size_t tried = 0; tried < TRIED; tried++) {
        const double lengths[2] = { 0.5, 0.5 * deviation };
        size_t chosen = 0;

        for (size_t i = 1; i < STARTS * STARTS; i++)
            if (!(starts[chosen][2] <= starts[i][2]))
                chosen = i;
        gr_minimise(gr_target_value, task, starts[chosen], lengths, 2, STEPS);
        const double value = gr_minimise(gr_target_value, task, starts[chosen], lengths, 2, STEPS);

        if (value < least) {
            least = value;
            best[0] = starts[chosen][0];
            best[1] = starts[chosen][1];
        }
        starts[chosen][2] = INFINITY;
    }
    return least;
}

gradus_status gr_calibrate_sigmoid(const gr_calibration_task *task, gr_calibration *calibration,
                                   gradus_error *err)
{
    gr_calibration_task own = *task;
    double best[2] = { 0.0, 0.0 }, least;

    GR_TRY(gr_calibration_numbers(calibration, 2, err));
    if (task->options->method == GR_CALIBRATE_SN && !(own.room = room_for(task)))
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
