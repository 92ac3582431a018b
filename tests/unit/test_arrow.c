/* SPDX-License-Identifier: Apache-2.0 */
/* Datasets from Arrow streams: every type, slices, nulls, dictionaries, batches, queries in any
 * order, and equality with the same data from CSV. */
#include "arrow_producer.h"
#include "notes.h"
#include "random_sets.h"
#include "train_model.h"

static gradus_dataset *read_with(arrow_producer *producer, gradus_context *context,
                                 const char *const *pairs)
{
    gradus_error err = { GRADUS_OK, "" };
    gradus_options *options = gradus_options_new("read", &err);

    for (; pairs && *pairs; pairs += 2)
        assert_int_equal(gradus_options_set(options, pairs[0], pairs[1], &err), GRADUS_OK);
    gradus_dataset *data =
        gradus_dataset_from_arrow(context, &producer->stream, pairs ? options : NULL, &err);

    gradus_options_free(options);
    if (!data)
        fail_msg("%s", err.message);
    assert_true(arrow_all_released(producer));
    return data;
}

static gradus_dataset *read_all(arrow_producer *producer)
{
    return read_with(producer, NULL, NULL);
}

static const float labels4[] = { 2, 0, 1, 0 };
#define LABEL                                                                                      \
    {                                                                                              \
        .format = "f", .name = "label", .length = 4, .buffers = { NULL, labels4 }                  \
    }

/* Four values of each type of number. */
static const int8_t i8[] = { -128, 127, 0, 3 };
static const uint8_t u8[] = { 0, 255, 1, 3 };
static const int16_t i16[] = { -32768, 32767, 0, 3 };
static const uint16_t u16[] = { 0, 65535, 1, 3 };
static const int32_t i32[] = { INT32_MIN, INT32_MAX, 16777217, 3 };
static const uint32_t u32[] = { 0, UINT32_MAX, 16777219, 3 };
/* 2^60 + 2^36 + 1 is above the midpoint of two floats, but its nearest double is the midpoint */
static const int64_t i64[] = { INT64_MIN, (1ll << 60) + (1ll << 36) + 1, -7, 3 };
static const uint64_t u64[] = { 0, UINT64_MAX, 7, 3 };
static const uint16_t f16[] = { 0x3c00, 0xfbff, 0x0001, 0x7e00 };
static const float f32[] = { 0.1f, -0.0f, 1e-45f, 3.4e38f };
static const double f64[] = { 0.1, 1e-300, -2.5, 3.4e38 };
static const uint8_t bits[] = { 0x05 };

typedef struct number_row {
    const char *format;
    const void *items;
    float wanted[4];
} number_row;

static const number_row number_rows[] = {
    { "b", bits, { 1, 0, 1, 0 } },
    { "c", i8, { -128, 127, 0, 3 } },
    { "C", u8, { 0, 255, 1, 3 } },
    { "s", i16, { -32768, 32767, 0, 3 } },
    { "S", u16, { 0, 65535, 1, 3 } },
    { "i", i32, { -2147483648.0f, 2147483648.0f, 16777216, 3 } },
    { "I", u32, { 0, 4294967296.0f, 16777220, 3 } },
    { "l", i64, { -0x1p63f, 0x1.000002p60f, -7, 3 } },
    { "L", u64, { 0, 0x1p64f, 7, 3 } },
    { "e", f16, { 1, -65504, 0x1p-24f, NAN } },
    { "f", f32, { 0.1f, -0.0f, 1e-45f, 3.4e38f } },
    { "g", f64, { 0.1f, 0, -2.5f, 3.4e38f } },
};
enum { NUMBER_ROWS = sizeof number_rows / sizeof *number_rows };

static void assert_bits(float found, float wanted)
{
    if (isnan(wanted))
        assert_true(isnan(found));
    else
        assert_memory_equal(&found, &wanted, sizeof found);
}

