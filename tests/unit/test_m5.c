/* SPDX-License-Identifier: Apache-2.0 */
/* Model trees: worked examples, the split search against brute force, weights, missing values,
 * difficult data, bagging, threads and files. WEKA's trees are compared by scripts/parity/m5p.py.
 */
#include "model_bytes.h"
#include "checks.h"

#include "base/rng.h"
#include "learners/m5/m5_build.h"
#include "kernels/m5_products.h"
#include "model/model.h"

#include <stdlib.h>
#include <unistd.h>

#define PAIRS(...) ((const char *const[]){ __VA_ARGS__, NULL })

typedef struct rows {
    size_t count, features;
    float *values, *labels, *weights;
} rows;

/* Values with many ties; grades that depend on them by steps and slopes. */
static rows make_rows(size_t count, size_t features, uint64_t seed)
{
    gr_rng rng = gr_rng_for(seed, "rows", 0);
    rows made = { count, features, calloc(count * features + 1, sizeof(float)),
                  calloc(count, sizeof(float)), calloc(count, sizeof(float)) };

    for (size_t r = 0; r < count; r++) {
        float *row = made.values + r * features;
        double y = gr_rng_normal(&rng) * 0.4;

        for (size_t f = 0; f < features; f++)
            row[f] = (float)gr_rng_below(&rng, f % 2 ? 200 : 12) * 0.5f - 3.0f;
        y += row[0] > 0.0f ? 2.0 : 0.02 * (double)row[features > 1];
        made.labels[r] = (float)fmin(fmax(rint(y), 0.0), 4.0);
        made.weights[r] = (float)gr_rng_below(&rng, 4);
    }
    return made;
}

static void end_rows(rows *made)
{
    free(made->values);
    free(made->labels);
    free(made->weights);
}

static gradus_dataset *dataset_of(const rows *made, bool weighted)
{
    const gradus_arrays arrays = { .rows = made->count,
                                   .features = made->features,
                                   .values = made->values,
                                   .stride = made->features,
                                   .labels = made->labels,
                                   .row_weights = weighted ? made->weights : NULL };
    gradus_error err = { GRADUS_OK, "" };
    gradus_dataset *data = gradus_dataset_borrow(&arrays, &err);

    if (!data)
        print_error("%s\n", err.message);
    assert_non_null(data);
    return data;
}

/* Regression by model trees, unless the options say otherwise; NULL and an error on failure. */
static gradus_model *try_training(const gradus_dataset *data, size_t threads,
                                  const char *const *pairs, gradus_error *err)
{
    gradus_context *context = gradus_context_new(threads, err);
    gradus_options *options = gradus_options_new("train", err);
    gradus_model *model;

    assert_int_equal(gradus_options_set(options, "method", "regression", err), GRADUS_OK);
    assert_int_equal(gradus_options_set(options, "learner", "m5p", err), GRADUS_OK);
    for (; pairs && *pairs; pairs += 2)
        assert_int_equal(gradus_options_set(options, pairs[0], pairs[1], err), GRADUS_OK);
    model = gradus_train(context, data, NULL, options, err);
    gradus_options_free(options);
    gradus_context_free(context);
    return model;
}

static gradus_model *trained(const rows *made, bool weighted, size_t threads,
                             const char *const *pairs)
{
    gradus_error err = { GRADUS_OK, "" };
    gradus_dataset *data = dataset_of(made, weighted);
    gradus_model *model = try_training(data, threads, pairs, &err);

    if (!model)
        print_error("%s\n", err.message);
    assert_non_null(model);
    gradus_dataset_free(data);
    return model;
}

static double score(const gradus_model *model, const float *row)
{
    double value;

    assert_int_equal(gradus_model_score_rows(model, row, 1, model->features, model->features,
                                             &value, NULL, NULL),
                     GRADUS_OK);
    return value;
}

