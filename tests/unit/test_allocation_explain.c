/* SPDX-License-Identifier: Apache-2.0 */
/* Failure of every allocation in explanations. */
#include "failing_alloc.h"
#include "synthetic_sets.h"
#include "train_model.h"

static gradus_dataset *data;
static gradus_model *trees, *grades, *linear;

static int set_up(void **state)
{
    (void)state;
    data = make_synth(1, "mcrank", PAIRS("queries", "4", "documents", "6", "features", "4"));
    trees = train_model(1, data, NULL,
                        PAIRS("method", "lambdamart", "rounds", "3", "leaves", "4", "min-rows", "2",
                              "transform", "query"));
    grades = train_model(1, data, NULL,
                         PAIRS("method", "mcrank", "rounds", "2", "leaves", "4", "min-rows", "2"));
    linear = train_model(1, data, NULL, PAIRS("method", "regression", "learner", "linear"));
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    gradus_model_free(trees);
    gradus_model_free(grades);
    gradus_model_free(linear);
    gradus_dataset_free(data);
    return 0;
}

static gradus_status explain(const gradus_model *model, const char *against, const char *output,
                             gradus_error *err)
{
    gradus_options *options = gradus_options_new("explain", err);
    gradus_explanation *made = NULL;

    if (options && gradus_options_set(options, "against", against, err) == GRADUS_OK &&
        gradus_options_set(options, "output", output, err) == GRADUS_OK &&
        gradus_options_set(options, "orders", "2", err) == GRADUS_OK)
        made = gradus_explain(NULL, model, data, (const size_t[]){ 1, 8 }, 2, options, err);
    gradus_options_free(options);
    gradus_explanation_free(made);
    return made ? GRADUS_OK : err->status;
}

static gradus_status trees_mean(gradus_error *err)
{
    return explain(trees, "mean", "score", err);
}
static gradus_status trees_query(gradus_error *err)
{
    return explain(trees, "query", "score", err);
}
static gradus_status grades_mean(gradus_error *err)
{
    return explain(grades, "mean", "score", err);
}
static gradus_status grades_outputs(gradus_error *err)
{
    return explain(grades, "2", "all", err);
}
static gradus_status linear_row(gradus_error *err)
{
    return explain(linear, "3", "1", err);
}

static gradus_status permute(gradus_error *err)
{
    gradus_permuted permuted[4];

    return gradus_permutation_importance(NULL, trees, data, NULL, 1, 1, permuted, err);
}

static gradus_status depend(gradus_error *err)
{
    gradus_dependence points[3];
    size_t count = 3;

    return gradus_partial_dependence(NULL, trees, data, 0, points, &count, err);
}

static void test_every_allocation_may_fail(void **state)
{
    static const struct {
        const char *name;
        scenario run;
    } scenarios[] = {
        { "trees, mean", trees_mean },      { "trees, query", trees_query },
        { "grades, mean", grades_mean },    { "grades, outputs", grades_outputs },
        { "linear, document", linear_row }, { "permutation importance", permute },
        { "partial dependence", depend },
    };

    (void)state;
    for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++)
        assert_true(exhaust(scenarios[i].name, scenarios[i].run) > 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_every_allocation_may_fail) };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
