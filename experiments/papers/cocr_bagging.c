/* SPDX-License-Identifier: Apache-2.0 */
/* COCR's Figure 2: bagged model trees, ERR by rounds and by number of trees. A round of COCR has
 * one tree per grade except the lowest, so direct regression runs that many times as many rounds.
 */
#include "experiments/experiment.h"
#include "experiments/jobs.h"
#include "experiments/published.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define TABLE "cocr_figure2"

enum { DIRECT, COCR, METHODS, OUTPUTS = 4 };

static const char *const names[] = { "direct regression", "COCR with oerr" };

typedef struct bagging {
    const gr_run *run;
    const gr_folds *folds;
    size_t rounds; /* rounds of COCR */
    char keys[METHODS][64];
} bagging;

static size_t rounds_of(const bagging *b, size_t method)
{
    return method == COCR ? b->rounds : OUTPUTS * b->rounds;
}

/* Writes the ERR of each test query, for the first N rounds of a model, to the value. */
static gradus_status measure(gradus_context *context, const gradus_dataset *test,
                             const gradus_model *model, size_t rounds, const char *name,
                             gr_json_writer *value, gradus_error *err)
{
    char words[32];
    double *scores = gr_new_array(gradus_dataset_rows(test), sizeof *scores);
    gradus_options *options = gradus_options_new("evaluate", err);
    gradus_options *first = gradus_options_new("score", err);
    gradus_model *prefix = NULL;
    gradus_evaluation *evaluation = NULL;
    gradus_result result;
    gradus_status status = scores ? GRADUS_OK : gr_fail_memory(err, "scores");

    snprintf(words, sizeof words, "%zu", rounds);
    if (status == GRADUS_OK && options && first &&
        gradus_options_set(options, "metric", "err", err) == GRADUS_OK &&
        gradus_options_set(first, "rounds", words, err) == GRADUS_OK &&
        (prefix = gradus_model_rescored(context, model, first, err)) != NULL &&
        gradus_model_score(context, prefix, test, scores, err) == GRADUS_OK)
        evaluation = gradus_evaluate(context, test, scores, options, err);
    if (evaluation && gradus_evaluation_at(evaluation, 0, &result))
        gr_json_put_numbers(value, name, result.by_query, gradus_evaluation_queries(evaluation));
    status = evaluation ? GRADUS_OK : err->status;
    gradus_evaluation_free(evaluation);
    gradus_model_free(prefix);
    gradus_options_free(first);
    gradus_options_free(options);
    free(scores);
    return status;
}

static void put_curve(const gradus_model *model, gr_json_writer *value)
{
    size_t round;
    double train, valid;

    gr_json_open(value, "curve", '[');
    for (size_t i = 0; gradus_model_curve_at(model, i, &round, &train, &valid); i++)
        gr_json_put_number(value, NULL, valid);
    gr_json_close(value, ']');
}

/* The test part is evaluated during training, but nothing is selected by it. */
static gradus_model *train(const bagging *b, size_t method, gradus_context *context,
                           gradus_error *err)
{
    const gradus_training_input input = { .train = b->folds->folds[0].train,
                                          .valid = b->folds->folds[0].test };
    char words[256];
    gradus_training *training = NULL;
    gradus_model *model = NULL;
    gradus_training_state state;
    bool done = false;

    snprintf(words, sizeof words, "%s %s rounds=%zu", gr_paper_words(TABLE, names[method]),
             gr_paper_words(TABLE, "regressor"), rounds_of(b, method));
    gradus_options *options = gr_words_options("train", words, err);

    if (options)
        training = gradus_training_new(context, &input, options, err);
    gradus_status status = training ? GRADUS_OK : GRADUS_BAD_ARGUMENT;

    while (status == GRADUS_OK && !done) {
        status = gradus_training_step(training, &done, err);
        gradus_training_get_state(training, &state);
        if (status == GRADUS_OK)
            status = gr_send_progress(context, "training",
                                      (double)state.round / (double)state.rounds, err);
    }
    if (status == GRADUS_OK)
        model = gradus_training_finish(training, err);
    gradus_training_free(training);
    gradus_options_free(options);
    return model;
}

static gradus_status run_job(void *argument, size_t method, gradus_context *context,
                             gradus_error *err)
{
    const bagging *b = argument;
    const gradus_dataset *test = b->folds->folds[0].test;
    gr_json_writer value = { 0 };

    if (gr_journal_find(b->run->journal, b->keys[method]))
        return GRADUS_OK;
    gradus_model *model = train(b, method, context, err);
    gradus_status status = model ? GRADUS_OK : err->status;

    gr_json_open(&value, NULL, '{');
    if (status == GRADUS_OK) {
        put_curve(model, &value);
        status = measure(context, test, model, b->rounds, "same rounds", &value, err);
    }
    if (status == GRADUS_OK)
        status = measure(context, test, model, rounds_of(b, method), "same trees", &value, err);
    gr_json_close(&value, '}');
    if (status == GRADUS_OK)
        status = gr_journal_add(b->run->journal, b->keys[method], &value, err);
    gr_json_writer_free(&value);
    gradus_model_free(model);
    return status;
}

