/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptions of datasets and overlaps between two, against brute force. */
#include "random_sets.h"

/* ---- Datasets ---- */

/* Four features: 0 constant 3, 1 arbitrary, 2 all zero, 3 like 1, with a missing value. */
static const float values[] = {
    3, 1,   0, 1,     /* query 1 */
    3, 2.5, 0, 2.5,   /* */
    3, NAN, 0, NAN,   /* query 2 */
    3, 0,   0, -0.0f, /* */
    3, 7,   0, 7,     /* query 3 */
    3, 7,   0, 7,     /* */
    3, 1,   0, 1,     /* */
};
static const float labels[] = { 0, 2, 0, 0, 1, 1, 1 };
static const uint64_t starts[] = { 0, 2, 4, 7 };

static gradus_dataset *borrow_dense(void)
{
    const gradus_arrays arrays = { .rows = 7,
                                   .features = 4,
                                   .values = values,
                                   .stride = 4,
                                   .labels = labels,
                                   .queries = 3,
                                   .query_starts = starts };

    return gradus_dataset_borrow(&arrays, NULL);
}

/* A sparse copy of a dense dataset; every seventh zero is written out. */
static gradus_dataset *make_sparse(const gradus_dataset *dense)
{
    const gradus_arrays *a = &dense->arrays;
    gradus_dataset *data = gr_dataset_new(NULL);
    size_t used = 0, zeros = 0;

    data->arrays.rows = a->rows;
    data->arrays.features = a->features;
    data->arrays.queries = a->queries;
    gr_dataset_reserve(data, GR_ROW_STARTS, a->rows + 1, 8, NULL);
    gr_dataset_reserve(data, GR_COLUMNS, a->rows * a->features, 4, NULL);
    gr_dataset_reserve(data, GR_ENTRIES, a->rows * a->features, 4, NULL);
    gr_dataset_reserve(data, GR_LABELS, a->rows, 4, NULL);
    gr_dataset_reserve(data, GR_QUERY_STARTS, a->queries + 1, 8, NULL);
    memcpy(data->owned[GR_LABELS].at, a->labels, a->rows * 4);
    memcpy(data->owned[GR_QUERY_STARTS].at, a->query_starts, (a->queries + 1) * 8);
    ((uint64_t *)data->owned[GR_ROW_STARTS].at)[0] = 0;
    for (size_t r = 0; r < a->rows; r++) {
        for (size_t f = 0; f < a->features; f++) {
            const float value = a->values[r * a->stride + f];

            if (value == 0.0f && ++zeros % 7 != 0)
                continue;
            ((uint32_t *)data->owned[GR_COLUMNS].at)[used] = (uint32_t)f;
            ((float *)data->owned[GR_ENTRIES].at)[used++] = value;
        }
        ((uint64_t *)data->owned[GR_ROW_STARTS].at)[r + 1] = used;
    }
    gr_dataset_adopt(data);
    return data;
}

/* Few distinct values, so that columns and rows often coincide. */
static gradus_dataset *make_coarse(size_t rows, size_t features, uint64_t seed)
{
    static const float few[] = { 0, 0, 1, -0.0f, 2, NAN };
    const set_kind kind = { .rows = rows, .features = features, .queries = rows / 3 };
    gradus_dataset *data = random_set(&kind, seed);
    gr_rng rng = gr_rng_for(seed, "coarse", 0);
    float *at = data->owned[GR_VALUES].at;
    const uint64_t distinct = 2 + gr_rng_below(&rng, 5);

    for (size_t i = 0; i < rows * features; i++)
        at[i] = few[gr_rng_below(&rng, distinct)];
    for (size_t f = 1; f < features; f++) /* a third of the columns copy an earlier one */
        if (gr_rng_below(&rng, 3) == 0) {
            const size_t of = (size_t)gr_rng_below(&rng, f);

            for (size_t r = 0; r < rows; r++)
                at[r * features + f] = at[r * features + of];
        }
    return data;
}

/* ---- Describe ---- */

