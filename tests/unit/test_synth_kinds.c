/* SPDX-License-Identifier: Apache-2.0 */
/* Each kind of synthetic dataset against its formulas and its statistics. */
#include "synthetic_sets.h"

/* ---- mcrank ---- */

static double share_of(const gradus_dataset *data, double label)
{
    size_t count = 0;

    for (size_t r = 0; r < data->arrays.rows; r++)
        count += (double)data->arrays.labels[r] == label;
    return (double)count / (double)data->arrays.rows;
}

static void permutation(size_t *items, size_t count, uint64_t seed, const char *purpose)
{
    gr_rng rng = gr_rng_for(seed, purpose, 0);

    for (size_t i = 0; i < count; i++)
        items[i] = i;
    gr_shuffle(&rng, items, count);
}

typedef struct form {
    double mean, sd;
} form;

static form moments(const double *values, size_t count)
{
    double sum = 0.0, squares = 0.0;

    for (size_t i = 0; i < count; i++) {
        sum += values[i];
        squares += values[i] * values[i];
    }
    const double mean = sum / (double)count;

    return (form){ mean, sqrt(squares / (double)count - mean * mean) };
}

enum { N = 12 };

/* Recomputes the target naively: the three forms of every row, standardised over the dataset
 * itself. Grades must increase with it except near a threshold, because the library standardises by
 * exact moments, not those of the dataset. */
static void test_mcrank_grades_follow_the_recomputed_target(void **state)
{
    gradus_dataset *data =
        make_synth(1, "mcrank", PAIRS("features", "12", "queries", "2000", "seed", "77"));
    const size_t rows = data->arrays.rows;
    double *forms[3], weights[N], low[5], high[5];
    size_t q[N], p[N], r[N], wrong = 0;
    gr_rng rng = gr_rng_for(77, "mcrank weights", 0);

    (void)state;
    for (size_t i = 0; i < N; i++)
        weights[i] = 2.0 * gr_rng_uniform(&rng) - 1.0;
    permutation(q, N, 77, "mcrank Q");
    permutation(p, N, 77, "mcrank P");
    permutation(r, N, 77, "mcrank R");
    for (int f = 0; f < 3; f++)
        forms[f] = calloc(rows, sizeof **forms);
    for (size_t row = 0; row < rows; row++) {
        const float *x = data->arrays.values + row * N;

        for (size_t i = 0; i < N; i++) {
            forms[0][row] += weights[i] * (double)x[i];
            forms[1][row] += (double)x[i] * (double)x[q[i]];
            forms[2][row] += (double)x[i] * (double)x[p[i]] * (double)x[r[i]];
        }
    }
    for (int f = 0; f < 3; f++) {
        const form about = moments(forms[f], rows);

        for (size_t row = 0; row < rows; row++)
            forms[f][row] = (forms[f][row] - about.mean) / about.sd;
    }
    for (int g = 0; g < 5; g++) {
        low[g] = 1e9;
        high[g] = -1e9;
    }
    for (size_t row = 0; row < rows; row++) {
        const double target = (forms[0][row] + forms[1][row] + forms[2][row]) / 3.0;
        const int g = (int)data->arrays.labels[row];

        low[g] = target < low[g] ? target : low[g];
        high[g] = target > high[g] ? target : high[g];
    }
    for (int g = 0; g + 1 < 5; g++)
        CHECK_NEAR(high[g], low[g + 1], 0.03); /* otherwise they would overlap by 3 */
    for (size_t row = 0; row < rows; row++) {
        const double target = (forms[0][row] + forms[1][row] + forms[2][row]) / 3.0;
        int g = 0;

        while (g < 4 && target > (high[g] + low[g + 1]) / 2.0)
            g++;
        wrong += g != (int)data->arrays.labels[row];
    }
    assert_true(wrong < rows / 100);
    for (int f = 0; f < 3; f++)
        free(forms[f]);
    gradus_dataset_free(data);
}

