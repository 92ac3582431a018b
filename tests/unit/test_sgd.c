/* SPDX-License-Identifier: Apache-2.0 */
/* Stochastic gradient descent: convergence to minimisers that are found by other means. */
#include "sgd_rows.h"

/* Gradient descent on the full objective, for losses without a closed form. */
typedef struct descent {
    gr_sgd_loss loss;
    double w[WEIGHTS], gradient[WEIGHTS];
} descent;

static void add_gradient(void *to, size_t a, size_t b, double share)
{
    descent *d = to;
    const double y = (double)sgd_labels[a] - (b == SIZE_MAX ? 0.0 : (double)sgd_labels[b]);
    double z = 0.0, pull;

    for (size_t f = 0; f < WEIGHTS; f++)
        z += d->w[f] * sgd_feature(a, b, f);
    if (d->loss == GR_SGD_SQUARED)
        pull = y - z;
    else
        pull = (b == SIZE_MAX ? 0.5 * y : 0.5 * (1.0 + 0.5 * y)) - 1.0 / (1.0 + exp(-z));
    for (size_t f = 0; f < WEIGHTS; f++)
        d->gradient[f] += share * pull * sgd_feature(a, b, f);
}

/* Queries whose rows all have one label contain no pairs. */
static bool is_list(size_t q)
{
    for (size_t r = sgd_starts[q]; r < sgd_starts[q + 1]; r++)
        if (sgd_labels[r] != sgd_labels[sgd_starts[q]])
            return true;
    return false;
}

static void add_lists(descent *d, double beta)
{
    size_t lists = 0;

    for (size_t q = 0; q < QUERIES; q++)
        lists += is_list(q);
    for (size_t q = 0; q < QUERIES; q++) {
        double z[ROWS], sum = 0.0, targets = 0.0;

        if (!is_list(q))
            continue;

        for (size_t r = sgd_starts[q]; r < sgd_starts[q + 1]; r++) {
            z[r] = 0.0;
            for (size_t f = 0; f < FEATURES; f++)
                z[r] += d->w[f] * sgd_feature(r, SIZE_MAX, f);
            sum += exp(z[r]);
            targets += exp((double)sgd_labels[r]);
        }
        for (size_t r = sgd_starts[q]; r < sgd_starts[q + 1]; r++)
            for (size_t f = 0; f < FEATURES; f++)
                d->gradient[f] += beta / (double)lists * sgd_feature(r, SIZE_MAX, f) *
                                  (exp((double)sgd_labels[r]) / targets - exp(z[r]) / sum);
    }
}

static void descend(gr_sgd_loss loss, double alpha, double lambda, double beta, double l1,
                    double *w)
{
    const double length = 0.3;
    descent d = { .loss = loss };

    for (int i = 0; i < 1500; i++) {
        memset(d.gradient, 0, sizeof d.gradient);
        sgd_each_term(alpha, add_gradient, &d);
        if (beta > 0.0)
            add_lists(&d, beta);
        for (size_t f = 0; f < WEIGHTS; f++) {
            const double next = d.w[f] + length * (d.gradient[f] - lambda * d.w[f]);
            const double pull = f < FEATURES ? length * l1 : 0.0;

            d.w[f] = next > pull ? next - pull : next < -pull ? next + pull : 0.0;
        }
    }
    memcpy(w, d.w, sizeof d.w);
}

/* The distance to the minimiser falls roughly with the square root of the number of steps. */
static void check_comes_to(const gradus_dataset *data, gr_sgd_options options, gr_sgd_loss loss,
                           const double *wanted)
{
    const double zero[WEIGHTS] = { 0 };
    double few[WEIGHTS], many[WEIGHTS];

    options.steps = 1000;
    sgd_train(data, &options, loss, few);
    options.steps = 128000;
    sgd_train(data, &options, loss, many);
    if (!(sgd_distance(many, wanted) < 0.35 * sgd_distance(few, wanted)) ||
        !(sgd_distance(many, wanted) < 0.03 * sgd_distance(wanted, zero))) {
        print_error("alpha %s, rule %d: off by %g after 1000 steps, %g after 128000, of %g\n",
                    options.alpha, options.rule, sgd_distance(few, wanted),
                    sgd_distance(many, wanted), sgd_distance(wanted, zero));
        fail();
    }
}

