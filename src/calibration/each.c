/* SPDX-License-Identifier: Apache-2.0 */
/* Calibrations of one column at a time, and temperature. An output is of a grade, "the row has it",
 * from its probability; or, where a score is all there is, of every grade but the lowest, "the row
 * has it or a higher one". Numbers: platt a, b of each output; beta a, b, c; temperature T;
 * isotonic how many points, their x, their y. */
#include "calibration/calibration.h"

#include "base/math.h"
#include "objectives/problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static size_t column_of(const gr_calibration_task *task, size_t output)
{
    return task->inputs == 1 ? 0 : output;
}

static bool came_true(const gr_calibration_task *task, size_t output, size_t r)
{
    return task->inputs == 1 ? task->level_of[r] > output : task->level_of[r] == output;
}

static double within(double p)
{
    return p < 1e-12 ? 1e-12 : p > 1.0 - 1e-12 ? 1.0 - 1e-12 : p;
}

/* Platt's targets: as if one more row of each side had been seen. */
static void smooth_targets(const gr_calibration_task *task, size_t output, double *targets)
{
    double positive = 0.0, negative = 0.0;

    for (size_t r = 0; r < task->rows; r++)
        *(came_true(task, output, r) ? &positive : &negative) +=
            task->weights ? task->weights[r] : 1.0;
    for (size_t r = 0; r < task->rows; r++)
        targets[r] = came_true(task, output, r) ? (positive + 1.0) / (positive + 2.0)
                                                : 1.0 / (negative + 2.0);
}

static gradus_status fit_platt(const gr_calibration_task *task, gr_calibration *made, double *room,
                               gradus_error *err)
{
    double *x = room, *targets = room + task->rows;
    const double *columns[] = { x };

    GR_TRY(gr_calibration_numbers(made, 2 * made->outputs, err));
    for (size_t o = 0; o < made->outputs; o++) {
        const double *from = task->x + column_of(task, o) * task->rows;

        for (size_t r = 0; r < task->rows; r++)
            x[r] = task->inputs == 1 ? from[r] : gr_log(within(from[r]) / (1.0 - within(from[r])));
        smooth_targets(task, o, targets);
        GR_TRY(gr_logistic_fit(columns, 1, targets, task->weights, task->rows, task->asked,
                               made->numbers + 2 * o, err));
    }
    return GRADUS_OK;
}

/* A factor that comes out negative is left out (Kull and others, 2017, section 4). */
static gradus_status fit_beta_column(const gr_calibration_task *task, const double *const *columns,
                                     const double *targets, double *numbers, gradus_error *err)
{
    double beta[3];

    GR_TRY(gr_logistic_fit(columns, 2, targets, task->weights, task->rows, task->asked, beta, err));
    memcpy(numbers, beta, sizeof beta);
    for (size_t dropped = 0; dropped < 2; dropped++) {
        if (beta[dropped] >= 0.0)
            continue;
        double rest[2];

        GR_TRY(gr_logistic_fit(columns + 1 - dropped, 1, targets, task->weights, task->rows,
                               task->asked, rest, err));
        numbers[dropped] = 0.0;
        numbers[1 - dropped] = rest[0] > 0.0 ? rest[0] : 0.0;
        numbers[2] = rest[1];
        break;
    }
    return GRADUS_OK;
}

static gradus_status fit_beta(const gr_calibration_task *task, gr_calibration *made, double *room,
                              gradus_error *err)
{
    double *low = room, *high = room + task->rows, *targets = room + 2 * task->rows;
    const double *columns[] = { low, high };

    GR_TRY(gr_calibration_numbers(made, 3 * made->outputs, err));
    for (size_t o = 0; o < made->outputs; o++) {
        for (size_t r = 0; r < task->rows; r++) {
            const double p = within(task->x[o * task->rows + r]);

            low[r] = gr_log(p);
            high[r] = -gr_log(1.0 - p);
            targets[r] = came_true(task, o, r);
        }
        GR_TRY(fit_beta_column(task, columns, targets, made->numbers + 3 * o, err));
    }
    return GRADUS_OK;
}

typedef struct weighed {
    double x, y, weight;
    size_t row;
} weighed;

