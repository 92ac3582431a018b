/* SPDX-License-Identifier: Apache-2.0 */
/* Analogue of CRR's Table 1 and Figure 1: text topics against the rest, with all positives and with
 * fewer (crr_topics.h). The paper's million steps are 1.28 passes over its rows: Table 1 and Figure 1
 * make as many passes over these; crr-passes shows what more of them do, crr-balanced what more
 * positives do. */
#include "experiments/papers/crr_topics.h"
#include "base/text.h"
#include "experiments/published.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALPHAS = GR_TOPIC_ALPHAS };
enum { AUC_LOSS, MSE, ACCURACY, MEASURES };

/* Results of all tasks of the table: method, measure, task. */
typedef struct found {
    double at[GR_CRR_METHODS][MEASURES][GR_TOPIC_TASKS];
    size_t count;
} found;

static gradus_status collect(const gr_topics *t, int way, found *all, gradus_error *err)
{
    all->count = gr_topics_tasks(t);
    for (size_t task = 0; task < all->count; task++)
        for (size_t m = 0; m < GR_CRR_METHODS; m++) {
            const int ways[GR_CRR_METHODS] = { way, GR_CRR_BY_AUC, way };
            gr_crr_values values;

            if (!gr_topics_figures(t, task, gr_crr_alphas[m], ways[m], &values))
                return gr_fail(err, GRADUS_BAD_FORMAT, "a task in the journal is incomplete");
            all->at[m][AUC_LOSS][task] = values.auc_loss;
            all->at[m][MSE][task] = values.mse;
            all->at[m][ACCURACY][task] = values.accuracy;
        }
    return GRADUS_OK;
}

static double mean_of(const double *values, size_t count)
{
    double sum = 0.0;

    for (size_t i = 0; i < count; i++)
        sum += values[i];
    return sum / (double)count;
}

/* Means over the tasks with one fraction of positives; p-values of Wilcoxon's signed-rank test
 * against CRR. */
static gradus_status put_share(const gr_topics *t, gr_table *table, found *all, size_t share,
                               gradus_error *err)
{
    static const char *const names[MEASURES] = { "AUC loss", "MSE", "best accuracy" };

    for (size_t m = 0; m < GR_CRR_METHODS; m++)
        for (size_t k = 0; k < MEASURES; k++) {
            double *values = all->at[m][k] + share * t->groups;
            double *others = all->at[GR_CRR_BOTH][k] + share * t->groups;
            gr_found cell = { .ours = mean_of(values, t->groups) };
            gradus_contrast contrast;
            char row[64];

            snprintf(row, sizeof row, "%s positives, %s", gr_topics_share_name(t, share),
                     gr_crr_names[m]);
            if (m != GR_CRR_BOTH && k != ACCURACY && t->groups > 1) {
                GR_TRY(gr_crr_test(t->run, others, values, t->groups, "wilcoxon", &contrast, err));
                cell.p = isnan(contrast.p) ? 0.0 : fmax(contrast.p, 1e-300);
            }
            gr_table_put(table, row, names[k], cell);
        }
    return GRADUS_OK;
}

static double least_of(const found *all, size_t measure, size_t task)
{
    double least = all->at[0][measure][task];

    for (size_t m = 1; m < GR_CRR_METHODS; m++)
        least = fmin(least, all->at[m][measure][task]);
    return least;
}

/* The paper's claims about CRR on its 40 topics, to three decimals. */
static void judge_closeness(const gr_topics *t, const found *all, const char *how)
{
    size_t both = 0, one = 0;
    double worst = 0.0;
    char claim[256];

    for (size_t task = 0; task < all->count; task++) {
        bool best[2];

        for (size_t k = AUC_LOSS; k <= MSE; k++) {
            const double gap = all->at[GR_CRR_BOTH][k][task] - least_of(all, k, task);

            best[k] = gap < 0.0005;
            worst = fmax(worst, gap);
        }
        both += best[0] && best[1];
        one += best[0] || best[1];
    }
    snprintf(claim, sizeof claim,
             "CRR (%s) is best in AUC loss or MSE on every task, and at most .004 from the "
             "best in the other",
             how);
    gr_results_claim(
        t->run->results, one == all->count && worst <= 0.004, claim,
        "best in one on %zu of %zu and in both on %zu (the paper: 40 of 40 and 16); at most %.4f "
        "away",
        one, all->count, both, worst);
}

