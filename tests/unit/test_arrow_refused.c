/* SPDX-License-Identifier: Apache-2.0 */
/* Arrow streams that are refused: each damage has a message that names batch and column, and
 * everything is released exactly once. The same holds if memory is exhausted at any point. */
#include "arrow_producer.h"
#include "failing_alloc.h"

#include <errno.h>
#include <string.h>

static const float labels[] = { 2, 0, 1, 0 };
static const double x[] = { 0.5, 1, -2, 4 };
static const char text[] = "abbccc";
static const int32_t offsets[] = { 0, 1, 3, 6, 6 }, indices[] = { 0, 1, 2, 0 };
static const int64_t large[] = { 0, 1, 3, 6, 6 };
static const int32_t views[4][4] = { { 1, 'a', 0, 0 }, { 13, 0, 0, 0 }, { 1, 'b', 0, 0 }, { 0 } };
static const int64_t view_sizes[] = { 13 };
static const arrow_column words = { .format = "u",
                                    .length = 3,
                                    .buffers = { NULL, offsets, text } };
static const uint8_t two_nulls[] = { 0x05 };

enum { LABEL, X, QUERY, DOCUMENT, VIEW, WEIGHT, COLUMNS };
static const arrow_column columns[COLUMNS] = {
    { .format = "f", .name = "label", .length = 4, .buffers = { NULL, labels } },
    { .format = "g", .name = "x", .length = 4, .buffers = { NULL, x } },
    { .format = "i",
      .name = "qid",
      .length = 4,
      .buffers = { NULL, indices },
      .dictionary = &words },
    { .format = "U", .name = "document", .length = 4, .buffers = { NULL, large, text } },
    { .format = "vu",
      .name = "url",
      .length = 4,
      .n_buffers = 4,
      .buffers = { NULL, views, "thirteen byte", view_sizes } },
    { .format = "C", .name = "weight", .length = 4, .buffers = { NULL, "\1\2\3\4" } },
};

static void start(arrow_producer *p)
{
    *p = (arrow_producer){ .batches = 0 };
    arrow_add(p, columns, COLUMNS, 4, 0);
    arrow_add(p, columns, COLUMNS, 4, 0);
    p->fields[VIEW].name = NULL; /* unnamed: a feature unless a test makes it the document */
}

/* Column c of the second batch. */
#define ARRAY(c) p->column[1][c]
#define BUFFER(c, i) p->buffers[1][c][i]
#define ITEMS(type, ...)                                                                           \
    ({                                                                                             \
        static const type items[] = { __VA_ARGS__ };                                               \
        items;                                                                                     \
    })

typedef struct damage {
    const char *name;
    void (*spoil)(arrow_producer *p);
    gradus_status status;
    const char *message;
    const char *document; /* the document column; NULL: "document" */
} damage;

#define SPOIL(name, ...)                                                                           \
    static void name(arrow_producer *p)                                                            \
    {                                                                                              \
        __VA_ARGS__;                                                                               \
    }

