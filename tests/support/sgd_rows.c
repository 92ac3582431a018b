/* SPDX-License-Identifier: Apache-2.0 */
/* A few rows for tests of stochastic gradient descent, and training on them. */
#include "sgd_rows.h"

#include <stdlib.h>
#include <string.h>

float sgd_values[ROWS * FEATURES], sgd_labels[ROWS];
const uint64_t sgd_starts[QUERIES + 1] = { 0, 6, 17, 19, 30, ROWS };
static const double level_labels[] = { 0, 1, 2 };
static uint8_t level_of[ROWS];
char sgd_note[400];

static void keep_note(void *user, const char *note)
{
    (void)user;
    snprintf(sgd_note, sizeof sgd_note, "%s", note);
}

static double uniform(uint64_t stream, uint64_t place)
{
    return (double)(gr_sgd_random(stream, place) >> 11) * 0x1p-53;
}

static void make_rows(void)
{
    for (size_t r = 0; r < ROWS; r++) {
        double score = 2.0 * uniform(9, r) - 0.5;

        for (size_t f = 0; f < FEATURES; f++) {
            sgd_values[r * FEATURES + f] = (float)(2.0 * uniform(f, r) - 1.0);
            score += ((double)f - 1.2) * (double)sgd_values[r * FEATURES + f];
        }
        sgd_labels[r] = score < 0.0 ? 0.0f : score < 1.3 ? 1.0f : 2.0f;
        level_of[r] = (uint8_t)sgd_labels[r];
    }
}

gradus_dataset sgd_dense_rows(void)
{
    make_rows();
    return (gradus_dataset){ .arrays = { .rows = ROWS,
                                         .features = FEATURES,
                                         .values = sgd_values,
                                         .stride = FEATURES,
                                         .labels = sgd_labels,
                                         .queries = QUERIES,
                                         .query_starts = sgd_starts } };
}

gr_problem sgd_problem_of(const gradus_dataset *data)
{
    return (gr_problem){ .rows = data->arrays.rows,
                         .queries = data->arrays.queries,
                         .query_starts = data->arrays.query_starts,
                         .labels = data->arrays.labels,
                         .levels = 3,
                         .level_labels = level_labels,
                         .level_of = level_of,
                         .outputs = 1,
                         .row_weights = data->arrays.row_weights };
}

gr_sgd_options sgd_options_of(const char *alpha, const char *lambda, uint64_t steps)
{
    return (gr_sgd_options){ .alpha = alpha,
                             .lambda = lambda,
                             .steps = steps,
                             .step_size = 0.1,
                             .precision = GR_SGD_DOUBLE,
                             .shards = 1 };
}

gr_sgd *sgd_trained(const gradus_dataset *data, const gr_problem *problem,
                    const gr_sgd_options *options, gr_sgd_loss loss, size_t threads)
{
    gradus_error err = { GRADUS_OK, "" };
    gr_pool *pool = gr_pool_new(threads, NULL);
    const gradus_context context = { .pool = pool, .note = keep_note };
    const gr_sgd_task task = { .context = &context,
                               .data = data,
                               .problem = problem,
                               .options = options,
                               .loss = loss,
                               .seed = 7,
                               .rounds = 10 };
    gr_sgd *sgd = gr_sgd_new(&task, &err);

    for (size_t i = 0; sgd && i < 10; i++)
        if (gr_sgd_round(sgd, &err) != GRADUS_OK) {
            gr_sgd_free(sgd);
            sgd = NULL;
        }
    if (!sgd)
        print_error("%s\n", err.message);
    assert_non_null(sgd);
    gr_pool_free(pool);
    return sgd;
}

void sgd_weights_of(const gr_sgd *sgd, size_t model, size_t output, double *w)
{
    gr_linear linear;

    assert_int_equal(gr_sgd_linear(sgd, model, &linear, NULL), GRADUS_OK);
    memcpy(w, linear.coefficients + output * linear.features, linear.features * sizeof *w);
    w[linear.features] = linear.bases[output];
    gr_linear_free(&linear);
}

void sgd_train(const gradus_dataset *data, const gr_sgd_options *options, gr_sgd_loss loss,
               double *w)
{
    const gr_problem problem = sgd_problem_of(data);
    gr_sgd *sgd = sgd_trained(data, &problem, options, loss, 1);

    sgd_weights_of(sgd, 0, 0, w);
    gr_sgd_free(sgd);
}

double sgd_feature(size_t a, size_t b, size_t f)
{
    const double x = f < FEATURES ? (double)sgd_values[a * FEATURES + f] : 1.0;

    return b == SIZE_MAX ? x : x - (f < FEATURES ? (double)sgd_values[b * FEATURES + f] : 1.0);
}

void sgd_each_term(double alpha, sgd_term *take, void *to)
{
    double pairs = 0.0;

    for (int pass = 0; pass < 2; pass++)
        for (size_t q = 0; q < QUERIES; q++)
            for (size_t a = sgd_starts[q]; a < sgd_starts[q + 1]; a++)
                for (size_t b = sgd_starts[q]; b < a; b++)
                    if (sgd_labels[a] != sgd_labels[b]) {
                        if (pass == 0)
                            pairs += 1.0;
                        else
                            take(to, a, b, (1.0 - alpha) / pairs);
                    }
    for (size_t r = 0; r < ROWS; r++)
        take(to, r, SIZE_MAX, alpha / ROWS);
}

void sgd_add_products(void *to, size_t a, size_t b, double share)
{
    sgd_equations *s = to;
    const double target = (double)sgd_labels[a] - (b == SIZE_MAX ? 0.0 : (double)sgd_labels[b]);

    for (size_t i = 0; i < WEIGHTS; i++) {
        for (size_t j = 0; j < WEIGHTS; j++)
            s->products[i][j] += share * sgd_feature(a, b, i) * sgd_feature(a, b, j);
        s->with_target[i] += share * target * sgd_feature(a, b, i);
    }
}

void sgd_solve_squared(double alpha, double lambda, double *w)
{
    sgd_equations s = { .products = { { 0 } } };

    sgd_each_term(alpha, sgd_add_products, &s);
    for (size_t i = 0; i < WEIGHTS; i++)
        s.products[i][i] += lambda;
    for (size_t i = 0; i < WEIGHTS; i++)
        for (size_t r = 0; r < WEIGHTS; r++) {
            const double factor = s.products[r][i] / s.products[i][i];

            for (size_t j = 0; r != i && j < WEIGHTS; j++)
                s.products[r][j] -= factor * s.products[i][j];
            s.with_target[r] -= r == i ? 0.0 : factor * s.with_target[i];
        }
    for (size_t i = 0; i < WEIGHTS; i++)
        w[i] = s.with_target[i] / s.products[i][i];
}

double sgd_distance(const double *a, const double *b)
{
    double sum = 0.0;

    for (size_t f = 0; f < WEIGHTS; f++)
        sum += (a[f] - b[f]) * (a[f] - b[f]);
    return sqrt(sum);
}
