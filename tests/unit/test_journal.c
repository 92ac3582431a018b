/* SPDX-License-Identifier: Apache-2.0 */
/* The journal: finished work is found again, whatever a crash left in the file. */
#include "small_trials.h"

static void check_number(gr_journal *journal, const char *key, double wanted)
{
    const gr_json *value = gr_journal_find(journal, key);

    assert_non_null(value);
    CHECK_NEAR(gr_json_real(value, "x"), wanted, 0.0);
}

static void test_in_memory(void **state)
{
    gradus_error err = { GRADUS_OK, "" };
    gr_journal *journal = gr_journal_open(NULL, "tune", "a", NULL, &err);

    (void)state;
    assert_non_null(journal);
    assert_null(gr_journal_find(journal, "one"));
    CHECK_NEAR(gr_journal_largest(journal, "x"), 0.0, 0.0);
    assert_int_equal(add_number(journal, "one", 1.5, &err), GRADUS_OK);
    assert_int_equal(add_number(journal, "two \"q\" \n", 2.5, &err), GRADUS_OK);
    check_number(journal, "one", 1.5);
    check_number(journal, "two \"q\" \n", 2.5);
    CHECK_NEAR(gr_journal_largest(journal, "x"), 2.5, 0.0);
    assert_int_equal(add_number(journal, "one", 3.0, &err), GRADUS_BAD_FORMAT);
    check_number(journal, "one", 1.5);
    gr_journal_close(journal);
    gr_journal_close(NULL);
}

static void test_goes_on(void **state)
{
    const char *path = temporary_path(".jsonl");
    gradus_error err = { GRADUS_OK, "" };
    char key[16];

    (void)state;
    unlink(path);
    for (int run = 0; run < 3; run++) { /* more keys than the initial capacity */
        gr_journal *journal = gr_journal_open(path, "tune", "about this", NULL, &err);

        assert_non_null(journal);
        for (int i = 0; i < 100 * run; i++) {
            snprintf(key, sizeof key, "key %d", i);
            check_number(journal, key, i);
        }
        for (int i = 100 * run; i < 100 * run + 100; i++) {
            snprintf(key, sizeof key, "key %d", i);
            assert_int_equal(add_number(journal, key, i, &err), GRADUS_OK);
        }
        gr_journal_close(journal);
    }
    unlink(path);
}

/* A file truncated at every byte: complete lines are kept, the rest is overwritten. */
static void test_torn_line(void **state)
{
    const char *path = temporary_path(".jsonl");
    gradus_error err = { GRADUS_OK, "" };
    gr_journal *journal;
    char *whole, *again;

    (void)state;
    unlink(path);
    journal = gr_journal_open(path, "tune", "a", NULL, &err);
    assert_int_equal(add_number(journal, "one", 1, &err), GRADUS_OK);
    assert_int_equal(add_number(journal, "two", 2, &err), GRADUS_OK);
    gr_journal_close(journal);
    whole = read_whole(path);
    const size_t size = strlen(whole), first = strcspn(whole, "\n") + 1;
    const size_t second = first + strcspn(whole + first, "\n") + 1;

    for (size_t cut = 0; cut <= size; cut++) {
        FILE *file = fopen(path, "wb");

        fwrite(whole, 1, cut, file);
        fclose(file);
        journal = gr_journal_open(path, "tune", "a", NULL, &err);
        assert_non_null(journal);
        assert_int_equal(gr_journal_find(journal, "one") != NULL, cut >= second);
        assert_int_equal(gr_journal_find(journal, "two") != NULL, cut == size);
        if (cut < second)
            assert_int_equal(add_number(journal, "one", 1, &err), GRADUS_OK);
        if (cut < size)
            assert_int_equal(add_number(journal, "two", 2, &err), GRADUS_OK);
        gr_journal_close(journal);
        again = read_whole(path);
        assert_string_equal(again, whole);
        free(again);
    }
    free(whole);
    unlink(path);
}

