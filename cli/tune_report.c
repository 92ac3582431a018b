/* SPDX-License-Identifier: Apache-2.0 */
/* The results of `gradus tune`, as tables or lines of JSON. */
#include "print_table.h"
#include "cmd_tune.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_NAMES = 14, NAME = 40, USUAL_TRIALS = 20 };

static void number_cell(table *t, double number, const char *format)
{
    char shown[64];

    if (isnan(number)) {
        table_cell(t, "%s", "");
        return;
    }
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    snprintf(shown, sizeof shown, format, number);
#pragma GCC diagnostic pop
    table_cell(t, "%s", shown);
}

/* 34 kB */
static void bytes_cell(table *t, double bytes)
{
    if (isnan(bytes))
        table_cell(t, "%s", "");
    else if (bytes < 1e6)
        table_cell(t, "%.1f kB", bytes / 1e3);
    else
        table_cell(t, "%.1f MB", bytes / 1e6);
}

static void p_cell(table *t, double p)
{
    if (!isnan(p) && p > 0.0 && p < 0.001)
        number_cell(t, p, "%.1e");
    else
        number_cell(t, p, "%.3f");
}

/* The next word "name=value" of settings; false at the end. */
static bool next_word(const char **settings, char name[NAME], char value[NAME])
{
    const size_t length = strcspn(*settings, " "), equals = strcspn(*settings, "=");

    if (!**settings)
        return false;
    snprintf(name, NAME, "%.*s", (int)equals, *settings);
    snprintf(value, NAME, "%.*s", (int)(length - equals - 1), *settings + equals + 1);
    *settings += length + strspn(*settings + length, " ");
    return true;
}

/* The value of a setting; "" if it is absent. */
static const char *value_of(const char *settings, const char *wanted, char value[NAME])
{
    char name[NAME];

    while (next_word(&settings, name, value))
        if (strcmp(name, wanted) == 0)
            return value;
    return "";
}

/* The names of the settings in the trials shown; false: too many for columns. */
static bool collect_names(const gradus_tuning *tuning, size_t shown, char names[][NAME],
                          size_t *count)
{
    gradus_trial trial;
    char name[NAME], value[NAME];

    *count = 0;
    for (size_t i = 0; i < shown && gradus_tuning_trial_at(tuning, i, &trial); i++) {
        const char *at = trial.settings;

        while (next_word(&at, name, value)) {
            size_t n = 0;

            while (n < *count && strcmp(names[n], name) != 0)
                n++;
            if (n == MAX_NAMES)
                return false;
            if (n == *count)
                memcpy(names[(*count)++], name, NAME);
        }
    }
    return true;
}

/* Whether all trials shown have the same value of a setting. */
static bool is_fixed(const gradus_tuning *tuning, size_t shown, const char *name)
{
    gradus_trial trial;
    char first[NAME], value[NAME];

    if (!gradus_tuning_trial_at(tuning, 0, &trial) || !gradus_tuning_trial_at(tuning, 1, &trial))
        return false;
    for (size_t i = 0; i < shown && gradus_tuning_trial_at(tuning, i, &trial); i++) {
        const char *found = value_of(trial.settings, name, i ? value : first);

        if (!*found || (i && strcmp(first, value) != 0))
            return false;
    }
    return true;
}

/* Removes the settings that are equal in all trials, and prints them in one line. */
static size_t set_apart(text *t, const gradus_tuning *tuning, size_t shown, char names[][NAME],
                        size_t count)
{
    size_t kept = 0, fixed = 0;
    gradus_trial trial;
    char value[NAME];

    gradus_tuning_trial_at(tuning, 0, &trial);
    for (size_t n = 0; n < count; n++)
        if (is_fixed(tuning, shown, names[n]))
            text_format(t, "%s%s=%s", fixed++ ? " " : "all trials: ", names[n],
                        value_of(trial.settings, names[n], value));
        else
            memmove(names[kept++], names[n], NAME);
    text_add(t, fixed ? "\n\n" : "");
    return kept;
}

static void part_cell(table *t, const gradus_trial *trial)
{
    if (*trial->failed)
        table_cell(t, "failed");
    else if (trial->part > 1)
        table_cell(t, "1/%zu", trial->part);
    else
        table_cell(t, "all");
}

static void trial_cells(table *t, const gradus_trial *trial, bool folds)
{
    number_cell(t, trial->valid, "%.4f");
    if (folds)
        number_cell(t, trial->error, "%.4f");
    number_cell(t, trial->rounds, "%.0f");
    part_cell(t, trial);
    number_cell(t, trial->seconds, "%.1f");
}

