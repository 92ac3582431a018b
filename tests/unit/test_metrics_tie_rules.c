/* SPDX-License-Identifier: Apache-2.0 */
/* Every metric of the table under every tie rule, convention and choice of an option, against all
 * orders of the tied documents of small lists: the brute force does not use closed forms. A metric
 * that treats ties differently must declare it in its table entry (gr_tied_kind). */
#include "evaluated_lists.h"

#include "base/text.h"

enum { DOCUMENTS = 6, ROUNDS = 24, MEASURES = 128, NAMES = 4096 };

/* A convention, and an option that differs from it. Pessimistic and optimistic order by label,
 * which is by value only if a relevant document never lowers the value (it may if AP is divided by
 * the relevant documents found) and gains do not decrease (as those of LETOR's scripts above 2). */
typedef struct setting {
    const char *convention, *option, *value;
    bool monotone;
} setting;

static const char push_power[] = "3";

typedef struct deck {
    size_t count;
    float labels[DOCUMENTS];
    double scores[DOCUMENTS];
} deck;

/* A list of all metrics for one evaluation; those with a cutoff appear with several. */
typedef struct chosen {
    const gr_metric *metrics[MEASURES];
    size_t count;
    char names[NAMES];
} chosen;

static void choose(chosen *c, const gr_metric *metric, const char *depth)
{
    assert_true(c->count < MEASURES);
    c->metrics[c->count++] = metric;
    gr_text_append(c->names, sizeof c->names, *c->names ? "," : "");
    gr_text_append(c->names, sizeof c->names, metric->about.name);
    gr_text_append(c->names, sizeof c->names, depth);
}

static chosen choose_all(bool fixed)
{
    chosen c = { .count = 0 };
    const gr_metric *metric;

    for (size_t m = 0; (metric = gr_metric_number(m)); m++) {
        if ((metric->ties == GR_TIED_FIXED) != fixed)
            continue;
        choose(&c, metric, "");
        if (metric->takes_depth) {
            choose(&c, metric, "@1");
            choose(&c, metric, "@2");
            choose(&c, metric, "@4");
        }
    }
    return c;
}

static deck draw(gr_rng *rng, size_t grades, size_t distinct_scores)
{
    deck cards = { .count = 2 + (size_t)gr_rng_below(rng, DOCUMENTS - 1) };

    for (size_t i = 0; i < cards.count; i++) {
        cards.labels[i] = (float)gr_rng_below(rng, grades);
        cards.scores[i] = (double)gr_rng_below(rng, distinct_scores);
    }
    return cards;
}

/* values: one per metric, for the list as one query. */
static void values_of(const deck *cards, const double *scores, const chosen *c, const setting *set,
                      const char *ties, double *values)
{
    const uint64_t starts[2] = { 0, cards->count };
    const gr_lists lists = {
        .queries = 1, .starts = starts, .labels = cards->labels, .scores = scores
    };
    gr_evaluation evaluation;

    evaluate(&lists,
             OPTIONS("metric", c->names, "convention", set->convention, "push-power", push_power,
                     "max-grade", "4", set->option, set->value, "ties", ties),
             &evaluation);
    for (size_t m = 0; m < c->count; m++)
        values[m] = evaluation.values[m].by_query[0];
    gr_evaluation_end(&evaluation);
}

/* Evaluates all orders of tied documents, by replacing scores with distinct ones. */
typedef struct brute {
    const deck *cards;
    const chosen *c;
    const setting *set;
    size_t order[DOCUMENTS];
    bool used[DOCUMENTS];
    long double sum[MEASURES], orders; /* the rounding errors of 720 terms would show in a double */
    double least[MEASURES], most[MEASURES];
} brute;

static double power_of(const gr_metric *metric)
{
    return metric->ties == GR_TIED_POWER ? atof(push_power) : 1.0;
}

static void count_order(brute *b)
{
    double distinct[DOCUMENTS] = { 0 }, values[MEASURES];

    for (size_t i = 0; i < b->cards->count; i++)
        distinct[b->order[i]] = -(double)i;
    values_of(b->cards, distinct, b->c, b->set, "expected", values);
    for (size_t m = 0; m < b->c->count; m++) {
        b->sum[m] += powl((long double)values[m], (long double)power_of(b->c->metrics[m]));
        b->least[m] = b->orders == 0 || values[m] < b->least[m] ? values[m] : b->least[m];
        b->most[m] = b->orders == 0 || values[m] > b->most[m] ? values[m] : b->most[m];
    }
    b->orders++;
}

static void try_orders(brute *b, size_t place)
{
    if (place >= DOCUMENTS || place == b->cards->count) {
        count_order(b);
        return;
    }
    for (size_t i = 0; i < b->cards->count; i++) {
        if (b->used[i] ||
            (place > 0 && b->cards->scores[b->order[place - 1]] < b->cards->scores[i]))
            continue;
        b->used[i] = true;
        b->order[place] = i;
        try_orders(b, place + 1);
        b->used[i] = false;
    }
}

static void check_value(const chosen *c, size_t m, const setting *set, const char *rule,
                        double found, double wanted)
{
    if (!(fabs(found - wanted) <= 1e-13) && !(isnan(found) && isnan(wanted)))
        print_error("%s (metric %zu of %s), convention %s, %s %s, ties %s\n",
                    c->metrics[m]->about.name, m + 1, c->names, set->convention, set->option,
                    set->value, rule);
    CHECK_NEAR(found, wanted, 1e-13);
}

