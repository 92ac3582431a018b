/* SPDX-License-Identifier: Apache-2.0 */
/* Trees on a device: the bodies of the kernels against the processor, bit for bit, and its loss. */
#include "emulated_scoring.h"
#include "query_sets.h"
#include "summed_models.h"
#include "thread_order.h"

#include "base/context.h"
#include "model/forest_node.h"
#include "model/predict.h"

enum { ROWS = 333 };

static uint64_t no_memory(const gradus_device *device)
{
    (void)device;
    return 0;
}

static gradus_device device_with(emulated_score_plan *plan)
{
    return (gradus_device){ .version = GR_DEVICE_VERSION,
                            .name = "emulated",
                            .free_memory = no_memory,
                            .scoring = &emulated_scoring,
                            .state = plan };
}

/* Outputs of a model for all rows, with a device or without; rows x outputs numbers. */
static double *outputs_of(const gradus_model *model, const gradus_dataset *data,
                          const gradus_device *device)
{
    gradus_context *context = gradus_context_new(3, NULL);
    double *outputs = calloc(data->arrays.rows * model->scorer.outputs, sizeof *outputs);

    assert_non_null(context);
    gradus_context_set_device(context, device);
    assert_int_equal(gr_model_outputs(model, data, context, outputs, NULL), GRADUS_OK);
    gradus_context_free(context);
    return outputs;
}

static gradus_dataset *data_of(const float *values, size_t rows, size_t features)
{
    float *labels = calloc(rows, sizeof *labels);
    const uint64_t starts[2] = { 0, rows };
    const gradus_arrays arrays = { .rows = rows,
                                   .features = features,
                                   .queries = 1,
                                   .values = values,
                                   .stride = features,
                                   .labels = labels,
                                   .query_starts = starts };
    gradus_dataset *data = gradus_dataset_copy(NULL, &arrays, NULL);

    assert_non_null(data);
    free(labels);
    return data;
}

/* Random forests of all shapes: one output and several, trees without splits, missing values. */
static void test_forests_have_the_bits_of_the_processor(void **state)
{
    static const forest_plan plans[] = {
        { .features = 5, .outputs = 1, .rounds = 13, .leaves = 31, .grid = 9 },
        { .features = 3, .outputs = 4, .rounds = 6, .leaves = 64, .exactly = true, .grid = 0 },
        { .features = 7, .outputs = 2, .rounds = 9, .leaves = 300, .shape = SHAPE_CHAIN },
        { .features = 2, .outputs = 3, .rounds = 5, .leaves = 2, .grid = 3 },
        { .features = 1, .outputs = 1, .rounds = 1, .leaves = 1 },
    };
    emulated_score_plan ways[] = { { .threads = 128 }, { .threads = 32 }, { .untiled = true } };
    gr_rng rng = gr_rng_for(1, "scoring", 31);

    (void)state;
    for (size_t p = 0; p < sizeof plans / sizeof *plans; p++) {
        gr_forest forest;

        random_forest(&rng, &plans[p], &forest);
        const size_t outputs = plans[p].outputs;
        float *rows = random_rows(&rng, &plans[p], &forest, ROWS, plans[p].features);
        gr_score_node nodes[MAX_SPLITS * 64];

        assert_true(forest.starts[forest.trees] <= sizeof nodes / sizeof *nodes);
        for (uint64_t s = 0; s < forest.starts[forest.trees]; s++)
            nodes[s] =
                (gr_score_node){ forest.splits[s].threshold,
                                 forest.splits[s].feature << 1 | forest.splits[s].missing_left,
                                 forest.splits[s].left, forest.splits[s].right };
        const gr_score_trees trees = { plans[p].features, outputs, forest.trees, forest.bases,
                                       forest.starts,     nodes,   forest.leaves };

        for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
            const gradus_device device = device_with(&ways[w]);
            gr_score_run *scoring = NULL;
            const double *found;

            assert_int_equal(emulated_scoring.open(&device, &trees, ROWS, &scoring, NULL),
                             GRADUS_OK);
            memcpy(emulated_scoring.room(scoring, 1), rows,
                   ROWS * plans[p].features * sizeof *rows);
            assert_int_equal(emulated_scoring.start(scoring, 1, ROWS, NULL), GRADUS_OK);
            assert_int_equal(emulated_scoring.finish(scoring, 1, &found, NULL), GRADUS_OK);
            for (size_t r = 0; r < ROWS; r++) {
                double wanted[8];

                gr_forest_row(&forest, rows + r * plans[p].features, SIZE_MAX, wanted);
                for (size_t k = 0; k < outputs; k++)
                    assert_memory_equal(&found[k * ROWS + r], &wanted[k], sizeof *wanted);
            }
            emulated_scoring.close(scoring);
        }
        free(rows);
        gr_forest_free(&forest);
    }
}

