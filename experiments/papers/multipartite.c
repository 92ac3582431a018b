/* SPDX-License-Identifier: Apache-2.0 */
/* Training, theory and journalled jobs of the multipartite experiments (see multipartite.h). */
#include "experiments/papers/multipartite.h"

#include "experiments/jobs.h"
#include "experiments/papers/movielens.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

gradus_status gr_multipartite_needs(const gr_run *run, const char *what, gradus_error *err)
{
    return *run->data ? GRADUS_OK
                      : gr_fail(err, GRADUS_NO_FILE, "needs '%s' in the folder 'data'", what);
}

gradus_dataset *gr_multipartite_ratings(const gr_run *run, gradus_error *err)
{
    char folder[512];
    gradus_dataset *ratings;

    if (gr_multipartite_needs(run, "movielens-100k", err) != GRADUS_OK)
        return NULL;
    snprintf(folder, sizeof folder, "%.400s/movielens-100k", run->data);
    ratings = gr_movielens_read(run->context, folder, err);
    if (ratings)
        gr_results_note(
            run->results,
            "%zu ratings (the paper: 97,139) with %zu predictors (44). Left out, as inferred "
            "from the counts of ratings: the movie without a date and users 13, 181, 405, 445, "
            "655 and 774. Guessed: predictors are day, month and year of release, 18 genres, "
            "age, sex and 21 occupations, standardised over all ratings; rounds are selected by "
            "the fraction of pairs in order on the validation part.",
            gradus_dataset_rows(ratings), gradus_dataset_features(ratings));
    return ratings;
}

gradus_model *gr_multipartite_train(gradus_context *context, const char *words,
                                    const gradus_dataset *train, const gradus_dataset *valid,
                                    gradus_error *err)
{
    gradus_options *options = gr_words_options("train", words, err);
    gradus_model *model = NULL;

    if (options)
        model = gradus_train(context, train, valid, options, err);
    gradus_options_free(options);
    return model;
}

void gr_multipartite_cuts(const gradus_model *model, double *cuts, double *last)
{
    gradus_model_info facts;

    gradus_model_describe(model, &facts);
    *last = facts.thresholds ? facts.thresholds[facts.grades - 2] : 0.0;
    for (size_t i = 0; facts.thresholds && i + 1 < facts.grades; i++)
        cuts[i] = facts.thresholds[i] - *last;
}

double gr_theory_propodds(double ratio, double theta)
{
    const double half = ratio - 1.0;

    return log((half + sqrt(half * half + 4.0 * exp(theta) * ratio)) / 2.0);
}

double gr_mean_of(const double *numbers, size_t count, size_t stride)
{
    double sum = 0.0;

    for (size_t i = 0; i < count; i++)
        sum += numbers[i * stride];
    return sum / (double)count;
}

double gr_deviation_of(const double *numbers, size_t count, size_t stride)
{
    const double mean = gr_mean_of(numbers, count, stride);
    double squares = 0.0;

    for (size_t i = 0; i < count; i++)
        squares += (numbers[i * stride] - mean) * (numbers[i * stride] - mean);
    return count > 1 ? sqrt(squares / (double)(count - 1)) : 0.0;
}

double gr_correlation_of(const double *x, const double *y, size_t count)
{
    const double mean_x = gr_mean_of(x, count, 1), mean_y = gr_mean_of(y, count, 1);
    double products = 0.0;

    for (size_t i = 0; i < count; i++)
        products += (x[i] - mean_x) * (y[i] - mean_y);
    return products / (double)(count - 1) /
           (gr_deviation_of(x, count, 1) * gr_deviation_of(y, count, 1));
}

/* The sign of a - b; 0 if the difference may be rounding. */
static int order_of(double a, double b)
{
    return fabs(a - b) <= 1e-9 * (fabs(a) + fabs(b)) ? 0 : a > b ? 1 : -1;
}

double gr_discordance_of(const double *x, const double *y, const double *weights, size_t count)
{
    double differ = 0.0, all = 0.0;

    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < i; j++) {
            const double weight = weights ? weights[i] * weights[j] : 1.0;

            all += weight;
            if (order_of(x[i], x[j]) * order_of(y[i], y[j]) < 0)
                differ += weight;
        }
    return all > 0.0 ? differ / all : 0.0;
}

enum { KEY_SIZE = 128 };

typedef struct working {
    const gr_number_jobs *jobs;
    const size_t *todo;
} working;

static gradus_status work(void *argument, size_t index, gradus_context *context, gradus_error *err)
{
    const working *w = argument;
    const gr_number_jobs *jobs = w->jobs;
    double *numbers = gr_new_array(jobs->count, sizeof *numbers);
    gr_json_writer value = { 0 };
    char key[KEY_SIZE];
    gradus_status status = numbers
                               ? jobs->work(jobs->argument, w->todo[index], context, numbers, err)
                               : gr_fail_memory(err, "results");

    if (status == GRADUS_OK) {
        jobs->name(jobs->argument, w->todo[index], key, sizeof key);
        gr_json_put_numbers(&value, NULL, numbers, jobs->count);
        status = gr_journal_add(jobs->run->journal, key, &value, err);
    }
    gr_json_writer_free(&value);
    free(numbers);
    return status;
}

/* Reads the journal's entry of a job. */
static gradus_status take(const gr_number_jobs *jobs, size_t job, double *numbers,
                          gradus_error *err)
{
    char key[KEY_SIZE];
    size_t found = 0;

    jobs->name(jobs->argument, job, key, sizeof key);
    double *kept = gr_json_numbers(gr_journal_find(jobs->run->journal, key), &found);

    if (!kept || found != jobs->count) {
        free(kept);
        return gr_fail(err, GRADUS_BAD_FORMAT, "the journal does not have %zu numbers for '%s'",
                       jobs->count, key);
    }
    for (size_t i = 0; i < found; i++)
        numbers[i] = kept[i];
    free(kept);
    return GRADUS_OK;
}

gradus_status gr_number_jobs_run(const gr_number_jobs *jobs, double **numbers, gradus_error *err)
{
    size_t *todo = gr_new_array(jobs->jobs, sizeof *todo), count = 0;
    double *all = gr_new_array(jobs->jobs, jobs->count * sizeof *all);
    working w = { jobs, todo };
    gradus_status status = todo && all ? GRADUS_OK : gr_fail_memory(err, "results");

    for (size_t job = 0; status == GRADUS_OK && job < jobs->jobs; job++) {
        char key[KEY_SIZE];

        jobs->name(jobs->argument, job, key, sizeof key);
        if (!gr_journal_find(jobs->run->journal, key))
            todo[count++] = job;
    }
    if (status == GRADUS_OK)
        status = gr_jobs_run(jobs->run->context, "training", count, work, &w, err);
    for (size_t job = 0; status == GRADUS_OK && job < jobs->jobs; job++)
        status = take(jobs, job, all + job * jobs->count, err);
    free(todo);
    if (status != GRADUS_OK) {
        free(all);
        all = NULL;
    }
    *numbers = all;
    return status;
}
