/* SPDX-License-Identifier: Apache-2.0 */
/* Synthetic datasets: the same bytes everywhere, streaming, disjoint ranges of queries, and
 * samplers. */
#include "synthetic_sets.h"

#include "base/crc32c.h"
#include "base/math.h"
#include "data/synth/synth_draw.h"
#include "data/synth/synth_grades.h"
#include "data/synth/synth.h"

/* A few queries of each kind, in several blocks; the last option makes some of them cheaper. */
static const struct {
    const char *kind, *queries, *option, *value;
} small[] = { { "web", "70", "documents", "120" },
              { "mcrank", "200", "features", "8" },
              { "mixture", "11", "rows", "500" },
              { "clicks", "2500", "features", "100000" } };
enum { KINDS = sizeof small / sizeof *small };

#define SMALL(k, ...) PAIRS(small[k].option, small[k].value, __VA_ARGS__)

/* Generated once, on one thread. */
static gradus_dataset *kept[KINDS];

static int make_kept(void **state)
{
    (void)state;
    for (size_t k = 0; k < KINDS; k++)
        kept[k] = make_synth(1, small[k].kind, SMALL(k, "queries", small[k].queries));
    return 0;
}

static int free_kept(void **state)
{
    (void)state;
    for (size_t k = 0; k < KINDS; k++)
        gradus_dataset_free(kept[k]);
    return 0;
}

static void test_every_kind_is_in_the_catalogue(void **state)
{
    size_t count = 0;

    (void)state;
    for (const gr_about *about; (about = gr_synth_at(count)) != NULL; count++) {
        bool found = false;

        for (size_t k = 0; k < KINDS; k++)
            found |= strcmp(small[k].kind, about->name) == 0;
        assert_true(found);
        assert_true(strlen(about->summary) > 10 && strlen(about->summary) < 90);
        assert_true(strlen(about->details) > 100);
    }
    assert_int_equal(count, KINDS);
}

static void test_threads_do_not_matter(void **state)
{
    (void)state;
    for (size_t k = 0; k < KINDS; k++) {
        for (size_t threads = 2; threads <= 3; threads++) { /* the cached ones were made on one
                                                               thread */
            gradus_dataset *more =
                make_synth(threads, small[k].kind, SMALL(k, "queries", small[k].queries));

            assert_same_set(kept[k], more);
            gradus_dataset_free(more);
        }
    }
}

/* The bytes for seed 1, on every machine and with every compiler. A change here changes every
 * dataset that anyone has generated. */
static void test_a_seed_gives_the_same_set_for_ever(void **state)
{
    static const uint32_t wanted[KINDS] = { 0x7b700cae, 0xf33ae15e, 0x7df4dd29, 0xfdcc6553 };

    (void)state;
    for (size_t k = 0; k < KINDS; k++) {
        const gradus_arrays *a = &kept[k]->arrays;
        uint32_t crc = gr_crc32c(0, a->labels, a->rows * sizeof *a->labels);

        if (a->values) {
            crc = gr_crc32c(crc, a->values, a->rows * a->features * sizeof *a->values);
        } else {
            crc = gr_crc32c(crc, a->columns, a->row_starts[a->rows] * sizeof *a->columns);
            crc = gr_crc32c(crc, a->entries, a->row_starts[a->rows] * sizeof *a->entries);
        }
        if (crc != wanted[k])
            print_error("%s: 0x%08x\n", small[k].kind, crc);
        assert_int_equal(crc, wanted[k]);
    }
}

static void test_seeds_matter(void **state)
{
    (void)state;
    for (size_t k = 0; k < KINDS; k++) {
        const gradus_dataset *one = kept[k];
        gradus_dataset *other =
            make_synth(1, small[k].kind, SMALL(k, "queries", small[k].queries, "seed", "2"));
        const float *a = one->arrays.values ? one->arrays.values : one->arrays.entries;
        const float *b = other->arrays.values ? other->arrays.values : other->arrays.entries;
        size_t same = 0;

        for (size_t i = 0; i < 1000; i++)
            same += a[i] == b[i];
        assert_true(same < 900);
        gradus_dataset_free(other);
    }
}

/* Rows [0, rows) of a and rows [from, from + rows) of b. */
static void assert_same_rows(const gradus_dataset *a, const gradus_dataset *b, size_t rows,
                             size_t from)
{
    const size_t features = a->arrays.features;
    float *left = malloc(features * sizeof *left), *right = malloc(features * sizeof *right);

    assert_int_equal(features, b->arrays.features);
    for (size_t r = 0; r < rows; r++) {
        gr_dataset_row(a, r, left);
        gr_dataset_row(b, r + from, right);
        assert_memory_equal(left, right, features * sizeof *left);
        CHECK_NEAR((double)a->arrays.labels[r], (double)b->arrays.labels[r + from], 0.0);
    }
    free(left);
    free(right);
}

