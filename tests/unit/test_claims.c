/* SPDX-License-Identifier: Apache-2.0 */
/* The claims of the papers: the embedded list, damaged files, and their status by results. */
#include "checks.h"

#include "experiments/claims.h"
#include "experiments/experiment.h"
#include "experiments/findings.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define COLUMNS "id\tclaim\texperiment\tcheck\twhy\tdata\n"

static bool is_experiment(const char *name)
{
    gradus_experiment about;

    for (size_t i = 0; gradus_experiment_at(i, &about); i++)
        if (strcmp(about.name, name) == 0)
            return true;
    return false;
}

static void check_experiments(const gradus_paper_claim *claim)
{
    char names[256], *name, *rest = names;

    snprintf(names, sizeof names, "%s", claim->experiment);
    while ((name = strsep(&rest, " ")) != NULL)
        if (*claim->experiment && !is_experiment(name))
            fail_msg("%s: no experiment '%s'", claim->id, name);
}

static void test_the_list(void **state)
{
    gradus_error err;
    gradus_paper_claims *claims = gradus_paper_claims_read("", &err);
    gradus_paper_claim claim, other;
    size_t papers = 0, count = 0;
    const char *paper = "";

    (void)state;
    assert_non_null(claims);
    for (; gradus_paper_claim_at(claims, count, &claim); count++) {
        papers += strcmp(claim.paper, paper) != 0;
        paper = claim.paper;
        check_experiments(&claim);
        assert_string_equal(claim.status, *claim.experiment ? "not run"
                                          : *claim.why      ? "cannot be tested here"
                                                            : "not tested");
        assert_string_equal(claim.found, "");
        for (size_t i = 0; i < count && gradus_paper_claim_at(claims, i, &other); i++)
            if (strcmp(other.id, claim.id) == 0)
                fail_msg("two claims '%s'", claim.id);
    }
    assert_int_equal(papers, 5 + 1); /* and remarks of the page */
    assert_true(count >= 50);
    gradus_paper_claims_free(claims);
}

