/* SPDX-License-Identifier: Apache-2.0 */
/* Costs: worked values, matrices from files, and error messages for malformed files. */
#include "checks.h"
#include "notes.h"

#include "costs/cost.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void check_costs(const char *name, const double *wanted)
{
    gr_cost_choice choice;

    assert_int_equal(gr_cost_choose(name, &choice, NULL), GRADUS_OK);
    for (int guess = 0; guess < 5; guess++)
        CHECK_NEAR(gr_cost_of(&choice, 3.0, guess), wanted[guess], 0.0);
    gr_cost_choice_free(&choice);
}

static void test_named_costs_match_the_worked_values(void **state)
{
    (void)state;
    check_costs("absolute", (const double[]){ 3, 2, 1, 0, 1 });
    check_costs("linear", (const double[]){ 3, 2, 1, 0, 1 });
    check_costs("squared", (const double[]){ 9, 4, 1, 0, 1 });
    check_costs("oerr", (const double[]){ 49, 36, 16, 0, 64 });
    check_costs("exponential", (const double[]){ 7, 6, 4, 0, 8 });
}

static void test_every_cost_describes_itself_and_has_one_function(void **state)
{
    size_t count = 0;

    (void)state;
    for (const gr_about *about; (about = gr_costs_at(count)); count++) {
        gr_cost_choice choice;

        assert_true(strlen(about->summary) > 0 && strlen(about->details) > 0);
        for (size_t other = 0; other < count; other++)
            assert_string_not_equal(about->name, gr_costs_at(other)->name);
        assert_int_equal(gr_cost_choose(about->name, &choice, NULL), GRADUS_OK);
        assert_true(!choice.cost->of != !choice.cost->of_pair);
        gr_cost_choice_free(&choice);
    }
    assert_true(count >= 9);
    assert_null(gr_costs_at(count + 7));
}

static void test_pair_costs_depend_on_the_list(void **state)
{
    /* labels 0 0 0 1 4 4: 3 + 2 * 4 = 11 pairs; cuts 1/(3*3) and 1/(4*2) */
    const gr_levels levels = { 3,
                               (const double[]){ 0, 1, 4 },
                               (const double[]){ 3, 1, 2 },
                               (const double[]){ 0, 3, 4, 6 },
                               (const double[]){ 0, 1.0 / 9, 1.0 / 9 + 1.0 / 8 },
                               11 };
    gr_cost_choice choice;

    (void)state;
    assert_int_equal(gr_cost_choose("ovo", &choice, NULL), GRADUS_OK);
    CHECK_NEAR(gr_cost_of_pair(&choice, &levels, 0, 2), 11.0 / (3 * 3 * 2), 1e-15);
    assert_int_equal(gr_cost_choose("cons", &choice, NULL), GRADUS_OK);
    CHECK_NEAR(gr_cost_of_pair(&choice, &levels, 0, 2), 11.0 * (17.0 / 72) / 2, 1e-15);
    CHECK_NEAR(gr_cost_of_pair(&choice, &levels, 1, 2), 11.0 / 8 / 2, 1e-15);
    assert_int_equal(gr_cost_choose("squared", &choice, NULL), GRADUS_OK);
    CHECK_NEAR(gr_cost_of_pair(&choice, &levels, 1, 2), 9.0, 0.0);
}

static void test_a_matrix_is_read(void **state)
{
    static const char text[] = "# costs\n\n0 1.5\t4\r\n2.25, 0 ,1e-3\n  7,8,0";
    gr_cost_choice choice;
    gradus_error err = { GRADUS_OK, "" };

    (void)state;
    assert_int_equal(gr_cost_parse(text, strlen(text), "m", &choice, &err), GRADUS_OK);
    assert_int_equal(choice.grades, 3);
    CHECK_NEAR(gr_cost_of(&choice, 0, 2), 4.0, 0.0);
    CHECK_NEAR(gr_cost_of(&choice, 1, 2), 1e-3, 0.0);
    CHECK_NEAR(gr_cost_of(&choice, 2, 0), 7.0, 0.0);
    assert_int_equal(gr_cost_covers(&choice, 2.0, &err), GRADUS_OK);
    assert_int_equal(gr_cost_covers(&choice, 3.0, &err), GRADUS_BAD_ARGUMENT);
    assert_string_equal(err.message,
                        "the cost matrix covers grades 0 to 2, but the data have grade 3");
    gr_cost_choice_free(&choice);
}

static void check_refused(const char *text, const char *message)
{
    gr_cost_choice choice;
    gradus_error err = { GRADUS_OK, "" };

    assert_int_equal(gr_cost_parse(text, strlen(text), "c.txt", &choice, &err), GRADUS_BAD_FORMAT);
    assert_string_equal(err.message, message);
    assert_null(choice.matrix);
}

