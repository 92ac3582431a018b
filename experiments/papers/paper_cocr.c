/* SPDX-License-Identifier: Apache-2.0 */
/* The tables and figures of COCR: cost-sensitive ordinal classification via regression with three
 * costs against direct regression, with the paper's base regressors. */
#include "base/text.h"
#include "experiments/papers/cocr_claims.h"
#include "experiments/published.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DIRECT, ABSOLUTE, SQUARED, OERR, METHODS };
enum { LINEAR, M5P, GBRT_1, GBRT_05, GBRT_02, FIXED_1, FIXED_05, FIXED_02, REGRESSORS };
enum { ERR, NDCG };
enum { LTRC1, LTRC2, MS10K, MS30K, PAPER_SETS };

static const char *const method_names[] = { "direct", "absolute", "squared", "oerr" };

enum { SIZES = 5, MAX_WORDS = 160 }; /* values of M, to select from */

static const char *const rates[] = { "0.1", "0.05", "0.02" };
static const char *const fixed_rates[] = { "0.1, all rounds", "0.05, all rounds",
                                           "0.02, all rounds" };

/* Setting `index` of a regressor; NULL past the last. */
static const char *regressor_setting(size_t regressor, size_t index)
{
    if (regressor < GBRT_1)
        return gr_paper_setting_at(regressor == LINEAR ? "cocr_table1" : "cocr_table4", "regressor",
                                   index);
    if (regressor >= FIXED_1)
        return gr_paper_setting_at("cocr_table7", fixed_rates[regressor - FIXED_1], index);
    return gr_paper_setting_at("cocr_table7", rates[regressor - GBRT_1], index);
}

static size_t size_of_rows(size_t index)
{
    return gr_paper_count("cocr_table4", "M", index);
}

typedef struct paper_set {
    const char *folder, *title;
} paper_set;

/* The paper's data sets, if the user has them, then substitutes. */
static const paper_set sets[] = {
    { "ltrc1", "LTRC1" },
    { "ltrc2", "LTRC2" },
    { "mslr-web10k", "MS10K" },
    { "mslr-web30k", "MS30K" },
    { "mq2008", "MQ2008" },
    { "ohsumed", "OHSUMED" },
    { "mq2007-partial", "MQ2007 (partial)" },
    { NULL, "synth web" },
};
enum { SETS = sizeof sets / sizeof sets[0] };

/* The files of the paper's values. */
static const char *const tables[][2] = {
    [LINEAR] = { "cocr_table1", "cocr_table2" },
    [M5P] = { "cocr_table5", "cocr_table6" },
};
static const char *const boosted[] = { [LTRC1] = "cocr_table7", [LTRC2] = "cocr_table8" };

/* The paper's value; 0: not in the paper. */
static double published(size_t regressor, size_t measure, size_t set, size_t m)
{
    if (set >= PAPER_SETS)
        return 0.0;
    if (regressor < GBRT_1)
        return gr_published(tables[regressor][measure], sets[set].title, method_names[m]);
    return measure == ERR && set <= LTRC2 && regressor >= FIXED_1
               ? gr_published(boosted[set], rates[regressor - FIXED_1], method_names[m])
           : measure == ERR && set <= LTRC2
               ? gr_published(boosted[set], rates[regressor - GBRT_1], method_names[m])
               : 0.0;
}

/* A data set with the cross-validation of the four methods on it. */
typedef struct arena {
    gr_folds folds;
    char words[METHODS][SIZES][MAX_WORDS];
    const char *settings[METHODS][SIZES + 1];
    gr_cv_candidate candidates[METHODS];
    gr_crossval cv;
    gr_leaderboard_entry *leaderboard;
} arena;

static void end_arena(arena *a)
{
    gr_leaderboard_free(a->leaderboard, METHODS);
    gr_folds_free(&a->folds);
    *a = (arena){ .leaderboard = NULL };
}

static gradus_status open_set(const gr_run *run, size_t set, gr_folds *folds, gradus_error *err)
{
    const size_t queries[3] = { gr_scaled(run, gr_paper_count("cocr_table1", "queries", 0), 20),
                                gr_scaled(run, gr_paper_count("cocr_table1", "queries", 1), 20),
                                gr_scaled(run, gr_paper_count("cocr_table1", "queries", 2), 40) };

    if (sets[set].folder)
        return gr_folds_read(run, sets[set].folder, folds, err);
    return gr_folds_synth(run, "synth web", NULL, queries, folds, err);
}

