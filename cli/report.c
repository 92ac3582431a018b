/* SPDX-License-Identifier: Apache-2.0 */
/* gradus report: collects the data of the page as one JSON object, and writes the page. */
#include "report.h"

#include "page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char data_mark[] = "@data@";

static int fail_without_charts(void)
{
    gradus_error err = { .status = GRADUS_NO_FILE };

    snprintf(err.message, sizeof err.message,
             "this gradus was built without Chart.js, which draws the charts of reports; install "
             "it (Debian: apt-get install libjs-chart.js), then configure and build again");
    return fail(&err);
}

static int add_system(report *r, const char *word)
{
    system_shown *s = &r->systems[r->count];
    gradus_error err;

    if (r->count == MOST_SYSTEMS_SHOWN)
        return fail_usage("gradus report takes at most %d models and scores", MOST_SYSTEMS_SHOWN);
    *s = (system_shown){ .name = word };
    if (gradus_model_is_file(word) && !(s->model = gradus_model_read(word, &err)))
        return fail(&err);
    r->count++;
    return 0;
}

/* A word is a model, a JSON file, or scores, which need data. */
static int take_word(report *r, const char *word)
{
    if (gradus_model_is_file(word))
        return add_system(r, word);
    if (is_json_file(word)) {
        if (r->run_count == MOST_RUNS)
            return fail_usage("gradus report takes at most %d JSON files", MOST_RUNS);
        r->runs[r->run_count++] = word;
        return 0;
    }
    if (r->set_count == 0 && strchr(word, ':') == NULL && access(word, F_OK) != 0)
        return fail_usage("no such file: '%s'; gradus report takes models, and JSON of 'gradus "
                          "tune', 'compare', 'eval' and 'reproduce'",
                          word);
    if (r->set_count == 0)
        return fail_usage("'%s' is not a model and needs data to be evaluated on: --data FILE",
                          word);
    return add_system(r, word);
}

/* Splits a comma-separated list of names in place. */
static int take_sets(report *r, char *list)
{
    for (char *name = strtok(list, ","); name; name = strtok(NULL, ",")) {
        if (r->set_count == MOST_SETS)
            return fail_usage("gradus report takes at most %d data sets", MOST_SETS);
        r->sets[r->set_count++] = name;
    }
    return r->set_count ? 0 : fail_usage("--data needs the name of a file");
}

/* The requested metrics, and after them NDCG at each cutoff. */
static int set_metrics(report *r)
{
    gradus_options *options = options_of(r->given, "evaluate");
    const char *requested = gradus_options_value(options, "metric");
    text list = { NULL, 0, 0 };
    gradus_error err;
    int status = 0;

    for (const char *c = requested; *c; c++)
        r->metrics += *c == ',';
    r->metrics++;
    if (r->metrics > MOST_METRICS)
        return fail_usage("gradus report takes at most %d metrics", MOST_METRICS);
    text_add(&list, requested);
    for (int depth = 1; depth <= MOST_DEPTHS; depth++)
        text_format(&list, ",ndcg@%d", depth);
    if (gradus_options_set(options, "metric", text_string(&list), &err) != GRADUS_OK)
        status = fail(&err);
    text_free(&list);
    return status;
}

/* Nothing in a script element may look like its end tag; in JSON '<' occurs in strings only. */
static void add_escaped(text *page, const text *data)
{
    for (const char *at = text_string(data), *end = at + data->length; at < end;) {
        const char *next = memchr(at, '<', (size_t)(end - at));

        text_add_bytes(page, at, (size_t)((next ? next : end) - at));
        if (next)
            text_add(page, "\\u003c");
        at = next ? next + 1 : end;
    }
}

static int write_page(const text *data, const char *path)
{
    const char *end = report_page + report_page_size();
    const char *mark = memmem(report_page, report_page_size(), data_mark, strlen(data_mark));
    text page = { NULL, 0, 0 };
    int status;

    if (!mark)
        return fail_without_charts();
    text_add_bytes(&page, report_page, (size_t)(mark - report_page));
    add_escaped(&page, data);
    mark += strlen(data_mark);
    text_add_bytes(&page, mark, (size_t)(end - mark));
    status = write_text(&page, path);
    text_free(&page);
    return status;
}

static int collect(const report *r, text *data)
{
    const char *title = argument(r->given, "title");
    json j = JSON_TO(data);
    int status;

    json_open(&j, NULL, '{');
    json_string(&j, "gradus", gradus_version());
    json_string(&j, "title", title ? title : "");
    json_string(&j, "command", r->given->typed);
    status = report_models(&j, r);
    if (status == 0)
        status = report_sets(&j, r);
    if (status == 0)
        status = report_runs(&j, r);
    json_close(&j, '}');
    return status;
}

static int take_words(report *r)
{
    int status = 0;

    for (size_t i = 0; status == 0 && i < r->given->count; i++)
        status = take_word(r, r->given->words[i]);
    if (status == 0 && r->set_count && r->count == 0)
        return fail_usage("--data needs models or scores to evaluate on '%s'", r->sets[0]);
    if (status == 0 && r->count + r->run_count == 0)
        return fail_usage("gradus report needs models, scores with --data, or JSON of 'gradus "
                          "tune', 'compare', 'eval' or 'reproduce'");
    return status == 0 && r->set_count ? set_metrics(r) : status;
}

static int report_run(arguments *given)
{
    const char *sets = argument(given, "data"), *path = argument(given, "output");
    char *list = must_copy(sets ? sets : "");
    report *r = must_have(1, sizeof *r);
    text data = { NULL, 0, 0 };
    int status = 0;

    r->given = given;
    path = path ? path : "report.html";
    if (report_page_size() == 0)
        status = fail_without_charts();
    if (status == 0 && !argument(given, "output"))
        status = check_output(given, "-o", path);
    if (status == 0 && sets)
        status = take_sets(r, list);
    if (status == 0)
        status = take_words(r);
    if (status == 0)
        status = collect(r, &data);
    if (status == 0)
        status = write_page(&data, path);
    if (status == 0)
        status = report_file(given, path, NULL);
    for (size_t s = 0; s < r->count; s++)
        gradus_model_free(r->systems[s].model);
    text_free(&data);
    free(list);
    free(r);
    return status;
}

static const option report_options[] = {
    { "data", 0, "FILES", "data to evaluate on; several files are comma-separated",
      GRADUS_PATH_READ_LIST },
    { "output", 'o', "FILE", "output file (default report.html)", GRADUS_PATH_WRITTEN },
    { "title", 0, "TEXT", "title of the page" },
    { NULL, 0, NULL, NULL },
};

static const example report_examples[] = {
    { "gradus report --data test.txt a.model b.model feature:25 -o report.html",
      "two models and a feature, on test data" },
    { "gradus report web.model -o web.html",
      "settings, learning curve and feature importance of a model" },
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
        "Charts are drawn by Chart.js, which must be available when gradus is built.",
    .options = report_options,
    .operations = { "evaluate", "compare", "read" },
    .examples = report_examples,
    .run = report_run,
};