static void check_worked(const gradus_description *d)
{
    assert_int_equal(d->rows, 7);
    assert_int_equal(d->features, 4);
    assert_int_equal(d->queries, 3);
    assert_true(d->has_queries);
    assert_false(d->has_documents);
    assert_int_equal(d->documents_min, 2);
    assert_int_equal(d->documents_max, 3);
    CHECK_NEAR(d->documents_median, 2.0, 0.0);
    assert_int_equal(d->labels, 3);
    for (int i = 0; i < 3; i++)
        CHECK_NEAR(d->label_values[i], i, 0.0);
    assert_int_equal(d->label_rows[0], 3);
    assert_int_equal(d->label_rows[1], 3);
    assert_int_equal(d->label_rows[2], 1);
    CHECK_NEAR(d->label_min, 0.0, 0.0);
    CHECK_NEAR(d->label_max, 2.0, 0.0);
    CHECK_NEAR(d->label_mean, 5.0 / 7.0, 1e-15);
    assert_true(d->graded);
    assert_int_equal(d->missing, 2);
    assert_int_equal(d->entries, 7 + 5 + 5);
    CHECK_NEAR(d->density, 17.0 / 28.0, 1e-15);
    assert_int_equal(d->constants, 2);
    assert_int_equal(d->constant_features[0], 0);
    assert_int_equal(d->constant_features[1], 2);
    assert_int_equal(d->duplicates, 1);
    assert_int_equal(d->duplicate_features[0], 3);
    assert_int_equal(d->duplicate_of[0], 1);
    assert_int_equal(d->queries_without_relevant, 1);
    assert_int_equal(d->queries_with_one_label, 2);
    assert_int_equal(d->histogram_bins, 2);
    assert_int_equal(d->histogram_edges[0], 2);
    assert_int_equal(d->histogram_edges[1], 3);
    assert_int_equal(d->histogram_edges[2], 4);
    assert_int_equal(d->histogram[0], 2);
    assert_int_equal(d->histogram[1], 1);
}

static void test_describes_the_worked_example(void **state)
{
    gradus_dataset *dense = borrow_dense(), *sparse = make_sparse(dense);
    gradus_description *first = gradus_describe(NULL, dense, NULL);
    gradus_description *second = gradus_describe(NULL, sparse, NULL);

    (void)state;
    check_worked(first);
    check_worked(second);
    assert_false(first->sparse);
    assert_true(second->sparse);
    gradus_description_free(second);
    gradus_description_free(first);
    gradus_dataset_free(sparse);
    gradus_dataset_free(dense);
}

static bool same_value(float a, float b)
{
    return a == b || (isnan(a) && isnan(b));
}

static bool same_columns(const gradus_dataset *data, size_t f, size_t g)
{
    for (size_t r = 0; r < data->arrays.rows; r++)
        if (!same_value(gr_dataset_value(data, r, f), gr_dataset_value(data, r, g)))
            return false;
    return true;
}

static bool constant_column(const gradus_dataset *data, size_t f)
{
    for (size_t r = 1; r < data->arrays.rows; r++)
        if (!same_value(gr_dataset_value(data, r, f), gr_dataset_value(data, 0, f)))
            return false;
    return true;
}

/* Compares every pair of columns. */
static void check_columns(const gradus_dataset *data, const gradus_description *d)
{
    size_t constants = 0, duplicates = 0;

    for (size_t f = 0; f < d->features; f++) {
        if (constant_column(data, f)) {
            assert_true(constants < d->constants);
            assert_int_equal(d->constant_features[constants++], f);
            continue;
        }
        for (size_t g = 0; g < f; g++)
            if (same_columns(data, f, g)) {
                assert_true(duplicates < d->duplicates);
                assert_int_equal(d->duplicate_features[duplicates], f);
                assert_int_equal(d->duplicate_of[duplicates++], g);
                break;
            }
    }
    assert_int_equal(constants, d->constants);
    assert_int_equal(duplicates, d->duplicates);
}

static void assert_same_description(const gradus_description *a, const gradus_description *b)
{
    assert_int_equal(a->entries, b->entries);
    assert_int_equal(a->missing, b->missing);
    assert_int_equal(a->labels, b->labels);
    assert_int_equal(a->constants, b->constants);
    assert_int_equal(a->duplicates, b->duplicates);
    assert_memory_equal(a->constant_features, b->constant_features,
                        a->constants * sizeof *a->constant_features);
    assert_memory_equal(a->duplicate_features, b->duplicate_features,
                        a->duplicates * sizeof *a->duplicate_features);
    assert_memory_equal(a->duplicate_of, b->duplicate_of, a->duplicates * sizeof *a->duplicate_of);
    assert_memory_equal(a->histogram, b->histogram, sizeof a->histogram);
}

