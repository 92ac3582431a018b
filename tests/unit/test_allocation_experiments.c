/* SPDX-License-Identifier: Apache-2.0 */
/* Failure of every allocation in experiments: journals, jobs, cross-validation, folds, results,
 * tuning, reports. */
#include "gradus_experiments.h"
#include "failing_alloc.h"

#include "small_trials.h"
#include "train_model.h"

#include "bins/bins.h"
#include "data/join.h"
#include "experiments/best_probability.h"
#include "experiments/experiment.h"
#include "experiments/jobs.h"
#include "experiments/papers/movielens.h"
#include "experiments/space.h"

static gradus_dataset *train, *valid, *test;
static gradus_model *model;

/* A folder of ratings, created before anything fails. */
static char movies[] = "/tmp/gradus_movies_XXXXXX";
static const char *const movie_files[][2] = {
    { "u.genre", "unknown|0\nAction|1\n" },
    { "u.occupation", "artist\nnone\n" },
    { "u.item", "1|One|01-Jan-1995||x|0|1\n70|Two|02-Jan-1996||x|0|0\n" },
    { "u.user", "1|24|M|artist|0\n200|30|F|none|0\n" },
    { "u.data", "1\t1\t1\t0\n1\t70\t2\t0\n200\t1\t3\t0\n200\t70\t4\t0\n1\t1\t5\t0\n" },
};

static void write_movies(bool there)
{
    for (size_t i = 0; i < sizeof movie_files / sizeof *movie_files; i++) {
        char path[sizeof movies + 16];

        snprintf(path, sizeof path, "%s/%s", movies, movie_files[i][0]);
        FILE *file = there ? fopen(path, "w") : NULL;

        if (file) {
            fputs(movie_files[i][1], file);
            fclose(file);
        } else {
            unlink(path);
        }
    }
}

static int set_up(void **state)
{
    (void)state;
    train = queries_from("1", "4");
    valid = queries_from("11", "3");
    test = queries_from("21", "6");
    model =
        train_model(1, train, NULL,
                    (const char *const[]){ "rounds", "1", "leaves", "4", "min-rows", "1", NULL });
    if (!mkdtemp(movies))
        return -1;
    write_movies(true);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    gradus_dataset_free(train);
    gradus_dataset_free(valid);
    gradus_dataset_free(test);
    gradus_model_free(model);
    unlink(temporary_path(".jsonl"));
    unlink(temporary_path(".html"));
    gr_checkpoints *left = gr_checkpoints_new(temporary_path(".checkpoints"), NULL);

    gr_checkpoints_clear(left);
    gr_checkpoints_free(left);
    write_movies(false);
    return rmdir(movies);
}

/* path NULL: in memory, which is fast; lines of a file are synced. */
static gradus_status keep(const char *path, int lines, gradus_error *err)
{
    gr_journal *journal = gr_journal_open(path, "test", "a", NULL, err);
    gradus_status status = journal ? GRADUS_OK : err->status;

    for (int i = 0; status == GRADUS_OK && i < lines; i++) {
        char key[16];

        snprintf(key, sizeof key, "%d", i);
        if (!gr_journal_find(journal, key))
            status = add_number(journal, key, i, err);
    }
    gr_journal_close(journal);
    return status;
}

static gradus_status keep_in_memory(gradus_error *err)
{
    return keep(NULL, 70, err);
}

static gradus_status keep_in_a_file(gradus_error *err)
{
    const gradus_status status = keep(temporary_path(".jsonl"), 2, err);

    unlink(temporary_path(".jsonl"));
    return status;
}

static gradus_status nothing(void *argument, size_t index, gradus_context *context,
                             gradus_error *err)
{
    (void)argument, (void)index;
    return gr_progress(context, "x", 0.5, err);
}

static gradus_status run_jobs(gradus_error *err)
{
    return gr_jobs_run(NULL, "jobs", 3, nothing, NULL, err);
}

static gradus_status join_sets(gradus_error *err)
{
    const gradus_dataset *both[] = { train, valid };
    gradus_dataset *joined = gr_dataset_join(NULL, both, 2, err);

    gradus_dataset_free(joined);
    return joined ? GRADUS_OK : err->status;
}

static gradus_status share_bins(gradus_error *err)
{
    const gradus_dataset *sets[] = { train };
    gradus_context context = { .bins = gr_bin_cache_new(sets, 1, err) };
    gr_bins first = { 0 }, second = { 0 };
    const gr_bin_options options = { .bins = 8 };
    gradus_status status = context.bins ? GRADUS_OK : err->status;

    if (status == GRADUS_OK)
        status = gr_bins_new(train, &options, &context, &first, err);
    if (status == GRADUS_OK)
        status = gr_bins_new(train, &options, &context, &second, err);
    gr_bins_free(&first);
    gr_bins_free(&second);
    gr_bin_cache_free(context.bins);
    return status;
}

