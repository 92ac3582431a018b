/* SPDX-License-Identifier: Apache-2.0 */
/* The published figures: every embedded table is well formed, and values are found by name. */
#include "checks.h"

#include "base/text.h"
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
    CHECK_NEAR(gr_published_tolerance("crr_table2"), 0.0105, 0.0);
}

static void test_others_are_0(void **state)
{
    (void)state;
    CHECK_NEAR(gr_published("crr_table2", "mq2007, RankSVM", "MSE of y >= 1"), 0.0, 0.0);
    CHECK_NEAR(gr_published("cocr_table1", "LTRC3", "squared"), 0.0, 0.0);
    CHECK_NEAR(gr_published("cocr_table1", "LTRC2", "cubed"), 0.0, 0.0);
    CHECK_NEAR(gr_published("cocr_table1", "LTRC2", "data"), 0.0, 0.0); /* the column of names */
    CHECK_NEAR(gr_published("cocr_table", "LTRC2", "squared"), 0.0, 0.0);
    CHECK_NEAR(gr_published_tolerance("cocr_table"), 0.0, 0.0);
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

        if ((end - line != 1 || *line != '-') && gr_parse_double(line, end, &number) != end)
            fail_msg("%s: '%.*s' is not a number", name, (int)(end - line), line);
    }
}

static void test_tables_are_well_formed(void **state)
{
    static const char *const heads[] = { "# paper: ", "# table: ", "# unit: ", "# tolerance: " };
    size_t tables = 0;

    (void)state;
    for (const gr_published_table *t = gr_published_tables; t->name; t++, tables++) {
        const char *line = t->text;
        size_t columns, rows = 0;

        for (size_t h = 0; h < sizeof heads / sizeof *heads; h++) {
            if (strncmp(line, heads[h], strlen(heads[h])) != 0)
                fail_msg("%s: line %zu does not begin with '%s'", t->name, h + 1, heads[h]);
            line = strchr(line, '\n') + 1;
        }
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
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
