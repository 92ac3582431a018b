/* SPDX-License-Identifier: Apache-2.0 */
/* A trial of automatic training: one setting is trained on every fold, and the models score the
 * queries held out. All folds use the same number of rounds, the mean of their best ones: a number
 * chosen by each fold on its own held-out queries would make their scores too good. Models that
 * cannot be truncated to that number are trained again, without looking at held-out queries. */
#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"
#include "experiments/auto_run.h"
#include "experiments/jobs.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The model of a fold. */
typedef struct fold_fit {
    gradus_model *model;
    size_t *best; /* after each round: the best one so far, or 1 */
    size_t rounds, room;
} fold_fit;

typedef struct trial_fits {
    const gr_auto_run *run;
    const gr_auto_trial *trial;
    double until;        /* gr_seconds() by which trainings in rounds end; INFINITY: no limit */
    _Atomic size_t most; /* rounds of every fold; those that are slower lower it */
    bool by_rounds;
    bool truncated; /* models keep all rounds, and are truncated afterwards */
    bool again;     /* second training: for the rounds of the trial, without validation */
    fold_fit *fits; /* per fold */
} trial_fits;

void gr_auto_trial_free(gr_auto_trial *trial)
{
    free(trial->failed);
    free(trial->scores);
    free(trial->by_query);
}

/* The key of a trial in the journal. */
static void key_of(const gr_auto_run *run, const gr_auto_trial *trial, char key[GR_AUTO_WORDS])
{
    char limit[48] = "";

    if (run->max_rounds)
        snprintf(limit, sizeof limit, ", at most %zu rounds", run->max_rounds);
    snprintf(key, GR_AUTO_WORDS, "%s | %s | held-out queries%s", run->entries[trial->entry].name,
             trial->settings, limit);
}

/* The name under which the journal has the rounds that a time budget was enough for. */
static void limit_name(const gr_auto_run *run, char name[48])
{
    snprintf(name, 48, "rounds_in_%g_s", run->budget.seconds);
}

void gr_auto_take_limit(gr_auto_run *run)
{
    char name[48];

    limit_name(run, name);
    const size_t known = (size_t)gr_journal_largest(run->journal, name);

    run->max_rounds = (size_t)run->options.max_rounds;
    if (known && (!run->max_rounds || known < run->max_rounds))
        run->max_rounds = known;
}

gradus_options *gr_auto_train_options(const gr_auto_run *run, const char *settings,
                                      const char *more, gradus_error *err)
{
    gradus_options *options = gr_words_options("train", run->common, err);

    if (options && gradus_options_set(options, "metric", run->options.metric, err) == GRADUS_OK &&
        gradus_options_set(options, "convention", run->options.convention, err) == GRADUS_OK &&
        gr_words_set(options, run->gains.words, err) == GRADUS_OK &&
        gr_words_set(options, settings, err) == GRADUS_OK &&
        gr_words_set(options, more, err) == GRADUS_OK)
        return options;
    gradus_options_free(options);
    return NULL;
}

gradus_status gr_auto_evaluate(const gr_auto_run *run, const gradus_dataset *data,
                               const double *scores, gradus_evaluation **evaluation,
                               gradus_error *err)
{
    gradus_options *options = gr_words_options("evaluate", run->gains.words, err);

    *evaluation = NULL;
    if (options && gradus_options_set(options, "metric", run->options.metric, err) == GRADUS_OK &&
        gradus_options_set(options, "convention", run->options.convention, err) == GRADUS_OK)
        *evaluation = gradus_evaluate(run->context, data, scores, options, err);
    gradus_options_free(options);
    return *evaluation ? GRADUS_OK : err->status;
}

/* One step, and its report. */
static gradus_status train_step(gradus_context *context, gradus_training *training,
                                gradus_training_state *state, bool *done, gradus_error *err)
{
    GR_TRY(gradus_training_step(training, done, err));
    gradus_training_get_state(training, state);
    return gr_send_progress(context, "training",
                            state->rounds ? (double)state->round / (double)state->rounds : 0.0,
                            err);
}