/* CRR against regression on the tasks from `first` on. */
static gradus_status judge_rare(const gr_topics *t, found *all, size_t first, const char *about,
                                const char *how, gradus_error *err)
{
    gradus_contrast mse, auc;
    char claim[256];

    GR_TRY(gr_crr_test(t->run, all->at[GR_CRR_REGRESSION][MSE] + first,
                       all->at[GR_CRR_BOTH][MSE] + first, all->count - first, "wilcoxon", &mse,
                       err));
    GR_TRY(gr_crr_test(t->run, all->at[GR_CRR_REGRESSION][AUC_LOSS] + first,
                       all->at[GR_CRR_BOTH][AUC_LOSS] + first, all->count - first, "wilcoxon", &auc,
                       err));
    snprintf(claim, sizeof claim, "CRR has a lower MSE than regression on classes under %s (%s)",
             about, how);
    gr_results_claim(t->run->results, mse.losses > mse.wins && mse.p < 0.05, claim,
                     "lower on %zu, higher on %zu (the paper, under 10 %%: 20 and 0 of 33); "
                     "Wilcoxon's p %.2g (.002)",
                     mse.losses, mse.wins, mse.p);
    snprintf(claim, sizeof claim,
             "CRR has a lower AUC loss than regression on classes under %s (%s)", about, how);
    gr_results_claim(t->run->results, auc.losses > auc.wins && auc.p < 0.05, claim,
                     "lower on %zu, higher on %zu; Wilcoxon's p %.2g", auc.losses, auc.wins, auc.p);
    return GRADUS_OK;
}

static void judge_methods(const gr_topics *t, const found *all)
{
    const double regression = mean_of(all->at[GR_CRR_REGRESSION][AUC_LOSS], all->count);
    const double ranking = mean_of(all->at[GR_CRR_RANKING][AUC_LOSS], all->count);
    double accuracy[GR_CRR_METHODS];

    gr_results_claim(t->run->results, ranking < regression,
                     "ranking has a lower AUC loss than regression", "%.4f and %.4f on average",
                     ranking, regression);
    gr_results_claim(t->run->results,
                     mean_of(all->at[GR_CRR_REGRESSION][MSE], all->count) <
                         0.5 * mean_of(all->at[GR_CRR_RANKING][MSE], all->count),
                     "regression has a far lower MSE than ranking", "%.4f and %.4f on average",
                     mean_of(all->at[GR_CRR_REGRESSION][MSE], all->count),
                     mean_of(all->at[GR_CRR_RANKING][MSE], all->count));
    for (size_t m = 0; m < GR_CRR_METHODS; m++)
        accuracy[m] = mean_of(all->at[m][ACCURACY], all->count);
    gr_results_claim(t->run->results,
                     accuracy[GR_CRR_BOTH] > accuracy[GR_CRR_REGRESSION] &&
                         accuracy[GR_CRR_RANKING] > accuracy[GR_CRR_REGRESSION],
                     "CRR and ranking have a higher best-threshold accuracy than regression",
                     "%.4f, %.4f and %.4f (the paper: .882, .882, .861)", accuracy[GR_CRR_BOTH],
                     accuracy[GR_CRR_RANKING], accuracy[GR_CRR_REGRESSION]);
}