static void test_numbers_of_every_type(void **state)
{
    static char names[NUMBER_ROWS][8];
    arrow_column columns[NUMBER_ROWS + 2] = { LABEL };
    arrow_producer producer;

    (void)state;
    for (size_t i = 0; i < NUMBER_ROWS; i++) {
        snprintf(names[i], sizeof names[i], "f%zu", i);
        columns[i + 1] = (arrow_column){ .format = number_rows[i].format,
                                         .name = names[i],
                                         .length = 4,
                                         .buffers = { NULL, number_rows[i].items } };
    }
    columns[NUMBER_ROWS + 1] = (arrow_column){ .format = "n", .name = "none", .length = 4 };
    arrow_start(&producer, columns, NUMBER_ROWS + 2);
    gradus_dataset *data = read_all(&producer);

    assert_int_equal(gradus_dataset_features(data), NUMBER_ROWS + 1);
    assert_false(gradus_dataset_has_queries(data));
    for (size_t i = 0; i < NUMBER_ROWS; i++) {
        assert_string_equal(gradus_dataset_feature_name(data, i), names[i]);
        for (size_t r = 0; r < 4; r++)
            assert_bits(gr_dataset_value(data, r, i), number_rows[i].wanted[r]);
    }
    for (size_t r = 0; r < 4; r++) {
        assert_true(isnan(gr_dataset_value(data, r, NUMBER_ROWS)));
        assert_true(data->arrays.labels[r] == labels4[r]);
    }
    gradus_dataset_free(data);
}

static void test_every_float16(void **state)
{
    static uint16_t halves[1 << 16];
    static float labels[1 << 16];
    const arrow_column columns[] = {
        { .format = "f", .name = "label", .length = 31 << 10, .buffers = { NULL, labels } },
        { .format = "e", .name = "x", .length = 31 << 10, .buffers = { NULL, halves } }
    };
    arrow_producer producer;

    (void)state;
    for (int i = 0; i < 31 << 10; i++)
        halves[i] = (uint16_t)i;
    arrow_start(&producer, columns, 2);
    gradus_dataset *data = read_all(&producer);

    for (int i = 0; i < 31 << 10; i++) {
        const double fraction = (i & 1023) / 1024.0;
        const int exponent = i >> 10;

        assert_true((double)gr_dataset_value(data, (size_t)i, 0) ==
                    (exponent ? ldexp(1 + fraction, exponent - 15) : ldexp(fraction, -14)));
    }
    gradus_dataset_free(data);
}

static const char text_bytes[] = "q1q22fourteen bytes!";
static const int32_t text_offsets[] = { 0, 2, 5, 5, 19, 20 };
static const int64_t large_offsets[] = { 0, 2, 5, 5, 19, 20 };
/* length, then 12 bytes of text, or a prefix, a buffer and an offset */
static const struct view {
    int32_t length;
    char text[4];
    int32_t buffer, offset;
} views[] = { { 2, "q1", 0, 0 }, { 3, "q22", 0, 0 }, { 0, "", 0, 0 }, { 14, "four", 1, 5 } };
static const int64_t view_sizes[] = { 3, 20 };