gradus_status gr_auto_train(const gr_auto_run *run, gradus_context *context,
                            const gradus_training_input *input, const gr_auto_trial *trial,
                            const char *more, gradus_model **model, gradus_error *err)
{
    gradus_options *options = gr_auto_train_options(run, trial->settings, more, err);
    gradus_training *training = options ? gradus_training_new(context, input, options, err) : NULL;
    gradus_status status = training ? GRADUS_OK : err->status;
    gradus_training_state state = { .round = 0 };
    bool done = false;

    while (status == GRADUS_OK && !done && (!run->max_rounds || state.round < run->max_rounds))
        status = train_step(context, training, &state, &done, err);
    *model = status == GRADUS_OK ? gradus_training_finish(training, err) : NULL;
    gradus_training_free(training);
    gradus_options_free(options);
    return *model ? GRADUS_OK : err->status;
}

/* Records the best round so far. */
static gradus_status note_best(fold_fit *fit, const gradus_training_state *state, gradus_error *err)
{
    if (fit->rounds == fit->room) {
        const size_t room = fit->room ? 2 * fit->room : 256;
        size_t *more = realloc(fit->best, room * sizeof *more);

        if (!more)
            return gr_fail_memory(err, "rounds");
        fit->best = more;
        fit->room = room;
    }
    fit->best[fit->rounds++] = state->best_round ? state->best_round : state->kept;
    return GRADUS_OK;
}

/* When a fold that starts now has to end: folds that run one after another share the time. */
static double fold_end(const trial_fits *t, size_t f)
{
    const size_t folds = t->run->data.fold_count, threads = gradus_context_threads(t->run->context);
    const size_t waves = (folds + threads - 1) / threads, left = waves - f / threads;
    const double now = gr_seconds();

    return now + (t->until - now) / (double)left;
}

static void lower(_Atomic size_t *most, size_t rounds)
{
    size_t known = atomic_load(most);

    while (rounds < known && !atomic_compare_exchange_weak(most, &known, rounds))
        continue;
}

static gradus_status train_steps(gradus_context *context, trial_fits *t, size_t f,
                                 gradus_training *training, gradus_error *err)
{
    const double end = fold_end(t, f);
    gradus_training_state state = { .round = 0 };
    bool done = false;

    t->fits[f].rounds = 0;
    while (!done && state.round < atomic_load(&t->most)) {
        GR_TRY(train_step(context, training, &state, &done, err));
        GR_TRY(note_best(&t->fits[f], &state, err));
        if (!done && gr_seconds() >= end)
            lower(&t->most, state.round);
    }
    return GRADUS_OK;
}

void gr_auto_final_words(const gr_auto_trial *trial, char words[GR_AUTO_FIXED + 64])
{
    snprintf(words, GR_AUTO_FIXED, "%s", trial->fixed);
    if (trial->rounds)
        snprintf(words, GR_AUTO_FIXED + 64, "%s%srounds=%llu patience=0 keep=last", trial->fixed,
                 *trial->fixed ? " " : "", (unsigned long long)trial->rounds);
}

/* What is added to the settings of the trial. */
static void more_words(const trial_fits *t, char words[GR_AUTO_FIXED + 64])
{
    if (t->again)
        gr_auto_final_words(t->trial, words);
    else
        snprintf(words, GR_AUTO_FIXED, "%s", t->truncated ? "keep=last" : "");
}

