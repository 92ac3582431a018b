/* SPDX-License-Identifier: Apache-2.0 */
/* Section 7's remark that pairwise ranking gains on ordinal regression with the sample size: MovieLens
 * with five grades, unbalanced samples of several sizes, one validation rule for all methods; a
 * second rule, and all rounds, to see what selection does. Ties count as errors or as halves. */
#include "experiments/papers/movielens.h"
#include "experiments/papers/multipartite.h"
#include "experiments/published.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define TABLE "multipartite_size"

enum { PAIRRANK, PROPODDS, ORBOOST, METHODS };
enum { RULES = 3, SIZES = 5, PARTS = 3 };
enum { ALL, LOW, TIED, RATES }; /* all pairs of ratings; 1 against 2; all pairs, ties are errors */
enum { NUMBERS = METHODS * RATES };

static const char *const method_names[METHODS] = { "PAIRRANK", "PROPODDS", "ORBOOST" };
static const char *const rule_names[RULES] = { "u-pairs", "u-ovo", "all rounds" };
static const char *const rate_names[RATES] = { "all pairs", "1 vs 2",
                                               "all pairs, ties are errors" };

typedef struct study {
    gr_run *run;
    const gradus_dataset *ratings;
    size_t replicates;
} study;

/* Jobs: rules x sizes x replicates. */
static double factor_of(const study *s, size_t job)
{
    return gr_paper_number(TABLE, "factors", job / s->replicates % SIZES);
}

static size_t rule_of(const study *s, size_t job)
{
    return job / s->replicates / SIZES;
}

static void name_job(const void *argument, size_t job, char *key, size_t size)
{
    const study *s = argument;

    snprintf(key, size, "sample size | %s | factor %g | replicate %zu", rule_names[rule_of(s, job)],
             factor_of(s, job), job % s->replicates + 1);
}

/* Mean over pairs of ratings of the fraction of pairs of rows in the wrong order. */
static void error_rates(const double *scores, const float *labels, size_t rows, double *rates)
{
    double wrong[GR_RATINGS][GR_RATINGS] = { { 0.0 } }, ties[GR_RATINGS][GR_RATINGS] = { { 0.0 } };
    double counts[GR_RATINGS] = { 0.0 }, pairs = 0.0;

    for (size_t a = 0; a < rows; a++) {
        const size_t low = (size_t)labels[a] - 1;

        counts[low] += 1.0;
        for (size_t b = 0; b < rows; b++) {
            const size_t high = (size_t)labels[b] - 1;

            wrong[low][high] += high > low && scores[b] < scores[a];
            ties[low][high] += high > low && scores[b] == scores[a];
        }
    }
    rates[ALL] = rates[TIED] = 0.0;
    for (size_t j = 0; j < GR_RATINGS; j++)
        for (size_t i = j + 1; i < GR_RATINGS; i++) {
            const double all = counts[i] * counts[j];

            rates[ALL] += (wrong[j][i] + 0.5 * ties[j][i]) / all;
            rates[TIED] += (wrong[j][i] + ties[j][i]) / all;
            pairs += 1.0;
        }
    rates[LOW] = (wrong[0][1] + 0.5 * ties[0][1]) / (counts[0] * counts[1]);
    rates[ALL] /= pairs;
    rates[TIED] /= pairs;
}

static gradus_status fit(gradus_context *context, size_t method, size_t rule,
                         gradus_dataset *const parts[PARTS], double *rates, gradus_error *err)
{
    const size_t rows = gradus_dataset_rows(parts[2]);
    double *scores = gr_new_array(rows, sizeof *scores);
    char words[320];

    snprintf(words, sizeof words, "%s %s",
             gr_paper_words("multipartite_table3", method_names[method]),
             gr_paper_words(TABLE, rule_names[rule]));
    gradus_model *model =
        scores ? gr_multipartite_train(context, words, parts[0], parts[1], err) : NULL;
    const gradus_status status = model ? gradus_model_score(context, model, parts[2], scores, err)
                                 : scores ? err->status
                                          : gr_fail_memory(err, "scores");

    if (status == GRADUS_OK)
        error_rates(scores, gr_arrays_of(parts[2]).labels, rows, rates);
    gradus_model_free(model);
    free(scores);
    return status;
}

