/* SPDX-License-Identifier: Apache-2.0 */
/* gradus report: sorts its arguments into models, data and runs for gradus_report. */
#include "gradus_experiments.h"
#include "common.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_SETS = 16, MAX_RUNS = 16, MAX_METRICS = 12 };

typedef struct report {
    const arguments *given;
    gradus_report_system systems[GRADUS_REPORT_SYSTEMS];
    gradus_model *models[GRADUS_REPORT_SYSTEMS]; /* NULL: none */
    text commands[GRADUS_REPORT_SYSTEMS];        /* that train the models */
    gradus_report_set sets[MAX_SETS];
    const char *runs[MAX_RUNS]; /* JSON files */
    gradus_report_input input;
} report;

static int add_system(report *r, const char *word)
{
    const size_t at = r->input.system_count;
    gradus_error err;

    if (at == GRADUS_REPORT_SYSTEMS)
        return fail_usage("gradus report takes at most %d models and scores",
                          GRADUS_REPORT_SYSTEMS);
    r->systems[at] = (gradus_report_system){ .name = word };
    if (gradus_model_is_file(word)) {
        if (!(r->models[at] = gradus_model_read(word, &err)))
            return fail(&err);
        if (add_train_command(&r->commands[at], r->models[at], word, 0, 0))
            r->systems[at].command = text_string(&r->commands[at]);
        r->systems[at].model = r->models[at];
    }
    r->input.system_count++;
    return 0;
}

/* By the first character that is not blank. */
static bool is_json_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    int c = EOF;

    while (file && (c = fgetc(file)) != EOF && isspace(c))
        continue;
    if (file)
        fclose(file);
    return c == '{' || c == '[';
}

/* A word is a model, a JSON file, or scores, which need data. */
static int take_word(report *r, const char *word)
{
    if (gradus_model_is_file(word))
        return add_system(r, word);
    if (is_json_file(word)) {
        if (r->input.run_count == MAX_RUNS)
            return fail_usage("gradus report takes at most %d JSON files", MAX_RUNS);
        r->runs[r->input.run_count++] = word;
        return 0;
    }
    if (r->input.set_count == 0 && strchr(word, ':') == NULL && access(word, F_OK) != 0)
        return fail_usage("no such file: '%s'; gradus report takes models, and JSON of 'gradus "
                          "tune', 'compare', 'eval' and 'reproduce'",
                          word);
    if (r->input.set_count == 0)
        return fail_usage("'%s' is not a model and needs data to be evaluated on: --data FILE",
                          word);
    return add_system(r, word);
}

/* Splits a comma-separated list of names in place. */
static int take_sets(report *r, char *list)
{
    for (char *name = strtok(list, ","); name; name = strtok(NULL, ",")) {
        if (r->input.set_count == MAX_SETS)
            return fail_usage("gradus report takes at most %d data sets", MAX_SETS);
        r->sets[r->input.set_count++].name = name;
    }
    return r->input.set_count ? 0 : fail_usage("--data needs the name of a file");
}

/* Reports errors of usage before anything is read: too many metrics, or one without intervals. */
static int check_metrics(const arguments *given)
{
    char *list = must_copy(gradus_options_value(options_of(given, "evaluate"), "metric"));
    gradus_metric_facts facts;
    size_t count = 0;
    int status = 0;

    for (char *name = strtok(list, ","); name && status == 0; name = strtok(NULL, ","))
        if (++count > MAX_METRICS)
            status = fail_usage("gradus report takes at most %d metrics", MAX_METRICS);
        else if (gradus_metric_describe(name, &facts, NULL) == GRADUS_OK && facts.geometric)
            status = fail_usage("%s is a geometric mean, but the intervals of a report need "
                                "arithmetic means; use map",
                                name);
    free(list);
    return status;
}

static int check_sets(const report *r)
{
    for (size_t i = 0; i < r->input.set_count; i++)
        if (gradus_model_is_file(r->sets[i].name))
            return fail_usage("'%s' is a model, but a data file is expected here; 'gradus help "
                              "%s' shows the order of arguments",
                              r->sets[i].name, r->given->command->name);
    return check_metrics(r->given);
}

