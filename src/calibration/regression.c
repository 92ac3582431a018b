/* SPDX-License-Identifier: Apache-2.0 */
/* Calibrations that predict the gain from the outputs: polynomials by least squares, a small net, a
 * Gaussian process; and proportional odds. All work on standardised inputs, z = (x - mean) /
 * deviation. */
#include "calibration/descend.h"

#include "calibration/parameters.h"

#include "base/cholesky.h"
#include "base/math.h"
#include "base/rng.h"
#include "objectives/problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_TERMS = 1000, NET_STARTS = 3, NET_STEPS = 300, ORDINAL_STEPS = 300 };

/* Input of every fit. */
typedef struct fitting {
    const gr_calibration_task *task;
    const double *z;     /* rows x inputs */
    const double *gains; /* one per row */
    size_t hidden;
    double weight;      /* sum over the rows */
    double *thresholds; /* ordinal fills them */
} fitting;

/* A method of this file. */
typedef struct regression {
    gradus_status (*fit)(const fitting *f, gr_calibration *made, gradus_error *err);
    double (*predict)(const gr_calibration *c, const double *z);
    /* How many own parameters a size requires, 0: an impossible size; and what that size is
     * (gr_regression_size). */
    size_t (*count)(size_t inputs, size_t size);
    const char *size;
} regression;

enum { ROWS_BETWEEN_CHECKS = 16 };

/* Whether to leave a loop over rows: the fit was cancelled and its result will be discarded. */
static bool stopping(const fitting *f, size_t r)
{
    return r % ROWS_BETWEEN_CHECKS == 0 && gr_pool_cancelled(f->task->asked);
}

static double weight_of(const gr_calibration_task *task, size_t r)
{
    return task->weights ? task->weights[r] : 1.0;
}

size_t gr_polynomial_terms(size_t inputs, size_t degree)
{
    double terms = 1.0;

    for (size_t d = 1; d <= degree; d++)
        terms = terms * (double)(inputs + d) / (double)d;
    return terms > MAX_TERMS ? 0 : (size_t)(terms + 0.5);
}

/* Every term of degree d is a term of degree d - 1 times an input whose index is not below that of
 * the last factor, so each product appears once. */
void gr_polynomial_row(const double *z, size_t inputs, size_t degree, double *terms)
{
    size_t starts[GR_MAX_LEVELS], count = 1, first = 0;

    terms[0] = 1.0;
    for (size_t i = 0; i < inputs; i++)
        starts[i] = 0;
    for (size_t d = 1; d <= degree; d++) {
        const size_t end = count;

        for (size_t i = 0; i < inputs; i++) {
            const size_t from = d == 1 ? first : starts[i];
            const size_t begun = count;

            for (size_t t = from; t < end; t++)
                terms[count++] = terms[t] * z[i];
            starts[i] = begun;
        }
        first = end;
    }
}

/* Least squares, with a ridge so that collinear terms keep finite coefficients. */
static gradus_status fit_degree(const fitting *f, gr_calibration *made, size_t degree,
                                gradus_error *err)
{
    const gr_calibration_task *task = f->task;
    const size_t n = gr_polynomial_terms(task->inputs, degree);
    double *sums, *row, *coefficients;
    bool solved;

    if (n == 0)
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "a polynomial of degree %zu in %zu outputs has more than %d terms", degree,
                       task->inputs, MAX_TERMS);
    GR_TRY(gr_calibration_numbers(made, gr_regression_count(task->inputs, gr_polynomial_count(n)),
                                  err));
    *gr_regression_size(made) = (double)degree;
    coefficients = gr_polynomial_of(made).coefficients;
    sums = gr_new_array(n * n + n, sizeof *sums);
    if (!sums)
        return gr_fail_memory(err, "a calibration");
    row = sums + n * n;
    for (size_t r = 0; r < task->rows && !stopping(f, r); r++) {
        gr_polynomial_row(f->z + r * task->inputs, task->inputs, degree, row);
        for (size_t i = 0; i < n; i++) {
            const double x = weight_of(task, r) * row[i];

            coefficients[i] += x * f->gains[r];
            for (size_t j = 0; j <= i; j++)
                sums[i * n + j] += x * row[j];
        }
    }
    for (size_t i = 0; i < n; i++)
        sums[i * n + i] += 1e-6 * sums[i * n + i] + 1e-9 * f->weight;
    solved = gr_cholesky_factor(sums, n, 0.0, task->asked);
    if (solved)
        gr_cholesky_solve(sums, n, coefficients);
    free(sums);
    return solved ? GRADUS_OK
                  : gr_fail(err, GRADUS_BAD_NUMBER, "the polynomial has no least-squares solution");
}

