/* SPDX-License-Identifier: Apache-2.0 */
/* Why COCR does not gain on substitutes: its ERR against direct regression by the number of training
 * queries, up to LTRC1's 20,000, and by label noise, on synthetic web data; and weights against
 * cost-proportionate sampling (section 3.1: rejection sampling of Zadrozny and others, 2003). */
#include "base/rng.h"
#include "experiments/experiment.h"
#include "experiments/jobs.h"
#include "experiments/published.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define TABLE "cocr_size"

enum { DIRECT, OERR, METHODS };
enum { LINEAR, BOOSTED, REGRESSORS };
static const char *const methods[METHODS] = { "direct", "oerr" };
static const char *const regressors[REGRESSORS] = { "linear regression", "boosted trees" };

static gradus_status open_web(const gr_run *run, double queries, double noise, gr_folds *folds,
                              gradus_error *err)
{
    const size_t counts[3] = { gr_scaled(run, (size_t)queries, 20),
                               gr_scaled(run, gr_paper_count(TABLE, "other queries", 0), 20),
                               gr_scaled(run, gr_paper_count(TABLE, "other queries", 1), 40) };
    char words[80];

    snprintf(words, sizeof words, "noise=%g documents=%zu", noise,
             gr_paper_count(TABLE, "documents", 0));
    GR_TRY(gr_folds_synth(run, "synth web", words, counts, folds, err));
    /* names are keys of the journal */
    snprintf(folds->names[0], sizeof folds->names[0], "synth web %s, %zu rows", words,
             gradus_dataset_rows(folds->folds[0].train));
    return GRADUS_OK;
}

/* Puts direct regression and oerr with one regressor; *gain: the difference. */
static gradus_status put_pair(const gr_run *run, gr_table *table, const gr_folds *folds,
                              size_t regressor, const char *row, double *gain, gradus_error *err)
{
    char words[METHODS][160];
    const char *settings[METHODS][2];
    gr_cv_candidate candidates[METHODS];
    gr_leaderboard_entry *board = NULL;
    gradus_contrast contrast;

    for (size_t m = 0; m < METHODS; m++) {
        snprintf(words[m], sizeof words[m], "%s %s", gr_paper_words(TABLE, methods[m]),
                 gr_paper_words(TABLE, regressors[regressor]));
        settings[m][0] = words[m];
        settings[m][1] = NULL;
        candidates[m] = (gr_cv_candidate){ methods[m], settings[m] };
    }
    const gr_crossval cv = { .candidates = candidates,
                             .count = METHODS,
                             .folds = folds->folds,
                             .fold_count = folds->count,
                             .choose = "err",
                             .measures = "err",
                             .convention = "gradus" };
    gradus_status status = gr_crossval_run(run->context, &cv, run->journal, &board, err);

    if (status == GRADUS_OK)
        status = gr_leaderboard_compare(run->context, &board[DIRECT], &board[OERR], 0, "t", false,
                                        &contrast, err);
    for (size_t m = 0; status == GRADUS_OK && m < METHODS; m++)
        gr_table_put(table, row, methods[m],
                     (gr_found){ .ours = board[m].mean[0],
                                 .error = board[m].error[0],
                                 .p = m == OERR ? fmax(contrast.p, 1e-300) : 0.0 });
    if (status == GRADUS_OK)
        *gain = contrast.difference;
    gr_leaderboard_free(board, METHODS);
    return status;
}

