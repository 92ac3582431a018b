/* SPDX-License-Identifier: Apache-2.0 */
/* Failure of every allocation in training and in models. */
#include "failing_alloc.h"
#include "method_pairs.h"
#include "sample_model.h"
#include "synthetic_sets.h"

#include "learners/m5/m5.h"
#include "model/linear_node.h"
#include "model/model_view.h"
#include "model/model_write.h"
#include "model/predict.h"
#include "model/votes_node.h"
#include "objectives/objective.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

static char folder[] = "/tmp/gradus-memory-XXXXXX";
static char output_path[64], model_path[64];
static gradus_model *model, *votes;

/* A model that votes on three grades by one cut. */
static void make_votes(void)
{
    const gr_split cut = { .feature = 0, .threshold = 4.5f, .left = ~0, .right = ~1 };
    const float vectors[] = { 1.0f, -1.0f, -1.0f, -1.0f, 1.0f, -1.0f };
    const gr_voter voter = { .alpha = 0.5, .splits = 1, .split = &cut, .votes = vectors };
    double grades[] = { 0, 1, 2 }, shares[] = { 0.4, 0.3, 0.3 };
    const gr_scorer scorer = { .meaning = GR_MEANS_VOTES,
                               .rule = GR_SCORE_EXPECTED_GAIN,
                               .outputs = 3,
                               .levels = 3,
                               .level_labels = grades,
                               .shares = shares };
    gr_votes made;
    gr_node node;

    votes = gr_model_new(NULL);
    votes->features = 2;
    votes->first_id = 1;
    assert_int_equal(gr_votes_start(&made, 2, 3, false, NULL), GRADUS_OK);
    assert_int_equal(gr_votes_add(&made, &voter, NULL), GRADUS_OK);
    assert_int_equal(gr_votes_node_new(&made, &node, NULL), GRADUS_OK);
    assert_int_equal(gr_model_add_node(votes, &node, NULL), GRADUS_OK);
    assert_int_equal(gr_scorer_copy(&scorer, &votes->scorer, NULL), GRADUS_OK);
}

static int set_up(void **state)
{
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(output_path, sizeof output_path, "%s/output", folder);
    snprintf(model_path, sizeof model_path, "%s/model", folder);
    model = sample_model(&sample_kinds[1]);
    assert_int_equal(gr_model_write(model, model_path, NULL), GRADUS_OK);
    make_votes();
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    gr_model_free(model);
    gr_model_free(votes);
    unlink(output_path);
    unlink(model_path);
    return rmdir(folder);
}

static gradus_status write_model(gradus_error *err)
{
    return gradus_model_write(model, output_path, err);
}

static gradus_status read_model(gradus_error *err)
{
    gradus_model *read = gradus_model_read(model_path, err);
    const gradus_status status = read ? GRADUS_OK : err->status;

    gradus_model_free(read);
    return status;
}

static gradus_status view_model(gradus_error *err)
{
    const gr_score_rule rule = GR_SCORE_WEIGHTS_AND_SCALES;
    gr_score_choice choice = gr_score_as_trained;
    gradus_model *view;

    choice.rule = &rule;
    choice.prior = "1,2,3";
    view = gr_model_view(model, &choice, 1, NULL, err);
    const gradus_status status = view ? GRADUS_OK : err->status;

    gradus_model_free(view);
    return status;
}

static gradus_status rank_by_cost(gradus_error *err)
{
    double grades[] = { 0, 1, 2, 3 }, shares[] = { 0.4, 0.3, 0.2, 0.1 };
    const gr_scorer scorer = { .meaning = GR_MEANS_CLASSES,
                               .rule = GR_SCORE_EXPECTED_GRADE,
                               .outputs = 4,
                               .levels = 4,
                               .level_labels = grades,
                               .shares = shares };
    const gr_score_rule rule = GR_SCORE_COST_RATIO;
    gr_score_choice choice = gr_score_as_trained;
    gr_scorer made;

    choice.rule = &rule;
    GR_TRY(gr_scorer_choose(&scorer, &choice, NULL, &made, err));
    gr_scorer_free(&made);
    return GRADUS_OK;
}