static bool is_there(const gr_run *run, size_t set)
{
    return !sets[set].folder || gr_folds_are_there(run, sets[set].folder);
}

/* The settings of a method with a regressor. */
static void enter(arena *a, size_t method, size_t regressor)
{
    const char *words;
    size_t count = 0;

    for (; count < SIZES && (words = regressor_setting(regressor, count)) != NULL; count++) {
        snprintf(a->words[method][count], MAX_WORDS, "%s %s",
                 gr_paper_words("cocr_table1", method_names[method]), words);
        a->settings[method][count] = a->words[method][count];
    }
    a->settings[method][count] = NULL;
    a->candidates[method] = (gr_cv_candidate){ method_names[method], a->settings[method] };
}

/* Runs the cross-validation of a regressor on a data set; free with end_arena, even on failure. */
static gradus_status crossval_on(const gr_run *run, size_t set, size_t regressor, arena *a,
                                 gradus_error *err)
{
    *a = (arena){ .leaderboard = NULL };
    GR_TRY(open_set(run, set, &a->folds, err));
    for (size_t m = 0; m < METHODS; m++)
        enter(a, m, regressor);
    a->cv = (gr_crossval){ .candidates = a->candidates,
                           .count = METHODS,
                           .folds = a->folds.folds,
                           .fold_count = a->folds.count,
                           .choose = gr_paper_words("cocr_table1", "choose"),
                           .measures = gr_paper_words("cocr_table1", "measures"),
                           .convention = "gradus" };
    return gr_crossval_run(run->context, &a->cv, run->journal, &a->leaderboard, err);
}

/* Where wins of the costs over direct regression are counted, and those of oerr over the other two
 * costs; NULL: nowhere. */
typedef struct tallies {
    gr_cocr_tally *over_direct[METHODS], *over_costs;
} tallies;

static gradus_status count(const gr_run *run, const arena *a, size_t measure, size_t first,
                           size_t second, gr_cocr_tally *t, double *p, gradus_error *err)
{
    gradus_contrast contrast;

    GR_TRY(gr_leaderboard_compare(run->context, &a->leaderboard[first], &a->leaderboard[second],
                                  measure, "t", false, &contrast, err));
    *p = fmax(contrast.p, 1e-300);
    t->least = t->cells ? fmin(t->least, *p) : *p;
    t->cells++;
    t->higher += contrast.difference >= 0.0;
    t->better += contrast.difference > 0.0 && contrast.p < 0.05;
    t->worse += contrast.difference < 0.0 && contrast.p < 0.05;
    return GRADUS_OK;
}

static const char *row_name(const char *set, const char *step, char row[80])
{
    snprintf(row, 80, "%s%s%s", set, *step ? ", step " : "", step);
    return row;
}

/* Counts oerr against the other costs. */
static gradus_status count_oerr(const gr_run *run, const arena *a, size_t measure, gr_cocr_tally *t,
                                gradus_error *err)
{
    double p;

    for (size_t m = ABSOLUTE; t && m <= SQUARED; m++)
        GR_TRY(count(run, a, measure, m, OERR, t, &p, err));
    return GRADUS_OK;
}

/* Our values on a data set, and the paper's if it is one of its data sets. */
static gradus_status put_set(const gr_run *run, gr_table *table, size_t set, const char *step,
                             size_t regressor, size_t measure, const tallies *to, gradus_error *err)
{
    arena a;
    char row[80];
    gradus_status status = crossval_on(run, set, regressor, &a, err);

    for (size_t m = 0; status == GRADUS_OK && m < METHODS; m++) {
        gr_found found = { .ours = a.leaderboard[m].mean[measure],
                           .error = a.leaderboard[m].error[measure],
                           .paper = published(regressor, measure, set, m) };
        gr_cocr_tally other = { 0 };

        if (m != DIRECT)
            status = count(run, &a, measure, DIRECT, m,
                           to->over_direct[m] ? to->over_direct[m] : &other, &found.p, err);
        if (status == GRADUS_OK)
            gr_table_put(table, row_name(sets[set].title, step, row), method_names[m], found);
    }
    if (status == GRADUS_OK)
        status = count_oerr(run, &a, measure, to->over_costs, err);
    end_arena(&a);
    return status;
}

