/* SPDX-License-Identifier: Apache-2.0 */
/* Reading LETOR/SVMlight text. */
#include "checks.h"

#include "base/text.h"
#include "data/read.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static gradus_error err;

static char *text_file(const char *text, size_t size)
{
    static char path[64];
    strcpy(path, "/tmp/gradus-test-XXXXXX");
    const int fd = mkstemp(path);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, size), (ssize_t)size);
    close(fd);
    return path;
}

static void keep_note(void *user, const char *note)
{
    strncat(user, note, 500);
}

static gradus_dataset *read_with(const char *text, size_t size, const char *name, const char *value,
                                 size_t threads)
{
    char *path = text_file(text, size);
    gradus_context *context = gradus_context_new(threads, NULL);
    gr_read_options options;
    gradus_options *set = gr_options_new(&gr_operation_read, NULL);

    if (name)
        assert_int_equal(gr_options_set(set, name, value, &err), GRADUS_OK);
    assert_int_equal(gr_options_get(set, &gr_operation_read, &options, NULL), GRADUS_OK);
    gradus_dataset *data = gr_read(context, path, &options, &err);
    gr_options_free(set);
    gradus_context_free(context);
    unlink(path);
    return data;
}

static gradus_dataset *read_text(const char *text)
{
    return read_with(text, strlen(text), NULL, NULL, 2);
}

/* The part of the message after the path. */
static const char *refusal(const char *text, size_t size)
{
    gradus_dataset *data = read_with(text, size, NULL, NULL, 2);
    const char *colon;

    assert_null(data);
    colon = strchr(err.message, ':');
    return colon ? colon + 1 : err.message;
}

static void test_rows_of_a_small_file(void **state)
{
    (void)state;
    gradus_dataset *data = read_text("2 qid:10 1:0.5 2:-3 3:1e2 # docid = GX-1 inc = 1 prob = 0.2\n"
                                     "0 qid:10 1:7 2:0.125 3:0\n"
                                     "1.5 qid:b 1:.25 2:5. 3:+2 #a name\n");
    assert_non_null(data);
    const gradus_arrays *a = &data->arrays;
    const float values[] = { 0.5f, -3, 100, 7, 0.125f, 0, .25f, 5, 2 };

    assert_int_equal(a->rows, 3);
    assert_int_equal(a->features, 3);
    assert_int_equal(a->queries, 2);
    assert_true(gr_dataset_is_dense(data));
    assert_memory_equal(a->values, values, sizeof values);
    assert_true(a->labels[0] == 2 && a->labels[2] == 1.5f);
    assert_int_equal(a->query_starts[1], 2);
    assert_string_equal(gr_name_at(&data->query_names, 1), "b");
    assert_string_equal(gr_name_at(&data->document_names, 0), "GX-1");
    assert_string_equal(gr_name_at(&data->document_names, 1), "");
    assert_string_equal(gr_name_at(&data->document_names, 2), "a name");
    gradus_dataset_free(data);
}

static void test_line_ends_blanks_and_comments(void **state)
{
    (void)state;
    gradus_dataset *data =
        read_text("\xef\xbb\xbf# a head\r\n\r\n 1\tqid:1  1:2\t2:3 \r\n\n0 qid:1 2:4 1:5");
    assert_non_null(data);
    const float values[] = { 2, 3, 5, 4 };

    assert_int_equal(data->arrays.rows, 2);
    assert_memory_equal(data->arrays.values, values, sizeof values);
    assert_int_equal(data->document_names.count, 0);
    gradus_dataset_free(data);
}

static void test_scattered_rows_are_brought_together(void **state)
{
    (void)state;
    char notes[600] = "";
    const char *text =
        "1 qid:a 1:1 #d0\n2 qid:b 1:2 #d1\n3 qid:a 1:3 #d2\n0 qid:c 1:4\n4 qid:b 1:5 #d4\n";
    char *path = text_file(text, strlen(text));
    gradus_context *context = gradus_context_new(2, NULL);
    const gr_read_options options = { .label_column = "" };

    gradus_context_on_note(context, keep_note, notes);
    gradus_dataset *data = gr_read(context, path, &options, &err);
    const float labels[] = { 1, 3, 2, 4, 0 }, values[] = { 1, 3, 2, 5, 4 };
    const uint64_t rows[] = { 0, 2, 1, 4, 3 };

    assert_non_null(data);
    assert_memory_equal(data->arrays.labels, labels, sizeof labels);
    assert_memory_equal(data->arrays.values, values, sizeof values);
    assert_memory_equal(data->file_rows, rows, sizeof rows);
    assert_string_equal(gr_name_at(&data->document_names, 3), "d4");
    assert_non_null(strstr(notes, "2 of 3 queries"));
    gradus_dataset_free(data);
    gradus_context_free(context);
    unlink(path);
}

