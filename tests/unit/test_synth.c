#include "sets.h"

#include "base/crc32c.h"
#include "base/math.h"
#include "data/synth/draw.h"
#include "data/synth/grades.h"
#include "data/synth/synth.h"
#include "data/synth/web.h"

/* The options of a kind, then pairs of names and values, NULL ends them. */
static gradus_options *options_of(const char *kind, const char *const *pairs)
{
    char operation[32];
    gradus_error err = { GRADUS_OK, "" };
    gradus_options *options;

    snprintf(operation, sizeof operation, "synth %s", kind);
    options = gradus_options_new(operation, &err);
    assert_non_null(options);
    for (; *pairs; pairs += 2)
        assert_int_equal(gradus_options_set(options, pairs[0], pairs[1], &err), GRADUS_OK);
    return options;
}

static gradus_dataset *make_with(size_t threads, const char *kind, const char *const *pairs)
{
    gradus_error err = { GRADUS_OK, "" };
    gradus_options *options = options_of(kind, pairs);
    gradus_context *context = gradus_context_new(threads, &err);
    gradus_dataset *data = gradus_synth(context, options, &err);

    if (!data)
        print_error("%s\n", err.message);
    assert_non_null(data);
    gradus_context_free(context);
    gradus_options_free(options);
    return data;
}

#define PAIRS(...) ((const char *const[]){ __VA_ARGS__, NULL })

/* A few queries of each kind, in several blocks; the last option makes some of them cheaper. */
static const struct {
    const char *kind, *queries, *option, *value;
} small[] = { { "web", "70", "documents", "120" },
              { "mcrank", "200", "features", "8" },
              { "mixture", "11", "rows", "500" },
              { "clicks", "2500", "features", "100000" } };
enum { KINDS = sizeof small / sizeof *small };

#define SMALL(k, ...) PAIRS(small[k].option, small[k].value, __VA_ARGS__)

/* Made once, on one thread. */
static gradus_dataset *kept[KINDS];

static int make_kept(void **state)
{
    (void)state;
    for (size_t k = 0; k < KINDS; k++)
        kept[k] = make_with(1, small[k].kind, SMALL(k, "queries", small[k].queries));
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
        for (size_t threads = 2; threads <= 3; threads++) { /* kept ones are of one thread */
            gradus_dataset *more =
                make_with(threads, small[k].kind, SMALL(k, "queries", small[k].queries));

            assert_same_set(kept[k], more);
            gradus_dataset_free(more);
        }
    }
}

/* The bytes that seed 1 gives, on every machine and with every compiler. A change here is a change
 * of every set that anyone has made. */
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
            make_with(1, small[k].kind, SMALL(k, "queries", small[k].queries, "seed", "2"));
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
        gradus_dataset *few = make_with(2, small[k].kind, SMALL(k, "queries", "7"));

        assert_int_equal(few->arrays.queries, 7);
        for (size_t q = 0; q <= 7; q++)
            assert_int_equal(few->arrays.query_starts[q], all->arrays.query_starts[q]);
        assert_same_rows(few, all, few->arrays.rows, 0);
        gradus_dataset_free(few);
    }
}

/* The same function of later queries: a test set. */
static void test_a_set_can_begin_at_any_query(void **state)
{
    (void)state;
    for (size_t k = 0; k < KINDS; k++) {
        const gradus_dataset *all = kept[k];
        gradus_dataset *late =
            make_with(1, small[k].kind, SMALL(k, "queries", "4", "first-query", "6"));

        assert_string_equal(gradus_dataset_query_name(late, 0), "6");
        assert_string_equal(gradus_dataset_query_name(late, 3), "9");
        assert_same_rows(late, all, late->arrays.rows, (size_t)all->arrays.query_starts[5]);
        gradus_dataset_free(late);
    }
}

