/* SPDX-License-Identifier: Apache-2.0 */
/* The results of `gradus auto`, as text or lines of JSON. */
#include "cmd_auto.h"
#include "cmd_tune.h"
#include "print_table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INDENT = 12 };

static size_t wide(void)
{
    return page_width(100);
}

/* A line "name   paragraph". */
static void add_line(text *t, const char *name, const text *paragraph)
{
    text_add(t, name);
    text_pad(t, INDENT - strlen(name));
    text_wrap(t, text_string(paragraph), INDENT, wide());
    text_add(t, "\n");
}

static void add_interval(text *t, const gradus_interval *interval)
{
    text_format(t, "%.4f", interval->mean);
    if (!isnan(interval->low))
        text_format(t, " [%.4f, %.4f]", interval->low, interval->high);
}

static void add_p(text *t, double p)
{
    if (isnan(p))
        return;
    if (p < 0.001)
        text_format(t, " (p %.1e)", p);
    else
        text_format(t, " (p %.3f)", p);
}

/* Of a row: the settings and what was chosen from the data. */
static void add_settings(text *t, const gradus_auto_member *m)
{
    text_add(t, *m->failed ? m->failed : *m->settings ? m->settings : "defaults");
    if (*m->chosen && !*m->failed)
        text_format(t, "; %s", m->chosen);
}

static void add_members(text *t, const gradus_auto_result *result, const gradus_auto_facts *facts,
                        size_t others)
{
    gradus_auto_member m;
    table rows;

    table_begin(&rows, 4);
    table_cell(&rows, "method");
    table_cell(&rows, "weight");
    table_cell(&rows, "%s", facts->metric);
    table_cell(&rows, "+-");
    for (size_t i = 0; i < facts->members + others && gradus_auto_member_at(result, i, &m); i++) {
        table_cell(&rows, "%s", m.method);
        table_cell(&rows, "%.3f", m.weight);
        if (*m.failed) {
            table_cell(&rows, "failed");
            table_cell(&rows, "%s", "");
        } else {
            table_cell(&rows, "%.4f", m.value);
            table_cell(&rows, "%.4f", m.error);
        }
    }
    table_end(&rows, t);
    text_add(t, "\n");
    for (size_t i = 0; i < facts->members + others && gradus_auto_member_at(result, i, &m); i++) {
        text line = { NULL, 0, 0 };
        char number[24];

        add_settings(&line, &m);
        snprintf(number, sizeof number, "%zu", i + 1);
        text_format(t, "%-3s %-18s ", number, m.method);
        text_wrap(t, text_string(&line), 23, wide());
        text_add(t, "\n");
        text_free(&line);
    }
}

/* "the ensemble is 0.0071 better (p 0.012): a significant difference" */
static void add_verdict(text *t, double difference, double p, bool lower_is_better, bool judged)
{
    const double gain = lower_is_better ? -difference : difference;

    text_format(t, "the ensemble is %.4f %s", fabs(gain), gain < 0.0 ? "worse" : "better");
    add_p(t, p);
    if (!isnan(p) && judged)
        text_add(t, p < 0.05 ? ": significant" : ": not significant");
}

static void add_expected(text *t, const gradus_auto_facts *facts)
{
    text line = { NULL, 0, 0 };

    text_format(&line, "%s ", facts->metric);
    add_interval(&line, &facts->expected);
    text_format(&line, " on new queries (95%% interval, from %s held-out %s)",
                with_commas(facts->held_queries), plural(facts->held_queries, "query", "queries"));
    add_line(t, "expected", &line);
    text_free(&line);
    text_format(&line, "best single model: %s%s%s, ", facts->single_method,
                *facts->single_settings ? " " : "", facts->single_settings);
    add_interval(&line, &facts->single);
    if (facts->members > 1 || facts->fell_back) {
        text_add(&line, "; ");
        add_verdict(&line, facts->difference, facts->p, facts->lower_is_better, !facts->fell_back);
        text_add(&line, facts->fell_back ? ", so this model is used alone" : "");
    }
    add_line(t, "single", &line);
    text_free(&line);
}

static void add_test(text *t, const gradus_auto_facts *facts)
{
    text line = { NULL, 0, 0 };

    if (isnan(facts->test.mean))
        return;
    text_format(&line, "%s ", facts->metric);
    add_interval(&line, &facts->test);
    if (facts->members > 1) {
        text_add(&line, ", best single model ");
        add_interval(&line, &facts->single_test);
        text_add(&line, "; ");
        add_verdict(&line, facts->test_difference, facts->test_p, facts->lower_is_better, true);
    }
    add_line(t, "test", &line);
    text_free(&line);
}

