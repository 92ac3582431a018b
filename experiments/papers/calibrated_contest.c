/* SPDX-License-Identifier: Apache-2.0 */
/* The headline of the AdaBoost.MH calibration paper: ensembles against LETOR's baselines and against
 * AdaBoost.MH alone, all selected by one rule (NDCG@10 on the validation parts), and NDCG@k of ensembles
 * and baselines (Figure 2). Also the ensembles of the paper's whole grid of rounds. */
#include "experiments/experiment.h"
#include "experiments/published.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define TABLE "calibrated_contest"

enum { BASELINES = 5, TREES = BASELINES, PRODUCTS, CPC, RBC, CPC_RBC, METHODS };
enum { MAX_SETTINGS = 6 };
enum { DEPTHS = 10, WORDS = 240 };

static const char *const names[METHODS] = { "adarank-map",
                                            "adarank-ndcg",
                                            "listnet",
                                            "rankboost",
                                            "ranksvm",
                                            "adaboost-mh, trees",
                                            "adaboost-mh, products",
                                            "ensemble CPC",
                                            "ensemble RBC",
                                            "ensemble CPC+RBC" };

#define BY_DEPTH "ndcg@1,ndcg@2,ndcg@3,ndcg@4,ndcg@5,ndcg@6,ndcg@7,ndcg@8,ndcg@9,ndcg@10"

static const struct {
    const char *folder, *title, *measures, *convention;
    bool better; /* the paper's claim there; else: as good */
} sets[] = {
    { "ohsumed", "OHSUMED, NDCG@10", "ndcg@10," BY_DEPTH, "letor3", true },
    { "mq2008", "MQ2008, mean NDCG", "mean-ndcg," BY_DEPTH, "letor4", true },
    { "mq2007-partial", "MQ2007 (partial), mean NDCG", "mean-ndcg," BY_DEPTH, "letor4", false },
};
enum { SETS = sizeof sets / sizeof sets[0] };

/* The settings of all methods. */
typedef struct field {
    gr_cv_candidate candidates[METHODS];
    const char *settings[METHODS][MAX_SETTINGS + 1];
    char words[METHODS][MAX_SETTINGS][WORDS];
    size_t first, count; /* methods used */
} field;

static void enter(const gr_run *run, bool whole, field *f)
{
    const bool small = run->scale < 1.0;

    f->first = whole ? CPC : 0;
    f->count = METHODS - f->first;
    for (size_t m = f->first; m < METHODS; m++) {
        const bool ensemble = m >= CPC;
        size_t s = 0;

        for (; s < (ensemble ? 1 : MAX_SETTINGS); s++) {
            const char *words =
                gr_paper_setting_at(ensemble ? TABLE : "letor_baselines", names[m], s);

            if (!words)
                break;
            snprintf(f->words[m][s], WORDS, "%s%s%s%s%s", words, ensemble ? " " : "",
                     !ensemble ? ""
                     : small   ? gr_paper_words(TABLE, "of small ensembles")
                     : whole   ? gr_paper_words(TABLE, "of the whole grid")
                               : gr_paper_words(TABLE, "of ensembles"),
                     small && !ensemble && m != BASELINES - 1 ? " rounds=3" : "", "");
            f->settings[m][s] = f->words[m][s];
        }
        f->settings[m][s] = NULL;
        f->candidates[m] = (gr_cv_candidate){ names[m], f->settings[m] };
    }
}

/* Comparisons of ensembles with baselines. */
typedef struct tally {
    size_t cells, higher, better, worse, cutoffs, above;
} tally;

static gradus_status compare(const gr_run *run, const gr_leaderboard_entry *board, size_t set,
                             gr_table *table, tally *t, gradus_error *err)
{
    for (size_t e = CPC; e < METHODS; e++)
        for (size_t b = 0; b < BASELINES; b++) {
            gradus_contrast contrast;
            char row[96];

            GR_TRY(gr_leaderboard_compare(run->context, &board[b], &board[e], 0, "t", false,
                                          &contrast, err));
            snprintf(row, sizeof row, "%s: %s", sets[set].title, names[e]);
            gr_table_put(table, row, names[b],
                         (gr_found){ .ours = contrast.difference, .p = fmax(contrast.p, 1e-300) });
            t->cells++;
            t->higher += contrast.difference > 0.0;
            t->better += contrast.difference > 0.0 && contrast.p < 0.05;
            t->worse += contrast.difference < 0.0 && contrast.p < 0.05;
            for (size_t k = 1; k <= DEPTHS; k++) {
                t->cutoffs++;
                t->above += board[e].mean[k] > board[b].mean[k];
            }
        }
    return GRADUS_OK;
}