static gradus_status fit_linear(const fitting *f, gr_calibration *made, gradus_error *err)
{
    return fit_degree(f, made, 1, err);
}

static gradus_status fit_polynomial(const fitting *f, gr_calibration *made, gradus_error *err)
{
    return fit_degree(f, made, (size_t)f->task->options->degree, err);
}

static double predict_polynomial(const gr_calibration *c, const double *z)
{
    const gr_polynomial_parameters polynomial = gr_polynomial_of(c);
    double terms[MAX_TERMS];

    gr_polynomial_row(z, c->inputs, polynomial.degree, terms);
    return gr_inner_product(polynomial.coefficients, terms, polynomial.terms);
}

static size_t count_polynomial(size_t inputs, size_t degree)
{
    const size_t terms = degree > GR_POLYNOMIAL_MAX ? 0 : gr_polynomial_terms(inputs, degree);

    return terms ? gr_polynomial_count(terms) : 0;
}

/* x: the first threshold, then the logs of the distances between thresholds, so that thresholds
 * always ascend. */
static void thresholds_of(const double *x, size_t cuts, double *thresholds)
{
    for (size_t k = 0; k < cuts; k++)
        thresholds[k] = k ? thresholds[k - 1] + gr_exp(x[k]) : x[0];
}

/* Negative log likelihood. x: a coefficient per input, then the thresholds as thresholds_of takes
 * them. */
static double ordinal_loss(const void *argument, const double *x, double *gradient)
{
    const fitting *f = argument;
    const gr_calibration_task *task = f->task;
    const size_t inputs = task->inputs, cuts = task->levels - 1;
    const double *coefficients = x, *x_cuts = x + inputs;
    double *by_cut = gradient + inputs;
    double thresholds[GR_MAX_LEVELS], by_threshold[GR_MAX_LEVELS] = { 0.0 }, sum = 0.0;

    thresholds_of(x_cuts, cuts, thresholds);
    memset(gradient, 0, (inputs + cuts) * sizeof *gradient);
    for (size_t r = 0; r < task->rows; r++) {
        const double *z = f->z + r * inputs, weight = weight_of(task, r) / f->weight;
        const size_t level = task->level_of[r];
        double score = 0.0;

        for (size_t i = 0; i < inputs; i++)
            score += coefficients[i] * z[i];
        const double high = level < cuts ? gr_logistic(thresholds[level] - score) : 1.0;
        const double low = level > 0 ? gr_logistic(thresholds[level - 1] - score) : 0.0;
        const double p = fmax(high - low, 1e-300);

        sum -= weight * gr_log(p);
        if (level < cuts)
            by_threshold[level] -= weight * high * (1.0 - high) / p;
        if (level > 0)
            by_threshold[level - 1] += weight * low * (1.0 - low) / p;
        for (size_t i = 0; i < inputs; i++)
            gradient[i] += weight * (high * (1.0 - high) - low * (1.0 - low)) / p * z[i];
    }
    for (size_t k = cuts; k-- > 0;) {
        double later = 0.0;

        for (size_t j = k; j < cuts; j++)
            later += by_threshold[j];
        by_cut[k] = k ? later * gr_exp(x_cuts[k]) : later;
    }
    for (size_t i = 0; i < inputs + cuts; i++) { /* a grade without rows leaves some undetermined */
        sum += 1e-6 * x[i] * x[i];
        gradient[i] += 2e-6 * x[i];
    }
    return sum;
}