static gradus_status show_table(const gr_topics *t, int way, gradus_error *err)
{
    const char *how = gr_crr_ways[way];
    gr_table *table;
    char title[160];
    found *all = calloc(1, sizeof *all);
    gradus_status status = all ? collect(t, way, all, err) : gr_fail_memory(err, "figures");

    snprintf(title, sizeof title,
             "means over %zu topics of %s; %s (ranking: by AUC loss); p: Wilcoxon's signed-rank "
             "test against CRR",
             t->groups, t->name, how);
    table = gr_results_table(t->run->results, title, GR_WANT_LOWER, NULL, 5);
    for (size_t share = 0; status == GRADUS_OK && share < gr_topics_shares(t); share++)
        status = put_share(t, table, all, share, err);
    if (status == GRADUS_OK && way == GR_CRR_BY_MSE)
        judge_methods(t, all);
    if (status == GRADUS_OK)
        judge_closeness(t, all, how);
    if (status == GRADUS_OK && all->count > 1)
        status = judge_rare(t, all, 0, "10 %", how, err);
    if (status == GRADUS_OK && all->count > 1)
        status = judge_rare(t, all, t->groups, "1 %", how, err);
    free(all);
    return status;
}

typedef struct curves {
    double at[GR_CRR_WAYS][MEASURES][ALPHAS]; /* means over tasks */
} curves;

static gradus_status average(const gr_topics *t, curves *c, gradus_error *err)
{
    *c = (curves){ 0 };
    for (int way = 0; way < GR_CRR_WAYS; way++)
        for (size_t a = 0; a < ALPHAS; a++)
            for (size_t task = 0; task < t->groups; task++) {
                gr_crr_values values;

                if (!gr_topics_figures(t, task, gr_topic_alphas[a], a ? way : GR_CRR_BY_AUC,
                                       &values))
                    return gr_fail(err, GRADUS_BAD_FORMAT, "a task in the journal is incomplete");
                c->at[way][AUC_LOSS][a] += values.auc_loss / (double)t->groups;
                c->at[way][MSE][a] += values.mse / (double)t->groups;
            }
    return GRADUS_OK;
}

static void draw_curves(const gr_topics *t, const curves *c)
{
    gr_figure *losses =
        gr_results_figure(t->run->results, "AUC loss by alpha, 1 % positives", "alpha", "AUC loss");
    gr_figure *errors = gr_results_figure(
        t->run->results, "MSE by alpha, 1 % positives (far higher at alpha 0)", "alpha", "MSE");
    gr_table *table = gr_results_table(t->run->results, "means over topics, 1 % positives",
                                       GR_WANT_LOWER, NULL, 5);

    for (int way = 0; way < GR_CRR_WAYS; way++) {
        gr_figure_add(losses, gr_crr_ways[way], false, gr_topic_alphas, c->at[way][AUC_LOSS],
                      ALPHAS);
        gr_figure_add(errors, gr_crr_ways[way], false, gr_topic_alphas + 1, c->at[way][MSE] + 1,
                      ALPHAS - 1);
    }
    for (size_t a = 0; a < ALPHAS; a++)
        for (int way = 0; way < GR_CRR_WAYS; way++) {
            char row[32], column[48];

            snprintf(row, sizeof row, "alpha %g", gr_topic_alphas[a]);
            snprintf(column, sizeof column, "AUC loss, %s", gr_crr_ways[way]);
            gr_table_put(table, row, column, (gr_found){ .ours = c->at[way][AUC_LOSS][a] });
            snprintf(column, sizeof column, "MSE, %s", gr_crr_ways[way]);
            gr_table_put(table, row, column, (gr_found){ .ours = c->at[way][MSE][a] });
        }
}

/* The number of alphas between 0 and 1 with a lower AUC loss than regression; *lower: with a lower
 * MSE than ranking and regression. */
static size_t count_lower(const curves *c, size_t *lower)
{
    const double *losses = c->at[GR_CRR_BY_AUC][AUC_LOSS], *errors = c->at[GR_CRR_BY_MSE][MSE];
    size_t falls = 0;

    *lower = 0;
    for (size_t a = 1; a + 1 < ALPHAS; a++) {
        falls += losses[a] < losses[ALPHAS - 1];
        *lower += errors[a] < fmin(errors[0], errors[ALPHAS - 1]);
    }
    return falls;
}

