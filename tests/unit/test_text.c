/* SPDX-License-Identifier: Apache-2.0 */
/* Parsing and formatting numbers, against the C library's strtod, strtof and printf, which are
 * exact in glibc and share no code with the library. */
#include "checks.h"

#include "base/rng.h"
#include "base/text.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

static double double_of(uint64_t bits)
{
    double number;

    memcpy(&number, &bits, sizeof number);
    return number;
}

static float float_of(uint32_t bits)
{
    float number;

    memcpy(&number, &bits, sizeof number);
    return number;
}

static uint64_t bits_of(double number)
{
    uint64_t bits;

    memcpy(&bits, &number, sizeof bits);
    return bits;
}

/* Both parsers agree with the reference on the value, to the bit, and on where the number ends. */
static void check_parse(const char *text)
{
    const char *end = text + strlen(text);
    char *judged_end;
    double number = 0.0;
    float narrow = 0.0f;
    const double wanted = strtod(text, &judged_end);
    const float wanted_narrow = strtof(text, NULL);
    const char *stop = gr_parse_double(text, end, &number);

    if (stop != judged_end || bits_of(number) != bits_of(wanted)) {
        print_error("'%.200s' reads as %a, not %a\n", text, number, wanted);
        fail();
    }
    stop = gr_parse_float(text, end, &narrow);
    if (stop != judged_end || memcmp(&narrow, &wanted_narrow, sizeof narrow) != 0) {
        print_error("'%.200s' reads as the float %a, not %a\n", text, (double)narrow,
                    (double)wanted_narrow);
        fail();
    }
}

static void test_parse_any_double_written_with_any_precision(void **state)
{
    gr_rng rng = gr_rng_for(1, "text", 0);
    char text[64];

    (void)state;
    for (int i = 0; i < 60000; i++) {
        const double number = double_of(gr_rng_long(&rng));

        if (!isfinite(number))
            continue;
        snprintf(text, sizeof text, "%.*g", 1 + (int)gr_rng_below(&rng, 25), number);
        check_parse(text);
    }
}

static void test_parse_any_float_written_with_any_precision(void **state)
{
    gr_rng rng = gr_rng_for(2, "text", 0);
    char text[64];

    (void)state;
    for (int i = 0; i < 60000; i++) {
        const float number = float_of(gr_rng_word(&rng));

        if (!isfinite(number))
            continue;
        snprintf(text, sizeof text, "%.*g", 1 + (int)gr_rng_below(&rng, 12), (double)number);
        check_parse(text);
    }
}

/* Digits with a decimal point anywhere and any exponent, as written by people and other programs.
 */
static void random_decimal(gr_rng *rng, char *text)
{
    const size_t digits = 1 + (size_t)gr_rng_below(rng, gr_rng_below(rng, 4) ? 12 : 45);
    const size_t point = (size_t)gr_rng_below(rng, digits + 2);
    size_t at = 0;

    if (gr_rng_below(rng, 3) == 0)
        text[at++] = "+-"[gr_rng_below(rng, 2)];
    for (size_t d = 0; d < digits; d++) {
        if (d == point)
            text[at++] = '.';
        text[at++] = (char)('0' + (gr_rng_below(rng, 4) ? gr_rng_below(rng, 10) : 0));
    }
    text[at] = '\0';
    if (gr_rng_below(rng, 2))
        sprintf(text + at, "%c%d", "eE"[gr_rng_below(rng, 2)],
                (int)gr_rng_below(rng, 2) ? (int)gr_rng_below(rng, 50) - 25
                                          : (int)gr_rng_below(rng, 720) - 360);
}

static void test_parse_random_decimals(void **state)
{
    gr_rng rng = gr_rng_for(3, "text", 0);
    char text[80];

    (void)state;
    for (int i = 0; i < 150000; i++) {
        random_decimal(&rng, text);
        check_parse(text);
    }
}

