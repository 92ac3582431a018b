/* SPDX-License-Identifier: Apache-2.0 */
/* Explanations of models: for every method and learner equal to the sum over all coalitions, which
 * is computed from scores alone; and their axioms, threads, errors and sampling. */
#include "method_pairs.h"
#include "synthetic_sets.h"
#include "train_model.h"

#include "explain/explain.h"

enum { FEATURES = 6, ROWS_OF_QUERY = 10 };

static gradus_dataset *train, *test, *web;

static int set_up(void **state)
{
    (void)state;
    train = make_synth(1, "mcrank", PAIRS("queries", "20", "documents", "25", "features", "6"));
    test = make_synth(1, "mcrank",
                      PAIRS("queries", "8", "documents", "10", "features", "6", "seed", "2"));
    web = make_synth(1, "web", PAIRS("queries", "15", "documents", "20"));
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    gradus_dataset_free(train);
    gradus_dataset_free(test);
    gradus_dataset_free(web);
    return 0;
}

static gradus_explanation *explain_by(const gradus_model *model, const gradus_dataset *data,
                                      const size_t *rows, size_t count, gradus_context *context,
                                      const char *const *pairs, gradus_error *err)
{
    gradus_options *options = gradus_options_new("explain", NULL);

    for (; *pairs; pairs += 2)
        assert_int_equal(gradus_options_set(options, pairs[0], pairs[1], NULL), GRADUS_OK);
    gradus_explanation *made = gradus_explain(context, model, data, rows, count, options, err);

    gradus_options_free(options);
    return made;
}

static double weight_of(unsigned size)
{
    static const double factorials[] = { 1, 1, 2, 6, 24, 120, 720 };

    return factorials[size] * factorials[FEATURES - 1 - size] / factorials[FEATURES];
}

/* The definition, for a score against one row. */
static void brute_force(const gradus_model *model, const float *row, const float *reference,
                        double *contributions)
{
    float rows[1 << FEATURES][FEATURES];
    double scores[1 << FEATURES];

    for (unsigned s = 0; s < 1u << FEATURES; s++)
        for (unsigned f = 0; f < FEATURES; f++)
            rows[s][f] = s >> f & 1 ? row[f] : reference[f];
    assert_int_equal(gradus_model_score_rows(model, rows[0], 1 << FEATURES, FEATURES, FEATURES,
                                             scores, NULL, NULL),
                     GRADUS_OK);
    for (unsigned f = 0; f < FEATURES; f++) {
        contributions[f] = 0.0;
        for (unsigned s = 0; s < 1u << FEATURES; s++)
            if (!(s >> f & 1))
                contributions[f] +=
                    weight_of((unsigned)__builtin_popcount(s)) * (scores[s | 1u << f] - scores[s]);
    }
}

static void check_against_rows(const method_pair *pair, const gradus_model *model)
{
    gradus_error err = { GRADUS_OK, "" };
    gradus_explanation *one =
        explain_by(model, test, (const size_t[]){ 3, 11 }, 2, NULL, PAIRS("against", "2"), &err);
    gradus_contributions c;

    if (!one)
        fail_pair(pair, err.message);
    for (size_t i = 0; i < 2; i++) {
        double wanted[FEATURES];
        float row[FEATURES], reference[FEATURES];

        assert_true(gradus_explanation_at(one, i, 0, &c));
        gr_dataset_row(test, c.row, row);
        gr_dataset_row(test, c.reference, reference);
        brute_force(model, row, reference, wanted);
        for (size_t k = 0; k < c.count; k++) {
            if (fabs(c.contributions[k] - wanted[c.features[k]]) > 1e-9)
                fail_pair(pair, "a contribution differs from the sum over coalitions");
            assert_true(c.values[k] == row[c.features[k]]);
            assert_true(c.references[k] == reference[c.features[k]]);
        }
    }
    assert_false(gradus_explanation_at(one, 2, 0, &c));
    assert_false(gradus_explanation_at(one, 0, 1, &c));
    gradus_explanation_free(one);
}

