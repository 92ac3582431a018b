/* SPDX-License-Identifier: Apache-2.0 */
/* JSON read token by token: numbers straight into floats, and skipped values. */
#include "checks.h"

#include "base/json_scan.h"
#include "base/rng.h"
#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void test_numbers_are_read_into_floats(void **state)
{
    const char *text = " [ 1 , -2.5e-3,16777217, 1e-46 ,1e999, -0.0,0.1] ";
    const float expected[] = { 1.0f, -2.5e-3f, 16777216.0f, 0.0f, INFINITY, -0.0f, 0.1f };
    gradus_error err = { GRADUS_OK, "" };
    gr_json_scan scan = gr_json_scan_new(text, strlen(text), &err);
    bool first = true, more = true;
    size_t count = 0;

    (void)state;
    assert_int_equal(gr_json_scan_kind(&scan), GR_JSON_LIST);
    assert_int_equal(gr_json_scan_open(&scan, '['), GRADUS_OK);
    for (;; count++) {
        float number;

        assert_int_equal(gr_json_scan_next(&scan, ']', &first, &more), GRADUS_OK);
        if (!more)
            break;
        assert_int_equal(gr_json_scan_float(&scan, &number), GRADUS_OK);
        assert_memory_equal(&number, &expected[count], sizeof number);
    }
    assert_int_equal(count, 7);
    assert_int_equal(gr_json_scan_end(&scan), GRADUS_OK);
}

/* The short way and the general way give the same bits, also at the middle between two floats. */
static void test_floats_are_rounded_like_all_others(void **state)
{
    static const char *const middles[] = { "16777217",
                                           "16777219",
                                           "8388608.5",
                                           "0.500000029802322",
                                           "1.00000005960464",
                                           "33554434.0",
                                           "4194304.25",
                                           "-0",
                                           "0.1",
                                           "123456789012345",
                                           "999999999999999",
                                           "0.000000000000001",
                                           "1234567.89012345",
                                           "-7.25",
                                           "0.0",
                                           "1e5",
                                           "1234567890123456" };
    gradus_error err = { GRADUS_OK, "" };
    gr_rng rng = gr_rng_for(1, "floats", 0);

    (void)state;
    for (size_t i = 0; i < 200000; i++) {
        char text[64];
        float number, expected;

        if (i < sizeof middles / sizeof *middles)
            strcpy(text, middles[i]);
        else
            snprintf(text, sizeof text, "%.*f", (int)(gr_rng_long(&rng) % 14),
                     ldexp((double)(gr_rng_long(&rng) >> 11), (int)(gr_rng_long(&rng) % 60) - 70));
        gr_json_scan scan = gr_json_scan_new(text, strlen(text), &err);

        assert_int_equal(gr_json_scan_float(&scan, &number), GRADUS_OK);
        assert_ptr_equal(scan.at, scan.end);
        gr_parse_float(text, text + strlen(text), &expected);
        if (memcmp(&number, &expected, sizeof number) != 0)
            fail_msg("%s: %a, not %a", text, (double)number, (double)expected);
    }
}

static void test_members_are_read_in_order(void **state)
{
    const char *text = "{\"a\\u00e9\" : true, \"b\":null,\"c\":\"x\\ny\",\"d\":[{}]}";
    gradus_error err = { GRADUS_OK, "" };
    gr_json_scan scan = gr_json_scan_new(text, strlen(text), &err);
    char key[64], value[64];
    bool first = true, more, flag;
    size_t length;

    (void)state;
    assert_int_equal(gr_json_scan_open(&scan, '{'), GRADUS_OK);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(gr_json_scan_next(&scan, '}', &first, &more), GRADUS_OK);
        assert_true(more);
        assert_int_equal(gr_json_scan_key(&scan, key, &length), GRADUS_OK);
        assert_string_equal(key, i == 0 ? "a\xC3\xA9" : i == 1 ? "b" : i == 2 ? "c" : "d");
        assert_int_equal(length, strlen(key));
        assert_int_equal(i == 0   ? gr_json_scan_flag(&scan, &flag)
                         : i == 1 ? gr_json_scan_null(&scan)
                         : i == 2 ? gr_json_scan_string(&scan, value, &length)
                                  : gr_json_scan_skip(&scan),
                         GRADUS_OK);
    }
    assert_true(flag);
    assert_string_equal(value, "x\ny");
    assert_int_equal(gr_json_scan_next(&scan, '}', &first, &more), GRADUS_OK);
    assert_false(more);
    assert_int_equal(scan.depth, 0);
}

/* Skipping accepts exactly what the tree parser accepts, except for duplicate keys. */
static void test_skipping_checks_what_it_skips(void **state)
{
    const char *texts[] = {
        "1",         "-0.5e+7", "\"x\\u0041\"",
        "[]",        "{}",      "[1,[2,{\"a\":3}],null]",
        "true",      "false",   "[1,]",
        "[,1]",      "{\"a\"}", "{\"a\":1,}",
        "tru",       "01",      "1.",
        "1e",        "+1",      "nan",
        "\"\\u00\"", "\"\\q\"", "\"\x01\"",
        "\"\xff\"",  "[1 2]",   "[1}",
        "\"a",       "{1:2}",   "",
        " ",         "nul",     "[[[[[[[[1]]]]]]]]",
    };
    gradus_error err = { GRADUS_OK, "" }, of_tree = { GRADUS_OK, "" };

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        gr_json_scan scan = gr_json_scan_new(texts[i], strlen(texts[i]), &err);
        gr_json *root = gr_json_parse(texts[i], strlen(texts[i]), &of_tree);
        const bool skipped =
            gr_json_scan_skip(&scan) == GRADUS_OK && gr_json_scan_end(&scan) == GRADUS_OK;

        if (skipped != (root != NULL))
            fail_msg("%s: %s", texts[i], skipped ? "skipped, not parsed" : err.message);
        if (!root)
            assert_string_equal(err.message, of_tree.message);
        gr_json_free(root);
    }
}

static void test_depth_is_limited(void **state)
{
    gradus_error err = { GRADUS_OK, "" };
    char text[2 * GR_JSON_DEPTH + 3];

    (void)state;
    for (size_t depth = GR_JSON_DEPTH; depth <= GR_JSON_DEPTH + 1; depth++) {
        memset(text, '[', depth);
        memset(text + depth, ']', depth);
        gr_json_scan scan = gr_json_scan_new(text, 2 * depth, &err);

        assert_int_equal(gr_json_scan_skip(&scan),
                         depth > GR_JSON_DEPTH ? GRADUS_BAD_FORMAT : GRADUS_OK);
    }
    assert_non_null(strstr(err.message, "nested too deeply"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers_are_read_into_floats),
        cmocka_unit_test(test_floats_are_rounded_like_all_others),
        cmocka_unit_test(test_members_are_read_in_order),
        cmocka_unit_test(test_skipping_checks_what_it_skips),
        cmocka_unit_test(test_depth_is_limited),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
