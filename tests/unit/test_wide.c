/* SPDX-License-Identifier: Apache-2.0 */
/* Wide sparse data, few of whose features are used: for every method and learner, training without
 * the unused columns gives the model of training with them; it resumes to the same bytes, and
 * scoring does not depend on how rows are stored. */
#include "synthetic_sets.h"

#include "base/context.h"
#include "data/used_columns.h"
#include "model/model.h"
#include "model/predict.h"
#include "pipeline/learner.h"
#include "pipeline/ranker.h"

enum { FEATURES = 5000, DENSE = 6, ROUNDS = 4 };

static char folder[64], model_path[128];
static gradus_dataset *train, *valid, *train_dense;
static gradus_context *narrow, *plain; /* the used columns, and all columns */

/* Ids of the features of the dense data; 2000 has no entry in the training data. */
static const uint32_t ids[DENSE] = { 3, 64, 65, 2000, 4095, 4999 };

/* Sparse rows of wide ids. Zeros and values below the threshold are left out. */
static gradus_dataset *spread(const gradus_dataset *dense, bool with_unseen)
{
    const gradus_arrays *a = &dense->arrays;
    gradus_dataset *data = gr_dataset_new(NULL);
    uint64_t *starts;
    uint32_t *columns;
    float *values;
    size_t used = 0;

    assert_non_null(data);
    data->arrays.rows = a->rows;
    data->arrays.features = FEATURES;
    data->arrays.queries = a->queries;
    gr_dataset_reserve(data, GR_ROW_STARTS, a->rows + 1, sizeof *starts, NULL);
    gr_dataset_reserve(data, GR_COLUMNS, a->rows * DENSE, sizeof *columns, NULL);
    gr_dataset_reserve(data, GR_ENTRIES, a->rows * DENSE, sizeof *values, NULL);
    gr_dataset_reserve(data, GR_LABELS, a->rows, sizeof(float), NULL);
    gr_dataset_reserve(data, GR_QUERY_STARTS, a->queries + 1, sizeof(uint64_t), NULL);
    starts = data->owned[GR_ROW_STARTS].at;
    columns = data->owned[GR_COLUMNS].at;
    values = data->owned[GR_ENTRIES].at;
    starts[0] = 0;
    for (size_t r = 0; r < a->rows; r++) {
        for (size_t f = 0; f < DENSE; f++) {
            const float value = a->values[r * a->stride + f];

            if ((f == 3 && !with_unseen) || value < 0.2f)
                continue;
            columns[used] = ids[f];
            values[used++] = value;
        }
        starts[r + 1] = used;
    }
    memcpy(data->owned[GR_LABELS].at, a->labels, a->rows * sizeof(float));
    memcpy(data->owned[GR_QUERY_STARTS].at, a->query_starts, (a->queries + 1) * sizeof(uint64_t));
    gr_dataset_adopt(data);
    return data;
}

static gradus_dataset *make_wide(const char *queries, const char *seed, bool with_unseen)
{
    gradus_dataset *dense = make_synth(
        1, "mcrank", PAIRS("queries", queries, "documents", "10", "features", "6", "seed", seed));
    gradus_dataset *wide = spread(dense, with_unseen);

    gradus_dataset_free(dense);
    return wide;
}

/* The same rows, stored dense. */
static gradus_dataset *make_dense(const gradus_dataset *wide)
{
    gradus_dataset *dense = gr_dataset_new(NULL);
    const size_t rows = wide->arrays.rows;

    dense->arrays.rows = rows;
    dense->arrays.features = FEATURES;
    gr_dataset_reserve(dense, GR_VALUES, rows * FEATURES, sizeof(float), NULL);
    for (size_t r = 0; r < rows; r++)
        gr_dataset_row(wide, r, (float *)dense->owned[GR_VALUES].at + r * FEATURES);
    dense->arrays.queries = wide->arrays.queries;
    gr_dataset_reserve(dense, GR_QUERY_STARTS, dense->arrays.queries + 1, sizeof(uint64_t), NULL);
    memcpy(dense->owned[GR_QUERY_STARTS].at, wide->arrays.query_starts,
           (dense->arrays.queries + 1) * sizeof(uint64_t));
    gr_dataset_adopt(dense);
    return dense;
}