/* Close to the middle between two floats, in 13 to 24 digits: what doubles cannot decide. */
static void test_parse_near_midpoints_of_floats(void **state)
{
    gr_rng rng = gr_rng_for(8, "text", 0);
    char text[80];

    (void)state;
    for (int i = 0; i < 100000; i++) {
        const float low =
            ldexpf((float)(gr_rng_word(&rng) >> 8 | 1 << 23), (int)gr_rng_below(&rng, 120) - 83);
        const double middle = ((double)low + (double)nextafterf(low, (float)INFINITY)) / 2;
        const double near = double_of(bits_of(middle) + gr_rng_below(&rng, 13) - 6);

        snprintf(text, sizeof text, "%.*g", 13 + (int)gr_rng_below(&rng, 12), near);
        check_parse(text);
    }
}

/* A text exactly half-way between two numbers, and its neighbours in the last digit. */
static void check_around(char *text)
{
    char *last = text + strcspn(text, "e") - 1;
    char rest[16];

    check_parse(text);
    *last = (char)(*last - 1); /* an exact midpoint ends in 5 */
    check_parse(text);
    *last = (char)(*last + 2);
    check_parse(text);
    *last = (char)(*last - 1);
    snprintf(rest, sizeof rest, "%s", last + 1);
    sprintf(last + 1, "%s%s", strchr(text, '.') ? "0000000000000000000000001" : "", rest);
    check_parse(text);
}

static void test_parse_midpoints_of_doubles(void **state)
{
    gr_rng rng = gr_rng_for(4, "text", 0);
    char text[1400];

    (void)state;
    if (LDBL_MANT_DIG < 64)
        SKIP_TEST("long double is no wider than double");
    for (int i = 0; i < 3000; i++) {
        const uint64_t bits = gr_rng_long(&rng) >> 1;
        const double low = double_of(i % 4 ? bits : bits & (((uint64_t)1 << 54) - 1));

        if (!isfinite(low) || !isfinite(double_of(bits_of(low) + 1)))
            continue;
        const long double middle =
            ((long double)low + (long double)double_of(bits_of(low) + 1)) / 2;
        snprintf(text, sizeof text, "%.1100Lg", middle);
        check_around(text);
    }
}

static void test_parse_midpoints_of_floats(void **state)
{
    gr_rng rng = gr_rng_for(5, "text", 0);
    char text[400];

    (void)state;
    for (int i = 0; i < 20000; i++) {
        const uint32_t bits = gr_rng_word(&rng) >> 1;
        const float low = float_of(i % 4 ? bits : bits & ((1u << 25) - 1));

        const float high = nextafterf(low, (float)INFINITY);

        if (!isfinite(low) || !isfinite(high))
            continue;
        const double middle = ((double)low + (double)high) / 2;
        snprintf(text, sizeof text, "%.200g", middle);
        check_around(text);
    }
}

static const char *const hard_cases[] = {
    "0",
    "-0",
    "+0",
    "-0.0e5",
    "0e999999",
    "1",
    "-1",
    "5.",
    ".5",
    "-.5e-3",
    "00012",
    "000.0001",
    "2.2250738585072011e-308",
    "2.2250738585072012e-308",
    "2.2250738585072014e-308",
    "1.7976931348623157e308",
    "1.7976931348623158e308",
    "1.7976931348623159e308",
    "179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017"
    "9775872070963302864166928879109465555478519404026306574886715058206819089020007083836762738"
    "5484584771155136919900344e75",
    "4.9406564584124654e-324",
    "2.4703282292062327e-324",
    "2.4703282292062328e-324",
    "2.4703282292062327208e-324",
    "7.4109846876186981e-324",
    "9007199254740991",
    "9007199254740992",
    "9007199254740993",
    "9007199254740994",
    "9007199254740995",
    "9007199254740993.0000000000000000000000000000001",
    "18446744073709551615",
    "18446744073709551616",
    "18446744073709551615000",
    "9999999999999999999",
    "99999999999999999999",
    "1e19",
    "1e22",
    "1e23",
    "1e-22",
    "1e-23",
    "123456789e-30",
    "3.4028234663852886e38",
    "3.4028235677973366e38",
    "3.4028235677973367e38",
    "1.4e-45",
    "7.0064923216240853e-46",
    "7.0064923216240854e-46",
    "1.1754943508222875e-38",
    "16777217",
    "16777219",
    "33554434.999",
    "8.5899345920000005e9",
    "1e400",
    "-1e400",
    "1e-400",
    "1e309",
    "1e38",
    "1e39",
    "1e-9999999999999999999",
    "1e99999999999999999999",
    "0.1e-350",
    "1e-324",
    "6.631236846766476e-316",
    "5e-324",
    "1e+5",
    "1E-05",
    "0.000000000000000000000000000001",
    "8.41e21",
    "6.0221407999999997e23",
    "1090544144181609348671888949248",
    "7.2057594037927933e16",
    "1.00000000000000011102230246251565404236316680908203125",
    "1.00000000000000011102230246251565404236316680908203124",
    "1.00000000000000011102230246251565404236316680908203126",
};

