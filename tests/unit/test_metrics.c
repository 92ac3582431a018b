/* SPDX-License-Identifier: Apache-2.0 */
/* Every metric of the table under general checks, values of other tools, and hostile input. */
#include "evaluated_lists.h"

/* Four queries: ties, one with fewer documents than the cutoff, one without relevant documents. The
 * values of other tools below are for these. In Python:
 *   labels = np.array([3,0,2,1,0,2,0, 0,1,0,0,4, 1,0,2, 0,0,0,0.]); group = [7,5,3,4]
 *   scores = np.array([.875,.8125,.75,.75,.25,.1875,.125, .5,.5,.5,.25,.625, .125,.25,.375,
 *                      .5,.25,.75,.125]) */
static const float labels[19] = { 3, 0, 2, 1, 0, 2, 0, 0, 1, 0, 0, 4, 1, 0, 2, 0, 0, 0, 0 };
static const double scores[19] = { .875, .8125, .75,  .75, .25,  .1875, .125, .5,  .5,  .5,
                                   .25,  .625,  .125, .25, .375, .5,    .25,  .75, .125 };
static const uint64_t starts[5] = { 0, 7, 12, 15, 19 };
static const gr_lists four = { .queries = 4, .starts = starts, .labels = labels, .scores = scores };

static void check_mean(const char *const *options, double wanted, double within)
{
    CHECK_NEAR(mean_of(&four, options), wanted, within);
}

/* XGBoost 1.7.4: d = xgb.DMatrix(np.zeros((19,1)), label=labels); d.set_group(group);
 *   d.set_base_margin(scores)
 *   xgb.train({'objective':'rank:pairwise','eval_metric':M,'disable_default_eval_metric':1},
 *             d, 0).eval(d) */
static void test_values_of_xgboost(void **state)
{
    (void)state;
    check_mean(OPTIONS("metric", "ndcg@3", "convention", "xgboost"), 0.94335971644741723, 1e-14);
    check_mean(OPTIONS("metric", "ndcg@3", "convention", "xgboost", "empty", "zero"),
               0.69335971644741723, 1e-14); /* M = ndcg@3- */
    check_mean(OPTIONS("metric", "ndcg", "convention", "xgboost"), 0.96985443294941120, 1e-14);
    check_mean(OPTIONS("metric", "ndcg@5", "convention", "xgboost"), 0.94517145294985516, 1e-14);
    check_mean(OPTIONS("metric", "map", "convention", "xgboost"), 0.85937500000000000, 1e-14);
    check_mean(OPTIONS("metric", "map@2", "convention", "xgboost", "map-divisor", "relevant"),
               0.56250000000000000, 1e-14);
    check_mean(OPTIONS("metric", "map@2", "convention", "xgboost", "map-divisor", "relevant",
                       "empty", "zero"),
               0.31250000000000000, 1e-14); /* M = map@2- */
    check_mean(OPTIONS("metric", "p@2", "convention", "xgboost"), 0.375, 1e-14);
    check_mean(OPTIONS("metric", "p@5", "convention", "xgboost"), 0.34999999999999998, 1e-14);
    check_mean(OPTIONS("metric", "rmse"), 1.18602748037746841, 1e-14);
    check_mean(OPTIONS("metric", "mae"), 0.84868421052631582, 1e-14);
}

/* scikit-learn 1.2.1: ndcg_score([l],[s],k=3), ndcg_score([2**l-1],[s],k=3),
 *   dcg_score([2**l-1],[s],k=3) of each query; roc_auc_score(labels>=1,scores),
 *   roc_auc_score(labels>=2,scores), log_loss(labels>=1,scores),
 *   brier_score_loss(labels>=1,scores); average_precision_score(l>=1,s) of the third query.
 * scipy 1.10.1: kendalltau(l,s)[0] of each query, and of all rows. */
