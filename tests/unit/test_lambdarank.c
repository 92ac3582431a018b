/* SPDX-License-Identifier: Apache-2.0 */
/* Lambdas against the naive computation: every pair, with the metric recomputed after the swap. */
#include "checks.h"

#include "base/rng.h"
#include "kernels/lambda.h"
#include "objectives/objective.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { NDCG, ERR, MAP };
enum { QUERIES = 24, MAX = 70, ROWS = QUERIES * MAX, HIGHEST = 4 };

typedef struct sample {
    gr_problem problem;
    uint64_t starts[QUERIES + 1];
    float labels[ROWS], row_weights[ROWS];
    double scores[ROWS];
    float gradients[ROWS], hessians[ROWS];
    double wanted_gradients[ROWS], wanted_hessians[ROWS];
} sample;

/* Queries of 1 to 70 documents; scores on a coarse grid, so that many are tied. */
static void draw(sample *data, uint64_t seed, double grid)
{
    gr_rng rng = gr_rng_for(seed, "lambdas", 0);

    memset(data, 0, sizeof *data);
    for (size_t q = 0; q < QUERIES; q++) {
        const uint64_t count = q < 3 ? q + 1 : 2 + gr_rng_below(&rng, MAX - 1);

        data->starts[q + 1] = data->starts[q] + count;
    }
    const size_t rows = data->starts[QUERIES];
    for (size_t r = 0; r < rows; r++) {
        const double u = gr_rng_uniform(&rng);

        data->labels[r] = u < 0.4    ? 0.0f
                          : u < 0.7  ? 1.0f
                          : u < 0.85 ? 2.0f
                          : u < 0.95 ? 3.0f
                                     : 4.0f;
        data->scores[r] = grid * floor(gr_rng_normal(&rng) / grid);
        data->row_weights[r] = 1.0f;
    }
    data->problem = (gr_problem){ .rows = rows,
                                  .queries = QUERIES,
                                  .query_starts = data->starts,
                                  .labels = data->labels,
                                  .outputs = 1 };
}

static const double *gain_table; /* of the grades; NULL: exponential gains */
static bool linear_gains;

static double gain_of(double grade)
{
    if (linear_gains)
        return grade;
    return gain_table ? gain_table[(size_t)grade] : exp2(grade) - 1.0;
}

/* The metric of grades in rank order. depth 0: all positions. */
static double metric_of(int metric, const double *grades, size_t count, size_t depth)
{
    const size_t last = depth > 0 && depth < count ? depth : count;
    double sum = 0.0, reading = 1.0, relevant = 0.0;

    for (size_t i = 0; i < last; i++) {
        const double gain = gain_of(grades[i]);

        if (metric == NDCG)
            sum += gain / log2((double)i + 2.0);
        if (metric == ERR) {
            sum += reading * gain / exp2(HIGHEST) / ((double)i + 1.0);
            reading *= 1.0 - gain / exp2(HIGHEST);
        }
        if (metric == MAP && grades[i] >= 1.0) {
            relevant += 1.0;
            sum += relevant / ((double)i + 1.0);
        }
    }
    return sum;
}

static int descending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return x > y ? -1 : x < y;
}

/* The normaliser of the metric; 0 if the query has no relevant document. */
static double divisor_of(int metric, const double *grades, size_t count, size_t depth)
{
    double best[MAX];
    size_t relevant = 0;

    if (metric == ERR)
        return 1.0;
    for (size_t i = 0; i < count; i++)
        relevant += grades[i] >= 1.0;
    if (metric == MAP)
        return (double)relevant;
    memcpy(best, grades, count * sizeof *best);
    qsort(best, count, sizeof *best, descending);
    return metric_of(NDCG, best, count, depth);
}

static double change_of_swap(int metric, double *grades, size_t count, size_t depth, size_t i,
                             size_t j)
{
    const double before = metric_of(metric, grades, count, depth), kept = grades[i];

    grades[i] = grades[j];
    grades[j] = kept;
    const double after = metric_of(metric, grades, count, depth);
    grades[j] = grades[i];
    grades[i] = kept;
    return fabs(after - before);
}

