/* SPDX-License-Identifier: Apache-2.0 */
/* The published figures and settings: every embedded table and setting is well formed, and values
 * are found by name. */
#include "checks.h"

#include "base/text.h"
#include "experiments/helpers.h"
#include "experiments/published.h"

#include <string.h>

static void test_values_are_found_by_name(void **state)
{
    (void)state;
    CHECK_NEAR(gr_published("cocr_table1", "LTRC2", "squared"), 0.4472, 0.0);
    CHECK_NEAR(gr_published("cocr_table8", "0.02", "oerr"), 0.4600, 0.0);
    CHECK_NEAR(gr_published("mcrank_table1", "regression on the gain", "deviation"), 10.2, 0.0);
    CHECK_NEAR(gr_published("multipartite_figure3", "SVOR-IMC", "theta_1"), -1.39, 0.0);
    CHECK_NEAR(gr_published("multipartite_table3", "unbalanced, ORBOOST", "4 vs 5"), 0.4323, 0.0);
    CHECK_NEAR(gr_published("calibrated_table2", "mq2008", "AdaBoost.MH, trees"), 0.4843, 0.0);
    assert_true(gr_published_elsewhere("calibrated_table2", "mq2008", "AdaBoost.MH, trees"));
    assert_false(gr_published_elsewhere("calibrated_paper", "ohsumed", "ensemble CPC"));
    CHECK_NEAR(gr_published_error("multipartite_table3", "unbalanced, ORBOOST", "4 vs 5"), 0.0016,
               0.0);
    CHECK_NEAR(gr_published_error("cocr_table1", "LTRC2", "squared"), 0.0, 0.0);
}

static void test_others_are_0(void **state)
{
    (void)state;
    CHECK_NEAR(gr_published("crr_table2", "mq2007, RankSVM", "MSE of y >= 1"), 0.0, 0.0);
    CHECK_NEAR(gr_published("cocr_table1", "LTRC3", "squared"), 0.0, 0.0);
    CHECK_NEAR(gr_published("cocr_table1", "LTRC2", "cubed"), 0.0, 0.0);
    CHECK_NEAR(gr_published("cocr_table1", "LTRC2", "data"), 0.0, 0.0); /* the column of names */
    CHECK_NEAR(gr_published("cocr_table", "LTRC2", "squared"), 0.0, 0.0);
    CHECK_NEAR(gr_published_error("cocr_table", "LTRC2", "squared"), 0.0, 0.0);
    assert_false(gr_published_elsewhere("cocr_table", "LTRC2", "squared"));
}

static size_t count_fields(const char *line)
{
    size_t fields = 1;

    for (; *line && *line != '\n'; line++)
        fields += *line == '\t';
    return fields;
}

static void check_row(const char *name, const char *line)
{
    for (line += strcspn(line, "\t\n"); *line == '\t'; line += strcspn(line, "\t\n")) {
        line++;
        const char *end = line + strcspn(line, "\t\n");
        double number;

        if (*line == '(' && end[-1] == ')') { /* compared in another table */
            line++;
            end--;
        }
        if ((end - line != 1 || *line != '-') && gr_parse_double(line, end, &number) != end)
            fail_msg("%s: '%.*s' is not a number", name, (int)(end - line), line);
    }
}

/* Other lines of the head would be ignored: misspelt kinds, settings without a name. */
static void check_head(const char *name, const char *line)
{
    static const char *const kinds[] = { "# options ", "# numbers ", "# text " };
    const char *colon = strstr(line, ": ");

    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        if (strncmp(line, kinds[k], strlen(kinds[k])) == 0 && colon && colon < strchr(line, '\n'))
            return;
    fail_msg("%s: '%.*s' is not a setting", name, (int)strcspn(line, "\n"), line);
}

static void check_rule(const char *name)
{
    gradus_error err;
    gr_rule rule, other;

    if (gr_published_rule(name, &rule, &err) != GRADUS_OK)
        fail_msg("%s", err.message);
    if (rule.kind == GR_RULE_ERRORS && gr_published_rule(rule.errors, &other, &err) != GRADUS_OK)
        fail_msg("%s: no file '%s' of standard errors", name, rule.errors);
}

