/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs of trained models: options of learners that change what a node computes, scoring rules chosen
 * after training, calibrations, ensembles, and wide sparse data. All give the bits of the model. */
#include "graph_check.h"
#include "synthetic_sets.h"

#include "base/context.h"
#include "calibration/calibration.h"
#include "data/dataset.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS = 100, OPTIONS = 14 };

static gradus_dataset *train, *valid;

static int set_up(void **state)
{
    (void)state;
    train = make_synth(1, "web", PAIRS("queries", "12", "documents", "25"));
    valid = make_synth(1, "web", PAIRS("queries", "8", "documents", "15", "first-query", "101"));
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    gradus_dataset_free(train);
    gradus_dataset_free(valid);
    return 0;
}

/* Options of an operation; pairs: names and values up to NULL. NULL: a value is refused. */
static gradus_options *options_of(const char *operation, const char *const *pairs)
{
    gradus_options *options = gradus_options_new(operation, NULL);
    gradus_error err = { GRADUS_OK, "" };

    assert_non_null(options);
    for (; *pairs; pairs += 2)
        if (gradus_options_set(options, pairs[0], pairs[1], &err) != GRADUS_OK)
            fail_msg("%s", err.message);
    return options;
}

static gradus_model *trained(gradus_context *context, const gradus_dataset *data,
                             const char *const *pairs)
{
    gradus_options *options = options_of("train", pairs);
    gradus_error err = { GRADUS_OK, "" };
    gradus_model *model = gradus_train(context, data, NULL, options, &err);

    if (!model)
        fail_msg("%s by %s: %s", pairs[1], pairs[3], err.message);
    gradus_options_free(options);
    return model;
}

/* A text of the options, for messages. */
static void describe(const char *const *pairs, char *text, size_t room)
{
    text[0] = '\0';
    for (; *pairs; pairs++)
        snprintf(text + strlen(text), room - strlen(text), "%s ", *pairs);
}

static graph_check check(const char *const *pairs, const gradus_model *model)
{
    char what[200];

    describe(pairs, what, sizeof what);
    return check_graph(what, model, train->arrays.values, train->arrays.rows, ROWS, 0.0);
}

/* ---- Options of learners ---- */

static const char *const learners[][OPTIONS + 1] = {
    { "method", "adaboost-mh", "rounds", "30", "base", "product", "terms", "3" },
    { "method", "adaboost-mh", "rounds", "30", "base", "stump" },
    { "method", "adaboost-mh", "rounds", "10", "leaves", "6", "real-leaves", "true" },
    { "method", "listnet", "rounds", "2", "hidden", "0", "transform", "standardise" },
    { "method", "listnet", "rounds", "2", "hidden", "37", "activation", "relu", "transform",
      "minmax" },
    { "method", "listnet", "rounds", "2", "hidden", "20", "transform", "standardise" },
    { "method", "svor-imc", "learner", "kernel", "kernel", "gaussian", "transform", "standardise" },
    { "method", "svor-imc", "learner", "kernel", "kernel", "polynomial", "degree", "5", "transform",
      "minmax" },
    { "method", "svor-exc", "learner", "kernel", "kernel", "linear", "transform", "minmax" },
    { "method", "crr", "hash-bits", "4", "steps", "5000", "transform", "standardise" },
    { "method", "crr", "landmarks", "30", "steps", "5000", "transform", "standardise" },
    { "method", "cocr", "learner", "bagged-m5p", "rounds", "5" },
    { "method", "cocr", "learner", "m5p", "cost", "squared" },
    { "method", "mcrank", "rounds", "4", "transform", "minmax", "keep-zeros", "true" },
    { "method", "lambdamart", "rounds", "1", "leaves", "2" },
};

static void test_options_of_learners(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof learners / sizeof *learners; i++) {
        gradus_model *model = trained(NULL, train, learners[i]);

        check(learners[i], model);
        gradus_model_free(model);
    }
}

/* ---- Scoring rules ---- */

static const char *const scored[][7] = {
    { "method", "mcrank", "rounds", "5" },       { "method", "mcrank-ordinal", "rounds", "5" },
    { "method", "cocr", "rounds", "5" },         { "method", "propodds", "rounds", "5" },
    { "method", "adaboost-mh", "rounds", "20" }, { "method", "cocr", "learner", "linear" },
};

static const char *const rules[][7] = {
    { "scoring", "expected-grade" },
    { "scoring", "expected-gain" },
    { "scoring", "expected-gain", "gains", "0,1,3,7,30" },
    { "scoring", "cost-ratio", "cost", "pairs" },
    { "scoring", "cost-ratio", "cost", "oerr" },
    { "scoring", "weights-and-scales", "weights", "2,1,1,1,1" },
    { "scoring", "weights-and-scales", "weights", "0,1,0,2,1" },
    { "scoring", "hard" },
    { "scoring", "median-grade" },
    { "scoring", "sum" },
    { "scoring", "count" },
    { "scoring", "output" },
    { "scoring", "expected-grade", "repair", "projection" },
    { "scoring", "expected-grade", "repair", "none" },
    { "scoring", "expected-gain", "repair", "pav" },
    { "scoring", "hard", "repair", "pav" },
    { "scoring", "expected-gain", "prior", "80,12,5,2,1" },
    { "scoring", "expected-gain", "prior", "80,0,5,0,1" },
};

