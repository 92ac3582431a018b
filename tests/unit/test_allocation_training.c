/* SPDX-License-Identifier: Apache-2.0 */
/* Failure of every allocation in training and in models. */
#include "failing.h"
#include "sample_model.h"

#include "learners/m5/m5.h"
#include "model/linear_node.h"
#include "model/model_view.h"
#include "model/model_write.h"
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

static gradus_status train_method(const char *method, const char *learner, const char *transform,
                                  gradus_error *err)
{
    static const float values[] = { 1, 5, 2, NAN, 3, 5, 4, 6, 5, 0, 6, 0, 7, 1, 8, 2 };
    static const float labels[] = { 0, 1, 1, 2, 0, 0, 2, 1 };
    static const uint64_t starts[] = { 0, 4, 8 };
    static const char *const of_calibrated[][2] = { { "calibration-fraction", "0.5" },
                                                    { "calibrations", "linear+ls" },
                                                    { "leaves-grid", "3" },
                                                    { "terms-grid", "2" },
                                                    { "rounds-grid", "1" } };
    const gradus_arrays arrays = { .rows = 8,
                                   .features = 2,
                                   .values = values,
                                   .stride = 2,
                                   .labels = labels,
                                   .queries = 2,
                                   .query_starts = starts };
    gradus_dataset *data = gradus_dataset_borrow(&arrays, err);
    gradus_options *options = data ? gradus_options_new("train", err) : NULL;
    gradus_model *trained = NULL;
    gradus_status status = options ? GRADUS_OK : err->status;

    if (status == GRADUS_OK)
        status = gradus_options_set(options, "method", method, err);
    if (status == GRADUS_OK)
        status = gradus_options_set(options, "learner", learner, err);
    if (status == GRADUS_OK)
        status = gradus_options_set(options, "transform", transform, err);
    if (status == GRADUS_OK)
        status = gradus_options_set(options, "rounds", "2", err);
    if (status == GRADUS_OK && strcmp(learner, "gbrt") == 0)
        status = gradus_options_set(options, "min-rows", "1", err);
    if (status == GRADUS_OK && strcmp(learner, "sgd") == 0)
        status = gradus_options_set(options, "steps", "100", err);
    if (status == GRADUS_OK && strcmp(learner, "sgd") == 0)
        status = gradus_options_set(options, "average", "true", err);
    for (size_t i = 0; status == GRADUS_OK && strcmp(learner, "calibrated") == 0 && i < 5; i++)
        status = gradus_options_set(options, of_calibrated[i][0], of_calibrated[i][1], err);
    if (status == GRADUS_OK)
        trained = gradus_train(NULL, data, data, options, err);
    if (status == GRADUS_OK && !trained)
        status = err->status;
    gradus_model_free(trained);
    gradus_options_free(options);
    gradus_dataset_free(data);
    return status;
}

static gradus_status train_lambdamart(gradus_error *err)
{
    return train_method("lambdamart", "gbrt", "none", err);
}

static gradus_status train_mcrank(gradus_error *err)
{
    return train_method("mcrank", "gbrt", "minmax", err);
}

static gradus_status train_cocr(gradus_error *err)
{
    return train_method("cocr", "gbrt", "query", err);
}

static gradus_status train_m5p(gradus_error *err)
{
    return train_method("regression", "m5p", "none", err);
}

static gradus_status train_bagged_m5p(gradus_error *err)
{
    return train_method("cocr", "bagged-m5p", "none", err);
}

static gradus_status train_propodds(gradus_error *err)
{
    return train_method("propodds", "gbrt", "none", err);
}

static gradus_status train_pairrank(gradus_error *err)
{
    return train_method("pairrank", "gbrt", "none", err);
}

static gradus_status train_gaussians(gradus_error *err)
{
    return train_method("orboost", "gaussians", "standardise", err);
}

