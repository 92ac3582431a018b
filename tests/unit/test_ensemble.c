/* SPDX-License-Identifier: Apache-2.0 */
/* Ensembles: every way of combining members that have different transforms against the members'
 * scores combined by hand, given weights, exponential weights, and what is refused. */
#include "checks.h"
#include "synthetic_sets.h"
#include "train_model.h"

#include "ensembles/standardise.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

enum { MEMBERS = 3, QUERIES = 8, MAX_ROWS = 200, GRADES = 5 };

static gradus_dataset *train, *valid, *test;
static size_t rows; /* of test */
/* Without probabilities: trees, a standardised linear model, and a net by query. With: two methods. */
static gradus_model *scored[MEMBERS], *graded[MEMBERS];

static gradus_dataset *make(const char *queries, const char *first)
{
    return make_synth(1, "web", PAIRS("queries", queries, "documents", "15", "first-query", first));
}

static int set_up(void **state)
{
    (void)state;
    train = make("20", "1");
    valid = make("8", "101");
    test = make("8", "201");
    rows = gradus_dataset_rows(test);
    assert_true(rows <= MAX_ROWS && gradus_dataset_rows(valid) <= MAX_ROWS);
    scored[0] = train_model(1, train, NULL, PAIRS("method", "lambdamart", "rounds", "8"));
    scored[1] = train_model(1, train, NULL,
                            PAIRS("method", "crr", "transform", "standardise", "steps", "5000"));
    scored[2] = train_model(1, train, NULL,
                            PAIRS("method", "listnet", "transform", "query", "rounds", "3"));
    graded[0] = train_model(1, train, NULL, PAIRS("method", "mcrank", "rounds", "4"));
    graded[1] = train_model(
        1, train, NULL, PAIRS("method", "propodds", "learner", "linear", "transform", "minmax"));
    graded[2] = train_model(1, train, NULL,
                            PAIRS("method", "cocr", "learner", "linear", "transform", "query"));
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    for (size_t m = 0; m < MEMBERS; m++) {
        gradus_model_free(scored[m]);
        gradus_model_free(graded[m]);
    }
    gradus_dataset_free(train);
    gradus_dataset_free(valid);
    gradus_dataset_free(test);
    return 0;
}

static gradus_model *combined(gradus_model *const *members, size_t count,
                              const gradus_dataset *data, const char *const *pairs,
                              gradus_error *err)
{
    gradus_options *options = gradus_options_new("ensemble", NULL);
    gradus_model *made;

    for (; *pairs; pairs += 2)
        assert_int_equal(gradus_options_set(options, pairs[0], pairs[1], err), GRADUS_OK);
    made = gradus_ensemble(NULL, (const gradus_model *const *)members, count, data, options, err);
    gradus_options_free(options);
    return made;
}

static gradus_model *must_combine(gradus_model *const *members, const char *const *pairs)
{
    gradus_error err = { GRADUS_OK, "" };
    gradus_model *made = combined(members, MEMBERS, valid, pairs, &err);

    if (!made)
        fail_msg("%s: %s", pairs[1], err.message);
    return made;
}

static void refuses(gradus_model *const *members, const gradus_dataset *data,
                    const char *const *pairs, const char *why)
{
    gradus_error err = { GRADUS_OK, "" };
    gradus_model *made = combined(members, MEMBERS, data, pairs, &err);

    assert_null(made);
    if (!strstr(err.message, why))
        fail_msg("'%s' does not contain '%s'", err.message, why);
}

static void score_test(const gradus_model *model, double *scores)
{
    gradus_error err = { GRADUS_OK, "" };

    if (gradus_model_score(NULL, model, test, scores, &err) != GRADUS_OK)
        fail_msg("%s", err.message);
}

/* ---- Standardised scores ---- */

