/* SPDX-License-Identifier: Apache-2.0 */
/* CSV and TSV: what is read, the roles of columns, and error messages for malformed files. */
#include "checks.h"

#include "base/rng.h"
#include "base/text.h"
#include "data/csv.h"

#include <stdlib.h>
#include <string.h>

#define TEXT_HINT "; use 'ignore-column' or 'ignore-features' to skip text columns"

static const gr_read_options plain = { .storage = GR_STORE_DENSE };

static gradus_dataset *read_text(const char *text, size_t size, const gr_read_options *options,
                                 gradus_context *context, gradus_error *err)
{
    gr_source *source = gr_source_from_memory(text, size, "x.csv", err);
    gr_builder *builder = gr_builder_new(context, options, "x.csv", err);
    gradus_dataset *data = NULL;

    assert_non_null(source);
    assert_non_null(builder);
    if (gr_csv_read(source, options, context, builder, err) == GRADUS_OK)
        data = gr_builder_finish(builder, context, err);
    else
        gr_builder_free(builder);
    gr_source_close(source);
    return data;
}

static gradus_dataset *read_good(const char *text, const gr_read_options *options)
{
    gradus_error err = { GRADUS_OK, "" };
    gradus_dataset *data = read_text(text, strlen(text), options, NULL, &err);

    if (!data)
        print_error("%s\n", err.message);
    assert_non_null(data);
    return data;
}

static void check_refused(const char *text, size_t size, const gr_read_options *options,
                          gradus_status wanted, const char *message)
{
    gradus_error err = { GRADUS_OK, "" };

    assert_null(read_text(text, size, options, NULL, &err));
    assert_string_equal(err.message, message);
    assert_int_equal(err.status, wanted);
}

#define REFUSED(text, status, message) check_refused(text, sizeof text - 1, &plain, status, message)

static void check_row(const gradus_dataset *data, size_t r, const float *wanted)
{
    for (size_t f = 0; f < data->arrays.features; f++)
        CHECK_NEAR((double)gr_dataset_value(data, r, f), (double)wanted[f], 0.0);
}

static void test_columns_are_found_by_their_usual_names(void **state)
{
    gradus_dataset *data = read_good("bm25,QID,length,Relevance,docid,weight\n"
                                     "0.1,q1,12,2,d1,1\n"
                                     "-1e-3,q2,,0,d2,0.5\n"
                                     "nan, q1 ,+7,1.5,,2\n",
                                     &plain);
    static const float rows[3][2] = { { 0.1f, 12 }, { NAN, 7 }, { -1e-3f, NAN } };
    const gradus_arrays *a = &data->arrays;

    (void)state;
    assert_int_equal(a->rows, 3);
    assert_int_equal(a->features, 2);
    assert_int_equal(a->queries, 2);
    assert_string_equal(gr_name_at(&data->feature_names, 0), "bm25");
    assert_string_equal(gr_name_at(&data->feature_names, 1), "length");
    assert_string_equal(gr_name_at(&data->query_names, 1), "q2");
    assert_string_equal(gr_name_at(&data->document_names, 0), "d1");
    assert_string_equal(gr_name_at(&data->document_names, 1), "");
    assert_string_equal(gr_name_at(&data->document_names, 2), "d2");
    CHECK_NEAR((double)a->labels[1], 1.5, 0.0);
    CHECK_NEAR((double)a->row_weights[1], 2.0, 0.0);
    assert_int_equal(data->file_rows[1], 2);
    for (size_t r = 0; r < 3; r++)
        check_row(data, r, rows[r]);
    gradus_dataset_free(data);
}

static void remember(void *user, const char *note)
{
    snprintf(user, 200, "%s", note);
}

static void test_the_first_column_is_the_label_and_that_is_said(void **state)
{
    static const char text[] = "qid;\"response\";age\r\n1;3;0.5\r\n\r\n1;4;NA";
    gradus_context *context = gradus_context_new(1, NULL);
    char note[200] = "";
    gradus_error err;

    (void)state;
    gradus_context_on_note(context, remember, note);
    gradus_dataset *data = read_text(text, sizeof text - 1, &plain, context, &err);

    assert_non_null(data);
    assert_string_equal(note, "x.csv: no column is named label, relevance, grade or rating; "
                              "using column 2, 'response', as the label");
    assert_int_equal(data->arrays.features, 1);
    CHECK_NEAR((double)data->arrays.labels[1], 4.0, 0.0);
    check_row(data, 0, (const float[]){ 0.5f });
    check_row(data, 1, (const float[]){ NAN });
    gradus_dataset_free(data);
    gradus_context_free(context);
}

