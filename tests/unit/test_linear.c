/* SPDX-License-Identifier: Apache-2.0 */
/* Least squares: worked examples, its kernels, the normal equations, and ill-conditioned data. */
#include "linear_rows.h"

#include "kernels/gram.h"
#include "learners/linear/linear.h"
#include "learners/linear/sums.h"

#include <string.h>

enum { ROWS = 300, FEATURES = 11 };

static const gr_linear_options plain = { .ridge = 0.0 };

static char last_note[400];

static void keep_note(void *user, const char *note)
{
    (void)user;
    snprintf(last_note, sizeof last_note, "%s", note);
}

/* Labels are the targets. */
static gr_linear fitted(const gradus_dataset *data, const gr_linear_options *options)
{
    const gradus_context context = { .note = keep_note };
    const gr_problem problem = { .rows = data->arrays.rows,
                                 .labels = data->arrays.labels,
                                 .outputs = 1,
                                 .row_weights = data->arrays.row_weights };
    gradus_error err = { GRADUS_OK, "" };
    gr_linear linear;

    last_note[0] = '\0';
    if (gr_linear_train(&context, data, &problem, options, &linear, &err) != GRADUS_OK) {
        print_error("%s\n", err.message);
        fail();
    }
    return linear;
}

static double *outputs_of(const gr_linear *linear, const gradus_dataset *data)
{
    double *outputs = calloc(linear->outputs * data->arrays.rows, sizeof *outputs);

    assert_int_equal(gr_linear_add(linear, data, outputs, NULL, NULL), GRADUS_OK);
    return outputs;
}

static double intercept_of(const gr_linear *linear)
{
    double intercept = linear->bases[0];

    for (size_t f = 0; f < linear->features; f++)
        intercept -= linear->coefficients[f] * linear->means[f];
    return intercept;
}

/* x = 1 2 3 4, y = 1 3 2 5: centred sums of squares: x 5, y 8.75, products 5.5. */
static void test_a_line_worked_by_hand(void **state)
{
    float values[] = { 1, 2, 3, 4 }, labels[] = { 1, 3, 2, 5 };
    const linear_rows made = { 4, 1, values, labels, NULL };
    gradus_dataset *data = dataset_of(&made, false);
    gr_linear linear = fitted(data, &plain);
    double products[] = { 5.0 }, with_target[] = { 5.5 }, means[] = { 2.5 }, coefficient;
    const gr_linear_moments moments = { 1, 1, 4.0, 4.0, means, products, with_target, 2.75, 8.75 };
    gr_linear_fit fit = { .coefficients = &coefficient };

    (void)state;
    CHECK_NEAR(linear.coefficients[0], 1.1, 1e-14);
    CHECK_NEAR(intercept_of(&linear), 0.0, 1e-14);
    CHECK_NEAR(linear.means[0], 2.5, 0.0);
    CHECK_NEAR(linear.spreads[0], sqrt(1.25), 1e-15);
    gr_linear_free(&linear);
    assert_int_equal(gr_least_squares(&moments, NULL, 0, &plain, &fit, NULL), GRADUS_OK);
    CHECK_NEAR(coefficient, 1.1, 1e-15);
    CHECK_NEAR(fit.intercept, 0.0, 1e-15);
    CHECK_NEAR(fit.rss, 2.7, 1e-14);
    assert_int_equal(fit.used, 1);
    /* a ridge equal to 4 rows doubles the 5 */
    linear = fitted(data, &(gr_linear_options){ .ridge = 4.0 });
    CHECK_NEAR(linear.coefficients[0], 0.55, 1e-14);
    CHECK_NEAR(linear.bases[0], 2.75, 1e-14);
    gr_linear_free(&linear);
    gradus_dataset_free(data);
}