static void test_fifth_roots_and_kernels(void **state)
{
    gr_rng rng = gr_rng_for(1, "roots", 0);
    gr_m5_cuts cuts;
    double spreads[GR_CUTS_AT_ONCE];
    const gr_m5_sums all = { 1000.0, 1800.0, 5000.0 };

    (void)state;
    for (size_t i = 0; i < 2000; i++) {
        const double x = pow(10.0, 40.0 * gr_rng_uniform(&rng) - 29.0);

        CHECK_NEAR(gr_m5_fifth_root(x) / pow(x, 0.2), 1.0, 1e-14);
    }
    CHECK_NEAR(gr_m5_fifth_root(0.0), 0.0, 0.0);
    for (size_t i = 0; i < GR_CUTS_AT_ONCE; i++) {
        cuts.weights[i] = 1.0 + (double)i;
        cuts.sums[i] = 1.5 * (double)i;
        cuts.squares[i] = 4.0 * (double)i;
    }
    gr_m5_spread_here()->spread(&cuts, 251, &all, spreads);
    for (size_t i = 1; i < 251; i++) {
        const gr_m5_sums left = { cuts.weights[i], cuts.sums[i], cuts.squares[i] };
        const gr_m5_sums right = { 1000.0 - left.weight, 1800.0 - left.sum, 5000.0 - left.squares };
        const double spread =
            left.weight * pow(gr_m5_variance(&left) / gr_m5_variance(&all), 0.2) +
            right.weight * pow(gr_m5_variance(&right) / gr_m5_variance(&all), 0.2);

        CHECK_NEAR(spreads[i], spread, 1e-9);
    }
}

static void test_products_are_sums_over_rows(void **state)
{
    enum { WIDTH = 24, HEIGHT = 17 };
    static double left[WIDTH * HEIGHT], right[WIDTH * HEIGHT], sums[WIDTH * WIDTH];
    gr_rng rng = gr_rng_for(2, "products", 0);

    (void)state;
    for (size_t i = 0; i < WIDTH * HEIGHT; i++) {
        left[i] = gr_rng_normal(&rng);
        right[i] = gr_rng_normal(&rng);
    }
    gr_m5_products_here()->products(left, right, HEIGHT, WIDTH, sums);
    for (size_t i = 0; i < WIDTH; i++)
        for (size_t j = i; j < WIDTH; j++) {
            double sum = 0.0;

            for (size_t r = 0; r < HEIGHT; r++)
                sum += left[r * WIDTH + i] * right[r * WIDTH + j];
            CHECK_NEAR(sums[i * WIDTH + j], sum, 0.0);
        }
}

static const float steps_x[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 };
static const float steps_y[] = { 0, 0, 0, 0, 0, 10, 10, 10, 10, 10 };

static gradus_model *of_steps(const float *labels, const char *const *pairs)
{
    rows made = { 10, 1, (float *)(uintptr_t)steps_x, (float *)(uintptr_t)labels, NULL };

    return trained(&made, false, 1, pairs);
}

/* Means 0 and 10 on either side of 4.5. The regression line of all rows has slope 125 / 82.5; each
 * leaf has 5 rows, so smoothing combines 5/20 of its mean and 15/20 of the line. */
static void test_a_step_worked_by_hand(void **state)
{
    gradus_model *model = of_steps(steps_y, PAIRS("unpruned", "true", "unsmoothed", "true"));
    const double slope = 125.0 / 82.5, intercept = 5.0 - 4.5 * slope;
    gradus_tree_node root;
    gradus_leaf_model leaf;

    (void)state;
    assert_true(gradus_model_tree_at(model, 0, 0, &root));
    assert_true(!root.is_leaf && root.rows == 10);
    CHECK_NEAR((double)nextafterf(root.threshold, 0.0f), 4.5, 0.0);
    CHECK_NEAR(root.gain, 250.0, 0.0);
    CHECK_NEAR(score(model, (float[]){ 4.5f }), 0.0, 0.0); /* the threshold itself goes left */
    CHECK_NEAR(score(model, (float[]){ 4.6f }), 10.0, 0.0);
    gradus_model_free(model);
    model = of_steps(steps_y, PAIRS("unpruned", "true"));
    assert_true(gradus_model_leaf_at(model, 0, 1, &leaf));
    assert_int_equal(leaf.terms, 1);
    CHECK_NEAR(leaf.factors[0], 0.75 * slope, 1e-8); /* the ridge is 1e-8 */
    CHECK_NEAR(leaf.intercept, 0.75 * intercept, 1e-8);
    assert_true(gradus_model_leaf_at(model, 0, 2, &leaf));
    CHECK_NEAR(leaf.intercept, 2.5 + 0.75 * intercept, 1e-8);
    assert_false(gradus_model_leaf_at(model, 0, 0, &leaf));
    assert_false(gradus_model_leaf_at(model, 0, 3, &leaf));
    gradus_model_free(model);
    model = of_steps(steps_y, PAIRS("regression-tree", "true", "unpruned", "true"));
    assert_true(gradus_model_leaf_at(model, 0, 1, &leaf)); /* means are smoothed: 0.75 * 5 */
    assert_int_equal(leaf.terms, 0);
    CHECK_NEAR(leaf.intercept, 3.75, 1e-12);
    gradus_model_free(model);
}