static void test_first_queries_do_not_depend_on_how_many_follow(void **state)
{
    (void)state;
    for (size_t k = 0; k < KINDS; k++) {
        const gradus_dataset *all = kept[k];
        gradus_dataset *few = make_synth(2, small[k].kind, SMALL(k, "queries", "7"));

        assert_int_equal(few->arrays.queries, 7);
        for (size_t q = 0; q <= 7; q++)
            assert_int_equal(few->arrays.query_starts[q], all->arrays.query_starts[q]);
        assert_same_rows(few, all, few->arrays.rows, 0);
        gradus_dataset_free(few);
    }
}

/* Later queries of the same function: a test set. */
static void test_a_set_can_begin_at_any_query(void **state)
{
    (void)state;
    for (size_t k = 0; k < KINDS; k++) {
        const gradus_dataset *all = kept[k];
        gradus_dataset *late =
            make_synth(1, small[k].kind, SMALL(k, "queries", "4", "first-query", "6"));

        assert_string_equal(gradus_dataset_query_name(late, 0), "6");
        assert_string_equal(gradus_dataset_query_name(late, 3), "9");
        assert_same_rows(late, all, late->arrays.rows, (size_t)all->arrays.query_starts[5]);
        gradus_dataset_free(late);
    }
}

/* No query or row is in both, although both have the same seed. */
static void test_parts_do_not_overlap(void **state)
{
    (void)state;
    for (size_t k = 0; k < KINDS; k++) {
        const gradus_dataset *train = kept[k];
        gradus_dataset *test = make_synth(
            1, small[k].kind, SMALL(k, "queries", small[k].queries, "first-query", "5001"));
        gradus_overlap *overlap = gradus_overlap_find(NULL, train, test, NULL);

        assert_non_null(overlap);
        assert_int_equal(overlap->queries, 0);
        /* one feature of six digits repeats occasionally */
        assert_true(overlap->rows <= (train->arrays.features == 1 ? test->arrays.rows / 10 : 0));
        gradus_overlap_free(overlap);
        gradus_dataset_free(test);
    }
}

static char *written(size_t threads, const gradus_options *options, const char *path, size_t *size)
{
    gradus_context *context = gradus_context_new(threads, NULL);
    gradus_error err = { GRADUS_OK, "" };
    char *bytes;

    gradus_synth_write(context, options, path, NULL, &err);
    assert_string_equal(err.message, "");
    gradus_context_free(context);
    bytes = file_bytes(path, size);
    unlink(path);
    return bytes;
}

/* The file equals the one written from memory, on one thread; for text of sparse rows, which lists
 * the last feature in the first row when streamed, the rows are equal. */
static void check_file(const gradus_dataset *data, const char *path, const char *bytes, size_t size)
{
    if (gr_dataset_is_dense(data) || strstr(path, ".bin")) {
        size_t whole;

        assert_int_equal(gradus_dataset_write(NULL, data, path, NULL, NULL), GRADUS_OK);
        char *again = file_bytes(path, &whole);

        assert_int_equal(whole, size);
        assert_memory_equal(again, bytes, size);
        free(again);
    } else {
        FILE *file = fopen(path, "wb");

        assert_int_equal(fwrite(bytes, 1, size, file), size);
        fclose(file);
        gradus_dataset *back = gradus_dataset_read(NULL, path, NULL, NULL);

        assert_non_null(back);
        assert_int_equal(back->arrays.rows, data->arrays.rows);
        assert_same_rows(data, back, 1000, 0);
        assert_string_equal(gradus_dataset_query_name(back, 10), "11");
        gradus_dataset_free(back);
    }
    unlink(path);
}

static void test_stream_is_the_set_in_memory(void **state)
{
    static const char *const names[] = { "set.txt", "set.bin", "set.csv" };
    char folder[64], path[128];

    (void)state;
    make_folder(folder);
    for (size_t k = 0; k < KINDS; k++)
        for (size_t n = 0; n < (kept[k]->arrays.features == 1 ? 3 : 2); n++) {
            gradus_options *options =
                synth_options(small[k].kind, SMALL(k, "queries", small[k].queries));
            size_t size;

            in_folder(path, folder, names[n]);
            char *bytes = written(3, options, path, &size);

            check_file(kept[k], path, bytes, size);
            free(bytes);
            gradus_options_free(options);
        }
    rmdir(folder);
}