static void test_every_kernel_gives_the_bits_of_the_plain_one(void **state)
{
    enum { MAX = 21, COUNT = 37 };
    gr_rng rng = gr_rng_for(4, "panel", 0);
    float values[COUNT * MAX];
    double means[MAX];
    uint32_t numbers[COUNT];

    (void)state;
    for (size_t i = 0; i < COUNT * MAX; i++)
        values[i] = i % 17 == 3 ? NAN : i % 29 == 5 ? INFINITY : (float)gr_rng_normal(&rng);
    for (size_t r = 0; r < COUNT; r++)
        numbers[r] = (uint32_t)gr_rng_below(&rng, COUNT);
    for (size_t f = 0; f < MAX; f++)
        means[f] = gr_rng_normal(&rng);
    for (size_t features = 1; features <= MAX; features++) {
        const gr_gram_kernels *all[] = { &gr_gram_plain, gr_gram_here() };
        const size_t strips = (features + GR_STRIP - 1) / GR_STRIP;
        const size_t columns = strips * GR_STRIP, rows_now = features % 2 ? COUNT : 1;
        double panel[2][COUNT * 24] = { { 0 } }, products[2][24 * 24] = { { 0 } };
        double sums[2][MAX] = { { 0 } }, dots[2];
        bool whole[2];

        for (size_t i = 0; i < 2; i++) {
            const gr_pack pack = { values,   MAX,  features, features % 3 ? numbers : NULL,
                                   rows_now, means };

            all[i]->pack(&pack, panel[i]);
            all[i]->gram(panel[i], panel[i], rows_now, strips, products[i], columns);
            all[i]->gram(panel[i], panel[i], rows_now, strips, products[i], columns);
            dots[i] = all[i]->dot(panel[i], means, features);
            whole[i] = all[i]->total(values + 7 * MAX, features, 0.3, sums[i]);
        }
        assert_memory_equal(panel[0], panel[1], sizeof panel[0]);
        assert_memory_equal(products[0], products[1], sizeof products[0]);
        assert_memory_equal(sums[0], sums[1], sizeof sums[0]);
        assert_memory_equal(&dots[0], &dots[1], sizeof dots[0]);
        assert_true(whole[0] == whole[1]);
    }
}

/* The property of a least squares fit: residuals are orthogonal to every feature and to 1. */
static void check_normal(const linear_rows *made, const gradus_dataset *data,
                         const gr_linear *linear)
{
    double *outputs = outputs_of(linear, data);

    for (size_t f = 0; f <= made->features; f++) {
        double sum = 0.0, size = 0.0;

        for (size_t r = 0; r < made->count; r++) {
            const float value = f < made->features ? made->values[r * made->features + f] : 1.0f;
            const double x = isfinite(value) ? (double)value : linear->means[f];
            const double weight = data->arrays.row_weights ? (double)made->weights[r] : 1.0;

            sum += weight * x * ((double)made->labels[r] - outputs[r]);
            size += weight * fabs(x * (double)made->labels[r]);
        }
        CHECK_NEAR(sum / size, 0.0, 1e-13);
    }
    free(outputs);
}

static void test_residuals_are_at_right_angles_to_features(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 6; seed++) {
        linear_rows made = make_linear_rows(ROWS, FEATURES, seed);
        gradus_dataset *data = dataset_of(&made, seed % 2);

        for (size_t i = 0; seed >= 3 && i < 100; i++)
            made.values[i * 31] = i % 2 ? NAN : -INFINITY;
        gr_linear linear = fitted(data, &plain);

        check_normal(&made, data, &linear);
        assert_string_equal(last_note, "");
        gr_linear_free(&linear);
        gradus_dataset_free(data);
        end_linear_rows(&made);
    }
}

static void test_whole_weights_are_repeated_rows(void **state)
{
    linear_rows made = make_linear_rows(ROWS, FEATURES, 7),
                copies = make_linear_rows(3 * ROWS, FEATURES, 8);
    const gr_linear_options m5 = { .ridge = 0.5, .elimination = GR_ELIMINATE_M5 };

    (void)state;
    made.values[5] = NAN;
    copies.count = 0;
    for (size_t r = 0; r < ROWS; r++)
        for (float i = 0; i < made.weights[r]; i++, copies.count++) {
            memcpy(copies.values + copies.count * FEATURES, made.values + r * FEATURES,
                   FEATURES * sizeof(float));
            copies.labels[copies.count] = made.labels[r];
        }
    gradus_dataset *data = dataset_of(&made, true), *repeated = dataset_of(&copies, false);
    gr_linear linear = fitted(data, &m5), other = fitted(repeated, &m5);

    for (size_t f = 0; f < FEATURES; f++) {
        CHECK_NEAR(linear.coefficients[f], other.coefficients[f], 1e-12);
        CHECK_NEAR(linear.means[f], other.means[f], 1e-12);
    }
    CHECK_NEAR(linear.bases[0], other.bases[0], 1e-11);
    gr_linear_free(&linear);
    gr_linear_free(&other);
    gradus_dataset_free(data);
    gradus_dataset_free(repeated);
    end_linear_rows(&made);
    end_linear_rows(&copies);
}

