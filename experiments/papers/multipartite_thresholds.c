/* SPDX-License-Identifier: Apache-2.0 */
/* Table 2's thresholds of ORBOOST by the number of rounds, and by the rule that selects it: the
 * paper says only that validation data determine it. MovieLens with five grades. */
#include "experiments/papers/movielens.h"
#include "experiments/papers/multipartite.h"
#include "experiments/published.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define TABLE "multipartite_thresholds"

enum { BALANCED, UNBALANCED, DESIGNS };
enum { CUTS = GR_RATINGS - 1, SHOWN = CUTS - 1, PARTS = 2, METRICS = 2, MAX_ROUNDS = 9 };
enum { LOSS = SHOWN, NUMBERS_OF_FIT }; /* of a fit: thresholds, then the loss of validation rows */
enum { FITS = MAX_ROUNDS + METRICS, NUMBERS = FITS * NUMBERS_OF_FIT };

static const char *const design_names[DESIGNS] = { "balanced", "unbalanced" };
static const char *const metric_names[METRICS] = { "by u-pairs", "by u-ovo" };

typedef struct study {
    gr_run *run;
    const gradus_dataset *ratings;
    size_t replicates;
} study;

static void name_replicate(const void *argument, size_t job, char *key, size_t size)
{
    const study *s = argument;

    snprintf(key, size, "thresholds | %s | replicate %zu", design_names[job / s->replicates],
             job % s->replicates + 1);
}

/* The mean ordinal exponential loss of rows with grades 1 to GR_RATINGS: ORBOOST's objective. */
static double exponential_loss(const double *scores, const float *labels, size_t rows,
                               const double thresholds[CUTS])
{
    double sum = 0.0;

    for (size_t i = 0; i < rows; i++) {
        const size_t grade = (size_t)labels[i];

        sum += grade > 1 ? exp(thresholds[grade - 2] - scores[i]) : 0.0;
        sum += grade < GR_RATINGS ? exp(scores[i] - thresholds[grade - 1]) : 0.0;
    }
    return sum / (double)rows;
}

static gradus_status measure(gradus_context *context, const gradus_model *model,
                             const gradus_dataset *valid, double numbers[NUMBERS_OF_FIT],
                             gradus_error *err)
{
    const size_t rows = gradus_dataset_rows(valid);
    double *scores = gr_new_array(rows, sizeof *scores), cuts[CUTS], last;
    const gradus_status status = scores ? gradus_model_score(context, model, valid, scores, err)
                                        : gr_fail_memory(err, "scores");

    gr_multipartite_cuts(model, cuts, &last);
    for (size_t j = 0; j < SHOWN; j++)
        numbers[j] = cuts[j];
    for (size_t j = 0; j < CUTS; j++)
        cuts[j] += last;
    if (status == GRADUS_OK)
        numbers[LOSS] = exponential_loss(scores, gr_arrays_of(valid).labels, rows, cuts);
    free(scores);
    return status;
}

static gradus_status fit(gradus_context *context, gradus_dataset *const parts[PARTS], size_t which,
                         double numbers[NUMBERS_OF_FIT], gradus_error *err)
{
    char words[320], rule[48];

    if (which < MAX_ROUNDS)
        snprintf(rule, sizeof rule, "keep=last rounds=%zu", gr_paper_count(TABLE, "rounds", which));
    snprintf(words, sizeof words, "%s %s", gr_paper_words("multipartite_table3", "ORBOOST"),
             which < MAX_ROUNDS ? rule : gr_paper_words(TABLE, metric_names[which - MAX_ROUNDS]));
    gradus_model *model = gr_multipartite_train(context, words, parts[0], parts[1], err);

    if (!model)
        return err->status;
    const gradus_status status = measure(context, model, parts[1], numbers, err);

    gradus_model_free(model);
    return status;
}

static gradus_status run_replicate(void *argument, size_t job, gradus_context *context,
                                   double *numbers, gradus_error *err)
{
    static const float grades[GR_RATINGS] = { 1, 2, 3, 4, 5 };
    const study *s = argument;
    const char *design = design_names[job / s->replicates];
    gradus_dataset *parts[PARTS];
    size_t counts[PARTS][GR_RATINGS];
    gradus_status status = GRADUS_OK;

    for (size_t p = 0; p < PARTS; p++)
        for (size_t k = 0; k < GR_RATINGS; k++)
            counts[p][k] = gr_scaled(
                s->run, gr_paper_count("multipartite_table3", design, p * GR_RATINGS + k), 10);
    GR_TRY(gr_movielens_draw(s->ratings, counts[0], PARTS, grades, s->run->seed, job, parts, err));
    for (size_t f = 0; status == GRADUS_OK && f < FITS; f++) {
        status = fit(context, parts, f, numbers + f * NUMBERS_OF_FIT, err);
        if (status == GRADUS_OK)
            status = gr_send_progress(context, "training", (double)(f + 1) / FITS, err);
    }
    for (size_t p = 0; p < PARTS; p++)
        gradus_dataset_free(parts[p]);
    return status;
}

