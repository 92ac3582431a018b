/* SPDX-License-Identifier: Apache-2.0 */
/* The results of a search: ranked trials and methods, tests, and the final model. */
#include "experiments/tuning.h"

#include "base/memory.h"
#include "base/special.h"
#include "experiments/best_probability.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 1024 };

/* Copies a string; the copy belongs to the tuning. NULL: out of memory. */
static const char *keep_text(gradus_tuning *tuning, const char *text)
{
    if (tuning->text_count == tuning->text_room) {
        const size_t room = tuning->text_room ? 2 * tuning->text_room : 64;
        char **texts = realloc(tuning->texts, room * sizeof *texts);

        if (!texts)
            return NULL;
        tuning->texts = texts;
        tuning->text_room = room;
    }
    char *copy = strdup(text);

    if (copy)
        tuning->texts[tuning->text_count++] = copy;
    return copy;
}

static gradus_status make_trial(gradus_tuning *tuning, const gr_entrant *entrant, size_t setting,
                                gradus_trial *trial, gradus_error *err)
{
    const gr_record *record = &entrant->records[setting];

    *trial = (gradus_trial){
        .method = keep_text(tuning, entrant->method),
        .settings = keep_text(tuning, gr_setting_words(entrant->settings.list[setting])),
        .valid = record->failed ? (double)NAN : record->valid,
        .error = record->failed ? (double)NAN : record->error,
        .rounds = record->failed ? (double)NAN : record->rounds,
        .part = (size_t)record->part,
        .seconds = record->seconds,
        .failed = keep_text(tuning, record->failed ? record->failed : ""),
    };
    return trial->method && trial->settings && trial->failed ? GRADUS_OK
                                                             : gr_fail_memory(err, "trials");
}

/* Whether a trial ranks before another. */
static bool goes_before(const gr_tuning_run *run, const gradus_trial *a, const gradus_trial *b)
{
    const bool first = !*a->failed, second = !*b->failed;

    if (first != second || !first)
        return first && !second;
    return a->part != b->part ? a->part < b->part : gr_tuning_better(run, a->valid, b->valid);
}

/* Moves the last element to its rank in the list, after its equals. */
static void sink_trial(const gr_tuning_run *run, gradus_trial *trials, size_t last)
{
    const gradus_trial trial = trials[last];
    size_t at = last;

    for (; at > 0 && goes_before(run, &trial, &trials[at - 1]); at--)
        trials[at] = trials[at - 1];
    trials[at] = trial;
}

static gradus_status list_trials(const gr_tuning_run *run, gradus_tuning *tuning, gradus_error *err)
{
    size_t all = 0;

    for (size_t e = 0; e < run->count; e++)
        all += run->entrants[e].record_count;
    tuning->trials = gr_new_array(all, sizeof *tuning->trials);
    if (!tuning->trials)
        return gr_fail_memory(err, "trials");
    for (size_t e = 0; e < run->count; e++)
        for (size_t s = 0; s < run->entrants[e].record_count; s++) {
            if (!run->entrants[e].records[s].complete)
                continue;
            GR_TRY(make_trial(tuning, &run->entrants[e], s, &tuning->trials[tuning->trial_count],
                              err));
            sink_trial(run, tuning->trials, tuning->trial_count++);
        }
    return GRADUS_OK;
}

/* The final: a cross-validation of the best settings, whose test results are reported. */
typedef struct final {
    gr_crossval cv;
    gr_cv_candidate *candidates;
    const char **settings;
    char (*words)[WORDS]; /* settings with the number of rounds found */
    gr_leaderboard_entry *leaderboard;
    size_t *entry_of; /* candidate of each entrant; SIZE_MAX: none */
} final;

static void end_final(final *f)
{
    gr_leaderboard_free(f->leaderboard, f->cv.count);
    free(f->candidates);
    free(f->settings);
    free(f->words);
    free(f->entry_of);
}

/* Settings with the best number of rounds and the transform fixed, for training without validation
 * data. */
