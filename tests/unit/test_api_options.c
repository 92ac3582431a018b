/* SPDX-License-Identifier: Apache-2.0 */
/* Options set from numbers, and the description of the build. */
#include "checks.h"

#include "gradus.h"

#include <math.h>
#include <string.h>

static gradus_options *options_of(const char *operation)
{
    gradus_options *options = gradus_options_new(operation, NULL);

    assert_non_null(options);
    return options;
}

static void sets(gradus_options *options, const char *name, double number, const char *shown)
{
    gradus_error err = { GRADUS_OK, "" };

    if (gradus_options_set_number(options, name, number, &err) != GRADUS_OK)
        fail_msg("%s %.17g: %s", name, number, err.message);
    assert_string_equal(gradus_options_value(options, name), shown);
}

static void refuses(gradus_options *options, const char *name, double number, const char *message)
{
    gradus_error err = { GRADUS_OK, "" };
    char before[64];

    snprintf(before, sizeof before, "%s", gradus_options_value(options, name));
    assert_int_equal(gradus_options_set_number(options, name, number, &err), GRADUS_BAD_ARGUMENT);
    assert_int_equal(err.status, GRADUS_BAD_ARGUMENT);
    assert_string_equal(err.message, message);
    assert_string_equal(gradus_options_value(options, name), before);
}

static void test_numbers_are_set_exactly(void **state)
{
    gradus_options *train = options_of("train"), *web = options_of("synth web");

    (void)state;
    sets(train, "rounds", 1000000, "1000000");
    sets(train, "learning-rate", 0.1, "0.1");
    sets(train, "learning-rate", 0.12345678901234567, "0.12345678901234566");
    sets(train, "one-query", 1, "true");
    sets(train, "one-query", 0, "false");
    sets(train, "seed", 9007199254740992.0, "9007199254740992");
    sets(train, "seed", 9007199254740991.0, "9007199254740991");
    sets(web, "queries", 30, "30");
    gradus_options_free(train);
    gradus_options_free(web);
}

/* The message is the same as for the value as text. */
static void test_ranges_are_checked_as_for_text(void **state)
{
    static const struct {
        const char *name, *text;
        double number;
    } cases[] = {
        { "rounds", "2.5", 2.5 },
        { "rounds", "-1", -1.0 },
        { "learning-rate", "-1", -1.0 },
        { "learning-rate", "nan", NAN },
        { "learning-rate", "inf", INFINITY },
        { "one-query", "2", 2.0 },
        { "no-such-option", "1", 1.0 },
    };
    gradus_options *train = options_of("train");
    gradus_error err;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(gradus_options_set(train, cases[i].name, cases[i].text, &err),
                         GRADUS_BAD_ARGUMENT);
        refuses(train, cases[i].name, cases[i].number, err.message);
    }
    gradus_options_free(train);
}

static void test_texts_and_large_counts_are_refused(void **state)
{
    gradus_options *train = options_of("train");

    (void)state;
    refuses(train, "method", 1.0, "--method takes text, not the number '1'");
    refuses(train, "metric", 0.5, "--metric takes text, not the number '0.5'");
    refuses(train, "seed", 18014398509481984.0,
            "--seed takes numbers up to 2^53; set '18014398509481984' as text");
    gradus_options_free(train);
}

/* A getter or setter accepts the kinds of options that it is for. */
static gradus_status use_kind(gradus_options *options, const char *name, size_t function,
                              gradus_error *err)
{
    const char *text;
    double number;
    uint64_t count;
    bool flag;

    switch (function) {
    case 0:
        return gradus_options_set_flag(options, name, true, err);
    case 1:
        return gradus_options_get_flag(options, name, &flag, err);
    case 2:
        return gradus_options_set_count(options, name, 3, err);
    case 3:
        return gradus_options_get_count(options, name, &count, err);
    case 4:
        return gradus_options_get_number(options, name, &number, err);
    default:
        return gradus_options_get_text(options, name, &text, err);
    }
}

