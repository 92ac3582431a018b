/* SPDX-License-Identifier: Apache-2.0 */
/* Shapley values of forests, of both kinds, against the sum over all coalitions. */
#include "checks.h"
#include "random_forest.h"

#include "explain/shap_against.h"
#include "explain/shap_path.h"

enum { FEATURES = 7, FORESTS = 200, ROWS = 4 };

/* The expected value of a tree if only the features of a coalition are known: reference NULL: others
 * are averaged by training rows; else they have the reference's values. */
static double subtree(const gr_forest *forest, size_t t, int32_t at, const float *row,
                      const float *reference, unsigned coalition, double *rows)
{
    const size_t first = (size_t)forest->starts[t];
    double parts[2], counts[2];

    if (at < 0) {
        const size_t leaf = first + t + (size_t)(-1 - at);

        *rows = (double)forest->covers[leaf];
        return (double)forest->leaves[leaf];
    }
    const gr_split *split = &forest->splits[first + (size_t)at];
    const bool known = coalition >> split->feature & 1;
    const float value = known || !reference ? row[split->feature] : reference[split->feature];
    const bool left = value < split->threshold || (isnan(value) && split->missing_left);

    parts[0] = subtree(forest, t, split->left, row, reference, coalition, &counts[0]);
    parts[1] = subtree(forest, t, split->right, row, reference, coalition, &counts[1]);
    *rows = counts[0] + counts[1];
    if (known || reference)
        return parts[left ? 0 : 1];
    return (parts[0] * counts[0] + parts[1] * counts[1]) / *rows;
}

static double game(const gr_forest *forest, size_t output, const float *row, const float *reference,
                   unsigned coalition)
{
    double sum = forest->bases[output], rows;

    for (size_t t = output; t < forest->trees; t += forest->outputs)
        sum += subtree(forest, t, forest->starts[t] < forest->starts[t + 1] ? 0 : -1, row,
                       reference, coalition, &rows);
    return sum;
}

static double factorial(unsigned n)
{
    return n < 2 ? 1.0 : n * factorial(n - 1);
}

/* The definition: the weighted sum over all coalitions without the feature. */
static double shapley(const gr_forest *forest, size_t output, const float *row,
                      const float *reference, unsigned feature)
{
    double sum = 0.0;

    for (unsigned s = 0; s < 1u << FEATURES; s++) {
        const unsigned size = (unsigned)__builtin_popcount(s);

        if (s >> feature & 1)
            continue;
        sum += factorial(size) * factorial(FEATURES - 1 - size) / factorial(FEATURES) *
               (game(forest, output, row, reference, s | 1u << feature) -
                game(forest, output, row, reference, s));
    }
    return sum;
}

static void make(gr_rng *rng, size_t i, gr_forest *forest, forest_plan *plan)
{
    *plan = (forest_plan){ .features = i % 5 == 0 ? 3 : FEATURES,
                           .outputs = 1 + i % 3,
                           .rounds = 1 + i % 2,
                           .leaves = 2 + i % 14,
                           .grid = i % 2 ? 4 : 0,
                           .shape = (forest_shape)(i % 3) };
    random_forest(rng, plan, forest);
    for (size_t l = 0; l < forest->starts[forest->trees] + forest->trees; l++)
        forest->covers[l] = 1 + (uint32_t)gr_rng_below(rng, 20);
}

static void path_dependent(void **state)
{
    (void)state;
    for (size_t i = 0; i < FORESTS; i++) {
        gr_rng rng = gr_rng_for(7, "shap", i);
        forest_plan plan;
        gr_forest forest;
        size_t used;

        make(&rng, i, &forest, &plan);
        float *rows = random_rows(&rng, &plan, &forest, ROWS, plan.features);
        gr_shap_forest *shap = gr_shap_compile(&forest, NULL);
        assert_non_null(shap);
        const uint32_t *features = gr_shap_features(shap, &used);
        double *out = malloc((ROWS * plan.outputs * used + 1) * sizeof *out);
        void *scratch = aligned_alloc(64, gr_shap_scratch(shap) / 64 * 64 + 64);

        gr_shap_run(shap, rows, ROWS, plan.features, out, scratch);
        for (size_t r = 0; r < ROWS; r++)
            for (size_t k = 0; k < plan.outputs; k++) {
                const float *row = rows + r * plan.features;
                double sum = gr_shap_base(shap, k);

                CHECK_NEAR(sum, game(&forest, k, row, NULL, 0), 1e-10);
                for (size_t f = 0; f < used; f++) {
                    const double found = out[(r * plan.outputs + k) * used + f];

                    CHECK_NEAR(found, shapley(&forest, k, row, NULL, features[f]), 1e-10);
                    sum += found;
                }
                CHECK_NEAR(sum, game(&forest, k, row, NULL, ~0u), 1e-10);
            }
        free(scratch);
        free(out);
        gr_shap_free(shap);
        free(rows);
        gr_forest_free(&forest);
    }
}