static void test_values_of_sklearn_and_scipy(void **state)
{
    static const double linear[3] = { 0.7126758125923768, 0.9451615156002345, 0.9502344167898356 };
    static const double power[3] = { 0.7697644779771182, 0.9837531629243222, 0.9639404333166532 };
    static const double dcg[3] = { 8.0, 15.376976584523819, 3.5 };
    static const double tau[3] = { 0.32539568672798425, 0.7142857142857142, 0.33333333333333337 };
    gr_evaluation found;

    (void)state;
    evaluate(&four, OPTIONS("metric", "ndcg@3,dcg@3,kendall,map"), &found);
    for (size_t q = 0; q < 3; q++) {
        CHECK_NEAR(found.values[0].by_query[q], power[q], 1e-15);
        CHECK_NEAR(found.values[1].by_query[q], dcg[q], 1e-14);
        CHECK_NEAR(found.values[2].by_query[q], tau[q], 1e-15);
    }
    CHECK_NEAR(found.values[3].by_query[2], 0.8333333333333333, 1e-15);
    gr_evaluation_end(&found);
    evaluate(&four, OPTIONS("metric", "ndcg@3", "gain", "linear"), &found);
    for (size_t q = 0; q < 3; q++)
        CHECK_NEAR(found.values[0].by_query[q], linear[q], 1e-15);
    gr_evaluation_end(&found);
    check_mean(OPTIONS("metric", "auc", "within", "all"), 0.6306818181818181, 1e-15);
    check_mean(OPTIONS("metric", "auc", "within", "all", "relevant", "2"), 0.6714285714285715,
               1e-15);
    check_mean(OPTIONS("metric", "kendall", "within", "all"), 0.23124864503144016, 1e-15);
    check_mean(OPTIONS("metric", "log-loss"), 0.692831420369714, 1e-15);
    check_mean(OPTIONS("metric", "brier"), 0.2421875, 1e-16);
}

/* e = 0; for b in range(bins): k = np.minimum((s*bins).astype(int),bins-1) == b
 *   e += abs(s[k].mean()-l[k].mean())*k.mean() */
static void test_calibration_error_by_bins(void **state)
{
    (void)state;
    check_mean(OPTIONS("metric", "ece", "bins", "5"), 0.1907894736842105, 1e-16);
    check_mean(OPTIONS("metric", "ece"), 0.28289473684210525, 1e-16);
    check_mean(OPTIONS("metric", "ece", "bins", "1"), 0.5 / 19, 1e-16);
}

static void test_push_of_power_one_is_one_less_auc(void **state)
{
    static const float two[5] = { 1, 0, 1, 0, 0 };
    static const double order[5] = { 5, 4, 3, 3, 1 };

    (void)state;
    check_mean(OPTIONS("metric", "push", "push-power", "1", "within", "all"),
               1 - 0.6306818181818181, 1e-15);
    /* 1, either 0 or 1, and 0 of 2 relevant documents are below the irrelevant ones */
    CHECK_NEAR(value_of(5, two, order, OPTIONS("metric", "push", "push-power", "3")),
               cbrt((1.0 / 8 + 1.0 / 16) / 3), 1e-15);
}

/* The worked example of docs/reference/metrics.md. */
static void test_the_worked_example(void **state)
{
    static const float worked[5] = { 3, 0, 2, 2, 0 };
    static const double by[5] = { 0.9, 0.7, 0.5, 0.5, 0.1 };
    const char *const *options = OPTIONS("metric", "ndcg@3,err,map,p@3,u-pairs", "max-grade", "4");
    const uint64_t bounds[2] = { 0, 5 };
    const gr_lists lists = { .queries = 1, .starts = bounds, .labels = worked, .scores = by };
    gr_evaluation found;

    (void)state;
    evaluate(&lists, options, &found);
    CHECK_NEAR(found.values[0].mean, 8.5 / (7 + 3 / log2(3) + 1.5), 1e-15);
    CHECK_NEAR(found.values[1].mean, 7.0 / 16 + 9.0 / 16 * (3.0 / 16 / 3 + 13.0 / 16 * 3 / 16 / 4),
               1e-15);
    CHECK_NEAR(found.values[2].mean, (1 + 2.0 / 3 + 3.0 / 4) / 3, 1e-15);
    CHECK_NEAR(found.values[3].mean, 2.0 / 3, 1e-15);
    CHECK_NEAR(found.values[4].mean, 6.0 / 8, 1e-15);
    gr_evaluation_end(&found);
}

/* ---- the table ---- */

static const char *named(const gr_metric *metric, char text[64], const char *depth)
{
    strcpy(text, metric->about.name);
    if (metric->takes_depth)
        strcat(text, depth);
    return text;
}