static void trial_heads(table *t, const gradus_tuning_facts *facts)
{
    table_cell(t, "%s", facts->metric);
    if (facts->folds > 1)
        table_cell(t, "+-");
    table_cell(t, "rounds");
    table_cell(t, "trained");
    table_cell(t, "seconds");
}

/* Whether columns with these headers fit on the page. */
static bool fits(char names[][NAME], size_t count)
{
    enum { OTHERS = 50 }; /* columns that all trials have */
    size_t width = OTHERS;

    for (size_t n = 0; n < count; n++)
        width += 2 + (strlen(names[n]) > 6 ? strlen(names[n]) : 6);
    return width <= page_width(120);
}

/* Settings of the trials, one per line, if columns do not fit. */
static void add_words(text *t, const gradus_tuning *tuning, size_t shown)
{
    enum { NUMBER = 6 };
    gradus_trial trial;

    text_add(t, "\n");
    for (size_t i = 0; i < shown && gradus_tuning_trial_at(tuning, i, &trial); i++) {
        const size_t before = t->length;

        text_format(t, "%zu", i + 1);
        text_pad(t, NUMBER - (t->length - before < NUMBER ? t->length - before : NUMBER - 1));
        text_wrap(t, *trial.settings ? trial.settings : "all defaults", NUMBER, page_width(100));
        text_add(t, "\n");
    }
}

/* One column per setting if they fit, otherwise the settings below. */
static void add_trials(text *t, const gradus_tuning *tuning, const gradus_tuning_facts *facts,
                       size_t shown, bool methods)
{
    char names[MAX_NAMES + 1][NAME], value[NAME];
    size_t count;
    const bool columns = collect_names(tuning, shown, names, &count) && !methods;
    size_t own = columns ? set_apart(t, tuning, shown, names, count) : 0;
    const bool words = !columns || !fits(names, own);
    gradus_trial trial;
    table rows;

    own = words ? 0 : own;
    table_begin(&rows, 1 + own + (facts->folds > 1 ? 5u : 4u));
    table_cell(&rows, "trial");
    for (size_t n = 0; n < own; n++)
        table_cell(&rows, "%s", names[n]);
    trial_heads(&rows, facts);
    for (size_t i = 0; i < shown && gradus_tuning_trial_at(tuning, i, &trial); i++) {
        if (methods)
            table_cell(&rows, "%zu %s", i + 1, trial.method);
        else
            table_cell(&rows, "%zu", i + 1);
        for (size_t n = 0; n < own; n++)
            table_cell(&rows, "%s", value_of(trial.settings, names[n], value));
        trial_cells(&rows, &trial, facts->folds > 1);
    }
    table_end(&rows, t);
    if (words)
        add_words(t, tuning, shown);
}

static size_t count_places(const gradus_tuning *tuning)
{
    gradus_place place;
    size_t count = 0;

    while (gradus_tuning_place_at(tuning, count, &place))
        count++;
    return count;
}

static bool is_tested(const gradus_tuning *tuning)
{
    gradus_place place;

    return gradus_tuning_place_at(tuning, 0, &place) && !isnan(place.test);
}

static bool is_judged(const gradus_tuning *tuning)
{
    gradus_place place;

    return gradus_tuning_place_at(tuning, 0, &place) && !isnan(place.prob_best);
}

/* Whether a method was trained, but none of its settings to the end. */
static bool is_partial(const gradus_place *place)
{
    return !*place->best.failed && place->best.part > 1;
}

static bool any_partial(const gradus_tuning *tuning)
{
    gradus_place place;
    bool any = false;

    for (size_t i = 0; gradus_tuning_place_at(tuning, i, &place); i++)
        any = any || is_partial(&place);
    return any;
}

static void place_cells(table *t, const gradus_place *place, bool folds, bool tested, bool judged)
{
    table_cell(t, "%s", place->best.method);
    number_cell(t, place->best.valid, "%.4f");
    if (folds)
        number_cell(t, place->best.error, "%.4f");
    if (tested) {
        number_cell(t, place->test, "%.4f");
        if (isnan(place->test_low))
            table_cell(t, "%s", "");
        else
            table_cell(t, "%.4f to %.4f", place->test_low, place->test_high);
        p_cell(t, place->p_adjusted);
    }
    if (judged)
        number_cell(t, place->prob_best, "%.3f");
    number_cell(t, place->best.rounds, "%.0f");
    bytes_cell(t, place->bytes);
    table_cell(t, "%zu", place->trials);
    number_cell(t, place->seconds, "%.1f");
}