static gradus_status run_job(void *argument, size_t job, gradus_context *context, double *numbers,
                             gradus_error *err)
{
    static const float grades[GR_RATINGS] = { 1, 2, 3, 4, 5 };
    const study *s = argument;
    gradus_dataset *parts[PARTS];
    size_t counts[PARTS][GR_RATINGS];
    gradus_status status = GRADUS_OK;

    /* training and validation grow; the test part is that of Table 3 */
    for (size_t p = 0; p < PARTS; p++)
        for (size_t k = 0; k < GR_RATINGS; k++) {
            const double rows =
                gr_paper_number("multipartite_table3", "unbalanced", p * GR_RATINGS + k);

            counts[p][k] =
                gr_scaled(s->run, (size_t)(rows * (p < 2 ? factor_of(s, job) : 1.0)), 10);
        }
    GR_TRY(gr_movielens_draw(s->ratings, counts[0], PARTS, grades, s->run->seed,
                             job % s->replicates, parts, err));
    for (size_t m = 0; m < METHODS && status == GRADUS_OK; m++)
        status = fit(context, m, rule_of(s, job), parts, numbers + m * RATES, err);
    for (size_t p = 0; p < PARTS; p++)
        gradus_dataset_free(parts[p]);
    return status;
}

/* PAIRRANK minus PROPODDS at one size, and its standard error over replicates. */
static double difference_at(const study *s, const double *first, size_t rate, double *error)
{
    double sum = 0.0, squares = 0.0;
    const double n = (double)s->replicates;

    for (size_t r = 0; r < s->replicates; r++) {
        const double *one = first + r * NUMBERS;
        const double difference = one[PAIRRANK * RATES + rate] - one[PROPODDS * RATES + rate];

        sum += difference;
        squares += difference * difference;
    }
    *error = n > 1.0 ? sqrt(fmax(squares - sum * sum / n, 0.0) / (n - 1.0) / n) : 0.0;
    return sum / n;
}

/* The paper's remark is about ratings with few rows; all pairs of ratings are shown beside them. */
static void judge(const study *s, size_t rule, const double *numbers, size_t rate)
{
    const size_t size = s->replicates * NUMBERS;
    const double *first = numbers + rule * SIZES * size;
    double errors[2];
    const double few = difference_at(s, first, rate, &errors[0]);
    const double many = difference_at(s, first + (SIZES - 1) * size, rate, &errors[1]);
    char claim[128];

    snprintf(claim, sizeof claim,
             "pairwise ranking gains on PROPODDS with the sample size: %s (%s)", rate_names[rate],
             rule_names[rule]);
    gr_results_claim(s->run->results, many < few - 2.0 * hypot(errors[0], errors[1]), claim,
                     "error rate of PAIRRANK minus that of PROPODDS: %+.4f with the fewest rows, "
                     "%+.4f with the most (standard errors %.4f and %.4f)",
                     few, many, errors[0], errors[1]);
}

static void put_rule(const study *s, size_t rule, const double *numbers)
{
    double error = 0.0;
    char title[128];

    snprintf(title, sizeof title, "%s%s for all methods, %zu replicates",
             rule + 1 < RULES ? "rounds selected by " : "", rule_names[rule], s->replicates);
    gr_table *table = gr_results_table(s->run->results, title, GR_WANT_LOWER, NULL, 4);

    for (size_t i = 0; i < SIZES; i++) {
        const double *first = numbers + (rule * SIZES + i) * s->replicates * NUMBERS;

        for (size_t rate = 0; rate < RATES; rate++) {
            char row[96];

            snprintf(row, sizeof row, "%g rows, %s", 2500.0 * gr_paper_number(TABLE, "factors", i),
                     rate_names[rate]);
            for (size_t m = 0; m < METHODS; m++)
                gr_table_put(table, row, method_names[m],
                             (gr_found){ .ours = gr_mean_of(first + m * RATES + rate, s->replicates,
                                                            NUMBERS) });
            const double difference = difference_at(s, first, rate, &error);

            gr_table_put(table, row, "PAIRRANK - PROPODDS",
                         (gr_found){ .ours = difference, .error = error });
        }
    }
    judge(s, rule, numbers, LOW);
    judge(s, rule, numbers, ALL);
}

static gradus_status run_size(gr_run *run, gradus_error *err)
{
    gradus_dataset *ratings = gr_multipartite_ratings(run, err);
    study s = { run, ratings,
                gr_run_seeds(run, gr_scaled(run, gr_paper_count(TABLE, "replicates", 0), 2)) };
    double *numbers = NULL;

    if (!ratings)
        return err->status;
    const gr_number_jobs jobs = {
        run, &s, RULES * SIZES * s.replicates, NUMBERS, name_job, run_job
    };
    const gradus_status status = gr_number_jobs_run(&jobs, &numbers, err);

    for (size_t rule = 0; status == GRADUS_OK && rule < RULES; rule++)
        put_rule(&s, rule, numbers);
    free(numbers);
    gradus_dataset_free(ratings);
    return status;
}

const gr_experiment gr_experiment_multipartite_size =
    GR_MOVIELENS("multipartite-size", "pairwise ranking and ordinal regression by sample size",
                 "6 min", run_size);
