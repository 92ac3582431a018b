/* SPDX-License-Identifier: Apache-2.0 */
/* TREC judgements and runs: what is read, and error messages for malformed files. */
#include "checks.h"

#include "base/rng.h"
#include "data/lines.h"
#include "data/trec.h"

#include <stdlib.h>
#include <string.h>

static gradus_status read_text(const char *text, size_t size, gr_trec_kind kind, gr_trec *trec,
                               gradus_error *err)
{
    gr_lines lines = { .source = gr_source_from_memory(text, size, "x.trec", err) };

    *trec = (gr_trec){ .count = 0 };
    assert_non_null(lines.source);
    const gradus_status status = gr_trec_read_lines(&lines, kind, trec, err);

    gr_lines_free(&lines);
    gr_source_close(lines.source);
    return status;
}

static void check_refused(const char *text, size_t size, gr_trec_kind kind, gradus_status wanted,
                          const char *message)
{
    gradus_error err = { GRADUS_OK, "" };
    gr_trec trec;

    assert_int_equal(read_text(text, size, kind, &trec, &err), wanted);
    assert_int_equal(err.status, wanted);
    assert_string_equal(err.message, message);
    assert_null(trec.names);
}

static void test_a_run_is_grouped_by_topic(void **state)
{
    static const char text[] = "# a comment\r\n"
                               "q7 Q0 d1 1 2.5 tag\r\n"
                               "\r\n"
                               "q3\tQ0\td1\t1\t-1e-3\ttag\n"
                               "  q7 Q0 d\xc3\xa4 2 0.125 tag  \n"
                               "q3 Q0 d9 9 7 tag";
    gradus_error err;
    gr_trec trec;

    (void)state;
    assert_int_equal(read_text(text, strlen(text), GR_TREC_RUN, &trec, &err), GRADUS_OK);
    const gr_names topics = gr_name_list_names(&trec.topics.list);

    assert_int_equal(topics.count, 2);
    assert_string_equal(gr_name_at(&topics, 0), "q7");
    assert_string_equal(gr_name_at(&topics, 1), "q3");
    assert_int_equal(trec.count, 4);
    assert_int_equal(trec.starts[0], 0);
    assert_int_equal(trec.starts[1], 2);
    assert_int_equal(trec.starts[2], 4);
    assert_string_equal(gr_trec_document(&trec, 1), "d\xc3\xa4");
    CHECK_NEAR(trec.values[0], 2.5, 0.0);
    CHECK_NEAR(trec.values[1], 0.125, 0.0);
    CHECK_NEAR(trec.values[2], -0.001, 0.0);
    assert_int_equal(trec.lines[1], 5);
    assert_int_equal(trec.lines[2], 4);
    assert_int_equal(gr_trec_find(&trec, 1, "d9"), 3);
    assert_int_equal(gr_trec_find(&trec, 1, "d1"), 2);
    assert_true(gr_trec_find(&trec, 0, "d9") == SIZE_MAX);
    assert_int_equal(gr_trec_find_topic(&trec, "q3"), 1);
    assert_true(gr_trec_find_topic(&trec, "q") == SIZE_MAX);
    gr_trec_free(&trec);
}

static void test_grades_are_whole_numbers_and_may_be_negative(void **state)
{
    static const char text[] = "301 0 FR940202-2-00150 4\n301 0 FR940104-0-00001 -2\n"
                               "302 Q0 FR940104-0-00001 +1\n";
    gradus_error err;
    gr_trec trec;

    (void)state;
    assert_int_equal(read_text(text, strlen(text), GR_TREC_QRELS, &trec, &err), GRADUS_OK);
    CHECK_NEAR(trec.values[0], 4.0, 0.0);
    CHECK_NEAR(trec.values[1], -2.0, 0.0);
    CHECK_NEAR(trec.values[2], 1.0, 0.0);
    gr_trec_free(&trec);
}

#define REFUSED_RUN(text, status, message)                                                         \
    check_refused(text, sizeof text - 1, GR_TREC_RUN, status, message)
#define REFUSED_QRELS(text, status, message)                                                       \
    check_refused(text, sizeof text - 1, GR_TREC_QRELS, status, message)

static void test_bad_lines_are_named(void **state)
{
    (void)state;
    REFUSED_RUN("q1 Q0 d1 1 2 t\nq1 Q0 d2 2\n", GRADUS_BAD_FORMAT,
                "x.trec:2:11: expected a score, found the end of the line");
    REFUSED_RUN("q1 Q0 d1 1 2 t extra\n", GRADUS_BAD_FORMAT,
                "x.trec:1:16: expected the end of the line, found 'extra'");
    REFUSED_RUN("q1 Q0 d1 1 2x t\n", GRADUS_BAD_FORMAT,
                "x.trec:1:12: expected a number, found '2x'");
    REFUSED_RUN("q1 Q0 d1 1 nan t\n", GRADUS_BAD_NUMBER,
                "x.trec:1:12: expected a finite number, found 'nan'");
    REFUSED_RUN("q1 Q0 d1 1 1e999 t\n", GRADUS_BAD_NUMBER,
                "x.trec:1:12: expected a finite number, found '1e999'");
    REFUSED_QRELS("q1 0 d1 1.5\n", GRADUS_BAD_FORMAT,
                  "x.trec:1:9: expected a whole number of at most 9 digits, found '1.5'");
    REFUSED_QRELS("q1 0 d1 -\n", GRADUS_BAD_FORMAT,
                  "x.trec:1:9: expected a whole number of at most 9 digits, found '-'");
    REFUSED_QRELS("q1 0 d1 1234567890\n", GRADUS_BAD_FORMAT,
                  "x.trec:1:9: expected a whole number of at most 9 digits, found '1234567890'");
    REFUSED_QRELS("q1 0 d\0 1\n", GRADUS_BAD_FORMAT, "x.trec:1:7: expected text, found a NUL byte");
    REFUSED_QRELS("q1 0 d1 \x1b[2J\n", GRADUS_BAD_FORMAT,
                  "x.trec:1:9: expected a whole number of at most 9 digits, found '?[2J'");
    REFUSED_QRELS("# nothing\n\n", GRADUS_BAD_FORMAT, "x.trec: no relevance judgements");
    REFUSED_RUN("", GRADUS_BAD_FORMAT, "x.trec: no run entries");
}