static void test_squared_loss_comes_to_the_closed_form(void **state)
{
    static const char *const alphas[] = { "0", "0.5", "1" };
    const gradus_dataset data = sgd_dense_rows();

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        gr_sgd_options options = sgd_options_of(alphas[i], "0.05", 0);
        double wanted[WEIGHTS];

        sgd_solve_squared(0.5 * (double)i, 0.05, wanted);
        options.average = true;
        check_comes_to(&data, options, GR_SGD_SQUARED, wanted);
        options.precision = GR_SGD_FLOAT;
        check_comes_to(&data, options, GR_SGD_SQUARED, wanted);
    }
}

static void test_other_step_rules_come_to_the_same(void **state)
{
    const gradus_dataset data = sgd_dense_rows();
    double wanted[WEIGHTS];

    (void)state;
    sgd_solve_squared(0.5, 0.05, wanted);
    for (int rule = GR_STEPS_CONSTANT; rule <= GR_STEPS_INVERSE; rule++) {
        gr_sgd_options options = sgd_options_of("0.5", "0.05", 0);

        options.average = true;
        options.rule = rule;
        options.step_size = rule == GR_STEPS_CONSTANT  ? 0.005
                            : rule == GR_STEPS_SQRT    ? 0.5
                            : rule == GR_STEPS_INVERSE ? 1000.0
                                                       : 0.3;
        check_comes_to(&data, options, GR_SGD_SQUARED, wanted);
    }
}

/* The first step with S = 4 has size 4 / 5, and later ones are smaller. */
static void test_the_inverse_rule_by_hand(void **state)
{
    const gradus_dataset data = sgd_dense_rows();
    gr_sgd_options options = sgd_options_of("1", "0.05", 1), same = options;
    double found[WEIGHTS], wanted[WEIGHTS];

    (void)state;
    options.rule = GR_STEPS_INVERSE;
    options.step_size = 4.0;
    same.rule = GR_STEPS_CONSTANT;
    same.step_size = 0.8;
    sgd_train(&data, &options, GR_SGD_SQUARED, found);
    sgd_train(&data, &same, GR_SGD_SQUARED, wanted);
    assert_true(sgd_distance(found, wanted) < 1e-15);
    options.steps = same.steps = 2;
    sgd_train(&data, &options, GR_SGD_SQUARED, found);
    sgd_train(&data, &same, GR_SGD_SQUARED, wanted);
    assert_true(sgd_distance(found, wanted) > 1e-6);
}

static void test_logistic_loss_comes_to_its_minimum(void **state)
{
    static const char *const alphas[] = { "0", "0.5", "1" };
    const gradus_dataset data = sgd_dense_rows();

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        gr_sgd_options options = sgd_options_of(alphas[i], "0.05", 0);
        double wanted[WEIGHTS];

        descend(GR_SGD_LOGISTIC, 0.5 * (double)i, 0.05, 0.0, 0.0, wanted);
        options.average = true;
        check_comes_to(&data, options, GR_SGD_LOGISTIC, wanted);
        assert_non_null(strstr(sgd_note, "labels from 0 to 2 become targets from 0 to 1"));
    }
}

static void test_lists_are_a_third_term(void **state)
{
    const gradus_dataset data = sgd_dense_rows();
    gr_sgd_options options = sgd_options_of("0.3", "0.1", 0);
    double wanted[WEIGHTS];

    (void)state;
    descend(GR_SGD_SQUARED, 0.3, 0.1, 1.5, 0.0, wanted);
    options.average = true;
    options.listwise = 1.5;
    check_comes_to(&data, options, GR_SGD_SQUARED, wanted);
}

static void test_l1_makes_zeros(void **state)
{
    const gradus_dataset data = sgd_dense_rows();
    gr_sgd_options options = sgd_options_of("0.5", "0.1", 200000);
    double wanted[WEIGHTS], found[WEIGHTS];

    (void)state;
    options.l1 = 0.2;
    descend(GR_SGD_SQUARED, 0.5, 0.1, 0.0, 0.2, wanted);
    for (int rule = GR_STEPS_PEGASOS; rule <= GR_STEPS_ADAGRAD; rule += GR_STEPS_ADAGRAD) {
        size_t zeros = 0;

        options.rule = rule;
        sgd_train(&data, &options, GR_SGD_SQUARED, found);
        for (size_t f = 0; f < FEATURES; f++) {
            zeros += wanted[f] == 0.0;
            CHECK_NEAR(found[f], wanted[f], 0.03);
            if (wanted[f] == 0.0 && rule == GR_STEPS_PEGASOS)
                CHECK_NEAR(found[f], 0.0, 0.0);
        }
        assert_true(zeros > 0 && zeros < FEATURES);
    }
}