static void test_kinds_of_options(void **state)
{
    static const struct {
        const char *name;
        const char *accepted; /* one letter for each function of use_kind */
        const char *error;    /* of the first that is refused */
    } rows[] = {
        { "one-query", "yynnnn", "'one-query' is a flag, not a whole number" },
        { "rounds", "nnyyyn", "'rounds' is a whole number, not a flag" },
        { "learning-rate", "nnnnyn", "'learning-rate' is a number, not a flag" },
        { "target", "nnnnny", "'target' is a choice, not a flag" },
        { "metric", "nnnnny", "'metric' is text, not a flag" },
        { "no-such-option", "nnnnnn", NULL },
    };
    gradus_options *train = options_of("train");

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *first = NULL;
        char message[sizeof(gradus_error)];

        for (size_t f = 0; f < 6; f++) {
            gradus_error err = { GRADUS_OK, "" };
            const gradus_status status = use_kind(train, rows[i].name, f, &err);

            assert_int_equal(status, rows[i].accepted[f] == 'y' ? GRADUS_OK : GRADUS_BAD_ARGUMENT);
            if (status != GRADUS_OK && !first)
                first = strcpy(message, err.message);
        }
        if (rows[i].error)
            assert_string_equal(first, rows[i].error);
    }
    gradus_options_free(train);
}

static void test_typed_values_are_exact(void **state)
{
    gradus_options *train = options_of("train");
    const char *text;
    uint64_t count;
    double number;
    bool flag;

    (void)state;
    assert_int_equal(gradus_options_set_count(train, "seed", 9007199254740993u, NULL), GRADUS_OK);
    assert_int_equal(gradus_options_get_count(train, "seed", &count, NULL), GRADUS_OK);
    assert_int_equal(count, 9007199254740993u);
    assert_true(gradus_options_given(train, "seed"));
    assert_int_equal(gradus_options_set_number(train, "eta", 0.1, NULL), GRADUS_OK);
    assert_int_equal(gradus_options_get_number(train, "learning_rate", &number, NULL), GRADUS_OK);
    assert_true(number == 0.1);
    assert_int_equal(gradus_options_get_number(train, "rounds", &number, NULL), GRADUS_OK);
    assert_string_equal(gradus_options_value(train, "rounds"), "300");
    assert_true(number == 300);
    assert_int_equal(gradus_options_set_flag(train, "one-query", true, NULL), GRADUS_OK);
    assert_int_equal(gradus_options_get_flag(train, "one-query", &flag, NULL), GRADUS_OK);
    assert_true(flag);
    assert_int_equal(gradus_options_set_flag(train, "one-query", false, NULL), GRADUS_OK);
    assert_int_equal(gradus_options_get_flag(train, "one-query", &flag, NULL), GRADUS_OK);
    assert_false(flag);
    assert_int_equal(gradus_options_set(train, "method", "mcrank", NULL), GRADUS_OK);
    assert_int_equal(gradus_options_get_text(train, "method", &text, NULL), GRADUS_OK);
    assert_string_equal(text, "mcrank");
    assert_int_equal(gradus_options_set_count(train, "rounds", UINT64_MAX, NULL),
                     GRADUS_BAD_ARGUMENT);
    gradus_options_free(train);
}

static void test_the_build_is_described(void **state)
{
    static const char *const kernels[] = { "baseline", "avx2", "avx512" };
    gradus_build build;
    gradus_component part;
    bool known = false, present, wide = false;
    const char *name;
    size_t i;

    (void)state;
    gradus_build_describe(&build);
    assert_string_equal(build.version, GRADUS_VERSION);
    assert_string_equal(gradus_version(), GRADUS_VERSION);
    assert_true(strlen(build.compiler) > 3 && strlen(build.architecture) > 3);
    for (i = 0; i < 3; i++)
        known = known || strcmp(build.kernels, kernels[i]) == 0;
    assert_true(known);
    for (i = 0; gradus_cpu_feature_at(i, &name, &present); i++)
        wide = wide || (present && strcmp(name, "avx2") == 0);
    assert_int_equal(wide, strcmp(build.kernels, "baseline") != 0);
    for (i = 0; gradus_component_at(i, &part); i++)
        assert_int_equal(part.present, *part.version != '\0');
    assert_true(i >= 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers_are_set_exactly),
        cmocka_unit_test(test_ranges_are_checked_as_for_text),
        cmocka_unit_test(test_texts_and_large_counts_are_refused),
        cmocka_unit_test(test_kinds_of_options),
        cmocka_unit_test(test_typed_values_are_exact),
        cmocka_unit_test(test_the_build_is_described),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