static void test_scoring_rules(void **state)
{
    size_t checked = 0;

    (void)state;
    for (size_t m = 0; m < sizeof scored / sizeof *scored; m++) {
        gradus_model *model = trained(NULL, train, scored[m]);

        for (size_t r = 0; r < sizeof rules / sizeof *rules; r++) {
            gradus_options *options = options_of("score", rules[r]);
            gradus_error err = { GRADUS_OK, "" };
            gradus_model *made = gradus_model_rescored(NULL, model, options, &err);

            gradus_options_free(options);
            if (!made) { /* not a rule for this model */
                assert_int_equal(err.status, GRADUS_BAD_ARGUMENT);
                continue;
            }
            check(rules[r], made);
            gradus_model_free(made);
            checked++;
        }
        gradus_model_free(model);
    }
    assert_true(checked >= 80);
}

static gradus_model *rescored(const gradus_model *model, const char *const *pairs)
{
    gradus_options *options = options_of("score", pairs);
    gradus_error err = { GRADUS_OK, "" };
    gradus_model *made = gradus_model_rescored(NULL, model, options, &err);

    if (!made)
        fail_msg("%s", err.message);
    gradus_options_free(options);
    return made;
}

/* Probabilities under a cost are recovered by a quadratic program, unless they are pooled. */
static void test_outputs_with_a_cost(void **state)
{
    const char *const pairs[] = { "method", "cocr", "rounds", "5", "cost", "squared", NULL };
    const char *const pooled[] = { "scoring", "expected-gain", "repair", "pav", NULL };
    gradus_model *model = trained(NULL, train, pairs);
    gradus_model *projected = rescored(model, PAIRS("scoring", "expected-gain"));
    gradus_model *solved = rescored(model, pooled);

    (void)state;
    assert_int_equal(check(pairs, model).probabilities, 0);
    check_graph_refused("cost", projected, "need a quadratic program to be solved");
    assert_int_equal(check(pooled, solved).probabilities, ROWS);
    gradus_model_free(projected);
    gradus_model_free(solved);
    gradus_model_free(model);
}

/* ---- Calibrations ---- */

static const char *const calibrated[][7] = {
    { "method", "mcrank", "rounds", "5" },
    { "method", "cocr", "rounds", "5" },
    { "method", "regression", "rounds", "5" },
    { "method", "propodds", "learner", "linear" },
};

static gradus_model *calibrate(const gradus_model *model, const char *how, gradus_error *err)
{
    gradus_options *options = options_of("calibrate", PAIRS("how", how));
    gradus_model *made = gradus_calibrate(NULL, model, valid, options, err);

    gradus_options_free(options);
    return made;
}

static void test_calibrations(void **state)
{
    size_t checked[GR_CALIBRATIONS] = { 0 };

    (void)state;
    for (size_t m = 0; m < sizeof calibrated / sizeof *calibrated; m++) {
        gradus_model *model = trained(NULL, train, calibrated[m]);

        for (size_t c = 0; c < GR_CALIBRATIONS; c++) {
            gradus_error err = { GRADUS_OK, "" };
            gradus_model *made = calibrate(model, gr_calibration_names[c], &err);

            if (!made) { /* needs grades */
                assert_int_equal(err.status, GRADUS_BAD_ARGUMENT);
                continue;
            }
            check(PAIRS(calibrated[m][1], gr_calibration_names[c]), made);
            gradus_model_free(made);
            checked[c]++;
        }
        gradus_model_free(model);
    }
    for (size_t c = 0; c < GR_CALIBRATIONS; c++)
        assert_true(checked[c] >= 2);
}

/* ---- Ensembles ---- */

static const struct {
    const char *way, *refused;
} ways[] = {
    { "exponential", NULL },
    { "mean", NULL },
    { "stacking", NULL },
    { "stacking-nonnegative", NULL },
    { "borda", "'borda' cannot be exported to test: ranks depend on the other documents" },
    { "reciprocal-rank", "'reciprocal-rank' cannot be exported to test: ranks depend on" },
    { "standardized", "'standardized' cannot be exported to test: standardised scores depend on" },
};

static void check_ensembles(const gradus_model *const *members, size_t count)
{
    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
        gradus_options *options = options_of("ensemble", PAIRS("way", ways[w].way));
        gradus_error err = { GRADUS_OK, "" };
        gradus_model *made = gradus_ensemble(NULL, members, count, valid, options, &err);

        gradus_options_free(options);
        if (!made)
            fail_msg("%s: %s", ways[w].way, err.message);
        if (ways[w].refused)
            check_graph_refused(ways[w].way, made, ways[w].refused);
        else
            check(PAIRS("ensemble", ways[w].way), made);
        gradus_model_free(made);
    }
}

