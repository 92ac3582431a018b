/* SPDX-License-Identifier: Apache-2.0 */
/* Stochastic gradient descent: models of a grid, sgd_labels, shards and threads do not affect each
 * other, nor does the storage of rows; and rejected input. */
#include "sgd_rows.h"

static void test_a_grid_is_models_apart(void **state)
{
    const gradus_dataset data = sgd_dense_rows();
    const gr_problem problem = sgd_problem_of(&data);
    const gr_sgd_options grid = sgd_options_of("0,0.5", "0.1,0.01,0.5", 3000);
    gr_sgd *all = sgd_trained(&data, &problem, &grid, GR_SGD_LOGISTIC, 3);

    (void)state;
    assert_int_equal(gr_sgd_models(all), 6);
    for (size_t m = 0; m < 6; m++) {
        static const char *const alphas[] = { "0", "0.5" }, *const lambdas[] = { "0.1", "0.01",
                                                                                 "0.5" };
        const gr_sgd_options one = sgd_options_of(alphas[m % 2], lambdas[m / 2], 3000);
        double wanted[WEIGHTS], found[WEIGHTS], alpha, lambda;

        sgd_train(&data, &one, GR_SGD_LOGISTIC, wanted);
        sgd_weights_of(all, m, 0, found);
        assert_memory_equal(found, wanted, sizeof wanted);
        gr_sgd_model(all, m, &alpha, &lambda);
        CHECK_NEAR(alpha, atof(alphas[m % 2]), 0.0);
        CHECK_NEAR(lambda, atof(lambdas[m / 2]), 0.0);
    }
    gr_sgd_free(all);
}

/* Each one-against-rest model minimises a problem with two labels. */
static void test_one_against_all(void **state)
{
    const gradus_dataset data = sgd_dense_rows();
    gr_problem problem = sgd_problem_of(&data);
    gr_sgd_options options = sgd_options_of("0.5", "0.05", 128000);
    float kept[ROWS];
    gr_sgd *sgd;

    (void)state;
    problem.outputs = 3;
    options.one_vs_all = options.average = true;
    sgd = sgd_trained(&data, &problem, &options, GR_SGD_SQUARED, 2);
    memcpy(kept, sgd_labels, sizeof kept);
    for (size_t k = 0; k < 3; k++) {
        double wanted[WEIGHTS], found[WEIGHTS];

        for (size_t r = 0; r < ROWS; r++)
            sgd_labels[r] = kept[r] == (float)k ? 1.0f : 0.0f;
        sgd_solve_squared(0.5, 0.05, wanted);
        sgd_weights_of(sgd, 0, k, found);
        assert_true(sgd_distance(found, wanted) < 0.02);
    }
    memcpy(sgd_labels, kept, sizeof kept);
    gr_sgd_free(sgd);
}

static void test_threads_change_nothing(void **state)
{
    const gradus_dataset data = sgd_dense_rows();
    const gr_problem problem = sgd_problem_of(&data);
    gr_sgd_options options = sgd_options_of("0.5", "0.1,0.02", 20000);
    double found[4][WEIGHTS];

    (void)state;
    options.average = true;
    options.shards = 5;
    for (size_t threads = 1; threads <= 4; threads++) {
        gr_sgd *sgd = sgd_trained(&data, &problem, &options, GR_SGD_HINGE, threads);

        sgd_weights_of(sgd, 1, 0, found[threads - 1]);
        assert_memory_equal(found[threads - 1], found[0], sizeof found[0]);
        gr_sgd_free(sgd);
    }
}

/* Sparse rows, hashed rows without collisions, and rows with missing values in place of zeros. */
static void test_forms_of_rows_come_to_the_same(void **state)
{
    enum { BITS = 12 };
    gradus_dataset data = sgd_dense_rows();
    uint64_t row_starts[ROWS + 1];
    uint32_t columns[ROWS * FEATURES];
    float entries[ROWS * FEATURES];
    gr_sgd_options options = sgd_options_of("0.5", "0.1", 5000);
    double wanted[WEIGHTS], found[WEIGHTS], *wide = calloc((1 << BITS) + 1, sizeof *wide);

    (void)state;
    for (size_t i = 0; i < ROWS * FEATURES; i += 3)
        sgd_values[i] = 0.0f;
    row_starts[0] = 0;
    for (size_t r = 0, at = 0; r < ROWS; r++) {
        for (size_t f = 0; f < FEATURES; f++)
            if (sgd_values[r * FEATURES + f] != 0.0f) {
                columns[at] = (uint32_t)f;
                entries[at++] = sgd_values[r * FEATURES + f];
            }
        row_starts[r + 1] = at;
    }
    const gradus_dataset sparse = { .arrays = { .rows = ROWS,
                                                .features = FEATURES,
                                                .row_starts = row_starts,
                                                .columns = columns,
                                                .entries = entries,
                                                .labels = sgd_labels,
                                                .queries = QUERIES,
                                                .query_starts = sgd_starts } };
    const gr_problem problem = sgd_problem_of(&sparse);

    for (int rule = GR_STEPS_PEGASOS; rule <= GR_STEPS_ADAGRAD; rule += GR_STEPS_ADAGRAD) {
        gr_sgd *sgd;

        options.rule = rule;
        sgd_train(&data, &options, GR_SGD_SQUARED, wanted);
        sgd_train(&sparse, &options, GR_SGD_SQUARED, found);
        assert_true(sgd_distance(found, wanted) < 1e-9);
        for (size_t i = 0; i < ROWS * FEATURES; i += 3)
            sgd_values[i] = i % 2 ? NAN : INFINITY;
        sgd_train(&data, &options, GR_SGD_SQUARED, found);
        assert_true(sgd_distance(found, wanted) < 1e-9);
        for (size_t i = 0; i < ROWS * FEATURES; i += 3)
            sgd_values[i] = 0.0f;
        options.hash_bits = BITS;
        sgd = sgd_trained(&sparse, &problem, &options, GR_SGD_SQUARED, 1);
        sgd_weights_of(sgd, 0, 0, wide);
        for (size_t f = 0; f < FEATURES; f++) {
            float sign;
            const size_t bucket = gr_hash_bucket(f, BITS, &sign);

            /* AdaGrad regularises less often if there are more weights */
            CHECK_NEAR((double)sign * wide[bucket], wanted[f],
                       rule == GR_STEPS_ADAGRAD ? 0.1 : 1e-9);
        }
        gr_sgd_free(sgd);
        options.hash_bits = 0;
    }
    free(wide);
}

