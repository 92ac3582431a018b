/* SPDX-License-Identifier: Apache-2.0 */
/* Feature transforms against scikit-learn and plain loops, dense and sparse. */
#include "random_sets.h"

#include "data/subset.h"
#include "data/transform.h"

typedef struct notes {
    int count;
    char last[512];
} notes;

static void keep_note(void *user, const char *note)
{
    notes *n = user;

    n->count++;
    snprintf(n->last, sizeof n->last, "%s", note);
}

static gradus_dataset *transformed(gradus_context *context, const gradus_dataset *data,
                                   const char *kind, bool keep_zeros)
{
    gradus_options *options = gr_options_new(&gr_operation_transform, NULL);
    gradus_error err = { GRADUS_OK, "" };
    gradus_dataset *copy;

    assert_int_equal(gr_options_set(options, "transform", kind, &err), GRADUS_OK);
    if (keep_zeros)
        assert_int_equal(gr_options_set(options, "keep-zeros", "true", &err), GRADUS_OK);
    copy = gradus_dataset_transform(context, data, options, &err);
    if (!copy)
        fail_msg("%s", err.message);
    gr_options_free(options);
    return copy;
}

static const float worked[] = { 1.5f, -2.385f, 2.25f, NAN, 7.0f, 0.093f, -3.125f, 11.25f };
static const float labels[] = { 0.0f, 1.0f, 2.0f, 3.0f };
static const uint64_t starts[] = { 0, 3, 4 };
static const gradus_arrays worked_arrays = { .rows = 4,
                                             .features = 2,
                                             .values = worked,
                                             .stride = 2,
                                             .labels = labels,
                                             .queries = 2,
                                             .query_starts = starts };

static void gives(const char *kind, const double wanted[8])
{
    gradus_dataset *data = gradus_dataset_borrow(&worked_arrays, NULL);
    gradus_dataset *copy = transformed(NULL, data, kind, false);

    for (size_t i = 0; i < 8; i++)
        CHECK_NEAR((double)gr_dataset_value(copy, i / 2, i % 2), wanted[i], 6e-8);
    assert_memory_equal(copy->arrays.labels, labels, sizeof labels);
    assert_int_equal(copy->arrays.queries, 2);
    gradus_dataset_free(copy);
    gradus_dataset_free(data);
}

/* sklearn 1.2: MinMaxScaler().fit_transform([[1.5, -2.385], [2.25, nan], [7, 0.093],
 * [-3.125, 11.25]]) */
static void test_minmax_agrees_with_sklearn(void **state)
{
    const double wanted[] = { 0.456790123457, 0, 0.530864197531, NAN, 1, 0.181738173817, 0, 1 };

    (void)state;
    gives("minmax", wanted);
}

/* sklearn 1.2: StandardScaler().fit_transform of the same */
static void test_standardise_agrees_with_sklearn(void **state)
{
    const double wanted[] = { -0.113171912476, -0.905664512227, 0.095760849018,  NAN,
                              1.41900167181,   -0.48782115693,  -1.401590608352, 1.393485669157 };

    (void)state;
    gives("standardise", wanted);
}

/* (2.25 - 1.5) / 5.5; a query of one row is constant */
static void test_query_rescales_each_query_by_itself(void **state)
{
    const double wanted[] = { 0, 0, 0.13636363636363635, NAN, 1, 1, 0, 0 };

    (void)state;
    gives("query", wanted);
}