/* order[i]: the document at position i, by selection sort. */
static void plain_order(const double *scores, size_t count, size_t *order)
{
    bool taken[MAX] = { false };

    for (size_t i = 0; i < count; i++) {
        size_t best = count;

        for (size_t r = 0; r < count; r++)
            if (!taken[r] && (best == count || scores[r] > scores[best]))
                best = r;
        taken[best] = true;
        order[i] = best;
    }
}

static void plain_query(sample *data, const gr_objective_options *options, size_t q)
{
    const size_t start = data->starts[q], count = data->starts[q + 1] - start;
    const double *scores = data->scores + start, sigma = options->sigma;
    const size_t upper = options->truncation ? options->truncation : count;
    double grades[MAX], size = 0.0, *lambdas = data->wanted_gradients + start;
    double *curvatures = data->wanted_hessians + start;
    size_t order[MAX];

    plain_order(scores, count, order);
    for (size_t i = 0; i < count; i++)
        grades[i] = (double)data->labels[start + order[i]];
    const double divisor = divisor_of(options->lambda_metric, grades, count, options->lambda_depth);
    for (size_t i = 0; i < count && i < upper && divisor > 0.0; i++)
        for (size_t j = i + 1; j < count; j++) {
            const size_t better = grades[i] > grades[j] ? order[i] : order[j];
            const size_t worse = better == order[i] ? order[j] : order[i];
            double delta =
                change_of_swap(options->lambda_metric, grades, count, options->lambda_depth, i, j) /
                divisor;

            if (grades[i] == grades[j])
                continue;
            if (options->normalise && scores[order[0]] != scores[order[count - 1]])
                delta /= 0.01 + fabs(scores[order[i]] - scores[order[j]]);
            const double rho = 1.0 / (1.0 + exp(sigma * (scores[better] - scores[worse])));

            lambdas[better] -= sigma * delta * rho;
            lambdas[worse] += sigma * delta * rho;
            curvatures[better] += sigma * sigma * delta * rho * (1.0 - rho);
            curvatures[worse] += sigma * sigma * delta * rho * (1.0 - rho);
            size += 2.0 * sigma * delta * rho;
        }
    const double scale = options->normalise && size > 0.0 ? log2(1.0 + size) / size : 1.0;
    for (size_t r = 0; r < count; r++) {
        lambdas[r] *= scale * (double)data->row_weights[start + r];
        curvatures[r] *= scale * (double)data->row_weights[start + r];
    }
}

static void *begin(const gr_problem *problem, const gr_objective_options *options, gr_pool *pool)
{
    gradus_error err;
    void *state = NULL;

    if (gr_objective_lambdarank.begin(problem, options, pool, &state, &err) != GRADUS_OK)
        fail_msg("%s", err.message);
    return state;
}

static void compute(sample *data, const gr_objective_options *options, gr_pool *pool)
{
    void *state = begin(&data->problem, options, pool);
    gradus_error err;

    assert_int_equal(gr_objective_lambdarank.gradients(state, &data->problem, data->scores,
                                                       data->gradients, data->hessians, pool, &err),
                     GRADUS_OK);
    gr_objective_lambdarank.end(state);
}

static void check_rows(const sample *data)
{
    for (size_t r = 0; r < data->problem.rows; r++) {
        const double g = data->wanted_gradients[r], h = data->wanted_hessians[r];

        /* pairs are computed in 32 bits, and differences of discounts lose a few of them */
        CHECK_NEAR((double)data->gradients[r], g, 2e-5 * (0.1 + fabs(g)));
        CHECK_NEAR((double)data->hessians[r], h, 2e-5 * (0.1 + fabs(h)));
        assert_true(data->hessians[r] >= 0.0f);
    }
}

