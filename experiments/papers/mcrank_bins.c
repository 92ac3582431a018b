/* SPDX-License-Identifier: Apache-2.0 */
/* McRank's Figure 3: adaptive binning, and two ways of turning probabilities into a score. */
#include "experiments/experiment.h"
#include "experiments/jobs.h"
#include "experiments/published.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define TABLE "mcrank_figure3"

enum { SIZES = 7, RULES = 2, MAX_WORDS = 160, FINEST = SIZES - 1, BYTE = SIZES - 2 };

static const char *const rule_names[RULES] = { "expected relevance", "expected gain" };

static size_t exponent(size_t size)
{
    return gr_paper_count(TABLE, "exponents", size);
}

/* One of the 2^16 bins is reserved for missing values. */
static size_t bins_of(size_t size)
{
    const size_t bins = (size_t)1 << exponent(size);

    return bins > 65535 ? 65535 : bins;
}

static size_t rounds_of(const gr_run *run)
{
    return gr_scaled(run, gr_paper_count(TABLE, "rounds", 0), 5);
}

/* The total number of bins of all features, with the given maximum per feature. */
static gradus_status count_bins(const gr_run *run, const gradus_dataset *data, size_t size,
                                double *total, gradus_error *err)
{
    const size_t features = gradus_dataset_features(data);
    size_t *bins = gr_new_array(features, sizeof *bins);
    char words[64];

    if (!bins)
        return gr_fail_memory(err, "bins");
    snprintf(words, sizeof words, "%s bins=%zu", gr_paper_words(TABLE, "bins"), bins_of(size));
    gradus_options *options = gr_words_options("train", words, err);
    const gradus_status status =
        options ? gradus_dataset_bins(run->context, data, options, bins, err) : err->status;

    *total = 0.0;
    for (size_t f = 0; status == GRADUS_OK && f < features; f++)
        *total += (double)bins[f];
    gradus_options_free(options);
    free(bins);
    return status;
}

static void draw_bins(const gr_run *run, const double totals[SIZES],
                      const gr_leaderboard_entry *leaderboard)
{
    gr_table *table =
        gr_results_table(run->results, "adaptive binning: NDCG@10 in percent, and number of bins",
                         GR_WANT_HIGHER, NULL, 3);
    double x[SIZES], share[SIZES], loss[SIZES];

    for (size_t i = 0; i < SIZES; i++) {
        char row[32];

        x[i] = (double)exponent(i);
        share[i] = 100.0 * totals[i] / totals[FINEST];
        loss[i] = 100.0 * (leaderboard[FINEST].mean[0] - leaderboard[i].mean[0]);
        snprintf(row, sizeof row, "at most 2^%zu", exponent(i));
        gr_table_put(table, row, "NDCG@10", (gr_found){ .ours = 100.0 * leaderboard[i].mean[0] });
        gr_table_put(table, row, "percent of the bins of 2^16", (gr_found){ .ours = share[i] });
    }
    gr_figure_add(gr_results_figure(run->results, "(a) total bins, relative to 2^16 per feature",
                                    "exponent of the bins per feature", "percent"),
                  "bins", false, x, share, SIZES);
    gr_figure_add(gr_results_figure(run->results, "(b) NDCG@10 lost to binning",
                                    "exponent of the bins per feature", "points below 2^16"),
                  "loss", false, x, loss, SIZES);
}

static gradus_status judge_bins(const gr_run *run, const double totals[SIZES],
                                const gr_leaderboard_entry *leaderboard, gradus_error *err)
{
    gradus_contrast contrast;

    draw_bins(run, totals, leaderboard);
    GR_TRY(gr_leaderboard_compare(run->context, &leaderboard[FINEST], &leaderboard[BYTE], 0, "t",
                                  false, &contrast, err));
    gr_results_claim(run->results, contrast.p > 0.05,
                     "2^8 bins per feature rank as well as 2^16, with a small fraction of the bins",
                     "NDCG@10 %.2f against %.2f (p %.2g), with %.1f%% of the bins",
                     100.0 * contrast.mean_b, 100.0 * contrast.mean_a, contrast.p,
                     100.0 * totals[BYTE] / totals[FINEST]);
    return GRADUS_OK;
}

