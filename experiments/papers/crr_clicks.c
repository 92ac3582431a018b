/* SPDX-License-Identifier: Apache-2.0 */
/* Analogue of CRR's Table 3: clicks on advertisements, split by time. */
#include "experiments/jobs.h"
#include "experiments/papers/paper_crr.h"
#include "experiments/published.h"

#include <math.h>
#include <stdio.h>

enum { RATES = 2, SCOPES = 2 };

/* The paper's MSE is about .1. */
static const char *rate_of(size_t index)
{
    return gr_paper_setting_at("crr_table3", "rate", index);
}

static const char *const scopes[SCOPES] = { "pairs of all rows", "pairs of a page" };

/* The paper's value. */
static double published(size_t method, const char *column)
{
    return gr_published("crr_table3", gr_crr_names[method], column);
}

typedef struct clicks {
    gr_run *run;
    gr_folds folds[RATES];
    gradus_dataset *flat[RATES][3]; /* train, valid, test as one query each */
    uint64_t starts[RATES][3][2];
    size_t steps;
} clicks;

typedef struct trial {
    size_t rate, scope, method;
} trial;

static trial trial_number(size_t index)
{
    return (trial){ index / GR_CRR_METHODS / SCOPES, index / GR_CRR_METHODS % SCOPES,
                    index % GR_CRR_METHODS };
}

static void key_of(const clicks *c, trial t, char key[200])
{
    snprintf(key, 200, "clicks | rate %s | %s | %s | %s | %zu steps", rate_of(t.rate),
             c->folds[t.rate].folds[0].name, scopes[t.scope], gr_crr_names[t.method], c->steps);
}

static gradus_status run_trial(void *argument, size_t index, gradus_context *context,
                               gradus_error *err)
{
    const clicks *c = argument;
    const trial t = trial_number(index);
    const gr_fold *fold = &c->folds[t.rate].folds[0];
    gradus_dataset *const *flat = c->flat[t.rate];
    const gradus_dataset *train = t.scope ? fold->train : flat[0];
    const gr_crr_task task = { .most = train,
                               .all = train,
                               .rest = flat[1],
                               .test = flat[2],
                               .weight = 1.0,
                               .steps = c->steps,
                               .table = "crr_table3" };
    gr_json_writer value = { 0 };
    char key[200];

    key_of(c, t, key);
    if (gr_journal_find(c->run->journal, key))
        return GRADUS_OK;
    gr_json_open(&value, NULL, '{');
    gradus_status status =
        gr_crr_try(context, &task, gr_crr_alphas[t.method], "clicks", &value, err);

    gr_json_close(&value, '}');
    if (status == GRADUS_OK)
        status = gr_journal_add(c->run->journal, key, &value, err);
    gr_json_writer_free(&value);
    return status;
}

/* Lambda is selected by AUC for ranking, by MSE for regression, by both for CRR. */
static gradus_status take(const clicks *c, trial t, gr_crr_values *values, gradus_error *err)
{
    static const int ways[GR_CRR_METHODS] = { GR_CRR_BY_MSE, GR_CRR_BY_AUC, GR_CRR_BY_BOTH };
    char key[200];

    key_of(c, t, key);
    if (gr_crr_pick(gr_json_find(gr_journal_find(c->run->journal, key), "clicks"), ways[t.method],
                    values) == SIZE_MAX)
        return gr_fail(err, GRADUS_BAD_FORMAT, "a trial in the journal is incomplete");
    return GRADUS_OK;
}

static void judge(const clicks *c, size_t rate, const gr_crr_values *of)
{
    const gr_crr_values *both = &of[GR_CRR_BOTH];
    char claim[128];

    snprintf(claim, sizeof claim, "rate %s: CRR has a lower AUC loss than regression",
             rate_of(rate));
    gr_results_claim(c->run->results, both->auc_loss < of[GR_CRR_REGRESSION].auc_loss, claim,
                     "%.4f and %.4f", both->auc_loss, of[GR_CRR_REGRESSION].auc_loss);
    snprintf(claim, sizeof claim, "rate %s: CRR matches ranking's AUC loss within .002",
             rate_of(rate));
    gr_results_claim(c->run->results, both->auc_loss < of[GR_CRR_RANKING].auc_loss + 0.002, claim,
                     "%.4f and %.4f", both->auc_loss, of[GR_CRR_RANKING].auc_loss);
    snprintf(claim, sizeof claim, "rate %s: CRR matches regression's MSE, below ranking's",
             rate_of(rate));
    gr_results_claim(c->run->results,
                     both->mse < of[GR_CRR_RANKING].mse &&
                         both->mse < of[GR_CRR_REGRESSION].mse + 0.0005,
                     claim, "%.5f, ranking %.5f, regression %.5f", both->mse,
                     of[GR_CRR_RANKING].mse, of[GR_CRR_REGRESSION].mse);
    snprintf(claim, sizeof claim, "rate %s: ranking's MSE is close to regression's", rate_of(rate));
    gr_results_claim(c->run->results, of[GR_CRR_RANKING].mse < 1.2 * of[GR_CRR_REGRESSION].mse,
                     claim, "%.2f times it (the paper: 1.12)",
                     of[GR_CRR_RANKING].mse / of[GR_CRR_REGRESSION].mse);
}

