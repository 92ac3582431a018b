/* SPDX-License-Identifier: Apache-2.0 */
/* With a cutoff, NDCG ranks only the top of a list: the same bits as by ranking all of it, which an additional
 * metric without a cutoff enforces. The check of rows in ranges reports the first invalid one. */
#include "checks.h"

#include "base/rng.h"
#include "metrics/evaluate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { QUERIES = 30, LARGEST = 300, NAME = 6 };

typedef struct sample {
    uint64_t starts[QUERIES + 1], names[QUERIES * LARGEST];
    float labels[QUERIES * LARGEST];
    double scores[QUERIES * LARGEST];
    bool judged[QUERIES * LARGEST];
    char bytes[QUERIES * LARGEST * NAME];
} sample;

/* distinct: the number of scores; 0: any numbers. */
static sample *draw(size_t distinct, uint64_t seed)
{
    static const size_t sizes[] = { 1, 2, 9, 10, 11, 20, 63, 64, 65, LARGEST };
    gr_rng rng = gr_rng_for(seed, "top", distinct);
    sample *s = calloc(1, sizeof *s);

    assert_non_null(s);
    for (size_t q = 0; q < QUERIES; q++)
        s->starts[q + 1] = s->starts[q] + sizes[q % 10];
    for (size_t r = 0; r < s->starts[QUERIES]; r++) {
        const double u = gr_rng_uniform(&rng);

        s->judged[r] = gr_rng_below(&rng, 4) > 0;
        s->labels[r] = s->judged[r] ? (float)gr_rng_below(&rng, 5) : 0.0f;
        s->scores[r] = distinct ? floor(u * (double)distinct) - 2.0 : r % 7 == 0 ? -0.0 : u - 0.5;
        s->names[r] = r * NAME;
        snprintf(s->bytes + r * NAME, NAME, "d%04u", (unsigned)gr_rng_below(&rng, 9999));
    }
    return s;
}

/* The values of the first metric by query. */
static gr_evaluation evaluate(const gr_lists *lists, const char *metric, const char *const *pairs)
{
    gradus_options *options = gr_options_new(&gr_operation_evaluate, NULL);
    gradus_error err = { GRADUS_OK, "" };
    gr_evaluate_options chosen;
    gr_evaluation found;

    assert_int_equal(gr_options_set(options, "metric", metric, NULL), GRADUS_OK);
    for (; *pairs; pairs += 2)
        assert_int_equal(gr_options_set(options, pairs[0], pairs[1], NULL), GRADUS_OK);
    assert_int_equal(gr_options_get(options, &gr_operation_evaluate, &chosen, NULL), GRADUS_OK);
    if (gr_evaluate(lists, &chosen, NULL, &found, &err) != GRADUS_OK)
        fail_msg("%s: %s", metric, err.message);
    gr_options_free(options);
    return found;
}

static void compare(const gr_lists *lists, const char *const *pairs)
{
    static const char *const metrics[] = { "ndcg@1",  "ndcg@2",  "ndcg@10", "ndcg@11", "ndcg@63",
                                           "ndcg@64", "ndcg@65", "dcg@5",   "dcg@1000" };

    for (size_t m = 0; m < sizeof metrics / sizeof *metrics; m++) {
        char both[40];

        snprintf(both, sizeof both, "%s,map", metrics[m]);
        gr_evaluation top = evaluate(lists, metrics[m], pairs), all = evaluate(lists, both, pairs);

        assert_memory_equal(top.values[0].by_query, all.values[0].by_query,
                            QUERIES * sizeof(double));
        assert_int_equal(top.values[0].empty, all.values[0].empty);
        assert_int_equal(top.values[0].short_lists, all.values[0].short_lists);
        gr_evaluation_end(&top);
        gr_evaluation_end(&all);
    }
}

static void test_the_top_has_the_bits_of_the_whole_list(void **state)
{
    static const char *const options[][3] = {
        { "ties", "expected" },        { "ties", "input" },         { "ties", "docno" },
        { "ties", "pessimistic" },     { "ties", "optimistic" },    { "convention", "letor4" },
        { "label-gain", "0,0,1,3,3" }, { "unjudged", "condensed" },
    };

    (void)state;
    for (size_t distinct = 0; distinct < 40; distinct = 3 * distinct + 1) {
        sample *s = draw(distinct, 5);

        for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
            const bool named = strcmp(options[i][1], "docno") == 0;
            const gr_lists lists = { .queries = QUERIES,
                                     .starts = s->starts,
                                     .labels = s->labels,
                                     .scores = s->scores,
                                     .judged = i % 2 ? s->judged : NULL,
                                     .name_bytes = s->bytes,
                                     .name_starts = named ? s->names : NULL };

            compare(&lists, options[i]);
        }
        free(s);
    }
}

static void test_the_first_invalid_row_is_reported(void **state)
{
    enum { ROWS = 50000 };
    const uint64_t starts[] = { 0, ROWS };
    float *labels = calloc(ROWS, sizeof *labels);
    double *scores = calloc(ROWS, sizeof *scores);
    const gr_lists lists = { .queries = 1, .starts = starts, .labels = labels, .scores = scores };
    const gr_evaluate_options options = { .metric = "ndcg@10" };
    gradus_error err = { GRADUS_OK, "" };
    gr_evaluation found;

    (void)state;
    scores[49999] = NAN;
    labels[30000] = 1.5f;
    scores[20000] = INFINITY;
    scores[20001] = NAN;
    assert_int_equal(gr_evaluate(&lists, &options, NULL, &found, &err), GRADUS_BAD_NUMBER);
    assert_string_equal(err.message, "row 20001: score is inf, not a finite number");
    scores[20000] = scores[20001] = 0.0;
    assert_int_equal(gr_evaluate(&lists, &options, NULL, &found, &err), GRADUS_BAD_NUMBER);
    assert_non_null(strstr(err.message, "row 30001: label 1.5 is not a grade"));
    free(labels);
    free(scores);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_top_has_the_bits_of_the_whole_list),
        cmocka_unit_test(test_the_first_invalid_row_is_reported),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