static void test_mcrank_shares_and_moments(void **state)
{
    static const double shares[] = { 0.52, 0.32, 0.13, 0.02, 0.01 };
    gradus_dataset *data = make_synth(1, "mcrank", PAIRS("queries", "2000"));
    const size_t rows = data->arrays.rows, features = data->arrays.features;

    (void)state;
    assert_int_equal(rows, 100000);
    assert_int_equal(features, 50);
    for (int g = 0; g < 5; g++) { /* sampling error of the rows and of the thresholds */
        const double variance = shares[g] * (1.0 - shares[g]);

        CHECK_NEAR(share_of(data, g), shares[g], 4.0 * sqrt(variance / 1e5 + variance / 2e5));
    }
    for (size_t f = 0; f < features; f++) { /* uniform: mean 0, variance 1/3, fourth moment 1/5 */
        double sum = 0.0, squares = 0.0, fourth = 0.0, with_next = 0.0;

        for (size_t r = 0; r < rows; r++) {
            const double x = (double)data->arrays.values[r * features + f];
            const double y = (double)data->arrays.values[r * features + (f + 1) % features];

            assert_true(x >= -1.0 && x <= 1.0);
            sum += x;
            squares += x * x;
            fourth += x * x * x * x;
            with_next += x * y;
        }
        CHECK_NEAR(sum / 1e5, 0.0, 0.0091);           /* 5 sqrt(1/3) / sqrt(1e5) */
        CHECK_NEAR(squares / 1e5, 1.0 / 3.0, 0.0048); /* 5 sqrt(4/45) / sqrt(1e5) */
        CHECK_NEAR(fourth / 1e5, 0.2, 0.0043);        /* 5 sqrt(1/9 - 1/25) / sqrt(1e5) */
        CHECK_NEAR(with_next / 1e5, 0.0, 0.0053);     /* 5 / 3 / sqrt(1e5) */
    }
    gradus_dataset_free(data);
}

/* Other grade fractions, and few features, where permutations have fixed points: moments stay
 * exact. */
static void test_mcrank_with_other_shares_and_features(void **state)
{
    static const char *const features[] = { "1", "2", "3", "5" };

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        gradus_dataset *data = make_synth(1, "mcrank",
                                          PAIRS("features", features[i], "documents", "7",
                                                "queries", "5000", "grade-fractions", "1,0,3"));

        CHECK_NEAR(share_of(data, 0), 0.25, 0.011);
        CHECK_NEAR(share_of(data, 1), 0.0, 0.0);
        CHECK_NEAR(share_of(data, 2), 0.75, 0.011);
        gradus_dataset_free(data);
    }
}

/* ---- mixture ---- */

static void test_mixture_is_normal_in_each_grade(void **state)
{
    gradus_dataset *data = make_synth(1, "mixture", PAIRS("rows", "20000"));
    gradus_dataset *plain = make_synth(1, "mixture", PAIRS("first-label", "0", "means", "1,5"));

    (void)state;
    assert_int_equal(data->arrays.rows, 60000);
    assert_int_equal(data->arrays.queries, 1);
    for (int g = 1; g <= 3; g++) {
        double sum = 0.0, squares = 0.0, below = 0.0;

        for (size_t r = 0; r < 60000; r++)
            if ((int)data->arrays.labels[r] == g) {
                const double x = (double)data->arrays.values[r] - 2.0 * (g - 2);

                sum += x;
                squares += x * x;
                below += x < -1.0;
            }
        CHECK_NEAR(sum / 20000.0, 0.0, 0.035);
        CHECK_NEAR(squares / 20000.0, 1.0, 0.05);
        CHECK_NEAR(below / 20000.0, 0.158655, 0.013);
    }
    assert_int_equal(plain->arrays.rows, 1000);
    CHECK_NEAR(share_of(plain, 0), 0.5, 0.0);
    CHECK_NEAR(share_of(plain, 1), 0.5, 0.0);
    gradus_dataset_free(plain);
    gradus_dataset_free(data);
}

/* ---- web ---- */

static double column_correlation(const gradus_dataset *data, size_t f, size_t g)
{
    const gradus_arrays *a = &data->arrays;
    double sums[5] = { 0 };

    for (size_t r = 0; r < a->rows; r++) {
        const double x = (double)a->values[r * a->stride + f];
        const double y =
            g < a->features ? (double)a->values[r * a->stride + g] : (double)a->labels[r];

        sums[0] += x;
        sums[1] += y;
        sums[2] += x * x;
        sums[3] += y * y;
        sums[4] += x * y;
    }
    const double n = (double)a->rows, mx = sums[0] / n, my = sums[1] / n;

    return (sums[4] / n - mx * my) / sqrt((sums[2] / n - mx * mx) * (sums[3] / n - my * my));
}

