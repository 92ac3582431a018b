/* SPDX-License-Identifier: Apache-2.0 */
/* Options: every kind of value, its range, defaults, text form, and messages for bad values. */
#include "checks.h"

#include "base/param.h"

#include <string.h>

typedef struct sample_options {
    bool flag;
    uint64_t count;
    double real;
    int choice;
    const char *text;
    uint64_t last;
} sample_options;

static const char *const colours[] = { "red", "green", "blue", NULL };

static const gr_param sample_params[] = {
    GR_PARAM_FLAG(sample_options, flag, "flag", "a flag"),
    GR_PARAM_COUNT(sample_options, count, "count", "N", 10, 1, 1000, "a count"),
    GR_PARAM_REAL(sample_options, real, "real", "X", 0.5, -1, 1, "a real"),
    GR_PARAM_CHOICE(sample_options, choice, "choice", "C", "green", colours, "a choice"),
    GR_PARAM_TEXT(sample_options, text, "text", "T", "initial", "a text"),
    GR_PARAM_COUNT(sample_options, last, "last", "N", 7, 0, 9007199254740992, "another count"),
    GR_PARAM_END,
};

static const gr_operation sample = { "sample", "for tests", sample_params, sizeof(sample_options),
                                     NULL };
static const gr_operation other = { "other", "for tests", sample_params, sizeof(sample_options),
                                    NULL };

typedef struct nested_options {
    uint64_t own;
    sample_options part;
} nested_options;

static const gr_param nested_params[] = {
    GR_PARAM_COUNT(nested_options, own, "own", "N", 1, 0, 9, "a count"),
    GR_PARAM_GROUP(nested_options, part, sample_options, sample_params),
    GR_PARAM_COUNT(nested_options, own, "again", "N", 2, 0, 9, "after the group"),
    GR_PARAM_END,
};

static const char *implied(const char *name, const char *value)
{
    return strcmp(name, "text") == 0 && strcmp(value, "small") == 0 ? "count=3 real=-0.5" : NULL;
}

static const gr_operation nested = { "nested", "for tests", nested_params, sizeof(nested_options),
                                     implied };

static sample_options values_of(const gradus_options *options)
{
    sample_options values;

    assert_int_equal(gr_options_get(options, &sample, &values, NULL), GRADUS_OK);
    return values;
}

static void check_defaults(const sample_options *values)
{
    assert_false(values->flag);
    assert_int_equal(values->count, 10);
    CHECK_NEAR(values->real, 0.5, 0.0);
    assert_int_equal(values->choice, 1);
    assert_string_equal(values->text, "initial");
    assert_int_equal(values->last, 7);
}

static void test_defaults_are_those_of_the_table(void **state)
{
    gradus_options *options = gr_options_new(&sample, NULL);
    sample_options values = values_of(options);

    (void)state;
    check_defaults(&values);
    values = values_of(NULL);
    check_defaults(&values);
    gr_options_free(options);
    gr_options_free(NULL);
}

static void set(gradus_options *options, const char *name, const char *value)
{
    gradus_error err = { GRADUS_OK, "" };

    assert_int_equal(gr_options_set(options, name, value, &err), GRADUS_OK);
}

static void test_values_are_kept(void **state)
{
    gradus_options *options = gr_options_new(&sample, NULL);
    sample_options values;

    (void)state;
    set(options, "flag", "true");
    set(options, "count", "1000");
    set(options, "real", "-0.25");
    set(options, "choice", "blue");
    set(options, "text", "first");
    set(options, "text", "second"); /* the first value is not leaked */
    set(options, "last", "9007199254740992");
    values = values_of(options);
    assert_true(values.flag);
    assert_int_equal(values.count, 1000);
    CHECK_NEAR(values.real, -0.25, 0.0);
    assert_int_equal(values.choice, 2);
    assert_string_equal(values.text, "second");
    assert_true(values.last == 9007199254740992);
    assert_string_equal(gr_options_value(options, "flag"), "true");
    assert_string_equal(gr_options_value(options, "count"), "1000");
    assert_string_equal(gr_options_value(options, "real"), "-0.25");
    assert_string_equal(gr_options_value(options, "choice"), "blue");
    assert_string_equal(gr_options_value(options, "text"), "second");
    assert_string_equal(gr_options_value(options, "no such"), "");
    set(options, "flag", "false");
    set(options, "text", "");
    set(options, "real", "1e-3");
    values = values_of(options);
    assert_false(values.flag);
    assert_string_equal(values.text, "");
    CHECK_NEAR(values.real, 0.001, 0.0);
    gr_options_free(options);
}

static void check_refused(const char *name, const char *value, const char *message)
{
    gradus_options *options = gr_options_new(&sample, NULL);
    gradus_error err = { GRADUS_OK, "" };
    sample_options values;

    assert_int_equal(gr_options_set(options, name, value, &err), GRADUS_BAD_ARGUMENT);
    assert_int_equal(err.status, GRADUS_BAD_ARGUMENT);
    assert_string_equal(err.message, message);
    assert_int_equal(gr_options_set(options, name, value, NULL), GRADUS_BAD_ARGUMENT);
    values = values_of(options);
    check_defaults(&values); /* a rejected value leaves the old one */
    gr_options_free(options);
}

