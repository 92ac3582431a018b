/* SPDX-License-Identifier: Apache-2.0 */
/* Analogue of CRR's Table 1 and Figure 1: text topics against the rest, with all positives and with
 * fewer. 20 newsgroups substitutes for RCV1; without it, generated texts are used. The paper's
 * million steps are 1.28 passes over its rows: Table 1 and Figure 1 make as many passes over these;
 * crr-passes shows what more of them do. */
#include "base/rng.h"
#include "base/text.h"
#include "experiments/jobs.h"
#include "experiments/papers/paper_crr.h"
#include "experiments/published.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GROUPS = GR_CRR_GROUPS, SHARES = 3, ALPHAS = 9, PARTS_OF_REST = 3 };
enum { TRAIN_TEXTS = 11000, TEST_TEXTS = 7000 };

static const double shares[SHARES] = { 0.0, 0.005,
                                       0.0005 }; /* fraction of positives; 0: unchanged */
static const char *const share_names[SHARES] = { "5 %", ".5 %", ".05 %" };
#define FIGURE_SHARE 0.01
static const double figure_alphas[ALPHAS] = { 0, .05, .1, .25, .5, .75, .9, .95, 1 };

typedef struct texts {
    gr_run *run;
    gradus_dataset *train, *test;
    const char *name;
    size_t groups, steps, seeds;
    size_t first;     /* the first seed of means */
    const char *rule; /* options of the step rule; "": the paper's */
    bool figure;
} texts;

static gradus_dataset *read_texts(const gr_run *run, const char *part, gradus_error *err)
{
    char path[512];

    gr_text_copy(path, sizeof path, run->data, "/20news/20news.");
    gr_text_append(path, sizeof path, part);
    gr_text_append(path, sizeof path, ".gz");
    return gradus_dataset_read(run->context, path, NULL, err);
}

static bool are_there(const gr_run *run)
{
    char path[512];
    FILE *file;

    gr_text_copy(path, sizeof path, run->data, "/20news/20news.train.gz");
    file = *run->data ? fopen(path, "r") : NULL;
    if (file)
        fclose(file);
    return file;
}

static gradus_status open_texts(texts *t, gradus_error *err)
{
    const bool real = are_there(t->run);

    t->name = real ? "20 newsgroups" : "made-up texts";
    t->train = real ? read_texts(t->run, "train", err)
                    : gr_crr_make_texts(t->run, "texts to train",
                                        gr_scaled(t->run, TRAIN_TEXTS, 30 * GROUPS), err);
    if (!t->train)
        return err->status;
    t->test = real ? read_texts(t->run, "test", err)
                   : gr_crr_make_texts(t->run, "texts to test",
                                       gr_scaled(t->run, TEST_TEXTS, 15 * GROUPS), err);
    if (!t->test)
        return err->status;
    gr_results_note(t->run->results,
                    real ? "20 newsgroups substitutes for RCV1, which is unavailable: 20 tasks "
                           "per fraction of positives, sampled at random; positives of the test "
                           "part are weighted to be equally rare."
                         : "DIR/20news is missing: generated texts of 20 topics substitute for "
                           "20 newsgroups, which substitutes for RCV1.");
    return GRADUS_OK;
}

static void end_texts(texts *t)
{
    gradus_dataset_free(t->train);
    gradus_dataset_free(t->test);
}

/* One topic against the rest: its rows in random order, positives first. */
typedef struct topic {
    float label;
    size_t *rows, positives, negatives;
    gradus_dataset *most, *rest, *all, *test;
} topic;

static void end_topic(topic *t)
{
    gradus_dataset_free(t->most);
    gradus_dataset_free(t->rest);
    gradus_dataset_free(t->all);
    gradus_dataset_free(t->test);
    free(t->rows);
}

static gradus_status draw_rows(const texts *t, double share, size_t seed, topic *one,
                               gradus_error *err)
{
    const gradus_arrays train = gr_arrays_of(t->train);
    gr_rng rng = gr_rng_for(t->run->seed + seed, "topic",
                            (uint64_t)one->label * 10000 + (uint64_t)(share * 1e5));
    size_t keep;

    one->rows = gr_new_array(train.rows, sizeof *one->rows);
    if (!one->rows)
        return gr_fail_memory(err, "rows");
    for (size_t r = 0; r < train.rows; r++)
        if (train.labels[r] == one->label)
            one->rows[one->positives++] = r;
    for (size_t r = 0; r < train.rows; r++)
        if (train.labels[r] != one->label)
            one->rows[one->positives + one->negatives++] = r;
    gr_shuffle(&rng, one->rows, one->positives);
    gr_shuffle(&rng, one->rows + one->positives, one->negatives);
    keep = share > 0.0 ? (size_t)(share / (1.0 - share) * (double)one->negatives + 0.5)
                       : one->positives;
    keep = keep < PARTS_OF_REST ? PARTS_OF_REST : keep;
    if (keep < one->positives) {
        memmove(one->rows + keep, one->rows + one->positives, one->negatives * sizeof *one->rows);
        one->positives = keep;
    }
    return GRADUS_OK;
}