static gradus_status make_model(gradus_error *err)
{
    gradus_model *made = gr_model_new(err);
    gradus_status status = made ? GRADUS_OK : err->status;

    if (status == GRADUS_OK)
        status = gr_model_add_setting(made, "rounds", "3", err);
    if (status == GRADUS_OK)
        status = gr_model_add_setting(made, "rounds", "4", err);
    gradus_model_free(made);
    return status;
}

static gradus_status begin_lambdarank(gradus_error *err)
{
    const uint64_t starts[3] = { 0, 2, 5 };
    const float labels[5] = { 1.0f, 0.0f, 2.0f, 0.0f, 1.0f };
    const gr_problem problem = {
        .rows = 5, .queries = 2, .query_starts = starts, .labels = labels, .outputs = 1
    };
    const gr_objective_options options = { .sigma = 1.0 };
    void *state = NULL;
    const gradus_status status =
        gr_objective_lambdarank.begin(&problem, &options, NULL, &state, err);

    gr_objective_lambdarank.end(state);
    return status;
}

/* Model trees on sparse rows: one value in ten is given, and one is missing. */
static gradus_status train_sparse_m5p(gradus_error *err)
{
    enum { ROWS = 24, FEATURES = 20 };
    float entries[ROWS * 3], labels[ROWS];
    uint32_t columns[ROWS * 3];
    uint64_t row_starts[ROWS + 1] = { 0 };

    for (uint32_t r = 0; r < ROWS; r++) {
        entries[2 * r] = r == 5 ? NAN : (float)(r % 7) - 2.0f;
        columns[2 * r] = 0;
        entries[2 * r + 1] = 1.0f;
        columns[2 * r + 1] = 1 + r % (FEATURES - 1);
        row_starts[r + 1] = 2 * (r + 1);
        labels[r] = (float)(r % 7 > 3) + (float)(r % 3 == 0);
    }
    gradus_dataset data = { .arrays = { .rows = ROWS,
                                        .features = FEATURES,
                                        .row_starts = row_starts,
                                        .columns = columns,
                                        .entries = entries,
                                        .labels = labels } };
    const gr_problem problem = { .rows = ROWS, .labels = labels, .outputs = 1 };
    const gr_m5_options options = { .min_leaf = 4, .unpruned = true };
    const gr_bin_options bin = { .bins = 255 };
    gr_m5_grower *grower = gr_m5_grower_new(NULL, &data, &problem, &options, &bin, err);
    gr_m5 m5 = { .means = NULL };
    gradus_status status = grower ? GRADUS_OK : err->status;

    if (status == GRADUS_OK)
        status = gr_m5_start(&m5, FEATURES, 1, gr_m5_grower_means(grower), err);
    if (status == GRADUS_OK) {
        status = gr_m5_grow(grower, NULL, NULL, &m5, err);
        gr_m5_free(&m5);
    }
    gr_m5_grower_free(grower);
    return status;
}

/* Eight rows in two queries, one for training and one for calibration. */
static gradus_dataset *eight_rows(bool missing, gradus_error *err)
{
    static const float values[2][16] = { { 1, 5, 2, 3, 3, 5, 4, 6, 5, 0, 6, 0, 7, 1, 8, 2 },
                                         { 1, 5, 2, NAN, 3, 5, 4, 6, 5, 0, 6, 0, 7, 1, 8, 2 } };
    static const float labels[] = { 0, 1, 1, 2, 0, 0, 2, 1 };
    static const uint64_t starts[] = { 0, 4, 8 };
    const gradus_arrays arrays = { .rows = 8,
                                   .features = 2,
                                   .values = values[missing],
                                   .stride = 2,
                                   .labels = labels,
                                   .queries = 2,
                                   .query_starts = starts };

    return gradus_dataset_borrow(&arrays, err);
}

/* Every method and every learner of the tables, with a transform in turn. */
static const method_pair *current_pair;
static const char *current_transform;

