/* SPDX-License-Identifier: Apache-2.0 */
/* gradus_report: a page is written whole or not at all, and bad input is refused. */
#include "checks.h"

#include "gradus_experiments.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_BYTES = 1 << 24 };

static char path[64];

static int make_path(void **state)
{
    (void)state;
    snprintf(path, sizeof path, "/tmp/test_report_%d.html", (int)getpid());
    return 0;
}

static gradus_dataset *web(void)
{
    gradus_options *options = gradus_options_new("synth web", NULL);

    assert_int_equal(gradus_options_set_number(options, "queries", 6, NULL), GRADUS_OK);
    gradus_dataset *data = gradus_synth(NULL, options, NULL);

    gradus_options_free(options);
    assert_non_null(data);
    return data;
}

static void refuses(const gradus_report_input *input, gradus_status status, const char *says)
{
    gradus_error err = { GRADUS_OK, "" };

    assert_int_equal(gradus_report(NULL, input, path, &err), status);
    if (!strstr(err.message, says))
        fail_msg("'%s' does not say '%s'", err.message, says);
    assert_int_equal(access(path, F_OK), -1);
}

static void test_page_of_data_in_memory(void **state)
{
    gradus_dataset *data = web();
    const gradus_report_system systems[] = { { .name = "feature:2" }, { .name = "random" } };
    const gradus_report_set sets[] = { { .name = "in </script> memory", .data = data } };
    const gradus_report_input input = { .title = "a title",
                                        .systems = systems,
                                        .system_count = 2,
                                        .sets = sets,
                                        .set_count = 1,
                                        .seed = 3 };
    gradus_error err = { GRADUS_OK, "" };
    char *page = NULL;
    size_t size = 0;

    (void)state;
    if (gradus_report(NULL, &input, path, &err) != GRADUS_OK)
        fail_msg("%s", err.message);
    assert_int_equal(gradus_file_read(path, MAX_BYTES, &page, &size, &err), GRADUS_OK);
    assert_non_null(strstr(page, "\"title\": \"a title\""));
    assert_non_null(strstr(page, "\"data\": \"in \\u003c/script> memory\""));
    assert_non_null(strstr(page, "\"name\": \"random\""));
    assert_non_null(strstr(page, "</html>"));
    free(page);
    assert_int_equal(unlink(path), 0);
    gradus_dataset_free(data);
}

static void test_bad_input_leaves_no_page(void **state)
{
    gradus_dataset *data = web();
    const gradus_report_system unknown[] = { { .name = "no such scores" } };
    const gradus_report_system feature[] = { { .name = "feature:1" } };
    const gradus_report_system nameless[] = { { .name = NULL } };
    const gradus_report_set sets[] = { { .name = "rows", .data = data } };
    const gradus_report_set missing[] = { { .name = "/no/such/file" } };
    const char *const runs[] = { "/no/such/run.jsonl" };
    gradus_options *split = gradus_options_new("split", NULL);

    (void)state;
    refuses(&(gradus_report_input){ .title = "empty" }, GRADUS_BAD_ARGUMENT, "needs models");
    refuses(&(gradus_report_input){ .sets = sets, .set_count = 1, .runs = runs, .run_count = 1 },
            GRADUS_BAD_ARGUMENT, "needs models or scores");
    refuses(&(gradus_report_input){ .systems = nameless, .system_count = 1 }, GRADUS_BAD_ARGUMENT,
            "no name");
    refuses(&(gradus_report_input){ .systems = feature, .system_count = 9 }, GRADUS_BAD_ARGUMENT,
            "at most 8 models and scores");
    refuses(&(gradus_report_input){ .runs = runs, .run_count = 1 }, GRADUS_NO_FILE, "cannot read");
    refuses(
        &(gradus_report_input){
            .systems = unknown, .system_count = 1, .sets = sets, .set_count = 1 },
        GRADUS_NO_FILE, "no such scores on rows");
    refuses(
        &(gradus_report_input){
            .systems = feature, .system_count = 1, .sets = missing, .set_count = 1 },
        GRADUS_NO_FILE, "/no/such/file");
    refuses(
        &(gradus_report_input){
            .systems = feature, .system_count = 1, .sets = sets, .set_count = 1, .compare = split },
        GRADUS_BAD_ARGUMENT, "options for 'split'");
    gradus_options_free(split);
    gradus_dataset_free(data);
}

static void test_playground(void **state)
{
    gradus_dataset *data = web();
    const gradus_report_system systems[] = { { .name = "feature:1" }, { .name = "random" } };
    const gradus_report_set sets[] = { { .name = "folder/in </script> memory", .data = data } };
    gradus_report_input input = {
        .systems = systems, .system_count = 2, .sets = sets, .set_count = 1
    };
    gradus_error err;
    char *page;
    size_t size;

    (void)state;
    if (gradus_playground(NULL, &input, path, &err) != GRADUS_OK)
        fail_msg("%s", err.message);
    assert_int_equal(gradus_file_read(path, MAX_BYTES, &page, &size, &err), GRADUS_OK);
    assert_non_null(strstr(page, "\"data\": \"script> memory\""));
    assert_non_null(strstr(page, "\"missing\": \"it is not a model\""));
    assert_non_null(strstr(page, "</html>"));
    free(page);
    assert_int_equal(unlink(path), 0);
    input.system_count = 0;
    assert_int_equal(gradus_playground(NULL, &input, path, &err), GRADUS_BAD_ARGUMENT);
    assert_non_null(strstr(err.message, "needs models or scores"));
    input.system_count = 1;
    input.set_count = 0;
    assert_int_equal(gradus_playground(NULL, &input, path, &err), GRADUS_BAD_ARGUMENT);
    assert_non_null(strstr(err.message, "needs one data set"));
    assert_int_equal(access(path, F_OK), -1);
    gradus_dataset_free(data);
}

int main(void)
{
    const struct CMUnitTest playground[] = { cmocka_unit_test(test_playground) };
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_page_of_data_in_memory),
        cmocka_unit_test(test_bad_input_leaves_no_page),
    };

    if (!gradus_report_available()) {
        puts("reports are skipped: built without Chart.js");
        return cmocka_run_group_tests(playground, make_path, NULL);
    }
    if (cmocka_run_group_tests(playground, make_path, NULL) != 0)
        return 1;
    return cmocka_run_group_tests(tests, make_path, NULL);
}