static void test_every_metric_describes_itself(void **state)
{
    size_t count = 0;

    (void)state;
    for (const gr_metric *metric; (metric = gr_metric_number(count)); count++) {
        assert_true(strlen(metric->about.summary) > 10 && strlen(metric->about.details) > 40);
        assert_true(strlen(metric->about.summary) < 75);
        assert_non_null(strstr(metric->about.details, "Cost: O("));
        assert_true(metric->low < metric->high);
        for (size_t other = 0; other < count; other++)
            assert_string_not_equal(metric->about.name, gr_metrics_at(other)->name);
    }
    assert_true(count >= 25);
    assert_null(gr_metrics_at(count));
}

typedef struct deck {
    size_t count;
    float labels[12];
    double scores[12];
} deck;

static deck draw(gr_rng *rng)
{
    deck cards = { .count = 1 + (size_t)gr_rng_below(rng, 12) };

    for (size_t i = 0; i < cards.count; i++) {
        cards.labels[i] = (float)gr_rng_below(rng, 4);
        cards.scores[i] = (double)gr_rng_below(rng, 9) / 8.0;
    }
    return cards;
}

/* Scores that the metric accepts: grades if it requires them. */
static const double *scores_for(const gr_metric *metric, const deck *cards, double grades[12])
{
    for (size_t i = 0; i < cards->count; i++)
        grades[i] = floor(3.99 * cards->scores[i]);
    return metric->grades ? grades : cards->scores;
}

/* Labels 0 0 1 2 2, predicted 0 1 1 2 0: three are right. Squared distances 1 and 4 against 35 / 5,
 * the sum over all 25 pairs; distances 1 and 2 against 23 / 5. */
static void test_agreement_of_grades_by_hand(void **state)
{
    const float truth[5] = { 0, 0, 1, 2, 2 };
    const double grades[5] = { 0, 1, 1, 2, 0 };

    (void)state;
    CHECK_NEAR(value_of(5, truth, grades, OPTIONS("metric", "accuracy")), 0.6, 1e-15);
    CHECK_NEAR(value_of(5, truth, grades, OPTIONS("metric", "kappa")), 1.0 - 5.0 / (35.0 / 5.0),
               1e-15);
    CHECK_NEAR(value_of(5, truth, grades, OPTIONS("metric", "kappa-linear")),
               1.0 - 3.0 / (23.0 / 5.0), 1e-15);
    assert_true(isnan(value_of(2, truth, grades, OPTIONS("metric", "kappa"))) == 0);
    assert_true(isnan(value_of(1, truth, grades, OPTIONS("metric", "kappa"))));
}

static void test_every_metric_stays_in_its_range(void **state)
{
    static const char *const rules[] = { "input", "pessimistic", "optimistic", "expected" };
    gr_rng rng = gr_rng_for(5, "range", 0);

    (void)state;
    for (int round = 0; round < 200; round++) {
        const deck cards = draw(&rng);

        for (size_t m = 0; gr_metric_number(m); m++) {
            const gr_metric *metric = gr_metric_number(m);
            char text[64];
            double grades[12];
            const double value =
                value_of(cards.count, cards.labels, scores_for(metric, &cards, grades),
                         OPTIONS("metric", named(metric, text, "@3"), "max-grade", "3", "ties",
                                 rules[round % 4]));

            if (isnan(value))
                continue;
            if (!(value >= metric->low && value <= metric->high))
                fail_msg("%s is %.17g", text, value);
        }
    }
}

/* Scores that rank documents by label are never worse than others, whatever the metric; except
 * errors against labels, whose best scores are the labels. */