static void test_standardised_scores(void **state)
{
    static const double scores[] = { 2, 4, 4, 4, 5, 5, 7, 9 }; /* mean 5, deviation 2 */
    static const double huge[] = { -DBL_MAX, DBL_MAX, DBL_MAX, -DBL_MAX };
    static const double close[] = { 1.0, 1.0 + DBL_EPSILON };
    const gr_standard s = gr_standard_fit(scores, 8), h = gr_standard_fit(huge, 4);
    const gr_standard flat = gr_standard_fit(scores + 1, 3), one = gr_standard_fit(scores, 1);
    const gr_standard two = gr_standard_fit(close, 2);

    (void)state;
    for (size_t i = 0; i < 8; i++)
        CHECK_NEAR(gr_standardised(&s, scores[i]), (scores[i] - 5.0) / 2.0, 1e-15);
    for (size_t i = 0; i < 4; i++)
        CHECK_NEAR(gr_standardised(&h, huge[i]), huge[i] > 0.0 ? 1.0 : -1.0, 1e-15);
    assert_true(gr_standardised(&flat, 4.0) == 0.0 && gr_standardised(&one, 2.0) == 0.0);
    assert_true(gr_standardised(&two, close[0]) < gr_standardised(&two, close[1]));
}

/* ---- Every way, by hand ---- */

/* The scores of a query. */
typedef struct scored_query {
    const double *scores;
    size_t rows;
} scored_query;

/* Mean rank of row r, from 1 for the largest score. */
static double rank_of(scored_query q, size_t r)
{
    double above = 0.0, tied = 0.0;

    for (size_t i = 0; i < q.rows; i++) {
        above += q.scores[i] > q.scores[r];
        tied += q.scores[i] == q.scores[r];
    }
    return above + 0.5 * (tied + 1.0);
}

static double z_score(scored_query q, size_t r)
{
    double mean = 0.0, squares = 0.0;

    for (size_t i = 0; i < q.rows; i++)
        mean += q.scores[i] / (double)q.rows;
    for (size_t i = 0; i < q.rows; i++)
        squares += (q.scores[i] - mean) * (q.scores[i] - mean);
    return squares > 0.0 ? (q.scores[r] - mean) / sqrt(squares / (double)q.rows) : 0.0;
}

static double part_of(const char *combination, scored_query q, size_t r)
{
    if (strcmp(combination, "borda") == 0)
        return ((double)q.rows - rank_of(q, r)) / (double)(q.rows - 1);
    if (strcmp(combination, "reciprocal-rank") == 0)
        return 1.0 / (60.0 + rank_of(q, r));
    if (strcmp(combination, "standardized") == 0)
        return z_score(q, r);
    assert_string_equal(combination, "weighted-sum");
    return q.scores[r];
}

/* The scores of an ensemble are the members' scores, combined by the rule and the weights that the
 * ensemble states. Members that were left out have no weight. */
static void check_scores(gradus_model *const *members, const gradus_model *made)
{
    static double own[MEMBERS][MAX_ROWS], found[MAX_ROWS];
    gradus_model_info facts;
    gradus_arrays arrays;
    double weights[MEMBERS] = { 0 };

    gradus_model_describe(made, &facts);
    assert_int_equal(facts.members, MEMBERS);
    for (size_t m = 0; m < MEMBERS; m++) {
        gradus_model_free(gradus_model_member(made, m, &weights[m], NULL));
        score_test(members[m], own[m]);
    }
    score_test(made, found);
    assert_int_equal(gradus_dataset_arrays(NULL, test, &arrays, NULL), GRADUS_OK);
    for (size_t q = 0; q < arrays.queries; q++)
        for (size_t r = arrays.query_starts[q]; r < arrays.query_starts[q + 1]; r++) {
            const size_t first = (size_t)arrays.query_starts[q];
            double wanted = 0.0;

            for (size_t m = 0; m < MEMBERS; m++) {
                const scored_query own_query = { own[m] + first,
                                                 (size_t)arrays.query_starts[q + 1] - first };

                wanted += weights[m] * part_of(facts.combination, own_query, r - first);
            }
            CHECK_NEAR(found[r], wanted, 1e-9 * fmax(1.0, fabs(wanted)));
        }
}