static void add_seconds(text *t, double seconds)
{
    if (seconds >= 100.0)
        text_format(t, "%d min %02d s", (int)(seconds / 60.0), (int)fmod(seconds, 60.0));
    else
        text_format(t, "%.1f s", seconds);
}

static void add_cost(text *t, const gradus_auto_facts *facts)
{
    text line = { NULL, 0, 0 };

    text_format(&line, "%s, %s each, ", counted(facts->trials, "setting", "settings"),
                counted(facts->folds, "model", "models"));
    if (facts->max_rounds)
        text_format(&line, "at most %s, ", counted(facts->max_rounds, "round", "rounds"));
    add_seconds(&line, facts->search_seconds);
    text_add(&line, "; final training ");
    add_seconds(&line, facts->refit_seconds);
    add_line(t, "cost", &line);
    text_free(&line);
    if (*facts->skipped) {
        for (const char *name = facts->skipped; *name; name++)
            text_add_bytes(&line, *name == ',' ? ", " : name, *name == ',' ? 2 : 1);
        text_format(&line, ": the budget was not enough for %s defaults",
                    strchr(facts->skipped, ',') ? "their" : "its");
        add_line(t, "not tried", &line);
        text_free(&line);
    }
    if (isnan(facts->row_seconds))
        return;
    text_format(&line, "%.2g us per document", facts->row_seconds * 1e6);
    if (facts->members > 1)
        text_format(&line, ", %.1f times as long as the best single model",
                    facts->row_seconds / facts->single_row_seconds);
    add_line(t, "scoring", &line);
    text_free(&line);
}

static void add_model(text *t, const arguments *given, const gradus_auto_facts *facts)
{
    text line = { NULL, 0, 0 };

    if (facts->members > 1)
        text_format(&line, "ensemble of %zu models", facts->members);
    else
        text_format(&line, "one model, %s", facts->single_method);
    text_format(&line, ", %s grade probabilities; written to '%s'",
                facts->probabilities ? "with" : "without", argument(given, "output"));
    add_line(t, "model", &line);
    text_free(&line);
    if (argument(given, "report")) {
        text_format(&line, "%s", argument(given, "report"));
        add_line(t, "report", &line);
        text_free(&line);
    }
}

/* The length of a word of a command, in which quoted text may have spaces. */
static size_t word_length(const char *at)
{
    bool quoted = false;
    size_t length = 0;

    for (; at[length] && (quoted || at[length] != ' '); length++)
        if (at[length] == '\'')
            quoted = !quoted;
        else if (at[length] == '\\' && !quoted && at[length + 1])
            length++;
    return length;
}

/* The length of an option with its value, if this word begins one; otherwise 0. */
static size_t option_at(const char *at, const char *name)
{
    const size_t length = strlen(name), first = word_length(at);

    if (strncmp(at, name, length) != 0 || (at[length] != ' ' && at[length] != '='))
        return 0;
    return first + (at[length] == ' ' ? 1 + word_length(at + first + 1) : 0);
}

/* The command with a budget of trials, the methods that were tried and the rounds that they were
 * given, in place of a time. */
static void add_repetition(text *t, const arguments *given, const gradus_auto_facts *facts)
{
    static const char *const replaced[] = { "--methods", "--max-rounds" };

    for (const char *at = given->typed; *at; at += *at == ' ') {
        const size_t budget = option_at(at, "--budget"), word = word_length(at);
        const char *before = at == given->typed ? "" : " ";
        size_t other = 0;

        for (size_t i = 0; i < sizeof replaced / sizeof replaced[0]; i++)
            other += option_at(at, replaced[i]);
        if (budget) {
            text_format(t, "%s--budget %zu --methods %s", before, facts->trials, facts->methods);
            if (facts->repeat_folds)
                text_format(t, " --folds %zu", facts->repeat_folds);
            if (facts->max_rounds)
                text_format(t, " --max-rounds %zu", facts->max_rounds);
        } else if (!other) {
            text_add(t, before);
            text_add_bytes(t, at, word);
        }
        at += budget + other ? budget + other : word;
    }
}

static bool is_timed(const arguments *given)
{
    const char *budget = gradus_options_value(options_of(given, "auto"), "budget");

    return budget[strspn(budget, "0123456789")] != '\0' && strstr(given->typed, "--budget");
}

