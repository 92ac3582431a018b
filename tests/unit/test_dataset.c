/* SPDX-License-Identifier: Apache-2.0 */
/* Datasets over the caller's arrays: checks of shape and content, and names of features. */
#include "random_sets.h"

static const float values[] = { 1, 2, 3, 4, 5, 6 };
static const float labels[] = { 0, 1, 2 };
static const uint64_t starts[] = { 0, 1, 3 };
static const gradus_arrays dense = { .rows = 3,
                                     .features = 2,
                                     .values = values,
                                     .stride = 2,
                                     .labels = labels,
                                     .queries = 2,
                                     .query_starts = starts };
static const uint64_t row_starts[] = { 0, 2, 2, 3 };
static const uint32_t columns[] = { 0, 1, 1 };
static const gradus_arrays sparse = { .rows = 3,
                                      .features = 2,
                                      .row_starts = row_starts,
                                      .columns = columns,
                                      .entries = values,
                                      .labels = labels,
                                      .queries = 2,
                                      .query_starts = starts };

static void refuses(gradus_arrays arrays, gradus_status status, const char *message)
{
    gradus_error err = { GRADUS_OK, "" };

    assert_null(gradus_dataset_borrow(&arrays, &err));
    assert_string_equal(err.message, message);
    assert_int_equal(err.status, status);
}

#define WITH(base, ...)                                                                            \
    ({                                                                                             \
        gradus_arrays changed = base;                                                              \
        __VA_ARGS__;                                                                               \
        changed;                                                                                   \
    })

static void test_borrowed_arrays_are_the_callers(void **state)
{
    gradus_dataset *data = gradus_dataset_borrow(&dense, NULL);
    gradus_arrays arrays;

    (void)state;
    assert_int_equal(gradus_dataset_arrays(NULL, data, &arrays, NULL), GRADUS_OK);
    assert_ptr_equal(arrays.values, values);
    assert_ptr_equal(arrays.query_starts, starts);
    assert_int_equal(gradus_dataset_rows(data), 3);
    assert_int_equal(gradus_dataset_features(data), 2);
    assert_int_equal(gradus_dataset_queries(data), 2);
    assert_string_equal(gradus_dataset_query_name(data, 0), "");
    assert_string_equal(gradus_dataset_document_name(data, 99), "");
    assert_string_equal(gradus_dataset_feature_name(data, 0), "");
    gradus_dataset_free(data);
}

static void test_no_queries_are_one(void **state)
{
    gradus_arrays arrays = dense;
    gradus_dataset *data;

    (void)state;
    arrays.queries = 0;
    arrays.query_starts = NULL;
    data = gradus_dataset_borrow(&arrays, NULL);
    assert_int_equal(gradus_dataset_arrays(NULL, data, &arrays, NULL), GRADUS_OK);
    assert_int_equal(arrays.queries, 1);
    assert_int_equal(arrays.query_starts[0], 0);
    assert_int_equal(arrays.query_starts[1], 3);
    gradus_dataset_free(data);
}

static void test_wrong_shapes_are_refused(void **state)
{
    gradus_error err = { GRADUS_OK, "" };

    (void)state;
    assert_null(gradus_dataset_borrow(NULL, &err));
    refuses(WITH(dense, changed.labels = NULL), GRADUS_BAD_ARGUMENT,
            "a dataset needs rows and their labels");
    refuses(WITH(dense, changed.rows = 0), GRADUS_BAD_ARGUMENT,
            "a dataset needs rows and their labels");
    refuses(WITH(dense, changed.values = NULL), GRADUS_BAD_ARGUMENT,
            "a dataset needs values or row_starts");
    refuses(WITH(sparse, changed.values = values), GRADUS_BAD_ARGUMENT,
            "values and row_starts exclude each other: rows are either dense or sparse");
    refuses(WITH(dense, changed.stride = 1), GRADUS_BAD_ARGUMENT,
            "stride is 1, less than 2 features");
    refuses(WITH(dense, changed.query_starts = NULL), GRADUS_BAD_ARGUMENT,
            "2 queries need query_starts");
    refuses(WITH(sparse, changed.columns = NULL), GRADUS_BAD_ARGUMENT,
            "sparse rows need columns and entries");
    refuses(WITH(sparse, changed.features = (size_t)1 << 32), GRADUS_BAD_ARGUMENT,
            "4294967296 features; at most 4294967295 are allowed");
}