static void test_what_is_not_finite_stays(void **state)
{
    const float values[] = { INFINITY, 4.0f, -INFINITY, 4.0f, 1.0f, NAN, 3.0f, 4.0f };
    gradus_arrays arrays = worked_arrays;
    gradus_dataset *data, *copy;

    (void)state;
    arrays.values = values;
    data = gradus_dataset_borrow(&arrays, NULL);
    copy = transformed(NULL, data, "minmax", false);
    CHECK_NEAR((double)gr_dataset_value(copy, 0, 0), (double)INFINITY, 0.0);
    CHECK_NEAR((double)gr_dataset_value(copy, 1, 0), (double)-INFINITY, 0.0);
    CHECK_NEAR((double)gr_dataset_value(copy, 2, 0), 0.0, 0.0);
    CHECK_NEAR((double)gr_dataset_value(copy, 3, 0), 1.0, 0.0);
    CHECK_NEAR((double)gr_dataset_value(copy, 0, 1), 0.0, 0.0); /* constant */
    assert_true(isnan(gr_dataset_value(copy, 2, 1)));
    gradus_dataset_free(copy);
    gradus_dataset_free(data);
}

/* The naive way, one feature of some rows at a time. */
static void brute_force(const gradus_dataset *data, const char *kind, bool keep_zeros, size_t from,
                        size_t to, size_t f, double *out)
{
    double low = INFINITY, high = -INFINITY, count = 0, sum = 0, squares = 0, shift, unit;

    for (size_t r = from; r < to; r++) {
        const double x = (double)gr_dataset_value(data, r, f);

        if (isfinite(x)) {
            low = x < low ? x : low;
            high = x > high ? x : high;
            sum += x;
            count++;
        }
    }
    for (size_t r = from; r < to; r++) {
        const double d = (double)gr_dataset_value(data, r, f) - sum / count;

        squares += isfinite(d) ? d * d : 0.0;
    }
    shift = kind[0] == 's' ? sum / count : low;
    unit = kind[0] == 's' ? sqrt(squares / count) : high - low;
    for (size_t r = from; r < to; r++) {
        const double x = (double)gr_dataset_value(data, r, f);

        out[r] = !isfinite(x) ? x : !(low < high) ? 0.0 : (x - (keep_zeros ? 0.0 : shift)) / unit;
    }
}

static void agrees_with_brute_force(gradus_context *context, const gradus_dataset *data,
                                    const char *kind, bool keep_zeros)
{
    const gradus_arrays *a = &data->arrays;
    gradus_dataset *copy = transformed(context, data, kind, keep_zeros);
    double *wanted = calloc(a->rows, sizeof *wanted);

    assert_int_equal(gr_dataset_is_dense(copy), gr_dataset_is_dense(data) || !keep_zeros);
    for (size_t f = 0; f < a->features; f++) {
        if (kind[0] == 'q')
            for (size_t q = 0; q < a->queries; q++)
                brute_force(data, kind, keep_zeros, (size_t)a->query_starts[q],
                            (size_t)a->query_starts[q + 1], f, wanted);
        else
            brute_force(data, kind, keep_zeros, 0, a->rows, f, wanted);
        for (size_t r = 0; r < a->rows; r++)
            CHECK_NEAR((double)gr_dataset_value(copy, r, f), wanted[r],
                       2e-7 * (1.0 + fabs(wanted[r])));
    }
    assert_same_part(data, copy, GR_LABELS);
    assert_same_part(data, copy, GR_DOCUMENT_BYTES);
    assert_same_part(data, copy, GR_FILE_ROWS);
    gradus_dataset_free(copy);
    free(wanted);
}

static void test_transforms_agree_with_the_plain_way(void **state)
{
    static const char *const names[] = { "minmax", "query", "standardise" };
    const set_kind kinds[] = {
        { 3000, 6, 400, .first_id = 1, .documents = true, .scattered = true },
        { 3000, 6, 400, .first_id = 1, .sparse = true, .documents = true, .scattered = true },
    };
    gradus_context *context = gradus_context_new(3, NULL);

    (void)state;
    for (size_t k = 0; k < 2; k++) {
        gradus_dataset *data = random_set(&kinds[k], 4);
        const gr_part part = k ? GR_ENTRIES : GR_VALUES;
        float *numbers = data->owned[part].at;

        for (uint64_t i = 0; i < gr_part_count(data, part); i++)
            if (fabsf(numbers[i]) > 1e30f && isfinite(numbers[i]))
                numbers[i] = -1e4f; /* otherwise all others vanish beside it */
        for (size_t n = 0; n < 3; n++) {
            agrees_with_brute_force(context, data, names[n], false);
            agrees_with_brute_force(context, data, names[n], true);
        }
        gradus_dataset_free(data);
    }
    gradus_context_free(context);
}