/* Learner, option, value: settings that suit eight rows. */
static const char *const settings[][3] = {
    { "gbrt", "min-rows", "1" },
    { "sgd", "steps", "100" },
    { "sgd", "average", "true" },
    { "calibrated", "calibration-fraction", "0.5" },
    { "calibrated", "calibrations", "linear+ls" },
    { "calibrated", "leaves-grid", "3" },
    { "calibrated", "terms-grid", "2" },
    { "calibrated", "rounds-grid", "1" },
};

static gradus_status train_pair(gradus_error *err)
{
    gradus_dataset *data = eight_rows(true, err);
    gradus_options *options = data ? gradus_options_new("train", err) : NULL;
    const char *learner = current_pair->learner->about.name;
    gradus_model *trained = NULL;
    gradus_status status = options ? GRADUS_OK : err->status;

    if (status == GRADUS_OK)
        status = gradus_options_set(options, "method", current_pair->ranker->about.name, err);
    if (status == GRADUS_OK)
        status = gradus_options_set(options, "learner", learner, err);
    if (status == GRADUS_OK)
        status = gradus_options_set(options, "transform", current_transform, err);
    if (status == GRADUS_OK)
        status = gradus_options_set(options, "rounds", "2", err);
    for (size_t i = 0; status == GRADUS_OK && i < sizeof settings / sizeof *settings; i++)
        if (strcmp(settings[i][0], learner) == 0)
            status = gradus_options_set(options, settings[i][1], settings[i][2], err);
    if (status == GRADUS_OK && !(trained = gradus_train(NULL, data, data, options, err)))
        status = err->status;
    gradus_model_free(trained);
    gradus_options_free(options);
    gradus_dataset_free(data);
    return status;
}

static void check_pair(const method_pair *pair)
{
    static const char *const transforms[] = { "none", "minmax", "query", "standardise" };
    static size_t turn;
    char name[100];

    current_pair = pair;
    current_transform = transforms[turn++ % 4];
    snprintf(name, sizeof name, "train %s by %s, transform %s", pair->ranker->about.name,
             pair->learner->about.name, current_transform);
    assert_true(exhaust(name, train_pair) > 0);
}

static void test_every_allocation_of_training_may_fail(void **state)
{
    gradus_dataset *data = make_synth(1, "mcrank", PAIRS("queries", "16", "documents", "10"));
    const gradus_training_input input = { .train = data, .valid = data };

    (void)state;
    check_pairs(PAIRS_COVERING, &input, check_pair);
    gradus_dataset_free(data);
}

/* With trials of transforms, whose values of queries are compared. */
static gradus_status train_auto(gradus_error *err)
{
    gradus_dataset *data = eight_rows(true, err);
    gradus_options *options = data ? gradus_options_new("train", err) : NULL;
    gradus_model *trained = NULL;
    gradus_status status =
        options ? gradus_options_set(options, "method", "coordinate-ascent", err) : err->status;

    static const char *const once[] = { "rounds", "restarts", "tries" };

    for (size_t i = 0; status == GRADUS_OK && i < sizeof once / sizeof *once; i++)
        status = gradus_options_set(options, once[i], "1", err);
    if (status == GRADUS_OK && !(trained = gradus_train(NULL, data, data, options, err)))
        status = err->status;
    gradus_model_free(trained);
    gradus_options_free(options);
    gradus_dataset_free(data);
    return status;
}

static void test_every_allocation_of_trials_may_fail(void **state)
{
    (void)state;
    assert_true(exhaust("train coordinate-ascent, transform auto", train_auto) > 0);
}

/* Votes on the grades of eight rows, calibrated and optionally combined, written and read. Fitting
 * a sigmoid takes many steps: those scenarios end with the calibration. */