static void test_text_of_every_type(void **state)
{
    static const int32_t dictionary_indices[] = { 0, 1, 2, 3 };
    static const uint8_t valid[] = { 0x0b };
    static const arrow_column values = { .format = "U",
                                         .length = 4,
                                         .buffers = { NULL, large_offsets, text_bytes } };
    const arrow_column texts[] = {
        { .format = "u",
          .name = "docid",
          .length = 4,
          .buffers = { NULL, text_offsets, text_bytes } },
        { .format = "U",
          .name = "docid",
          .length = 4,
          .buffers = { NULL, large_offsets, text_bytes } },
        { .format = "vu",
          .name = "docid",
          .length = 4,
          .n_buffers = 5,
          .buffers = { NULL, views, "xyz", text_bytes, view_sizes } },
        { .format = "i",
          .name = "docid",
          .length = 4,
          .buffers = { NULL, dictionary_indices },
          .dictionary = &values },
        { .format = "u",
          .name = "docid",
          .length = 4,
          .null_count = 1,
          .buffers = { valid, text_offsets, text_bytes } },
    };

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const arrow_column columns[] = { LABEL, texts[i] };
        arrow_producer producer;

        arrow_start(&producer, columns, 2);
        gradus_dataset *data = read_all(&producer);

        assert_int_equal(gradus_dataset_features(data), 0);
        assert_string_equal(gradus_dataset_document_name(data, 0), "q1");
        assert_string_equal(gradus_dataset_document_name(data, 1), "q22");
        assert_string_equal(gradus_dataset_document_name(data, 2), "");
        assert_string_equal(gradus_dataset_document_name(data, 3), "fourteen bytes");
        gradus_dataset_free(data);
    }
}

static void test_ids_are_exact_text(void **state)
{
    static const double plain[] = { 12, -3, 0.5, 1e300 };
    static const struct {
        const char *format;
        const void *items;
        const char *wanted[4];
    } rows[] = {
        { "l", i64, { "-9223372036854775808", "1152921573326323713", "-7", "3" } },
        { "L", u64, { "0", "18446744073709551615", "7", "3" } },
        { "c", i8, { "-128", "127", "0", "3" } },
        { "g", plain, { "12", "-3", "0.5", "1e300" } },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const arrow_column columns[] = { LABEL,
                                         { .format = rows[i].format,
                                           .name = "qid",
                                           .length = 4,
                                           .buffers = { NULL, rows[i].items } } };
        arrow_producer producer;

        arrow_start(&producer, columns, 2);
        gradus_dataset *data = read_all(&producer);

        assert_int_equal(gradus_dataset_queries(data), 4);
        for (size_t q = 0; q < 4; q++)
            assert_string_equal(gradus_dataset_query_name(data, q), rows[i].wanted[q]);
        gradus_dataset_free(data);
    }
}

/* Rows 3 to 5 of the batch, whose columns have offsets of their own and nulls. */
static void test_slices(void **state)
{
    static const float x[] = { 9, 9, 9, 9, 9, 9, 1, 2, 3, 9 };
    static const uint8_t valid[] = { 0x7f, 0x01 }; /* rows 7 and from 9 are null */
    static const int32_t offsets[] = { -1, -1, -1, -1, 0, 2, 5, 19 };
    static const uint8_t flags[] = { 0x00, 0x0c };       /* bits 10 and 11 */
    static const uint8_t flags_valid[] = { 0x00, 0x6c }; /* not bit 12 */
    static const float labels[] = { 9, 9, 9, 0, 1, 2 };
    const arrow_column columns[] = {
        { .format = "f", .name = "label", .length = 6, .buffers = { NULL, labels } },
        { .format = "f",
          .name = "x",
          .length = 6,
          .offset = 3,
          .null_count = 1,
          .buffers = { valid, x } },
        { .format = "u",
          .name = "qid",
          .length = 6,
          .offset = 1,
          .buffers = { NULL, offsets, text_bytes } },
        { .format = "b",
          .name = "flag",
          .length = 8,
          .offset = 7,
          .null_count = -1, /* not counted */
          .buffers = { flags_valid, flags } },
        { .format = "f", .name = "y", .length = 6, .null_count = -1, .buffers = { NULL, x + 3 } },
    };
    arrow_producer producer = { .batches = 0 };

    (void)state;
    arrow_add(&producer, columns, 5, 3, 3);
    gradus_dataset *data = read_all(&producer);

    assert_int_equal(gradus_dataset_rows(data), 3);
    assert_int_equal(gradus_dataset_queries(data), 3);
    assert_string_equal(gradus_dataset_query_name(data, 2), "fourteen bytes");
    assert_bits(gr_dataset_value(data, 0, 0), 1);
    assert_bits(gr_dataset_value(data, 1, 0), NAN);
    assert_bits(gr_dataset_value(data, 2, 0), 3);
    assert_bits(gr_dataset_value(data, 0, 1), 1);
    assert_bits(gr_dataset_value(data, 1, 1), 1);
    assert_bits(gr_dataset_value(data, 2, 1), NAN);
    assert_bits(gr_dataset_value(data, 2, 2), 3);
    assert_bits(data->arrays.labels[1], 1);
    gradus_dataset_free(data);
}