static void check_options(const gr_objective_options *options, uint64_t seed, bool weights)
{
    static sample data;

    draw(&data, seed, seed % 2 ? 0.5 : 1e-9);
    if (weights) {
        for (size_t r = 0; r < data.problem.rows; r++)
            data.row_weights[r] = 0.25f + (float)(r % 7);
        data.problem.row_weights = data.row_weights;
    }
    for (size_t r = 0; linear_gains && r < data.problem.rows; r++)
        data.labels[r] = 0.75f * data.labels[r];
    for (size_t q = 0; q < QUERIES; q++)
        plain_query(&data, options, q);
    compute(&data, options, NULL);
    check_rows(&data);
}

/* User-defined gains, and linear gains of labels that are not grades. */
static void test_lambdas_by_other_gains(void **state)
{
    static const double tables[][HIGHEST + 1] = { { 0.0, 1.0, 2.0, 10.0, 11.0 },
                                                  { 0.0, 0.0, 3.0, 3.0, 9.5 },
                                                  { 1.0, 2.0, 2.5, 3.0, 3.25 } };
    uint64_t seed = 1000;

    (void)state;
    for (size_t i = 0; i <= sizeof tables / sizeof tables[0]; i++) {
        linear_gains = i == sizeof tables / sizeof tables[0];
        gain_table = linear_gains ? NULL : tables[i];
        for (uint64_t depth = 0; depth <= 10; depth += 5)
            for (int normalise = 0; normalise < 2; normalise++, seed++) {
                const gr_objective_options options = {
                    .lambda_metric = NDCG,
                    .lambda_depth = depth,
                    .truncation = seed % 2 ? 0 : 7,
                    .sigma = 1.0,
                    .normalise = normalise,
                    .gains = { linear_gains ? GR_GAIN_LINEAR : GR_GAIN_TABLE, gain_table,
                               HIGHEST + 1 },
                };

                check_options(&options, seed, seed % 3 == 0);
            }
    }
    gain_table = NULL;
    linear_gains = false;
}