static int set_up(void **state)
{
    (void)state;
    make_folder(folder);
    in_folder(model_path, folder, "a.model");
    train = make_wide("16", "1", false);
    valid = make_wide("6", "2", true);
    train_dense = make_dense(train);
    narrow = gradus_context_new(1, NULL);
    plain = gradus_context_new(1, NULL);
    assert_non_null(narrow);
    assert_non_null(plain);
    narrow->wide_features = 1000;
    plain->wide_features = SIZE_MAX;
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    gradus_dataset_free(train);
    gradus_dataset_free(valid);
    gradus_dataset_free(train_dense);
    gradus_context_free(narrow);
    gradus_context_free(plain);
    unlink(model_path);
    return rmdir(folder);
}

/* ---- Training ---- */

static void set(gradus_options *options, const char *name, const char *value)
{
    gradus_error err = { GRADUS_OK, "" };

    if (gradus_options_set(options, name, value, &err) != GRADUS_OK)
        fail_msg("%s", err.message);
}

/* NULL-terminated name, value pairs. */
static gradus_options *options_with(const char *method, const char *learner,
                                    const char *const *pairs)
{
    gradus_options *options = gradus_options_new("train", NULL);

    set(options, "method", method);
    set(options, "learner", learner);
    set(options, "rounds", "4");
    set(options, "keep", "last");
    if (strcmp(learner, "gbrt") == 0)
        set(options, "min-rows", "5");
    for (; *pairs; pairs += 2)
        set(options, pairs[0], pairs[1]);
    return options;
}

static gradus_training *start(gradus_context *context, const gradus_options *options,
                              const gradus_model *checkpoint, bool resume, gradus_error *err)
{
    const gradus_training_input input = {
        .train = train, .valid = valid, .start = checkpoint, .resume = resume
    };

    return gradus_training_new(context, &input, options, err);
}

static void take_steps(gradus_training *training, size_t most)
{
    gradus_error err = { GRADUS_OK, "" };
    bool done = false;

    for (size_t i = 0; i < most && !done; i++)
        if (gradus_training_step(training, &done, &err) != GRADUS_OK)
            fail_msg("%s", err.message);
}

/* Through a file, which is left. */
static gradus_model *reread(gradus_model *model, gradus_error *err)
{
    if (!model || gradus_model_write(model, model_path, err) != GRADUS_OK)
        fail_msg("%s", err->message);
    gradus_model_free(model);
    model = gradus_model_read(model_path, err);
    if (!model)
        fail_msg("%s", err->message);
    return model;
}

static gradus_model *finish(gradus_training *training)
{
    gradus_error err = { GRADUS_OK, "" };
    gradus_model *model;

    take_steps(training, SIZE_MAX);
    model = reread(gradus_training_finish(training, &err), &err);
    gradus_training_free(training);
    return model;
}

static gradus_model *train_in(gradus_context *context, const gradus_options *options)
{
    gradus_error err = { GRADUS_OK, "" };
    gradus_training *training = start(context, options, NULL, false, &err);

    if (!training)
        fail_msg("%s", err.message);
    return finish(training);
}

static double *scores_of(gradus_context *context, const gradus_model *model,
                         const gradus_dataset *data)
{
    double *scores = calloc(data->arrays.rows, sizeof *scores);
    gradus_error err = { GRADUS_OK, "" };

    if (gr_model_run(model, data, context, scores, NULL, &err) != GRADUS_OK)
        fail_msg("%s", err.message);
    return scores;
}

static void check_scores(const char *what, const double *wanted, const double *found, size_t rows,
                         double tolerance)
{
    for (size_t r = 0; r < rows; r++)
        if (!(fabs(wanted[r] - found[r]) <= tolerance * fmax(1.0, fabs(wanted[r]))))
            fail_msg("%s: row %zu has score %.17g, expected %.17g", what, r, found[r], wanted[r]);
}

/* Narrow and wide scoring, and dense rows, agree. Sums of linear models are over fewer zeros in
 * another order. */