static void check_numbers(const gr_paper_setting *s)
{
    for (const char *word = s->words; *word; word += strspn(word, " ")) {
        const char *end = word + strcspn(word, " ");
        double number;

        if (gr_parse_double(word, end, &number) != end)
            fail_msg("%s, %s: '%.*s' is not a number", s->table, s->name, (int)(end - word), word);
        word = end;
    }
}

static void test_settings_are_valid(void **state)
{
    size_t lines = 0, settings = 0;

    (void)state;
    for (const gr_published_table *t = gr_published_tables; t->name; t++)
        for (const char *line = t->text; *line == '#'; line = strchr(line, '\n') + 1)
            lines += strncmp(line, "# options ", 10) == 0 || strncmp(line, "# numbers ", 10) == 0 ||
                     strncmp(line, "# text ", 7) == 0;
    for (const gr_paper_setting *s = gr_paper_settings; s->name; s++, settings++) {
        gradus_error err = { 0 };

        if (!*s->words)
            fail_msg("%s, %s: empty", s->table, s->name);
        if (strcmp(s->kind, "numbers") == 0)
            check_numbers(s);
        if (strcmp(s->kind, "options") != 0)
            continue;
        /* settings named "calibration" are options of another operation */
        gradus_options *options = gr_words_options(
            strcmp(s->name, "calibration") == 0 ? "calibrate" : "train", s->words, &err);

        if (!options)
            fail_msg("%s, %s: %s", s->table, s->name, err.message);
        gradus_options_free(options);
    }
    assert_int_equal(settings, lines);
    assert_true(settings > 0);
}

static void test_settings_are_found_by_name(void **state)
{
    (void)state;
    assert_string_equal(gr_paper_words("cocr_table1", "oerr"), "method=cocr cost=oerr");
    assert_string_equal(gr_paper_setting_at("cocr_table4", "regressor", 4),
                        "learner=m5p min-leaf=2048");
    assert_null(gr_paper_setting_at("cocr_table4", "regressor", 5));
    assert_null(gr_paper_setting_at("cocr_table", "regressor", 0));
    assert_int_equal(gr_paper_count("cocr_table1", "queries", 2), 2000);
    assert_int_equal(gr_paper_count("cocr_table1", "queries", 3), 0);
    CHECK_NEAR(gr_paper_number("cocr_table1", "answers", 0), 0.0, 0.0);
    assert_null(gr_words_options("train", gr_paper_words("cocr_table1", "oer"), NULL));
}

static void test_tables_are_well_formed(void **state)
{
    static const char *const heads[] = { "# paper: ", "# table: ", "# unit: ", "# rule: " };
    size_t tables = 0;

    (void)state;
    for (const gr_published_table *t = gr_published_tables; t->name; t++, tables++) {
        const char *line = t->text;
        size_t columns, rows = 0, settings = 0;

        for (size_t h = 0; h < sizeof heads / sizeof *heads; h++) {
            if (strncmp(line, heads[h], strlen(heads[h])) != 0)
                fail_msg("%s: line %zu does not begin with '%s'", t->name, h + 1, heads[h]);
            line = strchr(line, '\n') + 1;
        }
        check_rule(t->name);
        while (strncmp(line, "# tolerance: ", 13) == 0 || strncmp(line, "# errors: ", 10) == 0 ||
               strncmp(line, "# largest error: ", 17) == 0)
            line = strchr(line, '\n') + 1;
        for (; *line == '#'; line = strchr(line, '\n') + 1, settings++)
            check_head(t->name, line);
        if (!*line && settings > 0)
            continue;
        columns = count_fields(line);
        assert_true(columns > 1);
        for (line = strchr(line, '\n') + 1; *line; line = strchr(line, '\n') + 1, rows++) {
            if (count_fields(line) != columns)
                fail_msg("%s: row %zu has %zu fields, not %zu", t->name, rows + 1,
                         count_fields(line), columns);
            check_row(t->name, line);
        }
        assert_true(rows > 0);
    }
    assert_true(tables >= 16);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values_are_found_by_name),
        cmocka_unit_test(test_others_are_0),
        cmocka_unit_test(test_tables_are_well_formed),
        cmocka_unit_test(test_settings_are_valid),
        cmocka_unit_test(test_settings_are_found_by_name),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
