/* SPDX-License-Identifier: Apache-2.0 */
/* RankBoost against all pairs, AdaRank by hand, coordinate ascent, and their shared code. */
#include "query_sets.h"

#include "base/math.h"
#include "learners/weak/weak.h"
#include "model/model.h"

static gr_problem problem_of(const query_set *s, const float *weights)
{
    return (gr_problem){ .rows = s->rows,
                         .queries = s->queries,
                         .query_starts = s->starts,
                         .labels = s->labels,
                         .outputs = 1,
                         .row_weights = weights };
}

/* D of every pair, and its sums; returns the total before normalisation. */
static double all_pairs(const query_set *s, const float *weights, const double *scores,
                        double *sums)
{
    double all = 0.0;

    memset(sums, 0, s->rows * sizeof *sums);
    for (size_t q = 0; q < s->queries; q++)
        for (uint64_t i = s->starts[q]; i < s->starts[q + 1]; i++)
            for (uint64_t j = s->starts[q]; j < s->starts[q + 1]; j++)
                if (s->labels[i] > s->labels[j]) {
                    const double share = (weights ? (double)weights[i] * (double)weights[j] : 1.0) *
                                         exp(scores[j] - scores[i]);

                    sums[i] += share;
                    sums[j] -= share;
                    all += share;
                }
    for (size_t r = 0; r < s->rows; r++)
        sums[r] /= all;
    return all;
}

static void test_potentials_are_sums_over_pairs(void **state)
{
    query_set s = make_query_set(30, 11, false);
    gr_rng rng = gr_rng_for(4, "scores", 0);
    double *scores = calloc(s.rows, sizeof(double)), *found = calloc(s.rows, sizeof(double));
    double *wanted = calloc(s.rows, sizeof(double)), scratch[2 * 20];
    float *weights = calloc(s.rows, sizeof(float));

    (void)state;
    for (size_t r = 0; r < s.rows; r++) {
        scores[r] = 2.0 * gr_rng_normal(&rng);
        weights[r] = (float)gr_rng_below(&rng, 3);
    }
    for (size_t w = 0; w < 2; w++) {
        const gr_problem problem = problem_of(&s, w ? weights : NULL);
        gr_pair_order order;

        assert_int_equal(gr_pair_order_make(&problem, &order, NULL), GRADUS_OK);
        const double all = all_pairs(&s, problem.row_weights, scores, wanted);

        CHECK_NEAR(gr_rankboost_potentials(&problem, &order, scores, found, scratch), all,
                   1e-10 * all);
        for (size_t r = 0; r < s.rows; r++)
            CHECK_NEAR(found[r], wanted[r], 1e-14);
        gr_pair_order_free(&order);
    }
    free(scores);
    free(found);
    free(wanted);
    free(weights);
    end_query_set(&s);
}

/* Each round's threshold is the best, and its weight is that of the paper. */
static void test_rankboost_takes_the_best_threshold(void **state)
{
    query_set s = make_query_set(25, 12, true);
    const gr_problem problem = problem_of(&s, NULL);
    const gr_bin_options bins = { .bins = 1000 };
    gr_rankboost *boost = gr_rankboost_new(NULL, s.data, &problem, &bins, NULL, NULL);
    double *sums = calloc(s.rows, sizeof(double));

    (void)state;
    for (size_t round = 0; round < 6; round++) {
        double best = 0.0, r = 0.0;
        bool grew;

        const double pairs = all_pairs(&s, NULL, gr_rankboost_scores(boost), sums);
        for (size_t f = 0; f < SET_FEATURES; f++)
            for (size_t at = 0; at < s.rows; at++)
                for (int missing = 0; missing < 2; missing++) {
                    const float threshold = s.values[at * SET_FEATURES + f];
                    double sum = 0.0;

                    for (size_t i = 0; i < s.rows; i++) {
                        const float value = s.values[i * SET_FEATURES + f];

                        sum += isnan(value)         ? (missing ? sums[i] : 0.0)
                               : value >= threshold ? sums[i]
                                                    : 0.0;
                    }
                    best = fabs(sum) > best ? fabs(sum) : best;
                }
        assert_int_equal(gr_rankboost_round(boost, &grew, NULL), GRADUS_OK);
        assert_true(grew && pairs > 0.0);
        const gr_forest *forest = gr_rankboost_forest(boost);
        const gr_split *split = &forest->splits[round];
        const float *row = s.values + split->feature;

        for (size_t i = 0; i < s.rows; i++, row += SET_FEATURES)
            if (isnan(*row) ? !split->missing_left : *row >= split->threshold)
                r += sums[i];
        CHECK_NEAR(fabs(r), best, 1e-12);
        CHECK_NEAR((double)forest->leaves[2 * round], 0.0, 0.0);
        CHECK_NEAR((double)forest->leaves[2 * round + 1], 0.5 * log((1.0 + r) / (1.0 - r)), 2e-3);
    }
    free(sums);
    gr_rankboost_free(boost);
    end_query_set(&s);
}