/* Members with probabilities, and members with scores and different transforms. */
static void test_ensembles(void **state)
{
    gradus_model *members[] = {
        trained(NULL, train, PAIRS("method", "mcrank", "rounds", "4", "transform", "minmax")),
        trained(NULL, train, PAIRS("method", "cocr", "rounds", "4")),
        trained(NULL, train,
                PAIRS("method", "propodds", "learner", "linear", "transform", "standardise")),
        trained(NULL, train, PAIRS("method", "lambdamart", "rounds", "4", "transform", "none")),
        trained(NULL, train, PAIRS("method", "listnet", "rounds", "2", "transform", "minmax")),
    };

    (void)state;
    check_ensembles((const gradus_model *const *)members, 3);
    check_ensembles((const gradus_model *const *)members, 5);
    for (size_t m = 0; m < sizeof members / sizeof *members; m++)
        gradus_model_free(members[m]);
}

/* ---- Wide sparse data ---- */

enum { WIDE = 6000, APART = 37, KEPT = 12, LIKE = 10 };

/* Methods, and whether their nodes list the columns they use. */
static const struct {
    const char *pairs[9];
    bool lists;
} wide_methods[] = {
    { { "method", "lambdamart", "rounds", "5" }, false },
    { { "method", "cocr", "learner", "linear", "transform", "standardise" }, true },
    { { "method", "cocr", "learner", "m5p" }, true },
    { { "method", "listnet", "rounds", "2", "transform", "minmax" }, true },
    { { "method", "svor-imc", "learner", "kernel", "transform", "minmax" }, true },
};

/* The entries of every KEPT-th feature of dense rows, with ids far apart. */
typedef struct sparse_rows {
    uint64_t *starts;
    uint32_t *columns;
    float *entries;
} sparse_rows;

static gradus_dataset *widened(const gradus_arrays *a, sparse_rows *made)
{
    gradus_arrays wide = *a;
    size_t used = 0;

    made->starts = calloc(a->rows + 1, sizeof *made->starts);
    made->columns = calloc(a->rows * a->features, sizeof *made->columns);
    made->entries = calloc(a->rows * a->features, sizeof *made->entries);
    assert_true(made->starts && made->columns && made->entries);
    for (size_t r = 0; r < a->rows; r++) {
        for (size_t f = 0; f < a->features; f += KEPT) {
            if (a->values[r * a->stride + f] == 0.0f)
                continue;
            made->columns[used] = (uint32_t)(f * APART);
            made->entries[used++] = a->values[r * a->stride + f];
        }
        made->starts[r + 1] = used;
    }
    wide.features = WIDE;
    wide.values = NULL;
    wide.stride = 0;
    wide.row_starts = made->starts;
    wide.columns = made->columns;
    wide.entries = made->entries;
    return gradus_dataset_borrow(&wide, NULL);
}

static void test_wide_data(void **state)
{
    gradus_context *context = gradus_context_new(1, NULL);
    float *like = calloc((size_t)LIKE * WIDE, sizeof *like);
    sparse_rows made;
    gradus_dataset *wide = widened(&train->arrays, &made);

    (void)state;
    assert_non_null(wide);
    assert_non_null(like);
    context->wide_features = 1000;
    for (size_t r = 0; r < LIKE; r++)
        gr_dataset_row(wide, r, like + r * WIDE);
    for (size_t m = 0; m < sizeof wide_methods / sizeof *wide_methods; m++) {
        gradus_model *model = trained(context, wide, wide_methods[m].pairs);

        if ((gr_model_listed(model) != NULL) != wide_methods[m].lists)
            fail_msg("%s: its nodes should %slist columns", wide_methods[m].pairs[1],
                     wide_methods[m].lists ? "" : "not ");
        check_graph(wide_methods[m].pairs[1], model, like, LIKE, 20, 0.0);
        gradus_model_free(model);
    }
    gradus_dataset_free(wide);
    gradus_context_free(context);
    free(made.starts);
    free(made.columns);
    free(made.entries);
    free(like);
}

/* ---- What depends on other documents ---- */

static void test_query_transforms_are_refused(void **state)
{
    gradus_model *model =
        trained(NULL, train, PAIRS("method", "lambdamart", "rounds", "2", "transform", "query"));

    (void)state;
    check_graph_refused("query", model,
                        "'query' cannot be exported to test: this transform depends on the other "
                        "documents of the query");
    gradus_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_options_of_learners),
        cmocka_unit_test(test_scoring_rules),
        cmocka_unit_test(test_outputs_with_a_cost),
        cmocka_unit_test(test_calibrations),
        cmocka_unit_test(test_ensembles),
        cmocka_unit_test(test_wide_data),
        cmocka_unit_test(test_query_transforms_are_refused),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