static double zeros_of(const gradus_dataset *data, size_t f)
{
    size_t zeros = 0;

    for (size_t r = 0; r < data->arrays.rows; r++)
        zeros += data->arrays.values[r * data->arrays.stride + f] == 0.0f;
    return (double)zeros / (double)data->arrays.rows;
}

static void test_web_looks_like_web_search(void **state)
{
    static const double shares[] = { 0.52, 0.32, 0.13, 0.02, 0.01 };
    gradus_dataset *data = make_synth(1, "web", PAIRS("queries", "600", "seed", "5"));
    gradus_description *d = gradus_describe(NULL, data, NULL);

    (void)state;
    assert_int_equal(d->features, 136);
    for (int g = 0; g < 5; g++) /* queries differ, so the error is that of 600 queries */
        CHECK_NEAR(share_of(data, g), shares[g], 4.0 * sqrt(shares[g] / 600.0) / 3.0);
    CHECK_NEAR((double)d->rows / (double)d->queries, 120.0, 4.0 * 120.0 * 1.12 / sqrt(600.0));
    assert_true(d->documents_min < 20 && d->documents_max > 500 && d->documents_max <= 1200);
    assert_true(d->queries_without_relevant > 3 && d->queries_without_relevant < 60);
    assert_int_equal(d->constants, 0);
    CHECK_NEAR(d->density, 0.66, 0.05);
    assert_true(zeros_of(data, 133) > 0.6);                       /* clicks of the query */
    assert_true(zeros_of(data, 11) > 0.3);                        /* length of the anchor */
    assert_true(zeros_of(data, 10) == 0.0);                       /* length of the body */
    assert_true(column_correlation(data, 20, 24) > 0.9);          /* terms in body and in total */
    assert_true(column_correlation(data, 105, 109) > 0.8);        /* BM25 likewise */
    assert_true(fabs(column_correlation(data, 10, 12)) < 0.1);    /* body and title lengths */
    assert_true(column_correlation(data, 107, 136) > 0.1);        /* BM25 of the title and label */
    assert_true(fabs(column_correlation(data, 128, 136)) < 0.05); /* outlinks are uninformative */
    gradus_description_free(d);
    gradus_dataset_free(data);
}

/* Few digits, integer counts, and mutually consistent statistics. */
static void test_web_values_hang_together(void **state)
{
    gradus_dataset *data = make_synth(1, "web", PAIRS("queries", "30"));
    const gradus_arrays *a = &data->arrays;

    (void)state;
    for (size_t q = 0; q < a->queries; q++)
        for (size_t r = (size_t)a->query_starts[q]; r < a->query_starts[q + 1]; r++) {
            const float *x = a->values + r * a->stride;
            const float *first = a->values + a->query_starts[q] * a->stride;

            for (size_t s = 0; s < 5; s++) {
                const double covered = (double)x[s], ratio = (double)x[5 + s];
                const double sum = (double)x[20 + s], mean = (double)x[35 + s];
                const double terms = ratio > 0.0 ? nearbyint(covered / ratio) : 1.0;

                CHECK_NEAR(covered, nearbyint(covered), 0.0);
                CHECK_NEAR(mean * terms, sum, 1e-5 * sum);
                assert_true(x[25 + s] <= x[35 + s] && x[35 + s] <= x[30 + s]);
                CHECK_NEAR((double)x[45 + s] * (double)x[10 + s], sum, 1e-5 * sum);
                CHECK_NEAR((double)x[95 + s], x[25 + s] > 0.0f, 0.0); /* all covered: minimum > 0 */
                CHECK_NEAR((double)x[15 + s], (double)first[15 + s], 0.0); /* idf depends on the
                                                                              query only */
            }
            CHECK_NEAR((double)(x[20] + x[21] + x[22] + x[23]), (double)x[24], 0.0);
            CHECK_NEAR((double)(x[10] + x[11] + x[12] + x[13]), (double)x[14], 0.0);
            for (size_t f = 0; f < 136; f++) {
                char text[32];

                snprintf(text, sizeof text, "%.6g", (double)x[f]);
                CHECK_NEAR((double)strtof(text, NULL), (double)x[f], 0.0);
            }
        }
    gradus_dataset_free(data);
}

