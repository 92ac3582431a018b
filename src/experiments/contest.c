#include "experiments/contest.h"

#include "base/clock.h"
#include "base/param.h"
#include "base/text.h"
#include "experiments/experiment.h"
#include "experiments/jobs.h"
#include "pipeline/train.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_SIZE = 1024 };

/* A trial that is to be run. */
typedef struct trial {
    size_t contestant, setting, fold;
} trial;

typedef struct contesting {
    const gr_contest *contest;
    gr_journal *journal;
    trial *trials;
    size_t count;
} contesting;

static size_t settings_of(const gr_contestant *contestant)
{
    size_t count = 0;

    while (contestant->settings[count])
        count++;
    return count;
}

static void key_of(const gr_contest *contest, const trial *t, char key[KEY_SIZE])
{
    const gr_contestant *contestant = &contest->contestants[t->contestant];

    snprintf(key, KEY_SIZE, "%s | %s | %s", contestant->name, contestant->settings[t->setting],
             contest->folds[t->fold].name);
}

const gr_json *gr_contest_trial(const gr_contest *contest, gr_journal *journal, size_t contestant,
                                size_t setting, size_t fold)
{
    const trial t = { contestant, setting, fold };
    char key[KEY_SIZE];

    key_of(contest, &t, key);
    return gr_journal_find(journal, key);
}

static gradus_options *options_for(const gr_contest *contest, const char *settings,
                                   gradus_error *err)
{
    gradus_options *options = gr_options_from(&gr_operation_train, contest->common, err);

    if (options && gr_options_set(options, "metric", contest->choose, err) == GRADUS_OK &&
        gr_options_set(options, "convention", contest->convention, err) == GRADUS_OK &&
        gr_options_take(options, settings, err) == GRADUS_OK)
        return options;
    gr_options_free(options);
    return NULL;
}

/* Trains to the end; *state is of the training, which lives on. */
static gradus_status train(gradus_context *context, const gr_fold *fold,
                           const gradus_options *options, gradus_training **training,
                           gradus_training_state *state, gradus_error *err)
{
    const gradus_training_input input = { .train = fold->train, .valid = fold->valid };
    bool done = false;

    *training = gradus_training_new(context, &input, options, err);
    if (!*training)
        return err->status;
    while (!done) {
        GR_TRY(gradus_training_step(*training, &done, err));
        gradus_training_look(*training, state);
        GR_TRY(gr_progress(context, "training",
                           state->rounds ? (double)state->round / (double)state->rounds : 0.0,
                           err));
    }
    return GRADUS_OK;
}

/* Metrics of the model on the test part, query by query, into the value. */
static gradus_status measure(gradus_context *context, const gr_contest *contest,
                             const gradus_dataset *test, const gradus_model *model,
                             gr_json_writer *value, gradus_error *err)
{
    double *scores = gr_new_array(gradus_dataset_rows(test), sizeof *scores);
    gradus_options *options = gradus_options_new("evaluate", err);
    gradus_evaluation *evaluation = NULL;
    gradus_result result;

    if (!scores)
        gr_fail_memory(err, "scores");
    else if (options &&
             gradus_options_set(options, "metric", contest->measures, err) == GRADUS_OK &&
             gradus_options_set(options, "convention", contest->convention, err) == GRADUS_OK &&
             gradus_model_score(context, model, test, scores, err) == GRADUS_OK)
        evaluation = gradus_evaluate(context, test, scores, options, err);
    gr_json_open(value, "values", '[');
    for (size_t m = 0; evaluation && gradus_evaluation_at(evaluation, m, &result); m++)
        gr_json_put_numbers(value, NULL, result.by_query, gradus_evaluation_queries(evaluation));
    gr_json_close(value, ']');
    const gradus_status status = evaluation ? GRADUS_OK : err->status;

    gradus_evaluation_free(evaluation);
    gradus_options_free(options);
    free(scores);
    return status;
}