static void check_scoring(const char *what, const gradus_model *model, double tolerance)
{
    double *wide = scores_of(plain, model, train), *found = scores_of(narrow, model, train);
    double *dense = scores_of(plain, model, train_dense);

    check_scores(what, wide, found, train->arrays.rows, tolerance);
    check_scores(what, wide, dense, train->arrays.rows, tolerance);
    free(wide);
    free(found);
    free(dense);
}

static char *bytes_of(gradus_model *model, size_t *size)
{
    gradus_error err = { GRADUS_OK, "" };

    if (gradus_model_write(model, model_path, &err) != GRADUS_OK)
        fail_msg("%s", err.message);
    return file_bytes(model_path, size);
}

static void check_bytes(const char *what, gradus_model *a, gradus_model *b)
{
    size_t a_size, b_size;
    char *first = bytes_of(a, &a_size), *second = bytes_of(b, &b_size);

    if (a_size != b_size || memcmp(first, second, a_size) != 0)
        fail_msg("%s: other bytes", what);
    free(first);
    free(second);
}

static bool is_net(const gr_ranker *ranker, const gr_learner *learner)
{
    return strstr(ranker->about.name, "net") != NULL || strcmp(learner->about.name, "net") == 0 ||
           strcmp(ranker->about.name, "listmle") == 0 ||
           strcmp(ranker->about.name, "lambdarank") == 0;
}

/* ---- Every method and learner ---- */

static void compare_scores(const char *what, const gradus_model *narrowed, const gradus_model *wide,
                           const gradus_dataset *data, double tolerance)
{
    double *found = scores_of(plain, narrowed, data), *wanted = scores_of(plain, wide, data);

    check_scores(what, wanted, found, data->arrays.rows, tolerance);
    free(found);
    free(wanted);
}

/* How far scores may differ: nets draw their first weights feature by feature, coordinate ascent
 * starts from 1 / features and shuffles the features, SGD averages its weights the less often the
 * more features there are, and others add numbers in another order. */
static double tolerance_of(const gr_ranker *ranker, const gr_learner *learner)
{
    if (is_net(ranker, learner) || strcmp(ranker->about.name, "coordinate-ascent") == 0)
        return INFINITY;
    return strcmp(learner->about.name, "sgd") == 0 ? 1e-3 : 1e-6;
}

/* Models that store feature numbers are the same; others list the columns. */
static void compare(const char *what, gradus_model *narrowed, gradus_model *wide, double tolerance)
{
    const gr_node *listed = gr_model_listed(narrowed);

    assert_int_equal(narrowed->features, FEATURES);
    assert_null(gr_model_listed(wide));
    if (!listed)
        check_bytes(what, narrowed, wide);
    else
        assert_int_equal(listed->column_count, DENSE - 1);
    compare_scores(what, narrowed, wide, train, listed ? tolerance : 0.0);
    check_scoring(what, narrowed, listed ? 1e-12 : 0.0);
}

static void check_resume(const char *what, const gradus_options *options, gradus_model *wanted)
{
    gradus_error err = { GRADUS_OK, "" };
    gradus_training *training = start(narrow, options, NULL, false, &err);
    gradus_model *checkpoint, *found;

    assert_non_null(training);
    take_steps(training, 2);
    checkpoint = reread(gradus_training_checkpoint(training, &err), &err);
    gradus_training_free(training);
    training = start(narrow, options, checkpoint, true, &err);
    if (!training)
        fail_msg("%s: %s", what, err.message);
    found = finish(training);
    check_bytes(what, wanted, found);
    gradus_model_free(found);
    gradus_model_free(checkpoint);
}

/* False: the learner does not fit the method. */
static bool check_pair(const gr_ranker *ranker, const gr_learner *learner, const char *const *pairs)
{
    gradus_options *options = options_with(ranker->about.name, learner->about.name, pairs);
    gradus_error err = { GRADUS_OK, "" };
    gradus_training *training = start(narrow, options, NULL, false, &err);
    char what[120];

    if (!training) {
        if (err.status != GRADUS_BAD_ARGUMENT)
            fail_msg("%s", err.message);
        gradus_options_free(options);
        return false;
    }
    gradus_model *narrowed = finish(training), *wide = train_in(plain, options);

    snprintf(what, sizeof what, "%s by %s%s%s", ranker->about.name, learner->about.name,
             *pairs ? " with " : "", *pairs ? pairs[0] : "");
    compare(what, narrowed, wide, tolerance_of(ranker, learner));
    if (learner->rounds)
        check_resume(what, options, narrowed);
    gradus_model_free(narrowed);
    gradus_model_free(wide);
    gradus_options_free(options);
    return true;
}

