/* SPDX-License-Identifier: Apache-2.0 */
/* platt, isotonic and beta, which fit each output separately, and temperature. With probabilities
 * as inputs there is an output per grade, P(grade); with a score, one per grade except the lowest,
 * P(grade or higher). */
#include "calibration/parameters.h"

#include "base/bisect.h"
#include "base/math.h"
#include "objectives/problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The methods with a function per output. */
typedef struct each {
    /* room: ROOM doubles per row */
    gradus_status (*fit)(const gr_calibration_task *task, gr_calibration *made, double *room,
                         gradus_error *err);
    /* x: the input of the output */
    void (*apply)(const gr_calibration *c, size_t output, const double *x, size_t rows,
                  double *out);
} each;

enum { ROOM = 7 }; /* isotonic needs most: x, y, weights, and twice 2 * rows points */

/* The input of an output: a score has a single column. */
static size_t column_of(const gr_calibration_task *task, size_t output)
{
    return task->inputs == 1 ? 0 : output;
}

static size_t outputs_of(const gr_calibration_task *task)
{
    return task->inputs == 1 ? task->levels - 1 : task->levels;
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
                                     double *thresholds, gradus_error *err)
{
    const double steps[] = { 0.5 };
    double x[] = { 0.0 };

    (void)thresholds;
    made->outputs = outputs_of(task);
    GR_TRY(gr_calibration_numbers(made, GR_TEMPERATURE_COUNT, err));
    gr_minimise(temperature_loss, task, x, steps, 1, 300, 1e-9);
    *gr_temperature_of(made) = gr_exp(-fmin(fmax(x[0], -50.0), 50.0));
    return GRADUS_OK;
}

static gradus_status fit_each(const gr_calibration_task *task, gr_calibration *made,
                              double *thresholds, gradus_error *err)
{
    const each *method = gr_calibrators[made->method]->variant;
    double *room;
    size_t cells;
    gradus_status status;

    (void)thresholds;
    made->outputs = outputs_of(task);
    if (!gr_size_times(task->rows, ROOM, &cells) || !(room = gr_new_array(cells, sizeof *room)))
        return gr_fail_memory(err, "a calibration");
    status = method->fit(task, made, room, err);
    free(room);
    return status;
}

/* x: scores, or probabilities of which the logit is taken. */
static void apply_platt(const gr_calibration *c, size_t output, const double *x, size_t rows,
                        double *out)
{
    const gr_platt_parameters *platt = gr_platt_of(c) + output;

    for (size_t r = 0; r < rows; r++) {
        const double p = within(x[r]);

        out[r] = gr_logistic(platt->slope * (c->inputs == 1 ? x[r] : gr_log(p / (1.0 - p))) +
                             platt->intercept);
    }
}

static void apply_beta(const gr_calibration *c, size_t output, const double *x, size_t rows,
                       double *out)
{
    const gr_beta_parameters *beta = gr_beta_of(c) + output;

    for (size_t r = 0; r < rows; r++) {
        const double p = within(x[r]);

        out[r] = gr_logistic(beta->a * gr_log(p) - beta->b * gr_log(1.0 - p) + beta->c);
    }
}

static gr_isotonic_curve curve_of(const gr_calibration *c, size_t output)
{
    gr_isotonic_curve curve = gr_isotonic_curve_at(c->numbers);

    for (size_t o = 0; o < output; o++)
        curve = gr_isotonic_curve_at(curve.next);
    return curve;
}

/* Linear between points, constant beyond the first and the last. */
static double interpolate(const gr_isotonic_curve *curve, double at)
{
    const double *x = curve->x, *y = curve->y;
    const size_t last = curve->points - 1;

    if (!(at > x[0]))
        return y[0];
    if (at >= x[last])
        return y[last];
    const size_t high = GR_BISECT(1, last, i, x[i] <= at), low = high - 1;

    return y[low] + (y[high] - y[low]) * ((at - x[low]) / (x[high] - x[low]));
}

static void apply_isotonic(const gr_calibration *c, size_t output, const double *x, size_t rows,
                           double *out)
{
    const gr_isotonic_curve curve = curve_of(c, output);

    for (size_t r = 0; r < rows; r++)
        out[r] = interpolate(&curve, x[r]);
}

static void apply_each(const gr_calibration *c, const double *in, size_t rows, double *out)
{
    const each *method = gr_calibrators[c->method]->variant;

    for (size_t o = 0; o < c->outputs; o++)
        method->apply(c, o, in + (c->inputs == 1 ? 0 : o) * rows, rows, out + o * rows);
}