/* Every third positive and every third negative row is held out for selecting lambda. */
static gradus_status cut_topic(const texts *t, topic *one, gradus_error *err)
{
    const size_t count = one->positives + one->negatives;
    size_t *parts = gr_new_array(count, sizeof *parts), first = 0, last = count;
    const size_t test_rows = gradus_dataset_rows(t->test);
    size_t *tests = gr_new_array(test_rows, sizeof *tests);

    if (!parts || !tests) {
        free(parts);
        free(tests);
        return gr_fail_memory(err, "rows");
    }
    for (size_t i = 0; i < count; i++) {
        const size_t place = i < one->positives ? i : i - one->positives;

        if (place % PARTS_OF_REST)
            parts[first++] = one->rows[i];
        else
            parts[--last] = one->rows[i];
    }
    for (size_t r = 0; r < test_rows; r++)
        tests[r] = r;
    one->most = gr_crr_rows(t->train, parts, first, one->label, err);
    one->rest =
        one->most ? gr_crr_rows(t->train, parts + first, count - first, one->label, err) : NULL;
    one->all = one->rest ? gr_crr_rows(t->train, one->rows, count, one->label, err) : NULL;
    one->test = one->all ? gr_crr_rows(t->test, tests, test_rows, one->label, err) : NULL;
    free(parts);
    free(tests);
    return one->test ? GRADUS_OK : err->status;
}

/* Positives of the test part are weighted to be as rare as in training. */
static double weight_of(const topic *one)
{
    const gradus_arrays test = gr_arrays_of(one->test);
    double positives = 0.0;

    for (size_t r = 0; r < test.rows; r++)
        positives += (double)test.labels[r];
    return positives > 0.0 ? (double)one->positives / (double)one->negatives *
                                 ((double)test.rows - positives) / positives
                           : 1.0;
}

/* The topic of a task. The stride of 7 gives consecutive tasks topics of different subjects. */
static size_t group_of(size_t task)
{
    return 7 * task % GROUPS + 1;
}

static double share_of(const texts *t, size_t task)
{
    return t->figure ? FIGURE_SHARE : shares[task / t->groups];
}

/* Tasks of the table: topics x fractions of positives; of the figure: topics. */
static size_t task_count(const texts *t)
{
    return t->groups * (t->figure ? 1 : SHARES);
}

enum { KEY = 240 };

static void key_of(const texts *t, size_t task, size_t seed, char key[KEY])
{
    snprintf(key, KEY, "%s, %zu rows | topic %zu | share %g | %s | %zu steps | seed %zu%s%s",
             t->name, gradus_dataset_rows(t->train), group_of(task % t->groups), share_of(t, task),
             t->figure ? "alphas" : "methods", t->steps, seed, *t->rule ? " | " : "", t->rule);
}

static gradus_status try_topic(const texts *t, const topic *one, size_t seed,
                               gradus_context *context, gr_json_writer *value, gradus_error *err)
{
    const size_t count = t->figure ? ALPHAS : GR_CRR_METHODS;
    const gr_crr_task task = { .most = one->most,
                               .rest = one->rest,
                               .all = one->all,
                               .test = one->test,
                               .weight = weight_of(one),
                               .steps = t->steps,
                               .seed = t->run->seed + seed,
                               .rule = t->rule,
                               .table = "crr_table1" };

    for (size_t a = 0; a < count; a++) {
        const double alpha = t->figure ? figure_alphas[a] : gr_crr_alphas[a];
        char name[16];

        snprintf(name, sizeof name, "%g", alpha);
        GR_TRY(gr_crr_try(context, &task, alpha, name, value, err));
        GR_TRY(gr_send_progress(context, "training", (double)(a + 1) / (double)count, err));
    }
    return GRADUS_OK;
}

static gradus_status run_task(void *argument, size_t index, gradus_context *context,
                              gradus_error *err)
{
    const texts *t = argument;
    const size_t task = index % task_count(t), seed = index / task_count(t);
    topic one = { .label = (float)group_of(task % t->groups) };
    gr_json_writer value = { 0 };
    char key[KEY];

    key_of(t, task, seed, key);
    if (gr_journal_find(t->run->journal, key))
        return GRADUS_OK;
    gradus_status status = draw_rows(t, share_of(t, task), seed, &one, err);

    if (status == GRADUS_OK)
        status = cut_topic(t, &one, err);
    gr_json_open(&value, NULL, '{');
    if (status == GRADUS_OK)
        status = try_topic(t, &one, seed, context, &value, err);
    gr_json_close(&value, '}');
    if (status == GRADUS_OK)
        status = gr_journal_add(t->run->journal, key, &value, err);
    gr_json_writer_free(&value);
    end_topic(&one);
    return status;
}