static void test_columns_are_those_of_brute_force(void **state)
{
    gradus_context *four = gradus_context_new(4, NULL);

    (void)state;
    for (uint64_t seed = 0; seed < 60; seed++) {
        gradus_dataset *dense = make_coarse(3 + seed % 50, 1 + seed % 13, seed);
        gradus_dataset *sparse = make_sparse(dense);
        gradus_description *d = gradus_describe(NULL, dense, NULL);
        gradus_description *threaded = gradus_describe(four, dense, NULL);
        gradus_description *s = gradus_describe(NULL, sparse, NULL);
        gradus_description *s_threaded = gradus_describe(four, sparse, NULL);

        check_columns(dense, d);
        assert_same_description(d, threaded);
        assert_same_description(d, s);
        assert_same_description(d, s_threaded);
        gradus_description_free(s_threaded);
        gradus_description_free(s);
        gradus_description_free(threaded);
        gradus_description_free(d);
        gradus_dataset_free(sparse);
        gradus_dataset_free(dense);
    }
    gradus_context_free(four);
}

static gradus_description *describe_labels(const float *of, size_t rows)
{
    const gradus_arrays arrays = {
        .rows = rows, .features = 1, .values = of, .stride = 1, .labels = of
    };
    gradus_dataset *data = gradus_dataset_borrow(&arrays, NULL);
    gradus_description *d = gradus_describe(NULL, data, NULL);

    assert_non_null(d);
    gradus_dataset_free(data);
    return d;
}

static void test_labels_are_listed_or_counted(void **state)
{
    float *many = malloc(5000 * sizeof *many);
    gradus_description *d;

    (void)state;
    for (size_t i = 0; i < 5000; i++)
        many[i] =
            (float)(i * 7 % 1000) - 3.0f; /* 1000 distinct labels: the maximum that is listed */
    d = describe_labels(many, 5000);
    assert_int_equal(d->labels, 1000);
    assert_false(d->graded);
    assert_false(d->has_queries);
    for (size_t i = 0; i < 1000; i++) {
        CHECK_NEAR(d->label_values[i], (double)i - 3.0, 0.0);
        assert_int_equal(d->label_rows[i], 5);
    }
    gradus_description_free(d);
    many[4999] = 0.5f;
    d = describe_labels(many, 5000);
    assert_int_equal(d->labels, 1001);
    assert_null(d->label_values);
    assert_null(d->label_rows);
    CHECK_NEAR(d->label_min, -3.0, 0.0);
    CHECK_NEAR(d->label_max, 996.0, 0.0);
    gradus_description_free(d);
    for (size_t i = 0; i < 5000; i++)
        many[i] = (float)(i % 3000) / 7.0f;
    d = describe_labels(many, 5000);
    assert_int_equal(d->labels, 3000);
    gradus_description_free(d);
    many[0] = -0.0f; /* one more label, with 0 */
    many[1] = 0.0f;
    many[2] = 0.25f;
    d = describe_labels(many, 3);
    assert_int_equal(d->labels, 2);
    assert_int_equal(d->label_rows[0], 2);
    assert_int_equal(d->queries_without_relevant, 0);
    gradus_description_free(d);
    free(many);
}

/* Queries of the given sizes. */
static gradus_description *describe_sizes(const size_t *sizes, size_t queries)
{
    uint64_t *offsets = calloc(queries + 1, sizeof *offsets);
    float *zeros;
    gradus_arrays arrays = { .features = 1, .stride = 1, .queries = queries };

    for (size_t q = 0; q < queries; q++)
        offsets[q + 1] = offsets[q] + sizes[q];
    zeros = calloc(offsets[queries], sizeof *zeros);
    arrays.rows = offsets[queries];
    arrays.values = arrays.labels = zeros;
    arrays.query_starts = offsets;
    gradus_dataset *data = gradus_dataset_borrow(&arrays, NULL);
    gradus_description *d = gradus_describe(NULL, data, NULL);

    assert_non_null(d);
    gradus_dataset_free(data);
    free(zeros);
    free(offsets);
    return d;
}

static void check_edges(const gradus_description *d, const size_t *edges, size_t bins)
{
    assert_int_equal(d->histogram_bins, bins);
    for (size_t b = 0; b <= bins; b++)
        assert_int_equal(d->histogram_edges[b], edges[b]);
}