static void add_text(text *t, const arguments *given, const gradus_auto_result *result)
{
    gradus_auto_facts facts;
    const char *warning;
    bool good;
    const size_t others = tune_trials(given, true, &good);

    gradus_auto_describe(result, &facts);
    for (size_t i = 0; (warning = gradus_auto_warning_at(result, i)); i++) {
        text line = { NULL, 0, 0 };

        text_add(&line, warning);
        add_line(t, "warning", &line);
        text_free(&line);
    }
    text_format(t, "%s%s, convention %s, %s is better\n\n",
                gradus_auto_warning_at(result, 0) ? "\n" : "", facts.metric, facts.convention,
                facts.lower_is_better ? "lower" : "higher");
    add_members(t, result, &facts, others);
    text_add(t, "\n");
    add_expected(t, &facts);
    add_test(t, &facts);
    add_cost(t, &facts);
    add_model(t, given, &facts);
    if (is_timed(given)) { /* on one line, to be pasted */
        text_add(t, "repeat      ");
        add_repetition(t, given, &facts);
        text_add(t, "\n");
    }
}

static void json_interval(json *j, const char *name, const gradus_interval *interval)
{
    json_open(j, name, '{');
    json_number(j, "mean", interval->mean);
    json_number(j, "low", interval->low);
    json_number(j, "high", interval->high);
    json_close(j, '}');
}

static json begin_event(text *t, const char *event)
{
    json j = JSON_TO(t);

    json_open(&j, NULL, '{');
    json_string(&j, "event", event);
    return j;
}

static void end_event(json *j, text *t)
{
    json_close(j, '}');
    text_add(t, "\n");
}

static void json_member(text *t, const gradus_auto_member *m)
{
    json j = begin_event(t, "member");

    json_string(&j, "method", m->method);
    json_string(&j, "family", m->family);
    json_string(&j, "settings", m->settings);
    json_string(&j, "chosen", m->chosen);
    json_number(&j, "weight", m->weight);
    json_number(&j, "scale", m->scale);
    json_number(&j, "value", m->value);
    json_number(&j, "error", m->error);
    json_number(&j, "seconds", m->seconds);
    if (*m->failed)
        json_string(&j, "failed", m->failed);
    end_event(&j, t);
}

static void json_done(text *t, const arguments *given, const gradus_auto_facts *facts)
{
    json j = begin_event(t, "done");
    text repetition = { NULL, 0, 0 };

    json_string(&j, "metric", facts->metric);
    json_string(&j, "convention", facts->convention);
    json_bool(&j, "lower_is_better", facts->lower_is_better);
    json_count(&j, "folds", facts->folds);
    json_count(&j, "repeat_folds", facts->repeat_folds);
    json_count(&j, "held_queries", facts->held_queries);
    json_count(&j, "trials", facts->trials);
    json_count(&j, "members", facts->members);
    json_count(&j, "max_rounds", facts->max_rounds);
    json_bool(&j, "probabilities", facts->probabilities);
    json_bool(&j, "fell_back", facts->fell_back);
    json_string(&j, "methods", facts->methods);
    json_string(&j, "skipped", facts->skipped);
    json_interval(&j, "expected", &facts->expected);
    json_interval(&j, "single", &facts->single);
    json_number(&j, "difference", facts->difference);
    json_number(&j, "p", facts->p);
    json_string(&j, "single_method", facts->single_method);
    json_string(&j, "single_settings", facts->single_settings);
    json_interval(&j, "test", &facts->test);
    json_interval(&j, "single_test", &facts->single_test);
    json_number(&j, "test_difference", facts->test_difference);
    json_number(&j, "test_p", facts->test_p);
    json_number(&j, "search_seconds", facts->search_seconds);
    json_number(&j, "refit_seconds", facts->refit_seconds);
    json_number(&j, "row_seconds", facts->row_seconds);
    json_number(&j, "single_row_seconds", facts->single_row_seconds);
    json_string(&j, "model", argument(given, "output"));
    json_string(&j, "command", given->typed);
    if (is_timed(given)) {
        add_repetition(&repetition, given, facts);
        json_string(&j, "repeat", text_string(&repetition));
        text_free(&repetition);
    }
    end_event(&j, t);
}

void auto_add_events(text *t, const arguments *given, const gradus_auto_result *result)
{
    gradus_auto_facts facts;
    gradus_auto_member m;
    const char *warning;

    gradus_auto_describe(result, &facts);
    for (size_t i = 0; (warning = gradus_auto_warning_at(result, i)); i++) {
        json j = begin_event(t, "warning");

        json_string(&j, "text", warning);
        end_event(&j, t);
    }
    for (size_t i = 0; gradus_auto_member_at(result, i, &m); i++)
        json_member(t, &m);
    json_done(t, given, &facts);
}

int auto_report(const arguments *given, const gradus_auto_result *result)
{
    text t = { 0 };

    if (given->json)
        auto_add_events(&t, given, result);
    else
        add_text(&t, given, result);
    return print_text(&t);
}
