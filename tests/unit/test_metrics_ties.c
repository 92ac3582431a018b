/* SPDX-License-Identifier: Apache-2.0 */
/* Expectations over the orders of tied documents, against the exact mean over every order of short
 * lists: the brute force does not use closed forms. */
#include "metrics_help.h"

enum { MAX = 6 };

typedef struct deck {
    size_t count;
    float labels[MAX];
    double scores[MAX];
} deck;

/* The mean over all permutations that respect unequal scores, ties being broken by the permutation:
 * scores are replaced by distinct ones. */
typedef struct brute {
    const deck *cards;
    const char *const *options;
    size_t order[MAX];
    bool used[MAX];
    long double sum, orders; /* the rounding errors of 720 terms would show in a double */
} brute;

static void try_orders(brute *b, size_t place)
{
    const deck *cards = b->cards;
    double distinct[MAX] = { 0 };

    if (place == cards->count) {
        for (size_t i = 0; i < cards->count; i++)
            distinct[b->order[i]] = -(double)i;
        b->sum += value_of(cards->count, cards->labels, distinct, b->options);
        b->orders++;
        return;
    }
    for (size_t i = 0; i < cards->count; i++) {
        if (b->used[i] || (place > 0 && cards->scores[b->order[place - 1]] < cards->scores[i]))
            continue;
        b->used[i] = true;
        b->order[place] = i;
        try_orders(b, place + 1);
        b->used[i] = false;
    }
}

static double mean_over_orders(const deck *cards, const char *const *options)
{
    brute b = { .cards = cards, .options = options };

    try_orders(&b, 0);
    return (double)(b.sum / b.orders);
}

static deck draw(gr_rng *rng, size_t grades, size_t distinct_scores)
{
    deck cards = { .count = 1 + (size_t)gr_rng_below(rng, MAX) };

    for (size_t i = 0; i < cards.count; i++) {
        cards.labels[i] = (float)gr_rng_below(rng, grades);
        cards.scores[i] = (double)gr_rng_below(rng, distinct_scores);
    }
    return cards;
}

static void check_expectation(const char *metric, const char *convention, const char *divisor)
{
    gr_rng rng = gr_rng_for(7, metric, 0);

    for (int round = 0; round < 16; round++) {
        const deck cards = draw(&rng, 2 + (uint64_t)round % 4, 1 + (uint64_t)round % 3);
        const char *const *options = OPTIONS("metric", metric, "convention", convention, "ties",
                                             "expected", "max-grade", "4", "map-divisor", divisor);
        const double value = value_of(cards.count, cards.labels, cards.scores, options);

        CHECK_NEAR(value, mean_over_orders(&cards, options), 1e-14);
    }
}

static void test_expectations_equal_the_mean_over_all_orders(void **state)
{
    static const char *const metrics[] = {
        "ndcg",  "ndcg@1",  "ndcg@3",   "ndcg@5",   "dcg@2", "dcg",   "mean-ndcg", "err",
        "err@1", "err@2",   "err@4",    "map",      "map@1", "map@3", "p@1",       "p@2",
        "p@4",   "p",       "recall@1", "recall@3", "mrr",   "mrr@2", "mrr@3",     "bpref",
        "auc",   "u-pairs", "u-ovo",    "u-cons",   "risk",  "mse",
    };

    (void)state;
    for (size_t m = 0; m < sizeof metrics / sizeof metrics[0] - 1; m++) {
        check_expectation(metrics[m], "gradus", "preset");
        check_expectation(metrics[m], "mslr", "preset");
    }
}

static void test_average_precision_has_an_expectation_for_every_divisor(void **state)
{
    (void)state;
    check_expectation("map@2", "gradus", "found");
    check_expectation("map@3", "gradus", "found");
    check_expectation("map@4", "lightgbm", "found");
    check_expectation("map@2", "gradus", "depth");
    check_expectation("map@4", "ranklib", "preset");
}

/* 100,000 documents, all tied. If one document is relevant, ERR is R times the mean of 1/rank, by
 * symmetry; P, recall, RR and AP have simple sums. (A document-wise recursion for ERR is feasible
 * only for short lists.) */
static void test_one_relevant_among_many_tied(void **state)
{
    enum { MANY = 100000 };
    float *labels = calloc(MANY, sizeof *labels);
    double *scores = calloc(MANY, sizeof *scores);
    double harmonic = 0.0;

    (void)state;
    labels[77] = 3.0f;
    for (size_t i = 1; i <= MANY; i++)
        harmonic += 1.0 / (double)i;
    CHECK_NEAR(value_of(MANY, labels, scores, OPTIONS("metric", "err", "max-grade", "4")),
               7.0 / 16.0 * harmonic / MANY, 1e-15);
    CHECK_NEAR(value_of(MANY, labels, scores, OPTIONS("metric", "mrr")), harmonic / MANY, 1e-15);
    CHECK_NEAR(value_of(MANY, labels, scores, OPTIONS("metric", "map")), harmonic / MANY, 1e-15);
    CHECK_NEAR(value_of(MANY, labels, scores, OPTIONS("metric", "recall@10")), 10.0 / MANY, 1e-18);
    free(labels);
    free(scores);
}