/* A metric that a test can compute: for each query, 0.8 if its first row has a score above 0, else
 * 0.2; queries of one row have none. */
typedef struct toy {
    const query_set *s;
    size_t calls;
} toy;

static gradus_status toy_metric(void *user, const double *scores, double *mean, double *values,
                                gradus_error *err)
{
    toy *t = user;
    double sum = 0.0, counted = 0.0;

    (void)err;
    t->calls++;
    for (size_t q = 0; q < t->s->queries; q++) {
        const uint64_t start = t->s->starts[q];
        const double value = t->s->starts[q + 1] - start < 2 ? (double)NAN
                             : scores[start] > 0.0           ? 0.8
                                                             : 0.2;

        if (values)
            values[q] = value;
        sum += isnan(value) ? 0.0 : value;
        counted += !isnan(value);
    }
    *mean = sum / counted;
    return GRADUS_OK;
}

static bool two_grades(const query_set *s, size_t q)
{
    bool differ = false;

    for (uint64_t r = s->starts[q]; r < s->starts[q + 1]; r++)
        differ = differ || s->labels[r] != s->labels[s->starts[q]];
    return differ;
}

/* Queries of one grade have weight 0, whatever the metric. */
static void test_adarank_by_hand(void **state)
{
    query_set s = make_query_set(9, 13, false);
    const gr_problem problem = problem_of(&s, NULL);
    const gr_weak_options options = { .repeats = 5 };
    toy t = { .s = &s };
    const gr_weak_task task = {
        .data = s.data, .problem = &problem, .options = &options, .metric = toy_metric, .user = &t
    };
    gr_adarank *adarank = gr_adarank_new(&task, NULL);
    double wanted[SET_FEATURES] = { 0 }, shares[9], sum = 0.0, best = 0.0, values[9], counted;
    size_t feature = 0;
    bool grew, counts[9];

    (void)state;
    assert_int_equal(t.calls, SET_FEATURES); /* features are ranked once */
    counted = 0.0;
    for (size_t q = 0; q < 9; q++)
        counted += counts[q] = two_grades(&s, q);
    assert_true(!counts[0] && !counts[2] && counted < 8.0 && counted > 3.0);
    for (size_t q = 0; q < 9; q++)
        CHECK_NEAR(gr_adarank_shares(adarank)[q], counts[q] ? 1.0 / counted : 0.0, 1e-15);
    for (size_t f = 0; f < SET_FEATURES; f++) {
        double mean = 0.0;

        for (size_t q = 0; q < 9; q++)
            mean += !counts[q]
                        ? 0.0
                        : (s.values[s.starts[q] * SET_FEATURES + f] > 0.0f ? 0.8 : 0.2) / counted;
        if (mean > best + 1e-9) {
            best = mean;
            feature = f;
        }
    }
    assert_int_equal(gr_adarank_round(adarank, &grew, NULL), GRADUS_OK);
    wanted[feature] = 0.5 * log((1.0 + best) / (1.0 - best));
    for (size_t f = 0; f < SET_FEATURES; f++)
        CHECK_NEAR(gr_adarank_weights(adarank)[f], wanted[f], 1e-7);
    for (size_t q = 0; q < 9; q++) {
        values[q] = s.values[s.starts[q] * SET_FEATURES + feature] > 0.0f ? 0.8 : 0.2;
        sum += shares[q] = counts[q] ? exp(-values[q]) : 0.0;
    }
    for (size_t q = 0; q < 9; q++)
        CHECK_NEAR(gr_adarank_shares(adarank)[q], shares[q] / sum, 1e-14);
    gr_adarank_free(adarank);
    end_query_set(&s);
}