static void test_damaged_files_are_errors(void **state)
{
    static const char *const damaged[][2] = {
        { "a\tb\tc\td\te\tf\n", "names of columns" },
        { COLUMNS "a\tb\t\t\t\t\n", "names of columns" }, /* no paper */
        { "# paper: p\nid\tclaim\n", "names of columns" },
        { "# paper: p\n" COLUMNS "a\tb\t\t\t\n", "six fields" },
        { "# paper: p\n" COLUMNS "a\tb\t\t\t\t\t\n", "six fields" },
        { "# paper: p\n" COLUMNS "\n", "six fields" },
        { "# paper: p\n" COLUMNS "\tb\t\t\t\t\n", "no id" },
        { "# paper: p\n" COLUMNS "a\t\t\t\t\t\n", "no claim" },
        { "# paper: p\n" COLUMNS "a\tb\te\t\t\t\n", "a check for each" },
        { "# paper: p\n" COLUMNS "a\tb\t\tc\t\t\n", "a check for each" },
        { "# paper: p\n" COLUMNS "a\tb\te f\tc\t\t\n", "a check for each" },
        { "# paper: p\n" COLUMNS "a\tb\te\tc | d\t\t\n", "a check for each" },
        { "# paper: p\n" COLUMNS "a\tb\te\tc\tw\t\n", "a reason against" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++) {
        const gr_claim_file files[] = { { "f", damaged[i][0] }, { NULL, NULL } };
        gradus_error err = { GRADUS_OK, "" };

        assert_null(gr_claims_read(files, "", &err));
        assert_int_equal(err.status, GRADUS_BAD_FORMAT);
        if (!strstr(err.message, damaged[i][1]))
            fail_msg("case %zu: '%s'", i, err.message);
    }
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void write_results(const char *text)
{
    write_file("claims.test/e.json", text);
}

static const gr_claim_file one_claim[] = {
    { "f", "# paper: p\n# more\n" COLUMNS "a\tb\te\tbetter\t\td" }, { NULL, NULL }
};

static void check_claim(const gr_claim_file *files, const char *status, const char *found)
{
    gradus_error err;
    gradus_paper_claim claim;
    gradus_paper_claims *claims = gr_claims_read(files, "claims.test", &err);

    assert_non_null(claims);
    assert_true(gr_claims_at(claims, 0, &claim));
    assert_false(gr_claims_at(claims, 1, &claim));
    assert_string_equal(claim.status, status);
    assert_string_equal(claim.found, found);
    gr_claims_free(claims);
}

static void check_status(const char *results, const char *status, const char *found)
{
    write_results(results);
    check_claim(one_claim, status, found);
}

#define RESULTS(scale, list) "{\"experiment\":\"e\",\"scale\":" scale ",\"claims\":[" list "]}"
#define CHECKED(claim, held, found)                                                                \
    "{\"claim\":\"" claim "\",\"held\":" held ",\"found\":\"" found "\"}"
#define YES CHECKED("x is better", "true", "by 1")
#define NO CHECKED("y is better", "false", "by -1")
#define OTHER CHECKED("z is worse", "false", "by -2")

static void test_status_by_results(void **state)
{
    (void)state;
    mkdir("claims.test", 0777);
    remove("claims.test/e.json");
    check_status(RESULTS("1", YES), "confirmed", "by 1");
    check_status(RESULTS("1", OTHER "," YES "," YES), "confirmed", "by 1; by 1");
    check_status(RESULTS("1", NO "," OTHER), "not confirmed", "by -1");
    check_status(RESULTS("1", NO "," YES), "inconclusive", "by -1; by 1");
    check_status(RESULTS("0.5", YES), "inconclusive", "by 1");
    check_status(RESULTS("0.5", NO), "inconclusive", "by -1");
    check_status(RESULTS("1", OTHER), "not run", "");
    check_status(RESULTS("1", ""), "not run", "");
}

/* The checks of both count, each of its own experiment only. */
static void test_a_claim_of_two_experiments(void **state)
{
    static const gr_claim_file two[] = {
        { "f", "# paper: p\n" COLUMNS "a\tb\te f\tbetter | worse\t\td" }, { NULL, NULL }
    };
    static const char second[] = "{\"experiment\":\"f\",\"scale\":%s,\"claims\":["
                                 "{\"claim\":\"is better\",\"held\":false,\"found\":\"\"},"
                                 "{\"claim\":\"is worse\",\"held\":%s,\"found\":\"by 2\"}]}";
    char text[400];

    (void)state;
    write_results(RESULTS("1", YES "," OTHER));
    check_claim(two, "inconclusive", "by 1"); /* the other has not been run */
    snprintf(text, sizeof text, second, "1", "true");
    write_file("claims.test/f.json", text);
    check_claim(two, "confirmed", "by 1; by 2");
    snprintf(text, sizeof text, second, "0.5", "true");
    write_file("claims.test/f.json", text);
    check_claim(two, "inconclusive", "by 1; by 2");
    snprintf(text, sizeof text, second, "1", "false");
    write_file("claims.test/f.json", text);
    check_claim(two, "inconclusive", "by 1; by 2");
    write_results(RESULTS("1", NO));
    check_claim(two, "not confirmed", "by -1; by 2");
    remove("claims.test/e.json");
    check_claim(two, "inconclusive", "by 2");
    remove("claims.test/f.json");
    check_claim(two, "not run", "");
}

/* A difference that a test does not distinguish from none confirms nothing. */
static void test_claims_with_a_test(void **state)
{
    static const struct {
        bool held;
        double p;
        const char *verdict;
    } of[] = { { true, 0.01, "confirmed" },
               { true, 0.05, "inconclusive" },
               { true, NAN, "inconclusive" },
               { false, 0.01, "not confirmed" },
               { false, 0.5, "not confirmed" } };
    gr_results *results = gr_results_new(NULL);

    (void)state;
    assert_non_null(results);
    for (size_t i = 0; i < sizeof of / sizeof of[0]; i++) {
        gr_results_claim_tested(results, of[i].held, of[i].p, "claim", "p %g", of[i].p);
        assert_string_equal(results->claims[i].verdict, of[i].verdict);
        assert_int_equal(results->claims[i].held, of[i].held);
    }
    gr_results_free(results);
}

static void test_damaged_results_are_errors(void **state)
{
    static const char *const damaged[] = {
        "",
        "{",
        "[]",
        "{\"experiment\":\"other\",\"scale\":1,\"claims\":[]}",
        "{\"experiment\":\"e\",\"claims\":[]}",
        "{\"experiment\":\"e\",\"scale\":1,\"claims\":{}}",
        "{\"experiment\":\"e\",\"scale\":1}",
        "{\"experiment\":\"e\",\"scale\":1,\"claims\":[3]}",
        "{\"experiment\":\"e\",\"scale\":1,\"claims\":[{\"claim\":\"better\",\"found\":\"\"}]}",
    };
    gradus_error err = { GRADUS_OK, "" };

    (void)state;
    for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++) {
        write_results(damaged[i]);
        assert_null(gr_claims_read(one_claim, "claims.test", &err));
        assert_int_equal(err.status, GRADUS_BAD_FORMAT);
        assert_non_null(strstr(err.message, "claims.test/e.json: "));
    }
    remove("claims.test/e.json");
    remove("claims.test");
    assert_null(gr_claims_read(one_claim, "claims.test", &err));
    assert_int_equal(err.status, GRADUS_NO_FILE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_list),
        cmocka_unit_test(test_damaged_files_are_errors),
        cmocka_unit_test(test_status_by_results),
        cmocka_unit_test(test_a_claim_of_two_experiments),
        cmocka_unit_test(test_claims_with_a_test),
        cmocka_unit_test(test_damaged_results_are_errors),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