static void test_histogram_has_sensible_edges(void **state)
{
    static const size_t alike[] = { 50, 50, 50 };
    static const size_t narrow[] = { 60, 61, 97, 88, 75, 120 };
    static const size_t skewed[] = { 1, 12, 14, 9, 700, 13 };
    static const size_t wide[] = { 1, 1, 1, 600000 };
    gradus_description *d;

    (void)state;
    d = describe_sizes(alike, 3);
    check_edges(d, (const size_t[]){ 50, 51 }, 1);
    assert_int_equal(d->histogram[0], 3);
    CHECK_NEAR(d->documents_median, 50.0, 0.0);
    gradus_description_free(d);
    d = describe_sizes(narrow, 6);
    check_edges(d, (const size_t[]){ 60, 70, 80, 90, 100, 110, 120, 130 }, 7);
    assert_int_equal(d->histogram[0], 2);
    assert_int_equal(d->histogram[1], 1);
    assert_int_equal(d->histogram[6], 1);
    CHECK_NEAR(d->documents_median, 81.5, 0.0);
    gradus_description_free(d);
    d = describe_sizes(skewed, 6);
    check_edges(d, (const size_t[]){ 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000 }, 9);
    assert_int_equal(d->histogram[0], 1);
    assert_int_equal(d->histogram[3], 3);
    assert_int_equal(d->histogram[8], 1);
    CHECK_NEAR(d->documents_median, 12.5, 0.0);
    gradus_description_free(d);
    d = describe_sizes(wide, 4);
    check_edges(d, (const size_t[]){ 1, 10, 100, 1000, 10000, 100000, 1000000 }, 6);
    assert_int_equal(d->histogram[0], 3);
    assert_int_equal(d->histogram[5], 1);
    gradus_description_free(d);
}

static void test_histogram_counts_every_query(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 200; seed++) {
        gr_rng rng = gr_rng_for(seed, "sizes", 0);
        const size_t queries = 1 + (size_t)gr_rng_below(&rng, 20);
        size_t sizes[20], sorted[20], all = 0;

        for (size_t q = 0; q < queries; q++) {
            size_t at = q;

            sizes[q] = 1 + (size_t)exp(8.0 * gr_rng_uniform(&rng));
            for (; at > 0 && sorted[at - 1] > sizes[q]; at--)
                sorted[at] = sorted[at - 1];
            sorted[at] = sizes[q];
        }
        gradus_description *d = describe_sizes(sizes, queries);

        assert_true(d->histogram_bins <= GRADUS_HISTOGRAM_BINS);
        for (size_t b = 0; b < d->histogram_bins; b++) {
            size_t inside = 0;

            for (size_t q = 0; q < queries; q++)
                inside += sizes[q] >= d->histogram_edges[b] && sizes[q] < d->histogram_edges[b + 1];
            assert_int_equal(d->histogram[b], inside);
            all += inside;
        }
        assert_int_equal(all, queries);
        CHECK_NEAR(d->documents_median,
                   (double)(sorted[(queries - 1) / 2] + sorted[queries / 2]) / 2.0, 0.0);
        gradus_description_free(d);
    }
}

/* ---- Overlap ---- */

static bool same_rows(const gradus_dataset *a, size_t r, const gradus_dataset *b, size_t s)
{
    const size_t most =
        a->arrays.features > b->arrays.features ? a->arrays.features : b->arrays.features;

    for (size_t f = 0; f < most; f++) {
        const float x = f < a->arrays.features ? gr_dataset_value(a, r, f) : 0.0f;
        const float y = f < b->arrays.features ? gr_dataset_value(b, s, f) : 0.0f;

        if (!same_value(x, y))
            return false;
    }
    return true;
}

static bool filled(const gradus_dataset *data, size_t f)
{
    for (size_t r = 0; f < data->arrays.features && r < data->arrays.rows; r++)
        if (gr_dataset_value(data, r, f) != 0.0f)
            return true;
    return false;
}

static void check_only(const gradus_dataset *one, const gradus_dataset *other, size_t count,
                       const size_t *features)
{
    size_t found = 0;

    for (size_t f = 0; f < one->arrays.features; f++)
        if (filled(one, f) && !filled(other, f)) {
            assert_true(found < count);
            assert_int_equal(features[found++], f);
        }
    assert_int_equal(found, count);
}

static void check_overlap(const gradus_dataset *a, const gradus_dataset *b,
                          const gradus_overlap *overlap)
{
    size_t rows = 0, labelled = 0;

    for (size_t s = 0; s < b->arrays.rows; s++) {
        bool found = false, with_label = false;

        for (size_t r = 0; r < a->arrays.rows; r++)
            if (same_rows(a, r, b, s)) {
                found = true;
                with_label |= a->arrays.labels[r] == b->arrays.labels[s];
            }
        rows += found;
        labelled += with_label;
    }
    assert_int_equal(overlap->rows, rows);
    assert_int_equal(overlap->labelled_rows, labelled);
    check_only(a, b, overlap->only_first, overlap->only_first_features);
    check_only(b, a, overlap->only_second, overlap->only_second_features);
}