static gradus_status fit_ordinal(const fitting *f, gr_calibration *made, gradus_error *err)
{
    const size_t inputs = f->task->inputs, cuts = f->task->levels - 1;
    double *x = gr_new_array(inputs + cuts, sizeof *x), value;
    gradus_status status;

    if (!x)
        return gr_fail_memory(err, "a calibration");
    status =
        gr_descend(ordinal_loss, f, x, inputs + cuts, ORDINAL_STEPS, f->task->asked, &value, err);
    if (status == GRADUS_OK)
        status = gr_calibration_numbers(made, gr_regression_count(inputs, inputs), err);
    if (status == GRADUS_OK) {
        memcpy(gr_ordinal_of(made), x, inputs * sizeof *x);
        thresholds_of(x + inputs, cuts, f->thresholds);
    }
    free(x);
    return status;
}

static double predict_ordinal(const gr_calibration *c, const double *z)
{
    return gr_inner_product(gr_ordinal_of(c), z, c->inputs);
}

/* Squared error of the net with a small weight decay. x: the weights, as in gr_network_layout. */
static double net_loss(const void *argument, const double *x, double *gradient)
{
    const fitting *f = argument;
    const size_t inputs = f->task->inputs, hidden = f->hidden;
    const gr_network_layout layout = gr_network_layout_of(inputs, hidden);
    const size_t n = layout.count;
    const double *outer = x + layout.output;
    double sum = 0.0, units[GR_NETWORK_MAX];

    memset(gradient, 0, n * sizeof *gradient);
    for (size_t r = 0; r < f->task->rows; r++) {
        const double *z = f->z + r * inputs, weight = weight_of(f->task, r) / f->weight;
        double value = x[layout.bias];

        for (size_t h = 0; h < hidden; h++) {
            const double *unit = x + h * layout.unit;
            double in = unit[inputs];

            for (size_t i = 0; i < inputs; i++)
                in += unit[i] * z[i];
            units[h] = 2.0 * gr_logistic(2.0 * in) - 1.0;
            value += outer[h] * units[h];
        }
        const double error = value - f->gains[r];

        sum += weight * error * error;
        gradient[layout.bias] += 2.0 * weight * error;
        for (size_t h = 0; h < hidden; h++) {
            const double slope = 2.0 * weight * error * outer[h] * (1.0 - units[h] * units[h]);

            gradient[layout.output + h] += 2.0 * weight * error * units[h];
            for (size_t i = 0; i <= inputs; i++)
                gradient[h * layout.unit + i] += slope * (i < inputs ? z[i] : 1.0);
        }
    }
    for (size_t i = 0; i < layout.bias; i++) { /* all but the output bias */
        sum += 1e-3 * x[i] * x[i] / (double)n;
        gradient[i] += 2e-3 * x[i] / (double)n;
    }
    return sum;
}

static gradus_status fit_network(const fitting *f, gr_calibration *made, gradus_error *err)
{
    const size_t inputs = f->task->inputs, hidden = f->hidden;
    const size_t n = gr_network_layout_of(inputs, hidden).count;
    const size_t count = gr_regression_count(inputs, gr_network_count(inputs, hidden));
    double *x = gr_new_array(n, sizeof *x), least = INFINITY, value;
    gradus_status status =
        x ? gr_calibration_numbers(made, count, err) : gr_fail_memory(err, "a calibration");

    if (status == GRADUS_OK)
        *gr_regression_size(made) = (double)hidden;
    for (uint64_t start = 0; start < NET_STARTS && status == GRADUS_OK; start++) {
        gr_rng rng = gr_rng_for(f->task->options->seed, "calibration network", start);

        for (size_t i = 0; i < n; i++)
            x[i] = 0.5 * gr_rng_normal(&rng);
        status = gr_descend(net_loss, f, x, n, NET_STEPS, f->task->asked, &value, err);
        if (status == GRADUS_OK && value < least) {
            least = value;
            memcpy(gr_network_of(made).weights, x, n * sizeof *x);
        }
    }
    free(x);
    return status;
}