static void test_parse_hard_cases(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof hard_cases / sizeof *hard_cases; i++)
        check_parse(hard_cases[i]);
}

/* Thousands of zeros, digits and exponents that cancel. */
static void test_parse_very_long_numbers(void **state)
{
    enum { LONG = 2000000 };
    char *text = malloc(LONG + 100);

    (void)state;
    assert_non_null(text);
    for (size_t zeros = 10; zeros <= LONG; zeros *= 3) {
        strcpy(text, "0.");
        memset(text + 2, '0', zeros);
        sprintf(text + 2 + zeros, "17e%zu", zeros + 3); /* 0.000...17e+... */
        check_parse(text);
        text[0] = '3'; /* 3.000...17 */
        strcpy(text + 2 + zeros, "17");
        check_parse(text);
        memset(text, '7', zeros); /* 777...e-... */
        sprintf(text + zeros, ".125e-%zu", zeros);
        check_parse(text);
        text[0] = '1'; /* 1000...0001e-..., a tie except for the last digit */
        strcpy(text, "9007199254740993");
        memset(text + 16, '0', zeros);
        sprintf(text + 16 + zeros, "1e-%zu", zeros + 1);
        check_parse(text);
    }
    free(text);
}

static void check_stop(const char *text, size_t length, ptrdiff_t wanted_stop, double wanted)
{
    double number = -7.0;
    const char *stop = gr_parse_double(text, text + length, &number);

    if (wanted_stop < 0) {
        assert_null(stop);
        return;
    }
    assert_non_null(stop);
    assert_int_equal(stop - text, wanted_stop);
    CHECK_NEAR(number, wanted, 0.0);
}

static void test_parse_stops_where_the_number_does(void **state)
{
    const double nan = (double)NAN, infinite = (double)INFINITY;

    (void)state;
    check_stop("12345", 3, 3, 123);
    check_stop("1.25", 2, 2, 1);
    check_stop("1e55", 3, 3, 1e5);
    check_stop("1e55", 2, 1, 1);
    check_stop("3em", 3, 1, 3);
    check_stop("3e+", 3, 1, 3);
    check_stop("3e+x", 4, 1, 3);
    check_stop("1.5.2", 5, 3, 1.5);
    check_stop("0x10", 4, 1, 0);
    check_stop("7 ", 2, 1, 7);
    check_stop("7:", 2, 1, 7);
    check_stop("", 0, -1, 0);
    check_stop("-", 1, -1, 0);
    check_stop("+", 1, -1, 0);
    check_stop(".", 1, -1, 0);
    check_stop("-.e5", 4, -1, 0);
    check_stop("e5", 2, -1, 0);
    check_stop(" 1", 2, -1, 0);
    check_stop("--1", 3, -1, 0);
    check_stop("abc", 3, -1, 0);
    check_stop("in", 2, -1, 0);
    check_stop("na", 2, -1, 0);
    check_stop("inf", 2, -1, 0);
    check_stop("inf", 3, 3, infinite);
    check_stop("-InF", 4, 4, -infinite);
    check_stop("infinit", 7, 3, infinite);
    check_stop("INFINITY", 8, 8, infinite);
    check_stop("NaN", 3, 3, nan);
    check_stop("-nan", 4, 4, nan);
}

static void test_parse_count(void **state)
{
    uint64_t count = 5;
    const char *text = "18446744073709551615", *over = "18446744073709551616";
    const char *far = "99999999999999999999999", *word = "12a", *minus = "-1";

    (void)state;
    assert_ptr_equal(gr_parse_count(text, text + 20, &count), text + 20);
    assert_true(count == UINT64_MAX);
    assert_null(gr_parse_count(over, over + 20, &count));
    assert_null(gr_parse_count(far, far + 23, &count));
    assert_ptr_equal(gr_parse_count(word, word + 3, &count), word + 2);
    assert_int_equal(count, 12);
    assert_null(gr_parse_count(minus, minus + 2, &count));
    assert_null(gr_parse_count(text, text, &count));
}