/* The same rows, with only their non-zero values. */
static gradus_dataset *sparse_of(const linear_rows *made, uint64_t *starts, uint32_t *columns,
                                 float *entries)
{
    gradus_arrays arrays = { .rows = made->count,
                             .features = made->features,
                             .row_starts = starts,
                             .columns = columns,
                             .entries = entries,
                             .labels = made->labels,
                             .row_weights = made->weights };
    size_t used = 0;

    for (size_t r = 0; r < made->count; r++) {
        starts[r] = used;
        for (size_t f = 0; f < made->features; f++)
            if (made->values[r * made->features + f] != 0.0f) {
                columns[used] = (uint32_t)f;
                entries[used++] = made->values[r * made->features + f];
            }
    }
    starts[made->count] = used;
    return gradus_dataset_borrow(&arrays, NULL);
}

static void test_sparse_rows_are_as_dense_ones(void **state)
{
    linear_rows made = make_linear_rows(ROWS, FEATURES, 9);
    uint64_t starts[ROWS + 1];
    uint32_t *columns = calloc(ROWS * FEATURES, sizeof *columns);
    float *entries = calloc(ROWS * FEATURES, sizeof *entries);

    (void)state;
    for (size_t i = 0; i < ROWS * FEATURES; i++)
        if (i % 7 < 4)
            made.values[i] = 0.0f;
    made.values[5] = made.values[200] = NAN;
    gradus_dataset *dense = dataset_of(&made, true);
    gradus_dataset *sparse = sparse_of(&made, starts, columns, entries);
    gr_linear a = fitted(dense, &plain), b = fitted(sparse, &plain);
    double *outputs = outputs_of(&a, dense), *others = outputs_of(&b, sparse);

    for (size_t f = 0; f < FEATURES; f++) {
        CHECK_NEAR(a.coefficients[f], b.coefficients[f], 1e-11);
        CHECK_NEAR(a.means[f], b.means[f], 1e-12);
        CHECK_NEAR(a.spreads[f], b.spreads[f], 1e-11);
    }
    for (size_t r = 0; r < ROWS; r++)
        CHECK_NEAR(outputs[r], others[r], 1e-9);
    free(outputs);
    free(others);
    gr_linear_free(&a);
    gr_linear_free(&b);
    gradus_dataset_free(dense);
    gradus_dataset_free(sparse);
    free(columns);
    free(entries);
    end_linear_rows(&made);
}

/* Features 1, 4 and 6 are redundant: a constant, a copy, a linear combination. */
static void test_features_that_tell_nothing_new_are_left_out(void **state)
{
    linear_rows made = make_linear_rows(ROWS, 8, 10), fewer = make_linear_rows(ROWS, 5, 10);
    size_t copied = 0;

    (void)state;
    for (size_t r = 0; r < ROWS; r++) {
        float *row = made.values + r * 8;

        row[1] = 0.1f;
        row[4] = row[0];
        row[6] = row[2] - 2.0f * row[3];
        copied = 0;
        for (size_t f = 0; f < 8; f++)
            if (f != 1 && f != 4 && f != 6)
                fewer.values[r * 5 + copied++] = row[f];
        fewer.labels[r] = made.labels[r];
    }
    gradus_dataset *data = dataset_of(&made, false), *without = dataset_of(&fewer, false);
    gr_linear linear = fitted(data, &plain);

    assert_string_equal(last_note, "1 feature is constant, 2 are linear combinations of others: "
                                   "left out");
    assert_true(linear.coefficients[1] == 0.0 && linear.coefficients[4] == 0.0);
    gr_linear other = fitted(without, &plain);
    double *outputs = outputs_of(&linear, data), *others = outputs_of(&other, without);

    for (size_t r = 0; r < ROWS; r++)
        CHECK_NEAR(outputs[r], others[r], 1e-4); /* the combination is rounded to float */
    free(outputs);
    free(others);
    gr_linear_free(&linear);
    gr_linear_free(&other);
    gradus_dataset_free(data);
    gradus_dataset_free(without);
    end_linear_rows(&made);
    end_linear_rows(&fewer);
}

