/* SPDX-License-Identifier: Apache-2.0 */
/* Queries that share most of their documents, within a set and between sets, dense and sparse. */
#include "experiments/near_duplicates.h"
#include "small_trials.h"

enum { FEATURES = 3, MAX_ROWS = 64 };

/* Documents are numbers: the features follow from them; 0: all features are 0. */
static gradus_dataset *make(const size_t *sizes, size_t queries, const int *documents, bool sparse)
{
    float values[MAX_ROWS * FEATURES], labels[MAX_ROWS], entries[MAX_ROWS * FEATURES];
    uint64_t starts[MAX_ROWS], row_starts[MAX_ROWS + 1] = { 0 };
    uint32_t columns[MAX_ROWS * FEATURES];
    gradus_error err = { GRADUS_OK, "" };
    size_t rows = 0, filled = 0;

    for (size_t q = 0; q < queries; q++) {
        starts[q] = rows;
        rows += sizes[q];
    }
    starts[queries] = rows;
    for (size_t r = 0; r < rows; r++) {
        labels[r] = (float)(documents[r] % 2);
        for (size_t f = 0; f < FEATURES; f++) {
            values[r * FEATURES + f] = f == 1 ? 0.0F : (float)documents[r] * (float)(f + 1);
            if (values[r * FEATURES + f] != 0.0F) {
                columns[filled] = (uint32_t)f;
                entries[filled++] = values[r * FEATURES + f];
            }
        }
        row_starts[r + 1] = filled;
    }
    gradus_arrays arrays = { .rows = rows,
                             .features = FEATURES,
                             .labels = labels,
                             .queries = queries,
                             .query_starts = starts };
    if (sparse) {
        arrays.row_starts = row_starts;
        arrays.columns = columns;
        arrays.entries = entries;
    } else {
        arrays.values = values;
        arrays.stride = FEATURES;
    }
    gradus_dataset *borrowed = gradus_dataset_borrow(&arrays, &err);
    size_t all[MAX_ROWS];

    for (size_t q = 0; q < queries; q++)
        all[q] = q;
    gradus_dataset *copy =
        borrowed ? gradus_dataset_subset(NULL, borrowed, all, queries, &err) : NULL;

    if (!copy)
        print_error("%s\n", err.message);
    assert_non_null(copy);
    gradus_dataset_free(borrowed);
    return copy;
}

static void test_within(void **state)
{
    /* 0 and 2 are the same in another order; 3 has two of the three documents of 1; 4 has half of
     * the documents of 5; 6 and 7 have only documents without features */
    static const size_t sizes[] = { 2, 3, 2, 3, 2, 2, 3, 3 };
    static const int documents[] = { 1, 2, 3, 4, 5, 2, 1, 9, 4, 5, 6, 7, 7, 8, 0, 0, 0, 0, 0, 0 };
    static const size_t expected[] = { 0, 1, 0, 1, 4, 5, 6, 7 };
    gradus_error err = { GRADUS_OK, "" };

    (void)state;
    for (int sparse = 0; sparse < 2; sparse++) {
        gradus_dataset *data = make(sizes, 8, documents, sparse);
        size_t same_as[8], count;

        assert_int_equal(gr_near_duplicates(data, same_as, &count, &err), GRADUS_OK);
        assert_int_equal(count, 4);
        for (size_t q = 0; q < 8; q++)
            assert_int_equal(same_as[q], expected[q]);
        gradus_dataset_free(data);
    }
}

/* A document of many queries is no evidence, unless the whole queries are the same. */
static void test_common_documents(void **state)
{
    enum { QUERIES = 10 };
    size_t sizes[QUERIES], same_as[QUERIES], count;
    int documents[3 * QUERIES];
    gradus_error err = { GRADUS_OK, "" };

    (void)state;
    for (size_t q = 0; q < QUERIES; q++) {
        sizes[q] = 3;
        documents[3 * q] = 1;
        documents[3 * q + 1] = 2;
        documents[3 * q + 2] = 10 + (int)q;
    }
    gradus_dataset *data = make(sizes, QUERIES, documents, false);

    assert_int_equal(gr_near_duplicates(data, same_as, &count, &err), GRADUS_OK);
    assert_int_equal(count, 0);
    gradus_dataset_free(data);
    for (size_t q = 0; q < QUERIES; q++)
        documents[3 * q + 2] = 10;
    data = make(sizes, QUERIES, documents, false);
    assert_int_equal(gr_near_duplicates(data, same_as, &count, &err), GRADUS_OK);
    assert_int_equal(count, QUERIES);
    for (size_t q = 0; q < QUERIES; q++)
        assert_int_equal(same_as[q], 0);
    gradus_dataset_free(data);
}

static void test_between(void **state)
{
    static const size_t sizes[] = { 2, 3, 3 }, other_sizes[] = { 3, 2, 2, 3 };
    static const int documents[] = { 1, 2, 3, 4, 5, 6, 7, 8 };
    static const int others[] = { 5, 9, 3, 2, 1, 6, 10, 1, 3, 6 };
    gr_common_queries common;
    gradus_error err = { GRADUS_OK, "" };

    (void)state;
    for (int form = 0; form < 4; form++) {
        gradus_dataset *first = make(sizes, 3, documents, form & 1);
        gradus_dataset *second = make(other_sizes, 4, others, form & 2);

        assert_int_equal(gr_common_queries_find(first, second, &common, &err), GRADUS_OK);
        assert_int_equal(common.queries, 2); /* of the third half, the fourth is of three queries */
        assert_int_equal(common.whole, 1);
        assert_int_equal(common.documents, 4);
        gradus_dataset_free(first);
        gradus_dataset_free(second);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_within),
        cmocka_unit_test(test_common_documents),
        cmocka_unit_test(test_between),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