static gradus_status fit_fold(void *argument, size_t f, gradus_context *context, gradus_error *err)
{
    trial_fits *t = argument;
    const gradus_training_input input = { .train = t->run->data.train[f],
                                          .valid = t->again ? NULL : t->run->data.valid[f] };
    char words[GR_AUTO_FIXED + 64];

    more_words(t, words);
    gradus_options *options = gr_auto_train_options(t->run, t->trial->settings, words, err);
    gradus_training *training = options ? gradus_training_new(context, &input, options, err) : NULL;
    gradus_status status = training ? train_steps(context, t, f, training, err) : err->status;

    if (status == GRADUS_OK) {
        gradus_model_free(t->fits[f].model);
        t->fits[f].model = gradus_training_finish(training, err);
        status = t->fits[f].model ? GRADUS_OK : err->status;
    }
    gradus_training_free(training);
    gradus_options_free(options);
    return status;
}

/* The mean of the best rounds. A fold may have gone beyond the limit before another lowered it. */
static size_t common_rounds(const trial_fits *t)
{
    const size_t folds = t->run->data.fold_count, most = atomic_load(&t->most);
    double sum = 0.0;

    for (size_t f = 0; f < folds; f++) {
        const fold_fit *fit = &t->fits[f];

        sum += (double)fit->best[(fit->rounds < most ? fit->rounds : most) - 1];
    }
    const double mean = floor(sum / (double)folds + 0.5);

    return mean >= 1.0 ? (size_t)mean : 1;
}

/* Scores the held-out queries of a fold with its model, and puts the scores in their places. */
static gradus_status score_fold(const trial_fits *t, const gradus_model *model, size_t f,
                                double *scores, gradus_error *err)
{
    const gr_auto_data *data = &t->run->data;
    const gradus_arrays held = gr_arrays_of(data->held);
    double *own = gr_new_array(gradus_dataset_rows(data->valid[f]), sizeof *own);
    size_t from = 0;

    if (!own)
        return gr_fail_memory(err, "scores");
    const gradus_status status =
        gradus_model_score(t->run->context, model, data->valid[f], own, err);

    for (size_t i = 0; status == GRADUS_OK && i < data->query_count[f]; i++) {
        const size_t q = data->queries[f][i];
        const size_t rows = (size_t)(held.query_starts[q + 1] - held.query_starts[q]);

        memcpy(scores + held.query_starts[q], own + from, rows * sizeof *scores);
        from += rows;
    }
    free(own);
    return status;
}

/* The model of a fold with the rounds of the trial, by the rule that the ensemble uses. */
static gradus_status rescore(const trial_fits *t, size_t f, gradus_model **view, gradus_error *err)
{
    gradus_model_info info;
    char words[96] = "";

    gradus_model_describe(t->fits[f].model, &info);
    if (t->truncated)
        snprintf(words, sizeof words, "rounds=%zu",
                 (size_t)t->trial->rounds < info.rounds ? (size_t)t->trial->rounds : info.rounds);
    if (t->run->options.probabilities)
        gr_text_append(words, sizeof words,
                       *words ? " scoring=expected-gain" : "scoring=expected-gain");
    gradus_options *options = gr_words_options("score", words, err);

    *view = options ? gradus_model_rescored(t->run->context, t->fits[f].model, options, err) : NULL;
    gradus_options_free(options);
    return *view ? GRADUS_OK : err->status;
}

static gradus_status score_held(const trial_fits *t, gr_auto_trial *trial, gradus_error *err)
{
    trial->scores = gr_new_array(gradus_dataset_rows(t->run->data.held), sizeof *trial->scores);
    if (!trial->scores)
        return gr_fail_memory(err, "scores");
    for (size_t f = 0; f < t->run->data.fold_count; f++) {
        gradus_model *view;

        GR_TRY(rescore(t, f, &view, err));
        const gradus_status status = score_fold(t, view, f, trial->scores, err);

        gradus_model_free(view);
        GR_TRY(status);
    }
    return GRADUS_OK;
}