/* The number of alphas with a lower AUC loss than the next larger one. */
static size_t count_falls(const curves *c)
{
    const double *losses = c->at[GR_CRR_BY_AUC][AUC_LOSS];
    size_t falls = 0;

    for (size_t a = 0; a + 1 < ALPHAS; a++)
        falls += losses[a] < losses[a + 1];
    return falls;
}

/* The counts of each seed alone: how far the claims depend on it. */
static gradus_status count_by_seed(const gr_topics *t, char *falls, char *lower, size_t size,
                                   gradus_error *err)
{
    *falls = *lower = '\0';
    for (size_t seed = 0; seed < t->seeds; seed++) {
        gr_topics one = *t;
        char word[32];
        curves c;
        size_t count;

        one.first = seed;
        one.seeds = 1;
        GR_TRY(average(&one, &c, err));
        snprintf(word, sizeof word, "%s%zu", seed ? ", " : "", count_lower(&c, &count));
        gr_text_append(falls, size, word);
        snprintf(word, sizeof word, "%s%zu", seed ? ", " : "", count);
        gr_text_append(lower, size, word);
    }
    return GRADUS_OK;
}

static gradus_status show_figure(const gr_topics *t, gradus_error *err)
{
    enum { SEEDS_TEXT = 80 };
    char falls_by_seed[SEEDS_TEXT], lower_by_seed[SEEDS_TEXT];
    curves c;
    size_t lower;

    GR_TRY(average(t, &c, err));
    GR_TRY(count_by_seed(t, falls_by_seed, lower_by_seed, SEEDS_TEXT, err));
    draw_curves(t, &c);
    const size_t falls = count_lower(&c, &lower), steps = count_falls(&c);

    gr_results_claim(t->run->results, falls == ALPHAS - 2,
                     "every alpha between 0 and 1 has a lower AUC loss than regression (lambda "
                     "selected by it)",
                     "%zu of %d; by the seeds alone: %s", falls, ALPHAS - 2, falls_by_seed);
    gr_results_claim(
        t->run->results, steps == ALPHAS - 1,
        "the AUC loss falls with every step of alpha towards 0 (lambda selected by it)",
        "in %zu of %d steps, from %.4f at 1 to %.4f at 0", steps, ALPHAS - 1,
        c.at[GR_CRR_BY_AUC][AUC_LOSS][ALPHAS - 1], c.at[GR_CRR_BY_AUC][AUC_LOSS][0]);
    gr_results_claim(t->run->results, 2 * lower > ALPHAS - 2,
                     "most alphas between 0 and 1 have a lower MSE than ranking and regression "
                     "(lambda selected by it)",
                     "%zu of %d; by the seeds alone: %s", lower, ALPHAS - 2, lower_by_seed);
    return GRADUS_OK;
}

/* Adds a row per method: AUC loss with lambda selected by it, MSE likewise. */
static gradus_status put_passes(const gr_topics *t, gr_table *table, const char *name,
                                gradus_error *err)
{
    static const int ways[2] = { GR_CRR_BY_AUC, GR_CRR_BY_MSE };
    found *all[2] = { calloc(1, sizeof(found)), calloc(1, sizeof(found)) };
    gradus_status status = all[0] && all[1] ? GRADUS_OK : gr_fail_memory(err, "figures");

    for (size_t k = AUC_LOSS; status == GRADUS_OK && k <= MSE; k++)
        status = collect(t, ways[k], all[k], err);
    for (size_t m = 0; status == GRADUS_OK && m < GR_CRR_METHODS; m++)
        for (size_t k = AUC_LOSS; status == GRADUS_OK && k <= MSE; k++) {
            gr_found cell = { .ours = mean_of(all[k]->at[m][k], all[k]->count) };
            gradus_contrast contrast;
            char row[96];

            snprintf(row, sizeof row, "%s, %s", name, gr_crr_names[m]);
            if (m != GR_CRR_BOTH && all[k]->count > 1) {
                status = gr_crr_test(t->run, all[k]->at[GR_CRR_BOTH][k], all[k]->at[m][k],
                                     all[k]->count, "wilcoxon", &contrast, err);
                cell.p = status != GRADUS_OK || isnan(contrast.p) ? 0.0 : fmax(contrast.p, 1e-300);
            }
            gr_table_put(table, row, k == AUC_LOSS ? "AUC loss" : "MSE", cell);
        }
    free(all[0]);
    free(all[1]);
    return status;
}

