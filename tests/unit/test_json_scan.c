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
        char text[160];
        float number, expected;
        size_t length;

        if (i < sizeof middles / sizeof *middles)
            strcpy(text, middles[i]);
        else
            snprintf(text, sizeof text, "%.*f", (int)(gr_rng_long(&rng) % 14),
                     ldexp((double)(gr_rng_long(&rng) >> 11), (int)(gr_rng_long(&rng) % 60) - 70));
        length = strlen(text);
        memset(text + length, ' ', sizeof text - length); /* the short way needs space */
        gr_json_scan scan = gr_json_scan_new(text, sizeof text, &err);

        assert_int_equal(gr_json_scan_float(&scan, &number), GRADUS_OK);
        assert_ptr_equal(scan.at, text + length);
        gr_parse_float(text, text + length, &expected);
        if (memcmp(&number, &expected, sizeof number) != 0)
            fail_msg("%.*s: %a, not %a", (int)length, text, (double)number, (double)expected);
    }
}

/* A number as clients write it, or almost one. */
static void put_item(gr_rng *rng, char *text, size_t size)
{
    static const char *const odd[] = { "007", "-01.5", ".5",       "-.5",   "5.",   "-",
                                       "+1",  "1e5",   "1E-3",     "null",  "[]",   "",
                                       "0",   "-0",    "0.0",      "1.5.2", "1e39", "\"1\"",
                                       "1 ",  " 1",    "12345678", "1-2",   "0e",   "1,2" };
    const uint32_t bits = gr_rng_word(rng);
    float number;

    memcpy(&number, &bits, sizeof number);
    if (!isfinite(number))
        number = 0.0f;
    switch (gr_rng_below(rng, 7)) {
    case 0: /* any float, also subnormal */
        snprintf(text, size, "%.*g", 1 + (int)gr_rng_below(rng, 20), (double)number);
        break;
    case 1: /* about the middle between two floats of common size */
        number = ldexpf((float)(bits >> 8 | 1 << 23), (int)gr_rng_below(rng, 40) - 36);
        snprintf(text, size, "%.*g", 13 + (int)gr_rng_below(rng, 12),
                 ((double)number + (double)nextafterf(number, INFINITY)) / 2);
        break;
    case 2:
        snprintf(text, size, "%u", (unsigned)gr_rng_below(rng, 10));
        break;
    case 3: /* long, with zeros at the end or in front */
        snprintf(text, size, "%.*f", (int)gr_rng_below(rng, 60),
                 ldexp((double)(gr_rng_long(rng) >> 11), (int)gr_rng_below(rng, 120) - 100));
        break;
    case 4:
        snprintf(text, size, "%s",
                 gr_rng_below(rng, 8) ? "0.25" : odd[gr_rng_below(rng, sizeof odd / sizeof *odd)]);
        break;
    default:
        snprintf(text, size, "%.*f", (int)gr_rng_below(rng, 10),
                 (double)((int)gr_rng_below(rng, 2000001) - 1000000) * 1e-4);
    }
}

/* Reads a list of numbers, with the plain functions only or with the fast ones; its text has an error if the
 * status is not GRADUS_OK. */
static gradus_status read_list(gr_json_scan *scan, bool fast, float *numbers, size_t *count)
{
    bool first = true, more;
    const char *text;
    size_t length;

    *count = 0;
    GR_TRY(gr_json_scan_open(scan, '['));
    for (;;) {
        GR_TRY(gr_json_scan_next(scan, ']', &first, &more));
        if (!more)
            return GRADUS_OK;
        if (fast) {
            GR_TRY(gr_json_scan_float(scan, &numbers[(*count)++]));
            *count += gr_json_scan_more_floats(scan, numbers + *count, 64 - *count);
        } else {
            GR_TRY(gr_json_scan_number(scan, &text, &length));
            gr_parse_float(text, text + length, &numbers[(*count)++]);
        }
    }
}

/* Lists of good and bad items: the same bits, the same count, and the same error at the same byte. */
static void test_many_floats_are_read_like_single_ones(void **state)
{
    gr_rng rng = gr_rng_for(2, "floats", 0);
    size_t good = 0;

    (void)state;
    for (size_t i = 0; i < 20000; i++) {
        gradus_error errors[2] = { { GRADUS_OK, "" }, { GRADUS_OK, "" } };
        float numbers[2][64] = { { 0.0f } };
        char text[64 * 128] = "[";
        size_t used = 1, counts[2], ends[2];
        const size_t items = 1 + (size_t)gr_rng_below(&rng, 40);

        for (size_t n = 0; n < items; n++) {
            if (n > 0)
                used += (size_t)sprintf(text + used, "%s", gr_rng_below(&rng, 4) ? "," : ", ");
            put_item(&rng, text + used, 100);
            used += strlen(text + used);
        }
        used += (size_t)sprintf(text + used, "]%*s", (int)gr_rng_below(&rng, 150), "");
        for (int fast = 0; fast < 2; fast++) {
            gr_json_scan scan = gr_json_scan_new(text, used, &errors[fast]);

            errors[fast].status = read_list(&scan, fast, numbers[fast], &counts[fast]);
            ends[fast] = (size_t)(scan.at - scan.begin);
        }
        good += errors[0].status == GRADUS_OK;
        if (errors[0].status != errors[1].status || ends[0] != ends[1] ||
            strcmp(errors[0].message, errors[1].message) != 0 ||
            (errors[0].status == GRADUS_OK &&
             (counts[0] != counts[1] || memcmp(numbers[0], numbers[1], sizeof numbers[0]) != 0)))
            fail_msg("%s\n%s, %s", text, errors[0].message, errors[1].message);
    }
    assert_true(good > 2000);
}

/* The space for numbers is respected. */
static void test_more_floats_stop_at_their_count(void **state)
{
    char text[300] = "[0,1,2,3,4,5,6,7,8";
    gradus_error err = { GRADUS_OK, "" };
    float numbers[4] = { -1.0f, -1.0f, -1.0f, -1.0f };

    (void)state;
    memset(text + strlen(text), ' ', sizeof text - strlen(text));
    gr_json_scan scan = gr_json_scan_new(text, sizeof text, &err);

    scan.at += 2;
    assert_int_equal(gr_json_scan_more_floats(&scan, numbers, 0), 0);
    assert_int_equal(gr_json_scan_more_floats(&scan, numbers, 3), 3);
    assert_true(numbers[2] == 3.0f && numbers[3] == -1.0f);
    assert_int_equal(scan.at - scan.begin, 8);
    assert_int_equal(gr_json_scan_more_floats(&scan, numbers, 9), 4); /* no comma after the 8 */
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
        cmocka_unit_test(test_many_floats_are_read_like_single_ones),
        cmocka_unit_test(test_more_floats_stop_at_their_count),
        cmocka_unit_test(test_members_are_read_in_order),
        cmocka_unit_test(test_skipping_checks_what_it_skips),
        cmocka_unit_test(test_depth_is_limited),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
