/* SPDX-License-Identifier: Apache-2.0 */
/* Names in the caller's arrays, and copies of arrays, whose rows are grouped by query ids. */
#include "failing_alloc.h"
#include "notes.h"
#include "random_sets.h"

static const float values[] = { 1, 2, -9, 3, 4, -9, 5, 6, -9, 7, 8, -9, 9, 10, -9 };
static const float labels[] = { 0, 1, 2, 3, 4 };
static const uint64_t starts[] = { 0, 1, 5 }, two_names[] = { 0, 5, 12 };
static const uint64_t five_names[] = { 0, 2, 4, 5, 7, 9 };
static const char five_bytes[] = "a\0b\0\0d\0e"; /* the third is empty */
static const gradus_arrays named = { .rows = 5,
                                     .features = 2,
                                     .values = values,
                                     .stride = 3,
                                     .labels = labels,
                                     .queries = 2,
                                     .query_starts = starts,
                                     .feature_names = { "bm25\0length", two_names },
                                     .query_names = { "left\0middle", two_names },
                                     .document_names = { five_bytes, five_names } };

#define WITH(base, ...)                                                                            \
    ({                                                                                             \
        gradus_arrays changed = base;                                                              \
        __VA_ARGS__;                                                                               \
        changed;                                                                                   \
    })

static void check_named(gradus_dataset *data)
{
    gradus_error err;
    size_t feature;

    assert_non_null(data);
    assert_string_equal(gradus_dataset_feature_name(data, 1), "length");
    assert_string_equal(gradus_dataset_query_name(data, 1), "middle");
    assert_string_equal(gradus_dataset_document_name(data, 1), "b");
    assert_string_equal(gradus_dataset_document_name(data, 2), "");
    assert_string_equal(gradus_dataset_document_name(data, 4), "e");
    assert_int_equal(gradus_dataset_find_feature(data, "length", &feature, &err), GRADUS_OK);
    assert_int_equal(feature, 1);
    assert_true(gr_dataset_value(data, 4, 1) == 10.0f);
}

static void test_names_are_borrowed_and_returned(void **state)
{
    gradus_dataset *data = gradus_dataset_borrow(&named, NULL);
    gradus_arrays got;

    (void)state;
    check_named(data);
    assert_int_equal(gradus_dataset_arrays(NULL, data, &got, NULL), GRADUS_OK);
    assert_memory_equal(&got, &named, sizeof got);
    gradus_dataset_free(data);
}

/* Of every kind of dataset: borrowing its arrays gives the same dataset. */
static void test_arrays_round_trip(void **state)
{
    gradus_error err = { GRADUS_OK, "" };

    (void)state;
    for (unsigned i = 0; i < 32; i++) {
        const set_kind kind = { .rows = 70,
                                .features = 5,
                                .queries = 9,
                                .first_id = 1,
                                .sparse = i & 1,
                                .query_names = i & 2,
                                .documents = i & 4,
                                .feature_names = i & 8,
                                .row_weights = i & 16,
                                .query_weights = i & 16 };
        gradus_dataset *set = random_set(&kind, i);
        gradus_arrays got, again;

        assert_int_equal(gradus_dataset_arrays(NULL, set, &got, &err), GRADUS_OK);
        gradus_dataset *borrowed = gradus_dataset_borrow(&got, &err);
        gradus_dataset *copied = gradus_dataset_copy(NULL, &got, &err);

        if (!borrowed || !copied)
            fail_msg("%s", err.message);
        assert_same_set(set, borrowed);
        assert_same_set(set, copied);
        assert_int_equal(gradus_dataset_arrays(NULL, copied, &again, &err), GRADUS_OK);
        assert_ptr_not_equal(again.labels, got.labels);
        gradus_dataset_free(copied);
        gradus_dataset_free(borrowed);
        gradus_dataset_free(set);
    }
}

/* The fingerprint of rows with gaps between them is that of the same rows without, also where a row
 * crosses the end of a chunk of 4 MiB. */
