/* SPDX-License-Identifier: Apache-2.0 */
/* Diverse calibration of AdaBoost.MH: single models against ensembles of calibrated models (Table
 * 2), and NDCG by cutoff (Figure 2). */
#include "experiments/experiment.h"
#include "experiments/published.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define TABLE "calibrated_table2"

enum { TREES, PRODUCTS, CPC, RBC, BOTH, METHODS };
enum { DEPTHS = 10, MAX_SIZES = 5, WORDS = 200 };

static const char *const method_names[] = { "AdaBoost.MH, trees", "AdaBoost.MH, products",
                                            "ensemble CPC", "ensemble RBC", "ensemble CPC+RBC" };

typedef struct paper_set {
    const char *folder, *title;
    const char *measures; /* the measure of Table 2 first */
    const char *convention;
} paper_set;

#define BY_DEPTH "ndcg@1,ndcg@2,ndcg@3,ndcg@4,ndcg@5,ndcg@6,ndcg@7,ndcg@8,ndcg@9,ndcg@10"

static const paper_set sets[] = {
    { "ohsumed", "OHSUMED, NDCG@10", "ndcg@10," BY_DEPTH, "letor3" },
    { "mq2008", "MQ2008, mean NDCG", "mean-ndcg," BY_DEPTH, "letor4" },
    { "mq2007", "MQ2007, mean NDCG", "mean-ndcg," BY_DEPTH, "letor4" },
    { "mq2007-partial", "MQ2007 (partial), mean NDCG", "mean-ndcg," BY_DEPTH, "letor4" },
};
enum { SETS = sizeof sets / sizeof sets[0] };

/* The paper's value; 0: not a data set of the paper. */
static double published(size_t set, size_t method)
{
    return gr_published(TABLE, sets[set].folder, method_names[method]);
}

/* A data set with the cross-validation of all methods on it. */
typedef struct arena {
    gr_folds folds;
    char words[METHODS][MAX_SIZES][WORDS];
    const char *settings[METHODS][MAX_SIZES + 1];
    gr_cv_candidate candidates[METHODS];
    gr_crossval cv;
    gr_leaderboard_entry *leaderboard;
} arena;

static void end_arena(arena *a)
{
    gr_leaderboard_free(a->leaderboard, METHODS);
    gr_folds_free(&a->folds);
    free(a);
}

/* Rounds, sizes and rates are selected by NDCG@10 with the paper's discount, whichever metric the
 * table reports; scaled-down runs have fewer rounds and sizes. */
static void name_settings(const gr_run *run, arena *a)
{
    const size_t rounds = gr_scaled(run, gr_paper_count(TABLE, "rounds of single models", 0), 5);
    const size_t mixed = gr_scaled(run, gr_paper_count(TABLE, "rounds of ensembles", 0), 5);
    const bool small = run->scale < 1.0;

    for (size_t m = TREES; m <= PRODUCTS; m++) {
        for (size_t s = 0; s < (small ? 2 : MAX_SIZES); s++) {
            const char *words = gr_paper_setting_at(TABLE, method_names[m], s);

            if (!words)
                break;
            snprintf(a->words[m][s], WORDS, "%s rounds=%zu %s", words, rounds,
                     gr_paper_words(TABLE, "of single models"));
            a->settings[m][s] = a->words[m][s];
        }
    }
    for (size_t m = CPC; m <= BOTH; m++) {
        snprintf(a->words[m][0], WORDS, "%s rounds=%zu %s%s%s",
                 gr_paper_words(TABLE, method_names[m]), mixed,
                 gr_paper_words(TABLE, "of ensembles"), small ? " " : "",
                 small ? gr_paper_words(TABLE, "of small ensembles") : "");
        a->settings[m][0] = a->words[m][0];
    }
}

/* Runs the cross-validation on a data set. The caller frees *opened with end_arena, even on
 * failure; NULL: out of memory. */
static gradus_status crossval_on(const gr_run *run, size_t set, arena **opened, gradus_error *err)
{
    arena *a = *opened = calloc(1, sizeof *a);

    if (!a)
        return gr_fail_memory(err, "a cross-validation");
    GR_TRY(gr_folds_read(run, sets[set].folder, &a->folds, err));
    name_settings(run, a);
    for (size_t m = 0; m < METHODS; m++)
        a->candidates[m] = (gr_cv_candidate){ method_names[m], a->settings[m] };
    a->cv = (gr_crossval){ .candidates = a->candidates,
                           .count = METHODS,
                           .folds = a->folds.folds,
                           .fold_count = a->folds.count,
                           .choose = gr_paper_words(TABLE, "choose"),
                           .measures = sets[set].measures,
                           .convention = sets[set].convention };
    return gr_crossval_run(run->context, &a->cv, run->journal, &a->leaderboard, err);
}

/* Tests the ensembles against the better of the single models. */
typedef struct tally {
    size_t cells, higher, better;
} tally;