/* The paper's values on a data set that is unavailable. */
static void put_paper(gr_table *table, size_t set, const char *step, size_t regressor,
                      size_t measure)
{
    char row[80];

    for (size_t m = 0; m < METHODS; m++)
        gr_table_put(
            table, row_name(sets[set].title, step, row), method_names[m],
            (gr_found){ .ours = (double)NAN, .paper = published(regressor, measure, set, m) });
}

static void note_sets(const gr_run *run)
{
    gr_results_note(run->results,
                    "The paper's data sets are read from folders ltrc1, ltrc2, mslr-web10k and "
                    "mslr-web30k of the data folder; the other rows are substitutes.");
}

#define PAPER_P                                                                                    \
    "The paper's p-values of absolute, squared and oerr against direct regression: LTRC1 5.2e-3 "  \
    "2.1e-2 1.6e-3, LTRC2 .45 1.4e-3 4.0e-4, MS10K 6.2e-13 6.1e-8 6.8e-17, MS30K 8.6e-54 8.5e-43 " \
    "(the last is misprinted)."

static gradus_status compare_costs(const gr_run *run, size_t regressor, size_t measure,
                                   const char *title, gradus_error *err)
{
    gr_table *table =
        gr_results_table(run->results, title, GR_WANT_HIGHER, tables[regressor][measure], 4);
    gr_cocr_tally t = { 0 }, squared = { 0 }, absolute = { 0 };
    const tallies to = { .over_direct = {
                             [ABSOLUTE] = &absolute, [SQUARED] = &squared, [OERR] = &t } };

    for (size_t s = 0; s < SETS; s++)
        if (is_there(run, s))
            GR_TRY(put_set(run, table, s, "", regressor, measure, &to, err));
        else if (s < PAPER_SETS)
            put_paper(table, s, "", regressor, measure);
    note_sets(run);
    if (measure == ERR && regressor == M5P) {
        gr_cocr_add(&t, &absolute);
        gr_cocr_add(&t, &squared);
        gr_cocr_judge_almost(run, &t);
        gr_results_note(run->results, PAPER_P);
        return GRADUS_OK;
    }
    gr_cocr_judge(run, &t,
                  measure == ERR
                      ? "COCR with the oerr cost is at least as good in ERR as direct regression, "
                        "mostly significantly"
                      : "COCR with the oerr cost is at least as good in NDCG@10 as direct "
                        "regression, mostly significantly (the paper: only with model trees)");
    if (measure == NDCG || regressor == LINEAR)
        gr_cocr_judge_cost(
            run, &squared, 0,
            measure == NDCG
                ? "the squared cost has a higher NDCG@10 than direct regression on every set"
                : "the squared cost has a higher ERR than direct regression on every set");
    if (measure == NDCG && regressor == M5P)
        gr_cocr_judge_cost(
            run, &absolute, 1,
            "the absolute cost has a higher NDCG@10 than direct regression on all sets but "
            "one");
    return GRADUS_OK;
}

static gradus_status run_table1(gr_run *run, gradus_error *err)
{
    static const struct {
        size_t regressor, measure;
        const char *title;
    } of[] = {
        [1] = { LINEAR, ERR, "ERR, linear regression; p: two-tailed t-test against direct" },
        [2] = { LINEAR, NDCG, "NDCG@10, linear regression; p: two-tailed t-test against direct" },
        [5] = { M5P, ERR, "ERR, model trees; p: two-tailed t-test against direct" },
        [6] = { M5P, NDCG, "NDCG@10, model trees; p: two-tailed t-test against direct" },
    };
    const int variant = run->experiment->variant;

    return compare_costs(run, of[variant].regressor, of[variant].measure, of[variant].title, err);
}

/* Table 3: oerr against the other costs. */
static gradus_status put_p(const gr_run *run, gr_table *table, size_t set, size_t regressor,
                           gr_cocr_tally *t, gradus_error *err)
{
    arena a;
    gradus_status status = crossval_on(run, set, regressor, &a, err);

    for (size_t m = ABSOLUTE; status == GRADUS_OK && m <= SQUARED; m++) {
        gr_found found = { .ours = a.leaderboard[OERR].mean[ERR] - a.leaderboard[m].mean[ERR] };

        status = count(run, &a, ERR, m, OERR, t, &found.p, err);
        if (status == GRADUS_OK)
            gr_table_put(table, sets[set].title, method_names[m], found);
    }
    end_arena(&a);
    return status;
}

