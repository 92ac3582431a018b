/* SPDX-License-Identifier: Apache-2.0 */
/* Several files read as one dataset. */
#include "random_sets.h"

enum { FILES = 3 };

static char folder[64], paths[FILES][128], whole[128], weights[128];

static int set_up(void **state)
{
    (void)state;
    make_folder(folder);
    for (int i = 0; i < FILES; i++) {
        char name[16];

        snprintf(name, sizeof name, "part%d", i);
        in_folder(paths[i], folder, name);
    }
    in_folder(whole, folder, "whole");
    in_folder(weights, folder, "weights");
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    for (int i = 0; i < FILES; i++)
        unlink(paths[i]);
    unlink(whole);
    unlink(weights);
    return rmdir(folder);
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");

    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

/* Writes each part, and all of them concatenated. */
static void write_parts(const char *const *parts, size_t count)
{
    char all[4096] = "";

    for (size_t i = 0; i < count; i++) {
        write_file(paths[i], parts[i]);
        strcat(all, parts[i]);
    }
    write_file(whole, all);
}

static gradus_dataset *read_with(size_t count, const char *const *settings, gradus_error *err)
{
    const char *list[FILES] = { paths[0], paths[1], paths[2] };
    gradus_options *options = gradus_options_new("read", NULL);

    for (; settings && *settings; settings += 2)
        assert_int_equal(gradus_options_set(options, settings[0], settings[1], err), GRADUS_OK);
    gradus_dataset *data = count ? gradus_dataset_read_files(NULL, list, count, options, err)
                                 : gradus_dataset_read(NULL, whole, options, err);

    gradus_options_free(options);
    return data;
}

/* The parts read together equal the whole. */
static void check_same(const char *const *parts, size_t count, const char *const *settings)
{
    gradus_error err = { GRADUS_OK, "" };

    write_parts(parts, count);
    gradus_dataset *together = read_with(count, settings, &err);

    if (!together)
        print_error("%s\n", err.message);
    assert_non_null(together);
    gradus_dataset *one = read_with(0, settings, &err);

    assert_non_null(one);
    assert_same_set(together, one);
    gradus_dataset_free(together);
    gradus_dataset_free(one);
}

static void check_refused(const char *const *parts, size_t count, const char *const *settings,
                          const char *words)
{
    gradus_error err = { GRADUS_OK, "" };

    write_parts(parts, count);
    assert_null(read_with(count, settings, &err));
    if (!strstr(err.message, words))
        print_error("'%s' lacks '%s'\n", err.message, words);
    assert_non_null(strstr(err.message, words));
    assert_int_equal(err.status, GRADUS_BAD_FORMAT);
}

static const char *const join[] = { "join-queries", "true", NULL };

static void test_rows_come_in_order(void **state)
{
    (void)state;
    check_same((const char *[]){ "2 qid:1 1:0.5 2:1 # docid = a\n0 qid:1 1:0.25 2:3\n",
                                 "1 qid:7 1:0.125\n", "0 qid:3 2:5 4:1 # docid = z\n" },
               3, NULL);
    check_same((const char *[]){ "2 qid:1 1:0.5\n" }, 1, NULL);
    check_same((const char *[]){ "2 1:0.5\n1 2:3\n", "0 1:4\n" }, 2, NULL); /* no query ids */
}

static void test_features_are_the_largest_number(void **state)
{
    static const char *const missing[] = { "absent-is-missing", "true", NULL };
    static const char *const more[] = { "features", "9", "storage", "dense", NULL };
    static const char *const dense[] = { "storage", "dense", NULL };
    static const char *const sparse[] = { "storage", "sparse", NULL };
    const char *const widths[] = { "2 qid:1 1:0.5 2:1\n", "1 qid:2 7:1\n", "1 qid:3 3:1\n" };
    const char *const from_zero[] = { "2 qid:1 1:0.5 2:1\n", "1 qid:2 0:1 1:3\n" };

    (void)state;
    check_same(widths, 3, dense); /* auto may choose differently for parts */
    check_same(widths, 3, sparse);
    check_same(widths, 3, missing);
    check_same(widths, 3, more);
    check_same(from_zero, 2, NULL);
    check_same((const char *[]){ "2 qid:1 900:0.5\n", "1 qid:2 1:3\n" }, 2, NULL); /* sparse */
}

static void test_queries_in_two_files(void **state)
{
    const char *const shared[] = { "2 qid:1 1:0.5\n1 qid:2 1:3\n", "0 qid:3 1:1\n",
                                   "1 qid:2 1:5\n0 qid:4 1:2\n1 qid:1 1:4\n" };
    char wanted[400];

    (void)state;
    snprintf(wanted, sizeof wanted, "query '2' is in both '%s' and '%s'", paths[0], paths[2]);
    check_refused(shared, 3, NULL, wanted);
    check_same(shared, 3, join);
    check_refused((const char *[]){ "2 qid:1 1:0.5\n", "0 1:1\n" }, 2, NULL, "has query ids");
    check_refused((const char *[]){ "2 1:0.5\n", "0 qid:1 1:1\n" }, 2, join, "has query ids");
}

/* Row positions are kept for rows that are not contiguous in one file, and for queries in two
 * files. */
static void test_weights_are_of_all_rows(void **state)
{
    const char *const by_row[] = { "row-weights", weights, "query-weights", weights, "join-queries",
                                   "true",        NULL };
    const char *const apart[] = { "2 qid:1 1:0.5\n1 qid:2 1:3\n0 qid:1 1:9\n",
                                  "0 qid:3 1:1\n0 qid:4 1:2\n1 qid:3 1:4\n" };
    const char *const joined[] = { "2 qid:1 1:0.5\n1 qid:2 1:3\n0 qid:1 1:9\n",
                                   "0 qid:3 1:1\n0 qid:1 1:2\n1 qid:3 1:4\n" };

    (void)state;
    write_file(weights, "1\n2\n3\n4\n5\n6\n");
    check_same(apart, 2, (const char *[]){ "row-weights", weights, NULL });
    check_same(joined, 2, (const char *[]){ "row-weights", weights, "join-queries", "true", NULL });
    check_same(apart, 2, join);
    write_file(weights, "1\n2\n3\n4\n");
    check_same(apart, 2, (const char *[]){ "query-weights", weights, NULL });
    write_parts(apart, 2);
    gradus_error err = { GRADUS_OK, "" };

    assert_null(read_with(2, by_row, &err));
    assert_non_null(strstr(err.message, "4 weights for 6 rows"));
}

static void test_columns_are_the_same(void **state)
{
    gradus_error err = { GRADUS_OK, "" };

    (void)state;
    write_parts((const char *[]){ "label,qid,a,b\n1,1,2,3\n", "label,qid,a,b\n0,2,4,5\n" }, 2);
    gradus_dataset *data = read_with(2, NULL, &err);

    assert_non_null(data);
    assert_int_equal(gradus_dataset_rows(data), 2);
    assert_string_equal(gradus_dataset_feature_name(data, 1), "b");
    CHECK_NEAR(gr_dataset_value(data, 1, 1), 5.0, 0.0);
    gradus_dataset_free(data);
    check_refused((const char *[]){ "label,qid,a,b\n1,1,2,3\n", "label,qid,b,a\n0,2,4,5\n" }, 2,
                  NULL, "feature 1 is 'a' in");
    check_refused((const char *[]){ "label,qid,a,b\n1,1,2,3\n", "label,qid,a\n0,2,4\n" }, 2, NULL,
                  "has 2 features");
    check_refused((const char *[]){ "label,qid,a\n1,1,2\n", "1 qid:2 1:3\n" }, 2, NULL,
                  "has feature names");
}

/* Binary files carry the weights of their queries. */
static void test_binary_files(void **state)
{
    const set_kind kind = { .rows = 40,
                            .features = 5,
                            .queries = 6,
                            .first_id = 1,
                            .query_names = true,
                            .documents = true,
                            .row_weights = true,
                            .query_weights = true };
    gradus_dataset *set = random_set(&kind, 1), *halves[2];
    gradus_options *options = gradus_options_new("write", NULL);
    gradus_error err = { GRADUS_OK, "" };

    (void)state;
    assert_int_equal(gradus_options_set(options, "output-format", "binary", NULL), GRADUS_OK);
    for (size_t h = 0; h < 2; h++) {
        const size_t chosen[] = { 3 * h, 3 * h + 1, 3 * h + 2 };

        halves[h] = gradus_dataset_subset(NULL, set, chosen, 3, &err);
        assert_int_equal(gradus_dataset_write(NULL, halves[h], paths[h], options, &err), GRADUS_OK);
    }
    gradus_dataset *together = read_with(2, NULL, &err);

    assert_non_null(together);
    assert_same_set(together, set);
    gradus_dataset_free(together);
    write_file(paths[2], "1 qid:new 1:3\n");
    assert_null(read_with(3, NULL, &err));
    assert_non_null(strstr(err.message, "has query weights"));
    assert_int_equal(gradus_dataset_write(NULL, halves[0], paths[1], options, &err), GRADUS_OK);
    assert_null(read_with(2, join, &err));
    assert_non_null(strstr(err.message, "cannot be merged"));
    gradus_options_free(options);
    for (size_t h = 0; h < 2; h++)
        gradus_dataset_free(halves[h]);
    gradus_dataset_free(set);
}

static void test_bad_arguments(void **state)
{
    const char *const list[] = { paths[0], "/no/such/file" };
    gradus_error err = { GRADUS_OK, "" };

    (void)state;
    write_file(paths[0], "1 qid:1 1:1\n");
    assert_null(gradus_dataset_read_files(NULL, list, 0, NULL, &err));
    assert_int_equal(err.status, GRADUS_BAD_ARGUMENT);
    assert_null(gradus_dataset_read_files(NULL, list, 2, NULL, &err));
    assert_int_equal(err.status, GRADUS_NO_FILE);
    assert_null(gradus_dataset_read_files(NULL, list, 2, NULL, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_come_in_order),
        cmocka_unit_test(test_features_are_the_largest_number),
        cmocka_unit_test(test_queries_in_two_files),
        cmocka_unit_test(test_weights_are_of_all_rows),
        cmocka_unit_test(test_columns_are_the_same),
        cmocka_unit_test(test_binary_files),
        cmocka_unit_test(test_bad_arguments),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