/* The claims of Table 1 again. */
static gradus_status judge_passes(const gr_topics *t, const char *passes, gradus_error *err)
{
    found *all = calloc(1, sizeof *all);
    gradus_status status = all ? GRADUS_OK : gr_fail_memory(err, "figures");

    for (int way = 0; status == GRADUS_OK && way < GR_CRR_WAYS; way++) {
        char how[160];

        snprintf(how, sizeof how, "%s, %s", passes, gr_crr_ways[way]);
        status = collect(t, way, all, err);
        if (status == GRADUS_OK)
            judge_closeness(t, all, how);
        if (status == GRADUS_OK && all->count > 1)
            status = judge_rare(t, all, 0, "10 %", how, err);
        if (status == GRADUS_OK && all->count > 1)
            status = judge_rare(t, all, t->groups, "1 %", how, err);
    }
    free(all);
    return status;
}

/* The table's tasks by the number of passes, and with the other step rules; the claims with most
 * passes. */
static gradus_status run_passes(gr_topics *t, gradus_error *err)
{
    char title[200], name[96] = "";

    snprintf(
        title, sizeof title,
        "means over %zu topics, %zu fractions of positives and %zu seeds, by passes over the "
        "rows; lambda by AUC loss for AUC loss, by MSE for MSE; p: Wilcoxon's test against CRR",
        t->groups, gr_topics_shares(t), t->seeds);
    gr_table *table = gr_results_table(t->run->results, title, GR_WANT_LOWER, NULL, 5);

    for (size_t i = 0; gr_paper_number("crr_table1", "compared passes", i) > 0.0; i++) {
        const double passes = gr_paper_number("crr_table1", "compared passes", i);

        t->steps = gr_topics_steps(t, passes);
        GR_TRY(gr_topics_run(t, err));
        snprintf(name, sizeof name, "%g passes", passes);
        GR_TRY(put_passes(t, table, name, err));
    }
    GR_TRY(judge_passes(t, name, err));
    t->steps = gr_topics_steps(t, gr_paper_number("crr_table1", "passes", 0));
    for (size_t i = 0; (t->rule = gr_paper_setting_at("crr_table1", "rule", i)); i++) {
        GR_TRY(gr_topics_run(t, err));
        snprintf(name, sizeof name, "%g passes, %s", gr_paper_number("crr_table1", "passes", 0),
                 t->rule);
        GR_TRY(put_passes(t, table, name, err));
    }
    t->rule = "";
    return GRADUS_OK;
}

/* ---- balanced classes ---- */

/* What CRR gains on regression: the difference of means over the subjects. */
static double gain_of(const gr_topics *t, const found *all, size_t measure, size_t share)
{
    const size_t first = share * t->groups;

    return mean_of(all->at[GR_CRR_REGRESSION][measure] + first, t->groups) -
           mean_of(all->at[GR_CRR_BOTH][measure] + first, t->groups);
}

/* The gain with all positives is smaller than with any fraction of them. */
static void judge_gain(const gr_topics *t, const found *all, size_t measure, const char *claim)
{
    const double balanced = gain_of(t, all, measure, 0);
    double least = (double)INFINITY;
    char gains[120] = "";

    for (size_t share = 1; share < gr_topics_shares(t); share++) {
        const double gain = gain_of(t, all, measure, share);
        char word[40];

        least = fmin(least, gain);
        snprintf(word, sizeof word, ", %.4f with %s", gain, gr_topics_share_name(t, share));
        gr_text_append(gains, sizeof gains, word);
    }
    gr_results_claim(t->run->results, balanced < least, claim, "%.4f with all positives%s",
                     balanced, gains);
}