/* The mean over the other documents of the query is the mean of explanations against each. */
static void check_query(const method_pair *pair, const gradus_model *model)
{
    static const char *const documents[] = { "2", "3", "4", "5", "6", "7", "8", "9", "10" };
    gradus_error err = { GRADUS_OK, "" };
    const size_t row = 0;
    double sums[FEATURES] = { 0 };
    gradus_contributions c;
    gradus_explanation *all =
        explain_by(model, test, &row, 1, NULL, PAIRS("against", "query"), &err);

    if (!all)
        fail_pair(pair, err.message);
    for (size_t i = 0; i + 1 < ROWS_OF_QUERY; i++) {
        gradus_explanation *one =
            explain_by(model, test, &row, 1, NULL, PAIRS("against", documents[i]), &err);

        assert_true(gradus_explanation_at(one, 0, 0, &c));
        for (size_t k = 0; k < c.count; k++)
            sums[k] += c.contributions[k] / (ROWS_OF_QUERY - 1);
        gradus_explanation_free(one);
    }
    assert_true(gradus_explanation_at(all, 0, 0, &c));
    for (size_t k = 0; k < c.count; k++)
        if (fabs(c.contributions[k] - sums[k]) > 1e-9)
            fail_pair(pair, "the mean over the query differs");
    gradus_explanation_free(all);
}

/* All rows, all outputs: values are the scores; sums are checked by the library. */
static void check_mean(const method_pair *pair, const gradus_model *model)
{
    gradus_error err = { GRADUS_OK, "" };
    gradus_explanation *scored =
        explain_by(model, test, NULL, 0, NULL, PAIRS("background", "9"), &err);
    gradus_explanation *outputs = explain_by(model, test, (const size_t[]){ 5 }, 1, NULL,
                                             PAIRS("output", "all", "background", "9"), &err);
    double *scores = malloc(gradus_dataset_rows(test) * sizeof *scores);
    gradus_contributions c;

    if (!scored || !outputs)
        fail_pair(pair, err.message);
    assert_int_equal(gradus_model_score(NULL, model, test, scores, NULL), GRADUS_OK);
    for (size_t i = 0; gradus_explanation_at(scored, i, 0, &c); i++) {
        double sum = c.base;

        for (size_t k = 0; k < c.count; k++)
            sum += c.contributions[k];
        if (c.row != i || c.value != scores[i] || fabs(sum - scores[i]) > 1e-9)
            fail_pair(pair, "contributions do not add up to the score");
        assert_true(!c.references && c.reference == SIZE_MAX);
    }
    free(scores);
    gradus_explanation_free(scored);
    gradus_explanation_free(outputs);
}

static void check_pair(const method_pair *pair)
{
    const gradus_training_input input = { .train = train, .valid = test };
    gradus_error err = { GRADUS_OK, "" };
    gradus_options *options = pair_options(pair, "3");
    bool accepts = false, done = false;

    /* gradus_model_score_rows would rescale the combined rows as a query. */
    gradus_method_accepts(options, "transform", &accepts, NULL);
    if (accepts)
        gradus_options_set(options, "transform", "minmax", NULL);
    gradus_training *training = gradus_training_new(NULL, &input, options, &err);

    while (training && !done && gradus_training_step(training, &done, &err) == GRADUS_OK)
        ;
    gradus_model *model = done ? gradus_training_finish(training, &err) : NULL;
    if (!model)
        fail_pair(pair, err.message);
    check_against_rows(pair, model);
    check_query(pair, model);
    check_mean(pair, model);
    gradus_model_free(model);
    gradus_training_free(training);
    gradus_options_free(options);
}

static void test_every_method(void **state)
{
    const gradus_training_input input = { .train = train, .valid = test };

    (void)state;
    check_pairs(PAIRS_COVERING, &input, check_pair);
}

/* Models of the web data and whether they are explained exactly. */
static const struct {
    const char *const *pairs;
    bool exact;
} models[] = {
    { PAIRS("method", "lambdamart", "rounds", "10", "leaves", "8"), true },
    { PAIRS("method", "cocr", "rounds", "3", "leaves", "8"), true },
    { PAIRS("method", "mcrank", "rounds", "3", "leaves", "8"), false },
    { PAIRS("method", "regression", "learner", "linear"), true },
    { PAIRS("method", "lambdamart", "rounds", "4", "leaves", "4", "transform", "query"), true },
    { PAIRS("method", "ranknet", "rounds", "2"), false },
};