/* One table: by the number of queries, or by noise. */
static gradus_status run_part(gr_run *run, bool noise, gradus_error *err)
{
    const char *list = noise ? "noise" : "queries";
    gr_table *table = gr_results_table(run->results,
                                       noise ? "ERR by label noise, 1,000 training queries; p: "
                                               "two-tailed t-test against direct"
                                             : "ERR by training queries, default noise; p: "
                                               "two-tailed t-test against direct",
                                       GR_WANT_HIGHER, TABLE, 4);

    for (size_t regressor = 0; regressor < REGRESSORS; regressor++) {
        double first = 0.0, last = 0.0;

        for (size_t i = 0; gr_paper_number(TABLE, list, i) > 0.0; i++) {
            const double value = gr_paper_number(TABLE, list, i);
            gr_folds folds;
            char row[96];

            snprintf(row, sizeof row, "%s, %s %g", regressors[regressor], list, value);
            gradus_status status =
                open_web(run, noise ? gr_paper_number(TABLE, "queries", 0) : value,
                         noise ? value : 1.0, &folds, err);

            if (status == GRADUS_OK)
                status = put_pair(run, table, &folds, regressor, row, &last, err);
            first = i ? first : last;
            gr_folds_free(&folds);
            GR_TRY(status);
        }
        if (!noise)
            gr_results_claim(
                run->results, last > first && last > 0.0,
                regressor == LINEAR
                    ? "COCR with oerr gains on direct regression with the number of "
                      "queries, linear regression"
                    : "COCR with oerr gains on direct regression with the number of "
                      "queries, boosted trees",
                "oerr minus direct: %+.4f with the fewest queries, %+.4f with the most", first,
                last);
    }
    return GRADUS_OK;
}

static gradus_status run_size(gr_run *run, gradus_error *err)
{
    GR_TRY(run_part(run, false, err));
    GR_TRY(run_part(run, true, err));
    gr_results_note(run->results,
                    "Synthetic web data of about 24 documents per query, as in LTRC1; tests the "
                    "explanation of cocr-table1 that COCR needs more rows than the substitutes "
                    "have.");
    return GRADUS_OK;
}

/* ---- weights against sampling ---- */

typedef struct sampling {
    const gr_run *run;
    const gr_folds *folds;
    double *scores; /* sum over the outputs */
} sampling;

/* The weight of a row of grade y in output k with the oerr cost: |c[k] - c[k - 1]|. */
static double weight_of(double y, double k)
{
    const double at = (exp2(y) - exp2(k)) * (exp2(y) - exp2(k));
    const double below = (exp2(y) - exp2(k - 1.0)) * (exp2(y) - exp2(k - 1.0));

    return fabs(at - below);
}

/* The rows kept with a probability in proportion to their weight, with labels [y >= k]. */
static gradus_dataset *sample_rows(const gradus_dataset *from, double k, double top, uint64_t seed,
                                   gradus_error *err)
{
    gradus_arrays arrays = gr_arrays_of(from);
    gr_rng rng = gr_rng_for(seed, "cost-proportionate sampling", (uint64_t)k);
    float *values = gr_new_array(arrays.rows * arrays.features, sizeof *values);
    float *labels = gr_new_array(arrays.rows, sizeof *labels);
    double most = 0.0;
    size_t count = 0;
    gradus_dataset *made = NULL;

    for (double y = 0.0; y <= top; y += 1.0)
        most = fmax(most, weight_of(y, k));
    for (size_t r = 0; values && labels && r < arrays.rows; r++) {
        const double y = (double)arrays.labels[r];

        if (gr_rng_uniform(&rng) * most >= weight_of(y, k))
            continue;
        for (size_t f = 0; f < arrays.features; f++)
            values[count * arrays.features + f] = arrays.values[r * arrays.stride + f];
        labels[count++] = y >= k ? 1.0f : 0.0f;
    }
    if (values && labels && count > 0 && arrays.values) {
        const gradus_arrays kept = { .rows = count,
                                     .features = arrays.features,
                                     .stride = arrays.features,
                                     .values = values,
                                     .labels = labels };

        made = gr_copy_arrays(&kept, err);
    } else {
        gr_fail(err, GRADUS_BAD_FORMAT, "no rows to sample from");
    }
    free(values);
    free(labels);
    return made;
}