static void test_wrong_matrices_are_refused(void **state)
{
    (void)state;
    check_refused("", "c.txt: contains no cost matrix");
    check_refused("# nothing\n", "c.txt: contains no cost matrix");
    check_refused("0 1\n1 x0\n", "c.txt:2:3: expected a non-negative number, found 'x0'");
    check_refused("0 1\n1;0\n", "c.txt:2:1: expected a non-negative number, found '1;0'");
    check_refused("0 -1\n1 0\n", "c.txt:1:3: expected a non-negative number, found '-1'");
    check_refused("0 nan\n1 0\n", "c.txt:1:3: expected a non-negative number, found 'nan'");
    check_refused("0 1e999\n1 0\n", "c.txt:1:3: expected a non-negative number, found '1e999'");
    check_refused("0,,1\n1,0\n", "c.txt:1:3: expected a non-negative number, found ',1'");
    check_refused("0,1,\n1,0\n",
                  "c.txt:1:5: expected a number after the comma, found the end of the line");
    check_refused("0 1\n1\n", "c.txt:2: a cost matrix must be square: the first row has 2 "
                              "numbers, but row 2 has 1");
    check_refused("0 1\n1 0\n1 1\n", "c.txt:3: a cost matrix must be square: the first row has 2 "
                                     "numbers, but row 3 has 2");
    check_refused("0 1\n", "c.txt: a cost matrix must be square: rows have 2 numbers, but there "
                           "is 1 row");
}

static double cost_by(const char *word, double truth, double guess)
{
    gr_cost_choice choice;
    gradus_error err = { GRADUS_OK, "" };

    if (gr_cost_choose(word, &choice, &err) != GRADUS_OK)
        fail_msg("%s", err.message);
    return gr_cost_of(&choice, truth, guess);
}

static void test_families_take_a_number(void **state)
{
    (void)state;
    CHECK_NEAR(cost_by("power:3", 3, 0), 27.0, 0.0);
    CHECK_NEAR(cost_by("power:0", 3, 0), 1.0, 0.0);
    CHECK_NEAR(cost_by("power:0", 3, 3), 0.0, 0.0);
    CHECK_NEAR(cost_by("power:0.5", 3, 1), sqrt(2.0), 1e-15);
    CHECK_NEAR(cost_by("exponential:3", 3, 1), 24.0, 0.0);
    CHECK_NEAR(cost_by("exponential:0.5", 3, 1), 0.375, 0.0);
    CHECK_NEAR(cost_by("oerr:3", 2, 1), 36.0, 0.0);
    for (double y = 0; y < 5; y++)
        for (double k = 0; k < 5; k++) {
            CHECK_NEAR(cost_by("power", y, k), cost_by("absolute", y, k), 0.0);
            CHECK_NEAR(cost_by("power:2", y, k), cost_by("squared", y, k), 0.0);
            CHECK_NEAR(cost_by("exponential:2", y, k), cost_by("exponential", y, k), 0.0);
        }
}

static void test_wrong_numbers_of_families_are_refused(void **state)
{
    static const struct {
        const char *word, *message;
    } wrong[] = {
        { "power:x", "cost 'power' takes a number from 0 to 16, not 'x'" },
        { "power:", "cost 'power' takes a number from 0 to 16, not ''" },
        { "power:-1", "cost 'power' takes a number from 0 to 16, not '-1'" },
        { "power:17", "cost 'power' takes a number from 0 to 16, not '17'" },
        { "power:2x", "cost 'power' takes a number from 0 to 16, not '2x'" },
        { "exponential:nan", "cost 'exponential' takes a number from 0.001 to 1000, not 'nan'" },
        { "squared:2", "cost 'squared' takes no parameter, found ':2'" },
    };
    gr_cost_choice choice;

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        gradus_error err = { GRADUS_OK, "" };

        assert_int_equal(gr_cost_choose(wrong[i].word, &choice, &err), GRADUS_BAD_ARGUMENT);
        assert_string_equal(err.message, wrong[i].message);
    }
    assert_int_equal(gr_cost_choose("exponential:1000", &choice, NULL), GRADUS_OK);
    assert_int_equal(gr_cost_covers(&choice, 102.0, NULL), GRADUS_OK);
    assert_int_equal(gr_cost_covers(&choice, 103.0, NULL), GRADUS_BAD_NUMBER);
}

static void check_notes(const char *matrix, size_t wanted, const char *text)
{
    static const double grades[] = { 0, 1, 2, 3 };
    gr_cost_choice choice;
    notes n;

    start_notes(&n);
    assert_int_equal(gr_cost_parse(matrix, strlen(matrix), "m", &choice, NULL), GRADUS_OK);
    gr_cost_note_shape(&choice, grades, choice.grades, &n.context);
    assert_int_equal(n.count, wanted);
    if (!strstr(n.text, text))
        fail_msg("'%s', not '%s'", n.text, text);
    gr_cost_choice_free(&choice);
}

