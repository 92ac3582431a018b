/* SPDX-License-Identifier: Apache-2.0 */
/* Bars and step charts of the command, for numbers of any kind. */
#include "checks.h"

#include "../../cli/print_text.h"

#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 16 };

static void test_steps_stay_in_range(void **state)
{
    const double low[] = { -0.0, 0.0, -1.0, -1e308, -(double)INFINITY, (double)NAN };
    const double high[] = { 1.0, 1.5, 1e19, 1e308, (double)INFINITY };

    (void)state;
    for (size_t i = 0; i < sizeof low / sizeof *low; i++)
        assert_int_equal(nearest_step(low[i], 128), 0);
    for (size_t i = 0; i < sizeof high / sizeof *high; i++)
        assert_int_equal(nearest_step(high[i], 128), 128);
    assert_int_equal(nearest_step(0.5, 128), 64);
    assert_int_equal(nearest_step(0.496, 128), 63);
}

static void check_bar(double fraction, const char *wanted)
{
    text t = { NULL, 0, 0 };
    const size_t columns = text_fine_bar(&t, fraction, COLUMNS);

    assert_string_equal(text_string(&t), wanted);
    assert_int_equal(columns, text_columns(wanted));
    text_free(&t);
}

static void test_bars_stay_in_their_columns(void **state)
{
    (void)state;
    check_bar(0.0, "");
    check_bar(0.25, "████");
    check_bar(0.0625 * 1.5, "█▌");
    check_bar(1.0, "████████████████");
    check_bar(2.0, "████████████████");
    check_bar((double)INFINITY, "████████████████");
    check_bar(-3.0, "");
    check_bar((double)NAN, "");
}

static void test_bars_are_ascii_where_the_locale_is(void **state)
{
    (void)state;
    assert_int_equal(setenv("LC_ALL", "C", 1), 0);
    check_bar(0.0, "");
    check_bar(0.25, "####");
    check_bar(0.0625 * 1.5, "#:");
    check_bar(1.0, "################");
    assert_int_equal(setenv("LC_ALL", "zz_ZZ.UTF-8", 1), 0); /* not installed */
    check_bar(0.25, "████");
    assert_int_equal(setenv("LC_ALL", "zz_ZZ.ISO-8859-1", 1), 0);
    check_bar(0.25, "####");
    assert_int_equal(setenv("LC_ALL", "C.UTF-8", 1), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steps_stay_in_range),
        cmocka_unit_test(test_bars_stay_in_their_columns),
        cmocka_unit_test(test_bars_are_ascii_where_the_locale_is),
    };

    setenv("LC_ALL", "C.UTF-8", 1);

    return cmocka_run_group_tests(tests, NULL, NULL);
}