static void test_dictionaries_of_numbers(void **state)
{
    static const uint8_t indices[] = { 2, 0, 1, 2 }, valid[] = { 0x0e };
    static const uint8_t known[] = { 0x0a }; /* 1 of 0, 1, 2 is null */
    static const double numbers[] = { -1, 0.25, 99, 7.5 };
    static const arrow_column values = {
        .format = "g", .length = 3, .offset = 1, .null_count = 1, .buffers = { known, numbers }
    };
    const arrow_column columns[] = { LABEL,
                                     { .format = "C",
                                       .name = "x",
                                       .length = 4,
                                       .null_count = 1,
                                       .buffers = { valid, indices },
                                       .dictionary = &values } };
    static const float wanted[] = { NAN, 0.25f, NAN, 7.5f };
    arrow_producer producer;

    (void)state;
    arrow_start(&producer, columns, 2);
    gradus_dataset *data = read_all(&producer);

    for (size_t r = 0; r < 4; r++)
        assert_bits(gr_dataset_value(data, r, 0), wanted[r]);
    gradus_dataset_free(data);
}

static const int64_t queries_a[] = { 5, 5, 3, 5 }, queries_b[] = { 3, 9, 5, 9 };
static const float x_a[] = { 0, 1, 2, 3 }, x_b[] = { 4, 5, 6, 7 };
static const double weights_a[] = { 1, 2, 3, 4 }, weights_b[] = { 5, 6, 7, 8 };

static void add_batch(arrow_producer *producer, const int64_t *queries, const float *x,
                      const double *weights, int64_t length)
{
    const arrow_column columns[] = {
        LABEL,
        { .format = "l", .name = "query_id", .length = 4, .buffers = { NULL, queries } },
        { .format = "f", .name = "x", .length = 4, .buffers = { NULL, x } },
        { .format = "g", .name = "weight", .length = 4, .buffers = { NULL, weights } },
        { .format = "l", .name = "document", .length = 4, .buffers = { NULL, queries } },
    };

    arrow_add(producer, columns, 5, length, 0);
}

static void test_batches_and_scattered_queries(void **state)
{
    static const float wanted[] = { 0, 1, 3, 6, 2, 4, 5, 7 };
    static const size_t wanted_order[] = { 0, 1, 4, 2, 5, 6, 3, 7 };
    static const char *const documents[] = { "5", "5", "5", "5", "3", "3", "9", "9" };
    arrow_producer producer = { .batches = 0 };
    size_t order[8];
    notes n;

    (void)state;
    start_notes(&n);
    add_batch(&producer, queries_a, x_a, weights_a, 4);
    add_batch(&producer, queries_a, x_a, weights_a, 0); /* an empty batch */
    add_batch(&producer, queries_b, x_b, weights_b, 4);
    gradus_dataset *data = read_with(&producer, &n.context, NULL);

    assert_non_null(strstr(n.text, "Arrow stream: the rows of 3 of 3 queries are not contiguous; "
                                   "regrouped"));
    assert_null(strstr(n.text, "file"));
    assert_int_equal(gradus_dataset_queries(data), 3);
    assert_string_equal(gradus_dataset_query_name(data, 0), "5");
    assert_string_equal(gradus_dataset_query_name(data, 2), "9");
    assert_int_equal(gradus_dataset_file_order(data, order, NULL), GRADUS_OK);
    for (size_t r = 0; r < 8; r++) {
        assert_bits(gr_dataset_value(data, r, 0), wanted[r]);
        assert_bits(data->arrays.row_weights[r], wanted[r] + 1);
        assert_string_equal(gradus_dataset_document_name(data, r), documents[r]);
        assert_int_equal(order[r], wanted_order[r]);
    }
    gradus_dataset_free(data);
}