static gradus_status calibrate(const char *how, bool mixes, gradus_error *err)
{
    gradus_dataset *data = eight_rows(false, err);
    gradus_options *options = data ? gradus_options_new("calibrate", err) : NULL;
    gradus_model *better = NULL, *mixed = NULL, *again = NULL;
    gradus_status status = options ? gradus_options_set(options, "how", how, err) : err->status;

    if (status == GRADUS_OK && !(better = gradus_calibrate(NULL, votes, data, options, err)))
        status = err->status;
    const gradus_model *const both[] = { votes, better };

    if (status == GRADUS_OK && mixes && !(mixed = gradus_ensemble(NULL, both, 2, data, NULL, err)))
        status = err->status;
    if (status == GRADUS_OK && mixes)
        status = gradus_model_write(mixed, output_path, err);
    if (status == GRADUS_OK && mixes && !(again = gradus_model_read(output_path, err)))
        status = err->status;
    gradus_model_free(again);
    gradus_model_free(mixed);
    gradus_model_free(better);
    gradus_options_free(options);
    gradus_dataset_free(data);
    return status;
}

static gradus_status calibrate_sigmoid(gradus_error *err)
{
    return calibrate("sn", false, err);
}

static gradus_status calibrate_isotonic(gradus_error *err)
{
    return calibrate("isotonic", true, err);
}

static gradus_status calibrate_ordinal(gradus_error *err)
{
    return calibrate("ordinal", false, err);
}

static gradus_status calibrate_process(gradus_error *err)
{
    return calibrate("gaussian-process", false, err);
}

/* An ensemble of three members with the given options. */
static gradus_model *combine(const char *text, const gradus_dataset *data, gradus_error *err)
{
    const gradus_model *const members[] = { votes, votes, votes };
    gradus_options *options = gradus_options_new("ensemble", err);
    gradus_model *made = NULL;

    if (options && gr_options_take(options, text, err) == GRADUS_OK)
        made = gradus_ensemble(NULL, members, 3, data, options, err);
    gradus_options_free(options);
    return made;
}

/* Selection of two members, one of them twice, as an ensemble of scores. */
static gradus_status select_members(gradus_error *err)
{
    gradus_dataset *data = eight_rows(false, err);
    gradus_model *made = data ? combine("way=selection bags=2 steps=3", data, err) : NULL;
    gradus_model *again = NULL;
    gradus_status status = made ? GRADUS_OK : err->status;

    gradus_model_free(made);
    made = status == GRADUS_OK ? combine("way=standardized", NULL, err) : NULL;
    if (status == GRADUS_OK)
        status = made ? gradus_model_write(made, output_path, err) : err->status;
    if (status == GRADUS_OK && !(again = gradus_model_read(output_path, err)))
        status = err->status;
    gradus_model_free(again);
    gradus_model_free(made);
    gradus_dataset_free(data);
    return status;
}

static gradus_status distil(gradus_error *err)
{
    gradus_dataset *data = eight_rows(false, err);
    gradus_options *options = data ? gradus_options_new("train", err) : NULL;
    gradus_model *made = NULL;
    gradus_status status = options ? GRADUS_OK : err->status;

    if (status == GRADUS_OK)
        status = gr_options_take(options, "rounds=1 min-rows=1", err);
    if (status == GRADUS_OK && !(made = gradus_distil(NULL, votes, data, options, err)))
        status = err->status;
    gradus_model_free(made);
    gradus_options_free(options);
    gradus_dataset_free(data);
    return status;
}

/* Least squares with elimination: rows added, solved, copied into a node. */
static gradus_status fit_lines(gradus_error *err)
{
    const float values[] = { 1, 2, 2, 1, 4, 0, 3, 7 }, labels[] = { 1, 3, 2, 5 };
    gradus_dataset data = {
        .arrays = { .rows = 4, .features = 2, .values = values, .stride = 2, .labels = labels }
    };
    const gr_problem problem = { .rows = 4, .labels = labels, .outputs = 1 };
    const gr_linear_options options = { .elimination = GR_ELIMINATE_GREEDY };
    gr_linear linear = { .features = 0 }, copy = { .features = 0 };
    gr_node node = { .kind = NULL };
    double sums[4] = { 0 };
    gradus_status status = gr_linear_train(NULL, &data, &problem, &options, &linear, err);

    if (status == GRADUS_OK)
        status = gr_linear_add(&linear, &data, sums, NULL, err);
    if (status == GRADUS_OK)
        status = gr_linear_copy(&linear, &copy, err);
    if (status == GRADUS_OK)
        status = gr_linear_node_new(&copy, &node, err);
    if (node.kind)
        gr_node_free(&node);
    gr_linear_free(&copy);
    gr_linear_free(&linear);
    return status;
}