/* Neither a query nor a row in both, although both are of one seed. */
static void test_parts_do_not_overlap(void **state)
{
    (void)state;
    for (size_t k = 0; k < KINDS; k++) {
        const gradus_dataset *train = kept[k];
        gradus_dataset *test = make_with(
            1, small[k].kind, SMALL(k, "queries", small[k].queries, "first-query", "5001"));
        gradus_overlap *overlap = gradus_overlap_find(NULL, train, test, NULL);

        assert_non_null(overlap);
        assert_int_equal(overlap->queries, 0);
        /* one feature of six digits repeats now and then */
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

/* The file that writing the set in memory makes, on one thread; for text of sparse rows, which
 * names the last feature up front when streamed, the same rows. */
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
                options_of(small[k].kind, SMALL(k, "queries", small[k].queries));
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
        { "mcrank", "shares", "52,,1" }, { "mcrank", "shares", "52" },
        { "mcrank", "shares", "0,0" },   { "mcrank", "shares", "-1,2" },
        { "mcrank", "shares", "1,2," },  { "mcrank", "shares", "1,nan" },
        { "mcrank", "shares", "" },      { "web", "shares", "1;2" },
        { "mixture", "means", "1" },     { "mixture", "means", "0,1e9" },
        { "mixture", "means", "a,b" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        gradus_options *options = options_of(bad[i][0], PAIRS(bad[i][1], bad[i][2]));
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

/* ---- Draws ---- */

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
    for (int i = 0; i < 10000; i++) { /* the same as by text */
        const double value = gr_rng_normal(&rng) * exp(10.0 * gr_rng_normal(&rng) - 5.0);
        char text[32];

        snprintf(text, sizeof text, "%.6g", value);
        if (fabs(value) >= 1e-12 && fabs(value) < 1e20)
            CHECK_NEAR((double)gr_round_digits(value), (double)strtof(text, NULL),
                       1.1e-6 * fabs(value) * (i % 100 == 0)); /* ties of the last digit differ */
    }
}

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

/* Recomputes the target the long way: the three forms of every row, standardised over the set
 * itself. Grades must rise with it but for rows near a cut, as the library standardises by exact
 * moments and not by those of the set. */
static void test_mcrank_grades_follow_the_recomputed_target(void **state)
{
    gradus_dataset *data =
        make_with(2, "mcrank", PAIRS("features", "12", "queries", "2000", "seed", "77"));
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
        CHECK_NEAR(high[g], low[g + 1], 0.03); /* they would overlap by 3 if it were not so */
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
    gradus_dataset *data = make_with(2, "mcrank", PAIRS("queries", "2000"));
    const size_t rows = data->arrays.rows, features = data->arrays.features;

    (void)state;
    assert_int_equal(rows, 100000);
    assert_int_equal(features, 50);
    for (int g = 0; g < 5; g++) { /* sampling error of the rows and of the cuts */
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

/* Other shares, and few features, where permutations have fixed points: moments stay exact. */
static void test_mcrank_with_other_shares_and_features(void **state)
{
    static const char *const features[] = { "1", "2", "3", "5" };

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        gradus_dataset *data = make_with(
            2, "mcrank",
            PAIRS("features", features[i], "documents", "7", "queries", "5000", "shares", "1,0,3"));

        CHECK_NEAR(share_of(data, 0), 0.25, 0.011);
        CHECK_NEAR(share_of(data, 1), 0.0, 0.0);
        CHECK_NEAR(share_of(data, 2), 0.75, 0.011);
        gradus_dataset_free(data);
    }
}

/* ---- mixture ---- */

static void test_mixture_is_normal_in_each_grade(void **state)
{
    gradus_dataset *data = make_with(1, "mixture", PAIRS("rows", "20000"));
    gradus_dataset *plain = make_with(1, "mixture", PAIRS("first-label", "0", "means", "1,5"));

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
    gradus_dataset *data = make_with(2, "web", PAIRS("queries", "600", "seed", "5"));
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
    assert_true(column_correlation(data, 20, 24) > 0.9);          /* terms in body and in all */
    assert_true(column_correlation(data, 105, 109) > 0.8);        /* BM25 likewise */
    assert_true(fabs(column_correlation(data, 10, 12)) < 0.1);    /* body and title lengths */
    assert_true(column_correlation(data, 107, 136) > 0.1);        /* BM25 of the title and label */
    assert_true(fabs(column_correlation(data, 128, 136)) < 0.05); /* outlinks tell nothing */
    gradus_description_free(d);
    gradus_dataset_free(data);
}

/* Few digits, counts are whole, statistics agree with one another. */
static void test_web_values_hang_together(void **state)
{
    gradus_dataset *data = make_with(1, "web", PAIRS("queries", "30"));
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
                CHECK_NEAR((double)x[15 + s], (double)first[15 + s], 0.0); /* idf is the query's */
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

/* More noise: the label follows the features less. */
static void test_web_noise_is_noise(void **state)
{
    gradus_dataset *clear = make_with(2, "web", PAIRS("queries", "100", "noise", "0"));
    gradus_dataset *noisy = make_with(2, "web", PAIRS("queries", "100", "noise", "5"));

    (void)state;
    assert_true(column_correlation(clear, 107, 136) > 2.0 * column_correlation(noisy, 107, 136));
    gradus_dataset_free(noisy);
    gradus_dataset_free(clear);
}

/* ---- clicks ---- */

/* Rows of the tenth of the set; the label 1 among rows with the column. */
static double rate_of(const gradus_dataset *data, size_t from, size_t to)
{
    double clicks = 0.0;

    for (size_t r = from; r < to; r++)
        clicks += (double)data->arrays.labels[r];
    return clicks / (double)(to - from);
}

static void test_clicks_are_sparse_and_rare(void **state)
{
    gradus_dataset *data = make_with(2, "clicks", PAIRS("queries", "20000"));
    gradus_dataset *often =
        make_with(2, "clicks", PAIRS("queries", "5000", "rate", "0.3", "features", "1000"));
    const gradus_arrays *a = &data->arrays;
    size_t low = SIZE_MAX, high = 0;

    (void)state;
    assert_false(gr_dataset_is_dense(data));
    assert_int_equal(a->features, 100000);
    CHECK_NEAR((double)a->rows / 20000.0, 3.5, 0.06); /* 1 to 6 alike */
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

/* The share of columns of the last tenth that the first tenth does not have. */
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

/* The columns of a set of a million are nearly categories themselves. */
static void test_clicks_drift(void **state)
{
    gradus_dataset *still =
        make_with(2, "clicks", PAIRS("queries", "15000", "drift", "0", "features", "1000000"));
    gradus_dataset *moving =
        make_with(2, "clicks", PAIRS("queries", "15000", "drift", "6", "features", "1000000"));

    (void)state;
    assert_true(new_columns(moving) > new_columns(still) + 0.01);
    gradus_dataset_free(moving);
    gradus_dataset_free(still);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_kind_is_in_the_catalogue),
        cmocka_unit_test(test_threads_do_not_matter),
        cmocka_unit_test(test_a_seed_gives_the_same_set_for_ever),
        cmocka_unit_test(test_seeds_matter),
        cmocka_unit_test(test_first_queries_do_not_depend_on_how_many_follow),
        cmocka_unit_test(test_a_set_can_begin_at_any_query),
        cmocka_unit_test(test_parts_do_not_overlap),
        cmocka_unit_test(test_stream_is_the_set_in_memory),
        cmocka_unit_test(test_bad_options_are_refused),
        cmocka_unit_test(test_draws_have_their_moments),
        cmocka_unit_test(test_rounding_keeps_six_digits),
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

    return cmocka_run_group_tests(tests, make_kept, free_kept);
}