/* The fit of a fixed number of rounds with the smallest validation loss. */
static size_t smallest_loss(const double *replicate)
{
    size_t best = 0;

    for (size_t f = 1; f < MAX_ROUNDS; f++)
        if (replicate[f * NUMBERS_OF_FIT + LOSS] < replicate[best * NUMBERS_OF_FIT + LOSS])
            best = f;
    return best;
}

static void put_means(const study *s, gr_table *table, size_t design, const char *rule,
                      const double *means)
{
    char row[64], column[24];

    snprintf(row, sizeof row, "%s, %s", design_names[design], rule);
    for (size_t j = 0; j < SHOWN; j++) {
        snprintf(column, sizeof column, "theta_%zu", j + 1);
        gr_table_put(table, row, column, (gr_found){ .ours = means[j] / (double)s->replicates });
    }
    gr_table_put(table, row, "validation loss",
                 (gr_found){ .ours = means[LOSS] / (double)s->replicates });
}

static void put_paper(gr_table *table, size_t design)
{
    char row[64], column[24];

    snprintf(row, sizeof row, "%s, paper", design_names[design]);
    for (size_t j = 0; j < SHOWN; j++) {
        snprintf(column, sizeof column, "theta_%zu", j + 1);
        gr_table_put(table, row, column,
                     (gr_found){ .ours = gr_published("multipartite_table2_thresholds",
                                                      design_names[design], column) });
    }
}

static void put_design(const study *s, gr_table *table, size_t design, const double *first)
{
    double fits[FITS][NUMBERS_OF_FIT] = { { 0.0 } }, chosen[NUMBERS_OF_FIT] = { 0.0 };
    char rule[32];

    for (size_t r = 0; r < s->replicates; r++) {
        const double *replicate = first + r * NUMBERS;
        const double *best = replicate + smallest_loss(replicate) * NUMBERS_OF_FIT;

        for (size_t i = 0; i < NUMBERS; i++)
            fits[i / NUMBERS_OF_FIT][i % NUMBERS_OF_FIT] += replicate[i];
        for (size_t i = 0; i < NUMBERS_OF_FIT; i++)
            chosen[i] += best[i];
    }
    for (size_t f = 0; f < MAX_ROUNDS; f++) {
        snprintf(rule, sizeof rule, "%zu rounds", gr_paper_count(TABLE, "rounds", f));
        put_means(s, table, design, rule, fits[f]);
    }
    put_means(s, table, design, "rounds by validation loss", chosen);
    for (size_t m = 0; m < METRICS; m++) {
        snprintf(rule, sizeof rule, "rounds %s", metric_names[m]);
        put_means(s, table, design, rule, fits[MAX_ROUNDS + m]);
    }
    put_paper(table, design);
}

/* The largest standard error of a mean threshold. */
static double largest_error(const study *s, const double *numbers)
{
    double largest = 0.0;

    for (size_t d = 0; d < DESIGNS; d++)
        for (size_t i = 0; i < NUMBERS; i++)
            if (i % NUMBERS_OF_FIT != LOSS)
                largest = fmax(largest, gr_deviation_of(numbers + d * s->replicates * NUMBERS + i,
                                                        s->replicates, NUMBERS));
    return largest / sqrt((double)s->replicates);
}

static gradus_status run_thresholds(gr_run *run, gradus_error *err)
{
    gradus_dataset *ratings = gr_multipartite_ratings(run, err);
    study s = { run, ratings, gr_run_seeds(run, gr_paper_count(TABLE, "replicates", 0)) };
    double *numbers = NULL;
    char title[96];

    if (!ratings)
        return err->status;
    const gr_number_jobs jobs = { run,          &s, DESIGNS * s.replicates, NUMBERS, name_replicate,
                                  run_replicate };
    const gradus_status status = gr_number_jobs_run(&jobs, &numbers, err);

    gradus_dataset_free(ratings);
    snprintf(title, sizeof title, "thresholds of ORBOOST, theta_4 = 0, means of %zu samples",
             s.replicates);
    if (status == GRADUS_OK) {
        gr_table *table = gr_results_table(run->results, title, GR_WANT_NEAR, NULL, 4);

        for (size_t d = 0; d < DESIGNS; d++)
            put_design(&s, table, d, numbers + d * s.replicates * NUMBERS);
        gr_results_note(run->results,
                        "Standard errors of the thresholds are at most %.4f; validation loss: "
                        "ORBOOST's objective, per row of the validation part.",
                        largest_error(&s, numbers));
    }
    free(numbers);
    return status;
}

const gr_experiment gr_experiment_multipartite_thresholds =
    GR_MOVIELENS("multipartite-thresholds", "Table 2's thresholds by the number of rounds", "3 min",
                 run_thresholds);