static gradus_status fix_choices(const gr_crossval *cv, const gr_entrant *entrant, size_t setting,
                                 char words[WORDS], gradus_error *err)
{
    const char *settings = entrant->settings.list[setting];
    gradus_options *options = gr_crossval_options(cv, settings, err);
    const double rounds = entrant->records[setting].rounds;
    bool by_rounds = false;
    const gradus_status status =
        options ? gr_trial_by_rounds(options, &by_rounds, err) : err->status;

    gradus_options_free(options);
    const char *chosen = entrant->records[setting].chosen;
    const int length = snprintf(words, WORDS, "%s%s%s", settings, *chosen ? " " : "", chosen);

    if (status == GRADUS_OK && by_rounds && length > 0 && length < WORDS)
        snprintf(words + length, WORDS - (size_t)length, " rounds=%.0f patience=0 keep=last",
                 rounds >= 1.0 ? floor(rounds + 0.5) : 1.0);
    return status;
}

/* The settings of a method in the final: all those trained to the end, of which each fold selects
 * one; or, with a separate test set, only the best, which is trained again. */
static gradus_status enter(const gr_tuning_run *run, size_t e, final *f, size_t *used,
                           gradus_error *err)
{
    const gr_entrant *entrant = &run->entrants[e];
    const size_t best = gr_entrant_best(run, entrant), before = *used;
    const char **settings = f->settings + before;

    if (best == SIZE_MAX)
        return GRADUS_OK;
    if (run->data.test) {
        GR_TRY(fix_choices(&run->cv, entrant, best, f->words[e], err));
        f->settings[(*used)++] = f->words[e];
    }
    for (size_t s = 0; !run->data.test && s < entrant->record_count; s++) {
        const gr_record *record = &entrant->records[s];

        if (record->complete && record->part == 1 && !record->failed)
            f->settings[(*used)++] = entrant->settings.list[s];
    }
    if (*used == before)
        return GRADUS_OK;
    f->settings[(*used)++] = NULL;
    f->entry_of[e] = f->cv.count;
    f->candidates[f->cv.count++] = (gr_cv_candidate){ entrant->method, settings };
    return GRADUS_OK;
}

static gradus_status hold_final(const gr_tuning_run *run, final *f, gradus_error *err)
{
    size_t all = 0, used = 0;

    *f = (final){ .cv = run->cv };
    for (size_t e = 0; e < run->count; e++)
        all += run->entrants[e].record_count + 2;
    f->candidates = gr_new_array(run->count, sizeof *f->candidates);
    f->settings = gr_new_array(all, sizeof *f->settings);
    f->words = gr_new_array(run->count, sizeof *f->words);
    f->entry_of = gr_new_array(run->count, sizeof *f->entry_of);
    if (!f->candidates || !f->settings || !f->words || !f->entry_of)
        return gr_fail_memory(err, "the leaderboard");
    for (size_t e = 0; e < run->count; e++) {
        f->entry_of[e] = SIZE_MAX;
        GR_TRY(enter(run, e, f, &used, err));
    }
    f->cv.candidates = f->candidates;
    f->cv.clock = NULL;
    if (run->data.test) {
        f->cv.folds = &run->data.refit;
        f->cv.fold_count = 1;
    }
    return gr_crossval_run(run->context, &f->cv, run->journal, &f->leaderboard, err);
}

/* The mean over test queries and its confidence interval. */
static void put_test(const gr_leaderboard_entry *entry, gradus_place *place)
{
    size_t counted = 0;

    place->bytes = entry->bytes;
    if (entry->measures == 0)
        return;
    for (size_t q = 0; q < entry->queries; q++)
        counted += isnan(entry->values[q]) ? 0 : 1;
    place->queries = counted;
    place->test = entry->mean[0];
    if (counted > 1) {
        const double reach = entry->error[0] * gr_student_quantile(0.975, (double)(counted - 1));

        place->test_low = place->test - reach;
        place->test_high = place->test + reach;
    }
}

static const char *why_not(const gr_entrant *entrant)
{
    if (entrant->failed)
        return entrant->failed;
    for (size_t s = 0; s < entrant->record_count; s++)
        if (entrant->records[s].failed)
            return entrant->records[s].failed;
    return "its defaults were not trained to the end within the time budget";
}