static gradus_status run_trial(gradus_context *context, const gr_contest *contest, const trial *t,
                               gr_json_writer *value, gradus_error *err)
{
    const char *settings = contest->contestants[t->contestant].settings[t->setting];
    const gr_fold *fold = &contest->folds[t->fold];
    gradus_options *options = options_for(contest, settings, err);
    gradus_training *training = NULL;
    gradus_training_state state;
    gradus_model *model = NULL;
    const double began = gr_seconds();
    gradus_status status =
        options ? train(context, fold, options, &training, &state, err) : err->status;

    if (status == GRADUS_OK) {
        model = gradus_training_finish(training, err);
        status = model ? GRADUS_OK : err->status;
    }
    if (status == GRADUS_OK) {
        gr_json_open(value, NULL, '{');
        gr_json_put_number(value, "valid", fold->valid ? state.best_valid : (double)NAN);
        gr_json_put_number(value, "train", state.train);
        gr_json_put_flag(value, "lower_is_better", state.lower_is_better);
        gr_json_put_count(value, "rounds", state.best_round ? state.best_round : state.round);
        gr_json_put_number(value, "seconds", gr_seconds() - began);
        if (fold->test)
            status = measure(context, contest, fold->test, model, value, err);
        gr_json_close(value, '}');
    }
    gradus_model_free(model);
    gradus_training_free(training);
    gr_options_free(options);
    return status;
}

static gradus_status run_job(void *argument, size_t index, gradus_context *context,
                             gradus_error *err)
{
    contesting *c = argument;
    gr_json_writer value = { 0 };
    gradus_error fault = { GRADUS_OK, "" };
    char key[KEY_SIZE];

    key_of(c->contest, &c->trials[index], key);
    gradus_status status = run_trial(context, c->contest, &c->trials[index], &value, &fault);

    if (status == GRADUS_OK)
        status = gr_journal_add(c->journal, key, &value, err);
    else if (status == GRADUS_CANCELLED)
        gr_fail(err, status, "%s", fault.message);
    else
        gr_fail(err, status, "%.200s: %.280s", key, fault.message);
    gr_json_writer_free(&value);
    return status;
}

/* All trials that the journal has not. */
static gradus_status plan(contesting *c, gradus_error *err)
{
    const gr_contest *contest = c->contest;
    size_t all = 0;

    for (size_t i = 0; i < contest->count; i++)
        all += settings_of(&contest->contestants[i]);
    c->trials = gr_new_array(all * contest->fold_count, sizeof *c->trials);
    if (!c->trials)
        return gr_fail_memory(err, "trials");
    for (size_t i = 0; i < contest->count; i++)
        for (size_t s = 0; contest->contestants[i].settings[s]; s++)
            for (size_t f = 0; f < contest->fold_count; f++)
                if (!gr_contest_trial(contest, c->journal, i, s, f))
                    c->trials[c->count++] = (trial){ i, s, f };
    return GRADUS_OK;
}

static void end_standing(gr_standing *standing)
{
    free(standing->chosen);
    free(standing->chosen_valid);
    free(standing->rounds);
    free(standing->values);
}

void gr_standings_free(gr_standing *standings, size_t count)
{
    for (size_t i = 0; standings && i < count; i++)
        end_standing(&standings[i]);
    free(standings);
}

/* Chooses the settings of a fold: the first of the best on its validation part. */
static const gr_json *choose(const contesting *c, size_t contestant, size_t fold,
                             gr_standing *standing)
{
    const gr_json *best = NULL;

    for (size_t s = 0; c->contest->contestants[contestant].settings[s]; s++) {
        const gr_json *value = gr_contest_trial(c->contest, c->journal, contestant, s, fold);
        const double valid = gr_json_real(value, "valid");
        const double before = gr_json_real(best, "valid");
        bool lower = false;

        gr_json_flag(gr_json_find(value, "lower_is_better"), &lower);
        standing->seconds += gr_json_real(value, "seconds");
        if (!best || (lower ? valid < before : valid > before)) {
            best = value;
            standing->chosen[fold] = s;
            standing->chosen_valid[fold] = valid;
            gr_json_count(gr_json_find(value, "rounds"), &standing->rounds[fold]);
        }
    }
    return best;
}