static void check_probabilities(const gradus_model *made)
{
    static double own[MEMBERS][MAX_ROWS * GRADES], found[MAX_ROWS * GRADES];
    gradus_model_info facts;
    double weights[MEMBERS] = { 0 };

    gradus_model_describe(made, &facts);
    assert_int_equal(facts.members, MEMBERS);
    assert_int_equal(facts.grades, GRADES);
    for (size_t m = 0; m < MEMBERS; m++) {
        gradus_model_free(gradus_model_member(made, m, &weights[m], NULL));
        assert_int_equal(gradus_model_probabilities(NULL, graded[m], test, own[m], NULL),
                         GRADUS_OK);
    }
    assert_int_equal(gradus_model_probabilities(NULL, made, test, found, NULL), GRADUS_OK);
    for (size_t i = 0; i < rows * GRADES; i++) {
        double wanted = 0.0;

        for (size_t m = 0; m < MEMBERS; m++)
            wanted += weights[m] * own[m][i];
        CHECK_NEAR(found[i], wanted, 1e-12);
    }
}

static const struct {
    const char *const *pairs;
    bool probabilities; /* of members that have them */
} ways[] = {
    { PAIRS("way", "exponential", "rates", "1"), true },
    { PAIRS("way", "mean"), true },
    { PAIRS("way", "stacking"), false },
    { PAIRS("way", "borda"), false },
    { PAIRS("way", "reciprocal-rank"), false },
    { PAIRS("way", "standardized"), false },
    { PAIRS("way", "selection", "bags", "40"), true },
    { PAIRS("way", "weights", "weights", "2,1,1"), false },
    { PAIRS("way", "weights", "weights", "2,1,1", "probabilities", "true"), true },
};

/* Members with different transforms, in each order, so that the transform of the first one is none,
 * fitted to the data, or fitted to each query. */
static void test_every_way_with_different_transforms(void **state)
{
    (void)state;
    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++)
        for (size_t first = 0; first < MEMBERS; first++) {
            gradus_model *in_order[MEMBERS], *made;

            for (size_t m = 0; m < MEMBERS; m++)
                in_order[m] = scored[(first + m) % MEMBERS];
            if (!ways[w].probabilities || w + 1 < sizeof ways / sizeof *ways) {
                made = must_combine(in_order, ways[w].pairs);
                check_scores(in_order, made);
                gradus_model_free(made);
            }
            made = must_combine(graded, ways[w].pairs);
            if (ways[w].probabilities)
                check_probabilities(made);
            else
                check_scores(graded, made);
            gradus_model_free(made);
        }
}

/* An ensemble of standardised scores as a member of another. */
static void test_nested(void **state)
{
    gradus_model *inner = must_combine(scored, PAIRS("way", "standardized"));
    gradus_model *members[] = { inner, graded[1], scored[0] };
    gradus_model *outer = must_combine(members, PAIRS("way", "weights", "weights", "1,2,5"));

    (void)state;
    check_scores(members, outer);
    gradus_model_free(outer);
    gradus_model_free(inner);
}

/* ---- Given weights ---- */

static void test_given_weights(void **state)
{
    gradus_model *made = must_combine(scored, PAIRS("way", "weights", "weights", "6,0,2"));
    gradus_model_info facts;
    double weight;

    (void)state;
    gradus_model_describe(made, &facts);
    assert_string_equal(facts.combination, "standardized");
    assert_int_equal(facts.members, 2); /* without the one of weight 0 */
    gradus_model_free(gradus_model_member(made, 0, &weight, NULL));
    CHECK_NEAR(weight, 0.75, 1e-15);
    gradus_model_free(gradus_model_member(made, 1, &weight, NULL));
    CHECK_NEAR(weight, 0.25, 1e-15);
    gradus_model_free(made);
}