/* Labels without a gain are rejected; the message states the allowed ones. */
static void test_labels_without_gains_are_refused(void **state)
{
    static const double table[] = { 0.0, 1.0, 3.0 };
    static const uint64_t starts[] = { 0, 3 };
    static const struct {
        gr_gains gains;
        float label;
        const char *words;
    } cases[] = {
        { { GR_GAIN_TABLE, table, 3 }, 3.0f, "--label-gain takes whole numbers from 0 to 2" },
        { { GR_GAIN_TABLE, table, 3 }, 1.5f, "label 1.5 is not a grade" },
        { { GR_GAIN_EXP, NULL, 0 }, 1.5f, "lambdarank takes whole numbers from 0 to 1023" },
        { { GR_GAIN_LINEAR, NULL, 0 }, -1.0f, "label -1 is negative" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const float labels[] = { 0.0f, 1.0f, cases[i].label };
        const gr_problem problem = {
            .rows = 3, .queries = 1, .query_starts = starts, .labels = labels, .outputs = 1
        };
        const gr_objective_options options = { .sigma = 1.0, .gains = cases[i].gains };
        gradus_error err;
        void *made;

        assert_int_equal(gr_objective_lambdarank.begin(&problem, &options, NULL, &made, &err),
                         GRADUS_BAD_NUMBER);
        assert_non_null(strstr(err.message, cases[i].words));
    }
}

static void test_lambdas_are_those_of_plain_swaps(void **state)
{
    static const uint64_t depths[] = { 0, 1, 5, 10 }, truncations[] = { 0, 1, 7, 30 };
    uint64_t seed = 1;

    (void)state;
    for (int metric = NDCG; metric <= MAP; metric++)
        for (size_t d = 0; d < 4; d++)
            for (size_t t = 0; t < 4; t++)
                for (int normalise = 0; normalise < 2; normalise++, seed++) {
                    const gr_objective_options options = { .lambda_metric = metric,
                                                           .lambda_depth = depths[d],
                                                           .truncation = truncations[t],
                                                           .sigma = seed % 3 ? 1.0 : 2.5,
                                                           .normalise = normalise,
                                                           .max_grade = HIGHEST };

                    check_options(&options, seed, seed % 5 == 0);
                }
}

/* Two documents, grades 2 and 0, scores 0.3 and 0.8: the better one is second. The ideal DCG is 3,
 * the swap changes DCG by 3 (1 - 1 / log2(3)), rho = 1 / (1 + e^-0.5). */
static void test_a_pair_by_hand(void **state)
{
    const uint64_t starts[2] = { 0, 2 };
    const float labels[2] = { 2.0f, 0.0f };
    const double scores[2] = { 0.3, 0.8 };
    const gr_problem problem = {
        .rows = 2, .queries = 1, .query_starts = starts, .labels = labels, .outputs = 1
    };
    gr_objective_options options = { .truncation = 30, .sigma = 1.0, .max_grade = 4.0 };
    float gradients[2], hessians[2];
    gradus_error err;
    void *made = begin(&problem, &options, NULL);

    (void)state;
    gr_objective_lambdarank.gradients(made, &problem, scores, gradients, hessians, NULL, &err);
    CHECK_NEAR((double)gradients[0], -0.369070246428542 * 0.622459331201855, 1e-7);
    CHECK_NEAR((double)gradients[1], 0.369070246428542 * 0.622459331201855, 1e-7);
    CHECK_NEAR((double)hessians[0], 0.369070246428542 * 0.622459331201855 * 0.377540668798145,
               1e-7);
    gr_objective_lambdarank.end(made);

    /* divided by .51, and then by half of log2(1 + L) / L */
    options.normalise = 1;
    made = begin(&problem, &options, NULL);
    gr_objective_lambdarank.gradients(made, &problem, scores, gradients, hessians, NULL, &err);
    const double lambda = 0.369070246428542 * 0.622459331201855 / 0.51;

    CHECK_NEAR((double)gradients[1], log2(1.0 + 2.0 * lambda) / 2.0, 1e-7);
    gr_objective_lambdarank.end(made);
}

/* The order cached from the previous round must not affect results. */
static void test_rounds_before_do_not_matter(void **state)
{
    static sample data, fresh;
    const gr_objective_options options = { .sigma = 1.0, .truncation = 5, .normalise = 1 };
    gradus_error err;

    (void)state;
    draw(&data, 8, 0.5);
    void *made = begin(&data.problem, &options, NULL);
    for (uint64_t round = 0; round < 6; round++) {
        draw(&fresh, 8, 0.5);
        gr_rng rng = gr_rng_for(round, "scores", 0);

        for (size_t r = 0; r < fresh.problem.rows; r++)
            fresh.scores[r] = data.scores[r] += round % 2 ? 5.0 * floor(gr_rng_normal(&rng))
                                                          : 0.1 * floor(2.0 * gr_rng_normal(&rng));
        compute(&fresh, &options, NULL);
        gr_objective_lambdarank.gradients(made, &data.problem, data.scores, data.gradients,
                                          data.hessians, NULL, &err);
        assert_memory_equal(fresh.gradients, data.gradients, sizeof data.gradients);
        assert_memory_equal(fresh.hessians, data.hessians, sizeof data.hessians);
    }
    gr_objective_lambdarank.end(made);
}

static void check_all_zero(const sample *data)
{
    for (size_t r = 0; r < data->problem.rows; r++) {
        assert_true(data->gradients[r] == 0.0f);
        assert_true(data->hessians[r] == 0.0f);
    }
}

static void test_queries_without_an_order_give_zeros(void **state)
{
    static sample data;

    (void)state;
    for (int metric = NDCG; metric <= MAP; metric++)
        for (int grade = 0; grade <= HIGHEST; grade += 2) {
            const gr_objective_options options = {
                .lambda_metric = metric, .sigma = 1.0, .normalise = 1, .max_grade = 4.0
            };

            draw(&data, 9, 0.5);
            for (size_t r = 0; r < data.problem.rows; r++)
                data.labels[r] = (float)grade;
            memset(data.gradients, 1, sizeof data.gradients);
            memset(data.hessians, 1, sizeof data.hessians);
            compute(&data, &options, NULL);
            check_all_zero(&data);
            data.problem.queries = 1; /* the first query has one row */
            data.problem.rows = 1;
            compute(&data, &options, NULL);
            check_all_zero(&data);
        }
}

static void test_extreme_scores_stay_finite(void **state)
{
    static const double scores[] = { 700.0, -700.0, 1e300, -1e300, 1.7e308, -1.7e308, 5e-324, 0.0 };
    static sample data;

    (void)state;
    for (int metric = NDCG; metric <= MAP; metric++)
        for (int normalise = 0; normalise < 2; normalise++) {
            const gr_objective_options options = {
                .lambda_metric = metric, .sigma = 1000.0, .normalise = normalise, .max_grade = 4.0
            };

            draw(&data, 10, 0.5);
            for (size_t r = 0; r < data.problem.rows; r++)
                data.scores[r] = scores[r * 5 % 8];
            compute(&data, &options, NULL);
            for (size_t r = 0; r < data.problem.rows; r++) {
                assert_true(isfinite(data.gradients[r]));
                assert_true(isfinite(data.hessians[r]) && data.hessians[r] >= 0.0f);
            }
        }
}

/* Grades up to 1023, whose gains and sums would overflow. */
static void test_high_grades_are_scaled(void **state)
{
    static sample low, high;
    const gr_objective_options options = { .sigma = 1.0, .truncation = 30 };

    (void)state;
    draw(&low, 11, 1e-9);
    draw(&high, 11, 1e-9);
    for (size_t r = 0; r < low.problem.rows; r++) {
        low.labels[r] += 60.0f; /* where 2^y - 1 rounds to 2^y, gains differ only by a factor */
        high.labels[r] += 1019.0f;
    }
    compute(&low, &options, NULL);
    compute(&high, &options, NULL);
    for (size_t r = 0; r < low.problem.rows; r++)
        CHECK_NEAR((double)high.gradients[r], (double)low.gradients[r], 1e-7);
}

static gradus_status try_begin(const sample *data, const gr_objective_options *options,
                               const char *says)
{
    gradus_error err = { GRADUS_OK, "" };
    void *made = NULL;
    const gradus_status status =
        gr_objective_lambdarank.begin(&data->problem, options, NULL, &made, &err);

    assert_null(made);
    assert_non_null(strstr(err.message, says));
    return status;
}

static void test_labels_that_are_not_grades_are_refused(void **state)
{
    static const float bad[] = { -1.0f, 0.5f, 1024.0f, INFINITY, NAN };
    static sample data;
    gr_objective_options options = { .sigma = 1.0, .max_grade = 4.0 };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        draw(&data, 12, 0.5);
        data.labels[6] = bad[i];
        assert_int_equal(try_begin(&data, &options, "row 7"), GRADUS_BAD_NUMBER);
    }
    draw(&data, 12, 0.5);
    data.labels[0] = 5.0f; /* above the largest grade of ERR */
    options.lambda_metric = ERR;
    assert_int_equal(try_begin(&data, &options, "0 to 4"), GRADUS_BAD_NUMBER);
    data.problem.outputs = 2;
    assert_int_equal(try_begin(&data, &options, "one output"), GRADUS_BAD_ARGUMENT);
}