static void test_options_choose_columns(void **state)
{
    static const char *const pairs[] = {
        "label-column", "grade of it",     "query-column", "4", "ignore-column",
        "nested,other", "ignore-features", "url",          NULL
    };
    const arrow_column columns[] = {
        { .format = "f", .name = "label", .length = 4, .buffers = { NULL, f32 } },
        { .format = "u",
          .name = "url",
          .length = 4,
          .buffers = { NULL, text_offsets, text_bytes } },
        { .format = "+l", .name = "nested", .length = 4 },
        { .format = "l", .name = "topic", .length = 4, .buffers = { NULL, queries_a } },
        { .format = "f", .name = "grade of it", .length = 4, .buffers = { NULL, labels4 } },
        { .format = "tdD", .name = "other", .length = 4, .buffers = { NULL, i32 } },
    };
    arrow_producer producer;

    (void)state;
    arrow_start(&producer, columns, 6);
    gradus_dataset *data = read_with(&producer, NULL, pairs);

    assert_int_equal(gradus_dataset_features(data), 2);
    assert_string_equal(gradus_dataset_feature_name(data, 0), "label");
    assert_string_equal(gradus_dataset_feature_name(data, 1), "url");
    assert_bits(gr_dataset_value(data, 0, 0), f32[0]);
    assert_bits(gr_dataset_value(data, 0, 1), 0);
    assert_int_equal(gradus_dataset_queries(data), 2);
    assert_bits(data->arrays.labels[0], 2);
    gradus_dataset_free(data);
}

static void test_labels_may_be_absent(void **state)
{
    static const char *const optional[] = { "label-optional", "true", NULL };
    const arrow_column columns[] = {
        { .format = "f", .name = "x", .length = 4, .buffers = { NULL, f32 } },
        { .format = "s", .name = "y", .length = 4, .buffers = { NULL, i16 } },
    };
    arrow_producer producer;
    notes n;

    (void)state;
    start_notes(&n);
    arrow_start(&producer, columns, 2);
    gradus_dataset *data = read_with(&producer, &n.context, optional);
    assert_int_equal(gradus_dataset_features(data), 2);
    assert_bits(data->arrays.labels[0], 0);
    assert_int_equal(n.count, 0);
    gradus_dataset_free(data);

    arrow_start(&producer, columns, 2);
    data = read_with(&producer, &n.context, NULL);
    assert_int_equal(gradus_dataset_features(data), 1);
    assert_bits(data->arrays.labels[0], f32[0]);
    assert_non_null(strstr(n.text, "using column 1, 'x', as the label"));
    gradus_dataset_free(data);
}