static void test_what_is_refused(void **state)
{
    (void)state;
    refuses(scored, NULL, PAIRS("way", "weights"), "needs the option 'weights'");
    refuses(scored, NULL, PAIRS("weights", "1,1,1"), "needs way 'weights', not 'exponential'");
    refuses(scored, NULL, PAIRS("way", "weights", "weights", "1,1"), "has 2 numbers for 3 members");
    refuses(scored, NULL, PAIRS("way", "weights", "weights", "1,1,1,1"), "at most 3 numbers");
    refuses(scored, NULL, PAIRS("way", "weights", "weights", "1,-1,1"), "'weights' takes a number");
    refuses(scored, NULL, PAIRS("way", "weights", "weights", "0,0,0"), "all weights");
    refuses(scored, NULL, PAIRS("way", "weights", "weights", "1,1,1", "probabilities", "true"),
            "model 1 gives no probabilities");
    refuses(graded, NULL, PAIRS("way", "standardized", "probabilities", "true"),
            "'standardized' combines scores");
    refuses(scored, NULL, PAIRS("way", "selection"), "needs validation data: --valid FILE");
    gradus_dataset *two = make_synth(1, "mcrank", PAIRS("queries", "5", "features", "136"));
    gradus_model *other = train_model(1, two, NULL, PAIRS("method", "mcrank", "rounds", "1"));
    gradus_model *members[] = { graded[0], other, graded[1] };
    gradus_model_info facts;

    gradus_model_describe(other, &facts);
    if (facts.grades != GRADES)
        refuses(members, NULL, PAIRS("way", "weights", "weights", "1,1,1", "probabilities", "true"),
                "models 1 and 2 give probabilities of different grades");
    gradus_model_free(other);
    gradus_dataset_free(two);
}

/* ---- Exponential weights ---- */

/* Regression on the labels of other rows. */
static gradus_model *poor_member(size_t distance)
{
    const size_t count = gradus_dataset_rows(train);
    float *labels = calloc(count, sizeof *labels);
    gradus_arrays arrays;

    assert_non_null(labels);
    assert_int_equal(gradus_dataset_arrays(NULL, train, &arrays, NULL), GRADUS_OK);
    for (size_t r = 0; r < count; r++)
        labels[r] = arrays.labels[(r + distance) % count];
    arrays.labels = labels;
    gradus_dataset *data = gradus_dataset_borrow(&arrays, NULL);
    gradus_model *model = train_model(1, data, NULL, PAIRS("method", "regression", "rounds", "3"));

    gradus_dataset_free(data);
    free(labels);
    return model;
}

enum { RATES = 6 };

typedef struct tried {
    double value, by_query[QUERIES], largest;
    double weights[MEMBERS];
} tried;

/* An ensemble with one rate, on the validation data. */
static tried try_rate(gradus_model *const *members, const char *rate)
{
    gradus_model *made = must_combine(members, PAIRS("rates", rate));
    tried t = { .largest = 0.0 };
    gradus_options *options = gradus_options_new("evaluate", NULL);
    static double scores[MAX_ROWS];
    gradus_result result;

    gradus_options_set(options, "metric", "ndcg@10", NULL);
    assert_int_equal(gradus_model_score(NULL, made, valid, scores, NULL), GRADUS_OK);
    gradus_evaluation *e = gradus_evaluate(NULL, valid, scores, options, NULL);

    assert_true(gradus_evaluation_at(e, 0, &result));
    t.value = result.mean;
    memcpy(t.by_query, result.by_query, sizeof t.by_query);
    for (size_t m = 0; m < MEMBERS; m++)
        gradus_model_free(gradus_model_member(made, m, &t.weights[m], NULL));
    gradus_evaluation_free(e);
    gradus_options_free(options);
    gradus_model_free(made);
    return t;
}