static void test_options_name_columns_by_name_or_number(void **state)
{
    gr_read_options options = plain;

    (void)state;
    options.label_column = "y";
    options.query_column = "1";
    gradus_dataset *data =
        read_good("group\tlabel\tqid\ty\na b\t1\t2\t3\na b\t4\t5\t6\n", &options);

    assert_int_equal(data->arrays.features, 2); /* label and qid are features now */
    assert_string_equal(gr_name_at(&data->query_names, 0), "a b");
    CHECK_NEAR((double)data->arrays.labels[1], 6.0, 0.0);
    check_row(data, 1, (const float[]){ 4, 5 });
    gradus_dataset_free(data);
    options.label_column = "yy";
    check_refused("y,x\n1,2\n", 8, &options, GRADUS_BAD_ARGUMENT,
                  "unknown column 'yy'; did you mean 'y'?");
    options.label_column = options.query_column = "y";
    check_refused("y,x\n1,2\n", 8, &options, GRADUS_BAD_ARGUMENT,
                  "column 'y' is assigned two roles");
}

static void test_labels_may_be_absent(void **state)
{
    gr_read_options options = plain;

    (void)state;
    options.label_optional = true;
    gradus_dataset *data = read_good("x,qid,y\n1,a,2\n3,a,4\n", &options);

    assert_int_equal(data->arrays.features, 2);
    CHECK_NEAR((double)data->arrays.labels[1], 0.0, 0.0);
    check_row(data, 1, (const float[]){ 3, 4 });
    gradus_dataset_free(data);
    data = read_good("x,label,y\n1,3,2\n", &options);
    assert_int_equal(data->arrays.features, 2);
    CHECK_NEAR((double)data->arrays.labels[0], 3.0, 0.0);
    gradus_dataset_free(data);
}

static void test_quotes_hide_delimiters_quotes_and_line_ends(void **state)
{
    gradus_dataset *data = read_good("\xef\xbb\xbf\"label\",\"a, \"\"b\"\"\",docid,query\n"
                                     "1,\"0.25\" ,\"say \"\"hi\"\", you\",\"q\"\"\"\"1\"\n"
                                     "\"2\", \"\" ,\"two\r\nlines\nor three\",\"q\"\"\"\"1\"\n",
                                     &plain);

    (void)state;
    assert_int_equal(data->arrays.rows, 2);
    assert_string_equal(gr_name_at(&data->feature_names, 0), "a, \"b\"");
    assert_string_equal(gr_name_at(&data->document_names, 0), "say \"hi\", you");
    assert_string_equal(gr_name_at(&data->document_names, 1), "two\r\nlines\nor three");
    assert_int_equal(data->arrays.queries, 1);
    assert_string_equal(gr_name_at(&data->query_names, 0), "q\"\"1");
    check_row(data, 0, (const float[]){ 0.25f });
    check_row(data, 1, (const float[]){ NAN });
    CHECK_NEAR((double)data->arrays.labels[1], 2.0, 0.0);
    gradus_dataset_free(data);
}

static void test_labels_alone_are_enough(void **state)
{
    gradus_dataset *data = read_good("label\n3\n1\n", &plain);

    (void)state;
    assert_int_equal(data->arrays.features, 0);
    assert_int_equal(data->arrays.rows, 2);
    gradus_dataset_free(data);
}

static void test_bad_fields_are_named(void **state)
{
    (void)state;
    REFUSED("label,age\n1,2\n1,abc\n", GRADUS_BAD_FORMAT,
            "x.csv:3:3: expected a number in column 'age', found 'abc'" TEXT_HINT);
    REFUSED("label,age\n1,2 3\n", GRADUS_BAD_FORMAT,
            "x.csv:2:3: expected a number in column 'age', found '2 3'" TEXT_HINT);
    REFUSED("label,age\n1,1e39\n", GRADUS_BAD_NUMBER,
            "x.csv:2:3: expected a finite number in column 'age', found '1e39'");
    REFUSED("age,label\n1,\n", GRADUS_BAD_NUMBER,
            "x.csv:2:3: expected a label in column 'label', found the end of the line");
    REFUSED("label,weight\n1,-2\n", GRADUS_BAD_NUMBER,
            "x.csv:2:3: expected a weight of 0 or more in column 'weight', found '-2'");
    REFUSED("label,qid,x\n1,,2\n", GRADUS_BAD_FORMAT,
            "x.csv:2:3: expected a query in column 'qid', found ''");
    REFUSED("label,age\n1,\"2\"3\n", GRADUS_BAD_FORMAT,
            "x.csv:2:6: expected the end of the field, found '3'");
    REFUSED("label,docid,age\n1,\"a\nb\",x\n", GRADUS_BAD_FORMAT,
            "x.csv:3:4: expected a number in column 'age', found 'x'" TEXT_HINT);
    REFUSED("label,age\n1,\"2\n3,4\n", GRADUS_BAD_FORMAT, "x.csv:2:3: unterminated quoted field");
    REFUSED("label,age\n1,2\0\n", GRADUS_BAD_FORMAT, "x.csv:2:4: expected text, found a NUL byte");
}

