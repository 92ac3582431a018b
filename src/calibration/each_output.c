/* SPDX-License-Identifier: Apache-2.0 */
/* platt, isotonic and beta, which fit each output separately, and temperature. With probabilities
 * as inputs there is an output per grade, P(grade); with a score, one per grade except the lowest,
 * P(grade or higher). */
#include "calibration/parameters.h"

#include "base/math.h"
#include "objectives/problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The input of an output: a score has a single column. */
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

/* Platt's smoothed targets: one extra row of each class is assumed. */
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

/* Logistic regression on one column. */
static gradus_status fit_one(const gr_calibration_task *task, const double *const *column,
                             const double *targets, gr_platt_parameters *fitted, gradus_error *err)
{
    double beta[GR_PLATT_COUNT];

    GR_TRY(gr_logistic_fit(column, 1, targets, task->weights, task->rows, task->asked, beta, err));
    *fitted = (gr_platt_parameters){ .slope = beta[0], .intercept = beta[1] };
    return GRADUS_OK;
}

static gradus_status fit_platt(const gr_calibration_task *task, gr_calibration *made, double *room,
                               gradus_error *err)
{
    double *x = room, *targets = room + task->rows;
    const double *columns[] = { x };

    GR_TRY(gr_calibration_numbers(made, GR_PLATT_COUNT * made->outputs, err));
    for (size_t o = 0; o < made->outputs; o++) {
        const double *from = task->x + column_of(task, o) * task->rows;

        for (size_t r = 0; r < task->rows; r++)
            x[r] = task->inputs == 1 ? from[r] : gr_log(within(from[r]) / (1.0 - within(from[r])));
        smooth_targets(task, o, targets);
        GR_TRY(fit_one(task, columns, targets, gr_platt_of(made) + o, err));
    }
    return GRADUS_OK;
}

/* columns: log p, -log(1 - p). If a or b would be negative, it is set to 0 and the other is fitted
 * alone (Kull and others, 2017, section 4). */
static gradus_status fit_beta_column(const gr_calibration_task *task, const double *const *columns,
                                     const double *targets, gr_beta_parameters *fitted,
                                     gradus_error *err)
{
    double beta[GR_BETA_COUNT];
    gr_platt_parameters alone;

    GR_TRY(gr_logistic_fit(columns, 2, targets, task->weights, task->rows, task->asked, beta, err));
    *fitted = (gr_beta_parameters){ .a = beta[0], .b = beta[1], .c = beta[2] };
    if (fitted->a >= 0.0 && fitted->b >= 0.0)
        return GRADUS_OK;
    const bool keep_a = fitted->a >= 0.0;

    GR_TRY(fit_one(task, columns + !keep_a, targets, &alone, err));
    const double slope = alone.slope > 0.0 ? alone.slope : 0.0;

    *fitted = (gr_beta_parameters){ .a = keep_a ? slope : 0.0,
                                    .b = keep_a ? 0.0 : slope,
                                    .c = alone.intercept };
    return GRADUS_OK;
}

static gradus_status fit_beta(const gr_calibration_task *task, gr_calibration *made, double *room,
                              gradus_error *err)
{
    double *low = room, *high = room + task->rows, *targets = room + 2 * task->rows;
    const double *columns[] = { low, high };

    GR_TRY(gr_calibration_numbers(made, GR_BETA_COUNT * made->outputs, err));
    for (size_t o = 0; o < made->outputs; o++) {
        for (size_t r = 0; r < task->rows; r++) {
            const double p = within(task->x[o * task->rows + r]);

            low[r] = gr_log(p);
            high[r] = -gr_log(1.0 - p);
            targets[r] = came_true(task, o, r);
        }
        GR_TRY(fit_beta_column(task, columns, targets, gr_beta_of(made) + o, err));
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
    double *points_x = room + 3 * task->rows, *points_y = points_x + 2 * task->rows;
    double *at;

    if (!rows ||
        gr_calibration_numbers(made, made->outputs * gr_isotonic_count(2 * task->rows), err)) {
        free(rows);
        return gr_fail_memory(err, "a calibration");
    }
    at = made->numbers;
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
        const size_t count = gr_isotonic(x, y, weights, task->rows, points_x, points_y);

        if (count == 0) {
            free(rows);
            return gr_fail_memory(err, "a calibration");
        }
        *at = (double)count;
        const gr_isotonic_curve curve = gr_isotonic_curve_at(at);

        memcpy(curve.x, points_x, count * sizeof *points_x);
        memcpy(curve.y, points_y, count * sizeof *points_y);
        at = curve.next;
    }
    made->count = (size_t)(at - made->numbers);
    free(rows);
    return GRADUS_OK;
}

/* Negative log likelihood at 1 / T = e^x. */
static double temperature_loss(const void *argument, const double *x)
{
    const gr_calibration_task *task = argument;
    const double power = gr_exp(x[0]);
    double sum = 0.0;

    if (gr_pool_cancelled(task->asked))
        return 0.0; /* constant, so that the search ends soon */
    for (size_t r = 0; r < task->rows; r++) {
        double all = 0.0, largest = -INFINITY, logs[GR_MAX_LEVELS];

        for (size_t k = 0; k < task->levels; k++) {
            logs[k] = power * gr_log(within(task->x[k * task->rows + r]));
            largest = fmax(largest, logs[k]);
        }
        for (size_t k = 0; k < task->levels; k++)
            all += gr_exp(logs[k] - largest);
        sum += (task->weights ? task->weights[r] : 1.0) *
               (gr_log(all) + largest - logs[task->level_of[r]]);
    }
    /* Constant outputs do not determine T: the penalty selects 1. */
    return sum + 1e-9 * x[0] * x[0];
}

static gradus_status fit_temperature(const gr_calibration_task *task, gr_calibration *made,
                                     gradus_error *err)
{
    const double steps[] = { 0.5 };
    double x[] = { 0.0 };

    GR_TRY(gr_calibration_numbers(made, GR_TEMPERATURE_COUNT, err));
    gr_minimise(temperature_loss, task, x, steps, 1, 300, 1e-9);
    *gr_temperature_of(made) = gr_exp(-fmin(fmax(x[0], -50.0), 50.0));
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
    /* isotonic needs most: x, y, weights, and twice 2 * rows points */
    if (!gr_size_times(task->rows, 7, &cells) || !(room = gr_new_array(cells, sizeof *room)))
        return gr_fail_memory(err, "a calibration");
    status = task->options->method == GR_CALIBRATE_PLATT  ? fit_platt(task, made, room, err)
             : task->options->method == GR_CALIBRATE_BETA ? fit_beta(task, made, room, err)
                                                          : fit_isotonic(task, made, room, err);
    free(room);
    return status;
}