/* The subtree has 3 parameters and no error, the line 2 and an error: it is kept. If the data are a
 * line, the subtree adds nothing: it is pruned. */
static void test_pruning_worked_by_hand(void **state)
{
    gradus_model *model = of_steps(steps_y, NULL);
    float line[10];
    gradus_leaf_model leaf;

    (void)state;
    assert_int_equal(gr_model_m5(model)->forest.starts[1], 1);
    gradus_model_free(model);
    for (size_t r = 0; r < 10; r++)
        line[r] = 2.0f * steps_x[r] + 1.0f;
    model = of_steps(line, NULL);
    assert_int_equal(gr_model_m5(model)->forest.starts[1], 0);
    assert_true(gradus_model_leaf_at(model, 0, 0, &leaf));
    assert_int_equal(leaf.terms, 1);
    CHECK_NEAR(leaf.factors[0], 2.0, 1e-8);
    CHECK_NEAR(leaf.intercept, 1.0, 1e-8);
    gradus_model_free(model);
}

/* More than a fifth of the ten rows must be on each side: the split after two is not allowed, the
 * one after three is. */
static void test_cuts_leave_more_than_a_fifth(void **state)
{
    const float two[] = { 9, 9, 0, 0, 0, 0, 0, 0, 0, 0 },
                three[] = { 9, 9, 9, 0, 0, 0, 0, 0, 0, 0 };
    gradus_tree_node root;
    gradus_model *model = of_steps(three, PAIRS("unpruned", "true"));

    (void)state;
    assert_true(gradus_model_tree_at(model, 0, 0, &root));
    CHECK_NEAR((double)root.threshold, 2.5, 1e-6);
    gradus_model_free(model);
    model = of_steps(two, PAIRS("unpruned", "true"));
    assert_true(gradus_model_tree_at(model, 0, 0, &root));
    CHECK_NEAR((double)root.threshold, 2.5, 1e-6);
    gradus_model_free(model);
}

/* Every split of every feature, one by one. */
static void try_every_cut(const rows *made, bool weighted, size_t *feature, double *cut)
{
    double best = -1e20;

    for (size_t f = 0; f < made->features; f++) {
        double best_here = -1e20, cut_here = 0.0;

        for (size_t c = 0; c < made->count; c++) {
            const float at = made->values[c * made->features + f];
            gr_m5_sums sides[2] = { { 0.0, 0.0, 0.0 }, { 0.0, 0.0, 0.0 } }, all;
            float next = INFINITY;

            for (size_t r = 0; r < made->count; r++) {
                const float value = made->values[r * made->features + f];
                const double w = weighted ? (double)made->weights[r] : 1.0,
                             y = (double)made->labels[r];
                gr_m5_sums *side = &sides[value > at];

                side->weight += w;
                side->sum += w * y;
                side->squares += w * y * y;
                next = value > at && value < next && w > 0.0 ? value : next;
            }
            all = (gr_m5_sums){ sides[0].weight + sides[1].weight, sides[0].sum + sides[1].sum,
                                sides[0].squares + sides[1].squares };
            const double least = gr_m5_least_side(all.weight);

            if ((weighted && made->weights[c] == 0.0f) || sides[0].weight <= least ||
                sides[1].weight <= least)
                continue;
            const double gain = pow(gr_m5_variance(&all), 0.2) -
                                (sides[0].weight * pow(gr_m5_variance(&sides[0]), 0.2) +
                                 sides[1].weight * pow(gr_m5_variance(&sides[1]), 0.2)) /
                                    all.weight;

            if (gain > best_here + 1e-12 || (gain > best_here - 1e-12 && (double)at < cut_here)) {
                best_here = gain;
                cut_here = 0.5 * ((double)at + (double)next);
            }
        }
        if (best_here > best + 1e-6) {
            best = best_here;
            *feature = f;
            *cut = cut_here;
        }
    }
}

