/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON parser and writer: values, numbers, strings, UTF-8, and malformed input. */
#include "checks.h"

#include "base/json.h"

#include <stdlib.h>
#include <string.h>

static gr_json *parse(const char *text)
{
    gradus_error err = { GRADUS_OK, "" };
    gr_json *root = gr_json_parse(text, strlen(text), &err);

    if (!root)
        fail_msg("%s: %s", text, err.message);
    return root;
}

static void test_values_of_every_kind_are_found(void **state)
{
    gr_json *root = parse(" { \"a\" : [ 1 , -2.5e-3, true,false , null,\"x\",[],{} ] ,\r\n\t"
                          "\"b\":{\"c\":{\"d\":18446744073709551615}}, \"e\":\"f\" } ");
    const gr_json_kind kinds[] = { GR_JSON_NUMBER, GR_JSON_NUMBER, GR_JSON_FLAG, GR_JSON_FLAG,
                                   GR_JSON_NULL,   GR_JSON_TEXT,   GR_JSON_LIST, GR_JSON_OBJECT };
    const gr_json *list = gr_json_find(root, "a"), *item = gr_json_first(list);
    const char *text;
    uint64_t count;
    double number;
    bool flag;

    (void)state;
    assert_int_equal(root->count, 3);
    assert_int_equal(list->count, 8);
    for (size_t i = 0; i < 8; i++, item = gr_json_next(item)) {
        assert_int_equal(item->kind, kinds[i]);
        assert_null(item->key);
        assert_int_equal(gr_json_number(item, &number), i < 2);
        assert_int_equal(gr_json_count(item, &count), i == 0);
        assert_int_equal(gr_json_flag(item, &flag), i == 2 || i == 3);
        assert_int_equal(gr_json_text(item, &text), i == 5);
        assert_null(gr_json_find(item, "a"));
    }
    assert_ptr_equal(item, gr_json_find(root, "b")); /* siblings follow the contents of a value */
    assert_true(
        gr_json_count(gr_json_find(gr_json_find(gr_json_find(root, "b"), "c"), "d"), &count));
    assert_true(count == UINT64_MAX);
    assert_true(gr_json_text(gr_json_find(root, "e"), &text));
    assert_string_equal(text, "f");
    assert_null(gr_json_find(root, "d"));
    assert_null(gr_json_find(NULL, "d"));
    assert_false(gr_json_count(NULL, &count) || gr_json_number(NULL, &number) ||
                 gr_json_flag(NULL, &flag) || gr_json_text(NULL, &text));
    gr_json_free(root);
    gr_json_free(NULL);
}