static gradus_status draw_settings(gradus_error *err)
{
    gr_setting_list list = { 0 };
    gr_space given, space = { .count = 0 };
    uint64_t next = 0;
    gradus_status status =
        gr_space_parse("leaves=4..8, cost=absolute|oerr, learner=gbrt|linear", &given, err);

    if (status != GRADUS_OK)
        return status;
    status = gr_space_for(&given, "cocr", &space, err);
    if (status == GRADUS_OK)
        status = gr_setting_list_draw(&space, "cocr", 1, 3, &next, &list, err);
    if (status == GRADUS_OK)
        status = gr_setting_list_grid(&space, "cocr", 2, 3, &next, &list, err);
    gr_setting_list_free(&list);
    gr_space_free(&space);
    gr_space_free(&given);
    return status;
}

/* folder NULL: checkpoints are in memory. */
static gradus_status hold_contest_with(const char *folder, gradus_error *err)
{
    static const char *const settings[] = { "method=regression rounds=2 leaves=2", NULL };
    static const gr_cv_candidate candidate = { "linear", settings };
    const gr_fold fold = { "fold 1", train, valid, valid };
    const uint64_t parts[] = { 2 };
    gr_crossval cv = { .candidates = &candidate,
                       .count = 1,
                       .folds = &fold,
                       .fold_count = 1,
                       .choose = "ndcg@5",
                       .measures = "ndcg@5",
                       .convention = "gradus",
                       .parts = parts,
                       .checkpoints = gr_checkpoints_new(folder, err) };
    gr_journal *journal = cv.checkpoints ? gr_journal_open(NULL, "test", "", NULL, err) : NULL;
    gr_leaderboard_entry *leaderboard = NULL;
    gradus_status status = journal ? GRADUS_OK : err->status;

    if (status == GRADUS_OK)
        status = gr_crossval_run_trials(NULL, &cv, journal, err);
    cv.parts = NULL;
    if (status == GRADUS_OK)
        status = gr_crossval_run(NULL, &cv, journal, &leaderboard, err);
    gr_leaderboard_free(leaderboard, 1);
    gr_journal_close(journal);
    gr_checkpoints_free(cv.checkpoints);
    return status;
}

static gradus_status hold_contest(gradus_error *err)
{
    return hold_contest_with(NULL, err);
}

static gradus_status hold_contest_in_folder(gradus_error *err)
{
    return hold_contest_with(temporary_path(".checkpoints"), err);
}

static gradus_status collect_results(gradus_error *err)
{
    gr_results *results = gr_results_new(err);
    const double numbers[] = { 1, 2 };
    gr_json_writer writer = { 0 };

    if (!results)
        return err->status;
    for (int t = 0; t < 2; t++) {
        gr_table *table = gr_results_table(results, "t", GR_WANT_NEAR, "crr_table2", 2);

        for (int c = 0; c < 3; c++)
            gr_table_put(table, "r", "c", (gr_found){ .ours = 1 });
    }
    gr_figure_add(gr_results_figure(results, "f", "x", "y"), "s", false, numbers, numbers, 2);
    gr_results_claim(results, true, "c", "f");
    gradus_status status = gr_results_done(results, err);

    if (status == GRADUS_OK) {
        gr_json_open(&writer, NULL, '{');
        gr_results_write(results, &writer);
        gr_json_close(&writer, '}');
        status = gr_json_done(&writer, err);
    }
    gr_json_writer_free(&writer);
    gr_results_free(results);
    return status;
}

static gradus_status list_claims(gradus_error *err)
{
    FILE *file = fopen("cocr-figure2.json", "w");

    assert_non_null(file);
    fputs("{\"experiment\":\"cocr-figure2\",\"scale\":1,\"claims\":[{\"claim\":"
          "\"above with the same rounds\",\"held\":true,\"found\":\"so\"}]}",
          file);
    fclose(file);
    gradus_paper_claims *claims = gradus_paper_claims_read(".", err);
    const gradus_status status = claims ? GRADUS_OK : err->status;

    unlink("cocr-figure2.json");
    gradus_paper_claims_free(claims);
    return status;
}

static gradus_status tune(gradus_error *err)
{
    const gradus_tuning_input input = { .train = train, .valid = valid, .test = valid };
    gradus_options *options = gradus_options_new("tune", err);
    gradus_status status = options ? GRADUS_OK : err->status;
    gradus_tuning *tuning = NULL;

    if (status == GRADUS_OK)
        status = gradus_options_set(options, "method", "regression", err);
    if (status == GRADUS_OK)
        status = gradus_options_set(options, "budget", "1", err);
    if (status == GRADUS_OK)
        status = gradus_options_set(options, "space", "learner=linear", err);
    if (status == GRADUS_OK) {
        tuning = gradus_tune(NULL, &input, options, err);
        status = tuning ? GRADUS_OK : err->status;
    }
    gradus_tuning_free(tuning);
    gradus_options_free(options);
    return status;
}