static double predict_network(const gr_calibration *c, const double *z)
{
    const gr_network_parameters net = gr_network_of(c);
    const gr_network_layout layout = gr_network_layout_of(c->inputs, net.units);
    double value = net.weights[layout.bias];

    for (size_t h = 0; h < net.units; h++) {
        const double *unit = net.weights + h * layout.unit, bias = unit[c->inputs];

        value += net.weights[layout.output + h] *
                 (2.0 * gr_logistic(2.0 * (gr_inner_product(unit, z, c->inputs) + bias)) - 1.0);
    }
    return value;
}

static size_t count_network(size_t inputs, size_t units)
{
    return units > GR_NETWORK_MAX ? 0 : gr_network_count(inputs, units);
}

static double nearness(const double *a, const double *b, size_t inputs, double rate)
{
    double squares = 0.0;

    for (size_t i = 0; i < inputs; i++)
        squares += (a[i] - b[i]) * (a[i] - b[i]);
    return gr_exp(-rate * squares);
}

/* Weights of the m inducing points, fitted to all rows or to all but every fifth, for a noise
 * variance of `noise` times the process variance: (noise K_mm + K_mn K_nm) weights = K_mn (gain -
 * mean). Exact if every row is a point. room: m * m + m doubles. */
static bool fit_points(const fitting *f, const double *points, size_t m, double rate, double noise,
                       double mean, bool all, double *room, double *weights)
{
    const size_t inputs = f->task->inputs;
    double *near = room + m * m;

    memset(room, 0, m * m * sizeof *room);
    memset(weights, 0, m * sizeof *weights);
    for (size_t i = 0; i < m && !stopping(f, 0); i++)
        for (size_t j = 0; j <= i; j++)
            room[i * m + j] =
                noise * nearness(points + i * inputs, points + j * inputs, inputs, rate) +
                (i == j ? 1e-8 * (double)f->task->rows : 0.0);
    for (size_t r = 0; r < f->task->rows && !stopping(f, r); r++) {
        if (!all && r % 5 == 4)
            continue;
        for (size_t i = 0; i < m; i++)
            near[i] = nearness(f->z + r * inputs, points + i * inputs, inputs, rate);
        for (size_t i = 0; i < m; i++) {
            const double x = weight_of(f->task, r) * near[i];

            weights[i] += x * (f->gains[r] - mean);
            for (size_t j = 0; j <= i; j++)
                room[i * m + j] += x * near[j];
        }
    }
    if (!gr_cholesky_factor(room, m, 0.0, f->task->asked))
        return false;
    gr_cholesky_solve(room, m, weights);
    return true;
}

static double held_out_error(const fitting *f, const double *points, size_t m, double rate,
                             double mean, const double *weights)
{
    const size_t inputs = f->task->inputs;
    double sum = 0.0;

    for (size_t r = 4; r < f->task->rows && !stopping(f, r - 4); r += 5) {
        double value = mean;

        for (size_t i = 0; i < m; i++)
            value += weights[i] * nearness(f->z + r * inputs, points + i * inputs, inputs, rate);
        sum += weight_of(f->task, r) * (value - f->gains[r]) * (value - f->gains[r]);
    }
    return sum;
}

/* Chooses length scale and noise by the error on every fifth row, which is held out. */
static bool choose_process(const fitting *f, const double *points, size_t m, double mean,
                           double *room, double *weights, double *rate, double *noise)
{
    double least = INFINITY;

    for (int length = 0; length < 4; length++)
        for (int n = 0; n < 3; n++) {
            const double this_rate = 0.5 * pow(4.0, -length), this_noise = pow(10.0, n - 1);

            if (!fit_points(f, points, m, this_rate, this_noise, mean, false, room, weights))
                continue;
            const double error = held_out_error(f, points, m, this_rate, mean, weights);

            if (error < least) {
                least = error;
                *rate = this_rate;
                *noise = this_noise;
            }
        }
    return isfinite(least);
}