static gradus_status make_place(const gr_tuning_run *run, gradus_tuning *tuning, size_t e,
                                const final *f, gradus_place *place, gradus_error *err)
{
    const gr_entrant *entrant = &run->entrants[e];
    const size_t best = gr_entrant_best(run, entrant);

    *place = (gradus_place){ .bytes = (double)NAN,
                             .test = (double)NAN,
                             .test_low = (double)NAN,
                             .test_high = (double)NAN,
                             .p = (double)NAN,
                             .p_adjusted = (double)NAN,
                             .prob_best = (double)NAN };
    for (size_t s = 0; s < entrant->record_count; s++) {
        place->trials += entrant->records[s].complete;
        place->seconds += entrant->records[s].seconds;
    }
    if (best == SIZE_MAX) {
        place->best = (gradus_trial){ .method = keep_text(tuning, entrant->method),
                                      .settings = "",
                                      .valid = (double)NAN,
                                      .error = (double)NAN,
                                      .rounds = (double)NAN,
                                      .failed = keep_text(tuning, why_not(entrant)) };
        return place->best.method && place->best.failed ? GRADUS_OK
                                                        : gr_fail_memory(err, "the leaderboard");
    }
    GR_TRY(make_trial(tuning, entrant, best, &place->best, err));
    if (f->entry_of[e] != SIZE_MAX)
        put_test(&f->leaderboard[f->entry_of[e]], place);
    return GRADUS_OK;
}

/* p-values of each method against the first, with Holm's correction. order: the entrant of each
 * row. */
static gradus_status compare(const gr_tuning_run *run, gradus_tuning *tuning, const final *f,
                             const size_t *order, gradus_error *err)
{
    const size_t count = tuning->place_count, winner = f->entry_of[order[0]];
    double *p = gr_new_array(count, sizeof *p);
    gradus_status status = p ? GRADUS_OK : gr_fail_memory(err, "p-values");

    for (size_t i = 0; status == GRADUS_OK && i < count; i++) {
        const size_t other = f->entry_of[order[i]];
        gradus_contrast contrast;

        p[i] = (double)NAN;
        if (i == 0 || winner == SIZE_MAX || other == SIZE_MAX ||
            f->leaderboard[winner].measures == 0 ||
            f->leaderboard[other].queries != f->leaderboard[winner].queries)
            continue;
        status = gr_leaderboard_compare(run->context, &f->leaderboard[winner],
                                        &f->leaderboard[other], 0, "t", false, &contrast, err);
        if (status == GRADUS_OK)
            tuning->places[i].p = p[i] = contrast.p;
    }
    if (status == GRADUS_OK)
        status = gradus_adjust_p(p, count, p, err);
    for (size_t i = 0; status == GRADUS_OK && i < count; i++)
        tuning->places[i].p_adjusted = p[i];
    free(p);
    return status;
}

/* The values of the validation queries in a trial; NULL: not recorded. */
static const gr_json *valid_list(const gr_json *trial)
{
    const gr_json *lists = gr_json_find(trial, "valid_values");

    return lists && lists->count && gr_json_first(lists)->kind == GR_JSON_LIST
               ? gr_json_first(lists)
               : NULL;
}

/* The metric of each validation query, with the settings selected by each fold. *values NULL: not recorded, such as
 * in a journal of an earlier version. */
static gradus_status take_valid_values(const gr_tuning_run *run, const final *f, size_t candidate,
                                       double **values, size_t *count, gradus_error *err)
{
    const gr_leaderboard_entry *entry = &f->leaderboard[candidate];

    *values = NULL;
    *count = 0;
    for (size_t fold = 0; fold < f->cv.fold_count; fold++) {
        const gr_json *list = valid_list(
            gr_crossval_trial(&f->cv, run->journal, candidate, entry->chosen[fold], fold));
        size_t more = 0;
        double *numbers = list ? gr_json_numbers(list, &more) : NULL;
        double *all = numbers ? realloc(*values, (*count + more + 1) * sizeof *all) : NULL;

        if (all) {
            memcpy(all + *count, numbers, more * sizeof *all);
            *values = all;
            *count += more;
        }
        free(numbers);
        if (!all) {
            free(*values);
            *values = NULL;
            return list ? gr_fail_memory(err, "values of queries") : GRADUS_OK;
        }
    }
    return GRADUS_OK;
}