/* 100,000 documents in one query take a moment, not minutes, and little memory. */
static void test_a_query_of_many_documents(void **state)
{
    enum { COUNT = 100000 };
    const uint64_t starts[2] = { 0, COUNT };
    float *labels = calloc(COUNT, sizeof *labels), *made = calloc(2 * COUNT, sizeof *made);
    double *scores = calloc(COUNT, sizeof *scores), sum = 0.0;
    const gr_problem problem = {
        .rows = COUNT, .queries = 1, .query_starts = starts, .labels = labels, .outputs = 1
    };
    gr_rng rng = gr_rng_for(3, "many", 0);
    gradus_error err;

    (void)state;
    for (size_t r = 0; r < COUNT; r++) {
        labels[r] = (float)gr_rng_below(&rng, 5);
        scores[r] = gr_rng_normal(&rng);
    }
    for (int metric = NDCG; metric <= MAP; metric++) {
        const gr_objective_options options = { .lambda_metric = metric,
                                               .sigma = 1.0,
                                               .truncation = 30,
                                               .normalise = 1,
                                               .max_grade = 4.0 };
        const clock_t began = clock();
        void *begun = begin(&problem, &options, NULL);

        gr_objective_lambdarank.gradients(begun, &problem, scores, made, made + COUNT, NULL, &err);
        gr_objective_lambdarank.end(begun);
        assert_true((double)(clock() - began) / CLOCKS_PER_SEC < 5.0);
        for (size_t r = 0; r < COUNT; r++)
            sum += (double)made[r];
        CHECK_NEAR(sum, 0.0, 1e-3);
    }
    free(labels);
    free(scores);
    free(made);
}

