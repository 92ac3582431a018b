/* SPDX-License-Identifier: Apache-2.0 */
/* The command-line parser, with a command defined for the test. */
#include "checks.h"

#undef fail /* cmocka's macro; the command has a function of that name */
#include "command.h"

#include <stdio.h>
#include <string.h>

enum { OPTIONS = 100 };

static int nothing(arguments *given)
{
    (void)given;
    return 0;
}

/* Options "option0" to "option99"; every third may be repeated. */
static void make_options(option options[OPTIONS + 1], char names[OPTIONS][16])
{
    for (size_t i = 0; i < OPTIONS; i++) {
        snprintf(names[i], sizeof names[i], "option%zu", i);
        options[i] = (option){ .name = names[i], .argument = "X", .help = "", .many = i % 3 == 0 };
    }
    options[OPTIONS] = (option){ .name = NULL };
}

static void test_a_command_may_have_many_options(void **state)
{
    static option options[OPTIONS + 1];
    static char names[OPTIONS][16], typed[2 * OPTIONS][32];
    const command wide = { .name = "wide", .summary = "", .options = options, .run = nothing };
    char *words[2 * OPTIONS];
    const char *const *values;
    arguments given;

    (void)state;
    make_options(options, names);
    for (size_t i = 0; i < 2 * OPTIONS; i++) {
        const size_t at = i % OPTIONS;

        if (i < OPTIONS || options[at].many)
            snprintf(typed[i], sizeof typed[i], "--option%zu=%zu", at, i);
        else
            snprintf(typed[i], sizeof typed[i], "word%zu", at);
        words[i] = typed[i];
    }
    assert_int_equal(arguments_parse(&given, &wide, 2 * OPTIONS, words), -1);
    for (size_t i = 0; i < OPTIONS; i++) {
        char wanted[32];

        snprintf(wanted, sizeof wanted, "%zu", i);
        assert_string_equal(argument(&given, names[i]), wanted);
        assert_int_equal(argument_list(&given, names[i], &values), options[i].many ? 2 : 0);
    }
    arguments_free(&given);
}

static void test_lists_of_operations_end(void **state)
{
    (void)state;
    for (size_t i = 0; command_at(i); i++)
        assert_null(command_at(i)->operations[MAX_OPERATIONS]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_command_may_have_many_options),
        cmocka_unit_test(test_lists_of_operations_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