/* Transforms, calibrations and ensembles with columns of their own: the processor does the rest. */
static void test_models_have_the_bits_of_the_processor(void **state)
{
    gr_rng rng = gr_rng_for(1, "scoring", 7);

    (void)state;
    for (size_t i = 0; i < SUMMED_KINDS; i++) {
        gradus_model *model = summed_model(&rng, &summed_kinds[i], 0);
        gr_forest none;
        float *values;

        assert_non_null(model);
        random_forest(
            &rng,
            &(forest_plan){ .features = SUMMED_FEATURES, .outputs = 1, .rounds = 3, .leaves = 9 },
            &none);
        values = summed_rows(&rng, &none, ROWS, true, false);
        emulated_score_plan plan = { .threads = 64, .good = 100 };
        const gradus_device device = device_with(&plan);
        gradus_dataset *data = data_of(values, ROWS, SUMMED_FEATURES);
        double *wanted = outputs_of(model, data, NULL), *found = outputs_of(model, data, &device);

        assert_memory_equal(found, wanted, ROWS * model->scorer.outputs * sizeof *wanted);
        assert_int_equal(plan.batches, !summed_kinds[i].transform);
        free(wanted);
        free(found);
        free(values);
        gradus_dataset_free(data);
        gr_forest_free(&none);
        gradus_model_free(model);
    }
}

/* The forests of an ensemble, with one output and with several, go to the device; the linear model does not. */
static void test_ensembles_have_the_bits_of_the_processor(void **state)
{
    query_set set = make_query_set(20, 5, true);
    gradus_model *members[] = { train_on(1, &set, NULL, "lambdamart", "rounds=5", NULL),
                                train_on(1, &set, NULL, "mcrank", "rounds=3", NULL),
                                train_on(1, &set, NULL, "crr", "", NULL) };
    gradus_model *model =
        gradus_ensemble(NULL, (const gradus_model *const *)members, 3, set.data, NULL, NULL);
    emulated_score_plan plan = { .good = 100 };
    const gradus_device device = device_with(&plan);

    (void)state;
    assert_non_null(model);
    double *wanted = outputs_of(model, set.data, NULL);
    double *found = outputs_of(model, set.data, &device);

    assert_memory_equal(found, wanted, set.rows * sizeof *wanted);
    assert_int_equal(plan.batches, 2);
    free(wanted);
    free(found);
    gradus_model_free(model);
    for (size_t m = 0; m < 3; m++)
        gradus_model_free(members[m]);
    end_query_set(&set);
}

/* A context whose device fails after `good` batches. */
static void check_loss(const gradus_model *model, const gradus_dataset *data, size_t good)
{
    emulated_score_plan plan = { .good = good };
    const gradus_device device = device_with(&plan);
    gradus_context *context = gradus_context_new(1, NULL);
    double *scores = calloc(data->arrays.rows, sizeof *scores);
    gradus_error err = { GRADUS_OK, "" };

    gradus_context_set_device(context, &device);
    assert_int_equal(gradus_model_score(context, model, data, scores, &err), GRADUS_LOST);
    assert_non_null(strstr(err.message, "the GPU has failed"));
    free(scores);
    gradus_context_free(context);
}