/* The same feature may be chosen at most this many times in a row. */
static void test_adarank_turns_to_another_feature(void **state)
{
    query_set s = make_query_set(30, 14, false);
    gradus_model *once = train_on(1, &s, NULL, "adarank-map", "rounds=2 repeats=1", NULL);
    gradus_model *often = train_on(1, &s, NULL, "adarank-map", "rounds=2 repeats=9", NULL);
    uint64_t used[2][SET_FEATURES], features[2] = { 0, 0 };

    (void)state;
    gradus_model_importance(once, NULL, used[0], NULL);
    gradus_model_importance(often, NULL, used[1], NULL);
    for (size_t f = 0; f < SET_FEATURES; f++)
        for (size_t i = 0; i < 2; i++)
            features[i] += used[i][f];
    assert_int_equal(features[0], 2);
    assert_int_equal(features[1], 1);
    gradus_model_free(once);
    gradus_model_free(often);
    end_query_set(&s);
}

static void test_coordinate_ascent_climbs(void **state)
{
    query_set s = make_query_set(40, 15, false);
    const gr_problem problem = problem_of(&s, NULL);
    const gr_weak_options options = { .restarts = 2, .tries = 6, .first_step = 0.05 };
    toy t = { .s = &s };
    const gr_weak_task task = {
        .data = s.data, .problem = &problem, .options = &options, .metric = toy_metric, .user = &t
    };
    gr_ascent *ascent = gr_ascent_new(&task, NULL);
    const double first = gr_ascent_value(ascent);
    double value = first, mean, scores[40 * 20] = { 0 };
    bool grew = true;

    (void)state;
    for (int round = 0; round < 40 && grew; round++) {
        assert_int_equal(gr_ascent_round(ascent, &grew, NULL), GRADUS_OK);
        assert_true(gr_ascent_value(ascent) >= value);
        value = gr_ascent_value(ascent);
    }
    assert_false(grew);
    for (size_t r = 0; r < s.rows; r++)
        for (size_t f = 0; f < SET_FEATURES; f++)
            scores[r] += gr_ascent_best(ascent)[f] * (double)s.values[r * SET_FEATURES + f];
    toy_metric(&t, scores, &mean, NULL, NULL);
    CHECK_NEAR(mean, value, 1e-12);
    assert_true(value > first + 0.04); /* at least three more of 39 queries */
    gr_ascent_free(ascent);
    end_query_set(&s);
}

/* A feature that is 0 everywhere is not tried. */
static void test_coordinate_ascent_passes_over_zeros(void **state)
{
    query_set s = make_query_set(20, 17, false);
    const gr_problem problem = problem_of(&s, NULL);
    const gr_weak_options options = { .restarts = 1, .tries = 3, .first_step = 0.05 };
    size_t calls[2];

    (void)state;
    for (size_t zeros = 0; zeros < 2; zeros++) {
        toy t = { .s = &s };
        const gr_weak_task task = { .data = s.data,
                                    .problem = &problem,
                                    .options = &options,
                                    .metric = toy_metric,
                                    .user = &t };
        bool grew;

        for (size_t r = 0; zeros && r < s.rows; r++)
            s.values[r * SET_FEATURES + 4] = 0.0f;
        gr_ascent *ascent = gr_ascent_new(&task, NULL);

        t.calls = 0;
        assert_int_equal(gr_ascent_round(ascent, &grew, NULL), GRADUS_OK);
        calls[zeros] = t.calls;
        gr_ascent_free(ascent);
    }
    assert_int_equal(calls[0], SET_FEATURES * 7 + 1);
    assert_int_equal(calls[1], (SET_FEATURES - 1) * 7 + 1);
    end_query_set(&s);
}

static const char *const methods[] = { "rankboost", "adarank-map", "adarank-ndcg",
                                       "coordinate-ascent" };

static void test_they_learn_to_rank(void **state)
{
    query_set train = make_query_set(100, 1, false), test = make_query_set(100, 2, false);

    (void)state;
    for (size_t m = 0; m < 4; m++) {
        gradus_model *model =
            train_on(0, &train, NULL, methods[m], m == 3 ? "rounds=3 tries=6" : "rounds=60", NULL);
        const double share = fraction_in_order(&test, model);

        if (!(share > 0.75)) {
            print_error("%s: %g\n", methods[m], share);
            fail();
        }
        gradus_model_free(model);
    }
    end_query_set(&train);
    end_query_set(&test);
}