/* Queries without a relevant row have no value. */
static bool as_good(const tried *best, const tried *other)
{
    double mean = 0.0, squares = 0.0, count = 0.0;

    for (size_t q = 0; q < QUERIES; q++)
        if (!isnan(best->by_query[q])) {
            mean += best->by_query[q] - other->by_query[q];
            count += 1.0;
        }
    mean /= count;
    for (size_t q = 0; q < QUERIES; q++)
        if (!isnan(best->by_query[q])) {
            const double d = best->by_query[q] - other->by_query[q] - mean;

            squares += d * d;
        }
    return mean <= sqrt(squares / (count - 1.0) / count);
}

/* The smallest rate that is within one standard error of the best, among those that leave the
 * members other than the best at least a tenth of the weight. Members without probabilities of the
 * same grades, so that weights include the scaling to [0, 1]: it is that of rate 0. */
static void test_exponential_weights_do_not_degenerate(void **state)
{
    static const char *const rates[RATES] = { "0", "1", "4", "10", "40", "200" };
    gradus_model *members[] = { scored[0], poor_member(31), poor_member(77) };
    tried all[RATES];
    size_t best = 0, chosen, allowed = 0;

    (void)state;
    for (size_t i = 0; i < RATES; i++) {
        double sum = 0.0;

        all[i] = try_rate(members, rates[i]);
        for (size_t m = 0; m < MEMBERS; m++)
            sum += all[i].weights[m] / all[0].weights[m];
        for (size_t m = 0; m < MEMBERS; m++)
            all[i].largest = fmax(all[i].largest, all[i].weights[m] / all[0].weights[m] / sum);
        if (all[i].largest <= 0.9) {
            allowed++;
            best = all[i].value > all[best].value ? i : best;
        }
    }
    assert_in_range(allowed, 2, RATES - 1);
    assert_true(all[RATES - 1].largest > 0.99);
    for (chosen = 0; chosen < best && !as_good(&all[best], &all[chosen]);)
        chosen++;
    const tried found = try_rate(members, "200,0,40,1,10,4");

    for (size_t m = 0; m < MEMBERS; m++)
        CHECK_NEAR(found.weights[m], all[chosen].weights[m], 1e-15);
    gradus_model_free(members[1]);
    gradus_model_free(members[2]);
}

/* ---- Distillation ---- */

static double spread_of(const double *scores)
{
    double mean = 0.0, squares = 0.0;

    for (size_t r = 0; r < rows; r++)
        mean += scores[r] / (double)rows;
    for (size_t r = 0; r < rows; r++)
        squares += (scores[r] - mean) * (scores[r] - mean) / (double)rows;
    return squares;
}

/* Of a forest, and of an ensemble whose scores are negative for half of the rows. */
static void test_a_distilled_model_scores_nearly_like_it(void **state)
{
    static double scores[MAX_ROWS], learned[MAX_ROWS];
    gradus_model *fused = must_combine(scored, PAIRS("way", "standardized"));
    const gradus_model *const teachers[] = { scored[0], fused };
    gradus_options *options =
        train_options(PAIRS("rounds", "300", "leaves", "8", "learning-rate", "0.2"));

    (void)state;
    for (size_t t = 0; t < 2; t++) {
        gradus_error err = { GRADUS_OK, "" };
        gradus_model *made = gradus_distil(NULL, teachers[t], test, options, &err);
        double errors = 0.0;

        if (!made)
            fail_msg("%s", err.message);
        score_test(teachers[t], scores);
        score_test(made, learned);
        for (size_t r = 0; r < rows; r++)
            errors += (learned[r] - scores[r]) * (learned[r] - scores[r]) / (double)rows;
        assert_true(errors < 0.02 * spread_of(scores));
        gradus_model_free(made);
    }
    gradus_options_free(options);
    gradus_model_free(fused);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_standardised_scores),
        cmocka_unit_test(test_every_way_with_different_transforms),
        cmocka_unit_test(test_nested),
        cmocka_unit_test(test_given_weights),
        cmocka_unit_test(test_what_is_refused),
        cmocka_unit_test(test_exponential_weights_do_not_degenerate),
        cmocka_unit_test(test_a_distilled_model_scores_nearly_like_it),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