/* Enough features that the rows need several batches; the rows are sparse. */
static void test_many_batches_and_a_device_lost_in_between(void **state)
{
    enum { FEATURES = 9000, COUNT = 3500 };
    const gr_split split = { FEATURES - 1, 0.5f, ~0, ~1, 1.0f, 1 };
    const float leaves[] = { -1.25f, 2.5f };
    const uint32_t covers[] = { 1, 1 };
    const double base = 0.125;
    gr_forest forest;
    gradus_model *model = gr_model_new(NULL);
    gr_node node;
    uint64_t starts[COUNT + 1];
    uint32_t columns[COUNT];
    float entries[COUNT], labels[COUNT] = { 0 };
    const uint64_t queries[2] = { 0, COUNT };

    (void)state;
    starts[0] = 0;
    for (size_t r = 0; r < COUNT; r++) {
        columns[r] = r % 3 ? FEATURES - 1 : (uint32_t)(r % FEATURES);
        entries[r] = r % 7 == 1 ? NAN : (float)(r % 5) * 0.25f;
        starts[r + 1] = r + 1;
    }
    const gradus_arrays arrays = { .rows = COUNT,
                                   .features = FEATURES,
                                   .queries = 1,
                                   .row_starts = starts,
                                   .columns = columns,
                                   .entries = entries,
                                   .labels = labels,
                                   .query_starts = queries };
    gradus_dataset *data = gradus_dataset_copy(NULL, &arrays, NULL);

    assert_non_null(data);
    assert_int_equal(gr_forest_start(&forest, FEATURES, 1, &base, NULL), GRADUS_OK);
    for (size_t t = 0; t < 6; t++)
        assert_int_equal(gr_forest_add(&forest, &split, 2, leaves, covers, NULL), GRADUS_OK);
    assert_int_equal(gr_forest_node_new(&forest, &node, NULL), GRADUS_OK);
    model->features = FEATURES;
    model->scorer = (gr_scorer){ .meaning = GR_MEANS_SCORE, .rule = GR_SCORE_OUTPUT, .outputs = 1 };
    assert_int_equal(gr_model_add_node(model, &node, NULL), GRADUS_OK);
    emulated_score_plan plan = { .good = 100 };
    const gradus_device device = device_with(&plan);
    double *wanted = outputs_of(model, data, NULL), *found = outputs_of(model, data, &device);

    assert_true(plan.batches > GR_SCORE_SLOTS + 1);
    assert_memory_equal(found, wanted, COUNT * sizeof *wanted);
    check_loss(model, data, 1);
    check_loss(model, data, 2);
    free(wanted);
    free(found);
    gradus_dataset_free(data);
    gradus_model_free(model);
}

static void test_files_that_are_no_plug_ins(void **state)
{
    gradus_error err;

    (void)state;
    assert_null(gradus_device_open("/nonexistent/libgradus-cuda.so", &err));
    assert_int_equal(err.status, GRADUS_NO_FILE);
    assert_null(gradus_device_open("libc.so.6", &err));
    assert_int_equal(err.status, GRADUS_BAD_FORMAT);
    assert_non_null(strstr(err.message, "'libc.so.6' is not a plug-in for a device"));
    gradus_device_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forests_have_the_bits_of_the_processor),
        cmocka_unit_test(test_models_have_the_bits_of_the_processor),
        cmocka_unit_test(test_ensembles_have_the_bits_of_the_processor),
        cmocka_unit_test(test_many_batches_and_a_device_lost_in_between),
        cmocka_unit_test(test_files_that_are_no_plug_ins),
    };
    int failed = 0;

    for (int order = 0; order < THREAD_ORDERS; order++) {
        emulated_order_use((thread_order)order);
        failed += cmocka_run_group_tests(tests, NULL, NULL);
    }
    return failed;
}