static void test_the_root_is_the_best_of_all_cuts(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 12; seed++) {
        rows made = make_rows(37 + 11 * seed, 3, seed);
        const bool weighted = seed % 2;
        gradus_model *model = trained(&made, weighted, 1, PAIRS("unpruned", "true"));
        gradus_tree_node root;
        size_t feature = 0;
        double cut = 0.0;

        try_every_cut(&made, weighted, &feature, &cut);
        assert_true(gradus_model_tree_at(model, 0, 0, &root));
        assert_int_equal(root.feature, feature);
        CHECK_NEAR((double)root.threshold, cut, 1e-5);
        gradus_model_free(model);
        end_rows(&made);
    }
}

static rows repeated(const rows *from)
{
    size_t count = 0;

    for (size_t r = 0; r < from->count; r++)
        count += (size_t)from->weights[r];
    rows made = make_rows(count, from->features, 0);

    for (size_t r = 0, to = 0; r < from->count; r++)
        for (size_t i = 0; i < (size_t)from->weights[r]; i++, to++) {
            memcpy(made.values + to * from->features, from->values + r * from->features,
                   from->features * sizeof(float));
            made.labels[to] = from->labels[r];
        }
    return made;
}

static void test_whole_weights_are_repeated_rows(void **state)
{
    const char *const *const variants[] = { PAIRS("split-search", "exact"),
                                            PAIRS("split-search", "binned"),
                                            PAIRS("unpruned", "true", "min-leaf", "20") };
    rows made = make_rows(700, 5, 3), again = repeated(&made);

    (void)state;
    for (size_t v = 0; v < 3; v++) {
        gradus_model *one = trained(&made, true, 1, variants[v]);
        gradus_model *other = trained(&again, false, 1, variants[v]);
        const gr_forest *a = gr_model_forest(one), *b = gr_model_forest(other);

        assert_int_equal(a->starts[1], b->starts[1]);
        assert_true(a->starts[1] > 0);
        for (size_t i = 0; i < a->starts[1]; i++) {
            assert_int_equal(a->splits[i].feature, b->splits[i].feature);
            CHECK_NEAR((double)a->splits[i].threshold, (double)b->splits[i].threshold, 0.0);
        }
        for (size_t r = 0; r < made.count; r++)
            CHECK_NEAR(score(one, made.values + r * 5), score(other, made.values + r * 5), 1e-9);
        gradus_model_free(one);
        gradus_model_free(other);
    }
    end_rows(&made);
    end_rows(&again);
}

static void test_nothing_to_split(void **state)
{
    float value = 3.0f, label = 2.0f, same[40];
    rows one = { 1, 1, &value, &label, NULL }, many = make_rows(40, 2, 4);
    rows constant = { 40, 2, many.values, same, NULL };
    gradus_model *model = trained(&one, false, 2, NULL);
    double mean = 0.0;

    (void)state;
    CHECK_NEAR(score(model, (float[]){ 99.0f }), 2.0, 0.0);
    gradus_model_free(model);
    for (size_t r = 0; r < 40; r++) {
        same[r] = 7.25f;
        mean += (double)many.labels[r] / 40.0;
    }
    for (size_t i = 0; i < 2; i++) { /* pruned or not */
        model = trained(&constant, false, 1, i ? PAIRS("unpruned", "true") : NULL);
        CHECK_NEAR(score(model, (float[]){ 99.0f, -5.0f }), 7.25, 0.0);
        assert_int_equal(gr_model_m5(model)->forest.starts[1], 0);
        gradus_model_free(model);
    }
    model = trained(&many, false, 1, PAIRS("min-leaf", "41"));
    CHECK_NEAR(score(model, (float[]){ 99.0f, -5.0f }), mean, 1e-12);
    gradus_model_free(model);
    end_rows(&many);
}