/* Few of many features are used: rows, model and scoring without the others. */
static gradus_status train_wide(const char *method, const char *learner, const char *transform,
                                gradus_error *err)
{
    static const uint64_t row_starts[] = { 0, 2, 3, 5, 6 }, starts[] = { 0, 2, 4 };
    static const uint32_t columns[] = { 1, 19999, 1, 1, 700, 19999 };
    static const float entries[] = { 1, 2, 3, 0.5f, 4, 5 }, labels[] = { 0, 1, 1, 0 };
    const gradus_arrays arrays = { .rows = 4,
                                   .features = 20000,
                                   .row_starts = row_starts,
                                   .columns = columns,
                                   .entries = entries,
                                   .labels = labels,
                                   .queries = 2,
                                   .query_starts = starts };
    gradus_dataset *data = gradus_dataset_borrow(&arrays, err);
    gradus_options *options = data ? gradus_options_new("train", err) : NULL;
    const gradus_training_input input = { .train = data, .valid = data };
    gradus_training *training = NULL;
    gradus_model *trained = NULL;
    gradus_status status = options ? GRADUS_OK : err->status;
    double scores[4];
    bool done = false;

    if (status == GRADUS_OK)
        status = gradus_options_set(options, "method", method, err);
    if (status == GRADUS_OK)
        status = gradus_options_set(options, "learner", learner, err);
    if (status == GRADUS_OK)
        status = gradus_options_set(options, "transform", transform, err);
    if (status == GRADUS_OK)
        status = gradus_options_set(options, "keep-zeros", "true", err);
    if (status == GRADUS_OK && strcmp(learner, "gbrt") == 0)
        status = gradus_options_set(options, "min-rows", "1", err);
    if (status == GRADUS_OK) {
        training = gradus_training_new(NULL, &input, options, err);
        status = training ? gradus_training_step(training, &done, err) : err->status;
    }
    if (status == GRADUS_OK) {
        trained = gradus_training_finish(training, err);
        status = trained ? gr_model_run(trained, data, NULL, scores, NULL, err) : err->status;
    }
    if (status == GRADUS_OK)
        assert_int_equal(trained->features, 20000);
    gradus_training_free(training);
    gradus_model_free(trained);
    gradus_options_free(options);
    gradus_dataset_free(data);
    return status;
}

static gradus_status train_wide_trees(gradus_error *err)
{
    return train_wide("lambdamart", "gbrt", "none", err);
}

static gradus_status train_wide_equation(gradus_error *err)
{
    return train_wide("regression", "linear", "minmax", err);
}

static const struct {
    const char *name;
    scenario run;
} scenarios[] = {
    { "begin lambdarank", begin_lambdarank },
    { "fit linear equations", fit_lines },
    { "make a model", make_model },
    { "write a model", write_model },
    { "read a model", read_model },
    { "a model seen another way", view_model },
    { "rank by a cost", rank_by_cost },
    { "train on sparse rows", train_sparse_m5p },
    { "calibrate by sn", calibrate_sigmoid },
    { "isotonic", calibrate_isotonic },
    { "ordinal", calibrate_ordinal },
    { "a Gaussian process", calibrate_process },
    { "selection", select_members },
    { "distillation", distil },
    { "train trees on wide rows", train_wide_trees },
    { "train an equation on wide rows", train_wide_equation },
};

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    for (size_t s = 0; s < sizeof scenarios / sizeof *scenarios; s++)
        assert_true(exhaust(scenarios[s].name, scenarios[s].run) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_allocation_may_fail),
        cmocka_unit_test(test_every_allocation_of_training_may_fail),
        cmocka_unit_test(test_every_allocation_of_trials_may_fail),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