static void test_wrong_content_is_refused(void **state)
{
    const uint64_t empty_query[] = { 0, 0, 3 }, too_far[] = { 0, 1, 4 }, late[] = { 1, 2, 3 };
    const uint64_t falling[] = { 0, 2, 1, 3 };
    const uint32_t twice[] = { 1, 1, 1 }, large[] = { 0, 2, 1 };
    const float bad_labels[] = { 0, 1, NAN }, bad_weights[] = { 1, -0.5f, 1 };
    const float endless[] = { 1, INFINITY };

    (void)state;
    refuses(WITH(dense, changed.query_starts = empty_query), GRADUS_BAD_ARGUMENT,
            "query_starts[0] is 0 and [1] is 0: must increase from 0 to the number of rows");
    refuses(WITH(dense, changed.query_starts = too_far), GRADUS_BAD_ARGUMENT,
            "query_starts[1] is 1 and [2] is 4: must increase from 0 to the number of rows");
    refuses(WITH(dense, changed.query_starts = late), GRADUS_BAD_ARGUMENT,
            "query_starts[0] is 1 and [1] is 2: must increase from 0 to the number of rows");
    refuses(WITH(sparse, changed.row_starts = falling), GRADUS_BAD_ARGUMENT,
            "row_starts[1] is 2 and [2] is 1: must not decrease");
    refuses(WITH(sparse, changed.columns = twice), GRADUS_BAD_ARGUMENT,
            "columns[0] to [1], one row, do not ascend");
    refuses(WITH(sparse, changed.columns = large), GRADUS_BAD_ARGUMENT,
            "columns[1] is 2, but there are 2 features");
    refuses(WITH(dense, changed.labels = bad_labels), GRADUS_BAD_NUMBER,
            "labels[2] is nan, not a finite number");
    refuses(WITH(dense, changed.row_weights = bad_weights), GRADUS_BAD_NUMBER,
            "row_weights[1] is -0.5, not a finite number >= 0");
    refuses(WITH(dense, changed.query_weights = endless), GRADUS_BAD_NUMBER,
            "query_weights[1] is inf, not a finite number >= 0");
}

static void cannot_find(const gradus_dataset *data, const char *word, const char *message)
{
    gradus_error err = { GRADUS_OK, "" };
    size_t feature;

    assert_int_equal(gradus_dataset_find_feature(data, word, &feature, &err), GRADUS_BAD_ARGUMENT);
    assert_string_equal(err.message, message);
}

static void test_features_are_found_by_name_and_number(void **state)
{
    const set_kind kind = { 4, 3, 1, .first_id = 1, .feature_names = true };
    gradus_dataset *named = random_set(&kind, 1), *plain = gradus_dataset_borrow(&dense, NULL);
    size_t feature = 99;

    (void)state; /* bm25.0, bm25.919, bm25.838 */
    assert_int_equal(gradus_dataset_find_feature(named, "bm25.919", &feature, NULL), GRADUS_OK);
    assert_int_equal(feature, 1);
    assert_int_equal(gradus_dataset_find_feature(named, "3", &feature, NULL), GRADUS_OK);
    assert_int_equal(feature, 2);
    cannot_find(named, "bm52.919", "unknown feature 'bm52.919'; did you mean 'bm25.919'?");
    cannot_find(named, "0", "unknown feature '0'; features have names and are numbered 1 to 3");
    cannot_find(plain, "3", "unknown feature '3'; features are numbered 1 to 2");
    cannot_find(plain, "", "unknown feature ''; features are numbered 1 to 2");
    cannot_find(plain, "99999999999999999999999",
                "unknown feature '99999999999999999999999'; features are numbered 1 to 2");
    plain->first_id = 0;
    assert_int_equal(gradus_dataset_find_feature(plain, "0", &feature, NULL), GRADUS_OK);
    assert_int_equal(feature, 0);
    gradus_dataset_free(named);
    gradus_dataset_free(plain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_borrowed_arrays_are_the_callers),
        cmocka_unit_test(test_no_queries_are_one),
        cmocka_unit_test(test_wrong_shapes_are_refused),
        cmocka_unit_test(test_wrong_content_is_refused),
        cmocka_unit_test(test_features_are_found_by_name_and_number),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