static gradus_status put_set(const gr_run *run, gr_table *table, size_t set, const arena *a,
                             tally *t, gradus_error *err)
{
    const gr_leaderboard_entry *leaderboard = a->leaderboard;
    const size_t best =
        leaderboard[PRODUCTS].mean[0] > leaderboard[TREES].mean[0] ? PRODUCTS : TREES;

    for (size_t m = 0; m < METHODS; m++) {
        gr_found found = { .ours = leaderboard[m].mean[0],
                           .error = leaderboard[m].error[0],
                           .paper = published(set, m),
                           .no_verdict =
                               gr_published_elsewhere(TABLE, sets[set].folder, method_names[m]) };
        gradus_contrast contrast;

        if (m >= CPC) {
            GR_TRY(gr_leaderboard_compare(run->context, &leaderboard[best], &leaderboard[m], 0, "t",
                                          false, &contrast, err));
            found.p = fmax(contrast.p, 1e-300);
            t->cells++;
            t->higher += contrast.difference > 0.0;
            t->better += contrast.difference > 0.0 && contrast.p < 0.05;
        }
        gr_table_put(table, sets[set].title, method_names[m], found);
    }
    return GRADUS_OK;
}

static void put_paper(gr_table *table, size_t set)
{
    for (size_t m = 0; m < METHODS; m++)
        if (published(set, m) > 0.0)
            gr_table_put(table, sets[set].title, method_names[m],
                         (gr_found){ .ours = (double)NAN, .paper = published(set, m) });
}

static void draw(const gr_run *run, size_t set, const arena *a)
{
    gr_figure *figure = gr_results_figure(run->results, sets[set].title, "k", "NDCG@k");
    double x[DEPTHS], y[DEPTHS];

    for (size_t m = 0; m < METHODS; m++) {
        for (size_t k = 0; k < DEPTHS; k++) {
            x[k] = (double)(k + 1);
            y[k] = a->leaderboard[m].mean[k + 1];
        }
        gr_figure_add(figure, method_names[m], false, x, y, DEPTHS);
    }
}

static void note_settings(const gr_run *run)
{
    gr_results_note(
        run->results,
        "Ensembles of trees of 2, 3, 4, 6 and 8 leaves and products of 1 to 4 terms, 50 or 100 "
        "rounds; single models up to 200 rounds, also of trees up to 30 leaves and products up "
        "to 8 terms. The paper has trees of 5 to 45 leaves, products of 2 to 10 terms, and up "
        "to 10,000 rounds; here models of these sizes overfit the training part, and so do "
        "ensembles of them (--preset paper-calibrated).");
    gr_results_note(
        run->results,
        "Published values of single models are compared in letor-baselines, those of ensembles in "
        "calibrated-paper, with the paper's sizes; those here, of small sizes that were chosen with "
        "test figures in sight, are shown without a verdict. Sizes and rounds of single models, rounds and rates of ensembles are selected by "
        "NDCG@10 on the validation parts. Single models are trained on the whole training part, "
        "base models of ensembles on 80%% of its queries.");
}

/* Adds each available data set to the table, or plots it in its own figure. */
static gradus_status run_sets(gr_run *run, gradus_error *err)
{
    gr_table *table =
        run->experiment->variant == 2
            ? gr_results_table(run->results,
                               "ensembles of calibrated AdaBoost.MH; p: two-tailed t-test "
                               "against the better single model",
                               GR_WANT_HIGHER, TABLE, 4)
            : NULL;
    size_t there = 0;
    tally t = { 0 };

    for (size_t s = 0; s < SETS; s++) {
        arena *a = NULL;

        if (!gr_folds_are_there(run, sets[s].folder) && (there || s + 1 < SETS)) {
            if (table)
                put_paper(table, s);
            continue;
        }
        there++;
        gradus_status status = crossval_on(run, s, &a, err);

        if (status == GRADUS_OK && table)
            status = put_set(run, table, s, a, &t, err);
        else if (status == GRADUS_OK)
            draw(run, s, a);
        if (a)
            end_arena(a);
        GR_TRY(status);
    }
    note_settings(run);
    if (table)
        gr_results_claim(run->results, t.higher == t.cells,
                         "ensembles of calibrated models are better than the best single "
                         "AdaBoost.MH",
                         "higher on %zu of %zu, significantly on %zu", t.higher, t.cells, t.better);
    return GRADUS_OK;
}

const gr_experiment gr_experiment_calibrated_table2 = {
    .about = { "calibrated-table2", "AdaBoost.MH alone and in calibrated ensembles",
               "NDCG of AdaBoost.MH with trees and with products, and of exponentially "
               "weighted ensembles of them after class probability calibration (CPC), "
               "regression-based calibration (RBC), and both; on the LETOR folds, with LETOR's "
               "measures." },
    .family = "calibrated",
    .needs = "ohsumed mq2008 mq2007-partial",
    .takes = "40 min",
    .uses = "mq2007",
    .variant = 2,
    .run = run_sets,
};

const gr_experiment gr_experiment_calibrated_figure2 = {
    .about = { "calibrated-figure2", "NDCG@k of calibrated ensembles, k = 1 to 10",
               "NDCG@1 to NDCG@10 of single AdaBoost.MH models and of calibrated ensembles, "
               "using the models of calibrated-table2." },
    .family = "calibrated",
    .needs = "ohsumed mq2008 mq2007-partial",
    .takes = "40 min",
    .uses = "mq2007",
    .variant = 1,
    .run = run_sets,
};