/* The columns of a dense dataset, some as float64, with nulls for missing values. */
static void columns_of(const gradus_dataset *data, arrow_column *columns, void **memory)
{
    const size_t rows = data->arrays.rows, features = data->arrays.features;
    float *labels = calloc(rows, sizeof *labels);
    int32_t *offsets = calloc(rows + 1, sizeof *offsets);
    char *text = calloc(rows, 32);
    size_t used = 0;

    memory[0] = labels;
    memory[1] = offsets;
    memory[2] = text;
    for (size_t q = 0, r = 0; q < data->arrays.queries; q++)
        for (; r < data->arrays.query_starts[q + 1]; r++) {
            used += (size_t)sprintf(text + used, "%s", gradus_dataset_query_name(data, q));
            offsets[r + 1] = (int32_t)used;
            labels[r] = data->arrays.labels[r];
        }
    columns[0] = (arrow_column){ "f", "label", (int64_t)rows, { NULL, labels }, 0, 0, NULL, 0 };
    columns[1] =
        (arrow_column){ "u", "qid", (int64_t)rows, { NULL, offsets, text }, 0, 0, NULL, 0 };
    for (size_t f = 0; f < features; f++) {
        double *values = calloc(rows, sizeof *values);
        unsigned char *valid = calloc(rows / 8 + 1, 1);
        int64_t nulls = 0;

        for (size_t r = 0; r < rows; r++) {
            const float value = gr_dataset_value(data, r, f);

            values[r] = isnan(value) ? 1e6 : (double)value;
            nulls += isnan(value);
            if (!isnan(value))
                valid[r / 8] |= (unsigned char)(1 << r % 8);
        }
        memory[3 + 2 * f] = values;
        memory[4 + 2 * f] = valid;
        columns[2 + f] = (arrow_column){ .format = "g",
                                         .name = gradus_dataset_feature_name(data, f),
                                         .length = (int64_t)rows,
                                         .null_count = nulls,
                                         .buffers = { valid, values } };
    }
}

static void test_the_same_data_as_csv(void **state)
{
    static const set_kind kind = { .rows = 900,
                                   .features = 6,
                                   .queries = 40,
                                   .first_id = 1,
                                   .query_names = true,
                                   .feature_names = true };
    static const char *const pairs[] = { "method",   "lambdamart", "rounds", "5",
                                         "min-rows", "5",          NULL };
    gradus_error err = { GRADUS_OK, "" };
    char path[128];
    gradus_dataset *made = random_set(&kind, 7);
    arrow_column columns[8];
    arrow_producer producer;
    void *memory[3 + 2 * 6];
    uint64_t of_csv, of_arrow;

    (void)state;
    for (size_t i = 0; i < made->arrays.rows; i++) /* grades */
        ((float *)made->owned[GR_LABELS].at)[i] = (float)(i * 7 % 4);
    for (size_t i = 0; i < made->arrays.rows * made->arrays.features; i++)
        if (isinf(made->arrays.values[i])) /* CSV refuses it, too */
            ((float *)made->owned[GR_VALUES].at)[i] = 2.5f;
    in_folder(path, test_folder, "same.csv");
    assert_int_equal(gradus_dataset_write(NULL, made, path, NULL, &err), GRADUS_OK);
    gradus_dataset *csv = gradus_dataset_read(NULL, path, NULL, &err);
    if (!csv)
        fail_msg("%s", err.message);
    columns_of(made, columns, memory);
    arrow_start(&producer, columns, 8);
    gradus_dataset *arrow = read_all(&producer);

    assert_same_set(csv, arrow);
    assert_int_equal(gradus_dataset_fingerprint(NULL, csv, &of_csv, &err), GRADUS_OK);
    assert_int_equal(gradus_dataset_fingerprint(NULL, arrow, &of_arrow, &err), GRADUS_OK);
    assert_int_equal(of_csv, of_arrow);
    gradus_model *a = train_model(1, csv, NULL, pairs), *b = train_model(1, arrow, NULL, pairs);
    check_same_model(a, b);
    gradus_model_free(a);
    gradus_model_free(b);
    gradus_dataset_free(csv);
    gradus_dataset_free(arrow);
    gradus_dataset_free(made);
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++)
        free(memory[i]);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers_of_every_type),
        cmocka_unit_test(test_every_float16),
        cmocka_unit_test(test_text_of_every_type),
        cmocka_unit_test(test_ids_are_exact_text),
        cmocka_unit_test(test_slices),
        cmocka_unit_test(test_dictionaries_of_numbers),
        cmocka_unit_test(test_batches_and_scattered_queries),
        cmocka_unit_test(test_options_choose_columns),
        cmocka_unit_test(test_labels_may_be_absent),
        cmocka_unit_test(test_the_same_data_as_csv),
    };

    return cmocka_run_group_tests(tests, set_up_folder, tear_down_folder);
}
