/* SPDX-License-Identifier: Apache-2.0 */
/* Option names of other tools: unambiguous, and accepted by the setter. */
#include "checks.h"

#include "gradus.h"

#include <string.h>

/* Removes a word from the front of words; false if there is none. */
static bool next_word(const char **words, char word[64])
{
    const size_t length = *words ? strcspn(*words, " ") : 0;

    assert_true(length < 64);
    if (length == 0)
        return false;
    memcpy(word, *words, length);
    word[length] = '\0';
    *words += length + strspn(*words + length, " ");
    return true;
}

/* The number of parameters of an operation with a name or alias. */
static size_t count_named(const char *operation, const char *name)
{
    gradus_param param;
    char word[64];
    size_t count = 0;

    for (size_t i = 0; gradus_param_at(operation, i, &param); i++) {
        const char *aliases = param.aliases;

        count += strcmp(param.name, name) == 0;
        while (next_word(&aliases, word))
            count += strcmp(word, name) == 0;
    }
    return count;
}

static void test_no_alias_has_two_meanings(void **state)
{
    gradus_entry operation;
    gradus_param param, found;
    char word[64];
    size_t aliased = 0;

    (void)state;
    for (size_t o = 0; gradus_entry_at("operations", o, &operation); o++)
        for (size_t i = 0; gradus_param_at(operation.name, i, &param); i++) {
            const char *aliases = param.aliases;

            while (next_word(&aliases, word)) {
                aliased++;
                assert_null(strchr(word, '_'));
                assert_int_equal(count_named(operation.name, word), 1);
                assert_true(gradus_param_find(operation.name, word, &found));
                assert_string_equal(found.name, param.name);
            }
        }
    assert_true(aliased > 15);
}

static void test_aliases_set_the_option(void **state)
{
    gradus_options *options = gradus_options_new("train", NULL);
    gradus_error err;

    (void)state;
    assert_non_null(options);
    assert_int_equal(gradus_options_set(options, "num_leaves", "77", NULL), GRADUS_OK);
    assert_string_equal(gradus_options_value(options, "leaves"), "77");
    assert_string_equal(gradus_options_value(options, "num-leaves"), "77");
    assert_int_equal(gradus_options_set(options, "learning_rate", "0.375", NULL), GRADUS_OK);
    assert_string_equal(gradus_options_value(options, "learning-rate"), "0.375");
    assert_int_equal(gradus_options_set(options, "num_leaves_", "77", &err), GRADUS_BAD_ARGUMENT);
    assert_int_equal(gradus_options_set(options, "num", "77", &err), GRADUS_BAD_ARGUMENT);
    assert_int_equal(gradus_options_set(options, "", "77", &err), GRADUS_BAD_ARGUMENT);
    assert_int_equal(gradus_options_set(options, "eta", "x", &err), GRADUS_BAD_ARGUMENT);
    assert_non_null(strstr(err.message, "'learning-rate'"));
    gradus_options_free(options);
}

static void test_methods_use_their_options(void **state)
{
    gradus_param param;

    (void)state;
    assert_int_equal(gradus_method_uses("lambdamart", NULL, "leaves"), GRADUS_OPTION_TUNED);
    assert_int_equal(gradus_method_uses("lambdamart", NULL, "num_leaves"), GRADUS_OPTION_TUNED);
    assert_int_equal(gradus_method_uses("lambdamart", NULL, "truncation"), GRADUS_OPTION_USED);
    assert_int_equal(gradus_method_uses("regression", NULL, "truncation"), GRADUS_OPTION_UNUSED);
    assert_int_equal(gradus_method_uses("lambdarank", NULL, "truncation"), GRADUS_OPTION_USED);
    assert_int_equal(gradus_method_uses("ranknet", NULL, "sigma"), GRADUS_OPTION_USED);
    assert_int_equal(gradus_method_uses("ranknet", NULL, "truncation"), GRADUS_OPTION_UNUSED);
    assert_int_equal(gradus_method_uses("lambdamart", NULL, "cost"), GRADUS_OPTION_UNUSED);
    assert_int_equal(gradus_method_uses("cocr", NULL, "cost"), GRADUS_OPTION_TUNED);
    assert_int_equal(gradus_method_uses("pairrank", NULL, "cost"), GRADUS_OPTION_USED);
    assert_int_equal(gradus_method_uses("regression", "linear", "rounds"), GRADUS_OPTION_UNUSED);
    assert_int_equal(gradus_method_uses("regression", "linear", "leaves"), GRADUS_OPTION_UNUSED);
    assert_int_equal(gradus_method_uses("mcrank", "linear", "method"), GRADUS_OPTION_UNUSED);
    assert_int_equal(gradus_method_uses("no such", NULL, "leaves"), GRADUS_OPTION_UNUSED);
    assert_int_equal(gradus_method_uses("lambdamart", NULL, "no such"), GRADUS_OPTION_UNUSED);
    /* Every method is trained with its default learner. */
    assert_true(gradus_param_find("train", "method", &param));
    for (size_t m = 0; param.choices[m]; m++)
        assert_int_equal(gradus_method_uses(param.choices[m], NULL, "method"), GRADUS_OPTION_USED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_alias_has_two_meanings),
        cmocka_unit_test(test_aliases_set_the_option),
        cmocka_unit_test(test_methods_use_their_options),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
