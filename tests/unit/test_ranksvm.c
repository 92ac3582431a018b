/* SPDX-License-Identifier: Apache-2.0 */
/* RankSVM to convergence: sums over pairs, the objective, its gap and its minimum. */
#include "query_sets.h"

#include "learners/ranksvm/ranksvm.h"
#include "model/model.h"

static void test_sums_are_those_over_pairs(void **state)
{
    enum { ROWS = 40 };
    double scores[ROWS], values[ROWS], tree[2 * (ROWS + 1)];
    uint32_t ranks[ROWS], order[ROWS];
    gr_hinge_sums sums[ROWS];
    gr_rng rng = gr_rng_for(1, "hinge", 0);

    (void)state;
    for (uint32_t levels = 2; levels < 9; levels += 3) {
        for (uint32_t i = 0; i < ROWS; i++) {
            scores[i] = (double)gr_rng_below(&rng, 12) / 4.0; /* ties, and distances of exactly 1 */
            values[i] = gr_rng_normal(&rng);
            ranks[i] = (uint32_t)gr_rng_below(&rng, levels);
            order[i] = i;
        }
        for (size_t i = 0; i < ROWS; i++)
            for (size_t j = i + 1; j < ROWS; j++)
                if (scores[order[j]] < scores[order[i]]) {
                    const uint32_t kept = order[i];

                    order[i] = order[j];
                    order[j] = kept;
                }
        const gr_hinge_list list = { ROWS, order, scores, ranks, levels };

        gr_hinge_sum(&list, values, sums, tree);
        for (size_t i = 0; i < ROWS; i++) {
            gr_hinge_sums wanted = { 0 };

            for (size_t j = 0; j < ROWS; j++) {
                if (ranks[i] > ranks[j] && scores[i] - scores[j] < 1.0) {
                    wanted.better_count += 1.0;
                    wanted.better_sum += values[j];
                }
                if (ranks[i] < ranks[j] && scores[j] - scores[i] < 1.0) {
                    wanted.worse_count += 1.0;
                    wanted.worse_sum += values[j];
                }
            }
            CHECK_NEAR(sums[i].better_count, wanted.better_count, 0.0);
            CHECK_NEAR(sums[i].worse_count, wanted.worse_count, 0.0);
            CHECK_NEAR(sums[i].better_sum, wanted.better_sum, 1e-12);
            CHECK_NEAR(sums[i].worse_sum, wanted.worse_sum, 1e-12);
        }
    }
}

/* The objective, pair by pair; missing values are 0. */
static double objective_at(const query_set *s, const double *weights, double lambda, bool by_query)
{
    double all = 0.0, counted = 0.0, size = 0.0;

    for (size_t q = 0; q < s->queries; q++) {
        double sum = 0.0, pairs = 0.0;

        for (uint64_t i = s->starts[q]; i < s->starts[q + 1]; i++)
            for (uint64_t j = s->starts[q]; j < s->starts[q + 1]; j++)
                if (s->labels[i] > s->labels[j]) {
                    double x = 1.0;

                    for (size_t f = 0; f < SET_FEATURES; f++) {
                        const float a = s->values[i * SET_FEATURES + f];
                        const float b = s->values[j * SET_FEATURES + f];

                        x -= weights[f] *
                             ((isnan(a) ? 0.0 : (double)a) - (isnan(b) ? 0.0 : (double)b));
                    }
                    sum += x > 0.0 ? x * x : 0.0;
                    pairs += 1.0;
                }
        all += by_query && pairs > 0.0 ? sum / pairs : sum;
        counted += by_query ? pairs > 0.0 : pairs;
    }
    for (size_t f = 0; f < SET_FEATURES; f++)
        size += weights[f] * weights[f];
    return all / counted + 0.5 * lambda * size;
}