static gradus_status fit_process(const fitting *f, gr_calibration *made, gradus_error *err)
{
    const size_t inputs = f->task->inputs, rows = f->task->rows;
    const size_t m = rows < f->task->options->points ? rows : (size_t)f->task->options->points;
    const size_t count = gr_regression_count(inputs, gr_process_count(inputs, m));
    double *room = gr_new_array(m * m + m, sizeof *room), mean = 0.0, rate = 0.5, noise = 1.0;
    double *points, *weights;
    bool done;

    if (!room || gr_calibration_numbers(made, count, err) != GRADUS_OK) {
        free(room);
        return gr_fail_memory(err, "a calibration");
    }
    *gr_regression_size(made) = (double)m;
    const gr_process_parameters process = gr_process_of(made);

    points = process.points;
    weights = process.weights;
    for (size_t r = 0; r < rows; r++)
        mean += weight_of(f->task, r) * f->gains[r] / f->weight;
    for (size_t i = 0; i < m; i++) /* evenly spaced rows */
        memcpy(points + i * inputs, f->z + (size_t)((double)i * (double)rows / (double)m) * inputs,
               inputs * sizeof *points);
    done = choose_process(f, points, m, mean, room, weights, &rate, &noise) &&
           fit_points(f, points, m, rate, noise, mean, true, room, weights);
    process.head->rate = rate;
    process.head->mean = mean;
    free(room);
    return done ? GRADUS_OK
                : gr_fail(err, GRADUS_BAD_NUMBER, "the Gaussian process cannot be solved");
}

static double predict_process(const gr_calibration *c, const double *z)
{
    const gr_process_parameters process = gr_process_of(c);
    double value = process.head->mean;

    for (size_t p = 0; p < process.count; p++)
        value += process.weights[p] *
                 nearness(z, process.points + p * c->inputs, c->inputs, process.head->rate);
    return value;
}

/* Standardises all rows to z (rows x inputs). Constant inputs get deviation 1. */
static void standardise(const gr_calibration_task *task, double *z, double *means,
                        double *deviations)
{
    for (size_t i = 0; i < task->inputs; i++) {
        double mean = 0.0, squares = 0.0;

        for (size_t r = 0; r < task->rows; r++)
            mean += task->x[i * task->rows + r] / (double)task->rows;
        for (size_t r = 0; r < task->rows; r++) {
            const double apart = task->x[i * task->rows + r] - mean;

            squares += apart * apart;
        }
        means[i] = mean;
        deviations[i] = sqrt(squares / (double)task->rows);
        if (!(deviations[i] > 1e-12 * (1.0 + fabs(mean))))
            deviations[i] = 1.0;
        for (size_t r = 0; r < task->rows; r++)
            z[r * task->inputs + i] = (task->x[i * task->rows + r] - mean) / deviations[i];
    }
}

static gradus_status fit(const gr_calibration_task *task, gr_calibration *made, double *thresholds,
                         gradus_error *err)
{
    const regression *method = gr_calibrators[made->method]->variant;
    const size_t inputs = task->inputs;
    double *z = gr_new_array((task->rows + 2) * inputs + task->rows, sizeof *z);
    gradus_status status;

    if (!z)
        return gr_fail_memory(err, "a calibration");
    double *means = z + task->rows * inputs, *deviations = means + inputs;
    double *gains = deviations + inputs;
    fitting f = { task, z, gains, (size_t)task->options->hidden, 0.0, thresholds };

    standardise(task, z, means, deviations);
    for (size_t r = 0; r < task->rows; r++) {
        gains[r] = exp2(task->level_labels[task->level_of[r]]) - 1.0;
        f.weight += weight_of(task, r);
    }
    made->outputs = 1;
    status = method->fit(&f, made, err);
    if (status == GRADUS_OK) {
        memcpy(gr_regression_of(made).means, means, inputs * sizeof *means);
        memcpy(gr_regression_of(made).deviations, deviations, inputs * sizeof *deviations);
    }
    free(z);
    return status;
}