/* Methods whose values per query are known. */
typedef struct known {
    size_t count, queries;
    double **values; /* per method */
    bool owned;      /* the values are copies */
    size_t *row;     /* of the leaderboard */
} known;

static void end_known(known *k)
{
    for (size_t i = 0; k->owned && i < k->count; i++)
        free(k->values[i]);
    free(k->values);
    free(k->row);
}

/* Adds a method, unless its values are unknown or of other queries than the first one's. */
static gradus_status add_known(const gr_tuning_run *run, const final *f, size_t candidate,
                               size_t row, known *k, gradus_error *err)
{
    const gr_leaderboard_entry *entry = &f->leaderboard[candidate];
    double *values = entry->values;
    size_t queries = entry->queries;

    if (k->owned)
        GR_TRY(take_valid_values(run, f, candidate, &values, &queries, err));
    if (!values || (k->count && queries != k->queries)) {
        if (k->owned)
            free(values);
        return GRADUS_OK;
    }
    k->queries = queries;
    k->values[k->count] = values;
    k->row[k->count++] = row;
    return GRADUS_OK;
}

static gradus_status collect_known(const gr_tuning_run *run, const gradus_tuning *tuning,
                                   const final *f, const size_t *order, known *k, gradus_error *err)
{
    k->owned = isnan(tuning->places[0].test);
    k->values = gr_new_array(tuning->place_count, sizeof *k->values);
    k->row = gr_new_array(tuning->place_count, sizeof *k->row);
    if (!k->values || !k->row)
        return gr_fail_memory(err, "values of queries");
    for (size_t i = 0; i < tuning->place_count; i++) {
        const size_t candidate = f->entry_of[order[i]];

        if (candidate != SIZE_MAX)
            GR_TRY(add_known(run, f, candidate, i, k, err));
        if (i == 0 && k->count == 0) /* nothing is known of the winner */
            return GRADUS_OK;
    }
    return GRADUS_OK;
}

static gradus_status put_probabilities(const gr_tuning_run *run, gradus_tuning *tuning,
                                       const known *k, gradus_error *err)
{
    const gr_best_task task = { .methods = k->count,
                                .queries = k->queries,
                                .values = (const double *const *)k->values,
                                .lower_is_better = run->lower_is_better,
                                .seed = run->options.seed };
    double *probability = gr_new_array(k->count, sizeof *probability);
    bool *contender = gr_new_array(k->count, sizeof *contender);
    size_t counted = 0;
    gradus_status status = probability && contender ? GRADUS_OK : gr_fail_memory(err, "results");

    if (status == GRADUS_OK)
        status = gr_best_probability(run->context, &task, probability, &counted, err);
    if (status == GRADUS_OK && counted) {
        gr_best_contenders(probability, k->count, contender);
        for (size_t i = 0; i < k->count; i++) {
            tuning->places[k->row[i]].prob_best = probability[i];
            tuning->places[k->row[i]].contender = contender[i];
        }
        tuning->facts.best_on = k->owned ? "validation" : "test";
        tuning->facts.best_queries = counted;
    }
    free(probability);
    free(contender);
    return status;
}

/* The probability of each method to be the best. */
static gradus_status judge(const gr_tuning_run *run, gradus_tuning *tuning, const final *f,
                           const size_t *order, gradus_error *err)
{
    known k = { .count = 0 };
    gradus_status status =
        tuning->place_count > 1 ? collect_known(run, tuning, f, order, &k, err) : GRADUS_OK;

    if (status == GRADUS_OK && k.count > 1)
        status = put_probabilities(run, tuning, &k, err);
    end_known(&k);
    return status;
}