/* The paper: CPC has an advantage where all grades are well represented, and competes elsewhere. */
static gradus_status compare_calibrations(const gr_run *run, const gr_leaderboard_entry *board,
                                          size_t set, gradus_error *err)
{
    const bool balanced = set == 0;
    gradus_contrast contrast;
    char claim[200];

    GR_TRY(gr_leaderboard_compare(run->context, &board[RBC], &board[CPC], 0, "t", false, &contrast,
                                  err));
    snprintf(claim, sizeof claim, "calibration of class probabilities is %s that by regression: %s",
             balanced ? "better than" : "as good as", sets[set].title);
    gr_results_claim_tested(run->results,
                            balanced ? contrast.difference > 0.0
                                     : contrast.difference > 0.0 || contrast.p > 0.05,
                            balanced ? contrast.p : 0.0, claim, "%.4f against %.4f (p %.2g)",
                            contrast.mean_b, contrast.mean_a, contrast.p);
    return GRADUS_OK;
}

/* The paper: every ensemble is better than the best single model. */
static gradus_status compare_singles(const gr_run *run, const gr_leaderboard_entry *board,
                                     size_t set, gradus_error *err)
{
    const size_t best = board[TREES].mean[0] > board[PRODUCTS].mean[0] ? TREES : PRODUCTS;
    size_t higher = 0;
    double largest = 0.0;
    char claim[200];

    for (size_t e = CPC; e < METHODS; e++) {
        gradus_contrast contrast;

        GR_TRY(gr_leaderboard_compare(run->context, &board[best], &board[e], 0, "t", false,
                                      &contrast, err));
        higher += contrast.difference > 0.0;
        largest = fmax(largest, contrast.p);
    }
    snprintf(claim, sizeof claim,
             "ensembles of the paper's sizes are better than the best single AdaBoost.MH: %s",
             sets[set].title);
    gr_results_claim_tested(run->results, higher == METHODS - CPC, largest, claim,
                            "higher in %zu of 3: %.4f, %.4f and %.4f with CPC, RBC and both; %.4f "
                            "of one model (%s)",
                            higher, board[CPC].mean[0], board[RBC].mean[0], board[CPC_RBC].mean[0],
                            board[best].mean[0], names[best]);
    return GRADUS_OK;
}

static void judge(const gr_run *run, size_t set, const tally *t)
{
    char claim[200];

    snprintf(claim, sizeof claim,
             "the ensembles are %s AdaRank, ListNet, RankBoost and RankSVM: %s",
             sets[set].better ? "better than" : "as good as", sets[set].title);
    gr_results_claim(run->results, sets[set].better ? t->higher == t->cells : t->worse == 0, claim,
                     "higher in %zu of %zu comparisons, significantly in %zu; significantly lower "
                     "in %zu",
                     t->higher, t->cells, t->better, t->worse);
    snprintf(claim, sizeof claim,
             "the ensembles have a higher NDCG@k than the baselines for almost every k: %s",
             sets[set].title);
    if (sets[set].better)
        gr_results_claim(run->results, 10 * t->above >= 9 * t->cutoffs, claim,
                         "at %zu of %zu cutoffs of the comparisons", t->above, t->cutoffs);
}

static void draw(const gr_run *run, size_t set, const gr_leaderboard_entry *board)
{
    gr_figure *figure = gr_results_figure(run->results, sets[set].title, "k", "NDCG@k");
    double x[DEPTHS], y[DEPTHS];

    for (size_t m = 0; m < METHODS; m++) {
        if (m == TREES || m == PRODUCTS) /* not in the paper's figure */
            continue;
        for (size_t k = 0; k < DEPTHS; k++) {
            x[k] = (double)(k + 1);
            y[k] = board[m].mean[k + 1];
        }
        gr_figure_add(figure, names[m], m < BASELINES, x, y, DEPTHS);
    }
}