/* The value that most folds chose; the first of several. */
static const char *usual_value(const trial_fits *t, const char *option)
{
    const size_t folds = t->run->data.fold_count;
    const char *usual = NULL;
    size_t most = 0;

    for (size_t f = 0; f < folds; f++) {
        const char *value = gr_recipe_value(t->fits[f].model, option);
        size_t same = 0;

        for (size_t g = 0; value && g < folds; g++) {
            const char *other = gr_recipe_value(t->fits[g].model, option);

            same += other && strcmp(value, other) == 0;
        }
        if (same > most) {
            most = same;
            usual = value;
        }
    }
    return usual;
}

/* Whether settings choose a value; "auto" leaves the choice to training. */
static bool is_set(const char *settings, const char *option)
{
    const size_t length = strlen(option);

    for (const char *at = strstr(settings, option); at; at = strstr(at + 1, option))
        if (at > settings && at[-1] == ' ' && at[length] == '=')
            return strncmp(at + length, "=auto", strlen("=auto")) != 0;
    return false;
}

/* What training derives from the data, or chooses on validation data, is fixed for the final
 * training, which has more data and no validation set. */
static void fix_choices(const trial_fits *t, gr_auto_trial *trial)
{
    static const char *const options[] = { "leaves", "min-rows", "transform", "keep-zeros" };

    trial->fixed[0] = '\0';
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        const char *value = usual_value(t, options[i]);
        const bool is_default =
            value && (strcmp(value, "false") == 0 || (t->truncated && strcmp(value, "none") == 0));
        char word[64];

        if (!value || is_default || is_set(trial->settings, options[i]) || strlen(value) > 30)
            continue;
        snprintf(word, sizeof word, "%s%s=%s", *trial->fixed ? " " : "", options[i], value);
        gr_text_append(trial->fixed, sizeof trial->fixed, word);
    }
}

/* One over the standard deviation of held-out scores within queries, the same for all queries: a
 * member of the ensemble is then a fixed multiple of a model, which can be exported and explained.
 * Expected gains need no scale, nor do scores that differ by rounding only. */
static double scale_of(const gr_auto_run *run, const double *scores)
{
    const gradus_arrays held = gr_arrays_of(run->data.held);
    double squares = 0.0, all = 0.0;

    for (size_t q = 0; q < held.queries; q++) {
        const size_t from = (size_t)held.query_starts[q], to = (size_t)held.query_starts[q + 1];
        double mean = 0.0;

        for (size_t r = from; r < to; r++)
            mean += scores[r] / (double)(to - from);
        for (size_t r = from; r < to; r++) {
            squares += (scores[r] - mean) * (scores[r] - mean);
            all += scores[r] * scores[r];
        }
    }
    if (run->options.probabilities || squares <= 1e-24 * all)
        return 1.0;
    return 1.0 / sqrt(squares / (double)held.rows);
}

/* The metric of each held-out query, its mean and standard error. */
static gradus_status measure(const gr_auto_run *run, gr_auto_trial *trial, gradus_error *err)
{
    const size_t queries = gradus_dataset_queries(run->data.held);
    gradus_evaluation *evaluation;
    gradus_result result;
    double squares = 0.0;

    trial->scale = scale_of(run, trial->scores);
    GR_TRY(gr_auto_evaluate(run, run->data.held, trial->scores, &evaluation, err));
    trial->by_query = gr_new_array(queries, sizeof *trial->by_query);
    const bool found = trial->by_query && gradus_evaluation_at(evaluation, 0, &result);

    if (found) {
        memcpy(trial->by_query, result.by_query, queries * sizeof *trial->by_query);
        trial->value = result.mean;
        for (size_t q = 0; q < queries; q++)
            squares += isnan(trial->by_query[q]) ? 0.0
                                                 : (trial->by_query[q] - result.mean) *
                                                       (trial->by_query[q] - result.mean);
        if (result.counted > 1)
            trial->error = sqrt(squares / (double)(result.counted - 1) / (double)result.counted);
    }
    gradus_evaluation_free(evaluation);
    return found ? GRADUS_OK : gr_fail_memory(err, "a trial");
}