/* Adds what was measured on a fold to the standing's values, which grow. */
static gradus_status add_values(gr_standing *standing, const gr_json *values, gradus_error *err)
{
    const size_t measures = values->count;
    const gr_json *list = gr_json_first(values);
    size_t count = 0;

    if (measures == 0 || measures > GR_MOST_MEASURES ||
        (standing->measures && standing->measures != measures))
        return gr_fail(err, GRADUS_BAD_FORMAT, "a trial in the journal has other measures");
    const size_t queries = standing->queries + list->count;
    double *grown = gr_new_array(measures * queries, sizeof *grown);

    if (!grown)
        return gr_fail_memory(err, "values of queries");
    for (size_t m = 0; m < measures; m++, list = gr_json_next(list)) {
        double *more = gr_json_numbers(list, &count);

        if (!more || standing->queries + count != queries) {
            free(more);
            free(grown);
            return more ? gr_fail(err, GRADUS_BAD_FORMAT,
                                  "measures of a trial in the journal differ in queries")
                        : gr_fail_memory(err, "values of queries");
        }
        if (standing->queries)
            memcpy(grown + m * queries, standing->values + m * standing->queries,
                   standing->queries * sizeof *grown);
        memcpy(grown + m * queries + standing->queries, more, count * sizeof *grown);
        free(more);
    }
    free(standing->values);
    standing->values = grown;
    standing->queries = queries;
    standing->measures = measures;
    return GRADUS_OK;
}

static void average(gr_standing *standing)
{
    for (size_t m = 0; m < standing->measures; m++) {
        const double *values = standing->values + m * standing->queries;
        double sum = 0.0, squares = 0.0, count = 0.0;

        for (size_t q = 0; q < standing->queries; q++)
            if (!isnan(values[q])) {
                sum += values[q];
                count += 1.0;
            }
        standing->mean[m] = count > 0.0 ? sum / count : (double)NAN;
        for (size_t q = 0; q < standing->queries; q++)
            if (!isnan(values[q]))
                squares += (values[q] - standing->mean[m]) * (values[q] - standing->mean[m]);
        standing->error[m] = count > 1.0 ? sqrt(squares / (count - 1.0) / count) : (double)NAN;
    }
}

static gradus_status stand(const contesting *c, size_t contestant, gr_standing *standing,
                           gradus_error *err)
{
    const size_t folds = c->contest->fold_count;

    standing->name = c->contest->contestants[contestant].name;
    standing->chosen = gr_new_array(folds, sizeof *standing->chosen);
    standing->chosen_valid = gr_new_array(folds, sizeof *standing->chosen_valid);
    standing->rounds = gr_new_array(folds, sizeof *standing->rounds);
    if (!standing->chosen || !standing->chosen_valid || !standing->rounds)
        return gr_fail_memory(err, "a standing");
    for (size_t f = 0; f < folds; f++) {
        const gr_json *values = gr_json_find(choose(c, contestant, f, standing), "values");

        if (values)
            GR_TRY(add_values(standing, values, err));
    }
    average(standing);
    return GRADUS_OK;
}

gradus_status gr_contest_run(gradus_context *context, const gr_contest *contest,
                             gr_journal *journal, gr_standing **standings, gradus_error *err)
{
    contesting c = { .contest = contest, .journal = journal };
    gradus_error fault = { GRADUS_OK, "" };
    gradus_status status = plan(&c, &fault);

    *standings = NULL;
    if (status == GRADUS_OK)
        status = gr_jobs_run(context, "trials", c.count, run_job, &c, &fault);
    if (status == GRADUS_OK) {
        *standings = gr_new_array(contest->count, sizeof **standings);
        status = *standings ? GRADUS_OK : gr_fail_memory(&fault, "standings");
    }
    for (size_t i = 0; status == GRADUS_OK && i < contest->count; i++)
        status = stand(&c, i, &(*standings)[i], &fault);
    free(c.trials);
    if (status == GRADUS_OK)
        return GRADUS_OK;
    gr_standings_free(*standings, contest->count);
    *standings = NULL;
    return gr_fail(err, status, "%s", fault.message);
}

gradus_status gr_standings_compare(gradus_context *context, const gr_standing *a,
                                   const gr_standing *b, size_t measure, const char *test,
                                   bool one_sided, gradus_contrast *contrast, gradus_error *err)
{
    const double *const values[] = { a->values + measure * a->queries,
                                     b->values + measure * b->queries };
    gradus_options *options = gradus_options_new("compare", err);
    gradus_comparison *comparison = NULL;

    if (options && gradus_options_set(options, "test", test, err) == GRADUS_OK &&
        gradus_options_set(options, "sided", one_sided ? "1" : "2", err) == GRADUS_OK)
        comparison = gradus_compare(context, 2, a->queries, values, options, err);
    const gradus_status status = comparison ? GRADUS_OK : err ? err->status : GRADUS_NO_MEMORY;

    if (comparison)
        gradus_comparison_at(comparison, 0, contrast);
    gradus_comparison_free(comparison);
    gradus_options_free(options);
    return status;
}