/* the stream */
SPOIL(no_get_schema, p->stream.get_schema = NULL)
SPOIL(no_get_next, p->stream.get_next = NULL)
SPOIL(schema_fails, p->schema_error = EIO; p->message = "disk on fire")
SPOIL(schema_fails_silently, p->schema_error = EIO; p->stream.get_last_error = NULL)
SPOIL(schema_is_released, p->schema.release = NULL)
SPOIL(batch_fails, p->batch_error = EIO; p->message = "connection lost")
SPOIL(batch_lacks_memory, p->batch_error = ENOMEM)
SPOIL(no_batches, p->batches = 0)
SPOIL(empty_batches, p->batch[0].length = p->batch[1].length = 0)
/* the schema */
SPOIL(not_a_struct, p->schema.format = "g")
SPOIL(no_format, p->schema.format = NULL)
SPOIL(no_columns, p->schema.n_children = 0)
SPOIL(negative_columns, p->schema.n_children = -1)
SPOIL(no_column_list, p->schema.children = NULL)
SPOIL(no_field, p->field_list[X] = NULL)
SPOIL(field_is_released, p->fields[X].release = NULL)
SPOIL(field_without_format, p->fields[X].format = NULL)
SPOIL(nested, p->fields[X].format = "+l")
SPOIL(nested_struct, p->fields[X].format = "+s")
SPOIL(unknown_format, p->fields[X].format = "tsn:\x1b")
SPOIL(empty_format, p->fields[X].format = "")
SPOIL(field_with_children, p->fields[X].n_children = 1)
SPOIL(same_name, p->fields[X].name = "label")
SPOIL(text_feature, p->fields[VIEW].format = "vu"; p->fields[X].format = "u")
SPOIL(text_label, p->fields[LABEL].format = "U")
SPOIL(text_weight, p->fields[WEIGHT].format = "u")
SPOIL(dictionary_label, p->fields[LABEL].format = "i";
      p->fields[LABEL].dictionary = &p->values[QUERY])