static void test_more_features_than_rows(void **state)
{
    linear_rows made = make_linear_rows(6, 20, 11);
    gradus_dataset *data = dataset_of(&made, false);
    gr_linear linear = fitted(data, &plain);
    double *outputs = outputs_of(&linear, data);
    size_t used = 0;

    (void)state;
    assert_string_equal(last_note, "15 features are linear combinations of others: left out");
    for (size_t f = 0; f < 20; f++)
        used += linear.coefficients[f] != 0.0;
    assert_int_equal(used, 5);
    for (size_t r = 0; r < 6; r++)
        CHECK_NEAR(outputs[r], (double)made.labels[r], 1e-9);
    free(outputs);
    gr_linear_free(&linear);
    linear = fitted(data, &(gr_linear_options){ .ridge = 1.0 }); /* uses all of them */
    assert_string_equal(last_note, "");
    gr_linear_free(&linear);
    gradus_dataset_free(data);
    end_linear_rows(&made);
}

static void test_targets_without_variance_and_features_never_there(void **state)
{
    linear_rows made = make_linear_rows(ROWS, 3, 12);

    (void)state;
    for (size_t r = 0; r < ROWS; r++) {
        made.labels[r] = 2.5f;
        made.values[r * 3 + 1] = NAN;
    }
    gradus_dataset *data = dataset_of(&made, true);
    gr_linear linear = fitted(data, &plain);

    for (size_t f = 0; f < 3; f++)
        assert_true(linear.coefficients[f] == 0.0);
    CHECK_NEAR(linear.bases[0], 2.5, 1e-14);
    CHECK_NEAR(linear.means[1], 0.0, 0.0);
    gr_linear_free(&linear);
    gradus_dataset_free(data);
    end_linear_rows(&made);
}

/* Targets and weights by grade; output 1 has weight 0 everywhere. */
static void test_an_output_without_weight_is_the_mean_of_its_target(void **state)
{
    const double targets[] = { 0, 1, 1, 0, 0, 1 }, weights[] = { 1, 3, 0, 0, 0, 0 };
    const gradus_context context = { .note = keep_note };
    linear_rows made = make_linear_rows(90, 2, 13);
    uint8_t level_of[90];
    gr_linear linear;

    (void)state;
    for (size_t r = 0; r < 90; r++)
        level_of[r] = (uint8_t)(r % 3);
    gradus_dataset *data = dataset_of(&made, false);
    const gr_problem problem = { .rows = 90,
                                 .labels = made.labels,
                                 .levels = 3,
                                 .level_of = level_of,
                                 .outputs = 2,
                                 .targets = targets,
                                 .weights = weights };

    assert_int_equal(gr_linear_train(&context, data, &problem, &plain, &linear, NULL), GRADUS_OK);
    assert_string_equal(last_note,
                        "output 2: every row has weight 0; it predicts the mean of its target");
    CHECK_NEAR(linear.bases[1], 1.0 / 3.0, 1e-15);
    assert_true(linear.coefficients[2] == 0.0 && linear.coefficients[3] == 0.0);

    /* output 0 is fitted to rows of grades 0 and 1 only, the latter with weight three */
    linear_rows other = make_linear_rows(120, 2, 13);

    other.count = 0;
    for (size_t r = 0; r < 90; r++)
        for (size_t i = 0; i < (size_t)weights[r % 3]; i++, other.count++) {
            memcpy(other.values + 2 * other.count, made.values + 2 * r, 2 * sizeof(float));
            other.labels[other.count] = (float)targets[r % 3];
        }
    gradus_dataset *repeated = dataset_of(&other, false);
    gr_linear same = fitted(repeated, &plain);

    CHECK_NEAR(linear.coefficients[0], same.coefficients[0], 1e-13);
    CHECK_NEAR(linear.coefficients[1], same.coefficients[1], 1e-13);
    gr_linear_free(&linear);
    gr_linear_free(&same);
    gradus_dataset_free(data);
    gradus_dataset_free(repeated);
    end_linear_rows(&made);
    end_linear_rows(&other);
}

static void test_too_many_features_are_refused(void **state)
{
    const uint64_t starts[] = { 0, 1, 1 };
    const uint32_t columns[] = { GR_LINEAR_FEATURES };
    const float entries[] = { 1.0f }, labels[] = { 0, 1 };
    const gradus_arrays arrays = { .rows = 2,
                                   .features = GR_LINEAR_FEATURES + 1,
                                   .row_starts = starts,
                                   .columns = columns,
                                   .entries = entries,
                                   .labels = labels };
    const gr_problem problem = { .rows = 2, .labels = labels, .outputs = 1 };
    gradus_dataset *data = gradus_dataset_borrow(&arrays, NULL);
    gradus_error err = { GRADUS_OK, "" };
    gr_linear linear;

    (void)state;
    assert_int_equal(gr_linear_train(NULL, data, &problem, &plain, &linear, &err),
                     GRADUS_BAD_NUMBER);
    assert_string_equal(err.message, "least squares supports at most 10000 features, but the data "
                                     "have 10001 (memory grows with their square)");
    gradus_dataset_free(data);
}