static const char *const none[] = { NULL };
static const char *const grid[] = { "leaves-grid", "3,5",          "terms-grid", "2", "rounds-grid",
                                    "2,4",         "calibrations", "ls",         NULL };
static const char *const few_steps[] = { "steps", "2000", NULL };

static const char *const *pairs_of(const gr_ranker *ranker, const gr_learner *learner)
{
    if (strcmp(ranker->about.name, "calibrated") == 0)
        return grid;
    return strcmp(learner->about.name, "sgd") == 0 ? few_steps : none;
}

static void test_every_learner_gives_the_same_model(void **state)
{
    size_t pairs = 0;

    (void)state;
    for (size_t m = 0; gr_ranker_names[m]; m++) {
        const gr_ranker *ranker = gr_ranker_number(m);
        const size_t before = pairs;

        for (size_t l = 0; ranker->own_learners && ranker->own_learners[l]; l++)
            pairs += check_pair(ranker, ranker->own_learners[l],
                                pairs_of(ranker, ranker->own_learners[l]));
        for (size_t l = 0; !ranker->only_own && gr_learner_names[l]; l++)
            if (!gr_learner_number(l)->by_method)
                pairs += check_pair(ranker, gr_learner_number(l),
                                    pairs_of(ranker, gr_learner_number(l)));
        if (pairs == before)
            fail_msg("'%s' has no learner", ranker->about.name);
    }
}

static void test_transforms_kernels_and_monotone_features(void **state)
{
    static const struct {
        const char *method, *learner;
        const char *pairs[7];
    } cases[] = {
        { "lambdamart", "gbrt", { "transform", "standardise", "keep-zeros", "true", NULL } },
        { "lambdamart", "gbrt", { "transform", "minmax", NULL } },
        { "lambdamart", "gbrt", { "transform", "query", "keep-zeros", "true", NULL } },
        { "regression", "gbrt", { "monotone", "66:+,2001:-,5000:-", NULL } },
        { "regression", "linear", { "transform", "query", NULL } },
        { "regression", "m5p", { "transform", "minmax", "keep-zeros", "true", NULL } },
        { "svor-imc", "kernel", { "kernel", "polynomial", "transform", "none", NULL } },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const gr_ranker *ranker = gr_ranker_named(cases[i].method);
        const gr_learner *learner = NULL;

        for (size_t l = 0; ranker->own_learners && ranker->own_learners[l]; l++)
            if (strcmp(ranker->own_learners[l]->about.name, cases[i].learner) == 0)
                learner = ranker->own_learners[l];
        for (size_t l = 0; !learner && gr_learner_names[l]; l++)
            if (strcmp(gr_learner_names[l], cases[i].learner) == 0)
                learner = gr_learner_number(l);
        assert_non_null(learner);
        assert_true(check_pair(ranker, learner, cases[i].pairs));
    }
}

/* ---- Uses, warm starts, ensembles ---- */

static void test_numbers_are_those_of_the_features(void **state)
{
    gradus_options *options = options_with("regression", "linear", none);
    gradus_model *narrowed = train_in(narrow, options), *wide = train_in(plain, options);
    gradus_feature_use uses[DENSE], *all = calloc(FEATURES, sizeof *all);
    const double *coefficients, *wanted;
    size_t count, all_count;
    const uint32_t *columns = gradus_model_columns(narrowed, &count);

    (void)state;
    assert_non_null(columns);
    assert_int_equal(count, DENSE - 1);
    assert_null(gradus_model_columns(wide, &all_count));
    assert_true(gradus_model_equation(narrowed, 0, NULL, &coefficients, NULL, NULL));
    assert_true(gradus_model_equation(wide, 0, NULL, &wanted, NULL, NULL));
    for (size_t c = 0; c < count; c++)
        assert_true(fabs(coefficients[c] - wanted[columns[c]]) < 1e-9);
    assert_int_equal(gradus_model_max_uses(narrowed), DENSE - 1);
    assert_int_equal(gradus_model_uses(narrowed, uses, &count, NULL), GRADUS_OK);
    assert_int_equal(gradus_model_uses(wide, all, &all_count, NULL), GRADUS_OK);
    assert_int_equal(count, all_count);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(uses[i].feature, all[i].feature);
    free(all);
    gradus_model_free(narrowed);
    gradus_model_free(wide);
    gradus_options_free(options);
}