static size_t significant_digits(const char *text)
{
    size_t count = 0, zeros = 0;

    for (; *text && *text != 'e'; text++) {
        if (*text < '0' || *text > '9' || (*text == '0' && count == 0))
            continue;
        zeros = *text == '0' ? zeros + 1 : 0;
        count++;
    }
    return count - zeros;
}

static void check_double(double number)
{
    char text[GRADUS_NUMBER_SIZE], judged[64];
    const size_t length = gr_format_double(number, text);
    int digits = 1;

    assert_int_equal(length, strlen(text));
    assert_true(length < GRADUS_NUMBER_SIZE);
    if (bits_of(strtod(text, NULL)) != bits_of(number)) {
        print_error("%a is written '%s', which is not it\n", number, text);
        fail();
    }
    do
        snprintf(judged, sizeof judged, "%.*g", digits, number);
    while (strtod(judged, NULL) != number && ++digits < 18);
    if (significant_digits(text) > significant_digits(judged)) {
        print_error("%a is written '%s', longer than '%s'\n", number, text, judged);
        fail();
    }
}

static void check_float(float number)
{
    char text[GRADUS_NUMBER_SIZE], judged[64];
    const size_t length = gr_format_float(number, text);
    const float back = strtof(text, NULL);
    int digits = 1;

    assert_int_equal(length, strlen(text));
    if (memcmp(&back, &number, sizeof back) != 0) {
        print_error("the float %a is written '%s', which is not it\n", (double)number, text);
        fail();
    }
    do
        snprintf(judged, sizeof judged, "%.*g", digits, (double)number);
    while (strtof(judged, NULL) != number && ++digits < 10);
    if (significant_digits(text) > significant_digits(judged)) {
        print_error("the float %a is written '%s', longer than '%s'\n", (double)number, text,
                    judged);
        fail();
    }
}

static void test_format_any_double_in_the_fewest_digits(void **state)
{
    gr_rng rng = gr_rng_for(6, "text", 0);

    (void)state;
    for (int i = 0; i < 30000; i++) {
        const double any = double_of(gr_rng_long(&rng));

        if (isfinite(any))
            check_double(any);
        check_double((gr_rng_uniform(&rng) - 0.5) * 2);
        check_double(floor(gr_rng_uniform(&rng) * 1e6) / 1e3);
        check_double((double)gr_rng_below(&rng, 1000) *
                     pow(10, (double)gr_rng_below(&rng, 40) - 20));
    }
    for (uint64_t bits = 1; bits < (uint64_t)1 << 52; bits = bits * 3 + 1)
        check_double(double_of(bits)); /* subnormal */
}

static void test_format_powers_of_two_and_ten(void **state)
{
    (void)state;
    for (int power = -1074; power < 1024; power++) {
        check_double(ldexp(1, power));
        check_double(nextafter(ldexp(1, power), 0));
        check_double(nextafter(ldexp(1, power), (double)INFINITY));
    }
    for (int power = -320; power < 309; power++) {
        char text[16];

        snprintf(text, sizeof text, "1e%d", power);
        check_double(strtod(text, NULL));
        check_double(nextafter(strtod(text, NULL), 0));
    }
    for (int power = -149; power < 128; power++) {
        check_float(ldexpf(1, power));
        check_float(nextafterf(ldexpf(1, power), 0));
        check_float(nextafterf(ldexpf(1, power), (float)INFINITY));
    }
}

static void test_format_any_float_in_the_fewest_digits(void **state)
{
    gr_rng rng = gr_rng_for(7, "text", 0);

    (void)state;
    for (int i = 0; i < 60000; i++) {
        const float any = float_of(gr_rng_word(&rng));

        if (isfinite(any))
            check_float(any);
        check_float((float)gr_rng_normal(&rng));
        check_float((float)gr_rng_below(&rng, 100000) / 1000.0f);
    }
    for (uint32_t bits = 1; bits < 1u << 23; bits = bits * 2 + (bits & 1))
        check_float(float_of(bits));
}