/* Panels (a) and (b). */
static gradus_status run_bins(const gr_run *run, const gr_folds *folds, gradus_error *err)
{
    char words[SIZES][MAX_WORDS], names[SIZES][32];
    const char *settings[SIZES][2];
    gr_cv_candidate candidates[SIZES];
    double totals[SIZES];
    gr_leaderboard_entry *leaderboard = NULL;

    for (size_t i = 0; i < SIZES; i++) {
        snprintf(names[i], sizeof names[i], "2^%zu bins", exponent(i));
        snprintf(words[i], MAX_WORDS, "%s rounds=%zu %s bins=%zu", gr_paper_words(TABLE, "method"),
                 rounds_of(run), gr_paper_words(TABLE, "binning"), bins_of(i));
        settings[i][0] = words[i];
        settings[i][1] = NULL;
        candidates[i] = (gr_cv_candidate){ names[i], settings[i] };
        GR_TRY(count_bins(run, folds->folds[0].train, i, &totals[i], err));
    }
    const gr_crossval cv = { .candidates = candidates,
                             .count = SIZES,
                             .folds = folds->folds,
                             .fold_count = 1,
                             .common = gr_paper_words(TABLE, "common"),
                             .choose = gr_paper_words(TABLE, "measures"),
                             .measures = gr_paper_words(TABLE, "measures"),
                             .convention = "gradus" };
    gradus_status status = gr_crossval_run(run->context, &cv, run->journal, &leaderboard, err);

    if (status == GRADUS_OK)
        status = judge_bins(run, totals, leaderboard, err);
    gr_leaderboard_free(leaderboard, SIZES);
    return status;
}

typedef struct scoring {
    const gr_run *run;
    const gr_folds *folds;
} scoring;

static void key_of(size_t rule, char key[64])
{
    snprintf(key, 64, "%s | rounds of classification", rule_names[rule]);
}

/* Learning curves on the training and the test part; nothing is selected by the latter. */
static gradus_status train(const scoring *s, size_t rule, gradus_context *context,
                           gr_json_writer *value, gradus_error *err)
{
    const gradus_training_input input = { .train = s->folds->folds[0].train,
                                          .valid = s->folds->folds[0].test };
    char words[MAX_WORDS];
    gradus_training_state state;
    bool done = false;

    snprintf(words, sizeof words, "%s rounds=%zu %s %s", gr_paper_words(TABLE, "method"),
             rounds_of(s->run), gr_paper_words(TABLE, rule_names[rule]),
             gr_paper_words(TABLE, "curves"));
    gradus_options *options = gr_words_options("train", words, err);
    gradus_training *training = options ? gradus_training_new(context, &input, options, err) : NULL;
    gradus_status status = training ? GRADUS_OK : err->status;

    gr_json_open(value, NULL, '[');
    while (status == GRADUS_OK && !done) {
        status = gradus_training_step(training, &done, err);
        gradus_training_get_state(training, &state);
        gr_json_put_number(value, NULL, state.train);
        gr_json_put_number(value, NULL, state.valid);
        if (status == GRADUS_OK)
            status = gr_send_progress(context, "training",
                                      (double)state.round / (double)state.rounds, err);
    }
    gr_json_close(value, ']');
    gradus_training_free(training);
    gradus_options_free(options);
    return status;
}

static gradus_status run_job(void *argument, size_t rule, gradus_context *context,
                             gradus_error *err)
{
    const scoring *s = argument;
    gr_json_writer value = { 0 };
    char key[64];

    key_of(rule, key);
    if (gr_journal_find(s->run->journal, key))
        return GRADUS_OK;
    gradus_status status = train(s, rule, context, &value, err);

    if (status == GRADUS_OK)
        status = gr_journal_add(s->run->journal, key, &value, err);
    gr_json_writer_free(&value);
    return status;
}