static gradus_status train_odds(gradus_error *err)
{
    return train_method("propodds", "linear", "none", err);
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

static gradus_status train_crr(gradus_error *err)
{
    return train_method("crr", "sgd", "none", err);
}

static gradus_status train_svor(gradus_error *err)
{
    return train_method("svor-imc", "kernel", "none", err);
}

static gradus_status train_linear_svor(gradus_error *err)
{
    return train_method("svor-exc", "linear", "none", err);
}

static gradus_status train_ranknet(gradus_error *err)
{
    return train_method("ranknet", "net", "standardise", err);
}

static gradus_status train_lambdarank(gradus_error *err)
{
    return train_method("lambdarank", "net", "none", err);
}

static gradus_status train_rankboost(gradus_error *err)
{
    return train_method("rankboost", "stumps", "none", err);
}

static gradus_status train_adarank(gradus_error *err)
{
    return train_method("adarank-map", "linear", "none", err);
}

static gradus_status train_ascent(gradus_error *err)
{
    return train_method("coordinate-ascent", "linear", "none", err);
}

static gradus_status train_ranksvm(gradus_error *err)
{
    return train_method("ranksvm", "linear", "none", err);
}

static gradus_status train_adaboost(gradus_error *err)
{
    return train_method("adaboost-mh", "adaboost", "none", err);
}

/* One query for training, one for calibration. */
static gradus_status train_calibrated(gradus_error *err)
{
    return train_method("calibrated", "calibrated", "none", err);
}

/* Votes on the grades of eight rows, calibrated and optionally combined, written and read. Fitting
 * a sigmoid takes many steps: those scenarios end with the calibration. */
static gradus_status calibrate(const char *how, bool mixes, gradus_error *err)
{
    static const float values[] = { 1, 5, 2, 3, 3, 5, 4, 6, 5, 0, 6, 0, 7, 1, 8, 2 };
    static const float labels[] = { 0, 1, 1, 2, 0, 0, 2, 1 };
    static const uint64_t starts[] = { 0, 4, 8 };
    const gradus_arrays arrays = { .rows = 8,
                                   .features = 2,
                                   .values = values,
                                   .stride = 2,
                                   .labels = labels,
                                   .queries = 2,
                                   .query_starts = starts };
    gradus_dataset *data = gradus_dataset_borrow(&arrays, err);
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

static const struct {
    const char *name;
    scenario run;
} scenarios[] = {
    { "train propodds", train_propodds },
    { "train pairrank", train_pairrank },
    { "train gaussians", train_gaussians },
    { "train linear odds", train_odds },
    { "begin lambdarank", begin_lambdarank },
    { "fit linear equations", fit_lines },
    { "make a model", make_model },
    { "write a model", write_model },
    { "read a model", read_model },
    { "a model seen another way", view_model },
    { "rank by a cost", rank_by_cost },
    { "train calibrated", train_calibrated },
    { "train lambdamart", train_lambdamart },
    { "train mcrank", train_mcrank },
    { "train cocr", train_cocr },
    { "train model trees", train_m5p },
    { "train bagged model trees", train_bagged_m5p },
    { "train on sparse rows", train_sparse_m5p },
    { "train combined regression and ranking", train_crr },
    { "train svor", train_svor },
    { "train linear svor", train_linear_svor },
    { "train ranknet", train_ranknet },
    { "train lambdarank", train_lambdarank },
    { "train rankboost", train_rankboost },
    { "train adarank", train_adarank },
    { "train coordinate ascent", train_ascent },
    { "train ranksvm", train_ranksvm },
    { "train adaboost", train_adaboost },
    { "calibrate by sn", calibrate_sigmoid },
    { "isotonic", calibrate_isotonic },
    { "ordinal", calibrate_ordinal },
    { "a Gaussian process", calibrate_process },
};

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    for (size_t s = 0; s < sizeof scenarios / sizeof *scenarios; s++)
        assert_true(exhaust(scenarios[s].name, scenarios[s].run) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_every_allocation_may_fail) };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