static void apply(const gr_calibration *c, const double *in, size_t rows, double *out)
{
    const regression *method = gr_calibrators[c->method]->variant;
    const gr_regression_parameters all = gr_regression_of(c);
    double z[GR_MAX_LEVELS];

    for (size_t r = 0; r < rows; r++) {
        for (size_t i = 0; i < c->inputs; i++)
            z[i] = (in[i * rows + r] - all.means[i]) / all.deviations[i];
        out[r] = method->predict(c, z);
    }
}

/* Whether there is one output, and each input has a deviation; there are parameters after them. */
static bool is_standardised(const gr_calibration *c)
{
    if (c->outputs != 1 || c->count <= gr_regression_count(c->inputs, 0))
        return false;
    for (size_t i = 0; i < c->inputs; i++)
        if (!(gr_regression_of(c).deviations[i] > 0.0))
            return false;
    return true;
}

/* Whether there are as many parameters as the size requires. */
static bool check(const gr_calibration *c)
{
    const regression *method = gr_calibrators[c->method]->variant;
    size_t size, own;

    if (!is_standardised(c) || !gr_stored_count(*gr_regression_size(c), c->count, &size))
        return false;
    own = method->count(c->inputs, size);
    return own > 0 && c->count == gr_regression_count(c->inputs, own);
}

static bool check_ordinal(const gr_calibration *c)
{
    return is_standardised(c) && c->count == gr_regression_count(c->inputs, c->inputs);
}

static bool parameter(const gr_calibration *c, size_t index, const char **name, size_t *output,
                      double *value)
{
    const regression *method = gr_calibrators[c->method]->variant;

    (void)output;
    *name = method->size;
    *value = *gr_regression_size(c);
    return index == 0;
}

static bool ordinal_parameter(const gr_calibration *c, size_t index, const char **name,
                              size_t *output, double *value)
{
    if (index >= c->inputs)
        return false;
    *name = "coefficient";
    *output = index + 1;
    *value = gr_ordinal_of(c)[index];
    return true;
}

#define REGRESSION(text, what, ...)                                                                \
    {                                                                                              \
        .about = { .name = text, .summary = what, .details = "" }, .gives = GR_CALIBRATED_SCORE,   \
        .group = "rbc", .variant = &(const regression){ __VA_ARGS__ }, .fit = fit, .apply = apply, \
        .check = check, .parameter = parameter,                                                    \
    }

const gr_calibrator gr_calibrator_linear =
    REGRESSION("linear", "the gain as a linear function of the outputs", fit_linear,
               predict_polynomial, count_polynomial, "degree");
const gr_calibrator gr_calibrator_polynomial =
    REGRESSION("polynomial", "the gain as a polynomial of the outputs", fit_polynomial,
               predict_polynomial, count_polynomial, "degree");
const gr_calibrator gr_calibrator_network =
    REGRESSION("network", "the gain predicted by a net with one hidden layer", fit_network,
               predict_network, count_network, "units");
const gr_calibrator gr_calibrator_gaussian_process =
    REGRESSION("gaussian-process", "the gain predicted by a Gaussian process", fit_process,
               predict_process, gr_process_count, "points");
const gr_calibrator gr_calibrator_ordinal = {
    .about = { .name = "ordinal",
               .summary = "proportional odds: a linear function of the outputs, and thresholds",
               .details = "" },
    .gives = GR_CALIBRATED_ODDS,
    .group = "rbc",
    .variant = &(const regression){ .fit = fit_ordinal, .predict = predict_ordinal },
    .fit = fit,
    .apply = apply,
    .check = check_ordinal,
    .parameter = ordinal_parameter,
};