static gradus_status run_table3(gr_run *run, gradus_error *err)
{
    static const char *const titles[] = {
        [LINEAR] = "ERR of oerr minus that of another cost, linear regression; p: two-tailed "
                   "t-test",
        [M5P] = "ERR of oerr minus that of another cost, model trees; p: two-tailed t-test",
    };

    for (size_t regressor = LINEAR; regressor <= M5P; regressor++) {
        gr_table *table =
            gr_results_table(run->results, titles[regressor], GR_WANT_HIGHER, NULL, 4);
        gr_cocr_tally t = { 0 };

        for (size_t s = 0; s < SETS; s++)
            if (is_there(run, s))
                GR_TRY(put_p(run, table, s, regressor, &t, err));
        gr_cocr_judge(run, &t,
                      regressor == LINEAR
                          ? "oerr is the best of the three costs in ERR, linear regression"
                          : "oerr is the best of the three costs in ERR, model trees");
        if (regressor == M5P)
            gr_results_claim(run->results, 2 * (t.better + t.worse) > t.cells,
                             "oerr's ERR differs significantly from that of the other costs in "
                             "most comparisons, model trees",
                             "in %zu of %zu: higher in %zu, lower in %zu", t.better + t.worse,
                             t.cells, t.better, t.worse);
    }
    gr_results_note(run->results, "The paper's p-values of oerr against absolute and squared, "
                                  "linear regression: LTRC1 5.4e-3 3.0e-2, LTRC2 .62 .15, MS10K "
                                  "3.7e-36 1.6e-21, MS30K 1.6e-160 7.0e-81; model trees: LTRC1 .56 "
                                  ".12 (the others are illegible in the text at hand).");
    note_sets(run);
    return GRADUS_OK;
}

/* Table 4 and Figure 1: model trees by M. */
static double published_by_m(size_t size, size_t m)
{
    char row[24];

    snprintf(row, sizeof row, "%zu", size);
    return gr_published("cocr_table4", row, method_names[m]);
}

/* Means over the folds of a number recorded by the trials: "valid", "train". */
static double mean_of_trials(const gr_run *run, const arena *a, size_t method, size_t setting,
                             const char *what)
{
    double sum = 0.0;

    for (size_t f = 0; f < a->folds.count; f++)
        sum += gr_json_real(gr_crossval_trial(&a->cv, run->journal, method, setting, f), what);
    return sum / (double)a->folds.count;
}

static gradus_status put_by_m(const gr_run *run, gr_table *table, size_t set, gradus_error *err)
{
    arena a;
    const gradus_status status = crossval_on(run, set, M5P, &a, err);

    for (size_t i = 0; status == GRADUS_OK && i < SIZES; i++)
        for (size_t m = 0; m < METHODS; m++) {
            char row[80];

            snprintf(row, sizeof row, "%s, M = %zu", sets[set].title, size_of_rows(i));
            gr_table_put(
                table, row, method_names[m],
                (gr_found){ .ours = mean_of_trials(run, &a, m, i, "valid"),
                            .paper = set == LTRC1 ? published_by_m(size_of_rows(i), m) : 0.0 });
        }
    end_arena(&a);
    return status;
}

/* The paper's findings on LTRC1 that its Table 4 shows, on its set or on synthetic web data. */
static gradus_status judge_table4(gr_run *run, gradus_error *err)
{
    const size_t set = is_there(run, LTRC1) ? LTRC1 : SETS - 1;
    size_t best[METHODS] = { 0 }, above = 0;
    double highest[METHODS] = { 0.0 };
    arena a;
    const gradus_status status = crossval_on(run, set, M5P, &a, err);

    for (size_t m = 0; status == GRADUS_OK && m < METHODS; m++) {
        for (size_t i = 0; i < SIZES; i++) {
            const double value = mean_of_trials(run, &a, m, i, "valid");

            if (value > highest[m]) {
                highest[m] = value;
                best[m] = size_of_rows(i);
            }
        }
        above += m != DIRECT && highest[m] > highest[DIRECT];
    }
    end_arena(&a);
    GR_TRY(status);
    gr_results_claim(run->results, best[DIRECT] == 4 && best[OERR] > 4,
                     "direct regression selects M = 4, COCR a larger M",
                     "%s: M of %zu for direct, %zu, %zu and %zu for absolute, squared and oerr",
                     sets[set].title, best[DIRECT], best[ABSOLUTE], best[SQUARED], best[OERR]);
    gr_results_claim(run->results, above == METHODS - 1 && highest[OERR] >= highest[SQUARED],
                     "with the selected M every cost has a higher validation ERR than direct "
                     "regression, and oerr the highest",
                     "%s: %.4f, and %.4f, %.4f, %.4f with absolute, squared, oerr", sets[set].title,
                     highest[DIRECT], highest[ABSOLUTE], highest[SQUARED], highest[OERR]);
    return GRADUS_OK;
}