static void test_bad_values_are_refused_and_named(void **state)
{
    (void)state;
    check_refused("flag", "yes", "'flag' takes true or false, not 'yes'");
    check_refused("count", "0", "'count' takes a whole number from 1 to 1000, not '0'");
    check_refused("count", "1001", "'count' takes a whole number from 1 to 1000, not '1001'");
    check_refused("count", "-1", "'count' takes a whole number from 1 to 1000, not '-1'");
    check_refused("count", "1.5", "'count' takes a whole number from 1 to 1000, not '1.5'");
    check_refused("count", "", "'count' takes a whole number from 1 to 1000, not ''");
    check_refused("count", "5 ", "'count' takes a whole number from 1 to 1000, not '5 '");
    check_refused("count", "99999999999999999999999",
                  "'count' takes a whole number from 1 to 1000, not '99999999999999999999999'");
    check_refused("real", "1.0000001", "'real' takes a number from -1 to 1, not '1.0000001'");
    check_refused("real", "nan", "'real' takes a number from -1 to 1, not 'nan'");
    check_refused("real", "inf", "'real' takes a number from -1 to 1, not 'inf'");
    check_refused("real", "0.5x", "'real' takes a number from -1 to 1, not '0.5x'");
    check_refused("choice", "gren", "unknown value of 'choice': 'gren'; did you mean 'green'?");
    check_refused("choice", "seventeen",
                  "unknown value of 'choice': 'seventeen'; available: red, green, blue");
    check_refused("cuont", "5", "unknown option 'cuont'; did you mean 'count'?");
    check_refused("zzzzzz", "5",
                  "unknown option 'zzzzzz'; available: flag, count, real, choice, text, last");
}

static void test_options_of_another_operation_are_refused(void **state)
{
    gradus_options *options = gr_options_new(&other, NULL);
    gradus_error err;
    sample_options values;

    (void)state;
    assert_int_equal(gr_options_get(options, &sample, &values, &err), GRADUS_BAD_ARGUMENT);
    assert_string_equal(err.message, "options for 'other' passed to 'sample'");
    gr_options_free(options);
}

/* Every parameter of every operation is documented and has a default that it accepts. */
static void test_every_operation_is_well_formed(void **state)
{
    gradus_param param;
    gradus_entry entry;
    gradus_error err = { GRADUS_OK, "" };
    size_t operations = 0;

    (void)state;
    for (; gradus_entry_at("operations", operations, &entry); operations++) {
        gradus_options *options = gradus_options_new(entry.name, &err);

        assert_non_null(options);
        assert_true(entry.summary && *entry.summary);
        for (size_t i = 0; gradus_param_at(entry.name, i, &param); i++) {
            assert_true(strlen(param.name) > 1 && strlen(param.help) > 3);
            assert_int_equal(param.argument == NULL, param.kind == GRADUS_FLAG);
            assert_int_equal(param.choices != NULL, param.kind == GRADUS_CHOICE);
            assert_int_equal(gradus_options_set(options, param.name, param.initial, &err),
                             GRADUS_OK);
            if (param.kind == GRADUS_COUNT || param.kind == GRADUS_REAL)
                assert_true(param.low < param.high);
        }
        gradus_options_free(options);
    }
    assert_true(operations > 0);
    assert_false(gradus_param_at("no such operation", 0, &param));
    assert_null(gradus_options_new("comapre", &err));
    assert_string_equal(err.message, "unknown operation 'comapre'; did you mean 'compare'?");
}

static void test_groups_are_opened_and_others_implied(void **state)
{
    gradus_options *options = gr_options_new(&nested, NULL), *copy;
    nested_options values;
    gr_param param;
    size_t count = 0;

    (void)state;
    while (gr_param_number(&nested, count, &param))
        count++;
    assert_string_equal(param.about.name, "again");
    assert_int_equal(gr_options_set(options, "real", "0.25", NULL), GRADUS_OK);
    assert_int_equal(gr_options_set(options, "text", "small", NULL), GRADUS_OK);
    copy = gr_options_copy(options, NULL);
    gr_options_free(options);
    assert_int_equal(gr_options_get(copy, &nested, &values, NULL), GRADUS_OK);
    assert_int_equal(values.part.count, 3);  /* implied */
    CHECK_NEAR(values.part.real, 0.25, 0.0); /* set before, so unchanged */
    assert_string_equal(values.part.text, "small");
    assert_true(gr_options_given(copy, "real") && !gr_options_given(copy, "count"));
    assert_false(gr_options_given(copy, "no such"));
    gr_options_free(copy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_groups_are_opened_and_others_implied),
        cmocka_unit_test(test_defaults_are_those_of_the_table),
        cmocka_unit_test(test_values_are_kept),
        cmocka_unit_test(test_bad_values_are_refused_and_named),
        cmocka_unit_test(test_options_of_another_operation_are_refused),
        cmocka_unit_test(test_every_operation_is_well_formed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