static void test_the_least_value_is_found(void **state)
{
    static const double lambdas[] = { 1.0, 0.01, 1e-5 };
    query_set s = make_query_set(25, 21, true);
    const gr_problem problem = { .rows = s.rows,
                                 .queries = s.queries,
                                 .query_starts = s.starts,
                                 .labels = s.labels,
                                 .outputs = 1 };
    gr_rng rng = gr_rng_for(3, "away", 0);

    (void)state;
    for (size_t l = 0; l < 6; l++) {
        const gr_ranksvm_task task = { .data = s.data,
                                       .problem = &problem,
                                       .lambda = lambdas[l / 2],
                                       .by_query = l % 2,
                                       .gap = 1e-9 };
        double weights[SET_FEATURES] = { 0 };
        gr_ranksvm_fit fit;

        assert_int_equal(gr_ranksvm_train(&task, weights, &fit, NULL), GRADUS_OK);
        assert_true(fit.converged && fit.gap <= 1e-9 * fit.objective);
        CHECK_NEAR(fit.objective, objective_at(&s, weights, task.lambda, task.by_query), 1e-12);
        for (int away = 0; away < 40; away++) {
            double other[SET_FEATURES];

            for (size_t f = 0; f < SET_FEATURES; f++)
                other[f] = weights[f] + 0.01 * gr_rng_normal(&rng);
            assert_true(objective_at(&s, other, task.lambda, task.by_query) >=
                        fit.objective - fit.gap);
        }
    }
    end_query_set(&s);
}

/* After early stopping the gap is |gradient|^2 / (2 lambda), an upper bound on the remaining
 * improvement. */
static void test_the_gap_bounds_what_is_left(void **state)
{
    query_set s = make_query_set(25, 22, false);
    const gr_problem problem = { .rows = s.rows,
                                 .queries = s.queries,
                                 .query_starts = s.starts,
                                 .labels = s.labels,
                                 .outputs = 1 };
    gr_ranksvm_task task = { .data = s.data, .problem = &problem, .lambda = 0.1, .gap = 1.0 };
    double weights[SET_FEATURES] = { 0.3, 0.3 }, size = 0.0;
    gr_ranksvm_fit early, late;

    (void)state;
    assert_int_equal(gr_ranksvm_train(&task, weights, &early, NULL), GRADUS_OK);
    for (size_t f = 0; f < SET_FEATURES; f++) {
        const double kept = weights[f], h = 1e-6;

        weights[f] = kept + h;
        const double up = objective_at(&s, weights, 0.1, false);
        weights[f] = kept - h;
        const double down = objective_at(&s, weights, 0.1, false);
        weights[f] = kept;
        size += (up - down) / (2.0 * h) * (up - down) / (2.0 * h);
    }
    CHECK_NEAR(early.gap, size / 0.2, 1e-6 * size);
    task.gap = 1e-10;
    assert_int_equal(gr_ranksvm_train(&task, weights, &late, NULL), GRADUS_OK);
    assert_true(early.objective - late.objective > 1e-3);
    assert_true(early.objective - late.objective <= early.gap);
    end_query_set(&s);
}

static void test_a_model_from_rows_to_a_file(void **state)
{
    const char *more = "learner=linear lambda=1,0.01,0.0001";
    query_set s = make_query_set(80, 3, true), other = make_query_set(60, 4, false);
    gradus_model *model = train_on(1, &s, &other, "ranksvm", more, NULL);

    (void)state;
    assert_string_equal(model->results[0].name, "lambda");
    assert_string_equal(model->results[2].name, "duality gap");
    assert_true(model->results[2].value <= 1e-6 * model->results[1].value);
    assert_true(fraction_in_order(&other, model) > 0.75);
    gradus_model_free(model);
    check_thread_counts(&s, &other, "ranksvm", more);
    end_query_set(&s);
    end_query_set(&other);
}

static void test_what_cannot_be_solved_is_refused(void **state)
{
    query_set s = make_query_set(12, 9, false);
    gradus_error err = { GRADUS_OK, "" };

    (void)state;
    assert_null(train_on(1, &s, NULL, "ranksvm", "learner=linear lambda=0", &err));
    assert_non_null(strstr(err.message, "'lambda' takes a number from"));
    assert_null(train_on(1, &s, NULL, "ranksvm", "learner=linear steps=10", &err));
    assert_non_null(strstr(err.message, "'steps' is for the learner 'sgd'"));
    for (size_t r = 0; r < s.rows; r++)
        s.labels[r] = 0.0f;
    assert_null(train_on(1, &s, NULL, "ranksvm", "learner=linear", &err));
    assert_non_null(strstr(err.message, "nothing to learn from"));
    end_query_set(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sums_are_those_over_pairs),
        cmocka_unit_test(test_the_least_value_is_found),
        cmocka_unit_test(test_the_gap_bounds_what_is_left),
        cmocka_unit_test(test_a_model_from_rows_to_a_file),
        cmocka_unit_test(test_what_cannot_be_solved_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