static gradus_status run_table4(gr_run *run, gradus_error *err)
{
    gr_table *table = gr_results_table(run->results,
                                       "validation ERR of model trees by M, the minimum rows for "
                                       "a split",
                                       GR_WANT_HIGHER, "cocr_table4", 4);

    for (size_t s = 0; s < SETS; s++)
        if (is_there(run, s))
            GR_TRY(put_by_m(run, table, s, err));
    for (size_t i = 0; !is_there(run, LTRC1) && i < SIZES; i++)
        for (size_t m = 0; m < METHODS; m++) {
            const double paper = published_by_m(size_of_rows(i), m);
            char row[80];

            snprintf(row, sizeof row, "LTRC1, M = %zu", size_of_rows(i));
            if (paper > 0.0)
                gr_table_put(table, row, method_names[m],
                             (gr_found){ .ours = (double)NAN, .paper = paper });
        }
    gr_results_note(run->results,
                    "The paper's last row: test ERR with the selected M, with p-values against "
                    "direct regression: direct .4499, absolute .4526 (5.2e-3), squared .4521 "
                    "(2.1e-2), oerr .4530 (1.6e-3). gradus: cocr-table5.");
    note_sets(run);
    return judge_table4(run, err);
}

/* Test ERR of each query by M, for a data set with one fold; the caller frees them. NULL: none. */
static double *test_queries(const gr_run *run, const arena *a, size_t method, size_t setting,
                            size_t *count)
{
    const gr_json *values =
        gr_json_find(gr_crossval_trial(&a->cv, run->journal, method, setting, 0), "values");

    return values && values->count ? gr_json_numbers(gr_json_first(values), count) : NULL;
}

static double test_of_trial(const gr_run *run, const arena *a, size_t method, size_t setting)
{
    size_t found = 0;
    double *numbers = test_queries(run, a, method, setting, &found);
    double sum = 0.0, counted = 0.0;

    for (size_t q = 0; numbers && q < found; q++)
        if (!isnan(numbers[q])) {
            sum += numbers[q];
            counted += 1.0;
        }
    free(numbers);
    return counted > 0.0 ? sum / counted : (double)NAN;
}

/* Direct regression: M = 4 against the other M with the highest test ERR. */
static gradus_status judge_direct(const gr_run *run, const arena *a, const double *test,
                                  gradus_error *err)
{
    size_t best = 1, counts[2] = { 0 };
    gradus_contrast contrast = { .p = (double)NAN };
    double *values[2];

    for (size_t i = 2; i < SIZES; i++)
        if (test[i] > test[best])
            best = i;
    values[0] = test_queries(run, a, DIRECT, best, &counts[0]);
    values[1] = test_queries(run, a, DIRECT, 0, &counts[1]);
    const bool paired = values[0] && values[1] && counts[0] == counts[1];
    const gr_leaderboard_entry other = { .queries = counts[0], .values = values[0] };
    const gr_leaderboard_entry smallest = { .queries = counts[1], .values = values[1] };
    const gradus_status status = paired ? gr_leaderboard_compare(run->context, &other, &smallest, 0,
                                                                 "t", false, &contrast, err)
                                        : GRADUS_OK;

    if (status == GRADUS_OK)
        gr_results_claim_tested(run->results, test[0] >= test[best], contrast.p,
                                "direct regression has its best test ERR at M = 4",
                                "%.4f with M = 4, %.4f with %zu (p %.2g), %.4f with 2048", test[0],
                                test[best], size_of_rows(best), contrast.p, test[SIZES - 1]);
    free(values[0]);
    free(values[1]);
    return status;
}