static void test_overlap_is_that_of_brute_force(void **state)
{
    gradus_context *four = gradus_context_new(4, NULL);
    size_t rows = 0, labelled = 0, only = 0;

    (void)state;
    for (uint64_t seed = 0; seed < 80; seed++) {
        gradus_dataset *dense[2], *sparse[2];

        for (uint64_t i = 0; i < 2; i++) {
            dense[i] =
                make_coarse(3 + (seed + 7 * i) % 40, 1 + (seed / 2 + 3 * i) % 7, 2 * seed + i);
            sparse[i] = make_sparse(dense[i]);
        }
        for (int form = 0; form < 4; form++) {
            const gradus_dataset *a = form & 1 ? sparse[0] : dense[0];
            const gradus_dataset *b = form & 2 ? sparse[1] : dense[1];
            gradus_overlap *overlap = gradus_overlap_find(form == 3 ? four : NULL, a, b, NULL);

            check_overlap(a, b, overlap);
            rows += overlap->rows;
            labelled += overlap->labelled_rows;
            only += overlap->only_first + overlap->only_second;
            gradus_overlap_free(overlap);
        }
        for (int i = 0; i < 2; i++) {
            gradus_dataset_free(sparse[i]);
            gradus_dataset_free(dense[i]);
        }
    }
    assert_true(rows > labelled && labelled > 100 && only > 50); /* these cases did occur */
    gradus_context_free(four);
}

/* Identical rows must not make the search slow: it is instant, or takes minutes. */
static void test_overlap_of_equal_rows_is_fast(void **state)
{
    enum { ROWS = 200000 };
    float *ones = malloc(ROWS * sizeof *ones);
    const gradus_arrays arrays = {
        .rows = ROWS, .features = 1, .values = ones, .stride = 1, .labels = ones
    };
    gradus_context *three = gradus_context_new(3, NULL);

    (void)state;
    for (size_t i = 0; i < ROWS; i++)
        ones[i] = 1.0f;
    gradus_dataset *data = gradus_dataset_borrow(&arrays, NULL);
    gradus_overlap *overlap = gradus_overlap_find(three, data, data, NULL);

    assert_int_equal(overlap->rows, ROWS);
    assert_int_equal(overlap->labelled_rows, ROWS);
    assert_int_equal(overlap->queries, 0); /* there are no names */
    gradus_overlap_free(overlap);
    gradus_dataset_free(data);
    gradus_context_free(three);
    free(ones);
}

static void test_overlap_finds_queries_by_name(void **state)
{
    const set_kind kind = { .rows = 40, .features = 3, .queries = 10, .query_names = true };
    gradus_dataset *a = random_set(&kind, 1), *b = random_set(&kind, 2);
    gr_name_list names = { 0 };
    gradus_overlap *overlap;

    (void)state;
    for (size_t q = 0; q < 10; q++) { /* the names of a in reverse, except for two */
        const char *name = q == 2 ? "other" : q == 9 ? "q" : gr_name_at(&a->query_names, 9 - q);

        gr_name_list_add(&names, name, strlen(name));
    }
    gr_array_free(&b->owned[GR_QUERY_BYTES]);
    gr_array_free(&b->owned[GR_QUERY_NAMES]);
    b->owned[GR_QUERY_BYTES] = names.bytes;
    b->owned[GR_QUERY_NAMES] = names.starts;
    gr_dataset_adopt(b);
    overlap = gradus_overlap_find(NULL, a, b, NULL);
    assert_int_equal(overlap->queries, 8);
    for (size_t i = 0; i < 8; i++)
        assert_int_equal(overlap->query_first[i], i < 6 ? i + 1 : i + 2); /* without 0 and 7 */
    gradus_overlap_free(overlap);
    gradus_dataset_free(b);
    gradus_dataset_free(a);
}

static void test_nothing_is_refused(void **state)
{
    gradus_dataset *data = borrow_dense();
    gradus_error err = { GRADUS_OK, "" };

    (void)state;
    assert_null(gradus_describe(NULL, NULL, &err));
    assert_int_equal(err.status, GRADUS_BAD_ARGUMENT);
    assert_null(gradus_overlap_find(NULL, data, NULL, &err));
    assert_null(gradus_overlap_find(NULL, NULL, data, &err));
    gradus_description_free(NULL);
    gradus_overlap_free(NULL);
    gradus_dataset_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_describes_the_worked_example),
        cmocka_unit_test(test_columns_are_those_of_brute_force),
        cmocka_unit_test(test_labels_are_listed_or_counted),
        cmocka_unit_test(test_histogram_has_sensible_edges),
        cmocka_unit_test(test_histogram_counts_every_query),
        cmocka_unit_test(test_overlap_is_that_of_brute_force),
        cmocka_unit_test(test_overlap_of_equal_rows_is_fast),
        cmocka_unit_test(test_overlap_finds_queries_by_name),
        cmocka_unit_test(test_nothing_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