static void test_the_ideal_order_is_never_worse(void **state)
{
    gr_rng rng = gr_rng_for(6, "ideal", 0);

    (void)state;
    for (int round = 0; round < 200; round++) {
        const deck cards = draw(&rng);

        for (size_t m = 0; gr_metric_number(m); m++) {
            const gr_metric *metric = gr_metric_number(m);
            const double sign = metric->lower_is_better ? -1.0 : 1.0;
            double best[12], grades[12];
            char text[64];

            for (size_t i = 0; i < cards.count; i++)
                best[i] = metric->probabilities ? cards.labels[i] >= 1.0f : (double)cards.labels[i];
            named(metric, text, round % 2 ? "@3" : "");
            const double value =
                value_of(cards.count, cards.labels, scores_for(metric, &cards, grades),
                         OPTIONS("metric", text, "max-grade", "3"));
            const double ideal = value_of(cards.count, cards.labels, best,
                                          OPTIONS("metric", text, "max-grade", "3"));

            if (metric->grades && (isnan(value) || isnan(ideal)))
                continue; /* a single grade */
            assert_int_equal(isnan(value), isnan(ideal));
            if (!isnan(value))
                assert_true(sign * ideal >= sign * value - 1e-14);
        }
    }
}

static void test_a_depth_past_the_end_changes_nothing_but_p(void **state)
{
    gr_rng rng = gr_rng_for(8, "depth", 0);

    (void)state;
    for (int round = 0; round < 50; round++) {
        const deck cards = draw(&rng);

        for (size_t m = 0; gr_metric_number(m); m++) {
            const gr_metric *metric = gr_metric_number(m);
            char text[64];

            if (!metric->takes_depth)
                continue;
            const double deep =
                value_of(cards.count, cards.labels, cards.scores,
                         OPTIONS("metric", named(metric, text, "@999999"), "short", "cut"));
            const double whole = value_of(cards.count, cards.labels, cards.scores,
                                          OPTIONS("metric", metric->about.name));

            CHECK_NEAR(deep, whole, 0.0);
        }
    }
}

static void test_an_empty_list_has_no_value(void **state)
{
    static const uint64_t none[3] = { 0, 0, 2 };
    static const float two[2] = { 1, 0 };
    static const double one_zero[2] = { 1, 0 };
    const gr_lists lists = { .queries = 2, .starts = none, .labels = two, .scores = one_zero };

    (void)state;
    for (size_t m = 0; gr_metric_number(m); m++) {
        gr_evaluation found;

        evaluate(&lists, OPTIONS("metric", gr_metric_number(m)->about.name), &found);
        assert_true(isnan(found.values[0].by_query[0]));
        assert_true(!isnan(found.values[0].by_query[1]));
        assert_int_equal(found.values[0].counted, 1);
        assert_int_equal(found.values[0].empty, 1);
        gr_evaluation_end(&found);
    }
}

/* ---- pairs ---- */

static double pairs_by_force(const deck *cards, double (*weight)(const deck *, float, float))
{
    double sum = 0.0;

    for (size_t i = 0; i < cards->count; i++)
        for (size_t j = 0; j < cards->count; j++)
            if (cards->labels[i] > cards->labels[j])
                sum += weight(cards, cards->labels[j], cards->labels[i]) *
                       (cards->scores[i] < cards->scores[j]
                            ? 1.0
                            : 0.5 * (cards->scores[i] == cards->scores[j]));
    return sum;
}

static double number_of(const deck *cards, float low, float high)
{
    double count = 0.0;

    for (size_t i = 0; i < cards->count; i++)
        if (cards->labels[i] >= low && cards->labels[i] <= high)
            count++;
    return count;
}

static double weight_ovo(const deck *cards, float low, float high)
{
    double levels = 0.0;

    for (float l = 0; l < 4; l++)
        levels += number_of(cards, l, l) > 0;
    return 2 / (levels * (levels - 1) * number_of(cards, low, low) * number_of(cards, high, high));
}

static double weight_cons(const deck *cards, float low, float high)
{
    double sum = 0.0, levels = 0.0;

    for (float l = 0; l < 4; l++)
        levels += number_of(cards, l, l) > 0;
    for (float l = low; l < high; l++)
        if (number_of(cards, l, l) > 0)
            sum += 1 / (number_of(cards, 0, l) * number_of(cards, l + 1, 9));
    return sum / (levels - 1);
}

static double weight_squared(const deck *cards, float low, float high)
{
    double pairs = 0.0;

    for (float l = 0; l < 4; l++)
        pairs += number_of(cards, l, l) * number_of(cards, l + 1, 9);
    return (double)((high - low) * (high - low)) / pairs;
}