static void add_places(text *t, const gradus_tuning *tuning, const gradus_tuning_facts *facts)
{
    static const char *const heads[] = { "test", "95% interval", "p" };
    static const char *const ends[] = { "rounds", "size", "trials", "seconds" };
    const bool tested = is_tested(tuning), judged = is_judged(tuning), folds = facts->folds > 1;
    gradus_place place;
    table rows;

    table_begin(&rows, 6u + (folds ? 1u : 0u) + (tested ? 3u : 0u) + (judged ? 1u : 0u));
    table_cell(&rows, "method");
    table_cell(&rows, "valid");
    if (folds)
        table_cell(&rows, "+-");
    for (size_t i = 0; tested && i < 3; i++)
        table_cell(&rows, "%s", heads[i]);
    if (judged)
        table_cell(&rows, "P(best)");
    for (size_t i = 0; i < 4; i++)
        table_cell(&rows, "%s", ends[i]);
    for (size_t i = 0; gradus_tuning_place_at(tuning, i, &place); i++)
        place_cells(&rows, &place, folds, tested, judged);
    table_end(&rows, t);
}

/* The best settings of each method, or why it failed. */
static void add_settings(text *t, const gradus_tuning *tuning)
{
    const size_t width = page_width(100);
    gradus_place place;
    size_t widest = 0;

    for (size_t i = 0; gradus_tuning_place_at(tuning, i, &place); i++)
        if (strlen(place.best.method) > widest)
            widest = strlen(place.best.method);
    text_add(t, "\nBest settings of each method:\n");
    for (size_t i = 0; gradus_tuning_place_at(tuning, i, &place); i++) {
        text line = { NULL, 0, 0 };

        if (is_partial(&place))
            text_format(&line, "(1/%zu of a training) ", place.best.part);
        text_add(&line, *place.best.failed     ? place.best.failed
                        : *place.best.settings ? place.best.settings
                                               : "all defaults");
        text_format(t, "  %s", place.best.method);
        text_pad(t, widest - strlen(place.best.method) + 2);
        text_wrap(t, text_string(&line), widest + 4, width);
        text_add(t, "\n");
        text_free(&line);
    }
}

static void add_paragraph(text *t, const char *words)
{
    text_add(t, "\n");
    text_wrap(t, words, 0, page_width(100));
    text_add(t, "\n");
}

static void add_notes(text *t, const gradus_tuning *tuning, const gradus_tuning_facts *facts,
                      bool methods)
{
    if (methods)
        tune_verdict(t, tuning, page_width(100));
    if (methods && is_tested(tuning))
        add_paragraph(t, is_judged(tuning)
                             ? "P(best): probability of being the best method. p: paired t test on "
                               "the test queries against the first method, the best on validation "
                               "data, with Holm's correction."
                             : "p: paired t test on the test queries against the first method, the "
                               "best on validation data, with Holm's correction.");
    else if (methods)
        text_add(t, "\nFor p-values, add test data: --test FILE or --folds K.\n");
    if (methods && any_partial(tuning))
        add_paragraph(t, "Methods with no setting trained to the end come after all others, "
                         "whatever their value.");
    if (facts->out_of_time)
        add_paragraph(t, "The time budget was used up: another run may finish more or fewer "
                         "trials.");
}

static void add_test(text *t, const gradus_tuning *tuning, const gradus_tuning_facts *facts)
{
    gradus_place place;

    if (!is_tested(tuning) || !gradus_tuning_place_at(tuning, 0, &place))
        return;
    text_format(t, "\n%s on %s test queries: %.4f", facts->metric, with_commas(place.queries),
                place.test);
    if (!isnan(place.test_low))
        text_format(t, ", 95%% interval %.4f to %.4f", place.test_low, place.test_high);
    text_add(t, "\n");
}

size_t tune_trials(const arguments *given, bool methods, bool *good)
{
    const char *asked = argument(given, "trials");
    uint64_t count = methods ? 0 : USUAL_TRIALS;

    *good = !asked || parse_count(asked, 1000000, &count);
    return (size_t)count;
}

/* What the model was trained on, and for how many rounds. */
static void add_model(text *t, const char *path, const gradus_tuning *tuning,
                      const gradus_tuning_facts *facts)
{
    gradus_place first;
    gradus_model_info model;

    gradus_tuning_place_at(tuning, 0, &first);
    gradus_model_describe(gradus_tuning_model(tuning), &model);
    text_format(t, "\nmodel: %s, trained on %s", first.best.method,
                counted(facts->refit_queries, "query", "queries"));
    if (model.rounds > 1)
        text_format(t, " for %s%s", counted(model.rounds, "round", "rounds"),
                    facts->folds > 1 && !model.best_round ? " (mean of the folds)" : "");
    text_format(t, ", written to '%s'\n", path);
}

