/* SPDX-License-Identifier: Apache-2.0 */
/* Model trees on sparse rows: the same trees as on the densified rows. */
#include "checks.h"

#include "base/rng.h"
#include "model/model.h"

#include <math.h>
#include <stdlib.h>

#define PAIRS(...) ((const char *const[]){ __VA_ARGS__, NULL })

enum { ROWS = 700, FEATURES = 40, QUERIES = 35 };

typedef struct twins {
    float values[ROWS * FEATURES], entries[ROWS * FEATURES], labels[ROWS], weights[ROWS];
    uint32_t columns[ROWS * FEATURES];
    uint64_t row_starts[ROWS + 1], query_starts[QUERIES + 1];
} twins;

/* Five features are given in most rows, the others in one row of ten; values of both signs, ties,
 * explicit zeros, and missing values. Rare features are informative only where a common one is
 * high. */
static float draw_value(gr_rng *rng, size_t f, bool missing)
{
    if (gr_rng_uniform(rng) > (f % 8 ? 0.1 : 0.7))
        return 0.0f;
    if (missing && gr_rng_below(rng, 20) == 0)
        return NAN;
    return (float)gr_rng_below(rng, 9) * 0.5f - 1.0f;
}

static twins *make_twins(uint64_t seed, bool missing)
{
    gr_rng rng = gr_rng_for(seed, "twins", 0);
    twins *made = calloc(1, sizeof *made);
    size_t entries = 0;

    for (size_t r = 0; r < ROWS; r++) {
        float *row = made->values + r * FEATURES;

        for (size_t f = 0; f < FEATURES; f++) {
            row[f] = draw_value(&rng, f, missing);
            if (row[f] != 0.0f || gr_rng_below(&rng, 50) == 0) {
                made->columns[entries] = (uint32_t)f;
                made->entries[entries++] = row[f];
            }
        }
        const double rare = row[0] > 1.0f ? 2.0 * (row[1] != 0.0f) + 1.5 * (row[2] != 0.0f) : 0.0;

        made->labels[r] =
            (float)fmin(fmax(rint(rare + (row[8] > 0.0f) + gr_rng_normal(&rng) * 0.3), 0.0), 3.0);
        made->weights[r] = (float)gr_rng_below(&rng, 4);
        made->row_starts[r + 1] = entries;
    }
    for (size_t q = 0; q <= QUERIES; q++)
        made->query_starts[q] = q * ROWS / QUERIES;
    return made;
}

static gradus_dataset *dataset_of(const twins *made, bool sparse, bool weighted)
{
    gradus_arrays arrays = { .rows = ROWS,
                             .features = FEATURES,
                             .labels = made->labels,
                             .queries = QUERIES,
                             .query_starts = made->query_starts,
                             .row_weights = weighted ? made->weights : NULL };
    gradus_error err = { GRADUS_OK, "" };
    gradus_dataset *data;

    if (sparse) {
        arrays.row_starts = made->row_starts;
        arrays.columns = made->columns;
        arrays.entries = made->entries;
    } else {
        arrays.values = made->values;
        arrays.stride = FEATURES;
    }
    data = gradus_dataset_borrow(&arrays, &err);
    if (!data)
        print_error("%s\n", err.message);
    assert_non_null(data);
    return data;
}

static gradus_model *train(const gradus_dataset *data, size_t threads, const char *const *pairs)
{
    gradus_error err = { GRADUS_OK, "" };
    gradus_context *context = gradus_context_new(threads, &err);
    gradus_options *options = gradus_options_new("train", &err);
    gradus_model *model;

    gradus_options_set(options, "learner", "m5p", &err);
    for (; *pairs; pairs += 2)
        assert_int_equal(gradus_options_set(options, pairs[0], pairs[1], &err), GRADUS_OK);
    model = gradus_train(context, data, NULL, options, &err);
    if (!model)
        print_error("%s\n", err.message);
    assert_non_null(model);
    gradus_options_free(options);
    gradus_context_free(context);
    return model;
}

/* Models of dense and sparse rows score dense and sparse rows identically, to the bit. Returns the
 * number of splits. */
static size_t check_twins(const twins *made, bool weighted, const char *const *pairs)
{
    gradus_dataset *data[] = { dataset_of(made, false, weighted),
                               dataset_of(made, true, weighted) };
    gradus_model *models[] = { train(data[0], 1, pairs), train(data[1], 1, pairs),
                               train(data[1], 3, pairs) };
    gradus_error err = { GRADUS_OK, "" };
    double scores[4][ROWS];

    for (size_t i = 0; i < 4; i++)
        assert_int_equal(
            gradus_model_score(NULL, models[i < 3 ? i : 0], data[i < 1 ? 0 : 1], scores[i], &err),
            GRADUS_OK);
    for (size_t i = 1; i < 4; i++)
        assert_memory_equal(scores[i], scores[0], sizeof scores[0]);
    const gr_forest *forest = &gr_model_m5(models[1])->forest;
    const size_t splits = (size_t)forest->starts[forest->trees];

    for (size_t i = 0; i < 3; i++)
        gradus_model_free(models[i]);
    gradus_dataset_free(data[0]);
    gradus_dataset_free(data[1]);
    return splits;
}

static void test_sparse_rows_grow_the_trees_of_dense_ones(void **state)
{
    const char *const *plain = PAIRS("method", "regression", "unpruned", "true");
    const char *const *costs = PAIRS("method", "cocr", "cost", "oerr", "unpruned", "true");
    const char *const *means = PAIRS("method", "regression", "regression-tree", "true");

    (void)state;
    for (uint64_t seed = 1; seed <= 2; seed++)
        for (int missing = 0; missing < 2; missing++) {
            twins *made = make_twins(seed, missing);

            for (int w = 0; w < 2; w++) {
                assert_true(check_twins(made, w, plain) > 20);
                check_twins(made, w, PAIRS("method", "regression"));
                assert_true(check_twins(made, w, costs) > 20);
                assert_true(check_twins(made, w, means) > 0);
            }
            free(made);
        }
}

static void test_bags_of_sparse_rows(void **state)
{
    twins *made = make_twins(4, true);

    (void)state;
    check_twins(made, true,
                PAIRS("method", "cocr", "learner", "bagged-m5p", "rounds", "3", "bag", "queries",
                      "bag-fraction", "0.5"));
    free(made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sparse_rows_grow_the_trees_of_dense_ones),
        cmocka_unit_test(test_bags_of_sparse_rows),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