/* Compares both methods at the last point, by a paired t-test. */
static gradus_status test_last(const bagging *b, const char *what, size_t above, size_t points,
                               gradus_error *err)
{
    gr_leaderboard_entry ends[METHODS] = { { .name = names[DIRECT] }, { .name = names[COCR] } };
    gradus_contrast contrast;
    gradus_status status = GRADUS_OK;
    char claim[96];

    for (size_t m = 0; m < METHODS; m++) {
        ends[m].values = gr_json_numbers(
            gr_json_find(gr_journal_find(b->run->journal, b->keys[m]), what), &ends[m].queries);
        if (!ends[m].values)
            status = gr_fail_memory(err, "values of queries");
    }
    if (status == GRADUS_OK && ends[DIRECT].queries != ends[COCR].queries)
        status = gr_fail(
            err, GRADUS_BAD_FORMAT, "the journal has %zu values of '%s' for '%s' and %zu for '%s'",
            ends[DIRECT].queries, what, names[DIRECT], ends[COCR].queries, names[COCR]);
    if (status == GRADUS_OK)
        status = gr_leaderboard_compare(b->run->context, &ends[DIRECT], &ends[COCR], 0, "t", false,
                                        &contrast, err);
    if (status == GRADUS_OK) {
        snprintf(claim, sizeof claim, "COCR is above direct regression throughout, with the %s",
                 what);
        gr_results_claim(b->run->results, above == points, claim,
                         "above at %zu of %zu points; %.4f against %.4f at the last (p %.2g)",
                         above, points, contrast.mean_b, contrast.mean_a, contrast.p);
    }
    free(ends[DIRECT].values);
    free(ends[COCR].values);
    return status;
}

/* One panel: both curves at the same number of rounds, or of trees. */
static gradus_status draw(const bagging *b, double *const curves[METHODS], bool by_trees,
                          gradus_error *err)
{
    double *x = gr_new_array(rounds_of(b, DIRECT), sizeof *x);
    const size_t times = by_trees ? OUTPUTS : 1;
    gr_figure *figure =
        gr_results_figure(b->run->results,
                          by_trees ? "bagged model trees, the same number of trees"
                                   : "bagged model trees, the same number of rounds",
                          by_trees ? "trees" : "rounds", "ERR");
    size_t above = 0;

    if (!x)
        return gr_fail_memory(err, "a figure");
    for (size_t i = 0; i < rounds_of(b, DIRECT); i++)
        x[i] = (double)(i + 1);
    gr_figure_add(figure, names[DIRECT], false, x, curves[DIRECT], times * b->rounds);
    for (size_t i = 0; i < b->rounds; i++) {
        x[i] = (double)(times * (i + 1));
        above += curves[COCR][i] > curves[DIRECT][times * (i + 1) - 1];
    }
    gr_figure_add(figure, names[COCR], false, x, curves[COCR], b->rounds);
    free(x);
    return test_last(b, by_trees ? "same trees" : "same rounds", above, b->rounds, err);
}

static void put_marks(const bagging *b, double *const curves[METHODS])
{
    gr_table *table =
        gr_results_table(b->run->results, "ERR on held-out queries", GR_WANT_HIGHER, NULL, 4);

    for (size_t mark = 1; mark <= b->rounds;
         mark = mark < b->rounds && 2 * mark > b->rounds ? b->rounds : 2 * mark) {
        char row[32];

        snprintf(row, sizeof row, "round %zu", mark);
        gr_table_put(table, row, names[DIRECT], (gr_found){ .ours = curves[DIRECT][mark - 1] });
        gr_table_put(table, row, "direct, as many trees",
                     (gr_found){ .ours = curves[DIRECT][OUTPUTS * mark - 1] });
        gr_table_put(table, row, names[COCR], (gr_found){ .ours = curves[COCR][mark - 1] });
        if (mark == b->rounds)
            break;
    }
}

static gradus_status show(const bagging *b, gradus_error *err)
{
    double *curves[METHODS] = { NULL, NULL };
    gradus_status status = GRADUS_OK;

    for (size_t m = 0; m < METHODS; m++) {
        size_t count = 0;

        curves[m] = gr_json_numbers(
            gr_json_find(gr_journal_find(b->run->journal, b->keys[m]), "curve"), &count);
        if (!curves[m] || count < rounds_of(b, m))
            status = gr_fail(err, GRADUS_BAD_FORMAT, "the journal has no complete curve of '%s'",
                             b->keys[m]);
    }
    if (status == GRADUS_OK)
        put_marks(b, curves);
    for (int by_trees = 0; status == GRADUS_OK && by_trees < 2; by_trees++)
        status = draw(b, curves, by_trees, err);
    free(curves[DIRECT]);
    free(curves[COCR]);
    return status;
}

static gradus_status run_figure2(gr_run *run, gradus_error *err)
{
    const size_t queries[3] = { gr_scaled(run, gr_paper_count(TABLE, "queries", 0), 20), 0,
                                gr_scaled(run, gr_paper_count(TABLE, "queries", 2), 40) };
    gr_folds folds;
    bagging b = { .run = run,
                  .folds = &folds,
                  .rounds = gr_scaled(run, gr_paper_count(TABLE, "rounds", 0), 4) };

    for (size_t m = 0; m < METHODS; m++)
        snprintf(b.keys[m], sizeof b.keys[m], "%s | bagged model trees", names[m]);
    GR_TRY(gr_folds_synth(run, "synth web", NULL, queries, &folds, err));
    gr_results_note(run->results, "Data from gradus synth web substitute for the paper's LTRC1; "
                                  "model trees need at least 4 rows for a split, each is "
                                  "trained on a tenth of the rows.");
    gradus_status status = gr_jobs_run(run->context, "training", METHODS, run_job, &b, err);

    if (status == GRADUS_OK)
        status = show(&b, err);
    gr_folds_free(&folds);
    return status;
}

const gr_experiment gr_experiment_cocr_figure2 = {
    .about = { "cocr-figure2", "bagged model trees, by rounds and by trees",
               "Bagged model trees by direct regression and by COCR with the oerr cost, "
               "compared at the same number of rounds and at the same number of trees." },
    .family = "cocr",
    .needs = "",
    .takes = "2 min",
    .run = run_figure2,
};