/* Gets the results of an alpha on a task, averaged over seeds; false if the journal lacks some. */
static bool figures(const texts *t, size_t task, double alpha, int way, gr_crr_values *values)
{
    const double each = 1.0 / (double)t->seeds;
    char key[KEY], name[16];

    *values = (gr_crr_values){ .mse = 0.0 };
    snprintf(name, sizeof name, "%g", alpha);
    for (size_t seed = t->first; seed < t->first + t->seeds; seed++) {
        gr_crr_values one;

        key_of(t, task, seed, key);
        if (gr_crr_pick(gr_json_find(gr_journal_find(t->run->journal, key), name), way, &one) ==
            SIZE_MAX)
            return false;
        values->auc_loss += each * one.auc_loss;
        values->mse += each * one.mse;
        values->accuracy += each * one.accuracy;
    }
    return true;
}

enum { AUC_LOSS, MSE, ACCURACY, MEASURES };
enum { MAX_TASKS = GROUPS * SHARES };

/* Results of all tasks of the table: method, measure, task. */
typedef struct found {
    double at[GR_CRR_METHODS][MEASURES][MAX_TASKS];
    size_t count;
} found;

static gradus_status collect(const texts *t, int way, found *all, gradus_error *err)
{
    all->count = SHARES * t->groups;
    for (size_t task = 0; task < all->count; task++)
        for (size_t m = 0; m < GR_CRR_METHODS; m++) {
            const int ways[GR_CRR_METHODS] = { way, GR_CRR_BY_AUC, way };
            gr_crr_values values;

            if (!figures(t, task, gr_crr_alphas[m], ways[m], &values))
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
static gradus_status put_share(const texts *t, gr_table *table, found *all, size_t share,
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

            snprintf(row, sizeof row, "%s positives, %s", share_names[share], gr_crr_names[m]);
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
static void judge_closeness(const texts *t, const found *all, const char *how)
{
    size_t both = 0, one = 0;
    double worst = 0.0;
    char claim[128];

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
static gradus_status judge_rare(const texts *t, found *all, size_t first, const char *about,
                                const char *how, gradus_error *err)
{
    gradus_contrast mse, auc;
    char claim[128];

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

static void judge_methods(const texts *t, const found *all)
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

static gradus_status show_table(const texts *t, int way, gradus_error *err)
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
    for (size_t share = 0; status == GRADUS_OK && share < SHARES; share++)
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

static gradus_status average(const texts *t, curves *c, gradus_error *err)
{
    *c = (curves){ 0 };
    for (int way = 0; way < GR_CRR_WAYS; way++)
        for (size_t a = 0; a < ALPHAS; a++)
            for (size_t task = 0; task < t->groups; task++) {
                gr_crr_values values;

                if (!figures(t, task, figure_alphas[a], a ? way : GR_CRR_BY_AUC, &values))
                    return gr_fail(err, GRADUS_BAD_FORMAT, "a task in the journal is incomplete");
                c->at[way][AUC_LOSS][a] += values.auc_loss / (double)t->groups;
                c->at[way][MSE][a] += values.mse / (double)t->groups;
            }
    return GRADUS_OK;
}

static void draw_curves(const texts *t, const curves *c)
{
    gr_figure *losses =
        gr_results_figure(t->run->results, "AUC loss by alpha, 1 % positives", "alpha", "AUC loss");
    gr_figure *errors = gr_results_figure(
        t->run->results, "MSE by alpha, 1 % positives (far higher at alpha 0)", "alpha", "MSE");
    gr_table *table = gr_results_table(t->run->results, "means over topics, 1 % positives",
                                       GR_WANT_LOWER, NULL, 5);

    for (int way = 0; way < GR_CRR_WAYS; way++) {
        gr_figure_add(losses, gr_crr_ways[way], false, figure_alphas, c->at[way][AUC_LOSS], ALPHAS);
        gr_figure_add(errors, gr_crr_ways[way], false, figure_alphas + 1, c->at[way][MSE] + 1,
                      ALPHAS - 1);
    }
    for (size_t a = 0; a < ALPHAS; a++)
        for (int way = 0; way < GR_CRR_WAYS; way++) {
            char row[32], column[48];

            snprintf(row, sizeof row, "alpha %g", figure_alphas[a]);
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

/* The counts of each seed alone: how far the claims depend on it. */
static gradus_status count_by_seed(const texts *t, char *falls, char *lower, size_t size,
                                   gradus_error *err)
{
    *falls = *lower = '\0';
    for (size_t seed = 0; seed < t->seeds; seed++) {
        texts one = *t;
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

static gradus_status show_figure(const texts *t, gradus_error *err)
{
    enum { SEEDS_TEXT = 80 };
    char falls_by_seed[SEEDS_TEXT], lower_by_seed[SEEDS_TEXT];
    curves c;
    size_t lower;

    GR_TRY(average(t, &c, err));
    GR_TRY(count_by_seed(t, falls_by_seed, lower_by_seed, SEEDS_TEXT, err));
    draw_curves(t, &c);
    const size_t falls = count_lower(&c, &lower);

    gr_results_claim(t->run->results, falls == ALPHAS - 2,
                     "every alpha between 0 and 1 has a lower AUC loss than regression (lambda "
                     "selected by it)",
                     "%zu of %d; by the seeds alone: %s", falls, ALPHAS - 2, falls_by_seed);
    gr_results_claim(t->run->results, 2 * lower > ALPHAS - 2,
                     "most alphas between 0 and 1 have a lower MSE than ranking and regression "
                     "(lambda selected by it)",
                     "%zu of %d; by the seeds alone: %s", lower, ALPHAS - 2, lower_by_seed);
    return GRADUS_OK;
}

/* The number of steps of some passes over the training rows. */
static size_t steps_of(const texts *t, double passes)
{
    const double steps = passes * (double)gradus_dataset_rows(t->train);

    return gr_scaled(t->run, (size_t)(steps + 0.5), 100);
}

static gradus_status run_jobs(texts *t, gradus_error *err)
{
    return gr_jobs_run(t->run->context, "topics", task_count(t) * t->seeds, run_task, t, err);
}

/* Adds a row per method: AUC loss with lambda selected by it, MSE likewise. */
static gradus_status put_passes(const texts *t, gr_table *table, const char *name,
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

/* The table's tasks by the number of passes, and with the other step rules. */
static gradus_status run_passes(texts *t, gradus_error *err)
{
    char title[200], name[96];

    snprintf(title, sizeof title,
             "means over %zu topics and %d fractions of positives, by passes over the rows; lambda "
             "by AUC loss for AUC loss, by MSE for MSE; p: Wilcoxon's test against CRR",
             t->groups, SHARES);
    gr_table *table = gr_results_table(t->run->results, title, GR_WANT_LOWER, NULL, 5);

    t->seeds = 1;
    for (size_t i = 0; gr_paper_number("crr_table1", "compared passes", i) > 0.0; i++) {
        const double passes = gr_paper_number("crr_table1", "compared passes", i);

        t->steps = steps_of(t, passes);
        GR_TRY(run_jobs(t, err));
        snprintf(name, sizeof name, "%g passes", passes);
        GR_TRY(put_passes(t, table, name, err));
    }
    t->steps = steps_of(t, gr_paper_number("crr_table1", "passes", 0));
    for (size_t i = 0; (t->rule = gr_paper_setting_at("crr_table1", "rule", i)); i++) {
        GR_TRY(run_jobs(t, err));
        snprintf(name, sizeof name, "%g passes, %s", gr_paper_number("crr_table1", "passes", 0),
                 t->rule);
        GR_TRY(put_passes(t, table, name, err));
    }
    t->rule = "";
    return GRADUS_OK;
}

enum { TABLE1, FIGURE1, PASSES };

static gradus_status run_text(gr_run *run, gradus_error *err)
{
    const int variant = run->experiment->variant;
    texts t = { .run = run, .figure = variant == FIGURE1, .rule = "" };
    gradus_status status = open_texts(&t, err);

    t.groups = gr_scaled(run, t.figure ? GROUPS / 2 : GROUPS, 2);
    if (status == GRADUS_OK && variant == PASSES) {
        t.groups = gr_run_seeds(run, t.groups); /* topics are the samples of this experiment */
        status = run_passes(&t, err);
    } else if (status == GRADUS_OK) {
        t.seeds = gr_run_seeds(run, gr_paper_count("crr_table1", "seeds", 0));
        t.steps = steps_of(&t, gr_paper_number("crr_table1", "passes", 0));
        gr_results_note(run->results,
                        "%g steps per row, as in the paper: %zu steps; means over %zu seeds, which "
                        "differ in the rows sampled and in the steps.",
                        gr_paper_number("crr_table1", "passes", 0), t.steps, t.seeds);
        status = run_jobs(&t, err);
    }
    if (status == GRADUS_OK && variant == FIGURE1)
        status = show_figure(&t, err);
    for (int way = 0; status == GRADUS_OK && variant == TABLE1 && way < GR_CRR_WAYS; way++)
        status = show_table(&t, way, err);
    end_texts(&t);
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
    .takes = "20 min",
    .uses = "20news",
    .variant = PASSES,
    .run = run_text,
};