static gradus_status show(const clicks *c, gradus_error *err)
{
    for (size_t rate = 0; rate < RATES; rate++) {
        char title[96];

        snprintf(title, sizeof title, "clicks at a rate of %s, later pages", rate_of(rate));
        gr_table *table = gr_results_table(c->run->results, title, GR_WANT_LOWER, "crr_table3", 4);

        for (size_t scope = 0; scope < SCOPES; scope++) {
            gr_crr_values of[GR_CRR_METHODS];

            for (size_t m = 0; m < GR_CRR_METHODS; m++) {
                char row[64];

                GR_TRY(take(c, (trial){ rate, scope, m }, &of[m], err));
                snprintf(row, sizeof row, "%s, %s", gr_crr_names[m], scopes[scope]);
                gr_table_put(table, row, "AUC loss", (gr_found){ .ours = of[m].auc_loss });
                gr_table_put(table, row, "MSE", (gr_found){ .ours = of[m].mse });
                gr_table_put(table, row, "best accuracy", (gr_found){ .ours = of[m].accuracy });
            }
            if (scope == 0)
                judge(c, rate, of);
        }
    }
    return GRADUS_OK;
}

static gradus_status run_table3(gr_run *run, gradus_error *err)
{
    clicks c = { .run = run,
                 .steps = gr_scaled(run, gr_paper_count("crr_table3", "steps", 0), 1000) };
    const size_t queries[3] = { gr_scaled(run, gr_paper_count("crr_table3", "queries", 0), 200),
                                gr_scaled(run, gr_paper_count("crr_table3", "queries", 1), 100),
                                gr_scaled(run, gr_paper_count("crr_table3", "queries", 2), 200) };
    gradus_status status = GRADUS_OK;
    char words[64];

    for (size_t rate = 0; status == GRADUS_OK && rate < RATES; rate++) {
        snprintf(words, sizeof words, "rate=%s", rate_of(rate));
        status = gr_folds_synth(run, "synth clicks", words, queries, &c.folds[rate], err);
        if (status != GRADUS_OK)
            break;
        const gr_fold *fold = &c.folds[rate].folds[0];
        const gradus_dataset *const parts[] = { fold->train, fold->valid, fold->test };

        for (size_t p = 0; status == GRADUS_OK && p < 3; p++)
            if (!(c.flat[rate][p] = gr_crr_flatten(parts[p], c.starts[rate][p], err)))
                status = err->status;
    }
    if (status == GRADUS_OK)
        status = gr_jobs_run(run->context, "trials", (size_t)RATES * SCOPES * GR_CRR_METHODS,
                             run_trial, &c, err);
    if (status == GRADUS_OK)
        status = show(&c, err);
    gr_results_note(run->results,
                    "Clicks from gradus synth clicks substitute for those of a search engine, "
                    "for which the paper reports AUC loss and MSE of %.3f and %.3f (regression), "
                    "%.3f and %.3f (ranking), %.3f and %.3f (CRR).",
                    published(0, "AUC loss"), published(0, "MSE"), published(1, "AUC loss"),
                    published(1, "MSE"), published(2, "AUC loss"), published(2, "MSE"));
    for (size_t rate = 0; rate < RATES; rate++) {
        for (size_t p = 0; p < 3; p++)
            gradus_dataset_free(c.flat[rate][p]);
        gr_folds_free(&c.folds[rate]);
    }
    return status;
}

const gr_experiment gr_experiment_crr_table3 = {
    .about = { "crr-table3", "AUC loss and MSE of regression, ranking and CRR on clicks",
               "Linear models by 2,000,000 steps of logistic loss on clicks of earlier pages; "
               "lambda is selected on later pages, and results are measured on still later "
               "ones." },
    .family = "crr",
    .needs = "",
    .takes = "2 min",
    .run = run_table3,
};