static void test_bits_do_not_depend_on_threads(void **state)
{
    static const char *const names[] = { "minmax", "query", "standardise" };
    const set_kind kinds[] = { { 9000, 5, 300, .first_id = 1 },
                               { 9000, 20, 300, .first_id = 1, .sparse = true } };
    gradus_context *context = gradus_context_new(4, NULL);

    (void)state;
    for (size_t k = 0; k < 2; k++)
        for (size_t n = 0; n < 3; n++) {
            gradus_dataset *data = random_set(&kinds[k], 9);
            gradus_dataset *one = transformed(NULL, data, names[n], false);
            gradus_dataset *four = transformed(context, data, names[n], false);

            assert_same_set(one, four);
            gradus_dataset_free(one);
            gradus_dataset_free(four);
            gradus_dataset_free(data);
        }
    gradus_context_free(context);
}

static void test_sparse_rows_stay_sparse_if_zeros_stay(void **state)
{
    const uint64_t row_starts[] = { 0, 1, 3, 3, 4 };
    const uint32_t columns[] = { 1, 0, 1, 1 };
    const float entries[] = { 4.0f, 5.0f, 8.0f, 2.0f };
    gradus_arrays arrays = worked_arrays;
    gradus_context *context = gradus_context_new(1, NULL);
    notes heard = { 0 };
    gradus_dataset *data, *copy;

    (void)state;
    arrays.values = NULL;
    arrays.row_starts = row_starts;
    arrays.columns = columns;
    arrays.entries = entries;
    data = gradus_dataset_borrow(&arrays, NULL);
    gradus_context_on_note(context, keep_note, &heard);
    copy = transformed(context, data, "minmax", false);
    assert_int_equal(heard.count, 0);
    assert_false(gr_dataset_is_dense(copy));
    CHECK_NEAR((double)gr_dataset_value(copy, 0, 1), 0.5, 0.0);
    CHECK_NEAR((double)gr_dataset_value(copy, 1, 0), 1.0, 0.0);
    CHECK_NEAR((double)gr_dataset_value(copy, 3, 1), 0.25, 0.0);
    gradus_dataset_free(copy);
    copy = transformed(context, data, "standardise", false);
    assert_int_equal(heard.count, 1);
    assert_string_equal(heard.last,
                        "transform 'standardise' makes zeros nonzero: sparse rows become dense "
                        "(0 MB); use 'keep-zeros' to scale without shifting");
    assert_true(gr_dataset_is_dense(copy));
    gradus_dataset_free(copy);
    gradus_dataset_free(data);
    gradus_context_free(context);
}

/* Rows with at most one entry: 16 TB if they were dense. */
static void test_a_dense_copy_that_cannot_fit_is_refused(void **state)
{
    enum { ROWS = 2000000, FEATURES = 2000000 };
    uint64_t *row_starts = calloc(ROWS + 1, sizeof *row_starts);
    float *many_labels = calloc(ROWS, sizeof *many_labels);
    const uint32_t column = FEATURES - 1;
    const float entry = 1.5f;
    const gradus_arrays arrays = { .rows = ROWS,
                                   .features = FEATURES,
                                   .row_starts = row_starts,
                                   .columns = &column,
                                   .entries = &entry,
                                   .labels = many_labels };
    gr_transform_options options = { .kind = 3 }; /* standardise */
    gradus_error err = { GRADUS_OK, "" };
    gradus_dataset *data, *copy;

    (void)state;
    for (size_t r = 1; r <= ROWS; r++)
        row_starts[r] = 1;
    data = gradus_dataset_borrow(&arrays, NULL);
    assert_null(gr_dataset_transform(NULL, data, &options, &err));
    assert_int_equal(err.status, GRADUS_NO_MEMORY);
    assert_non_null(strstr(err.message, "16000000 MB; use 'keep-zeros'"));
    options.keep_zeros = true;
    copy = gr_dataset_transform(NULL, data, &options, &err);
    /* one 1.5 among n: deviation 1.5 sqrt(n - 1) / n */
    CHECK_NEAR((double)copy->arrays.entries[0], 2e6 / sqrt(1999999.0), 1.3e-4);
    gradus_dataset_free(copy);
    gradus_dataset_free(data);
    free(row_starts);
    free(many_labels);
}