/* The same bits with any number of threads. */
static void test_threads(void **state)
{
    (void)state;
    for (size_t m = 0; m < sizeof models / sizeof *models; m++) {
        gradus_model *model = train_model(1, web, NULL, models[m].pairs);
        static const char *const against[] = { "mean", "query", "1" };

        for (size_t a = 0; a < 3; a++) {
            const size_t rows[] = { 3, 40, 4, 5, 6, 90, 7, 8 };
            const size_t count = models[m].exact ? 8 : 2;
            gradus_context *context = gradus_context_new(3, NULL);
            const char *const *pairs =
                PAIRS("against", against[a], "orders", "3", "background", "5");
            gradus_explanation *one = explain_by(model, web, rows, count, NULL, pairs, NULL);
            gradus_explanation *three = explain_by(model, web, rows, count, context, pairs, NULL);
            gradus_contributions x, y;

            assert_true(one && three && one->exact == models[m].exact);
            for (size_t i = 0; i < count; i++) {
                assert_true(gradus_explanation_at(one, i, 0, &x));
                assert_true(gradus_explanation_at(three, i, 0, &y));
                assert_true(x.count == y.count && x.base == y.base && x.value == y.value);
                assert_memory_equal(x.contributions, y.contributions,
                                    x.count * sizeof *x.contributions);
            }
            gradus_explanation_free(one);
            gradus_explanation_free(three);
            gradus_context_free(context);
        }
        gradus_model_free(model);
    }
}

/* Estimates are within five standard errors of the exact values, and not all equal to them. */
static void test_sampling(void **state)
{
    (void)state;
    /* Pairs of orders are exact for trees of two features: deeper trees are needed. */
    gradus_model *model =
        train_model(1, web, NULL,
                    PAIRS("method", "lambdamart", "rounds", "10", "leaves", "31", "min-rows", "1"));
    const gr_explain_target target = { .is_score = true };
    const size_t row = 7;
    gradus_explanation *exact = explain_by(model, web, &row, 1, NULL, PAIRS("against", "1"), NULL);
    gradus_contributions c;
    gr_explain_rows rows;
    size_t off = 0, local = 0;

    assert_true(gradus_explanation_at(exact, 0, 0, &c));
    uint32_t *used = malloc(c.count * sizeof *used);
    double *found = calloc(2 * c.count, sizeof *found), sum = c.base;
    for (size_t i = 0; i < c.count; i++)
        used[i] = (uint32_t)c.features[i];
    const gr_sample_plan plan = { .model = model,
                                  .features = used,
                                  .used = c.count,
                                  .targets = &target,
                                  .target_count = 1,
                                  .pairs = 40,
                                  .seed = 3 };
    gr_sampler *sampler = gr_sampler_new(&plan, NULL);
    assert_non_null(sampler);
    assert_int_equal(gr_explain_rows_fill(&rows, model, &web->arrays,
                                          (const gr_segment[]){ { 0, 20 } }, 1, NULL),
                     GRADUS_OK);
    gr_sampler_run(sampler, &rows, row, &rows, &local, 1, 9, found, found + c.count);
    for (size_t i = 0; i < c.count; i++) {
        assert_true(fabs(found[i] - c.contributions[i]) <= 5.0 * found[c.count + i] + 1e-9);
        off += fabs(found[i] - c.contributions[i]) > 1e-6;
        sum += found[i];
    }
    assert_true(off > 0);
    CHECK_NEAR(sum, c.value, 1e-9);
    gr_sampler_free(sampler);
    gr_explain_rows_free(&rows);
    gradus_explanation_free(exact);
    free(used);
    free(found);
    gradus_model_free(model);
}

/* Contributions to an ensemble are the weighted sums of those to its members, whose transforms
 * differ. */
static void test_ensemble(void **state)
{
    (void)state;
    gradus_model *parts[] = { train_model(1, web, NULL, models[0].pairs),
                              train_model(1, web, NULL, models[4].pairs) };
    gradus_options *options = gradus_options_new("ensemble", NULL);
    gradus_error err = { GRADUS_OK, "" };

    gradus_options_set(options, "way", "mean", NULL);
    gradus_model *model =
        gradus_ensemble(NULL, (const gradus_model *const *)parts, 2, web, options, &err);
    if (!model)
        fail_msg("%s", err.message);
    static const char *const against[] = { "query", "3" };

    for (size_t a = 0; a < 2; a++) {
        const size_t row = 25;
        gradus_explanation *whole =
            explain_by(model, web, &row, 1, NULL, PAIRS("against", against[a]), &err);
        if (!whole) {
            fail_msg("%s", err.message);
            return;
        }
        double sums[136] = { 0 };
        gradus_contributions c;

        assert_true(gradus_explanation_at(whole, 0, 0, &c));
        for (size_t k = 0; k < c.count; k++)
            sums[c.features[k]] += c.contributions[k];
        if (whole->exact)
            for (size_t m = 0; m < 2; m++) {
                double weight = 0.0;
                gradus_model *member = gradus_model_member(model, m, &weight, NULL);
                gradus_explanation *part =
                    explain_by(member, web, &row, 1, NULL, PAIRS("against", against[a]), NULL);

                assert_true(part && gradus_explanation_at(part, 0, 0, &c));
                for (size_t k = 0; k < c.count; k++)
                    sums[c.features[k]] -= weight * c.contributions[k];
                gradus_explanation_free(part);
                gradus_model_free(member);
            }
        for (size_t f = 0; whole->exact && f < 136; f++)
            CHECK_NEAR(sums[f], 0.0, 1e-10);
        gradus_explanation_free(whole);
    }
    gradus_model_free(model);
    gradus_model_free(parts[0]);
    gradus_model_free(parts[1]);
    gradus_options_free(options);
}