static void test_fingerprint_ignores_the_stride(void **state)
{
    enum { ROWS = 400001, FEATURES = 3, STRIDE = 5 };
    float *gaps = calloc((size_t)ROWS * STRIDE, sizeof *gaps);
    float *dense = calloc((size_t)ROWS * FEATURES, sizeof *dense);
    uint64_t of_gaps, of_dense;

    (void)state;
    assert_true(gaps && dense);
    for (size_t r = 0; r < ROWS; r++)
        for (size_t f = 0; f < STRIDE; f++) {
            gaps[r * STRIDE + f] = (float)(r * 7 % 1009 + f * r % 13);
            if (f < FEATURES)
                dense[r * FEATURES + f] = gaps[r * STRIDE + f];
        }
    gradus_arrays arrays = {
        .rows = ROWS, .features = FEATURES, .values = gaps, .stride = STRIDE, .labels = dense
    };
    gradus_dataset *first = gradus_dataset_borrow(&arrays, NULL);

    arrays.values = dense;
    arrays.stride = FEATURES;
    gradus_dataset *second = gradus_dataset_borrow(&arrays, NULL);

    assert_int_equal(gradus_dataset_fingerprint(NULL, first, &of_gaps, NULL), GRADUS_OK);
    assert_int_equal(gradus_dataset_fingerprint(NULL, second, &of_dense, NULL), GRADUS_OK);
    assert_true(of_gaps == of_dense);
    gradus_dataset_free(first);
    gradus_dataset_free(second);
    free(gaps);
    free(dense);
}

static const int64_t ids[] = { 7, INT64_MIN, 7, 7, INT64_MIN };
static const uint64_t id_starts[] = { 0, 2, 5, 7, 9, 12 };
static const char id_bytes[] = "7\0-x\0"
                               "7\0"
                               "7\0-x";

static void check_grouped(const gradus_arrays *arrays, const char *second, const char *note)
{
    static const float wanted[] = { 1, 5, 7, 3, 9 };
    static const size_t wanted_order[] = { 0, 3, 1, 2, 4 };
    static const char *const documents[] = { "a", "", "d", "b", "e" };
    gradus_error err = { GRADUS_OK, "" };
    size_t order[5];
    notes n;

    start_notes(&n);
    gradus_dataset *data = gradus_dataset_copy(&n.context, arrays, &err);

    if (!data)
        fail_msg("%s", err.message);
    assert_string_equal(n.text, note);
    assert_int_equal(gradus_dataset_queries(data), 2);
    assert_true(gradus_dataset_has_queries(data));
    assert_string_equal(gradus_dataset_query_name(data, 0), "7");
    assert_string_equal(gradus_dataset_query_name(data, 1), second);
    assert_int_equal(gradus_dataset_file_order(data, order, &err), GRADUS_OK);
    for (size_t r = 0; r < 5; r++) {
        assert_true(gr_dataset_value(data, r, 0) == wanted[r]);
        assert_string_equal(gradus_dataset_document_name(data, r), documents[r]);
        assert_int_equal(order[r], wanted_order[r]);
    }
    gradus_dataset_free(data);
}

static const char regrouped[] = "the rows of 2 of 2 queries are not contiguous; regrouped\n";

static gradus_arrays grouped_by_ids(void)
{
    return WITH(named, changed.queries = 0; changed.query_starts = NULL;
                changed.query_names = (gradus_names){ NULL, NULL }; changed.row_query_ids = ids);
}

static void test_copies_are_grouped(void **state)
{
    gradus_arrays arrays = grouped_by_ids();

    (void)state;
    check_grouped(&arrays, "-9223372036854775808", regrouped);
    arrays.row_query_ids = NULL;
    arrays.row_query_names = (gradus_names){ id_bytes, id_starts };
    check_grouped(&arrays, "-x", regrouped);
}