static void check_text(double number, const char *wanted)
{
    char text[GRADUS_NUMBER_SIZE];

    assert_int_equal(gr_format_double(number, text), strlen(wanted));
    assert_string_equal(text, wanted);
}

static void test_format_looks_as_documented(void **state)
{
    char text[GRADUS_NUMBER_SIZE];

    (void)state;
    check_text(0.1, "0.1");
    check_text(1e-7, "1e-7");
    check_text(123456, "123456");
    check_text(0.0, "0");
    check_text(-0.0, "-0");
    check_text(-1.5, "-1.5");
    check_text(0.000001, "0.000001");
    check_text(1.25e-7, "1.25e-7");
    check_text(1e20, "100000000000000000000");
    check_text(1e21, "1e21");
    check_text(1.7976931348623157e308, "1.7976931348623157e308");
    check_text(-2.2250738585072014e-308, "-2.2250738585072014e-308");
    check_text(5e-324, "5e-324");
    check_text(0.3, "0.3");
    check_text(0.1 + 0.2, "0.30000000000000004");
    check_text(1.0 / 3, "0.3333333333333333");
    check_text((double)NAN, "nan");
    check_text((double)INFINITY, "inf");
    check_text(-(double)INFINITY, "-inf");
    assert_int_equal(gr_format_float(0.1f, text), 3);
    assert_string_equal(text, "0.1");
    gr_format_float(16777216.0f, text);
    assert_string_equal(text, "16777216");
    gr_format_float(3.4028235e38f, text);
    assert_string_equal(text, "3.4028235e38");
    gr_format_float(1e-45f, text);
    assert_string_equal(text, "1e-45");
    assert_int_equal(gr_format_count(0, text), 1);
    assert_string_equal(text, "0");
    gr_format_count(UINT64_MAX, text);
    assert_string_equal(text, "18446744073709551615");
}

static void test_public_numbers(void **state)
{
    char text[GRADUS_NUMBER_SIZE];
    double number;
    gradus_error err;

    (void)state;
    assert_int_equal(gradus_number_format(0.25, text), 4);
    assert_int_equal(gradus_number_parse("0.25", &number, &err), GRADUS_OK);
    CHECK_NEAR(number, 0.25, 0.0);
    assert_int_equal(gradus_number_parse("0.25x", &number, &err), GRADUS_BAD_ARGUMENT);
    assert_string_equal(err.message, "expected a number, found '0.25x'");
    assert_int_equal(gradus_number_parse("", &number, &err), GRADUS_BAD_ARGUMENT);
}

static void test_strings_are_cut_to_fit(void **state)
{
    char text[8];

    (void)state;
    gr_text_copy(text, sizeof text, "abc", "de");
    assert_string_equal(text, "abcde");
    gr_text_append(text, sizeof text, "fghij");
    assert_string_equal(text, "abcdefg");
    gr_text_append(text, sizeof text, "k");
    assert_string_equal(text, "abcdefg");
    gr_text_copy(text, sizeof text, "0123456789", "x");
    assert_string_equal(text, "0123456");
    gr_text_copy(text, 1, "abc", "d");
    assert_string_equal(text, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parse_any_double_written_with_any_precision),
        cmocka_unit_test(test_parse_any_float_written_with_any_precision),
        cmocka_unit_test(test_parse_random_decimals),
        cmocka_unit_test(test_parse_near_midpoints_of_floats),
        cmocka_unit_test(test_parse_midpoints_of_doubles),
        cmocka_unit_test(test_parse_midpoints_of_floats),
        cmocka_unit_test(test_parse_hard_cases),
        cmocka_unit_test(test_parse_very_long_numbers),
        cmocka_unit_test(test_parse_stops_where_the_number_does),
        cmocka_unit_test(test_parse_count),
        cmocka_unit_test(test_format_any_double_in_the_fewest_digits),
        cmocka_unit_test(test_format_powers_of_two_and_ten),
        cmocka_unit_test(test_format_any_float_in_the_fewest_digits),
        cmocka_unit_test(test_format_looks_as_documented),
        cmocka_unit_test(test_public_numbers),
        cmocka_unit_test(test_strings_are_cut_to_fit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
