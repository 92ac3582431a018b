/* SPDX-License-Identifier: Apache-2.0 */
/* Long lists of tied documents: expectations against closed forms and slow recursions. */
#include "evaluated_lists.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_relevant_among_many_tied),
        cmocka_unit_test(test_err_of_long_ties_equals_the_slow_recursion),
        cmocka_unit_test(test_a_hundred_thousand_ties_are_quick),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