static void test_numbers_are_exact_or_refused(void **state)
{
    const struct {
        const char *text;
        bool is_count, is_number;
        double value;
    } cases[] = {
        { "0", true, true, 0.0 },
        { "-0", false, true, -0.0 },
        { "0.1", false, true, 0.1 },
        { "9007199254740993", true, true, 9007199254740992.0 },
        { "18446744073709551616", false, true, 18446744073709551616.0 },
        { "2.2250738585072011e-308", false, true, 2.2250738585072011e-308 },
        { "1e0", false, true, 1.0 },
        { "1E+2", false, true, 100.0 },
        { "1e-999999999999", false, true, 0.0 },
        { "1e999999999999", false, false, 0.0 },
        { "-1e400", false, false, 0.0 },
        { "1.0", false, true, 1.0 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        gr_json *root = parse(cases[i].text);
        uint64_t count;
        double number;

        assert_string_equal(root->text, cases[i].text);
        assert_int_equal(gr_json_count(root, &count), cases[i].is_count);
        assert_int_equal(gr_json_number(root, &number), cases[i].is_number);
        if (cases[i].is_number)
            assert_memory_equal(&number, &cases[i].value, sizeof number);
        gr_json_free(root);
    }
}

static void test_texts_are_decoded(void **state)
{
    const struct {
        const char *json, *text;
    } cases[] = {
        { "\"\"", "" },
        { "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t" },
        { "\"\\u0041\\u00e9\\u20AC\\uD83D\\uDE00\"", "A\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80" },
        { "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\x7f\"",
          "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\x7f" },
        { "\"\xf4\x8f\xbf\xbf\xee\x80\x80\xed\x9f\xbf\"",
          "\xf4\x8f\xbf\xbf\xee\x80\x80\xed\x9f\xbf" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        gr_json *root = parse(cases[i].json);
        const char *text;

        assert_true(gr_json_text(root, &text));
        assert_string_equal(text, cases[i].text);
        gr_json_free(root);
    }
}

/* A copy of exactly that size, so that reading past its end is detected. */
static gr_json *parse_exact(const char *text, size_t size, gradus_error *err)
{
    char *copy = malloc(size ? size : 1);
    gr_json *root;

    memcpy(copy, text, size);
    root = gr_json_parse(copy, size, err);
    free(copy);
    return root;
}

static void test_what_is_not_json_is_refused(void **state)
{
    const struct {
        const char *text, *message;
    } cases[] = {
        { "", "byte 0: expected a value" },
        { " ", "byte 1: expected a value" },
        { "nul", "byte 0: expected a value" },
        { "True", "byte 0: expected a value" },
        { "NaN", "byte 0: expected a value" },
        { "Infinity", "byte 0: expected a value" },
        { "+1", "byte 0: expected a value" },
        { ".5", "byte 0: expected a value" },
        { "-", "byte 1: expected a value" },
        { "01", "byte 1: unexpected text after the value" },
        { "1.", "byte 2: expected a digit" },
        { "1e", "byte 2: expected a digit" },
        { "1e+-1", "byte 3: expected a digit" },
        { "0x1", "byte 1: unexpected text after the value" },
        { "1 2", "byte 2: unexpected text after the value" },
        { "[1,]", "byte 3: expected a value" },
        { "[1 2]", "byte 3: expected ',' or ']'" },
        { "[1", "byte 2: expected ',' or ']'" },
        { "[", "byte 1: expected a value" },
        { "{\"a\":1,}", "byte 7: expected '\"'" },
        { "{a:1}", "byte 1: expected '\"'" },
        { "{\"a\" 1}", "byte 5: expected ':'" },
        { "{\"a\":}", "byte 5: expected a value" },
        { "{\"a\":1]", "byte 6: expected ',' or '}'" },
        { "{\"a\":1,\"b\":2,\"a\":3}", "byte 13: duplicate key" },
        { "{\"a\":1,\"\\u0061\":3}", "byte 7: duplicate key" },
        { "\"abc", "byte 4: unterminated string" },
        { "\"\\", "byte 2: unknown escape" },
        { "\"\\x\"", "byte 2: unknown escape" },
        { "'a'", "byte 0: expected a value" },
        { "\"a\nb\"", "byte 2: control character in a string" },
        { "\"\\u12g4\"", "byte 3: expected four hexadecimal digits" },
        { "\"\\u12", "byte 3: expected four hexadecimal digits" },
        { "\"\\u0000\"", "byte 7: NUL in a string" },
        { "\"\\ud800\"", "byte 7: unpaired surrogate" },
        { "\"\\udc00\\ud800\"", "byte 7: unpaired surrogate" },
        { "\"\\ud800\\u0041\"", "byte 13: unpaired surrogate" },
        { "\"\\ud800\\n\"", "byte 8: unpaired surrogate" },
        { "\"\xff\"", "byte 1: invalid UTF-8" },
        { "\"\x80\"", "byte 1: invalid UTF-8" },
        { "\"\xc3\"", "byte 1: invalid UTF-8" },
        { "\"\xe2\x82", "byte 1: invalid UTF-8" },
        { "\"\xc0\xaf\"", "byte 1: invalid UTF-8" },     /* an overlong '/' */
        { "\"\xe0\x80\xaf\"", "byte 1: invalid UTF-8" }, /* another */
        { "\"\xf0\x80\x80\xaf\"", "byte 1: invalid UTF-8" },
        { "\"\xed\xa0\x80\"", "byte 1: invalid UTF-8" },     /* a surrogate */
        { "\"\xf4\x90\x80\x80\"", "byte 1: invalid UTF-8" }, /* above U+10FFFF */
        { "\"\xf8\x88\x80\x80\x80\"", "byte 1: invalid UTF-8" },
        { "\xef\xbb\xbf{}", "byte 0: expected a value" }, /* a byte order mark */
        { "[1] // x", "byte 4: unexpected text after the value" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        gradus_error err = { GRADUS_OK, "" };

        assert_null(parse_exact(cases[i].text, strlen(cases[i].text), &err));
        assert_int_equal(err.status, GRADUS_BAD_FORMAT);
        assert_string_equal(err.message, cases[i].message);
    }
    assert_null(parse_exact("[1]\0", 4, NULL));
    assert_null(parse_exact("\"a\0b\"", 5, NULL));
    assert_null(parse_exact("\"\\\0\"", 4, NULL));
}

static void test_depth_is_limited(void **state)
{
    char text[2 * GR_JSON_DEPTH + 8];
    gradus_error err = { GRADUS_OK, "" };

    (void)state;
    for (size_t deep = GR_JSON_DEPTH; deep <= GR_JSON_DEPTH + 1; deep++) {
        memset(text, '[', deep);
        text[deep] = '1';
        memset(text + deep + 1, ']', deep);
        gr_json *root = parse_exact(text, 2 * deep + 1, &err);

        assert_int_equal(root != NULL, deep == GR_JSON_DEPTH);
        gr_json_free(root);
    }
    assert_non_null(strstr(err.message, "nested too deeply"));
    char *many = malloc(1000000);

    memset(many, '[', 1000000);
    assert_null(parse_exact(many, 1000000, NULL));
    free(many);
}

static void test_members_are_limited(void **state)
{
    char *text = malloc(16 * (GR_JSON_MEMBERS + 2));
    gradus_error err = { GRADUS_OK, "" };

    (void)state;
    for (int members = GR_JSON_MEMBERS; members <= GR_JSON_MEMBERS + 1; members++) {
        size_t used = 1;

        text[0] = '{';
        for (int i = 0; i < members; i++)
            used += (size_t)sprintf(text + used, "%s\"%d\":%d", i ? "," : "", i, i);
        text[used++] = '}';
        gr_json *root = parse_exact(text, used, &err);

        assert_int_equal(root != NULL, members == GR_JSON_MEMBERS);
        if (root) {
            assert_string_equal(gr_json_find(root, "999")->text, "999");
            assert_int_equal(root->span, members + 1);
        }
        gr_json_free(root);
    }
    assert_non_null(strstr(err.message, "too many members"));
    free(text);
}

static void test_every_part_of_a_text_is_refused(void **state)
{
    const char *text =
        "{\"a\":[1.5e3,true,null,\"\\ud83d\\ude00\xc3\xa9\",{\"b\":[]}],\"c\":false}";

    (void)state;
    for (size_t size = 0; size < strlen(text); size++) {
        gradus_error err = { GRADUS_OK, "" };

        assert_null(parse_exact(text, size, &err));
        assert_int_equal(err.status, GRADUS_BAD_FORMAT);
    }
    gr_json_free(parse(text));
}

static void test_written_text_reads_back(void **state)
{
    const char *hard = "\"\\/\b\n\x01\x1f\x7f \xc3\xa9\xf0\x9f\x98\x80";
    const double numbers[] = { 0.1, -0.0, 1e300, 5e-324, 123456789.0, 1e21, 1.0 / 3.0 };
    enum { NUMBERS = sizeof numbers / sizeof *numbers };
    gr_json_writer writer = { .used = 0 };
    const char *text;
    uint64_t count;

    (void)state;
    gr_json_open(&writer, NULL, '{');
    gr_json_put_text(&writer, hard, hard);
    gr_json_put_count(&writer, "count", UINT64_MAX);
    gr_json_open(&writer, "list", '[');
    for (size_t i = 0; i < NUMBERS; i++)
        gr_json_put_number(&writer, NULL, numbers[i]);
    gr_json_put_number(&writer, NULL, (double)NAN);
    gr_json_put_number(&writer, NULL, (double)-INFINITY);
    gr_json_close(&writer, ']');
    gr_json_open(&writer, "empty", '{');
    gr_json_close(&writer, '}');
    gr_json_put_flag(&writer, "flag", true);
    gr_json_put_null(&writer, "null");
    gr_json_put_text(&writer, "bytes", "a\xff\xc3z\xed\xa0\x80");
    gr_json_close(&writer, '}');
    assert_int_equal(gr_json_done(&writer, NULL), GRADUS_OK);

    gr_json *root = parse_exact(writer.bytes.at, writer.used, NULL);

    assert_non_null(root);
    assert_int_equal(root->count, 7);
    assert_true(gr_json_text(gr_json_find(root, hard), &text));
    assert_string_equal(text, hard);
    assert_true(gr_json_count(gr_json_find(root, "count"), &count) && count == UINT64_MAX);
    const gr_json *item = gr_json_first(gr_json_find(root, "list"));

    for (size_t i = 0; i < NUMBERS + 2; i++, item = gr_json_next(item)) {
        double number = 0.0;

        assert_int_equal(gr_json_number(item, &number), i < NUMBERS);
        if (i < NUMBERS)
            assert_memory_equal(&number, &numbers[i], sizeof number);
        else
            assert_int_equal(item->kind, GR_JSON_NULL);
    }
    assert_true(gr_json_text(gr_json_find(root, "bytes"), &text));
    assert_string_equal(text, "a\xef\xbf\xbd\xef\xbf\xbdz\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
    gr_json_free(root);
    gr_json_writer_free(&writer);
}

static void test_the_line_layout(void **state)
{
    gr_json_writer writer = { .layout = GR_JSON_LINE };

    (void)state;
    gr_json_open(&writer, NULL, '{');
    gr_json_put_label(&writer, "label", (double)0.1f);
    gr_json_put_label(&writer, "exact", 0.1);
    gr_json_put_label(&writer, "none", (double)NAN);
    gr_json_put_raw(&writer, "raw", "18446744073709551615");
    gr_json_open(&writer, "list", '[');
    /* a quote, tab, delete, U+0085, a Latin-1 byte, and a letter of two bytes */
    gr_json_put_text(&writer, NULL, "\"\t\x7f\xc2\x85\xe9\xc3\xa9");
    gr_json_put_flag(&writer, NULL, false);
    gr_json_close(&writer, ']');
    gr_json_close(&writer, '}');
    assert_int_equal(gr_json_done(&writer, NULL), GRADUS_OK);
    static const char expected[] =
        "{\"label\": 0.1, \"exact\": 0.1, \"none\": null, \"raw\": 18446744073709551615, "
        "\"list\": [\"\\\"\\u0009\\u007f\\u0085\\u00e9\xc3\xa9\", false]}";

    assert_int_equal(writer.used, sizeof expected - 1);
    assert_memory_equal(writer.bytes.at, expected, sizeof expected - 1);
    gr_json_writer_free(&writer);
}

static void test_values_in_a_row_keep_their_text(void **state)
{
    static const char text[] = " {\"a\": [1.50 ,\t\"\\u0041\"]} 2e1\n[tru";
    const char *at = text, *end = text + sizeof text - 1;
    gradus_error err;
    gr_json *root = gr_json_parse_next(&at, end, &err);
    const gr_json *list = gr_json_find(root, "a");

    (void)state;
    assert_int_equal(at - text, 25);
    assert_ptr_equal(root->raw, text + 1);
    assert_int_equal(root->raw_size, 24);
    assert_int_equal(list->raw_size, 17);
    assert_memory_equal(list->raw, "[1.50 ,\t\"\\u0041\"]", 17);
    assert_memory_equal(gr_json_first(list)->raw, "1.50", 4);
    assert_int_equal(gr_json_first(list)->raw_size, 4);
    gr_json_free(root);
    root = gr_json_parse_next(&at, end, &err);
    assert_string_equal(root->text, "2e1");
    assert_int_equal(root->raw_size, 3);
    gr_json_free(root);
    assert_null(gr_json_parse_next(&at, end, &err));
    assert_int_equal(err.status, GRADUS_BAD_FORMAT);
    assert_int_equal(at - text, 31);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values_of_every_kind_are_found),
        cmocka_unit_test(test_numbers_are_exact_or_refused),
        cmocka_unit_test(test_texts_are_decoded),
        cmocka_unit_test(test_what_is_not_json_is_refused),
        cmocka_unit_test(test_depth_is_limited),
        cmocka_unit_test(test_members_are_limited),
        cmocka_unit_test(test_every_part_of_a_text_is_refused),
        cmocka_unit_test(test_written_text_reads_back),
        cmocka_unit_test(test_the_line_layout),
        cmocka_unit_test(test_values_in_a_row_keep_their_text),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