static void test_pair_metrics_equal_brute_force_and_their_costs(void **state)
{
    gr_rng rng = gr_rng_for(9, "pairs", 0);
    size_t compared = 0;

    (void)state;
    for (int round = 0; round < 300; round++) {
        const deck c = draw(&rng);

        if (number_of(&c, c.labels[0], c.labels[0]) == (double)c.count)
            continue;
        compared++;
        CHECK_NEAR(value_of(c.count, c.labels, c.scores, OPTIONS("metric", "u-ovo")),
                   1 - pairs_by_force(&c, weight_ovo), 1e-14);
        CHECK_NEAR(value_of(c.count, c.labels, c.scores, OPTIONS("metric", "u-cons")),
                   1 - pairs_by_force(&c, weight_cons), 1e-14);
        CHECK_NEAR(
            value_of(c.count, c.labels, c.scores, OPTIONS("metric", "risk", "cost", "squared")),
            pairs_by_force(&c, weight_squared), 1e-14);
        for (int u = 0; u < 3; u++) {
            static const char *const measures[] = { "u-pairs", "u-ovo", "u-cons" };
            static const char *const costs[] = { "pairs", "ovo", "cons" };

            CHECK_NEAR(
                value_of(c.count, c.labels, c.scores, OPTIONS("metric", "risk", "cost", costs[u])),
                1 - value_of(c.count, c.labels, c.scores, OPTIONS("metric", measures[u])), 1e-14);
        }
    }
    assert_true(compared > 200);
}

/* ---- weights, threads, overflow ---- */

static void test_weights_of_queries_and_rows(void **state)
{
    static const float query_weights[4] = { 1, 2, 0.5f, 8 };
    static float row_weights[19];
    gr_lists weighted = four;
    gr_evaluation found;
    double sum = 0.0, all = 0.0;

    (void)state;
    for (int r = 0; r < 19; r++)
        row_weights[r] = (float)(1 + r % 3);
    weighted.query_weights = query_weights;
    weighted.row_weights = row_weights;
    evaluate(&weighted, OPTIONS("metric", "ndcg@3,mse"), &found);
    CHECK_NEAR(found.values[0].mean,
               (0.7697644779771182 + 2 * 0.9837531629243222 + 0.5 * 0.9639404333166532) / 3.5,
               1e-15);
    for (int r = 0; r < 19; r++) {
        sum += (double)row_weights[r] * pow((double)labels[r] - scores[r], 2);
        all += (double)row_weights[r];
    }
    CHECK_NEAR(found.values[1].mean, sum / all, 1e-15);
    gr_evaluation_end(&found);
}

static void test_threads_do_not_change_a_bit(void **state)
{
    enum { QUERIES = 999, ROWS = QUERIES * 20 };
    static float many_labels[ROWS];
    static double many_scores[ROWS];
    static uint64_t many_starts[QUERIES + 1];
    const gr_lists many = {
        .queries = QUERIES, .starts = many_starts, .labels = many_labels, .scores = many_scores
    };
    gr_rng rng = gr_rng_for(10, "threads", 0);
    gr_pool *pool = gr_pool_new(4, NULL);
    gr_evaluation one, several;
    gr_evaluate_options options;

    (void)state;
    for (size_t r = 0; r < ROWS; r++) {
        many_labels[r] = (float)gr_rng_below(&rng, 5);
        many_scores[r] = (double)gr_rng_below(&rng, 30);
    }
    for (size_t q = 0; q <= QUERIES; q++)
        many_starts[q] = q * 20;
    assert_int_equal(gr_options_get(NULL, &gr_operation_evaluate, &options, NULL), GRADUS_OK);
    options.metric = "ndcg@10,err,map,u-cons,risk,kendall,rmse,mean-ndcg";
    assert_int_equal(gr_evaluate(&many, &options, NULL, &one, NULL), GRADUS_OK);
    assert_int_equal(gr_evaluate(&many, &options, pool, &several, NULL), GRADUS_OK);
    for (size_t m = 0; m < one.measures.count; m++) {
        assert_memory_equal(&one.values[m].mean, &several.values[m].mean, sizeof(double));
        assert_memory_equal(one.values[m].by_query, several.values[m].by_query,
                            QUERIES * sizeof(double));
        assert_int_equal(one.values[m].empty, several.values[m].empty);
    }
    gr_evaluation_end(&one);
    gr_evaluation_end(&several);
    gr_pool_free(pool);
}