static void test_bad_shapes_are_named(void **state)
{
    (void)state;
    REFUSED("label,a,b\n1,2,3\n1,2\n", GRADUS_BAD_FORMAT,
            "x.csv:3:4: expected 3 fields, as in the header, found 2");
    REFUSED("label,a,b\n1,2,3,4,5,\n", GRADUS_BAD_FORMAT,
            "x.csv:2:11: expected 3 fields, as in the header, found 6");
    REFUSED("label,a,a\n1,2,3\n", GRADUS_BAD_FORMAT, "x.csv:1:9: duplicate column name 'a'");
    REFUSED("1000,4,1,4\n1,2,3,4\n", GRADUS_BAD_FORMAT,
            "x.csv:1:1: expected a header that names the columns, found '1000,4,1,4'");
    REFUSED("\n\n", GRADUS_BAD_FORMAT, "x.csv: the file is empty; expected a header");
    REFUSED("label,a\n", GRADUS_BAD_FORMAT, "x.csv: no rows");
    REFUSED("qid\n1\n", GRADUS_BAD_FORMAT, "x.csv: no column is left for the label");
}

/* The first error in the file is reported, whichever block and thread finds it. */
static void test_the_first_error_is_reported(void **state)
{
    enum { LINES = 600000 };
    char *text = malloc((size_t)LINES * 8 + 16);
    gradus_context *context = gradus_context_new(4, NULL);
    size_t used = (size_t)sprintf(text, "label,x\n");
    gradus_error err;

    (void)state;
    for (size_t i = 0; i < LINES; i++)
        used += (size_t)sprintf(text + used, i == 400000                  ? "1,x\n"
                                             : i == 500000 || i == 400001 ? "1,2,3\n"
                                                                          : "1,0.5\n");
    text[used - 8] = '\0';
    for (int i = 0; i < 2; i++) {
        assert_null(read_text(text, used, &plain, i ? context : NULL, &err));
        assert_string_equal(err.message,
                            "x.csv:400002:3: expected a number in column 'x', found 'x'" TEXT_HINT);
    }
    gradus_context_free(context);
    free(text);
}

/* Random floats in shortest form are read back to the same bits with 1 and 4 threads. */
static void test_values_return_as_they_were(void **state)
{
    enum { ROWS = 30000, WIDTH = 7 };
    char *text = malloc((size_t)ROWS * (WIDTH + 2) * GRADUS_NUMBER_SIZE);
    float *values = malloc(sizeof(float) * ROWS * WIDTH);
    gradus_context *context = gradus_context_new(4, NULL);
    gr_rng rng = gr_rng_for(3, "csv", 0);
    size_t used = (size_t)sprintf(text, "qid,a,b,c,label,d,e,f,g\n");
    gradus_error err;

    (void)state;
    for (size_t r = 0; r < ROWS; r++) {
        used += (size_t)sprintf(text + used, "%d", (int)(r / 11));
        for (size_t f = 0; f < WIDTH; f++) {
            float *value = &values[r * WIDTH + f];

            do {
                const uint32_t bits = gr_rng_word(&rng);

                memcpy(value, &bits, sizeof bits);
            } while (!isfinite(*value));
            text[used++] = ',';
            used += gr_format_float(*value, text + used);
            if (f == 2)
                used += (size_t)sprintf(text + used, ",%d", (int)(r % 5));
        }
        text[used++] = '\n';
    }
    for (int i = 0; i < 2; i++) {
        gradus_dataset *data = read_text(text, used, &plain, i ? context : NULL, &err);

        assert_non_null(data);
        assert_int_equal(data->arrays.rows, ROWS);
        assert_int_equal(data->arrays.queries, (ROWS + 10) / 11);
        CHECK_NEAR((double)data->arrays.labels[ROWS - 1], (ROWS - 1) % 5, 0.0);
        assert_memory_equal(data->arrays.values, values, sizeof(float) * ROWS * WIDTH);
        gradus_dataset_free(data);
    }
    gradus_context_free(context);
    free(values);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_columns_are_found_by_their_usual_names),
        cmocka_unit_test(test_the_first_column_is_the_label_and_that_is_said),
        cmocka_unit_test(test_options_name_columns_by_name_or_number),
        cmocka_unit_test(test_labels_may_be_absent),
        cmocka_unit_test(test_quotes_hide_delimiters_quotes_and_line_ends),
        cmocka_unit_test(test_labels_alone_are_enough),
        cmocka_unit_test(test_bad_fields_are_named),
        cmocka_unit_test(test_bad_shapes_are_named),
        cmocka_unit_test(test_the_first_error_is_reported),
        cmocka_unit_test(test_values_return_as_they_were),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