/* Two features. */
static gradus_dataset one_row(const float *x, const float *y)
{
    static const uint64_t ends[] = { 0, 1 };

    return (gradus_dataset){ .arrays = { .rows = 1,
                                         .features = 2,
                                         .values = x,
                                         .stride = 2,
                                         .labels = y,
                                         .queries = 1,
                                         .query_starts = ends } };
}

/* One step worked by hand: step 1 has length 1 / lambda and starts at 0. */
static void test_a_first_step_by_hand(void **state)
{
    float x[] = { 0.25f, -0.5f }, y[] = { 3.0f };
    const gradus_dataset data = one_row(x, y);
    const gr_problem problem = sgd_problem_of(&data);
    gr_sgd_options options = sgd_options_of("1", "2", 1);
    double w[3];
    gr_sgd *sgd;

    (void)state;
    options.no_projection = true;
    sgd = sgd_trained(&data, &problem, &options, GR_SGD_SQUARED, 1);
    sgd_weights_of(sgd, 0, 0, w);
    CHECK_NEAR(w[0], 0.5 * 3.0 * 0.25, 1e-15);
    CHECK_NEAR(w[1], 0.5 * 3.0 * -0.5, 1e-15);
    CHECK_NEAR(w[2], 0.5 * 3.0, 1e-15);
    gr_sgd_free(sgd);
    /* the bound is sqrt(max(1, 9 / 4) / 2) */
    options.no_projection = false;
    sgd = sgd_trained(&data, &problem, &options, GR_SGD_SQUARED, 1);
    sgd_weights_of(sgd, 0, 0, w);
    CHECK_NEAR(sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]), sqrt(2.25 / 2.0), 1e-12);
    CHECK_NEAR(w[0] / w[2], 0.25, 1e-12);
    gr_sgd_free(sgd);
}

/* One row, so that every step is known: dense weights are regularised after each of them. */
static void test_adagrad_regularises_every_step(void **state)
{
    enum { STEPS = 50 };
    float x[] = { 0.5f, -2.0f }, y[] = { 3.0f };
    const gradus_dataset data = one_row(x, y);
    const gr_problem problem = sgd_problem_of(&data);
    gr_sgd_options options = sgd_options_of("1", "2", STEPS);
    const double all[] = { 0.5, -2.0, 1.0 };
    double wanted[3] = { 0 }, squares[3] = { 0 }, w[3];
    gr_sgd *sgd;

    (void)state;
    options.rule = GR_STEPS_ADAGRAD;
    for (size_t i = 0; i < STEPS; i++) {
        const double pull = 3.0 - (0.5 * wanted[0] - 2.0 * wanted[1] + wanted[2]);

        for (size_t f = 0; f < 3; f++) {
            squares[f] += pull * pull * all[f] * all[f];
            wanted[f] += 0.1 * pull * all[f] / sqrt(squares[f]);
            wanted[f] /= 1.0 + 2.0 * 0.1 / sqrt(squares[f]);
        }
    }
    sgd = sgd_trained(&data, &problem, &options, GR_SGD_SQUARED, 1);
    sgd_weights_of(sgd, 0, 0, w);
    for (size_t f = 0; f < 3; f++)
        CHECK_NEAR(w[f], wanted[f], 1e-12);
    assert_int_equal(gr_sgd_steps(sgd), STEPS);
    gr_sgd_free(sgd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_squared_loss_comes_to_the_closed_form),
        cmocka_unit_test(test_other_step_rules_come_to_the_same),
        cmocka_unit_test(test_the_inverse_rule_by_hand),
        cmocka_unit_test(test_logistic_loss_comes_to_its_minimum),
        cmocka_unit_test(test_lists_are_a_third_term),
        cmocka_unit_test(test_l1_makes_zeros),
        cmocka_unit_test(test_a_first_step_by_hand),
        cmocka_unit_test(test_adagrad_regularises_every_step),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