static void judge_rules(const gr_run *run, double *const curves[RULES], size_t rounds)
{
    size_t above = 0;
    double most = 0.0;

    for (size_t i = 0; i < rounds; i++) {
        const double difference = 100.0 * (curves[0][2 * i + 1] - curves[1][2 * i + 1]);

        above += difference >= 0.0;
        most = fmax(most, fabs(difference));
    }
    gr_results_claim(run->results, 20 * above >= 19 * rounds && most < 1.0,
                     "expected relevance is consistently at least as good as expected gain, and "
                     "the differences are small in every round",
                     "on the test part in %zu of %zu rounds; the largest difference is %.2f "
                     "points, at the last round %.2f against %.2f",
                     above, rounds, most, 100.0 * curves[0][2 * rounds - 1],
                     100.0 * curves[1][2 * rounds - 1]);
}

static gradus_status draw_rules(const gr_run *run, double *const curves[RULES], size_t rounds,
                                gradus_error *err)
{
    gr_figure *figure = gr_results_figure(run->results,
                                          "(c) two ways of turning probabilities "
                                          "into a score",
                                          "rounds", "NDCG@10 in percent");
    double *x = gr_new_array(rounds, sizeof *x), *y = gr_new_array(rounds, sizeof *y);

    for (size_t rule = 0; x && y && rule < RULES; rule++)
        for (size_t part = 0; part < 2; part++) {
            char name[48];

            for (size_t i = 0; i < rounds; i++) {
                x[i] = (double)(i + 1);
                y[i] = 100.0 * curves[rule][2 * i + part];
            }
            snprintf(name, sizeof name, "%s, %s", rule_names[rule], part ? "test" : "training");
            gr_figure_add(figure, name, part == 0, x, y, rounds);
        }
    const gradus_status status = x && y ? GRADUS_OK : gr_fail_memory(err, "a figure");

    free(x);
    free(y);
    return status;
}

/* Panel (c). */
static gradus_status run_rules(const gr_run *run, const gr_folds *folds, gradus_error *err)
{
    scoring s = { run, folds };
    double *curves[RULES] = { NULL, NULL };
    const size_t rounds = rounds_of(run);
    gradus_status status = gr_jobs_run(run->context, "training", RULES, run_job, &s, err);

    for (size_t rule = 0; status == GRADUS_OK && rule < RULES; rule++) {
        char key[64];
        size_t count = 0;

        key_of(rule, key);
        curves[rule] = gr_json_numbers(gr_journal_find(run->journal, key), &count);
        if (!curves[rule] || count != 2 * rounds)
            status = gr_fail(err, GRADUS_BAD_FORMAT,
                             "the journal has no complete curve of "
                             "'%s'",
                             key);
    }
    if (status == GRADUS_OK)
        status = draw_rules(run, curves, rounds, err);
    if (status == GRADUS_OK)
        judge_rules(run, curves, rounds);
    free(curves[0]);
    free(curves[1]);
    return status;
}

static gradus_status run_figure3(gr_run *run, gradus_error *err)
{
    const size_t queries[3] = { gr_scaled(run, gr_paper_count(TABLE, "queries", 0), 20), 0,
                                gr_scaled(run, gr_paper_count(TABLE, "queries", 2), 40) };
    gr_folds folds;

    GR_TRY(gr_folds_synth(run, "synth web", NULL, queries, &folds, err));
    gr_results_note(run->results,
                    "Data from gradus synth web substitute for the paper's Web-1, with %zu "
                    "rounds instead of 1,000; the maximum is 65,535 bins.",
                    rounds_of(run));
    gradus_status status = run_bins(run, &folds, err);

    if (status == GRADUS_OK)
        status = run_rules(run, &folds, err);
    gr_folds_free(&folds);
    return status;
}

const gr_experiment gr_experiment_mcrank_figure3 = {
    .about = { "mcrank-figure3", "adaptive binning, and scores from probabilities",
               "Boosted classification with at most 2^3 to 2^16 bins per feature, and with the "
               "expected relevance or the expected gain as the score." },
    .family = "mcrank",
    .needs = "",
    .takes = "7 min",
    .run = run_figure3,
};