static void apply_temperature(const gr_calibration *c, const double *in, size_t rows, double *out)
{
    for (size_t i = 0; i < rows * c->inputs; i++)
        out[i] = gr_log(within(in[i])) / *gr_temperature_of(c);
    gr_calibration_softmax(out, rows, c->inputs);
}

static bool is_square(const gr_calibration *c)
{
    return c->inputs == c->outputs && c->inputs > 1;
}

static bool check_platt(const gr_calibration *c)
{
    return (is_square(c) || c->inputs == 1) && c->count == GR_PLATT_COUNT * c->outputs;
}

static bool check_beta(const gr_calibration *c)
{
    return is_square(c) && c->count == GR_BETA_COUNT * c->outputs;
}

static bool check_temperature(const gr_calibration *c)
{
    return is_square(c) && c->count == GR_TEMPERATURE_COUNT && *gr_temperature_of(c) > 0.0;
}

static bool check_isotonic(const gr_calibration *c)
{
    size_t at = 0, points;

    if (!is_square(c) && c->inputs != 1)
        return false;
    for (size_t o = 0; o < c->outputs; o++) {
        if (at >= c->count || !gr_stored_count(c->numbers[at], (c->count - at) / 2, &points) ||
            at + gr_isotonic_count(points) > c->count)
            return false;
        const gr_isotonic_curve curve = gr_isotonic_curve_at(c->numbers + at);

        for (size_t i = 1; i < points; i++)
            if (!(curve.x[i - 1] < curve.x[i]))
                return false;
        at += gr_isotonic_count(points);
    }
    return at == c->count;
}

/* platt and beta: a, b and perhaps c of each output, the fields of the structs in order. */
static bool lettered_parameter(const gr_calibration *c, size_t index, const char **name,
                               size_t *output, double *value)
{
    static const char *const letters[] = { "a", "b", "c" };
    const size_t per_output = c->count / c->outputs;

    if (index >= c->count)
        return false;
    *name = letters[index % per_output];
    *output = index / per_output + 1;
    *value = c->numbers[index];
    return true;
}

static bool isotonic_parameter(const gr_calibration *c, size_t index, const char **name,
                               size_t *output, double *value)
{
    if (index >= c->outputs)
        return false;
    *name = "points";
    *output = index + 1;
    *value = (double)curve_of(c, index).points;
    return true;
}

static bool temperature_parameter(const gr_calibration *c, size_t index, const char **name,
                                  size_t *output, double *value)
{
    (void)output;
    *name = "temperature";
    *value = *gr_temperature_of(c);
    return index == 0;
}

const gr_calibrator gr_calibrator_platt = {
    .about = { .name = "platt",
               .summary = "logistic of a x + b for each grade, x: the logit of its probability; of "
                          "a score, for each grade or higher (Platt, 2000)",
               .details = "" },
    .takes_probabilities = true,
    .gives = GR_CALIBRATED_PROBABILITIES,
    .variant = &(const each){ fit_platt, apply_platt },
    .fit = fit_each,
    .apply = apply_each,
    .check = check_platt,
    .parameter = lettered_parameter,
};

const gr_calibrator gr_calibrator_isotonic = {
    .about = { .name = "isotonic",
               .summary = "the best non-decreasing function, by pooling adjacent violators",
               .details = "" },
    .takes_probabilities = true,
    .gives = GR_CALIBRATED_PROBABILITIES,
    .variant = &(const each){ fit_isotonic, apply_isotonic },
    .fit = fit_each,
    .apply = apply_each,
    .check = check_isotonic,
    .parameter = isotonic_parameter,
};

const gr_calibrator gr_calibrator_beta = {
    .about = { .name = "beta",
               .summary = "logistic of a log p - b log(1 - p) + c, a and b not negative (Kull, "
                          "Silva Filho and Flach, 2017)",
               .details = "" },
    .takes_probabilities = true,
    .needs_grades = true,
    .gives = GR_CALIBRATED_PROBABILITIES,
    .variant = &(const each){ fit_beta, apply_beta },
    .fit = fit_each,
    .apply = apply_each,
    .check = check_beta,
    .parameter = lettered_parameter,
};

const gr_calibrator gr_calibrator_temperature = {
    .about = { .name = "temperature",
               .summary = "p_k^(1/T), normalised (Guo, Pleiss, Sun and Weinberger, 2017)",
               .details = "" },
    .takes_probabilities = true,
    .needs_grades = true,
    .gives = GR_CALIBRATED_PROBABILITIES,
    .fit = fit_temperature,
    .apply = apply_temperature,
    .check = check_temperature,
    .parameter = temperature_parameter,
};