/* A row of weight 2 counts as two rows. */
static void test_weights_of_rows(void **state)
{
    gradus_dataset data = sgd_dense_rows();
    float weights[ROWS];
    gr_sgd_options options = sgd_options_of("1", "0.1", 200000);
    sgd_equations s = { .products = { { 0 } } };
    double found[WEIGHTS], all = 0.0, unweighted[WEIGHTS];

    (void)state;
    for (size_t r = 0; r < ROWS; r++)
        all += (double)(weights[r] = r % 3 ? 0.5f : 4.0f);
    for (size_t r = 0; r < ROWS; r++)
        sgd_add_products(&s, r, SIZE_MAX, (double)weights[r] / all);
    data.arrays.row_weights = weights;
    options.average = true;
    sgd_train(&data, &options, GR_SGD_SQUARED, found);
    sgd_solve_squared(1.0, 0.1, unweighted);
    for (size_t i = 0; i < WEIGHTS; i++) { /* the gradient is 0 there */
        double gradient = 0.1 * found[i] - s.with_target[i];

        for (size_t j = 0; j < WEIGHTS; j++)
            gradient += s.products[i][j] * found[j];
        CHECK_NEAR(gradient, 0.0, 0.01);
    }
    assert_true(sgd_distance(found, unweighted) > 0.03);
}

static void check_refused(const gradus_dataset *data, const gr_sgd_options *options,
                          const char *part)
{
    const gr_problem problem = sgd_problem_of(data);
    const gr_sgd_task task = {
        .data = data, .problem = &problem, .options = options, .loss = GR_SGD_SQUARED, .rounds = 3
    };
    gradus_error err = { GRADUS_OK, "" };
    gr_sgd *sgd = gr_sgd_new(&task, &err);
    gradus_status status = sgd ? GRADUS_OK : err.status;

    for (int i = 0; status == GRADUS_OK && i < 3; i++)
        status = gr_sgd_round(sgd, &err);
    gr_sgd_free(sgd);
    assert_int_not_equal(status, GRADUS_OK);
    if (!strstr(err.message, part))
        print_error("'%s' does not say '%s'\n", err.message, part);
    assert_non_null(strstr(err.message, part));
}

static void test_bad_input_is_refused(void **state)
{
    gradus_dataset data = sgd_dense_rows();
    float same[ROWS] = { 0 };
    gr_sgd_options options = sgd_options_of("0.5", "0", 1000);

    (void)state;
    check_refused(&data, &options, "a lambda above 0");
    options = sgd_options_of("0.5,", "0.1", 1000);
    check_refused(&data, &options, "'alpha' takes a number from 0 to 1");
    options = sgd_options_of("1.5", "0.1", 1000);
    check_refused(&data, &options, "'alpha' takes a number from 0 to 1");
    options = sgd_options_of("0.5", "x", 1000);
    check_refused(&data, &options, "'lambda' takes a number");
    options = sgd_options_of("0.5", "0.1", 1000);
    data.arrays.labels = same;
    check_refused(&data, &options, "no query has rows with different labels");
    data.arrays.labels = sgd_labels;
    options.rule = GR_STEPS_CONSTANT;
    options.step_size = 1e6;
    options.no_projection = true;
    check_refused(&data, &options, "training diverged");
    options.precision = GR_SGD_FLOAT;
    check_refused(&data, &options, "training diverged");
}

static void test_scales_are_noted(void **state)
{
    const gradus_dataset data = sgd_dense_rows();
    const gr_sgd_options options = sgd_options_of("0.5", "0.1", 10);
    double w[WEIGHTS];

    (void)state;
    sgd_note[0] = '\0';
    sgd_train(&data, &options, GR_SGD_SQUARED, w);
    assert_string_equal(sgd_note, "");
    for (size_t r = 0; r < ROWS; r++)
        sgd_values[r * FEATURES] *= 1e5f;
    sgd_train(&data, &options, GR_SGD_SQUARED, w);
    assert_non_null(strstr(sgd_note, "'transform standardise'"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_grid_is_models_apart),
        cmocka_unit_test(test_one_against_all),
        cmocka_unit_test(test_threads_change_nothing),
        cmocka_unit_test(test_forms_of_rows_come_to_the_same),
        cmocka_unit_test(test_weights_of_rows),
        cmocka_unit_test(test_bad_input_is_refused),
        cmocka_unit_test(test_scales_are_noted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