/* The kernel leaves out multiplications by 1 and the limit of the exponent where it can. A document
 * far below, of the same value, adds nothing but prevents that. */
static void test_pairs_of_close_scores(void **state)
{
    enum { COUNT = 45, PITCH = 48, ARRAYS = 7 };
    float *room = aligned_alloc(64, ARRAYS * PITCH * sizeof *room), *at[ARRAYS];
    gr_rng rng = gr_rng_for(5, "close scores", 0);

    (void)state;
    assert_non_null(room);
    memset(room, 0, ARRAYS * PITCH * sizeof *room);
    for (size_t a = 0; a < ARRAYS; a++)
        at[a] = room + a * PITCH;
    for (size_t i = 0; i < COUNT; i++) {
        at[0][i] = 78.0f * (float)(COUNT - i) / (float)COUNT;
        at[1][i] = (float)gr_rng_below(&rng, 5) / 9.0f;
        at[2][i] = -1.0f / (float)(i + 2);
    }
    at[0][COUNT] = -300.0f;
    for (size_t i = 0; i + 1 < COUNT; i++) {
        gr_lambda_pairs pairs = { i + 1, COUNT, at[0][i], at[1][i], -at[2][i], at[0], at[1],
                                  at[2], 1.0f,  0.01f,    1.0f,     at[3],     at[4] };
        gr_lambda_sums close, far;

        gr_lambda_here()->row(&pairs, &close);
        at[1][COUNT] = pairs.value;
        pairs.end = COUNT + 1;
        pairs.gradients = at[5];
        pairs.hessians = at[6];
        gr_lambda_here()->row(&pairs, &far);
        assert_memory_equal(&close, &far, sizeof close);
    }
    assert_memory_equal(at[3], at[5], COUNT * sizeof(float));
    assert_memory_equal(at[4], at[6], COUNT * sizeof(float));
    free(room);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lambdas_are_those_of_plain_swaps),
        cmocka_unit_test(test_lambdas_by_other_gains),
        cmocka_unit_test(test_labels_without_gains_are_refused),
        cmocka_unit_test(test_a_pair_by_hand),
        cmocka_unit_test(test_rounds_before_do_not_matter),
        cmocka_unit_test(test_queries_without_an_order_give_zeros),
        cmocka_unit_test(test_extreme_scores_stay_finite),
        cmocka_unit_test(test_high_grades_are_scaled),
        cmocka_unit_test(test_labels_that_are_not_grades_are_refused),
        cmocka_unit_test(test_a_query_of_many_documents),
        cmocka_unit_test(test_pairs_of_close_scores),
    };

    return cmocka_run_group_tests_name("lambdarank", tests, NULL, NULL);
}