static void test_a_transform_of_other_features_is_refused(void **state)
{
    const gr_fitted_transform fitted = { &gr_transform_query, 3, false, NULL, NULL };
    gradus_dataset *data = gradus_dataset_borrow(&worked_arrays, NULL);
    gradus_error err = { GRADUS_OK, "" };

    (void)state;
    assert_null(gr_transform_apply(NULL, &fitted, data, &err));
    assert_string_equal(err.message,
                        "transform 'query' was fitted to 3 features, but the data have 2");
    gradus_dataset_free(data);
}

static void test_none_is_a_copy(void **state)
{
    const set_kind kind = { 50, 6, 7, .first_id = 0, .sparse = true, .scattered = true };
    gradus_dataset *data = random_set(&kind, 2), *copy = transformed(NULL, data, "none", false);

    (void)state;
    assert_same_set(data, copy);
    gradus_dataset_free(copy);
    gradus_dataset_free(data);
}

static void test_a_fitted_transform_applies_to_other_rows(void **state)
{
    const float other[] = { -3.125f, 11.25f, 17.125f, NAN };
    gradus_dataset *data = gradus_dataset_borrow(&worked_arrays, NULL);
    gr_fitted_transform fitted;
    float rows[4];

    (void)state;
    memcpy(rows, other, sizeof rows);
    assert_int_equal(gr_transform_fit(&gr_transform_minmax, data, false, NULL, &fitted, NULL),
                     GRADUS_OK);
    gr_transform_rows(&fitted, rows, 2, 2, NULL);
    CHECK_NEAR((double)rows[0], 0.0, 0.0);
    CHECK_NEAR((double)rows[1], 1.0, 0.0);
    CHECK_NEAR((double)rows[2], 2.0, 0.0);
    assert_true(isnan(rows[3]));
    gr_fitted_transform_free(&fitted);
    gradus_dataset_free(data);
}

static void test_catalogue_has_every_transform_once(void **state)
{
    size_t count = 0;

    (void)state;
    for (; gr_transform_at(count); count++) {
        assert_true(gr_transform_at(count)->summary[0] && gr_transform_at(count)->details[0]);
        for (size_t other = 0; other < count; other++)
            assert_string_not_equal(gr_transform_at(other)->name, gr_transform_at(count)->name);
    }
    assert_int_equal(count, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_minmax_agrees_with_sklearn),
        cmocka_unit_test(test_standardise_agrees_with_sklearn),
        cmocka_unit_test(test_query_rescales_each_query_by_itself),
        cmocka_unit_test(test_what_is_not_finite_stays),
        cmocka_unit_test(test_transforms_agree_with_the_plain_way),
        cmocka_unit_test(test_bits_do_not_depend_on_threads),
        cmocka_unit_test(test_sparse_rows_stay_sparse_if_zeros_stay),
        cmocka_unit_test(test_a_dense_copy_that_cannot_fit_is_refused),
        cmocka_unit_test(test_a_transform_of_other_features_is_refused),
        cmocka_unit_test(test_none_is_a_copy),
        cmocka_unit_test(test_a_fitted_transform_applies_to_other_rows),
        cmocka_unit_test(test_catalogue_has_every_transform_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