/* The mean of the non-missing values is exactly 2. */
static void test_missing_values_are_means(void **state)
{
    rows made = make_rows(400, 4, 5);
    double sum = 0.0;

    (void)state;
    for (size_t r = 0; r < 400; r++) {
        made.values[r * 4 + 2] = r % 5 == 0 ? NAN : (float)(r % 3 + 1);
        sum += r % 5 == 0 ? 0.0 : (double)made.values[r * 4 + 2];
    }
    made.values[1 * 4 + 2] += (float)(2.0 * 320.0 - sum);
    for (size_t v = 0; v < 2; v++) {
        const char *const *search = PAIRS("split-search", v ? "binned" : "exact");
        gradus_model *missing = trained(&made, false, 1, search), *filled;

        CHECK_NEAR(gr_model_m5(missing)->means[2], 2.0, 0.0);
        rows copy = make_rows(400, 4, 5);

        memcpy(copy.values, made.values, 400 * 4 * sizeof(float));
        for (size_t r = 0; r < 400; r += 5)
            copy.values[r * 4 + 2] = 2.0f;
        filled = trained(&copy, false, 1, search);
        for (size_t r = 0; r < 400; r++)
            CHECK_NEAR(score(missing, made.values + r * 4), score(filled, copy.values + r * 4),
                       0.0);
        gradus_model_free(missing);
        gradus_model_free(filled);
        end_rows(&copy);
    }
    end_rows(&made);
}

static void test_hard_data(void **state)
{
    rows made = make_rows(60, 80, 6), twice = make_rows(300, 4, 7);
    gradus_error err = { GRADUS_OK, "" };
    gradus_model *model = trained(&made, false, 1, NULL); /* more features than rows */

    (void)state;
    for (size_t r = 0; r < 60; r++)
        assert_true(isfinite(score(model, made.values + r * 80)));
    gradus_model_free(model);
    for (size_t r = 0; r < 300; r++) { /* a duplicate feature, a constant one, a tiny one */
        twice.values[r * 4 + 1] = twice.values[r * 4];
        twice.values[r * 4 + 2] = 1e6f;
        twice.values[r * 4 + 3] *= 1e-20f;
    }
    model = trained(&twice, false, 1, NULL);
    for (size_t r = 0; r < 300; r++)
        assert_true(fabs(score(model, twice.values + r * 4)) < 100.0);
    gradus_model_free(model);
    twice.values[50] = INFINITY;
    gradus_dataset *data = dataset_of(&twice, false);

    assert_null(try_training(data, 1, NULL, &err));
    assert_non_null(strstr(err.message, "is infinite"));
    assert_null(try_training(data, 1, PAIRS("method", "lambdamart"), &err));
    gradus_dataset_free(data);
    end_rows(&made);
    end_rows(&twice);
}

static void test_threads_change_no_byte_and_files_no_score(void **state)
{
    const char *const *const variants[] = {
        PAIRS("split-search", "exact", "unpruned", "true"),
        PAIRS("split-search", "binned", "method", "cocr", "cost", "oerr"),
        PAIRS("method", "cocr", "cost", "squared", "min-leaf", "30"),
        PAIRS("learner", "bagged-m5p", "rounds", "3", "bag-fraction", "0.5"),
    };
    rows made = make_rows(6000, 4, 8); /* more than one thread processes at once */

    (void)state;
    for (size_t v = 0; v < 4; v++) {
        size_t size, other_size;
        gradus_model *model = trained(&made, false, 1, variants[v]), *read;
        char *bytes = model_bytes(model, &size);

        for (size_t threads = 2; threads <= 8; threads += threads == 3 ? 5 : 1) {
            gradus_model *other = trained(&made, false, threads, variants[v]);
            char *other_bytes = model_bytes(other, &other_size);

            assert_int_equal(size, other_size);
            assert_memory_equal(bytes, other_bytes, size);
            free(other_bytes);
            gradus_model_free(other);
        }
        read = gr_model_parse(bytes, size, "a file", NULL);
        assert_non_null(read);
        for (size_t r = 0; r < 200; r++)
            CHECK_NEAR(score(read, made.values + r * 4), score(model, made.values + r * 4), 0.0);
        gradus_model_free(read);
        gradus_model_free(model);
        free(bytes);
    }
    end_rows(&made);
}