static gradus_status add_output(const sampling *s, double k, double top, uint64_t seed,
                                gradus_error *err)
{
    const gradus_dataset *test = s->folds->folds[0].test;
    const size_t rows = gradus_dataset_rows(test);
    gradus_dataset *sample = sample_rows(s->folds->folds[0].train, k, top, seed, err);
    gradus_options *options =
        sample ? gr_words_options("train",
                                  "method=regression target=grade learner=linear "
                                  "elimination=m5 max-coefficient=1.5 train-eval-every=0",
                                  err)
               : NULL;
    gradus_model *model =
        options ? gradus_train(NULL, sample, NULL, options, err) : NULL; /* without its notes */
    double *scores = model ? gr_new_array(rows, sizeof *scores) : NULL;
    gradus_status status = scores  ? gradus_model_score(s->run->context, model, test, scores, err)
                           : model ? gr_fail_memory(err, "scores")
                                   : err->status;

    for (size_t r = 0; scores && status == GRADUS_OK && r < rows; r++)
        s->scores[r] += scores[r];
    free(scores);
    gradus_model_free(model);
    gradus_options_free(options);
    gradus_dataset_free(sample);
    return status;
}

static gradus_status put_samples(const sampling *s, gr_table *table, gradus_error *err)
{
    const size_t count = gr_run_seeds(s->run, gr_paper_count(TABLE, "samples", 0));
    const size_t rows = gradus_dataset_rows(s->folds->folds[0].test);
    double sum = 0.0, squares = 0.0;

    for (size_t i = 0; i < count; i++) {
        double value;

        for (size_t r = 0; r < rows; r++)
            s->scores[r] = 0.0;
        for (double k = 1.0; k <= 4.0; k += 1.0)
            GR_TRY(add_output(s, k, 4.0, s->run->seed + i, err));
        GR_TRY(gradus_evaluate_metric(s->folds->folds[0].test, s->scores, "err", &value, err));
        sum += value;
        squares += value * value;
    }
    const double n = (double)count, mean = sum / n;

    gr_table_put(table, "oerr by sampling", "ERR",
                 (gr_found){ .ours = mean,
                             .error = count > 1
                                          ? sqrt(fmax(squares - n * mean * mean, 0.0) / (n - 1.0))
                                          : 0.0 });
    return GRADUS_OK;
}

static gradus_status run_sampling(gr_run *run, gradus_error *err)
{
    gr_table *weighted = gr_results_table(run->results,
                                          "ERR with weights, linear regression; p: two-tailed "
                                          "t-test against direct",
                                          GR_WANT_HIGHER, NULL, 4);
    gr_table *sampled = gr_results_table(run->results,
                                         "ERR with cost-proportionate sampling; ±: standard "
                                         "deviation over samples",
                                         GR_WANT_HIGHER, NULL, 4);
    gr_folds folds;
    sampling s = { .run = run, .folds = &folds };
    double gain;
    gradus_status status = open_web(run, gr_paper_number(TABLE, "queries", 0), 1.0, &folds, err);

    if (status == GRADUS_OK)
        status = put_pair(run, weighted, &folds, LINEAR, "linear regression", &gain, err);
    if (status == GRADUS_OK) {
        s.scores = gr_new_array(gradus_dataset_rows(folds.folds[0].test), sizeof *s.scores);
        status = s.scores ? put_samples(&s, sampled, err) : gr_fail_memory(err, "scores");
    }
    free(s.scores);
    gr_folds_free(&folds);
    return status;
}

const gr_experiment gr_experiment_cocr_size = {
    .about = { "cocr-size", "COCR by the number of training queries and by label noise",
               "COCR with the oerr cost against direct regression on synthetic web data: linear "
               "regression and boosted trees, 1,000 to 20,000 training queries, and four levels "
               "of label noise." },
    .family = "cocr-size",
    .needs = "",
    .takes = "3 min",
    .run = run_size,
};

const gr_experiment gr_experiment_cocr_sampling = {
    .about = { "cocr-sampling", "COCR's costs by weights and by sampling",
               "Linear regression with the oerr cost: rows weighted, or kept with a probability in "
               "proportion to their weight (section 3.1)." },
    .family = "cocr-size",
    .needs = "",
    .takes = "1 min",
    .run = run_sampling,
};