static void test_id_zero_makes_ids_count_from_zero(void **state)
{
    (void)state;
    gradus_dataset *one = read_text("1 1:3 2:4\n"), *zero = read_text("1 1:3 2:4\n0 0:5\n");

    assert_int_equal(one->first_id, 1);
    assert_int_equal(one->arrays.features, 2);
    assert_int_equal(zero->first_id, 0);
    assert_int_equal(zero->arrays.features, 3);
    assert_true(gr_dataset_value(zero, 0, 2) == 4 && gr_dataset_value(zero, 1, 0) == 5);
    gradus_dataset_free(one);
    gradus_dataset_free(zero);
    assert_null(read_with("1 0:3\n", 6, "first-id", "1", 1));
}

/* Long enough for many chunks; the unusual line comes late. */
static void test_a_late_zero_or_wide_row_changes_all_rows(void **state)
{
    (void)state;
    for (int wide = 0; wide < 2; wide++) {
        const size_t rows = 100000;
        char *text = malloc(rows * 20 + 64), *at = text;

        for (size_t r = 0; r < rows; r++)
            at += sprintf(at, "%zu qid:%zu 1:%zu 2:2\n", r % 5, r / 7, r % 10);
        at += sprintf(at, wide ? "0 qid:x 5:9\n" : "0 qid:x 0:9\n");
        gradus_dataset *data = read_with(text, (size_t)(at - text), NULL, NULL, 2);

        assert_non_null(data);
        assert_int_equal(data->arrays.rows, rows + 1);
        assert_int_equal(data->arrays.features, wide ? 5 : 3);
        for (size_t r = 0; r < rows; r += 997) {
            assert_true(gr_dataset_value(data, r, wide ? 0 : 1) == (float)(r % 10));
            assert_true(gr_dataset_value(data, r, wide ? 1 : 2) == 2);
            assert_true(gr_dataset_value(data, r, wide ? 4 : 0) == 0);
        }
        assert_true(gr_dataset_value(data, rows, wide ? 4 : 0) == 9);
        gradus_dataset_free(data);
        free(text);
    }
}

static void test_few_values_are_kept_sparse(void **state)
{
    (void)state;
    gradus_dataset *data = read_text("1 qid:1 7:1 2147483647:2.5\n0 qid:1 3:4\n0 qid:1\n");
    assert_non_null(data);

    assert_false(gr_dataset_is_dense(data));
    assert_int_equal(data->arrays.features, 2147483647);
    assert_int_equal(data->arrays.row_starts[3], 3);
    assert_true(gr_dataset_value(data, 0, 2147483646) == 2.5f);
    assert_true(gr_dataset_value(data, 1, 2) == 4 && gr_dataset_value(data, 1, 3) == 0);
    gradus_dataset_free(data);
}

static void test_storage_and_absent_values_as_asked(void **state)
{
    (void)state;
    const char *text = "1 1:1\n0 9:2\n";
    gradus_dataset *dense = read_with(text, strlen(text), "storage", "dense", 1);
    gradus_dataset *sparse = read_with("1 1:1 2:2\n", 10, "storage", "sparse", 1);
    gradus_dataset *missing = read_with(text, strlen(text), "absent-is-missing", "true", 1);

    assert_true(gr_dataset_is_dense(dense) && !gr_dataset_is_dense(sparse));
    assert_true(gr_dataset_value(dense, 0, 8) == 0 && gr_dataset_value(sparse, 0, 1) == 2);
    assert_true(isnan(gr_dataset_value(missing, 0, 8)) && gr_dataset_value(missing, 1, 8) == 2);
    gradus_dataset_free(dense);
    gradus_dataset_free(sparse);
    gradus_dataset_free(missing);
}