static void check_refused(const char *text, gradus_status status, const char *words)
{
    const char *path = temporary_path(".jsonl");
    gradus_error err = { GRADUS_OK, "" };
    char *after;

    write_whole(path, text);
    assert_null(gr_journal_open(path, "tune", "a", NULL, &err));
    assert_int_equal(err.status, status);
    if (!strstr(err.message, words))
        print_error("'%s' lacks '%s'\n", err.message, words);
    assert_non_null(strstr(err.message, words));
    after = read_whole(path); /* other files are left untouched */
    assert_string_equal(after, text);
    free(after);
    unlink(path);
}

static void test_foreign_files(void **state)
{
    gradus_error err = { GRADUS_OK, "" };

    (void)state;
    check_refused("hello\n", GRADUS_BAD_FORMAT, "not a journal");
    check_refused("{\"a\":1}\n", GRADUS_BAD_FORMAT, "not a journal");
    check_refused("{\"journal\":\"reproduce\",\"about\":\"a\"}\n", GRADUS_BAD_ARGUMENT,
                  "a different run");
    check_refused("{\"journal\":\"tune\",\"about\":\"b\"}\n", GRADUS_BAD_ARGUMENT,
                  "a different run");
    check_refused("{\"journal\":\"tune\",\"about\":\"a\"}\n{\"key\":3}\n", GRADUS_BAD_FORMAT,
                  ":2:");
    check_refused("{\"journal\":\"tune\",\"about\":\"a\"}\n{\"key\":\"k\",\"value\":1}\n"
                  "{\"key\":\"k\",\"value\":1}\n",
                  GRADUS_BAD_FORMAT, "duplicate key");
    /* no complete line: only a prefix of the expected header counts as a torn write */
    check_refused("hello", GRADUS_BAD_FORMAT, "not a journal");
    check_refused("{\"journal\":\"tune\",\"about\":\"a\"} ", GRADUS_BAD_FORMAT, "not a journal");
    check_refused("{\"journal\":\"tune\",\"about\":\"b", GRADUS_BAD_FORMAT, "not a journal");
    check_refused("2 qid:1 1:0.5", GRADUS_BAD_FORMAT, "not a journal");
    assert_null(gr_journal_open("/no/such/folder/j.jsonl", "tune", "a", NULL, &err));
    assert_int_equal(err.status, GRADUS_NO_FILE);
}

static void test_in_use(void **state)
{
    const char *path = temporary_path(".jsonl");
    gradus_error err = { GRADUS_OK, "" };
    gr_journal *journal;

    (void)state;
    unlink(path);
    journal = gr_journal_open(path, "tune", "a", NULL, &err);
    assert_non_null(journal);
    assert_null(gr_journal_open(path, "tune", "a", NULL, &err));
    assert_non_null(strstr(err.message, "in use"));
    gr_journal_close(journal);
    unlink(path);
}

static void test_numbers(void **state)
{
    const double numbers[] = { 0.1, (double)NAN, -3e300 };
    gr_json_writer writer = { 0 };
    gradus_error err = { GRADUS_OK, "" };
    size_t count = 0;

    (void)state;
    gr_json_put_numbers(&writer, NULL, numbers, 3);
    gr_json *root = gr_json_parse(writer.bytes.at, writer.used, &err);
    double *found = gr_json_numbers(root, &count);

    assert_int_equal(count, 3);
    for (size_t i = 0; i < 3; i++)
        CHECK_NEAR(found[i], numbers[i], 0.0);
    assert_null(gr_json_numbers(NULL, &count));
    assert_null(gr_json_numbers(gr_json_first(root), &count));
    assert_true(isnan(gr_json_real(root, "x")));
    free(found);
    gr_json_free(root);
    gr_json_writer_free(&writer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_in_memory), cmocka_unit_test(test_goes_on),
        cmocka_unit_test(test_torn_line), cmocka_unit_test(test_foreign_files),
        cmocka_unit_test(test_in_use),    cmocka_unit_test(test_numbers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