/* With one bin per value the rows are partitioned identically, wherever between the values the
 * thresholds are. */
static void test_bins_of_single_values_divide_as_values_do(void **state)
{
    rows made = make_rows(9000, 4, 9);
    gradus_model *exact = trained(&made, false, 1, PAIRS("split-search", "exact"));
    gradus_model *binned = trained(&made, false, 1, PAIRS("split-search", "binned"));

    (void)state;
    assert_int_equal(gr_model_forest(exact)->starts[1], gr_model_forest(binned)->starts[1]);
    assert_true(gr_model_forest(exact)->starts[1] > 0);
    for (size_t r = 0; r < 500; r++)
        CHECK_NEAR(score(exact, made.values + r * 4), score(binned, made.values + r * 4), 0.0);
    gradus_model_free(exact);
    gradus_model_free(binned);
    end_rows(&made);
}

static void test_a_prefix_of_bagging_is_a_shorter_bagging(void **state)
{
    rows made = make_rows(900, 4, 10);
    const char *const *few = PAIRS("learner", "bagged-m5p", "rounds", "3", "method", "cocr");
    const char *const *more = PAIRS("learner", "bagged-m5p", "rounds", "7", "method", "cocr");
    gradus_model *three = trained(&made, false, 2, few), *seven = trained(&made, false, 2, more);
    gradus_error err = { GRADUS_OK, "" };
    gradus_model *part = gr_model_view(seven, NULL, 3, NULL, &err);

    (void)state;
    assert_non_null(part);
    assert_int_equal(gr_model_forest(part)->trees, gr_model_forest(three)->trees);
    bool differ = false;
    for (size_t r = 0; r < 200; r++) {
        CHECK_NEAR(score(part, made.values + r * 4), score(three, made.values + r * 4), 0.0);
        differ = differ || score(seven, made.values + r * 4) != score(three, made.values + r * 4);
    }
    assert_true(differ);
    assert_null(gr_model_view(seven, NULL, 8, NULL, &err));
    gradus_model_free(part);
    gradus_model_free(three);
    gradus_model_free(seven);
    end_rows(&made);
}

/* Outputs of a bagged model are the mean over its trees. */
static void test_bags_are_averaged(void **state)
{
    rows made = make_rows(500, 3, 11);
    gradus_model *model =
        trained(&made, false, 1, PAIRS("learner", "bagged-m5p", "rounds", "4", "bag", "rows"));
    const gr_m5 *m5 = gr_model_m5(model);

    (void)state;
    assert_int_equal(m5->forest.trees, 4);
    for (size_t r = 0; r < 50; r++) {
        const float *row = made.values + r * 3;
        double sum = 0.0;

        for (size_t t = 0; t < 4; t++)
            sum += gr_m5_tree_output(m5, t, row);
        CHECK_NEAR(score(model, row), sum / 4.0, 1e-15);
    }
    gradus_model_free(model);
    end_rows(&made);
}