/* Elimination as in WEKA, solving again at each step. */
typedef struct step {
    double rss;
    size_t worst; /* with the smallest standardised coefficient */
} step;

static step fit_of(const gr_linear_moments *m, const size_t *features, size_t count)
{
    double coefficients[FEATURES];
    gr_linear_fit fit = { .coefficients = coefficients };
    step made = { 0.0, SIZE_MAX };
    double least = INFINITY;

    assert_int_equal(gr_least_squares(m, features, count, &plain, &fit, NULL), GRADUS_OK);
    made.rss = fit.rss;
    for (size_t i = 0; i < count; i++) {
        const size_t f = features[i];
        const double size = fabs(coefficients[f]) * sqrt(m->products[f * m->stride + f]);

        if (size < least) {
            least = size;
            made.worst = i;
        }
    }
    return made;
}

static size_t without(const size_t *features, size_t count, size_t place, size_t *fewer)
{
    size_t kept = 0;

    for (size_t i = 0; i < count; i++)
        if (i != place)
            fewer[kept++] = features[i];
    return kept;
}

static size_t eliminate_plainly(const gr_linear_moments *m, bool greedy, size_t *features)
{
    size_t count = FEATURES, fewer[FEATURES];
    const double n = m->count, v = FEATURES + 1;
    const double full = fit_of(m, features, count).rss;
    double best = n + v;

    for (;;) {
        size_t place = SIZE_MAX;
        const size_t worst = fit_of(m, features, count).worst;

        for (size_t i = 0; i < count; i++) {
            const size_t left = without(features, count, i, fewer);
            const double akaike = fit_of(m, fewer, left).rss / full * (n - v) + 2.0 * (double)count;

            if ((greedy || i == worst) && akaike < best) {
                best = akaike;
                place = i;
            }
        }
        if (place == SIZE_MAX)
            return count;
        count = without(features, count, place, fewer);
        memcpy(features, fewer, count * sizeof *features);
    }
}

static void test_elimination_is_that_of_single_steps(void **state)
{
    size_t dropped = 0;

    (void)state;
    for (uint64_t seed = 20; seed < 30; seed++)
        for (int how = GR_ELIMINATE_M5; how <= GR_ELIMINATE_GREEDY; how++) {
            linear_rows made = make_linear_rows(40, FEATURES, seed);
            gradus_dataset *data = dataset_of(&made, false);
            const gr_problem problem = { .rows = 40, .labels = made.labels, .outputs = 1 };
            double products[24 * 24], with_target[24], means[24], coefficients[FEATURES];
            size_t features[FEATURES], kept = 0;
            gr_sums sums;
            gr_linear_fit fit = { .coefficients = coefficients };

            for (size_t f = 0; f < FEATURES; f++)
                features[f] = f;
            assert_int_equal(gr_sums_of(NULL, data, &problem, &sums, NULL), GRADUS_OK);
            const gr_linear_moments m = gr_sums_moments(&sums, 0, products, with_target, means);
            const size_t wanted = eliminate_plainly(&m, how == GR_ELIMINATE_GREEDY, features);

            assert_int_equal(gr_least_squares(&m, NULL, 0,
                                              &(gr_linear_options){ .elimination = how }, &fit,
                                              NULL),
                             GRADUS_OK);
            assert_int_equal(fit.used, wanted);
            assert_int_equal(fit.eliminated, FEATURES - wanted);
            for (size_t f = 0; f < FEATURES; f++)
                if (coefficients[f] != 0.0)
                    assert_int_equal(f, features[kept++]);
            dropped += fit.eliminated;
            gr_sums_free(&sums);
            gradus_dataset_free(data);
            end_linear_rows(&made);
        }
    assert_true(dropped > 20);
}

