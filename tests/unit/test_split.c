/* SPDX-License-Identifier: Apache-2.0 */
/* Splitting queries into parts and folds. */
#include "random_sets.h"

#include "data/split.h"
#include "data/subset.h"

static gradus_status split(size_t queries, const char *name, const char *value, uint64_t seed,
                           size_t *parts_of, size_t *parts, gradus_error *err)
{
    gradus_options *options = gr_options_new(&gr_operation_split, NULL);
    gr_split_options chosen;
    char number[GRADUS_NUMBER_SIZE];
    gradus_status status;

    snprintf(number, sizeof number, "%llu", (unsigned long long)seed);
    assert_int_equal(gr_options_set(options, "seed", number, err), GRADUS_OK);
    if (name)
        assert_int_equal(gr_options_set(options, name, value, err), GRADUS_OK);
    assert_int_equal(gr_options_get(options, &gr_operation_split, &chosen, err), GRADUS_OK);
    status = gr_split_queries(queries, &chosen, parts_of, parts, err);
    gr_options_free(options);
    return status;
}

enum { MAX = 2000 };

static void has_sizes(size_t queries, const char *name, const char *value, size_t parts,
                      const size_t *sizes)
{
    size_t parts_of[MAX], found = 0, counts[GR_SPLIT_MAX] = { 0 };
    gradus_error err = { GRADUS_OK, "" };

    if (split(queries, name, value, 3, parts_of, &found, &err) != GRADUS_OK)
        fail_msg("%s", err.message);
    assert_int_equal(found, parts);
    for (size_t q = 0; q < queries; q++)
        counts[parts_of[q]]++;
    for (size_t p = 0; p < parts; p++)
        assert_int_equal(counts[p], sizes[p]);
}

static void test_sizes_are_by_largest_remainder(void **state)
{
    (void)state;
    has_sizes(10, NULL, NULL, 3, (size_t[]){ 6, 2, 2 });
    has_sizes(784, NULL, NULL, 3, (size_t[]){ 470, 157, 157 }); /* 470.4, 156.8, 156.8 */
    has_sizes(7, "fractions", "1,1,1", 3, (size_t[]){ 3, 2, 2 });
    has_sizes(2, "fractions", "60,20,20", 3, (size_t[]){ 1, 1, 0 });
    has_sizes(11, "fractions", "0.5,0,0.25,0.25", 4,
              (size_t[]){ 5, 0, 3, 3 }); /* 5.5, 2.75, 2.75 */
    has_sizes(10, "fractions", "0.1,0.2,0.7", 3, (size_t[]){ 1, 2, 7 });
    has_sizes(1000, "fractions", "100", 1, (size_t[]){ 1000 });
    has_sizes(13, "folds", "4", 4, (size_t[]){ 4, 3, 3, 3 });
    has_sizes(1692, "letor", "true", 5, (size_t[]){ 339, 339, 338, 338, 338 });
}

static void test_every_query_has_one_part_and_seeds_differ(void **state)
{
    size_t first[MAX], again[MAX], other[MAX], parts;

    (void)state;
    assert_int_equal(split(MAX, "folds", "7", 3, first, &parts, NULL), GRADUS_OK);
    assert_int_equal(split(MAX, "folds", "7", 3, again, &parts, NULL), GRADUS_OK);
    assert_int_equal(split(MAX, "folds", "7", 4, other, &parts, NULL), GRADUS_OK);
    assert_memory_equal(first, again, sizeof first);
    assert_memory_not_equal(first, other, sizeof first);
    for (size_t q = 0; q < MAX; q++)
        assert_true(first[q] < 7);
}

static void test_order_is_kept_on_request(void **state)
{
    size_t parts_of[10], parts;
    const size_t wanted[] = { 0, 0, 0, 0, 0, 0, 1, 1, 2, 2 };

    (void)state;
    assert_int_equal(split(10, "in-order", "true", 3, parts_of, &parts, NULL), GRADUS_OK);
    assert_memory_equal(parts_of, wanted, sizeof wanted);
}

static void refuses(size_t queries, const char *name, const char *value, const char *message)
{
    size_t parts_of[MAX], parts;
    gradus_error err = { GRADUS_OK, "" };

    assert_int_equal(split(queries, name, value, 3, parts_of, &parts, &err), GRADUS_BAD_ARGUMENT);
    assert_string_equal(err.message, message);
}