static void test_bags_have_their_share(void **state)
{
    enum { QUERIES = 100, EACH = 9, ROWS = QUERIES * EACH };
    uint64_t starts[QUERIES + 1];
    uint32_t counts[ROWS], again[ROWS], sum = 0;
    const gr_problem problem = { .rows = ROWS, .queries = QUERIES, .query_starts = starts };
    gr_m5_options options = { .bag_share = 0.25 };

    (void)state;
    for (size_t q = 0; q <= QUERIES; q++)
        starts[q] = q * EACH;
    assert_int_equal(gr_m5_draw(&problem, &options, 5, 0, counts, NULL), GRADUS_OK);
    for (size_t r = 0; r < ROWS; r++)
        sum += counts[r];
    assert_int_equal(sum, ROWS / 4);
    gr_m5_draw(&problem, &options, 5, 0, again, NULL);
    assert_memory_equal(counts, again, sizeof counts);
    gr_m5_draw(&problem, &options, 5, 1, again, NULL);
    assert_true(memcmp(counts, again, sizeof counts) != 0);
    options = (gr_m5_options){ .bag_share = 0.1, .bag = GR_BAG_QUERIES };
    gr_m5_draw(&problem, &options, 5, 0, counts, NULL);
    sum = 0;
    for (size_t r = 0; r < ROWS; r++) {
        assert_int_equal(counts[r], counts[r / EACH * EACH]);
        sum += counts[r];
    }
    assert_int_equal(sum, QUERIES / 10 * EACH);
    options.bag_share = 1e-6;
    gr_m5_draw(&problem, &options, 5, 0, counts, NULL);
    sum = 0;
    for (size_t r = 0; r < ROWS; r++)
        sum += counts[r];
    assert_int_equal(sum, EACH);
}

/* Contents that a file may have. */
static void test_damaged_trees_are_told(void **state)
{
    rows made = make_rows(500, 4, 12);
    gradus_model *model = trained(&made, false, 1, NULL);
    gradus_error err = { GRADUS_OK, "" };
    gr_m5 m5;

    (void)state;
    assert_int_equal(gr_m5_copy(gr_model_m5(model), SIZE_MAX, &m5, &err), GRADUS_OK);
    const size_t leaves = gr_m5_leaves(&m5);

    assert_int_equal(gr_m5_check(&m5, &err), GRADUS_OK);
    assert_true(leaves > 1 && m5.term_starts[leaves] > 0);
    const double intercept = m5.intercepts[leaves - 1];

    m5.intercepts[leaves - 1] = INFINITY;
    assert_int_equal(gr_m5_check(&m5, &err), GRADUS_BAD_FORMAT);
    m5.intercepts[leaves - 1] = intercept;
    m5.means[3] = NAN;
    assert_int_equal(gr_m5_check(&m5, &err), GRADUS_BAD_FORMAT);
    m5.means[3] = 0.0;
    const uint32_t feature = m5.term_features[0];

    m5.term_features[0] = 4;
    assert_int_equal(gr_m5_check(&m5, &err), GRADUS_BAD_FORMAT);
    m5.term_features[0] = feature;
    m5.term_starts[0] = 1;
    assert_int_equal(gr_m5_check(&m5, &err), GRADUS_BAD_FORMAT);
    m5.term_starts[0] = 0;
    const uint64_t last = m5.term_starts[leaves];

    m5.term_starts[leaves] = m5.term_starts[leaves - 1] - 1;
    assert_int_equal(gr_m5_check(&m5, &err), GRADUS_BAD_FORMAT);
    m5.term_starts[leaves] = last;
    assert_int_equal(gr_m5_check(&m5, &err), GRADUS_OK);
    gr_m5_free(&m5);
    gradus_model_free(model);
    end_rows(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fifth_roots_and_kernels),
        cmocka_unit_test(test_products_are_sums_over_rows),
        cmocka_unit_test(test_a_step_worked_by_hand),
        cmocka_unit_test(test_pruning_worked_by_hand),
        cmocka_unit_test(test_cuts_leave_more_than_a_fifth),
        cmocka_unit_test(test_the_root_is_the_best_of_all_cuts),
        cmocka_unit_test(test_whole_weights_are_repeated_rows),
        cmocka_unit_test(test_nothing_to_split),
        cmocka_unit_test(test_missing_values_are_means),
        cmocka_unit_test(test_hard_data),
        cmocka_unit_test(test_threads_change_no_byte_and_files_no_score),
        cmocka_unit_test(test_bins_of_single_values_divide_as_values_do),
        cmocka_unit_test(test_a_prefix_of_bagging_is_a_shorter_bagging),
        cmocka_unit_test(test_bags_are_averaged),
        cmocka_unit_test(test_bags_have_their_share),
        cmocka_unit_test(test_damaged_trees_are_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