/* The recursion that adds one document at a time: P_c <- ((t-c) P_c + c s P_(c-1)) / t. */
static double slow_err(const float *labels, size_t count, double max_grade)
{
    double *p = calloc(count + 1, sizeof *p), sum = 0.0;

    p[0] = 1.0;
    for (size_t t = 1; t <= count; t++) {
        const double s = 1.0 - (exp2((double)labels[t - 1]) - 1.0) / exp2(max_grade);

        for (size_t c = t; c > 0; c--)
            p[c] = ((double)(t - c) * p[c] + (double)c * s * p[c - 1]) / (double)t;
    }
    for (size_t c = 1; c <= count; c++)
        sum += (p[c - 1] - p[c]) / (double)c;
    free(p);
    return sum;
}

static void check_long_ties(size_t count, const char *max_grade, const double *shares)
{
    float *labels = calloc(count, sizeof *labels);
    double *scores = calloc(count, sizeof *scores);
    gr_rng rng = gr_rng_for(11, max_grade, count);

    for (size_t i = 0; i < count; i++) {
        double u = gr_rng_uniform(&rng);

        while (labels[i] < 4.0f && u > shares[(size_t)labels[i]]) {
            u -= shares[(size_t)labels[i]];
            labels[i]++;
        }
    }
    CHECK_NEAR(value_of(count, labels, scores, OPTIONS("metric", "err", "max-grade", max_grade)),
               slow_err(labels, count, atof(max_grade)), 2e-13);
    free(labels);
    free(scores);
}

static void test_err_of_long_ties_equals_the_slow_recursion(void **state)
{
    (void)state;
    check_long_ties(3000, "4", (const double[]){ .52, .32, .13, .02, .01 });
    check_long_ties(3000, "12", (const double[]){ .5, .5, 0, 0, 0 });
    check_long_ties(2000, "20", (const double[]){ .3, .4, .3, 0, 0 });
    check_long_ties(2000, "4", (const double[]){ .999, .001, 0, 0, 0 });
    check_long_ties(500, "4", (const double[]){ 0, 0, 0, 0, 1 });
}

static void test_a_hundred_thousand_ties_are_quick(void **state)
{
    enum { MANY = 100000 };
    float *labels = calloc(MANY, sizeof *labels);
    double *scores = calloc(MANY, sizeof *scores);
    double err;

    (void)state;
    for (size_t i = 0; i < MANY; i++)
        labels[i] = (float)(i % 5);
    /* a third of the users stop at rank 1: the mean R is (0+1+3+7+15)/16/5 */
    err = value_of(MANY, labels, scores, OPTIONS("metric", "err,ndcg,map,mrr,mean-ndcg,bpref"));
    assert_true(err > 0.5 && err < 0.65);
    for (size_t i = 0; i < MANY; i++)
        labels[i] = (float)(i % 2);
    err = value_of(MANY, labels, scores, OPTIONS("metric", "err", "max-grade", "20"));
    assert_true(err > 0.0 && err < 1e-4);
    free(labels);
    free(scores);
}

static void test_the_order_of_tied_input_does_not_matter(void **state)
{
    static const char *const metrics[] = { "ndcg@3", "err", "map", "mrr", "bpref", "mean-ndcg" };
    gr_rng rng = gr_rng_for(3, "order", 0);

    (void)state;
    for (int round = 0; round < 50; round++) {
        const deck cards = draw(&rng, 4, 2);
        deck turned = cards;

        for (size_t i = 0; i < cards.count; i++) {
            turned.labels[i] = cards.labels[cards.count - 1 - i];
            turned.scores[i] = cards.scores[cards.count - 1 - i];
        }
        for (size_t m = 0; m < 6; m++)
            CHECK_NEAR(
                value_of(cards.count, cards.labels, cards.scores, OPTIONS("metric", metrics[m])),
                value_of(cards.count, turned.labels, turned.scores, OPTIONS("metric", metrics[m])),
                0.0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_expectations_equal_the_mean_over_all_orders),
        cmocka_unit_test(test_average_precision_has_an_expectation_for_every_divisor),
        cmocka_unit_test(test_one_relevant_among_many_tied),
        cmocka_unit_test(test_err_of_long_ties_equals_the_slow_recursion),
        cmocka_unit_test(test_a_hundred_thousand_ties_are_quick),
        cmocka_unit_test(test_the_order_of_tied_input_does_not_matter),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