static void test_weights(void **state)
{
    (void)state;
    gradus_dataset *data = read_text("1 qid:1 1:1\n0 qid:1 cost:0.5 1:2\n0 qid:1 1:2\n");
    assert_non_null(data);
    const float weights[] = { 1, 0.5f, 1 };

    assert_memory_equal(data->arrays.row_weights, weights, sizeof weights);
    gradus_dataset_free(data);
}

static void test_refusals_name_the_place(void **state)
{
    (void)state;
    const struct {
        const char *text, *message;
    } cases[] = {
        { "x 1:2\n", "1:1: expected a label (a number), found 'x'" },
        { "1 1:2\n1 1:a\n", "2:5: expected a number after 'id:', found 'a'" },
        { "1 1:2 17;3\n", "1:7: expected id:value, found '17;3'" },
        { "1 1:2 -3:1\n", "1:7: expected id:value, found '-3:1'" },
        { "1 1:\n", "1:5: expected a number after 'id:', found the end of the line" },
        { "1 1:2 1:3\n", "1:7: expected each feature id once per row, found '1:3'" },
        { "1 0:2 3:1 0:3\n", "1:11: expected each feature id once per row, found '0:3'" },
        { "1 2147483648:1\n", "1:3: expected a feature id up to 2147483647, found '2147483648:1'" },
        { "1 1:inf\n", "1:5: expected a finite number that fits in 32 bits, found 'inf'" },
        { "1 1:1e39\n", "1:5: expected a finite number that fits in 32 bits, found '1e39'" },
        { "nan 1:1\n", "1:1: expected a finite label, found 'nan'" },
        { "1 qid: 1:1\n", "1:3: expected an id after 'qid:', found 'qid:'" },
        { "1 qid:1 qid:1 1:1\n", "1:9: expected one 'qid:' per row, found 'qid:1'" },
        { "1 qid:1 1:1\n\n0 1:1\n", "3:3: expected 'qid:', as in the previous rows, found '1:1'" },
        { "1 1:1\n0 qid:1 1:1\n",
          "2:3: expected no 'qid:', as in the previous rows, found 'qid:1'" },
        { "1 1:1 cost:-1\n", "1:12: expected a finite, non-negative weight, found '-1'" },
        { "1 1:1 2:3x\n", "1:9: expected a number after 'id:', found '3x'" },
        { "1 1:1\r2:3\n", "1:5: expected a number after 'id:', found '1'" },
        { "\n# only a comment\n", " no rows" },
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_string_equal(refusal(cases[i].text, strlen(cases[i].text)), cases[i].message);
    assert_string_equal(refusal("1 1:2 # a\0b\n", 12),
                        "1:10: expected text without NUL bytes, found the end of the line");
    assert_string_equal(refusal("1 1:2 \0\n", 8),
                        "1:7: expected id:value, found the end of the line");
}

static void test_the_first_error_of_a_long_file_is_named(void **state)
{
    (void)state;
    const size_t rows = 200000;
    char *text = malloc(rows * 16), *at = text;

    for (size_t r = 0; r < rows; r++)
        at += sprintf(at, r % 60000 == 59999 ? "1 1:a\n" : "1 1:2 2:%zu\n", r % 10);
    assert_string_equal(refusal(text, (size_t)(at - text)),
                        "60000:5: expected a number after 'id:', found 'a'");
    free(text);
}

static void test_long_names_are_refused(void **state)
{
    (void)state;
    char *text = malloc(10100);

    memset(text, 'q', 10100);
    memcpy(text, "1 qid:", 6);
    memcpy(text + 10006, " 1:1\n", 5);
    assert_non_null(strstr(refusal(text, 10011), "1:7: expected a query id of at most 4096 bytes"));
    free(text);
}

/* Every notation of a number is read as the nearest float; strtof is the reference. */
static void test_numbers_are_the_nearest_floats(void **state)
{
    (void)state;
    enum { ROWS = 20000, COLUMNS = 12 };
    char *text = malloc(ROWS * COLUMNS * 40), *at = text;
    float *wanted = malloc(ROWS * COLUMNS * sizeof *wanted);

    srand(7);
    for (size_t r = 0; r < ROWS; r++) {
        at += sprintf(at, "1 qid:%zu", r / 10);
        for (int c = 0; c < COLUMNS; c++) {
            char number[64];
            const double size = pow(10, rand() % 12 - 6), value = size * (rand() / 1e9 - 1);

            if (c % 4 == 3)
                sprintf(number, "%d.%d", rand() % 30, rand() % 100000);
            else
                sprintf(number,
                        c % 4 == 0   ? "%.*f"
                        : c % 4 == 1 ? "%.*g"
                                     : "%.*e",
                        rand() % 14, value);
            wanted[r * COLUMNS + (size_t)c] = strtof(number, NULL);
            at += sprintf(at, " %d:%s", c + 1, number);
        }
        *at++ = '\n';
    }
    gradus_dataset *data = read_with(text, (size_t)(at - text), NULL, NULL, 2);

    assert_non_null(data);
    for (size_t i = 0; i < ROWS * COLUMNS; i++)
        if (data->arrays.values[i] != wanted[i])
            fail_msg("value %zu: %.9g is not %.9g", i, (double)data->arrays.values[i],
                     (double)wanted[i]);
    gradus_dataset_free(data);
    free(wanted);
    free(text);
}

/* Midpoints between two floats, where double rounding would go wrong. */
static void test_numbers_between_floats(void **state)
{
    (void)state;
    const char *numbers[] = { "16777217",
                              "16777219",
                              "1.0000001",
                              "0.50000003",
                              "8388608.5",
                              "8388609.5",
                              "0.1",
                              "4194304.25",
                              "1.00000006",
                              "2097152.125",
                              "1.000000059604644775390625",
                              "1.00000005960464477539",
                              "123456.7890625" };
    char text[2048] = "1";
    size_t count = sizeof numbers / sizeof numbers[0];

    for (size_t i = 0; i < count; i++)
        sprintf(text + strlen(text), " %zu:%s", i + 1, numbers[i]);
    strcat(text, "\n");
    gradus_dataset *data = read_text(text);
    assert_non_null(data);
    for (size_t i = 0; i < count; i++)
        assert_true(data->arrays.values[i] == strtof(numbers[i], NULL));
    gradus_dataset_free(data);
}

/* The same rows for any number of threads, and for lines that cross chunk boundaries. */
static void test_threads_do_not_matter(void **state)
{
    (void)state;
    const size_t rows = 30000;
    char *text = malloc(rows * 400), *at = text;

    srand(3);
    for (size_t r = 0; r < rows; r++) {
        at += sprintf(at, "%d qid:%d", rand() % 5, rand() % 300);
        for (int c = 1, last = rand() % 40; c < last; c += 1 + rand() % 3)
            at += sprintf(at, " %d:%g", c, rand() / 1e6);
        at += sprintf(at, rand() % 2 ? " #d%zu\n" : "\r\n", r);
    }
    gradus_dataset *one = read_with(text, (size_t)(at - text), NULL, NULL, 1);
    assert_non_null(one);
    for (size_t threads = 2; threads < 5; threads++) {
        gradus_dataset *many = read_with(text, (size_t)(at - text), NULL, NULL, threads);

        assert_non_null(many);
        assert_int_equal(one->arrays.features, many->arrays.features);
        assert_memory_equal(one->file_rows, many->file_rows, rows * sizeof(uint64_t));
        assert_memory_equal(one->arrays.labels, many->arrays.labels, rows * sizeof(float));
        for (size_t r = 0; r < rows; r++) {
            assert_string_equal(gr_name_at(&one->document_names, r),
                                gr_name_at(&many->document_names, r));
            for (size_t f = 0; f < one->arrays.features; f++)
                assert_true(gr_dataset_value(one, r, f) == gr_dataset_value(many, r, f));
        }
        gradus_dataset_free(many);
    }
    gradus_dataset_free(one);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_of_a_small_file),
        cmocka_unit_test(test_line_ends_blanks_and_comments),
        cmocka_unit_test(test_scattered_rows_are_brought_together),
        cmocka_unit_test(test_id_zero_makes_ids_count_from_zero),
        cmocka_unit_test(test_a_late_zero_or_wide_row_changes_all_rows),
        cmocka_unit_test(test_few_values_are_kept_sparse),
        cmocka_unit_test(test_storage_and_absent_values_as_asked),
        cmocka_unit_test(test_weights),
        cmocka_unit_test(test_refusals_name_the_place),
        cmocka_unit_test(test_the_first_error_of_a_long_file_is_named),
        cmocka_unit_test(test_long_names_are_refused),
        cmocka_unit_test(test_numbers_are_the_nearest_floats),
        cmocka_unit_test(test_numbers_between_floats),
        cmocka_unit_test(test_threads_do_not_matter),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