static gradus_status describe_method(const gr_auto_run *run, trial_fits *t, gradus_error *err)
{
    static const char *const truncatable[] = { "trees", "stumps", "votes" };
    const char *family = run->entries[t->trial->entry].method.family;
    gradus_options *options = gr_auto_train_options(run, t->trial->settings, "", err);
    const gradus_status status =
        options ? gr_trial_by_rounds(options, &t->by_rounds, err) : err->status;

    gradus_options_free(options);
    for (size_t i = 0; i < sizeof truncatable / sizeof truncatable[0]; i++)
        t->truncated = t->truncated || (t->by_rounds && strcmp(family, truncatable[i]) == 0);
    return status;
}

/* Limits the rounds, and of the first trial also the time. */
static void set_limits(trial_fits *t)
{
    const gr_auto_run *run = t->run;
    const bool is_limited = run->max_rounds != run->options.max_rounds; /* as in the journal */

    t->most = run->max_rounds ? run->max_rounds : SIZE_MAX;
    t->until = (double)INFINITY;
    if (t->by_rounds && run->trial_count == 1 && !is_limited)
        t->until = gr_seconds() + gr_auto_first_seconds(run) * (t->truncated ? 1.0 : 0.5);
}

/* Training continues beyond the best round, and some models are trained twice. */
static double part_repeated(const trial_fits *t, double rounds)
{
    const size_t folds = t->run->data.fold_count;
    double sum = t->again ? rounds * (double)folds : 0.0;

    for (size_t f = 0; f < folds; f++)
        sum += (double)t->fits[f].rounds;
    return t->by_rounds ? fmin(rounds * (double)folds / sum, 1.0) : 1.0;
}

/* After the trainings of all folds: what they chose. */
static void take_choices(trial_fits *t, gr_auto_trial *trial)
{
    const size_t most = atomic_load(&t->most);

    if (most < (t->run->max_rounds ? t->run->max_rounds : SIZE_MAX))
        trial->cut = most;
    trial->rounds = t->by_rounds ? common_rounds(t) : 0;
    fix_choices(t, trial);
    t->again = t->by_rounds && !t->truncated;
    trial->part = part_repeated(t, (double)trial->rounds);
    t->until = (double)INFINITY;
}

static gradus_status train_folds(const gr_auto_run *run, gr_auto_trial *trial, gradus_error *err)
{
    const size_t folds = run->data.fold_count;
    trial_fits t = { .run = run, .trial = trial };
    gradus_status status;

    t.fits = gr_new_array(folds, sizeof *t.fits);
    status = t.fits ? describe_method(run, &t, err) : gr_fail_memory(err, "folds");
    if (status == GRADUS_OK) {
        set_limits(&t);
        status = gr_jobs_run(run->context, "trials", folds, fit_fold, &t, err);
    }
    if (status == GRADUS_OK)
        take_choices(&t, trial);
    if (status == GRADUS_OK && t.again)
        status = gr_jobs_run(run->context, "trials", folds, fit_fold, &t, err);
    if (status == GRADUS_OK)
        status = score_held(&t, trial, err);
    for (size_t f = 0; t.fits && f < folds; f++) {
        gradus_model_free(t.fits[f].model);
        free(t.fits[f].best);
    }
    free(t.fits);
    return status;
}