static void test_senseless_splits_are_refused(void **state)
{
    static const char *const bad[] = { "60,20,", ",1",  "60;20", "-1,2", "nan,1",
                                       "inf",    "0,0", "x",     "1,,2", "1e308,1e308" };
    const gr_split_options two = { .shares = "1,2", .folds = 3 };
    size_t parts_of[10], parts;
    gradus_error err = { GRADUS_OK, "" };
    char long_list[4 * GR_SPLIT_MAX];

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char message[200];

        snprintf(message, sizeof message,
                 "'fractions' takes up to 1000 comma-separated numbers >= 0, not all 0, "
                 "not '%s'",
                 bad[i]);
        refuses(10, "fractions", bad[i], message);
    }
    refuses(4, "folds", "5", "4 queries are too few for 5 parts");
    refuses(4, "letor", "true", "4 queries are too few for 5 parts");
    assert_int_equal(gr_split_queries(10, &two, parts_of, &parts, &err), GRADUS_BAD_ARGUMENT);
    assert_string_equal(err.message, "'fractions', 'folds' and 'letor' are mutually exclusive");
    for (size_t i = 0; i <= GR_SPLIT_MAX; i++)
        memcpy(long_list + 2 * i, "1,", 3);
    long_list[2 * GR_SPLIT_MAX + 1] = '\0';
    assert_int_equal(split(10, "fractions", long_list, 3, parts_of, &parts, &err),
                     GRADUS_BAD_ARGUMENT);
}

static void test_subset_has_the_chosen_queries_in_order(void **state)
{
    const set_kind kinds[] = {
        { 400, 6, 60, .first_id = 0, .query_names = true, .documents = true, .feature_names = true,
          .row_weights = true, .query_weights = true, .scattered = true },
        { 400, 9, 60, .first_id = 1, .sparse = true, .query_names = true, .documents = true },
    };
    const size_t chosen[] = { 59, 3, 0, 3, 17 };
    gr_pool *pool = gr_pool_new(3, NULL);

    (void)state;
    for (size_t k = 0; k < 2; k++) {
        gradus_dataset *data = random_set(&kinds[k], k);
        gradus_dataset *part = gr_dataset_subset(data, chosen, 5, pool, NULL);
        float rows[2][9];

        assert_int_equal(part->arrays.queries, 5);
        assert_int_equal(part->first_id, data->first_id);
        assert_null(part->file_rows);
        for (size_t q = 0; q < 5; q++) {
            const size_t from = (size_t)data->arrays.query_starts[chosen[q]];
            const size_t at = (size_t)part->arrays.query_starts[q];
            const size_t count = (size_t)data->arrays.query_starts[chosen[q] + 1] - from;

            assert_int_equal(part->arrays.query_starts[q + 1] - at, count);
            assert_string_equal(gradus_dataset_query_name(part, q),
                                gradus_dataset_query_name(data, chosen[q]));
            if (k == 0)
                CHECK_NEAR((double)part->arrays.query_weights[q],
                           (double)data->arrays.query_weights[chosen[q]], 0.0);
            for (size_t r = 0; r < count; r++) {
                gr_dataset_row(data, from + r, rows[0]);
                gr_dataset_row(part, at + r, rows[1]);
                assert_memory_equal(rows[0], rows[1], data->arrays.features * sizeof(float));
                CHECK_NEAR((double)part->arrays.labels[at + r],
                           (double)data->arrays.labels[from + r], 0.0);
                assert_string_equal(gradus_dataset_document_name(part, at + r),
                                    gradus_dataset_document_name(data, from + r));
            }
        }
        assert_int_equal(part->arrays.query_starts[5], part->arrays.rows);
        gradus_dataset_free(part);
        part = gr_dataset_copy(data, false, pool, NULL);
        assert_same_set(data, part);
        gradus_dataset_free(part);
        gradus_dataset_free(data);
    }
    gr_pool_free(pool);
}

static void test_subset_refuses_what_is_not_there(void **state)
{
    const set_kind kind = { 40, 2, 6, .first_id = 1 };
    gradus_dataset *data = random_set(&kind, 1);
    const size_t chosen[] = { 0, 6 };
    gradus_error err = { GRADUS_OK, "" };

    (void)state;
    assert_null(gradus_dataset_subset(NULL, data, chosen, 2, &err));
    assert_string_equal(err.message, "queries[1] is 6, but there are 6 queries");
    assert_null(gradus_dataset_subset(NULL, data, chosen, 0, &err));
    assert_string_equal(err.message, "a subset needs at least one query");
    gradus_dataset_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes_are_by_largest_remainder),
        cmocka_unit_test(test_every_query_has_one_part_and_seeds_differ),
        cmocka_unit_test(test_order_is_kept_on_request),
        cmocka_unit_test(test_senseless_splits_are_refused),
        cmocka_unit_test(test_subset_has_the_chosen_queries_in_order),
        cmocka_unit_test(test_subset_refuses_what_is_not_there),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