/* More noise: the label depends less on the features. */
static void test_web_noise_is_noise(void **state)
{
    gradus_dataset *clear = make_synth(1, "web", PAIRS("queries", "100", "noise", "0"));
    gradus_dataset *noisy = make_synth(1, "web", PAIRS("queries", "100", "noise", "5"));

    (void)state;
    assert_true(column_correlation(clear, 107, 136) > 2.0 * column_correlation(noisy, 107, 136));
    gradus_dataset_free(noisy);
    gradus_dataset_free(clear);
}

/* ---- clicks ---- */

/* Rows of a tenth of the dataset; the fraction of label 1 among rows with the column. */
static double rate_of(const gradus_dataset *data, size_t from, size_t to)
{
    double clicks = 0.0;

    for (size_t r = from; r < to; r++)
        clicks += (double)data->arrays.labels[r];
    return clicks / (double)(to - from);
}

static void test_clicks_are_sparse_and_rare(void **state)
{
    gradus_dataset *data = make_synth(1, "clicks", PAIRS("queries", "20000"));
    gradus_dataset *often =
        make_synth(1, "clicks", PAIRS("queries", "5000", "rate", "0.3", "features", "1000"));
    const gradus_arrays *a = &data->arrays;
    size_t low = SIZE_MAX, high = 0;

    (void)state;
    assert_false(gr_dataset_is_dense(data));
    assert_int_equal(a->features, 100000);
    CHECK_NEAR((double)a->rows / 20000.0, 3.5, 0.06); /* 1 to 6 equally */
    CHECK_NEAR(rate_of(data, 0, a->rows), 0.02, 0.003);
    CHECK_NEAR(rate_of(often, 0, often->arrays.rows), 0.3, 0.03);
    for (size_t r = 0; r < a->rows; r++) {
        const size_t count = (size_t)(a->row_starts[r + 1] - a->row_starts[r]);

        low = count < low ? count : low;
        high = count > high ? count : high;
        for (uint64_t e = a->row_starts[r] + 1; e < a->row_starts[r + 1]; e++)
            assert_true(a->columns[e - 1] < a->columns[e] && a->columns[e] < 100000);
    }
    CHECK_NEAR((double)a->row_starts[a->rows] / (double)a->rows, 24.0, 1.0);
    assert_true(low >= 10 && high <= 30);
    gradus_dataset_free(often);
    gradus_dataset_free(data);
}

/* The fraction of columns of the last tenth that the first tenth does not have. */
static double new_columns(const gradus_dataset *data)
{
    const gradus_arrays *a = &data->arrays;
    char *seen = calloc(a->features, 1);
    size_t fresh = 0, all = 0;

    for (uint64_t e = 0; e < a->row_starts[a->rows / 10]; e++)
        seen[a->columns[e]] = 1;
    for (uint64_t e = a->row_starts[a->rows / 10 * 9]; e < a->row_starts[a->rows]; e++) {
        fresh += seen[a->columns[e]] != 1;
        all++;
    }
    free(seen);
    return (double)fresh / (double)all;
}

/* The columns of a dataset of a million rows are nearly unique categories. */
static void test_clicks_drift(void **state)
{
    gradus_dataset *still =
        make_synth(1, "clicks", PAIRS("queries", "15000", "drift", "0", "features", "1000000"));
    gradus_dataset *moving =
        make_synth(1, "clicks", PAIRS("queries", "15000", "drift", "6", "features", "1000000"));

    (void)state;
    assert_true(new_columns(moving) > new_columns(still) + 0.01);
    gradus_dataset_free(moving);
    gradus_dataset_free(still);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mcrank_grades_follow_the_recomputed_target),
        cmocka_unit_test(test_mcrank_shares_and_moments),
        cmocka_unit_test(test_mcrank_with_other_shares_and_features),
        cmocka_unit_test(test_mixture_is_normal_in_each_grade),
        cmocka_unit_test(test_web_looks_like_web_search),
        cmocka_unit_test(test_web_values_hang_together),
        cmocka_unit_test(test_web_noise_is_noise),
        cmocka_unit_test(test_clicks_are_sparse_and_rare),
        cmocka_unit_test(test_clicks_drift),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