/* Two features that nearly cancel have large coefficients; one of them is eliminated. */
static void test_large_standardised_coefficients_go(void **state)
{
    linear_rows made = make_linear_rows(ROWS, 2, 31);
    const gr_linear_options limited = { .most_standardised = 1.5 };

    (void)state;
    for (size_t r = 0; r < ROWS; r++) {
        const float off = made.values[2 * r + 1] * 0.01f;

        made.labels[r] = off * 100.0f;
        made.values[2 * r + 1] = made.values[2 * r] + off;
    }
    gradus_dataset *data = dataset_of(&made, false);
    gr_linear linear = fitted(data, &plain);

    assert_true(fabs(linear.coefficients[0]) > 50.0 && fabs(linear.coefficients[1]) > 50.0);
    gr_linear_free(&linear);
    linear = fitted(data, &limited);
    assert_true((linear.coefficients[0] == 0.0) != (linear.coefficients[1] == 0.0));
    assert_string_equal(last_note, "1 feature is a linear combination of others: left out");
    gr_linear_free(&linear);
    gradus_dataset_free(data);
    end_linear_rows(&made);
}

/* Wide rows are not densified: zeros contribute what they should. */
static void test_wide_sparse_rows_are_run_as_they_are(void **state)
{
    enum { WIDTH = 3000, COUNT = 4, OUTPUTS = 2 };
    static const uint32_t columns[] = { 0, 17, 2999, 5, 6, 2048 };
    static const float entries[] = { 1.5f, -2.0f, 0.25f, NAN, 3.0f, -1.0f };
    static const uint64_t starts[COUNT + 1] = { 0, 3, 3, 5, 6 };
    static const float labels[COUNT] = { 0 };
    const gradus_arrays arrays = { .rows = COUNT,
                                   .features = WIDTH,
                                   .row_starts = starts,
                                   .columns = columns,
                                   .entries = entries,
                                   .labels = labels };
    gradus_dataset *sparse = gradus_dataset_borrow(&arrays, NULL);
    float *values = calloc(COUNT * WIDTH, sizeof *values);
    double sums[OUTPUTS * COUNT] = { 0.0 }, wanted[OUTPUTS * COUNT] = { 0.0 };
    gradus_error err;
    gr_linear linear;

    (void)state;
    assert_int_equal(gr_linear_new(&linear, WIDTH, OUTPUTS, &err), GRADUS_OK);
    for (size_t i = 0; i < WIDTH; i++) {
        linear.own[i] = sin((double)i); /* means */
        linear.own[WIDTH + i] = 1.0;    /* standard deviations */
        ((double *)linear.coefficients)[i] = cos((double)(i % 97));
        ((double *)linear.coefficients)[WIDTH + i] = 0.01 * (double)(i % 13);
    }
    ((double *)linear.bases)[1] = 7.5;
    for (size_t r = 0; r < COUNT; r++)
        gr_dataset_row(sparse, r, values + r * WIDTH);
    for (size_t r = 0; r < COUNT; r++)
        for (size_t k = 0; k < OUTPUTS; k++) {
            wanted[k * COUNT + r] = linear.bases[k];
            for (size_t f = 0; f < WIDTH; f++)
                if (!isnan(values[r * WIDTH + f]))
                    wanted[k * COUNT + r] += linear.coefficients[k * WIDTH + f] *
                                             ((double)values[r * WIDTH + f] - linear.means[f]);
        }
    assert_true(gr_linear_takes_sparse(&linear));
    assert_int_equal(gr_linear_add(&linear, sparse, sums, NULL, &err), GRADUS_OK);
    for (size_t i = 0; i < OUTPUTS * COUNT; i++)
        CHECK_NEAR(sums[i], wanted[i], 1e-10);
    gr_linear_free(&linear);
    gradus_dataset_free(sparse);
    free(values);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_line_worked_by_hand),
        cmocka_unit_test(test_every_kernel_gives_the_bits_of_the_plain_one),
        cmocka_unit_test(test_residuals_are_at_right_angles_to_features),
        cmocka_unit_test(test_whole_weights_are_repeated_rows),
        cmocka_unit_test(test_sparse_rows_are_as_dense_ones),
        cmocka_unit_test(test_wide_sparse_rows_are_run_as_they_are),
        cmocka_unit_test(test_features_that_tell_nothing_new_are_left_out),
        cmocka_unit_test(test_more_features_than_rows),
        cmocka_unit_test(test_targets_without_variance_and_features_never_there),
        cmocka_unit_test(test_an_output_without_weight_is_the_mean_of_its_target),
        cmocka_unit_test(test_too_many_features_are_refused),
        cmocka_unit_test(test_elimination_is_that_of_single_steps),
        cmocka_unit_test(test_large_standardised_coefficients_go),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
