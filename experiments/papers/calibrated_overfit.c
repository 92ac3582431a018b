/* SPDX-License-Identifier: Apache-2.0 */
/* A remark of the AdaBoost.MH calibration paper: NDCG on validation data falls after few rounds. */
#include "experiments/experiment.h"
#include "experiments/published.h"

#include <math.h>
#include <stdio.h>

#define TABLE "calibrated_overfit"

enum { BASES = 2, STOPS = 9, WORDS = 160, VALID = 0, TEST };

static const char *const bases[BASES] = { "trees of 15 leaves", "products of 5 terms" };

static const struct {
    const char *folder, *title;
} sets[] = {
    { "ohsumed", "OHSUMED" },
    { "mq2008", "MQ2008" },
    { "mq2007-partial", "MQ2007 (partial)" },
};
enum { SETS = sizeof sets / sizeof sets[0] };

static size_t rounds_at(const gr_run *run, size_t stop)
{
    return gr_scaled(run, gr_paper_count(TABLE, "rounds", stop), stop + 1);
}

/* The candidates: a number of rounds each, all of which are kept. */
typedef struct stops {
    gr_cv_candidate candidates[STOPS];
    const char *settings[STOPS][2];
    char words[STOPS][WORDS], names[STOPS][64];
} stops;

static void enter(const gr_run *run, size_t base, stops *all)
{
    for (size_t s = 0; s < STOPS; s++) {
        snprintf(all->names[s], sizeof all->names[s], "%zu rounds of %s", rounds_at(run, s),
                 bases[base]);
        snprintf(all->words[s], WORDS, "%s rounds=%zu %s", gr_paper_words(TABLE, bases[base]),
                 rounds_at(run, s), gr_paper_words(TABLE, "common"));
        all->settings[s][0] = all->words[s];
        all->settings[s][1] = NULL;
        all->candidates[s] = (gr_cv_candidate){ all->names[s], all->settings[s] };
    }
}

static double mean_valid(const gr_leaderboard_entry *entry, size_t folds)
{
    double sum = 0.0;

    for (size_t f = 0; f < folds; f++)
        sum += entry->chosen_valid[f];
    return sum / (double)folds;
}

typedef struct tally {
    size_t curves, early, worse;
    char peaks[200]; /* rounds of the highest value, as text */
    size_t used;
} tally;

static gradus_status judge_curve(const gr_run *run, const gr_leaderboard_entry *board,
                                 const double valid[STOPS], tally *t, gradus_error *err)
{
    gradus_contrast contrast;
    size_t best = 0;

    for (size_t s = 1; s < STOPS; s++)
        if (valid[s] > valid[best])
            best = s;
    t->curves++;
    t->early += 10 * rounds_at(run, best) <= rounds_at(run, STOPS - 1);
    t->used += (size_t)snprintf(t->peaks + t->used, sizeof t->peaks - t->used, "%s%zu",
                                t->used ? ", " : "", rounds_at(run, best));
    if (best == STOPS - 1)
        return GRADUS_OK;
    GR_TRY(gr_leaderboard_compare(run->context, &board[best], &board[STOPS - 1], 0, "t", false,
                                  &contrast, err));
    t->worse += contrast.difference < 0.0 && contrast.p < 0.05;
    return GRADUS_OK;
}

static gradus_status run_base(const gr_run *run, const gr_folds *folds, const char *title,
                              size_t base, gr_table *table, tally *t, gradus_error *err)
{
    const size_t fold_count = run->scale < 1.0 ? 1 : folds->count;
    gr_leaderboard_entry *board = NULL;
    double x[STOPS], y[2][STOPS];
    char row[96];
    stops all;

    enter(run, base, &all);
    const gr_crossval cv = { .candidates = all.candidates,
                             .count = STOPS,
                             .folds = folds->folds,
                             .fold_count = fold_count,
                             .choose = "ndcg@10",
                             .measures = "ndcg@10",
                             .convention = "gradus" };
    gradus_status status = gr_crossval_run(run->context, &cv, run->journal, &board, err);

    snprintf(row, sizeof row, "%s, %s", title, bases[base]);
    for (size_t s = 0; status == GRADUS_OK && s < STOPS; s++) {
        char column[32];

        x[s] = log10((double)rounds_at(run, s));
        y[VALID][s] = mean_valid(&board[s], fold_count);
        y[TEST][s] = board[s].mean[0];
        snprintf(column, sizeof column, "%zu rounds", rounds_at(run, s));
        gr_table_put(table, row, column, (gr_found){ .ours = y[VALID][s] });
    }
    if (status == GRADUS_OK) {
        gr_figure *figure =
            gr_results_figure(run->results, row, "log10 of the number of rounds", "NDCG@10");

        gr_figure_add(figure, "validation parts", false, x, y[VALID], STOPS);
        gr_figure_add(figure, "test parts", true, x, y[TEST], STOPS);
        status = judge_curve(run, board, y[VALID], t, err);
    }
    gr_leaderboard_free(board, STOPS);
    return status;
}

static gradus_status run_overfit(gr_run *run, gradus_error *err)
{
    gr_table *table = gr_results_table(
        run->results, "NDCG@10 on the validation parts, means over folds", GR_WANT_HIGHER, NULL, 4);
    tally t = { 0 };

    for (size_t s = 0; s < SETS; s++) {
        gr_folds folds;
        gradus_status status = GRADUS_OK;

        if (!gr_folds_are_there(run, sets[s].folder))
            continue;
        GR_TRY(gr_folds_read(run, sets[s].folder, &folds, err));
        for (size_t base = 0; base < BASES && status == GRADUS_OK; base++)
            status = run_base(run, &folds, sets[s].title, base, table, &t, err);
        gr_folds_free(&folds);
        GR_TRY(status);
    }
    gr_results_claim(run->results, t.early == t.curves,
                     "AdaBoost.MH's NDCG on validation data falls after few rounds",
                     "highest after %s rounds of %zu; few: at most a tenth. On the test parts all "
                     "rounds are significantly worse (t-test) than these in %zu of %zu cases",
                     t.peaks, rounds_at(run, STOPS - 1), t.worse, t.curves);
    gr_results_note(run->results, "Sizes from the middle of the paper's grid. That label noise is "
                                  "the cause is not tested.");
    return GRADUS_OK;
}

const gr_experiment gr_experiment_calibrated_overfit = {
    .about = { "calibrated-overfit", "AdaBoost.MH by the number of rounds",
               "NDCG@10 of AdaBoost.MH on validation and test parts, by the number of rounds." },
    .family = "calibrated",
    .needs = "ohsumed mq2008",
    .takes = "4 min",
    .uses = "mq2007-partial",
    .run = run_overfit,
};