/* Violations of the reduction's assumptions are reported cell by cell. */
static void test_shapes_are_told(void **state)
{
    (void)state;
    check_notes("0 1 1\n1 0 0\n2 0 0\n", 1,
                "the cost does not distinguish some grades, so the model cannot separate them: "
                "1 and 2\n");
    check_notes("0 1 1 4\n1 0 2 2\n3 1 0 0\n9 4 1 0\n", 0, "");
    check_notes("0 1\n1 0.5\n", 1, "the cost of the correct grade is not 0: row 1, column 1: 0.5");
    check_notes("0 4 2 3\n1 0 1 2\n2 1 0 1\n3 2 1 0\n", 1,
                "the cost decreases away from the correct grade, which the reduction does not "
                "support: row 0: 4 in column 1, but 2 in column 2\n");
    check_notes("0 1 2 3\n1 0 1 2\n2 1 0 1\n1 2 1 0\n", 1,
                "row 3: 2 in column 1, but 1 in column 0\n");
    check_notes("1 9 8 7\n1 0 9 8\n8 9 0 1\n7 8 9 0\n", 2, "; and 3 more");
    for (size_t c = 0; gr_costs_at(c); c++) {
        static const double grades[] = { 0, 1, 2, 5, 9 };
        gr_cost_choice choice;
        notes n;

        start_notes(&n);
        assert_int_equal(gr_cost_choose(gr_costs_at(c)->name, &choice, NULL), GRADUS_OK);
        if (choice.cost->of)
            gr_cost_note_shape(&choice, grades, 5, &n.context);
        assert_int_equal(n.count, 0);
    }
}

static void test_a_row_of_too_many_numbers_is_refused(void **state)
{
    char text[2 * 1025 + 1];

    (void)state;
    for (size_t i = 0; i < 1025; i++)
        memcpy(text + 2 * i, "0 ", 2);
    text[sizeof text - 1] = '\0';
    check_refused(text, "c.txt:1:2049: expected at most 1024 numbers in a row, found '0'");
}

static void test_a_file_is_found_by_its_name(void **state)
{
    char path[] = "/tmp/gradus_cost_XXXXXX";
    const int file = mkstemp(path);
    gr_cost_choice choice;

    (void)state;
    assert_true(file >= 0);
    assert_int_equal(write(file, "0 2\n3 0\n", 8), 8);
    close(file);
    assert_int_equal(gr_cost_choose(path, &choice, NULL), GRADUS_OK);
    CHECK_NEAR(gr_cost_of(&choice, 1, 0), 3.0, 0.0);
    gr_cost_choice_free(&choice);
    unlink(path);
}

static void test_a_wrong_name_gets_a_suggestion(void **state)
{
    gr_cost_choice choice;
    gradus_error err = { GRADUS_OK, "" };

    (void)state;
    assert_int_equal(gr_cost_choose("squard", &choice, &err), GRADUS_BAD_ARGUMENT);
    assert_string_equal(err.message, "unknown cost 'squard'; did you mean 'squared'?");
    assert_int_equal(gr_cost_choose("/no/such/file", &choice, &err), GRADUS_NO_FILE);
    assert_non_null(strstr(err.message, "/no/such/file"));
}

static void test_costs_that_overflow_are_refused(void **state)
{
    gr_cost_choice choice;
    gradus_error err = { GRADUS_OK, "" };

    (void)state;
    assert_int_equal(gr_cost_choose("oerr", &choice, &err), GRADUS_OK);
    assert_int_equal(gr_cost_covers(&choice, 511.0, &err), GRADUS_OK);
    assert_int_equal(gr_cost_covers(&choice, 512.0, &err), GRADUS_BAD_NUMBER);
    assert_string_equal(err.message, "cost 'oerr' is infinite for grade 512");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_named_costs_match_the_worked_values),
        cmocka_unit_test(test_every_cost_describes_itself_and_has_one_function),
        cmocka_unit_test(test_pair_costs_depend_on_the_list),
        cmocka_unit_test(test_a_matrix_is_read),
        cmocka_unit_test(test_wrong_matrices_are_refused),
        cmocka_unit_test(test_families_take_a_number),
        cmocka_unit_test(test_wrong_numbers_of_families_are_refused),
        cmocka_unit_test(test_shapes_are_told),
        cmocka_unit_test(test_a_row_of_too_many_numbers_is_refused),
        cmocka_unit_test(test_a_file_is_found_by_its_name),
        cmocka_unit_test(test_a_wrong_name_gets_a_suggestion),
        cmocka_unit_test(test_costs_that_overflow_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