static void add_tables(text *t, const arguments *given, const gradus_tuning *tuning)
{
    const bool methods = count_places(tuning) > 1;
    bool good;
    const size_t shown = tune_trials(given, methods, &good);
    gradus_tuning_facts facts;
    gradus_place first;

    gradus_tuning_describe(tuning, &facts);
    gradus_tuning_place_at(tuning, 0, &first);
    text_format(t, "%s, convention %s, %s is better; %zu %s\n\n", facts.metric, facts.convention,
                facts.lower_is_better ? "lower" : "higher", facts.folds,
                plural(facts.folds, "fold", "folds"));
    if (methods)
        add_places(t, tuning, &facts);
    if (methods)
        add_settings(t, tuning);
    if (methods && shown)
        text_add(t, "\n");
    if (shown)
        add_trials(t, tuning, &facts, shown, methods);
    if (!methods && shown && first.trials > shown)
        text_format(t, "(%zu more: --trials %zu)\n", first.trials - shown, first.trials);
    if (!methods)
        add_test(t, tuning, &facts);
    add_notes(t, tuning, &facts, methods);
    if (argument(given, "output"))
        add_model(t, argument(given, "output"), tuning, &facts);
}

static void json_settings(json *j, const char *settings)
{
    char name[NAME], value[NAME];

    json_open(j, "settings", '{');
    while (next_word(&settings, name, value))
        json_setting(j, name, value);
    json_close(j, '}');
}

static void json_trial(json *j, const gradus_trial *trial)
{
    json_string(j, "method", trial->method);
    json_settings(j, trial->settings);
    json_number(j, "valid", trial->valid);
    json_number(j, "error", trial->error);
    json_number(j, "rounds", trial->rounds);
    if (*trial->failed)
        json_string(j, "failed", trial->failed);
}

static void json_place(json *j, const gradus_place *place)
{
    json_trial(j, &place->best);
    json_count(j, "part", place->best.part);
    json_count(j, "trials", place->trials);
    json_number(j, "test", place->test);
    json_count(j, "test_queries", place->queries);
    json_number(j, "test_low", place->test_low);
    json_number(j, "test_high", place->test_high);
    json_number(j, "p", place->p);
    json_number(j, "p_adjusted", place->p_adjusted);
    json_number(j, "prob_best", place->prob_best);
    json_bool(j, "contender", place->contender);
    json_number(j, "bytes", place->bytes);
    json_number(j, "seconds", place->seconds);
}

static json begin_event(text *t, const char *event, size_t rank)
{
    json j = JSON_TO(t);

    json_open(&j, NULL, '{');
    json_string(&j, "event", event);
    if (rank)
        json_count(&j, "rank", rank);
    return j;
}

static void add_events(text *t, const arguments *given, const gradus_tuning *tuning)
{
    gradus_tuning_facts facts;
    gradus_model_info model;
    gradus_trial trial;
    gradus_place place;
    json j;

    for (size_t i = 0; gradus_tuning_trial_at(tuning, i, &trial); i++) {
        j = begin_event(t, "trial", i + 1);
        json_trial(&j, &trial);
        json_count(&j, "part", trial.part);
        json_number(&j, "seconds", trial.seconds);
        json_close(&j, '}');
        text_add(t, "\n");
    }
    for (size_t i = 0; gradus_tuning_place_at(tuning, i, &place); i++) {
        j = begin_event(t, "place", i + 1);
        json_place(&j, &place);
        json_close(&j, '}');
        text_add(t, "\n");
    }
    gradus_tuning_describe(tuning, &facts);
    j = begin_event(t, "done", 0);
    json_string(&j, "metric", facts.metric);
    json_string(&j, "convention", facts.convention);
    json_bool(&j, "lower_is_better", facts.lower_is_better);
    json_count(&j, "folds", facts.folds);
    json_string(&j, "log_scale", facts.log_scale);
    json_string(&j, "best_on", facts.best_on);
    json_count(&j, "best_queries", facts.best_queries);
    json_bool(&j, "out_of_time", facts.out_of_time);
    if (argument(given, "output")) {
        json_string(&j, "model", argument(given, "output"));
        json_count(&j, "trained_on_queries", facts.refit_queries);
        gradus_model_describe(gradus_tuning_model(tuning), &model);
        json_count(&j, "trained_rounds", model.rounds);
    }
    json_string(&j, "command", given->typed);
    json_close(&j, '}');
    text_add(t, "\n");
}

int tune_report(const arguments *given, const gradus_tuning *tuning)
{
    text t = { 0 };

    if (given->json)
        add_events(&t, given, tuning);
    else
        add_tables(&t, given, tuning);
    return print_text(&t);
}