static void test_the_largest_grades_do_not_overflow(void **state)
{
    static const float huge[5] = { 1023, 1023, 0, 1023, 1022 };
    static const double any[5] = { 1, 2, 3, 4, 5 };
    const double d[5] = { 1, 1 / log2(3), 0.5, 1 / log2(5), 1 / log2(6) };
    const uint64_t bounds[2] = { 0, 5 };
    static const double best[5] = { 5, 4, 1, 3, 2 };
    const gr_lists lists = { .queries = 1, .starts = bounds, .labels = huge, .scores = best };

    (void)state;
    /* ranked 1022 1023 0 1023 1023 */
    CHECK_NEAR(value_of(5, huge, any, OPTIONS("metric", "ndcg")),
               (0.5 * d[0] + d[1] + d[3] + d[4]) / (d[0] + d[1] + d[2] + 0.5 * d[3]), 1e-15);
    CHECK_NEAR(value_of(5, huge, any, OPTIONS("metric", "err")), 0.5 + 0.5 / 2, 1e-15);
    check_refused(&lists, OPTIONS("metric", "dcg"), "dcg overflows a double");
    check_refused(&lists, OPTIONS("metric", "risk", "cost", "oerr"),
                  "cost 'oerr' is infinite for grade 1023");
}

/* ---- hostile input ---- */

static void check_message(const char *const *options, const char *message)
{
    check_refused(&four, options, message);
}

static void test_wrong_metrics_are_refused(void **state)
{
    (void)state;
    check_message(OPTIONS("metric", "ngcd@10"), "unknown metric 'ngcd'; did you mean 'ndcg'?");
    check_message(OPTIONS("metric", "ndcg@1,3,5"),
                  "'3' is not a metric: repeat the name, as in 'ndcg@1,ndcg@3'");
    check_message(OPTIONS("metric", "ndcg@"), "the cutoff of metric 'ndcg@' must be a whole number "
                                              "from 1, not ''");
    check_message(OPTIONS("metric", "map@0"),
                  "the cutoff of metric 'map@0' must be a whole number from 1, not '0'");
    check_message(OPTIONS("metric", "map@-3"),
                  "the cutoff of metric 'map@-3' must be a whole number from 1, not '-3'");
    check_message(OPTIONS("metric", "map@99999999999999999999"),
                  "the cutoff of metric 'map@99999999999999999999' must be a whole number from 1, "
                  "not '99999999999999999999'");
    check_message(OPTIONS("metric", "auc@10"), "metric 'auc@10' takes no cutoff: write 'auc'");
    check_message(OPTIONS("metric", "map,,auc"), "a metric is missing: write 'ndcg@10,map'");
    check_message(OPTIONS("metric", ""), "a metric is missing: write 'ndcg@10,map'");
    check_message(OPTIONS("convention", "letor5"),
                  "unknown value of 'convention': 'letor5'; did you mean 'letor3'?");
    check_message(OPTIONS("metric", "risk", "cost", "squard"),
                  "unknown cost 'squard'; did you mean 'squared'?");
}

static void test_wrong_numbers_are_refused(void **state)
{
    static const float two[2] = { 1, 2000 }, minus[2] = { 1, -1 }, half[2] = { 1, 0.5f };
    static const float none[2] = { NAN, 1 };
    static const double fine[2] = { 0.5, 1 }, nan[2] = { 1, NAN }, above[2] = { 0, 1.25 };
    static const uint64_t bounds[2] = { 0, 2 }, rows[2] = { 7, 4 };
    gr_lists lists = { .queries = 1, .starts = bounds, .labels = two, .scores = fine };

    (void)state;
    check_refused(
        &lists, OPTIONS("metric", "ndcg"),
        "row 2: label 2000 is not a grade: exponential gain takes whole numbers from 0 to "
        "1023");
    lists.labels = minus;
    lists.file_rows = rows;
    check_refused(&lists, OPTIONS("metric", "ndcg"),
                  "row 5: label -1 is not a grade: exponential gain takes whole numbers from 0 to "
                  "1023");
    check_refused(&lists, OPTIONS("metric", "dcg", "gain", "linear"),
                  "row 5: label -1 is negative: linear gain takes labels >= 0");
    CHECK_NEAR(mean_of(&lists, OPTIONS("metric", "mae")), 1.25, 0.0);
    CHECK_NEAR(mean_of(&lists, OPTIONS("metric", "u-pairs")), 0.0, 0.0);
    lists.labels = half;
    check_refused(&lists, OPTIONS("metric", "risk"),
                  "row 5: label 0.5 is not a grade: risk takes whole numbers from 0 to 1023");
    CHECK_NEAR(mean_of(&lists, OPTIONS("metric", "ndcg@1", "gain", "linear")), 0.5, 0.0);
    lists.labels = none;
    check_refused(&lists, OPTIONS("metric", "mse"), "row 8: label is nan, not a finite number");
    lists.labels = half;
    lists.scores = nan;
    check_refused(&lists, OPTIONS("metric", "map"), "row 5: score is nan, not a finite number");
    lists.scores = above;
    check_refused(&lists, OPTIONS("metric", "map,brier"),
                  "row 5: score 1.25 is not a probability: brier takes scores from 0 to 1");
}