/* Without rounds, and one member: the selection of members is made to fail on its own. */
static gradus_status automatic(gradus_error *err)
{
    static const char *const pairs[] = {
        "methods", "svor-exc,svor-sl", "budget", "2", "folds", "1", "members",
        "1",       "metric",           "ndcg@3", NULL
    };
    const gradus_tuning_input input = { .train = train, .valid = valid, .test = test };
    gradus_options *options = gradus_options_new("auto", err);
    gradus_status status = options ? GRADUS_OK : err->status;
    gradus_auto_result *result = NULL;

    for (size_t i = 0; status == GRADUS_OK && pairs[i]; i += 2)
        status = gradus_options_set(options, pairs[i], pairs[i + 1], err);
    if (status == GRADUS_OK) {
        result = gradus_auto(NULL, &input, options, err);
        status = result ? GRADUS_OK : err->status;
    }
    gradus_auto_free(result);
    gradus_options_free(options);
    return status;
}

static gradus_status find_best(gradus_error *err)
{
    const double a[] = { 0.5, 0.25, 0.75 }, b[] = { 0.75, 0.5, 0.25 };
    const double *const values[] = { a, b };
    const gr_best_task task = { .methods = 2, .queries = 3, .values = values, .seed = 1 };
    double probability[2];

    return gr_best_probability(NULL, &task, probability, NULL, err);
}

static gradus_status draw_movies(gradus_error *err)
{
    static const size_t counts[GR_RATINGS] = { 1, 1, 1, 1, 1 };
    static const float grades[GR_RATINGS] = { 1, 2, 3, 4, 5 };
    gradus_dataset *ratings = gr_movielens_read(NULL, movies, err), *made = NULL;
    gradus_status status = ratings ? GRADUS_OK : err->status;

    if (status == GRADUS_OK)
        status = gr_movielens_draw(ratings, counts, 1, grades, 1, 1, &made, err);
    gradus_dataset_free(made);
    gradus_dataset_free(ratings);
    return status;
}

/* With the reasons of a model, and the model itself. */
static gradus_status write_report(gradus_error *err)
{
    const gradus_report_system systems[] = { { .name = "trees", .model = model } };
    const gradus_report_set sets[] = { { .name = "test", .data = test } };

    return gradus_report(NULL,
                         &(gradus_report_input){
                             .systems = systems, .system_count = 1, .sets = sets, .set_count = 1 },
                         temporary_path(".html"), err);
}

static void test_write_report(void **state)
{
    char *page = NULL;
    size_t size;

    (void)state;
    if (!gradus_report_available())
        skip();
    assert_true(exhaust("write_report", write_report) >= 100);
    assert_int_equal(gradus_file_read(temporary_path(".html"), 1 << 24, &page, &size, NULL),
                     GRADUS_OK);
    const bool has_model = strstr(page, "var gradus_model_0 = ") != NULL;

    free(page);
    assert_true(has_model);
}

static gradus_status write_playground(gradus_error *err)
{
    const gradus_report_system systems[] = { { .name = "trees", .model = model },
                                             { .name = "random" } };
    const gradus_report_set sets[] = { { .name = "test", .data = test } };

    return gradus_playground(
        NULL,
        &(gradus_report_input){
            .systems = systems, .system_count = 2, .sets = sets, .set_count = 1 },
        temporary_path(".html"), err);
}

#define EXHAUST(name, least)                                                                       \
    static void test_##name(void **state)                                                          \
    {                                                                                              \
        (void)state;                                                                               \
        assert_true(exhaust(#name, name) >= least);                                                \
    }

EXHAUST(keep_in_memory, 70)
EXHAUST(keep_in_a_file, 5)
EXHAUST(run_jobs, 3)
EXHAUST(join_sets, 5)
EXHAUST(share_bins, 5)
EXHAUST(draw_settings, 10)
EXHAUST(hold_contest, 40)
EXHAUST(hold_contest_in_folder, 40)
EXHAUST(collect_results, 10)
EXHAUST(list_claims, 10)
EXHAUST(tune, 60)
EXHAUST(automatic, 60)
EXHAUST(find_best, 40)
EXHAUST(draw_movies, 20)
EXHAUST(write_playground, 60)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_keep_in_memory),
        cmocka_unit_test(test_keep_in_a_file),
        cmocka_unit_test(test_run_jobs),
        cmocka_unit_test(test_join_sets),
        cmocka_unit_test(test_share_bins),
        cmocka_unit_test(test_draw_settings),
        cmocka_unit_test(test_hold_contest),
        cmocka_unit_test(test_hold_contest_in_folder),
        cmocka_unit_test(test_collect_results),
        cmocka_unit_test(test_list_claims),
        cmocka_unit_test(test_tune),
        cmocka_unit_test(test_automatic),
        cmocka_unit_test(test_find_best),
        cmocka_unit_test(test_draw_movies),
        cmocka_unit_test(test_write_report),
        cmocka_unit_test(test_write_playground),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