static void against_row(void **state)
{
    (void)state;
    for (size_t i = 0; i < FORESTS; i++) {
        gr_rng rng = gr_rng_for(8, "shap", i);
        forest_plan plan;
        gr_forest forest;

        make(&rng, i, &forest, &plan);
        float *rows = random_rows(&rng, &plan, &forest, 2, plan.features);
        assert_non_null(rows);
        const float *reference = rows + plan.features;
        gr_against *against = gr_against_new(&forest, NULL);
        double *out = calloc(plan.outputs * plan.features, sizeof *out);

        assert_non_null(against);
        gr_against_add(against, &forest, rows, reference, 0.5, out, plan.features);
        gr_against_add(against, &forest, rows, reference, 0.5, out, plan.features);
        for (size_t k = 0; rows && k < plan.outputs; k++) {
            double sum = game(&forest, k, rows, reference, 0);

            for (unsigned f = 0; f < plan.features; f++) {
                CHECK_NEAR(out[k * plan.features + f], shapley(&forest, k, rows, reference, f),
                           1e-10);
                sum += out[k * plan.features + f];
            }
            CHECK_NEAR(sum, game(&forest, k, rows, NULL, ~0u), 1e-10);
        }
        free(out);
        gr_against_free(against);
        free(rows);
        gr_forest_free(&forest);
    }
}

/* A chain whose paths have many more features than the first table of weights and points. */
static void long_paths(void **state)
{
    (void)state;
    const forest_plan plan = { .features = 90,
                               .outputs = 1,
                               .rounds = 3,
                               .leaves = 120,
                               .exactly = true,
                               .shape = SHAPE_CHAIN };
    gr_rng rng = gr_rng_for(9, "shap", 0);
    gr_forest forest;
    double sums[90] = { 0 };
    size_t used;

    random_forest(&rng, &plan, &forest);
    for (size_t l = 0; l < forest.starts[forest.trees] + forest.trees; l++)
        forest.covers[l] = 1;
    float *rows = random_rows(&rng, &plan, &forest, 2, plan.features);
    gr_shap_forest *shap = gr_shap_compile(&forest, NULL);
    gr_against *against = gr_against_new(&forest, NULL);
    assert_true(shap && against);
    double *out = malloc(90 * sizeof *out), raw[2];
    void *scratch = aligned_alloc(64, gr_shap_scratch(shap) / 64 * 64 + 64);

    gr_shap_features(shap, &used);
    gr_shap_run(shap, rows, 1, plan.features, out, scratch);
    gr_forest_row(&forest, rows, SIZE_MAX, &raw[0]);
    gr_forest_row(&forest, rows + 90, SIZE_MAX, &raw[1]);
    double sum = gr_shap_base(shap, 0);
    for (size_t f = 0; f < used; f++)
        sum += out[f];
    CHECK_NEAR(sum, raw[0], 1e-10);
    gr_against_add(against, &forest, rows, rows + 90, 1.0, sums, 90);
    sum = raw[1];
    for (size_t f = 0; f < 90; f++)
        sum += sums[f];
    CHECK_NEAR(sum, raw[0], 1e-10);
    free(scratch);
    free(out);
    gr_against_free(against);
    gr_shap_free(shap);
    free(rows);
    gr_forest_free(&forest);
}

static void rows_unknown(void **state)
{
    (void)state;
    const forest_plan plan = {
        .features = 3, .outputs = 1, .rounds = 1, .leaves = 4, .exactly = true
    };
    gr_rng rng = gr_rng_for(10, "shap", 0);
    gradus_error err;
    gr_forest forest;

    random_forest(&rng, &plan, &forest);
    memset(forest.covers, 0, 4 * sizeof *forest.covers);
    assert_null(gr_shap_compile(&forest, &err));
    assert_int_equal(err.status, GRADUS_BAD_ARGUMENT);
    assert_non_null(strstr(err.message, "training rows"));
    gr_forest_free(&forest);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(path_dependent),
        cmocka_unit_test(against_row),
        cmocka_unit_test(long_paths),
        cmocka_unit_test(rows_unknown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