/* COCR with oerr at M = 4: the highest training ERR, a test ERR below that of the best M. */
static void judge_overfit(const gr_run *run, const double *train, const double *test)
{
    double others = train[1], best = test[1];
    char tests[120] = "";

    for (size_t i = 0; i < SIZES; i++) {
        char word[40];

        snprintf(word, sizeof word, "%s%.4f with %zu", i ? ", " : "", test[i], size_of_rows(i));
        gr_text_append(tests, sizeof tests, word);
        if (i > 0) {
            others = fmax(others, train[i]);
            best = fmax(best, test[i]);
        }
    }
    gr_results_claim(run->results, train[0] > others && test[0] < best,
                     "with M = 4 COCR with oerr overfits: the highest training ERR, a test ERR "
                     "below that of the best M",
                     "training ERR %.4f with M = 4 and at most %.4f with another; test ERR %s",
                     train[0], others, tests);
}

static gradus_status run_figure1(gr_run *run, gradus_error *err)
{
    const size_t set = is_there(run, LTRC1) ? LTRC1 : SETS - 1;
    arena a;
    gradus_status status = crossval_on(run, set, M5P, &a, err);

    for (size_t m = DIRECT; status == GRADUS_OK && m <= OERR; m += OERR) {
        char title[96];
        double x[SIZES], train[SIZES], valid[SIZES], test[SIZES];

        snprintf(title, sizeof title, "ERR of model trees by M, %s, %s",
                 m == DIRECT ? "direct regression" : "COCR with oerr", sets[set].title);
        gr_figure *figure = gr_results_figure(run->results, title, "log2 M", "ERR");

        for (size_t i = 0; i < SIZES; i++) {
            x[i] = log2((double)size_of_rows(i));
            train[i] = mean_of_trials(run, &a, m, i, "train");
            valid[i] = mean_of_trials(run, &a, m, i, "valid");
            test[i] = test_of_trial(run, &a, m, i);
        }
        gr_figure_add(figure, "training part", false, x, train, SIZES);
        gr_figure_add(figure, "validation part", false, x, valid, SIZES);
        gr_figure_add(figure, "test part", false, x, test, SIZES);
        if (m == OERR)
            judge_overfit(run, train, test);
        else
            status = judge_direct(run, &a, test, err);
    }
    end_arena(&a);
    return status;
}

/* Boosted trees on the paper's set, or on substitutes, with one choice of rounds; slow: for the
 * smallest learning rate. */
static gradus_status put_boosted(gr_run *run, gr_table *table, size_t from, const tallies *fast,
                                 const tallies *slow, gradus_error *err)
{
    static const char *const steps[] = { ".1", ".05", ".02" };
    const size_t own = (size_t)run->experiment->variant;
    const size_t first = is_there(run, own) ? own : own == LTRC1 ? SETS - 1 : PAPER_SETS;
    const size_t last = is_there(run, own) ? own : own == LTRC1 ? SETS - 1 : SETS - 2;

    for (size_t i = 0; i < 3; i++) {
        for (size_t s = first; s <= last; s++)
            if (is_there(run, s))
                GR_TRY(put_set(run, table, s, steps[i], from + i, ERR, i == 2 ? slow : fast, err));
        if (!is_there(run, own) && from == FIXED_1)
            put_paper(table, own, steps[i], from + i, ERR);
    }
    return GRADUS_OK;
}

static gradus_status put_large(gr_run *run, gr_table *table, gradus_error *err)
{
    gr_cocr_tally costs = { 0 }, oerr = { 0 }, others = { 0 };
    const tallies to = { .over_direct = { NULL, &costs, &costs, &oerr }, .over_costs = &others };

    GR_TRY(put_boosted(run, table, FIXED_1, &to, &to, err));
    gr_cocr_judge_oerr(run, &oerr, &others);
    gr_cocr_add(&costs, &oerr);
    gr_cocr_judge(run, &costs,
                  "COCR with any cost is at least as good in ERR as direct regression, mostly "
                  "significantly");
    return GRADUS_OK;
}