static void test_weights_of_grouped_queries(void **state)
{
    static const float weights[] = { 3, 4 }, wrong[] = { 3, -4 };
    gradus_arrays arrays = grouped_by_ids(), got;
    gradus_error err;

    (void)state;
    arrays.query_weights = weights;
    assert_null(gradus_dataset_copy(NULL, &arrays, &err));
    assert_string_equal(err.message,
                        "query_weights with row_query_ids or row_query_names need 'queries'");
    arrays.queries = 3;
    assert_null(gradus_dataset_copy(NULL, &arrays, &err));
    assert_string_equal(err.message, "queries is 3, but the rows have 2");
    arrays.queries = 2;
    gradus_dataset *data = gradus_dataset_copy(NULL, &arrays, &err);
    assert_int_equal(gradus_dataset_arrays(NULL, data, &got, &err), GRADUS_OK);
    assert_memory_equal(got.query_weights, weights, sizeof weights);
    gradus_dataset_free(data);
    arrays.query_weights = wrong;
    assert_null(gradus_dataset_copy(NULL, &arrays, &err));
    assert_string_equal(err.message, "query_weights[1] is -4, not a finite number >= 0");
}

static void test_contiguous_ids_keep_the_order(void **state)
{
    static const int64_t sorted[] = { 9, 9, 4, 4, 4 };
    gradus_arrays arrays = grouped_by_ids();
    gradus_error err = { GRADUS_OK, "" };
    notes n;

    (void)state;
    start_notes(&n);
    arrays.row_query_ids = sorted;
    gradus_dataset *data = gradus_dataset_copy(&n.context, &arrays, &err);
    assert_int_equal(n.count, 0);
    assert_string_equal(gradus_dataset_query_name(data, 0), "9");
    assert_int_equal(data->arrays.query_starts[1], 2);
    gradus_dataset_free(data);
}