/* Labels 2, 0, 1 in rank order have gains 3, 0, 1; with p = 2 the discounts are 4/9, 1/9, 0. Tied
 * documents share the mean gain. */
static void test_gains_with_other_discounts(void **state)
{
    static const float graded[] = { 2, 0, 1 };
    static const double order[] = { 3, 2, 1 }, tied[] = { 2, 2, 1 };

    (void)state;
    CHECK_NEAR(value_of(3, graded, order, OPTIONS("metric", "gain-push", "push-power", "2")),
               4.0 / 3.0, 1e-12);
    CHECK_NEAR(value_of(3, graded, tied, OPTIONS("metric", "gain-push", "push-power", "2")),
               1.5 * 5.0 / 9.0, 1e-12);
    CHECK_NEAR(value_of(3, graded, order, OPTIONS("metric", "dcg", "discount", "rank")),
               3.0 + 1.0 / 3.0, 1e-12);
    CHECK_NEAR(value_of(3, graded, order, OPTIONS("metric", "dcg", "discount", "none")), 4.0,
               1e-12);
    CHECK_NEAR(value_of(3, graded, order,
                        OPTIONS("metric", "dcg", "discount", "rank", "label-gain", "0,1,5")),
               5.0 + 1.0 / 3.0, 1e-12);
    /* any discounts: the last one applies to all further ranks */
    CHECK_NEAR(value_of(3, graded, order, OPTIONS("metric", "dcg", "rank-discounts", "1,.5")),
               3.0 + 0.5, 1e-12);
    CHECK_NEAR(value_of(3, graded, order, OPTIONS("metric", "dcg", "rank-discounts", "4,2,0")),
               12.0, 1e-12);
    CHECK_NEAR(value_of(3, graded, tied, OPTIONS("metric", "ndcg", "rank-discounts", "4,2,1")),
               (1.5 * 6.0 + 1.0) / (3.0 * 4.0 + 2.0), 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gains_with_other_discounts),
        cmocka_unit_test(test_values_of_xgboost),
        cmocka_unit_test(test_values_of_sklearn_and_scipy),
        cmocka_unit_test(test_calibration_error_by_bins),
        cmocka_unit_test(test_push_of_power_one_is_one_less_auc),
        cmocka_unit_test(test_the_worked_example),
        cmocka_unit_test(test_agreement_of_grades_by_hand),
        cmocka_unit_test(test_every_metric_describes_itself),
        cmocka_unit_test(test_every_metric_stays_in_its_range),
        cmocka_unit_test(test_the_ideal_order_is_never_worse),
        cmocka_unit_test(test_a_depth_past_the_end_changes_nothing_but_p),
        cmocka_unit_test(test_an_empty_list_has_no_value),
        cmocka_unit_test(test_pair_metrics_equal_brute_force_and_their_costs),
        cmocka_unit_test(test_weights_of_queries_and_rows),
        cmocka_unit_test(test_threads_do_not_change_a_bit),
        cmocka_unit_test(test_the_largest_grades_do_not_overflow),
        cmocka_unit_test(test_wrong_metrics_are_refused),
        cmocka_unit_test(test_wrong_numbers_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