static void test_bad_options_are_refused(void **state)
{
    static const char *const bad[][3] = {
        { "mcrank", "grade-fractions", "52,,1" },
        { "mcrank", "grade-fractions", "52" },
        { "mcrank", "grade-fractions", "0,0" },
        { "mcrank", "grade-fractions", "-1,2" },
        { "mcrank", "grade-fractions", "1,2," },
        { "mcrank", "grade-fractions", "1,nan" },
        { "mcrank", "grade-fractions", "" },
        { "web", "grade-fractions", "1;2" },
        { "mixture", "means", "1" },
        { "mixture", "means", "0,1e9" },
        { "mixture", "means", "a,b" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        gradus_options *options = synth_options(bad[i][0], PAIRS(bad[i][1], bad[i][2]));
        gradus_error err = { GRADUS_OK, "" };

        assert_null(gradus_synth(NULL, options, &err));
        assert_int_equal(err.status, GRADUS_BAD_ARGUMENT);
        assert_non_null(strstr(err.message, bad[i][1]));
        assert_int_equal(gradus_synth_write(NULL, options, "/nonexistent/x", NULL, &err),
                         GRADUS_BAD_ARGUMENT);
        gradus_options_free(options);
    }
    gradus_options *write = gradus_options_new("write", NULL);
    gradus_error err = { GRADUS_OK, "" };

    assert_null(gradus_synth(NULL, write, &err));
    assert_int_equal(err.status, GRADUS_BAD_ARGUMENT);
    assert_null(gradus_synth(NULL, NULL, &err));
    gradus_options_free(write);
    gradus_options *mixture = gradus_options_new("synth mixture", NULL);

    assert_int_equal(gradus_synth_write(NULL, mixture, "/nonexistent/x", NULL, NULL),
                     GRADUS_NO_FILE);
    assert_int_equal(gradus_synth_write(NULL, mixture, NULL, NULL, NULL), GRADUS_BAD_ARGUMENT);
    gradus_options_free(mixture);
}

/* ---- Samplers ---- */

static void test_draws_have_their_moments(void **state)
{
    static const double means[] = { 0.05, 0.7, 4.0, 29.0, 31.0, 400.0 };
    enum { DRAWS = 40000 };

    (void)state;
    for (size_t m = 0; m < sizeof means / sizeof *means; m++) {
        gr_rng rng = gr_rng_for(3, "poisson", m);
        double sum = 0.0, squares = 0.0;

        for (int i = 0; i < DRAWS; i++) {
            const double draw = gr_draw_poisson(&rng, means[m]);

            sum += draw;
            squares += draw * draw;
        }
        const double mean = sum / DRAWS, variance = squares / DRAWS - mean * mean;

        CHECK_NEAR(mean, means[m], 5.0 * sqrt(means[m] / DRAWS));
        CHECK_NEAR(variance / means[m], 1.0, 5.0 * sqrt((2.0 + 1.0 / means[m]) / DRAWS));
    }
    gr_rng rng = gr_rng_for(3, "zipf", 0);
    const gr_zipf zipf = gr_zipf_of(100, 5.0);
    size_t counts[100] = { 0 };

    for (int i = 0; i < DRAWS; i++)
        counts[gr_draw_zipf(&rng, &zipf)]++;
    for (size_t k = 0; k < 100; k += 9) { /* log((k+1+5)/(k+5)) / log(105/5) */
        const double chance = log(((double)k + 6.0) / ((double)k + 5.0)) / log(21.0);

        CHECK_NEAR((double)counts[k] / DRAWS, chance, 5.0 * sqrt(chance / DRAWS));
    }
}

static void test_rounding_keeps_six_digits(void **state)
{
    static const struct {
        double from;
        const char *text;
    } cases[] = { { 0.123456789, "0.123457" },
                  { -28.0890712, "-28.0891" },
                  { 9.9999999, "10" },
                  { 0.000018754321, "0.0000187543" },
                  { 65535.4321, "65535.4" },
                  { 1e-13, "0" },
                  { 0.99999951, "1" },
                  { 123456.4, "123456" },
                  { 2777899.5, "2777900" },
                  { -98765432.1, "-98765400" },
                  { 0.0, "0" },
                  { 3.0, "3" } };
    gr_rng rng = gr_rng_for(1, "round", 0);

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        CHECK_NEAR((double)gr_round_digits(cases[i].from), (double)strtof(cases[i].text, NULL),
                   0.0);
    for (int i = 0; i < 10000; i++) { /* the same as from text */
        const double value = gr_rng_normal(&rng) * exp(10.0 * gr_rng_normal(&rng) - 5.0);
        char text[32];

        snprintf(text, sizeof text, "%.6g", value);
        if (fabs(value) >= 1e-12 && fabs(value) < 1e20)
            CHECK_NEAR((double)gr_round_digits(value), (double)strtof(text, NULL),
                       1.1e-6 * fabs(value) * (i % 100 == 0)); /* ties in the last digit differ */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        one_thread_test(test_every_kind_is_in_the_catalogue),
        cmocka_unit_test(test_threads_do_not_matter),
        one_thread_test(test_a_seed_gives_the_same_set_for_ever),
        one_thread_test(test_seeds_matter),
        cmocka_unit_test(test_first_queries_do_not_depend_on_how_many_follow),
        one_thread_test(test_a_set_can_begin_at_any_query),
        one_thread_test(test_parts_do_not_overlap),
        cmocka_unit_test(test_stream_is_the_set_in_memory),
        one_thread_test(test_bad_options_are_refused),
        one_thread_test(test_draws_have_their_moments),
        one_thread_test(test_rounding_keeps_six_digits),
    };

    return cmocka_run_group_tests(tests, make_kept, free_kept);
}