static void test_wrong_names_are_refused(void **state)
{
    static const uint64_t late[] = { 1, 5, 12 }, flat[] = { 0, 5, 5 }, high[] = { 0, 20, 12 };
    const gradus_arrays by_ids = grouped_by_ids();
    const struct {
        gradus_arrays arrays;
        bool copied;
        const char *message;
    } rows[] = {
        { WITH(named, changed.feature_names.starts = late), false,
          "feature_names.starts[0] is 1, not 0" },
        { WITH(named, changed.query_names.bytes = NULL), false, "query_names.bytes is NULL" },
        { WITH(named, changed.feature_names.starts = flat), false,
          "feature name offsets: [1] is not a NUL-terminated name" },
        { WITH(named, changed.feature_names.starts = high), false,
          "feature name offsets: [0] is not a NUL-terminated name" },
        { WITH(named, changed.document_names.bytes = "a\0b\0cd\0e"), false,
          "document name offsets: [2] is not a NUL-terminated name" },
        { WITH(named, changed.queries = 0), false, "query_names need queries and query_starts" },
        { by_ids, false,
          "row_query_ids and row_query_names are for gradus_dataset_copy, which groups the rows" },
        { WITH(by_ids, changed.query_starts = starts), true,
          "query_starts and query_names exclude row_query_ids and row_query_names" },
        { WITH(by_ids, changed.row_query_names = named.document_names), true,
          "row_query_ids and row_query_names exclude each other" },
        { WITH(by_ids, changed.row_query_ids = NULL;
               changed.row_query_names = (gradus_names){ NULL, five_names }),
          true, "row_query_names need bytes, and starts that begin with 0" },
        { WITH(by_ids, changed.row_query_ids = NULL;
               changed.row_query_names = (gradus_names){ "a\0b\0cd\0e", five_names }),
          true, "row_query_names: [2] is not a NUL-terminated name" },
        { WITH(by_ids, changed.labels = NULL), true, "a dataset needs rows and their labels" },
        { WITH(by_ids, changed.rows = 0), true, "a dataset needs rows and their labels" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        gradus_error err = { GRADUS_OK, "" };

        assert_null(rows[i].copied ? gradus_dataset_copy(NULL, &rows[i].arrays, &err)
                                   : gradus_dataset_borrow(&rows[i].arrays, &err));
        assert_string_equal(err.message, rows[i].message);
        assert_int_equal(err.status, GRADUS_BAD_ARGUMENT);
        assert_null(rows[i].copied ? gradus_dataset_copy(NULL, &rows[i].arrays, NULL)
                                   : gradus_dataset_borrow(&rows[i].arrays, NULL));
    }
}

/* A slice of sparse rows: the offsets do not start at 0. */
static void test_slices_of_sparse_rows(void **state)
{
    static const uint64_t row_starts[] = { 2, 3, 3, 5, 5, 6 };
    static const uint32_t columns[] = { 0, 0, 1, 0, 1, 0 };
    static const float wanted[5][2] = { { 0, -9 }, { 0, 0 }, { 3, 4 }, { 0, 0 }, { -9, 0 } };
    const gradus_arrays slice = WITH(named, changed.values = NULL; changed.row_starts = row_starts;
                                     changed.columns = columns; changed.entries = values);
    gradus_error err = { GRADUS_OK, "" };
    gradus_dataset *sets[3] = { gradus_dataset_borrow(&slice, &err),
                                gradus_dataset_copy(NULL, &slice, &err), NULL };

    (void)state;
    sets[2] = gradus_dataset_join(NULL, (const gradus_dataset *const *)sets, 1, &err);
    for (size_t i = 0; i < 3; i++) {
        if (!sets[i])
            fail_msg("%zu: %s", i, err.message);
        for (size_t r = 0; r < 5; r++)
            for (size_t f = 0; f < 2; f++)
                assert_true(gr_dataset_value(sets[i], r, f) == wanted[r][f]);
    }
    for (size_t i = 0; i < 3; i++)
        gradus_dataset_free(sets[i]);
}

/* Queries without ids stay apart, and weights and names are kept. */
static void test_join_of_arrays(void **state)
{
    static const float numbers[] = { 1, 2, 3, 4 }, grades[] = { 0, 1, 0, 2 }, weights[] = { 2, 3 };
    static const uint64_t query_starts[] = { 0, 1, 4 }, name_starts[] = { 0, 2, 4 };
    const gradus_arrays plain = { .rows = 4,
                                  .features = 1,
                                  .stride = 1,
                                  .values = numbers,
                                  .labels = grades,
                                  .queries = 2,
                                  .query_starts = query_starts };
    const gradus_arrays weighted =
        WITH(plain, changed.query_weights = weights; changed.feature_names.bytes = "f";
             changed.feature_names.starts = name_starts);
    const gradus_arrays with_ids = WITH(weighted, changed.query_names.bytes = "a\0b";
                                        changed.query_names.starts = name_starts);
    const gradus_arrays other = WITH(with_ids, changed.query_weights = NULL);
    const gradus_arrays alone = WITH(plain, changed.queries = 0; changed.query_starts = NULL);
    gradus_error err = { GRADUS_OK, "" };
    gradus_arrays got;
    const struct {
        const gradus_arrays *sets[2];
        size_t queries; /* 0: refused */
        float weight;   /* of the last query; 0: none */
        const char *name, *feature;
    } rows[] = {
        { { &plain, &plain }, 4, 0, "4", "" },        { { &plain, &weighted }, 4, 3, "4", "" },
        { { &weighted, &weighted }, 4, 3, "4", "f" }, { { &with_ids, &with_ids }, 2, 3, "b", "f" },
        { { &other, &other }, 2, 0, "b", "f" },       { { &with_ids, &other }, 0, 0, "", "" },
        { { &with_ids, &plain }, 0, 0, "", "" },      { { &plain, &alone }, 0, 0, "", "" },
        { { &alone, &alone }, 1, 0, "", "" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        gradus_dataset *sets[2] = { gradus_dataset_borrow(rows[i].sets[0], &err),
                                    gradus_dataset_borrow(rows[i].sets[1], &err) };
        gradus_dataset *both =
            gradus_dataset_join(NULL, (const gradus_dataset *const *)sets, 2, &err);

        if (!both != !rows[i].queries)
            fail_msg("%zu: %s", i, err.message);
        if (both) {
            const size_t queries = gradus_dataset_queries(both);

            assert_int_equal(queries, rows[i].queries);
            assert_int_equal(gradus_dataset_arrays(NULL, both, &got, NULL), GRADUS_OK);
            assert_int_equal(got.rows, 8);
            assert_true((got.query_weights ? got.query_weights[queries - 1] : 0) == rows[i].weight);
            assert_string_equal(gradus_dataset_query_name(both, queries - 1), rows[i].name);
            assert_string_equal(gradus_dataset_feature_name(both, 0), rows[i].feature);
        }
        gradus_dataset_free(both);
        gradus_dataset_free(sets[0]);
        gradus_dataset_free(sets[1]);
    }
}

/* Rows of scattered queries keep their place in the input of their set. */
static void test_join_keeps_the_order_of_the_input(void **state)
{
    static const float numbers[] = { 1, 2, 3, 4, 5 };
    static const int64_t first_ids[] = { 7, 8, 7, 9, 8 }, second_ids[] = { 9, 9, 7, 5, 5 };
    const gradus_arrays first = { .rows = 5,
                                  .features = 1,
                                  .stride = 1,
                                  .values = numbers,
                                  .labels = numbers,
                                  .row_query_ids = first_ids };
    const gradus_arrays second = WITH(first, changed.row_query_ids = second_ids);
    const gradus_arrays *const cases[][2] = {
        { &first, &first }, { &first, &second }, { &second, &first }, { &second, &second }
    };
    gradus_error err = { GRADUS_OK, "" };
    gradus_arrays got;
    size_t order[10];

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        gradus_dataset *sets[2] = { gradus_dataset_copy(NULL, cases[i][0], &err),
                                    gradus_dataset_copy(NULL, cases[i][1], &err) };
        gradus_dataset *both =
            gradus_dataset_join(NULL, (const gradus_dataset *const *)sets, 2, &err);

        if (!both)
            fail_msg("%zu: %s", i, err.message);
        assert_int_equal(gradus_dataset_arrays(NULL, both, &got, NULL), GRADUS_OK);
        assert_int_equal(gradus_dataset_file_order(both, order, NULL), GRADUS_OK);
        for (size_t r = 0; r < 10; r++)
            assert_true(got.labels[order[r]] == numbers[r % 5]);
        gradus_dataset_free(both);
        gradus_dataset_free(sets[0]);
        gradus_dataset_free(sets[1]);
    }
}

static gradus_status copy_once(gradus_error *err)
{
    const gradus_arrays arrays = grouped_by_ids();
    gradus_dataset *data = gradus_dataset_copy(NULL, &arrays, err);

    gradus_dataset_free(data);
    return data ? GRADUS_OK : err->status;
}

static void test_exhausted_memory(void **state)
{
    (void)state;
    assert_true(exhaust("copy arrays", copy_once) > 8);
}

static void test_memory_limit(void **state)
{
    const gradus_arrays arrays = grouped_by_ids();
    gradus_error err = { GRADUS_OK, "" };
    gradus_context context = { .max_memory = 50 };

    (void)state;
    assert_null(gradus_dataset_copy(&context, &arrays, &err));
    assert_int_equal(err.status, GRADUS_NO_MEMORY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_are_borrowed_and_returned),
        cmocka_unit_test(test_arrays_round_trip),
        cmocka_unit_test(test_fingerprint_ignores_the_stride),
        cmocka_unit_test(test_copies_are_grouped),
        cmocka_unit_test(test_weights_of_grouped_queries),
        cmocka_unit_test(test_contiguous_ids_keep_the_order),
        cmocka_unit_test(test_wrong_names_are_refused),
        cmocka_unit_test(test_slices_of_sparse_rows),
        cmocka_unit_test(test_join_of_arrays),
        cmocka_unit_test(test_join_keeps_the_order_of_the_input),
        cmocka_unit_test(test_exhausted_memory),
        cmocka_unit_test(test_memory_limit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