static void check_rules(const deck *cards, const chosen *c, const setting *set)
{
    double expected[MEASURES], worst[MEASURES], best[MEASURES];
    brute b = { .cards = cards, .c = c, .set = set };

    try_orders(&b, 0);
    values_of(cards, cards->scores, c, set, "expected", expected);
    values_of(cards, cards->scores, c, set, "pessimistic", worst);
    values_of(cards, cards->scores, c, set, "optimistic", best);
    for (size_t m = 0; m < c->count; m++) {
        const bool lower = c->metrics[m]->lower_is_better;
        const double mean = pow((double)(b.sum[m] / b.orders), 1.0 / power_of(c->metrics[m]));

        check_value(c, m, set, "expected", expected[m], mean);
        if (!set->monotone)
            continue;
        check_value(c, m, set, "pessimistic", worst[m], lower ? b.most[m] : b.least[m]);
        check_value(c, m, set, "optimistic", best[m], lower ? b.least[m] : b.most[m]);
    }
}

static void check_setting(const setting *set, size_t rounds)
{
    const chosen c = choose_all(false);
    gr_rng rng = gr_rng_for(7, "tie rules", 0);

    for (size_t round = 0; round < rounds; round++) {
        const deck cards = draw(&rng, 2 + round % 4, 1 + round % 3);

        check_rules(&cards, &c, set);
    }
}

static void test_rules_are_the_mean_the_worst_and_the_best_of_all_orders(void **state)
{
    (void)state;
    for (size_t i = 0; gr_convention_names[i]; i++)
        check_setting(&(setting){ gr_convention_names[i], "gain", "preset", .monotone = i == 0 },
                      ROUNDS);
}

static void test_the_mean_is_that_of_every_choice_of_an_option(void **state)
{
    gr_param param;

    (void)state;
    for (size_t i = 0; gr_param_number(&gr_operation_evaluate, i, &param); i++) {
        const char *const *values = param.about.choices;

        if (strcmp(param.about.name, "ties") == 0 || strcmp(param.about.name, "convention") == 0)
            continue;
        for (; values && *values; values++)
            check_setting(&(setting){ "gradus", param.about.name, *values, .monotone = false },
                          ROUNDS / 2);
    }
}

static void test_the_order_of_tied_input_does_not_matter(void **state)
{
    const setting set = { "gradus", "gain", "preset", .monotone = true };
    const chosen c = choose_all(false);
    gr_rng rng = gr_rng_for(3, "order", 0);

    (void)state;
    for (int round = 0; round < 50; round++) {
        const deck cards = draw(&rng, 4, 2);
        deck turned = cards;
        double wanted[MEASURES], found[MEASURES];

        for (size_t i = 0; i < cards.count; i++) {
            turned.labels[i] = cards.labels[cards.count - 1 - i];
            turned.scores[i] = cards.scores[cards.count - 1 - i];
        }
        values_of(&cards, cards.scores, &c, &set, "expected", wanted);
        values_of(&turned, turned.scores, &c, &set, "expected", found);
        for (size_t m = 0; m < c.count; m++)
            CHECK_NEAR(found[m], wanted[m], 0.0);
    }
}

/* Scores 0 and 1 are both probabilities and grades. */
static void test_metrics_that_say_so_take_no_notice_of_the_rule(void **state)
{
    static const char *const rules[] = { "expected", "pessimistic", "optimistic", "input" };
    const chosen c = choose_all(true);
    gr_rng rng = gr_rng_for(8, "tie rules", 0);

    (void)state;
    for (size_t round = 0; round < ROUNDS; round++) {
        const deck cards = draw(&rng, 2, 2);
        const setting set = { "gradus", "gain", "preset", .monotone = true };
        double values[4][MEASURES];

        for (size_t r = 0; r < 4; r++)
            values_of(&cards, cards.scores, &c, &set, rules[r], values[r]);
        for (size_t r = 1; r < 4; r++)
            for (size_t m = 0; m < c.count; m++)
                check_value(&c, m, &set, rules[r], values[r][m], values[0][m]);
    }
}

/* Labels 1, 0, 0, 1 with scores 2, 1, 1, 1: below each of the two irrelevant documents are 0 or 1
 * of the 2 relevant ones, equally likely: (1/2 (0 + (1/2)^p))^(1/p). */
static void test_push_of_ties_by_hand(void **state)
{
    const float labels[] = { 1, 0, 0, 1 };
    const double scores[] = { 2, 1, 1, 1 };

    (void)state;
    CHECK_NEAR(value_of(4, labels, scores, OPTIONS("metric", "push", "push-power", "3")),
               cbrt(1.0 / 16.0), 1e-15);
    CHECK_NEAR(value_of(4, labels, scores,
                        OPTIONS("metric", "push", "push-power", "3", "ties", "pessimistic")),
               0.5, 1e-15);
    CHECK_NEAR(value_of(4, labels, scores,
                        OPTIONS("metric", "push", "push-power", "3", "ties", "optimistic")),
               0.0, 0.0);
    CHECK_NEAR(value_of(4, labels, scores, OPTIONS("metric", "u-pairs", "ties", "pessimistic")),
               0.5, 1e-15);
    /* A convention that breaks ties in lists counts tied pairs half, as its tool does. */
    CHECK_NEAR(value_of(4, labels, scores, OPTIONS("metric", "auc", "convention", "catboost")),
               0.75, 1e-15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rules_are_the_mean_the_worst_and_the_best_of_all_orders),
        cmocka_unit_test(test_the_mean_is_that_of_every_choice_of_an_option),
        cmocka_unit_test(test_the_order_of_tied_input_does_not_matter),
        cmocka_unit_test(test_metrics_that_say_so_take_no_notice_of_the_rule),
        cmocka_unit_test(test_push_of_ties_by_hand),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