static gradus_status put_journal(gr_auto_run *run, const gr_auto_trial *trial, const char *key,
                                 uint64_t hash, gradus_error *err)
{
    gr_json_writer value = { 0 };
    char scores[24], name[48];

    snprintf(scores, sizeof scores, "%016llx", (unsigned long long)hash);
    gr_json_open(&value, NULL, '{');
    if (trial->failed) {
        gr_json_put_text(&value, "failed", trial->failed);
    } else {
        gr_json_put_number(&value, "valid", trial->value);
        gr_json_put_flag(&value, "lower_is_better", run->lower_is_better);
        gr_json_put_count(&value, "rounds", trial->rounds);
        gr_json_put_text(&value, "fixed", trial->fixed);
        gr_json_put_text(&value, "scores", scores);
    }
    if (trial->cut) {
        limit_name(run, name);
        gr_json_put_count(&value, name, trial->cut);
    }
    gr_json_put_number(&value, "seconds", trial->seconds);
    gr_json_put_number(&value, "part", trial->part);
    gr_json_put_number(&value, "used", run->used);
    gr_json_close(&value, '}');
    const gradus_status status = gr_journal_add(run->journal, key, &value, err);

    gr_json_writer_free(&value);
    return status;
}

/* Takes a trial from the journal. *found: whether it is there, with its scores. */
static gradus_status take_journal(gr_auto_run *run, gr_auto_trial *trial, const char *key,
                                  bool *found, gradus_error *err)
{
    const gr_json *value = gr_journal_find(run->journal, key);
    const char *failed, *fixed, *hash;

    *found = false;
    if (!value)
        return GRADUS_OK;
    trial->seconds = gr_json_real(value, "seconds");
    trial->part = gr_json_real(value, "part");
    if (isnan(trial->part)) /* of an earlier version */
        trial->part = 1.0;
    if (gr_json_text(gr_json_find(value, "failed"), &failed)) {
        trial->failed = strdup(failed);
        *found = true;
        run->used = gr_json_real(value, "used");
        return trial->failed ? GRADUS_OK : gr_fail_memory(err, "a trial");
    }
    if (!gr_json_text(gr_json_find(value, "fixed"), &fixed) ||
        !gr_json_text(gr_json_find(value, "scores"), &hash))
        return GRADUS_OK;
    GR_TRY(gr_auto_scores_get(run, key, strtoull(hash, NULL, 16), &trial->scores, err));
    if (!trial->scores)
        return GRADUS_OK;
    trial->rounds = (uint64_t)gr_json_real(value, "rounds");
    gr_text_copy(trial->fixed, sizeof trial->fixed, fixed, "");
    run->used = gr_json_real(value, "used");
    *found = true;
    return measure(run, trial, err);
}

static gradus_status train_trial(gr_auto_run *run, gr_auto_trial *trial, gradus_error *err)
{
    gradus_error fault = { GRADUS_OK, "" };
    gradus_status status = train_folds(run, trial, &fault);

    if (status == GRADUS_OK && trial->cut)
        run->max_rounds = trial->cut;
    if (status == GRADUS_OK)
        return measure(run, trial, err);
    trial->cut = 0;
    if (!gr_trial_is_at_fault(status))
        return gr_fail(err, status, "%s", fault.message);
    free(trial->scores);
    trial->scores = NULL;
    trial->failed = strdup(fault.message);
    return trial->failed ? GRADUS_OK : gr_fail_memory(err, "a trial");
}

gradus_status gr_auto_trial_run(gr_auto_run *run, gr_auto_trial *trial, gradus_error *err)
{
    const double began = gr_seconds();
    char key[GR_AUTO_WORDS];
    uint64_t hash = 0;
    bool found;

    key_of(run, trial, key);
    GR_TRY(take_journal(run, trial, key, &found, err));
    trial->resumed = found;
    if (found)
        return GRADUS_OK;
    GR_TRY(train_trial(run, trial, err));
    key_of(run, trial, key); /* time may have limited the rounds */
    const bool known = gr_journal_find(run->journal, key) != NULL; /* but its scores are lost */

    trial->seconds = gr_seconds() - began;
    run->used = gr_seconds() - run->start;
    if (trial->scores)
        GR_TRY(gr_auto_scores_put(run, key, trial->scores, &hash, err));
    return known ? GRADUS_OK : put_journal(run, trial, key, hash, err);
}