static gradus_status run_set(const gr_run *run, size_t set, field *f, gr_table *means,
                             gr_table *differences, gradus_error *err)
{
    gr_leaderboard_entry *board = NULL;
    tally t = { 0 };
    gr_folds folds;

    GR_TRY(gr_folds_read(run, sets[set].folder, &folds, err));
    const gr_crossval cv = { .candidates = f->candidates + f->first,
                             .count = f->count,
                             .folds = folds.folds,
                             .fold_count = run->scale < 1.0 ? 1 : folds.count,
                             .choose = "ndcg@10",
                             .measures = sets[set].measures,
                             .convention = sets[set].convention };
    gradus_status status = gr_crossval_run(run->context, &cv, run->journal, &board, err);

    for (size_t m = 0; status == GRADUS_OK && m < f->count; m++)
        gr_table_put(means, sets[set].title, names[f->first + m],
                     (gr_found){ .ours = board[m].mean[0], .error = board[m].error[0] });
    if (status == GRADUS_OK && differences) {
        status = compare(run, board, set, differences, &t, err);
        if (status == GRADUS_OK)
            status = compare_calibrations(run, board, set, err);
        if (status == GRADUS_OK)
            status = compare_singles(run, board, set, err);
        judge(run, set, &t);
        draw(run, set, board);
    }
    gr_leaderboard_free(board, f->count);
    gr_folds_free(&folds);
    return status;
}

enum { CONTEST = 6, WHOLE_GRID = 7 };

static gradus_status run_contest(gr_run *run, gradus_error *err)
{
    const bool whole = run->experiment->variant == WHOLE_GRID;
    field *f = gr_new_array(1, sizeof *f);
    gr_table *means = gr_results_table(
        run->results, "settings, T and c selected by NDCG@10 on the validation parts",
        GR_WANT_HIGHER, NULL, 4);
    gr_table *differences =
        whole ? NULL
              : gr_results_table(run->results,
                                 "ensembles minus baselines; p: two-tailed paired t-test",
                                 GR_WANT_HIGHER, NULL, 4);
    gradus_status status = f ? GRADUS_OK : gr_fail_memory(err, "methods");

    if (f)
        enter(run, whole, f);
    for (size_t s = 0; status == GRADUS_OK && s < SETS; s++)
        if (gr_folds_are_there(run, sets[s].folder))
            status = run_set(run, s, f, means, differences, err);
    free(f);
    gr_results_note(run->results,
                    whole
                        ? "The paper's whole grid: T from 10 to 10,000, c from 0 to 200, one seed. "
                          "Values beside calibrated-paper, without a verdict."
                        : "Ensembles of the paper's sizes, T from 10 to 200, c from 0 to 200. "
                          "Published baselines are compared in letor-baselines.");
    return status;
}

const gr_experiment gr_experiment_calibrated_contest = {
    .about = { "calibrated-contest", "calibrated ensembles against LETOR's baselines",
               "The paper's headline: ensembles of calibrated AdaBoost.MH against AdaRank, ListNet, "
               "RankBoost and RankSVM, and against AdaBoost.MH alone, on the same folds, all "
               "selected by NDCG@10 on the validation part, with p-values; and NDCG@k (Figure "
               "2)." },
    .family = "calibrated",
    .needs = "ohsumed mq2008",
    .takes = "2 h",
    .uses = "mq2007-partial",
    .variant = CONTEST,
    .run = run_contest,
};

const gr_experiment gr_experiment_calibrated_grid = {
    .about = { "calibrated-grid", "calibrated ensembles by the paper's whole grid of rounds",
               "Ensembles of AdaBoost.MH with the paper's sizes; T from 10 to 10,000 and c from 0 "
               "to 200 are selected by NDCG@10 on the validation part, with one seed." },
    .family = "calibrated",
    .needs = "ohsumed mq2008",
    .takes = "4 h",
    .uses = "mq2007-partial",
    .variant = WHOLE_GRID,
    .run = run_contest,
};