static int take_words(report *r)
{
    int status = 0;

    for (size_t i = 0; status == 0 && i < r->given->count; i++)
        status = take_word(r, r->given->words[i]);
    if (status == 0 && r->input.set_count && r->input.system_count == 0)
        return fail_usage("--data needs models or scores to evaluate on '%s'", r->sets[0].name);
    if (status == 0 && r->input.system_count + r->input.run_count == 0)
        return fail_usage("gradus report needs models, scores with --data, or JSON of 'gradus "
                          "tune', 'compare', 'eval' or 'reproduce'");
    return status == 0 && r->input.set_count ? check_sets(r) : status;
}

static int write_report(report *r, const char *path)
{
    const arguments *given = r->given;
    gradus_error err;

    r->input.title = argument(given, "title");
    r->input.command = given->typed;
    r->input.systems = r->systems;
    r->input.sets = r->sets;
    r->input.runs = r->runs;
    r->input.evaluate = options_of(given, "evaluate");
    r->input.compare = options_of(given, "compare");
    r->input.read = options_of(given, "read");
    r->input.seed = given->seed;
    if (argument(given, "playground"))
        return gradus_playground(given->context, &r->input, path, &err) == GRADUS_OK ? 0
                                                                                     : fail(&err);
    return gradus_report(given->context, &r->input, path, &err) == GRADUS_OK ? 0 : fail(&err);
}

static int report_run(arguments *given)
{
    const char *sets = argument(given, "data"), *path = argument(given, "output");
    const bool playground = argument(given, "playground");
    char *list = must_copy(sets ? sets : "");
    report *r = must_have(1, sizeof *r);
    int status = 0;

    r->given = given;
    path = path ? path : playground ? "playground.html" : "report.html";
    if (!playground && !gradus_report_available())
        status = write_report(r, path); /* says what is missing */
    if (status == 0 && !argument(given, "output"))
        status = check_output(given, "-o", path);
    if (status == 0 && sets)
        status = take_sets(r, list);
    if (status == 0)
        status = take_words(r);
    if (status == 0)
        status = write_report(r, path);
    if (status == 0)
        status = report_file(given, path, NULL);
    for (size_t s = 0; s < GRADUS_REPORT_SYSTEMS; s++) {
        gradus_model_free(r->models[s]);
        text_free(&r->commands[s]);
    }
    free(list);
    free(r);
    return status;
}

static const option report_options[] = {
    { "data", 0, "FILES", "data to evaluate on; several files are comma-separated",
      GRADUS_PATH_READ_LIST },
    { "output", 'o', "FILE", "output file (default report.html, or playground.html)",
      GRADUS_PATH_WRITTEN },
    { "title", 0, "TEXT", "title of the page" },
    { "playground", 0, NULL,
      "write a page to look at the rankings of single queries of --data, instead of a report" },
    { NULL, 0, NULL, NULL },
};

static const example report_examples[] = {
    { "gradus report --data test.txt a.model b.model feature:25 -o report.html",
      "two models and a feature, on test data" },
    { "gradus report web.model -o web.html",
      "settings, learning curve and feature importance of a model" },
    { "gradus report --data test.txt a.model b.model --playground -o playground.html",
      "compare rankings query by query, and change features of documents" },
    { "gradus report tune.jsonl -o tuning.html", "a tuning run, finished or not" },
    { NULL, NULL },
};

const command command_report = {
    .name = "report",
    .summary = "write an HTML page on models, comparisons and tuning runs",
    .usage = "gradus report MODEL|SCORES|JSON... [--data FILES] [-o FILE] [options]",
    .description =
        "Writes a single HTML file that needs no network and no other files. For models it shows "
        "the command that trains them, the learning curve and the importance of features. With "
        "--data, models and everything else that 'gradus eval' takes as SCORES are evaluated: "
        "means with confidence intervals, NDCG at each cutoff, every pair tested as by 'gradus "
        "compare', the value of each query, the documents of the queries with the largest gains "
        "and losses, and how well calibrated the grade probabilities are. For tuning runs (JSON "
        "lines), comparisons and reproductions (JSON) it shows the trials, tests and tables. Every "
        "number comes with its convention, and the commands are listed at the end.\n\n"
        "The page follows the system's light or dark theme, can be printed, and works from the "
        "keyboard. Charts by query show at most about 2,000 queries; means and tests use all. "
        "Charts are drawn by Chart.js, which must be available when gradus is built.\n\n"
        "With --playground the page shows rankings of single queries side by side, why documents "
        "are where they are, and how ranks change when features of a document are changed; the "
        "models are in the page as JavaScript. docs/guide/serve.md describes it.",
    .options = report_options,
    .operations = { "evaluate", "compare", "read" },
    .examples = report_examples,
    .run = report_run,
};