/* To three decimals, as in the paper. */
static void judge_best_of_both(const gr_topics *t, const found *all)
{
    size_t best = 0;

    for (size_t task = 0; task < t->groups; task++) {
        bool is_best = true;

        for (size_t k = AUC_LOSS; k <= MSE; k++)
            is_best =
                is_best && all->at[GR_CRR_REGRESSION][k][task] - least_of(all, k, task) < 0.0005;
        best += is_best;
    }
    gr_results_claim(
        t->run->results, 4 * best >= 3 * t->groups,
        "regression is best in AUC loss and MSE on three of the four balanced subjects",
        "on %zu of %zu", best, t->groups);
}

static void put_subjects(const gr_topics *t, const found *all)
{
    gr_table *table = gr_results_table(t->run->results,
                                       "subjects with all their positives; lambda by AUC loss for "
                                       "AUC loss, by MSE for MSE",
                                       GR_WANT_LOWER, NULL, 5);

    for (size_t task = 0; task < t->groups; task++)
        for (size_t m = 0; m < GR_CRR_METHODS; m++) {
            char row[64];

            snprintf(row, sizeof row, "%s, %s", gr_topics_subject(task), gr_crr_names[m]);
            gr_table_put(table, row, "AUC loss", (gr_found){ .ours = all->at[m][AUC_LOSS][task] });
            gr_table_put(table, row, "MSE", (gr_found){ .ours = all->at[m][MSE][task] });
        }
}

static void put_by_share(const gr_topics *t, const found *all)
{
    gr_table *table =
        gr_results_table(t->run->results,
                         "means over the subjects, by fraction of positives; lambda by AUC "
                         "loss for AUC loss, by MSE for MSE",
                         GR_WANT_LOWER, NULL, 5);

    for (size_t share = 0; share < gr_topics_shares(t); share++)
        for (size_t m = 0; m < GR_CRR_METHODS; m++) {
            char row[64];

            snprintf(row, sizeof row, "%s positives, %s", gr_topics_share_name(t, share),
                     gr_crr_names[m]);
            for (size_t k = AUC_LOSS; k <= MSE; k++)
                gr_table_put(
                    table, row, k == AUC_LOSS ? "AUC loss" : "MSE",
                    (gr_found){ .ours = mean_of(all->at[m][k] + share * t->groups, t->groups) });
        }
}

/* AUC loss with lambda selected by it, MSE likewise: in one structure. */
static gradus_status collect_each(const gr_topics *t, found *all, gradus_error *err)
{
    found *other = calloc(1, sizeof *other);
    gradus_status status =
        other ? collect(t, GR_CRR_BY_AUC, all, err) : gr_fail_memory(err, "figures");

    if (status == GRADUS_OK)
        status = collect(t, GR_CRR_BY_MSE, other, err);
    for (size_t m = 0; status == GRADUS_OK && m < GR_CRR_METHODS; m++)
        memcpy(all->at[m][MSE], other->at[m][MSE], sizeof all->at[m][MSE]);
    free(other);
    return status;
}

static gradus_status show_subjects(const gr_topics *t, gradus_error *err)
{
    found *all = calloc(1, sizeof *all);
    gradus_status status = all ? collect_each(t, all, err) : gr_fail_memory(err, "figures");

    if (status == GRADUS_OK) {
        put_subjects(t, all);
        put_by_share(t, all);
        judge_gain(t, all, AUC_LOSS,
                   "CRR gains less on regression in AUC loss with all positives than with fewer");
        judge_gain(t, all, MSE,
                   "CRR gains less on regression in MSE with all positives than with fewer");
        judge_best_of_both(t, all);
    }
    free(all);
    return status;
}

enum { TABLE1, FIGURE1, PASSES, BALANCED };