/* Ranks the methods, best first. */
static gradus_status list_places(const gr_tuning_run *run, gradus_tuning *tuning, const final *f,
                                 size_t *order, gradus_error *err)
{
    tuning->places = gr_new_array(run->count, sizeof *tuning->places);
    if (!tuning->places)
        return gr_fail_memory(err, "the leaderboard");
    for (size_t e = 0; e < run->count; e++) {
        gradus_place place;
        size_t at = tuning->place_count++;

        GR_TRY(make_place(run, tuning, e, f, &place, err));
        for (; at > 0 && goes_before(run, &place.best, &tuning->places[at - 1].best); at--) {
            tuning->places[at] = tuning->places[at - 1];
            order[at] = order[at - 1];
        }
        tuning->places[at] = place;
        order[at] = e;
    }
    if (*tuning->places[0].best.failed)
        return run->count == 1
                   ? gr_fail(err, GRADUS_BAD_ARGUMENT, "%.400s", tuning->places[0].best.failed)
                   : gr_fail(err, GRADUS_BAD_ARGUMENT, "no method can be trained; %s: %.400s",
                             tuning->places[0].best.method, tuning->places[0].best.failed);
    return compare(run, tuning, f, order, err);
}

static gradus_status train_on(const gr_tuning_run *run, gradus_tuning *tuning, const gr_fold *data,
                              const char *words, gradus_error *err)
{
    gr_crossval cv = run->cv;
    char common[64];

    snprintf(common, sizeof common, "seed=%llu%s", (unsigned long long)run->options.seed,
             run->options.one_query ? " one-query=true" : "");
    cv.common = common; /* evaluates the training data, too, for the learning curve */
    gradus_options *options = gr_crossval_options(&cv, words, err);

    if (options)
        tuning->model = gradus_train(run->context, data->train, data->valid, options, err);
    gradus_options_free(options);
    tuning->facts.refit_queries = gradus_dataset_queries(data->train);
    return tuning->model ? GRADUS_OK : err->status;
}

/* Trains the final model with the best settings. Methods that require validation data are trained
 * as on the first fold. */
static gradus_status train_again(const gr_tuning_run *run, gradus_tuning *tuning, size_t e,
                                 gradus_error *err)
{
    const gr_entrant *entrant = &run->entrants[e];
    const size_t best = gr_entrant_best(run, entrant);
    const char *settings = entrant->settings.list[best];
    const gr_fold *data = &run->data.refit;
    char words[WORDS];

    if (!data->valid) {
        GR_TRY(fix_choices(&run->cv, entrant, best, words, err));
        const gradus_status status = train_on(run, tuning, data, words, err);

        if (status != GRADUS_BAD_ARGUMENT)
            return status;
        data = &run->data.folds.folds[0];
    }
    return train_on(run, tuning, data, settings, err);
}

static gradus_status describe(const gr_tuning_run *run, gradus_tuning *tuning, gradus_error *err)
{
    tuning->metric = strdup(run->options.metric);
    tuning->convention = strdup(run->gains.convention);
    tuning->log_scale = strdup(run->log_scale);
    if (!tuning->metric || !tuning->convention || !tuning->log_scale)
        return gr_fail_memory(err, "results");
    tuning->facts = (gradus_tuning_facts){ .metric = tuning->metric,
                                           .convention = tuning->convention,
                                           .log_scale = tuning->log_scale,
                                           .lower_is_better = run->lower_is_better,
                                           .folds = run->data.folds.count,
                                           .best_on = "",
                                           .out_of_time = run->out_of_time };
    return GRADUS_OK;
}

gradus_status gr_tuning_results(gr_tuning_run *run, gradus_tuning *tuning, gradus_error *err)
{
    size_t *order = gr_new_array(run->count, sizeof *order);
    final f;
    gradus_status status;

    if (!order)
        return gr_fail_memory(err, "the leaderboard");
    run->weight_now = 0.0;
    status = hold_final(run, &f, err);
    if (status == GRADUS_OK)
        status = describe(run, tuning, err);
    if (status == GRADUS_OK)
        status = list_trials(run, tuning, err);
    if (status == GRADUS_OK)
        status = list_places(run, tuning, &f, order, err);
    if (status == GRADUS_OK)
        status = judge(run, tuning, &f, order, err);
    if (status == GRADUS_OK && run->options.refit != GR_REFIT_NONE)
        status = train_again(run, tuning, order[0], err);
    end_final(&f);
    free(order);
    return status;
}