/* Sparse rows have the same bins and the same stumps. */
static void test_sparse_rows_are_as_dense_ones(void **state)
{
    enum { ROWS = 60 };
    float dense[ROWS * 3], labels[ROWS], entries[ROWS * 3];
    uint64_t starts[ROWS + 1] = { 0 }, queries[] = { 0, 25, ROWS };
    uint32_t columns[ROWS * 3];
    gr_rng rng = gr_rng_for(2, "sparse", 0);
    size_t used = 0;
    bool grew;

    (void)state;
    for (size_t r = 0; r < ROWS; r++) {
        labels[r] = (float)gr_rng_below(&rng, 3);
        for (uint32_t f = 0; f < 3; f++) {
            const bool there = gr_rng_below(&rng, 8) == 0;

            dense[r * 3 + f] = there ? labels[r] + (float)gr_rng_uniform(&rng) : 0.0f;
            if (there) {
                columns[used] = f;
                entries[used++] = dense[r * 3 + f];
            }
        }
        starts[r + 1] = used;
    }
    const gradus_arrays one = { .rows = ROWS,
                                .features = 3,
                                .values = dense,
                                .stride = 3,
                                .labels = labels,
                                .queries = 2,
                                .query_starts = queries };
    const gradus_arrays two = { .rows = ROWS,
                                .features = 3,
                                .row_starts = starts,
                                .columns = columns,
                                .entries = entries,
                                .labels = labels,
                                .queries = 2,
                                .query_starts = queries };
    gradus_dataset *sets[2] = { gradus_dataset_borrow(&one, NULL),
                                gradus_dataset_borrow(&two, NULL) };
    const gr_problem problem = {
        .rows = ROWS, .queries = 2, .query_starts = queries, .labels = labels, .outputs = 1
    };
    const gr_bin_options bins = { .bins = 255 };
    gr_rankboost *boosts[2];

    for (size_t i = 0; i < 2; i++) {
        boosts[i] = gr_rankboost_new(NULL, sets[i], &problem, &bins, NULL, NULL);
        for (size_t round = 0; round < 8; round++)
            assert_int_equal(gr_rankboost_round(boosts[i], &grew, NULL), GRADUS_OK);
    }
    assert_memory_equal(gr_rankboost_scores(boosts[0]), gr_rankboost_scores(boosts[1]),
                        ROWS * sizeof(double));
    for (size_t i = 0; i < 2; i++) {
        gr_rankboost_free(boosts[i]);
        gradus_dataset_free(sets[i]);
    }
}

static void test_what_cannot_be_learned_from_is_refused(void **state)
{
    query_set s = make_query_set(12, 9, false);
    gradus_error err = { GRADUS_OK, "" };
    gradus_model *model = train_on(1, &s, NULL, "rankboost", "rounds=1", NULL);

    (void)state;
    assert_true(model->result_count == 1 && model->results[0].value >= 2.0);
    const double skipped = model->results[0].value;

    gradus_model_free(model);
    for (size_t m = 1; m < 4; m++) {
        model = train_on(1, &s, NULL, methods[m], m == 3 ? "rounds=1 tries=1" : "rounds=1", NULL);
        assert_true(model->result_count == 1);
        CHECK_NEAR(model->results[0].value, skipped, 0.0);
        gradus_model_free(model);
    }
    assert_null(train_on(1, &s, NULL, "adarank-map", "train-metric=dcg@10", &err));
    assert_non_null(strstr(err.message, "needs a metric from 0 to 1"));
    assert_null(train_on(1, &s, NULL, "adarank-map", "train-metric=rmse", &err));
    model = train_on(1, &s, NULL, "coordinate-ascent", "rounds=1 tries=1 train-metric=rmse", NULL);
    assert_non_null(model);
    gradus_model_free(model);
    for (size_t r = 0; r < s.rows; r++)
        s.labels[r] = 0.0f;
    assert_null(train_on(1, &s, NULL, "rankboost", "rounds=1", &err));
    assert_non_null(strstr(err.message, "nothing to learn from"));
    assert_null(train_on(1, &s, NULL, "adarank-map", "rounds=1", &err));
    assert_non_null(strstr(err.message, "nothing to learn from"));
    end_query_set(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_potentials_are_sums_over_pairs),
        cmocka_unit_test(test_rankboost_takes_the_best_threshold),
        cmocka_unit_test(test_adarank_by_hand),
        cmocka_unit_test(test_adarank_turns_to_another_feature),
        cmocka_unit_test(test_coordinate_ascent_climbs),
        cmocka_unit_test(test_coordinate_ascent_passes_over_zeros),
        cmocka_unit_test(test_they_learn_to_rank),
        cmocka_unit_test(test_sparse_rows_are_as_dense_ones),
        cmocka_unit_test(test_what_cannot_be_learned_from_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