SPOIL(float_indices, p->fields[QUERY].format = "f")
SPOIL(nested_dictionary, p->values[QUERY].dictionary = &p->fields[X])
SPOIL(list_dictionary, p->values[QUERY].format = "+l")
/* the batch */
SPOIL(batch_is_negative, p->batch[1].length = -1)
SPOIL(batch_is_huge, p->batch[1].length = INT64_MAX)
SPOIL(batch_offset, p->batch[1].offset = -1)
SPOIL(batch_offset_overflows, p->batch[1].offset = INT64_MAX - 1)
SPOIL(batch_buffers, p->batch[1].n_buffers = 2)
SPOIL(batch_buffer_list, p->batch[1].buffers = NULL)
SPOIL(fewer_children, p->batch[1].n_children = COLUMNS - 1)
SPOIL(child_list, p->batch[1].children = NULL)
SPOIL(null_rows, p->batch_buffers[1][0] = two_nulls; p->batch[1].null_count = -1)
SPOIL(batch_dictionary, p->batch[1].dictionary = &p->dictionary[1][QUERY])
/* its columns */
SPOIL(no_child, p->column_list[1][X] = NULL)
SPOIL(child_is_released, ARRAY(X).release = NULL)
SPOIL(child_is_short, ARRAY(X).length = 3)
SPOIL(child_is_short_of_offset, p->batch[1].length = 3; p->batch[1].offset = 2)
SPOIL(child_is_negative, ARRAY(X).length = -4)
SPOIL(child_offset, ARRAY(X).offset = INT64_MIN)
SPOIL(child_offset_overflows, ARRAY(X).offset = INT64_MAX)
SPOIL(null_count_below, ARRAY(X).null_count = -2)
SPOIL(null_count_above, ARRAY(X).null_count = 5)
SPOIL(nulls_without_bitmap, ARRAY(X).null_count = 1)
SPOIL(nulls_disagree, ARRAY(X).null_count = 1; BUFFER(X, 0) = two_nulls)
SPOIL(nulls_unannounced, ARRAY(X).null_count = 0; BUFFER(X, 0) = two_nulls)
SPOIL(too_many_nulls, ARRAY(X).null_count = 3; BUFFER(X, 0) = two_nulls)
SPOIL(one_buffer, ARRAY(X).n_buffers = 1)
SPOIL(three_buffers, ARRAY(X).n_buffers = 3)
SPOIL(no_buffer_list, ARRAY(X).buffers = NULL)
SPOIL(children_of_numbers, ARRAY(X).n_children = 1)
SPOIL(no_values, BUFFER(X, 1) = NULL)
SPOIL(unannounced_dictionary, ARRAY(X).dictionary = &p->dictionary[1][QUERY])
SPOIL(no_dictionary, ARRAY(QUERY).dictionary = NULL)
SPOIL(dictionary_is_released, p->dictionary[1][QUERY].release = NULL)
SPOIL(dictionary_length, p->dictionary[1][QUERY].length = -3)
SPOIL(dictionary_buffers, p->dictionary[1][QUERY].n_buffers = 2)
SPOIL(index_above, p->dictionary[1][QUERY].length = 2)
SPOIL(index_below, BUFFER(QUERY, 1) = ITEMS(int32_t, 0, -1, 0, 0))
SPOIL(dictionary_empty, p->dictionary[1][QUERY].length = 0)
/* text */
SPOIL(offsets_decrease, BUFFER(DOCUMENT, 1) = ITEMS(int64_t, 0, 3, 1, 6, 6))
SPOIL(offsets_negative, BUFFER(DOCUMENT, 1) = ITEMS(int64_t, -1, 1, 3, 6, 6))
SPOIL(no_offsets, BUFFER(DOCUMENT, 1) = NULL)
SPOIL(no_text, BUFFER(DOCUMENT, 2) = NULL)
SPOIL(text_with_nul, BUFFER(DOCUMENT, 2) = "a\0bccc")
SPOIL(view_length,
      BUFFER(VIEW, 1) = ITEMS(int32_t, -1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
SPOIL(view_buffer,
      BUFFER(VIEW, 1) = ITEMS(int32_t, 13, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
SPOIL(view_offset,
      BUFFER(VIEW, 1) = ITEMS(int32_t, 13, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
SPOIL(view_below,
      BUFFER(VIEW, 1) = ITEMS(int32_t, 13, 0, 0, -1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
SPOIL(view_data, BUFFER(VIEW, 2) = NULL)
SPOIL(view_sizes_missing, BUFFER(VIEW, 3) = NULL)
SPOIL(view_two_buffers, ARRAY(VIEW).n_buffers = 2)
/* values */
SPOIL(label_is_null, ARRAY(LABEL).null_count = 2; BUFFER(LABEL, 0) = ITEMS(uint8_t, 0x03))
SPOIL(label_is_nan, BUFFER(LABEL, 1) = ITEMS(float, 0, 1, NAN, 0))
SPOIL(label_is_infinite, BUFFER(LABEL, 1) = ITEMS(float, 0, 1, 0, -INFINITY))
SPOIL(feature_is_infinite, BUFFER(X, 1) = ITEMS(double, 0, INFINITY, 0, 0))
SPOIL(feature_is_too_large, BUFFER(X, 1) = ITEMS(double, 0, -1e39, 0, 0))
SPOIL(weight_is_negative, p->fields[WEIGHT].format = "c"; BUFFER(WEIGHT, 1) = "\1\xff\1\1")
SPOIL(weight_is_null, ARRAY(WEIGHT).null_count = 2; BUFFER(WEIGHT, 0) = two_nulls)
SPOIL(query_is_null, ARRAY(QUERY).null_count = 2; BUFFER(QUERY, 0) = two_nulls)
SPOIL(query_is_empty, p->dictionary_buffers[1][QUERY][1] = ITEMS(int32_t, 0, 1, 1, 6))
SPOIL(query_is_null_in_dictionary, p->dictionary[1][QUERY].null_count = 1;
      p->dictionary_buffers[1][QUERY][0] = two_nulls)
SPOIL(
    query_is_nan, p->fields[QUERY].dictionary = NULL; p->fields[QUERY].format = "f";
    for (int b = 0; b < 2; b++) {
        p->column[b][QUERY].dictionary = NULL;
        p->buffers[b][QUERY][1] = ITEMS(float, 1, 2.5f, NAN, 1);
    })

#define FORMAT GRADUS_BAD_FORMAT
#define NUMBER GRADUS_BAD_NUMBER
#define IN(column) "Arrow batch 2, column '" column "': "
#define D(name, status, message)                                                                   \
    {                                                                                              \
#name, name, status, message, NULL                                                         \
    }
#define V(name, message)                                                                           \
    {                                                                                              \
#name, name, FORMAT, message, "url"                                                        \
    }
static const damage damages[] = {
    D(no_get_schema, FORMAT, "the Arrow stream lacks a callback"),
    D(no_get_next, FORMAT, "the Arrow stream lacks a callback"),
    D(schema_fails, GRADUS_NO_FILE, "the Arrow stream failed at its schema: disk on fire"),
    D(schema_fails_silently, GRADUS_NO_FILE, "the Arrow stream failed at its schema with error 5"),
    D(schema_is_released, FORMAT, "the Arrow stream has no schema"),
    D(batch_fails, GRADUS_NO_FILE, "the Arrow stream failed at its next batch: connection lost"),
    D(batch_lacks_memory, GRADUS_NO_MEMORY,
      "the Arrow stream failed at its next batch with error 12"),
    D(no_batches, FORMAT, "Arrow stream: no rows"),
    D(empty_batches, FORMAT, "Arrow stream: no rows"),
    D(not_a_struct, FORMAT, "Arrow schema: expected record batches (type '+s'), found type 'g'"),
    D(no_format, FORMAT, "the Arrow stream has no schema"),
    D(no_columns, FORMAT, "Arrow schema: expected 1 to 1048576 columns, found 0"),
    D(negative_columns, FORMAT, "Arrow schema: expected 1 to 1048576 columns, found -1"),
    D(no_column_list, FORMAT,
      "Arrow schema: expected 1 to 1048576 columns, found 6 without a list"),
    D(no_field, FORMAT, "Arrow schema: column 2 is missing or has been released"),
    D(field_is_released, FORMAT, "Arrow schema: column 2 is missing or has been released"),
    D(field_without_format, FORMAT, "Arrow column 'x': the schema has no format"),
    D(nested, FORMAT,
      "Arrow column 'x' has the nested type '+l'; supported are numbers, bool, "
      "utf8 and dictionaries of these"),
    D(nested_struct, FORMAT,
      "Arrow column 'x' has the nested type '+s'; supported are numbers, "
      "bool, utf8 and dictionaries of these"),
    D(unknown_format, FORMAT,
      "Arrow column 'x' has the type 'tsn:?'; supported are numbers, bool, "
      "utf8 and dictionaries of these"),
    D(empty_format, FORMAT,
      "Arrow column 'x' has the type ''; supported are numbers, bool, utf8 "
      "and dictionaries of these"),
    D(field_with_children, FORMAT, "Arrow column 'x' of type float64 has 1 children"),
    D(same_name, FORMAT, "Arrow schema: duplicate column name 'label'"),
    D(text_feature, FORMAT,
      "Arrow column 'x' has text (utf8), but features are numbers; use "
      "'ignore-column' or 'ignore-features' to skip text columns"),
    D(text_label, FORMAT, "Arrow column 'label' has text (large_utf8), but labels are numbers"),
    D(text_weight, FORMAT, "Arrow column 'weight' has text (utf8), but weights are numbers"),
    D(dictionary_label, FORMAT,
      "Arrow column 'label' has text (a dictionary of utf8), but labels are numbers"),
    D(float_indices, FORMAT,
      "Arrow column 'qid': the indices of a dictionary are float32, not integers"),
    D(nested_dictionary, FORMAT,
      "Arrow column 'qid': the values of its dictionary have a dictionary"),
    D(list_dictionary, FORMAT,
      "Arrow column 'qid' has the nested type '+l'; supported are "
      "numbers, bool, utf8 and dictionaries of these"),
    D(batch_is_negative, FORMAT, "Arrow batch 2: the length is -1"),
    D(batch_is_huge, FORMAT, "Arrow batch 2: the length is 9223372036854775807"),
    D(batch_offset, FORMAT, "Arrow batch 2: the offset is -1"),
    D(batch_offset_overflows, FORMAT, "Arrow batch 2: the offset is 9223372036854775806"),
    D(batch_buffers, FORMAT, "Arrow batch 2: the number of buffers is 2"),
    D(batch_buffer_list, FORMAT, "Arrow batch 2: the list of buffers is missing"),
    D(fewer_children, FORMAT, "Arrow batch 2: the number of children is 5"),
    D(child_list, FORMAT, "Arrow batch 2: the list of children is missing"),
    D(null_rows, FORMAT, "Arrow batch 2: a row is null"),
    D(batch_dictionary, FORMAT, "Arrow batch 2: there is a dictionary, but not in the schema"),
    D(no_child, FORMAT, IN("x") "the array is missing or has been released"),
    D(child_is_released, FORMAT, IN("x") "the array is missing or has been released"),
    D(child_is_short, FORMAT, IN("x") "the column is shorter than the batch; its length is 3"),
    D(child_is_short_of_offset, FORMAT,
      IN("label") "the column is shorter than the batch; its length is 4"),
    D(child_is_negative, FORMAT, IN("x") "the length is -4"),
    D(child_offset, FORMAT, IN("x") "the offset is -9223372036854775808"),
    D(child_offset_overflows, FORMAT, IN("x") "the offset is 9223372036854775807"),
    D(null_count_below, FORMAT, IN("x") "the null count is -2"),
    D(null_count_above, FORMAT, IN("x") "the null count is 5"),
    D(nulls_without_bitmap, FORMAT, IN("x") "there is no validity bitmap, but the null count is 1"),
    D(nulls_disagree, FORMAT,
      IN("x") "the validity bitmap disagrees with the null count, which is 1"),
    D(nulls_unannounced, FORMAT,
      IN("x") "the validity bitmap disagrees with the null count, which is 0"),
    D(too_many_nulls, FORMAT,
      IN("x") "the validity bitmap disagrees with the null count, which is 3"),
    D(one_buffer, FORMAT, IN("x") "the number of buffers is 1"),
    D(three_buffers, FORMAT, IN("x") "the number of buffers is 3"),
    D(no_buffer_list, FORMAT, IN("x") "the list of buffers is missing"),
    D(children_of_numbers, FORMAT, IN("x") "the number of children is 1"),
    D(no_values, FORMAT, IN("x") "the buffer of values is missing"),
    D(unannounced_dictionary, FORMAT, IN("x") "there is a dictionary, but not in the schema"),
    D(no_dictionary, FORMAT, IN("qid") "the dictionary is missing"),
    D(dictionary_is_released, FORMAT, IN("qid") "the array is missing or has been released"),
    D(dictionary_length, FORMAT, IN("qid") "the length of the dictionary is -3"),
    D(dictionary_buffers, FORMAT, IN("qid") "the number of buffers is 2"),
    D(index_above, FORMAT,
      "Arrow batch 2, row 3: index 2 in column 'qid' is not in its dictionary of 2"),
    D(index_below, FORMAT,
      "Arrow batch 2, row 2: index -1 in column 'qid' is not in its dictionary of 3"),
    D(dictionary_empty, FORMAT,
      "Arrow batch 2, row 1: index 0 in column 'qid' is not in its dictionary of 0"),
    D(offsets_decrease, FORMAT, IN("document") "text offsets decrease to 1"),
    D(offsets_negative, FORMAT, IN("document") "a text offset is -1"),
    D(no_offsets, FORMAT, IN("document") "the buffer of values is missing"),
    D(no_text, FORMAT, IN("document") "there is no buffer of text, but offsets reach 6"),
    D(text_with_nul, FORMAT,
      "Arrow batch 2, row 2: expected text without NUL in column 'document', found '?b'"),
    V(view_length, IN("url") "the length of a text is -1"),
    V(view_buffer, IN("url") "a text is in data buffer 1"),
    V(view_offset, IN("url") "a text is outside its data buffer, at 1"),
    V(view_below, IN("url") "a text is outside its data buffer, at -1"),
    V(view_data, IN("url") "there is no data buffer 0"),
    V(view_sizes_missing, IN("url") "the sizes of the data buffers are missing"),
    V(view_two_buffers, IN("url") "the number of buffers is 2"),
    D(label_is_null, NUMBER,
      "Arrow batch 2, row 3: expected a label in column 'label', found 'null'"),
    D(label_is_nan, NUMBER,
      "Arrow batch 2, row 3: expected a label in column 'label', found 'nan'"),
    D(label_is_infinite, NUMBER,
      "Arrow batch 2, row 4: expected a finite number in column 'label', found '-inf'"),
    D(feature_is_infinite, NUMBER,
      "Arrow batch 2, row 2: expected a finite number in column 'x', found 'inf'"),
    D(feature_is_too_large, NUMBER,
      "Arrow batch 2, row 2: expected a finite number in column 'x', found '-1e39'"),
    D(weight_is_negative, NUMBER,
      "Arrow batch 2, row 2: expected a weight of 0 or more in column 'weight', found '-1'"),
    D(weight_is_null, NUMBER,
      "Arrow batch 2, row 2: expected a weight of 0 or more in column 'weight', found 'null'"),
    D(query_is_null, FORMAT,
      "Arrow batch 2, row 2: expected a query in column 'qid', found 'null'"),
    D(query_is_empty, FORMAT, "Arrow batch 2, row 2: expected a query in column 'qid', found ''"),
    D(query_is_null_in_dictionary, FORMAT,
      "Arrow batch 2, row 2: expected a query in column 'qid', found 'null'"),
    D(query_is_nan, FORMAT, "Arrow batch 1, row 3: expected a query in column 'qid', found 'nan'"),
};

/* Reads with the text view ignored, or as the document column in place of another. */
static gradus_dataset *read_producer(arrow_producer *p, const char *document, gradus_error *err)
{
    gradus_options *options = gradus_options_new("read", err);
    gradus_dataset *data = NULL;

    if (document)
        p->fields[VIEW].name = "url";
    if (options &&
        gradus_options_set(options, "ignore-column", document ? "document" : "5", err) ==
            GRADUS_OK &&
        gradus_options_set(options, "document-column", document ? document : "document", err) ==
            GRADUS_OK)
        data = gradus_dataset_from_arrow(NULL, &p->stream, options, err);
    else
        p->stream.release(&p->stream);
    gradus_options_free(options);
    return data;
}

static void test_undamaged_streams_are_read(void **state)
{
    arrow_producer producer;
    gradus_error err;

    (void)state;
    for (int view = 0; view < 2; view++) {
        start(&producer);
        gradus_dataset *data = read_producer(&producer, view ? "url" : NULL, &err);

        if (!data)
            fail_msg("%s", err.message);
        assert_int_equal(gradus_dataset_rows(data), 8);
        assert_int_equal(producer.batches_handed, 2);
        assert_true(arrow_all_released(&producer));
        assert_string_equal(gradus_dataset_document_name(data, 4), view ? "thirteen byte" : "bb");
        gradus_dataset_free(data);
    }
}

static void test_damage_is_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        const damage *d = &damages[i];
        arrow_producer producer;
        gradus_error err = { GRADUS_OK, "" };

        start(&producer);
        d->spoil(&producer);
        gradus_dataset *data = read_producer(&producer, d->document, &err);

        if (data)
            fail_msg("%s is accepted", d->name);
        if (strcmp(err.message, d->message) != 0)
            fail_msg("%s: '%s' instead of '%s'", d->name, err.message, d->message);
        assert_int_equal(err.status, d->status);
        if (!arrow_all_released(&producer))
            fail_msg("%s: something is not released, or twice", d->name);
    }
}

static void test_wrong_arguments(void **state)
{
    gradus_error err = { GRADUS_OK, "" };
    gradus_options *train = gradus_options_new("train", &err);
    gradus_options *side = gradus_options_new("read", &err);
    arrow_producer producer;

    (void)state;
    start(&producer);
    assert_null(gradus_dataset_from_arrow(NULL, &producer.stream, train, &err));
    assert_string_equal(err.message, "options for 'train' passed to 'read'");
    assert_true(arrow_all_released(&producer));
    assert_null(gradus_dataset_from_arrow(NULL, &producer.stream, NULL, &err));
    assert_string_equal(err.message, "the Arrow stream has been released");
    assert_true(arrow_all_released(&producer));

    start(&producer);
    assert_int_equal(gradus_options_set_flag(side, "side-files", true, &err), GRADUS_OK);
    assert_null(gradus_dataset_from_arrow(NULL, &producer.stream, side, NULL));
    assert_true(arrow_all_released(&producer));

    start(&producer);
    gradus_options_set_flag(side, "side-files", false, &err);
    gradus_options_set(side, "label-column", "lable", &err);
    assert_null(gradus_dataset_from_arrow(NULL, &producer.stream, side, &err));
    assert_string_equal(err.message, "unknown column 'lable'; did you mean 'label'?");
    assert_true(arrow_all_released(&producer));
    gradus_options_free(train);
    gradus_options_free(side);
}

static bool refuse(void *user, const char *what, double done)
{
    (void)user;
    (void)what;
    return done > 0;
}

static void test_reading_can_be_cancelled(void **state)
{
    gradus_error err = { GRADUS_OK, "" };
    gradus_context *context = gradus_context_new(1, &err);
    gradus_options *options = gradus_options_new("read", &err);
    arrow_producer producer;

    (void)state;
    gradus_context_on_progress(context, refuse, NULL);
    gradus_options_set(options, "ignore-column", "5", &err);
    start(&producer);
    assert_null(gradus_dataset_from_arrow(context, &producer.stream, options, &err));
    assert_int_equal(err.status, GRADUS_CANCELLED);
    assert_int_equal(producer.batches_handed, 1);
    assert_true(arrow_all_released(&producer));
    gradus_options_free(options);
    gradus_context_free(context);
}

/* Rows without memory of their own must not exhaust that of the process. */
static void test_memory_limit(void **state)
{
    const arrow_column nulls[] = { { .format = "n", .name = "x", .length = INT64_C(1) << 50 } };
    gradus_error err = { GRADUS_OK, "" };
    gradus_context *context = gradus_context_new(1, &err);
    gradus_options *options = gradus_options_new("read", &err);
    arrow_producer producer;

    (void)state;
    gradus_context_set_max_memory(context, 1 << 20);
    gradus_options_set_flag(options, "label-optional", true, &err);
    arrow_start(&producer, nulls, 1);
    assert_null(gradus_dataset_from_arrow(context, &producer.stream, options, &err));
    assert_int_equal(err.status, GRADUS_NO_MEMORY);
    assert_true(arrow_all_released(&producer));
    gradus_options_free(options);
    gradus_context_free(context);
}

static gradus_status read_once(gradus_error *err)
{
    arrow_producer producer;

    start(&producer);
    gradus_dataset *data = read_producer(&producer, NULL, err);
    const gradus_status status = data ? GRADUS_OK : err->status;

    assert_true(arrow_all_released(&producer));
    gradus_dataset_free(data);
    return status;
}

static void test_exhausted_memory(void **state)
{
    (void)state;
    assert_true(exhaust("read an Arrow stream", read_once) > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_undamaged_streams_are_read),
        cmocka_unit_test(test_damage_is_refused),
        cmocka_unit_test(test_wrong_arguments),
        cmocka_unit_test(test_reading_can_be_cancelled),
        cmocka_unit_test(test_memory_limit),
        cmocka_unit_test(test_exhausted_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