static gradus_status put_small(gr_run *run, gr_table *table, gradus_error *err)
{
    gr_cocr_tally absolute = { 0 }, squared = { 0 }, oerr = { 0 }, slow = { 0 }, slow_oerr = { 0 };
    gr_cocr_tally others = { 0 };
    const tallies fast = { .over_direct = { NULL, &absolute, &squared, &oerr },
                           .over_costs = &others };
    const tallies slowest = { .over_direct = { NULL, &slow, &slow, &slow_oerr },
                              .over_costs = &others };

    GR_TRY(put_boosted(run, table, FIXED_1, &fast, &slowest, err));
    gr_cocr_add(&slow, &slow_oerr);
    gr_cocr_judge_equal(
        run, &slow,
        "with steps of .02 no cost differs significantly from direct regression in ERR");
    gr_cocr_judge_equal(
        run, &absolute,
        "with steps of .1 and .05 the absolute cost does not differ significantly from "
        "direct regression in ERR");
    gr_cocr_add(&squared, &oerr);
    gr_cocr_judge(
        run, &squared,
        "COCR with the squared and oerr costs is at least as good in ERR as direct regression, "
        "mostly significantly, with steps of .1 and .05");
    gr_cocr_add(&oerr, &slow_oerr);
    gr_cocr_judge_oerr(run, &oerr, &others);
    return GRADUS_OK;
}

/* Tables 7 and 8: boosted trees, three learning rates, one data set of the paper each; the rounds
 * selected on the validation part, and beside them all 1,000, as the paper had it. */
static gradus_status run_table7(gr_run *run, gradus_error *err)
{
    const size_t own = (size_t)run->experiment->variant;
    const tallies none = { .over_costs = NULL };
    gr_table *all =
        gr_results_table(run->results,
                         "ERR, boosted trees, all 1,000 of depth 4, as in the paper; p: "
                         "two-tailed t-test against direct",
                         GR_WANT_HIGHER, boosted[own], 4);
    gr_table *chosen = gr_results_table(run->results,
                                        "ERR, the same with the round selected on the validation "
                                        "part; p: two-tailed t-test against direct",
                                        GR_WANT_HIGHER, NULL, 4);

    GR_TRY(own == LTRC1 ? put_large(run, all, err) : put_small(run, all, err));
    GR_TRY(put_boosted(run, chosen, GBRT_1, &none, &none, err));
    note_sets(run);
    return GRADUS_OK;
}

#define COCR(name_, summary_, family_, takes_, variant_, run_)                                     \
    {                                                                                              \
        .about = { name_, summary_,                                                                \
                   "COCR with three costs against direct regression on grades. "                   \
                   "Settings and rounds are selected by ERR on the validation part." },            \
        .family = family_, .needs = "", .takes = takes_, .variant = variant_, .run = run_,         \
        .uses = "ltrc1 ltrc2 mslr-web10k mslr-web30k mq2008 ohsumed mq2007-partial"                \
    }

const gr_experiment gr_experiment_cocr_table1 =
    COCR("cocr-table1", "ERR of COCR's costs, linear regression", "cocr", "1 min", 1, run_table1);
const gr_experiment gr_experiment_cocr_table2 = COCR(
    "cocr-table2", "NDCG@10 of COCR's costs, linear regression", "cocr", "1 min", 2, run_table1);
const gr_experiment gr_experiment_cocr_table3 =
    COCR("cocr-table3", "the oerr cost against the others, linear and model trees", "cocr",
         "10 min", 3, run_table3);
const gr_experiment gr_experiment_cocr_table4 =
    COCR("cocr-table4", "validation ERR of model trees by M", "cocr", "10 min", 4, run_table4);
const gr_experiment gr_experiment_cocr_table5 =
    COCR("cocr-table5", "ERR of COCR's costs, model trees", "cocr", "10 min", 5, run_table1);
const gr_experiment gr_experiment_cocr_table6 =
    COCR("cocr-table6", "NDCG@10 of COCR's costs, model trees", "cocr", "10 min", 6, run_table1);
const gr_experiment gr_experiment_cocr_table7 =
    COCR("cocr-table7", "ERR of COCR's costs, boosted trees (LTRC1)", "cocr", "17 min", LTRC1,
         run_table7);
const gr_experiment gr_experiment_cocr_table8 =
    COCR("cocr-table8", "ERR of COCR's costs, boosted trees (LTRC2)", "cocr", "17 min", LTRC2,
         run_table7);
const gr_experiment gr_experiment_cocr_figure1 =
    COCR("cocr-figure1", "ERR of model trees by M", "cocr", "10 min", 1, run_figure1);