/* A model may use features without an entry in the data that it is trained further on. */
static void test_warm_starts(void **state)
{
    gradus_options *options = options_with("lambdamart", "gbrt", none);
    gradus_dataset *kept = train;
    gradus_model *first, *models[2];
    gradus_context *const contexts[2] = { narrow, plain };
    gradus_error err = { GRADUS_OK, "" };

    (void)state;
    first = train_in(narrow, options);
    train = make_wide("12", "3", true);
    for (size_t i = 0; i < 2; i++) {
        gradus_training *training = start(contexts[i], options, first, false, &err);

        if (!training)
            fail_msg("%s", err.message);
        models[i] = finish(training);
        assert_int_equal(gr_model_rounds(models[i]), gr_model_rounds(first) + ROUNDS);
    }
    check_bytes("warm start", models[0], models[1]);
    gradus_dataset_free(train);
    train = kept;
    for (size_t i = 0; i < 2; i++)
        gradus_model_free(models[i]);
    gradus_model_free(first);
    gradus_options_free(options);
}

/* Standardised scores of members with lists of columns, and forests distilled from them. */
static void test_standardised_ensembles(void **state)
{
    gradus_context *const contexts[2] = { narrow, plain };
    gradus_options *options = options_with("regression", "linear", none);
    gradus_options *forest = options_with("regression", "gbrt", none);
    gradus_options *way = gradus_options_new("ensemble", NULL);
    const size_t rows = gradus_dataset_rows(train);
    gradus_model *teacher = train_in(plain, forest), *distilled[2];
    double *scores[2];

    (void)state;
    gradus_options_set(way, "way", "standardized", NULL);
    for (size_t i = 0; i < 2; i++) {
        gradus_model *member = train_in(contexts[i], options);
        const gradus_model *const members[] = { member, member };
        gradus_model *made = gradus_ensemble(contexts[i], members, 2, NULL, way, NULL);

        assert_non_null(made);
        scores[i] = calloc(rows, sizeof *scores[i]);
        assert_int_equal(gradus_model_score(contexts[i], made, train, scores[i], NULL), GRADUS_OK);
        distilled[i] = gradus_distil(contexts[i], teacher, train, forest, NULL);
        assert_non_null(distilled[i]);
        gradus_model_free(made);
        gradus_model_free(member);
    }
    for (size_t r = 0; r < rows; r++)
        assert_true(fabs(scores[0][r] - scores[1][r]) < 1e-6);
    check_bytes("distilled", distilled[0], distilled[1]);
    for (size_t i = 0; i < 2; i++) {
        free(scores[i]);
        gradus_model_free(distilled[i]);
    }
    gradus_model_free(teacher);
    gradus_options_free(options);
    gradus_options_free(forest);
    gradus_options_free(way);
}

static void test_lists_with_other_columns_are_refused(void **state)
{
    gradus_options *options = options_with("regression", "bagged-m5p", none);
    gradus_dataset *kept = train;
    gradus_error err = { GRADUS_OK, "" };
    gradus_model *first = train_in(narrow, options);

    (void)state;
    train = make_wide("12", "3", true);
    assert_null(start(narrow, options, first, false, &err));
    assert_non_null(strstr(err.message, "5 of the 5000 features, but the data have entries of 1 "));
    gradus_dataset_free(train);
    train = kept;
    gradus_model_free(first);
    gradus_options_free(options);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_learner_gives_the_same_model),
        cmocka_unit_test(test_transforms_kernels_and_monotone_features),
        cmocka_unit_test(test_numbers_are_those_of_the_features),
        cmocka_unit_test(test_warm_starts),
        cmocka_unit_test(test_standardised_ensembles),
        cmocka_unit_test(test_lists_with_other_columns_are_refused),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