static int by_x(const void *a, const void *b)
{
    const weighed *one = a, *two = b;

    if (one->x != two->x)
        return one->x < two->x ? -1 : 1;
    return one->row < two->row ? -1 : one->row > two->row;
}

static gradus_status fit_isotonic(const gr_calibration_task *task, gr_calibration *made,
                                  double *room, gradus_error *err)
{
    weighed *rows = gr_new_array(task->rows, sizeof *rows);
    double *x = room, *y = room + task->rows, *weights = room + 2 * task->rows;
    double *points = room + 3 * task->rows; /* 4 * rows */
    size_t used = 0;

    if (!rows || gr_calibration_numbers(made, made->outputs * (1 + 4 * task->rows), err)) {
        free(rows);
        return gr_fail_memory(err, "a calibration");
    }
    for (size_t o = 0; o < made->outputs; o++) {
        const double *from = task->x + column_of(task, o) * task->rows;

        for (size_t r = 0; r < task->rows; r++)
            rows[r] = (weighed){ from[r], came_true(task, o, r),
                                 task->weights ? task->weights[r] : 1.0, r };
        qsort(rows, task->rows, sizeof *rows, by_x);
        for (size_t r = 0; r < task->rows; r++) {
            x[r] = rows[r].x;
            y[r] = rows[r].y;
            weights[r] = rows[r].weight;
        }
        const size_t count =
            gr_isotonic(x, y, weights, task->rows, points, points + 2 * task->rows);

        made->numbers[used++] = (double)count;
        memcpy(made->numbers + used, points, count * sizeof *points);
        memcpy(made->numbers + used + count, points + 2 * task->rows, count * sizeof *points);
        used += 2 * count;
        if (count == 0) {
            free(rows);
            return gr_fail_memory(err, "a calibration");
        }
    }
    made->count = used;
    free(rows);
    return GRADUS_OK;
}

/* Minus the log likelihood at 1 / T = e^x. */
static double temperature_loss(const void *argument, const double *x)
{
    const gr_calibration_task *task = argument;
    const double power = gr_exp(x[0]);
    double sum = 0.0;

    if (gr_pool_cancelled(task->asked))
        return 0.0; /* the same everywhere: the search soon ends */
    for (size_t r = 0; r < task->rows; r++) {
        double all = 0.0, largest = -INFINITY, logs[GR_MOST_LEVELS];

        for (size_t k = 0; k < task->levels; k++) {
            logs[k] = power * gr_log(within(task->x[k * task->rows + r]));
            largest = fmax(largest, logs[k]);
        }
        for (size_t k = 0; k < task->levels; k++)
            all += gr_exp(logs[k] - largest);
        sum += (task->weights ? task->weights[r] : 1.0) *
               (gr_log(all) + largest - logs[task->level_of[r]]);
    }
    /* Outputs that are all alike leave T open: 1 is as good as any. */
    return sum + 1e-9 * x[0] * x[0];
}

static gradus_status fit_temperature(const gr_calibration_task *task, gr_calibration *made,
                                     gradus_error *err)
{
    const double steps[] = { 0.5 };
    double x[] = { 0.0 };

    GR_TRY(gr_calibration_numbers(made, 1, err));
    gr_minimise(temperature_loss, task, x, steps, 1, 300, 1e-9);
    made->numbers[0] = gr_exp(-fmin(fmax(x[0], -50.0), 50.0));
    return GRADUS_OK;
}

gradus_status gr_calibrate_each(const gr_calibration_task *task, gr_calibration *made,
                                gradus_error *err)
{
    double *room;
    size_t cells;
    gradus_status status;

    made->outputs = task->inputs == 1 ? task->levels - 1 : task->levels;
    if (task->options->method == GR_CALIBRATE_TEMPERATURE)
        return fit_temperature(task, made, err);
    if (!gr_size_times(task->rows, 7, &cells) || !(room = gr_new_array(cells, sizeof *room)))
        return gr_fail_memory(err, "a calibration");
    status = task->options->method == GR_CALIBRATE_PLATT  ? fit_platt(task, made, room, err)
             : task->options->method == GR_CALIBRATE_BETA ? fit_beta(task, made, room, err)
                                                          : fit_isotonic(task, made, room, err);
    free(room);
    return status;
}