static void test_errors(void **state)
{
    (void)state;
    const struct {
        const char *const *pairs;
        size_t row;
        const char *message;
    } wrong[] = {
        { PAIRS("against", "nobody"), 0, "has no document 'nobody'" },
        { PAIRS("against", "99999"), 0, "has no document '99999'" },
        { PAIRS("output", "2"), 0, "output '2' is not" },
        { PAIRS("output", "first"), 0, "output 'first' is not" },
        { PAIRS("against", "mean"), 1000000, "row 1000000 is not among" },
    };
    gradus_model *model = train_model(1, web, NULL, models[0].pairs);

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        gradus_error err = { GRADUS_OK, "" };

        assert_null(explain_by(model, web, &wrong[i].row, 1, NULL, wrong[i].pairs, &err));
        assert_int_equal(err.status, GRADUS_BAD_ARGUMENT);
        if (!strstr(err.message, wrong[i].message))
            fail_msg("'%s' instead of '%s'", err.message, wrong[i].message);
    }
    gradus_model_free(model);
}

static void test_changed_features(void **state)
{
    (void)state;
    gradus_model *model = train_model(1, web, NULL, models[0].pairs);
    gradus_model *linear = train_model(1, web, NULL, models[3].pairs);
    gradus_permuted permuted[136], again[136];
    gradus_dependence points[8];
    uint64_t splits[136];
    size_t count = 8, used = 0, better = 0;
    const double *coefficients;

    assert_int_equal(gradus_permutation_importance(NULL, model, web, NULL, 2, 1, permuted, NULL),
                     GRADUS_OK);
    gradus_context *context = gradus_context_new(3, NULL);
    assert_int_equal(gradus_permutation_importance(context, model, web, NULL, 2, 1, again, NULL),
                     GRADUS_OK);
    assert_memory_equal(permuted, again, sizeof permuted);
    gradus_context_free(context);
    assert_int_equal(gradus_model_importance(model, NULL, splits, NULL), GRADUS_OK);
    for (size_t f = 0; f < 136; f++) {
        used += splits[f] > 0;
        better += permuted[f].importance > 0.0;
        if (!splits[f])
            assert_true(permuted[f].importance == 0.0);
        else
            assert_true(permuted[f].low <= permuted[f].importance &&
                        permuted[f].importance <= permuted[f].high);
    }
    assert_true(better > 0 && 2 * better > used);
    /* A linear model: a straight line of the slope of its coefficient. */
    assert_true(gradus_model_equation(linear, 0, NULL, &coefficients, NULL, NULL));
    assert_int_equal(gradus_partial_dependence(NULL, linear, web, 30, points, &count, NULL),
                     GRADUS_OK);
    assert_true(count > 2);
    for (size_t i = 1; i < count; i++) {
        assert_true(points[i].value > points[i - 1].value);
        CHECK_NEAR((points[i].score - points[0].score) / (points[i].value - points[0].value),
                   coefficients[30], 1e-6 * (1.0 + fabs(coefficients[30])));
    }
    assert_int_equal(gradus_partial_dependence(NULL, linear, web, 136, points, &count, NULL),
                     GRADUS_BAD_ARGUMENT);
    gradus_model_free(model);
    gradus_model_free(linear);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        one_thread_test(test_every_method), cmocka_unit_test(test_threads),
        one_thread_test(test_sampling),     one_thread_test(test_ensemble),
        one_thread_test(test_errors),       cmocka_unit_test(test_changed_features),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