static gradus_status show(gr_topics *t, int variant, gradus_error *err)
{
    gradus_status status = GRADUS_OK;

    if (variant == FIGURE1)
        return show_figure(t, err);
    if (variant == BALANCED)
        return show_subjects(t, err);
    for (int way = 0; status == GRADUS_OK && way < GR_CRR_WAYS; way++)
        status = show_table(t, way, err);
    return status;
}

static gradus_status run_text(gr_run *run, gradus_error *err)
{
    static const struct {
        gr_topics_kind kind;
        size_t groups;
        const char *seeds;
    } of[] = {
        [TABLE1] = { GR_TOPICS_TABLE, GR_CRR_GROUPS, "seeds" },
        [FIGURE1] = { GR_TOPICS_ALPHAS, GR_CRR_GROUPS / 2, "seeds" },
        [PASSES] = { GR_TOPICS_TABLE, GR_CRR_GROUPS, "seeds of passes" },
        [BALANCED] = { GR_TOPICS_SUBJECTS, 4, "seeds" },
    };
    const int variant = run->experiment->variant;
    gr_topics t = { .run = run, .kind = of[variant].kind, .rule = "" };
    gradus_status status = gr_topics_open(&t, err);

    t.groups = gr_scaled(run, of[variant].groups, 2);
    t.seeds = gr_run_seeds(run, gr_paper_count("crr_table1", of[variant].seeds, 0));
    if (status == GRADUS_OK && variant == PASSES) {
        status = run_passes(&t, err);
    } else if (status == GRADUS_OK) {
        t.steps = gr_topics_steps(&t, gr_paper_number("crr_table1", "passes", 0));
        gr_results_note(run->results,
                        "%g steps per row, as in the paper: %zu steps; means over %zu seeds, which "
                        "differ in the rows sampled and in the steps.",
                        gr_paper_number("crr_table1", "passes", 0), t.steps, t.seeds);
        status = gr_topics_run(&t, err);
        if (status == GRADUS_OK)
            status = show(&t, variant, err);
    }
    gr_topics_end(&t);
    return status;
}

const gr_experiment gr_experiment_crr_table1 = {
    .about = { "crr-table1", "AUC loss and MSE of regression, ranking and CRR on text topics",
               "Each topic against the rest, with all positives and with fewer, down to .05 %: "
               "linear models by SGD on the logistic loss, with the paper's 1.28 steps per row. "
               "Lambda is selected on a third of the training rows: for ranking by AUC, for "
               "regression and CRR by AUC, by MSE or by both." },
    .family = "crr",
    .needs = "",
    .takes = "5 min",
    .uses = "20news",
    .variant = TABLE1,
    .run = run_text,
};

const gr_experiment gr_experiment_crr_figure1 = {
    .about = { "crr-figure1", "AUC loss and MSE by alpha, from ranking to regression",
               "Text topics with 1 % positives, by alpha, the fraction of steps on single "
               "rows: linear models by SGD on the logistic loss, with 1.28 steps per row." },
    .family = "crr",
    .needs = "",
    .takes = "1 min",
    .uses = "20news",
    .variant = FIGURE1,
    .run = run_text,
};

const gr_experiment gr_experiment_crr_passes = {
    .about = { "crr-passes", "text topics by the number of passes and by the step rule",
               "The tasks of crr-table1 with more steps, up to a million (88 passes over 20 "
               "newsgroups; over the paper's rows they are 1.28), and with steps of c / (c + i)." },
    .family = "crr",
    .needs = "",
    .takes = "1 h",
    .uses = "20news",
    .variant = PASSES,
    .run = run_text,
};

const gr_experiment gr_experiment_crr_balanced = {
    .about = { "crr-balanced", "AUC loss and MSE by the fraction of positives, balanced classes",
               "Subjects of several text topics against the rest, 16 to 26 % of the texts, with "
               "all positives and with fewer: linear models by SGD on the logistic loss, with 1.28 "
               "steps per row." },
    .family = "crr",
    .needs = "",
    .takes = "1 min",
    .uses = "20news",
    .variant = BALANCED,
    .run = run_text,
};