static void test_a_document_given_twice_is_refused_with_both_lines(void **state)
{
    (void)state;
    REFUSED_QRELS("a 0 d1 1\nb 0 d1 1\nb 0 d2 0\na 0 d2 0\nb 0 d1 1\n", GRADUS_BAD_FORMAT,
                  "x.trec:5: document 'd1' of topic 'b' is already in line 2");
}

static void test_a_missing_file_is_named(void **state)
{
    gradus_error err;
    gr_trec trec;

    (void)state;
    assert_int_equal(gr_trec_read("no such run", GR_TREC_RUN, &trec, &err), GRADUS_NO_FILE);
    assert_string_equal(err.message, "cannot open 'no such run': no such file or directory");
    assert_int_equal(gr_trec_read("no such run", GR_TREC_RUN, &trec, NULL), GRADUS_NO_FILE);
}

/* Random unordered lines against a list kept alongside. */
static void test_every_entry_is_found_again(void **state)
{
    enum { TOPICS = 7, LINES = 3000, SPACE = 64 };
    char *text = malloc(LINES * SPACE);
    size_t used = 0, next[TOPICS] = { 0 }, topic_of[LINES];
    gr_rng rng = gr_rng_for(12, "trec", 0);
    gradus_error err;
    gr_trec trec;

    (void)state;
    for (size_t i = 0; i < LINES; i++) {
        topic_of[i] = (size_t)gr_rng_below(&rng, TOPICS);
        used += (size_t)snprintf(text + used, SPACE, "t%zu Q0 doc%zu 1 %zu x\n", topic_of[i],
                                 next[topic_of[i]]++, i);
    }
    assert_int_equal(read_text(text, used, GR_TREC_RUN, &trec, &err), GRADUS_OK);
    memset(next, 0, sizeof next);
    for (size_t i = 0; i < LINES; i++) {
        char topic[SPACE], document[SPACE];

        snprintf(topic, sizeof topic, "t%zu", topic_of[i]);
        snprintf(document, sizeof document, "doc%zu", next[topic_of[i]]++);
        const size_t t = gr_trec_find_topic(&trec, topic);
        const size_t entry = gr_trec_find(&trec, t, document);

        assert_int_equal(entry, trec.starts[t] + next[topic_of[i]] - 1);
        CHECK_NEAR(trec.values[entry], (double)i, 0.0);
        assert_int_equal(trec.lines[entry], i + 1);
    }
    gr_trec_free(&trec);
    free(text);
}

static void test_lines_of_any_length_are_read_up_to_the_limit(void **state)
{
    const size_t size = (size_t)GR_LONGEST_LINE + 100;
    char *text = malloc(size);
    gradus_error err = { GRADUS_OK, "" };
    gr_trec trec;

    (void)state;
    memset(text, 'x', size);
    memcpy(text, "q 0 ", 4);
    memcpy(text + GR_LONGEST_LINE - 2, " 3\n", 3);
    assert_int_equal(read_text(text, GR_LONGEST_LINE + 1, GR_TREC_QRELS, &trec, &err), GRADUS_OK);
    assert_int_equal(strlen(gr_trec_document(&trec, 0)), GR_LONGEST_LINE - 6);
    gr_trec_free(&trec);
    memcpy(text + GR_LONGEST_LINE - 2, "x 3\n", 4);
    check_refused(text, GR_LONGEST_LINE + 2, GR_TREC_QRELS, GRADUS_BAD_FORMAT,
                  "x.trec:1: line is longer than 64 MiB");
    memset(text, 'x', size);
    check_refused(text, size, GR_TREC_QRELS, GRADUS_BAD_FORMAT,
                  "x.trec:1: line is longer than 64 MiB");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_run_is_grouped_by_topic),
        cmocka_unit_test(test_grades_are_whole_numbers_and_may_be_negative),
        cmocka_unit_test(test_bad_lines_are_named),
        cmocka_unit_test(test_a_document_given_twice_is_refused_with_both_lines),
        cmocka_unit_test(test_a_missing_file_is_named),
        cmocka_unit_test(test_every_entry_is_found_again),
        cmocka_unit_test(test_lines_of_any_length_are_read_up_to_the_limit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
