/* SPDX-License-Identifier: Apache-2.0 */
/* The report of 'gradus calibrate' and 'gradus ensemble'. */
#include "measured_report.h"

#include "distil_report.h"
#include "evaluation_table.h"
#include "progress.h"
#include "print_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BINS = 10 }; /* of the calibration error, as in 'gradus eval --calibration' */

static const char *output_path(const measuring *m)
{
    return argument(m->given, "output");
}

/* The number of models that were given as files. */
static size_t file_count(const measuring *m)
{
    return m->count - (m->distilled.teacher ? 1 : 0);
}

int measuring_read(measuring *m, const char *fit_path)
{
    const double started = seconds_now();
    measured_set *fit = &m->sets[MEASURED_FIT], *test = &m->sets[MEASURED_TEST];
    gradus_error err;
    int status = check_no_models(m->given, "test");

    *fit = (measured_set){ .role = "fit", .path = fit_path };
    *test = (measured_set){ .role = "test", .path = argument(m->given, "test") };
    if (status == 0 && fit_path)
        fit->data = read_data(m->given, fit_path, &status);
    if (status == 0 && test->path) {
        gradus_options *options = options_without_weights(m->given);

        test->data = read_files(m->given, "test", options, &err);
        gradus_options_free(options);
        status = test->data ? 0 : fail(&err);
    }
    m->read_seconds = seconds_now() - started;
    return status;
}

static gradus_options *evaluate_options(const measuring *m, gradus_error *err)
{
    gradus_options *options = gradus_options_new("evaluate", err);

    if (options && gradus_options_set(options, "metric", m->metrics, err) == GRADUS_OK &&
        gradus_options_set(options, "convention", m->convention, err) == GRADUS_OK)
        return options;
    gradus_options_free(options);
    return NULL;
}

/* Evaluates a single row, to detect a wrong metric or convention before the work. */
int check_metrics(const measuring *m)
{
    const float value = 1.0f;
    const double score = 1.0;
    const gradus_arrays arrays = {
        .rows = 1, .features = 1, .values = &value, .stride = 1, .labels = &value
    };
    gradus_error err = { .status = GRADUS_OK };
    gradus_options *options = evaluate_options(m, &err);
    gradus_dataset *data = options ? gradus_dataset_borrow(&arrays, &err) : NULL;

    if (data)
        gradus_evaluation_free(gradus_evaluate(NULL, data, &score, options, &err));
    gradus_dataset_free(data);
    gradus_options_free(options);
    return err.status == GRADUS_BAD_ARGUMENT || err.status == GRADUS_NO_MEMORY ? fail(&err) : 0;
}

static gradus_status evaluate(const measuring *m, gradus_context *context,
                              const gradus_model *model, const gradus_dataset *data, measured *out,
                              gradus_error *err)
{
    gradus_options *options = evaluate_options(m, err);
    double *scores = must_have(gradus_dataset_rows(data), sizeof *scores);

    if (options && gradus_model_score(context, model, data, scores, err) == GRADUS_OK)
        out->evaluation = gradus_evaluate(context, data, scores, options, err);
    gradus_options_free(options);
    free(scores);
    return out->evaluation ? GRADUS_OK : err->status;
}

/* Models without probabilities, and those that lack a grade of the data, have no log loss. */
static gradus_status measure_probabilities(gradus_context *context, const gradus_model *model,
                                           const gradus_dataset *data, measured *out,
                                           gradus_error *err)
{
    gradus_reliability *r = must_have(1, sizeof *r);
    gradus_model_info facts;
    gradus_status status = GRADUS_OK;

    gradus_model_describe(model, &facts);
    if (facts.probabilities) {
        status = gradus_model_reliability(context, model, data, BINS, r, err);
        out->has_probabilities = status == GRADUS_OK;
        out->log_loss = r->log_loss;
        out->calibration_error = r->error;
    }
    free(r);
    return status;
}

static const char *name_at(const measuring *m, size_t place)
{
    return place < m->count ? m->paths[place] : output_path(m);
}

/* The model is already written, so a failed evaluation is only a note. */
static void measure(const measuring *m, gradus_context *context, const measured_set *set,
                    size_t place)
{
    const gradus_model *model = place < m->count ? m->models[place] : m->made;
    gradus_error err = { .status = GRADUS_OK };

    if ((evaluate(m, context, model, set->data, &set->of[place], &err) != GRADUS_OK ||
         measure_probabilities(context, model, set->data, &set->of[place], &err) != GRADUS_OK) &&
        !m->given->quiet)
        say("note: %s on %s: %s\n", name_at(m, place), set->path, err.message);
}

/* Uses a context without notes: notes on the data were already printed when the model was made. */
static int measure_all(measuring *m)
{
    const double started = seconds_now();
    gradus_error err;
    gradus_context *context = gradus_context_new((size_t)m->given->threads, &err);

    if (!context)
        return fail(&err);
    progress_show(context, false);
    for (size_t s = 0; s < MEASURED_SETS; s++) {
        measured_set *set = &m->sets[s];

        if (!set->data)
            continue;
        set->of = must_have(m->count + 1, sizeof *set->of);
        for (size_t i = 0; i <= m->count; i++)
            measure(m, context, set, i);
    }
    gradus_context_free(context);
    m->evaluate_seconds = seconds_now() - started;
    return 0;
}

/* Any successful evaluation of the set, for the names of the metrics; NULL: none. */
static const gradus_evaluation *first_evaluation(const measuring *m, const measured_set *set)
{
    for (size_t i = 0; i <= m->count; i++)
        if (set->of[i].evaluation)
            return set->of[i].evaluation;
    return NULL;
}

static void number_cell(table *rows, bool there, double number)
{
    table_cell(rows, there && isfinite(number) ? "%.4f" : "-", number);
}

static void add_row(table *rows, const measuring *m, const measured_set *set, size_t place,
                    size_t metrics, bool probabilities)
{
    const measured *of = &set->of[place];
    gradus_result result = { .mean = 0.0 };

    table_cell(rows, "%s", name_at(m, place));
    if (m->weights)
        number_cell(rows, place < m->count, place < m->count ? m->weights[place] : 0.0);
    for (size_t i = 0; i < metrics; i++) {
        const bool there = of->evaluation && gradus_evaluation_at(of->evaluation, i, &result);

        number_cell(rows, there, result.mean);
    }
    if (probabilities) {
        number_cell(rows, of->has_probabilities, of->log_loss);
        number_cell(rows, of->has_probabilities, of->calibration_error);
    }
}

/* A distilled model is fitted on the rows that it was trained on. */
static bool is_fitted_on(const measuring *m, const measured_set *set)
{
    return set == &m->sets[MEASURED_FIT] &&
           (!m->nothing_fitted || (m->distilled.teacher && m->distilled.path == set->path));
}

static void add_set(text *t, const measuring *m, const measured_set *set)
{
    const gradus_evaluation *first = first_evaluation(m, set);
    gradus_result result;
    size_t metrics = 0;
    bool probabilities = false;
    table rows;

    for (size_t i = 0; i <= m->count; i++)
        probabilities = probabilities || set->of[i].has_probabilities;
    while (first && metrics < TABLE_COLUMNS - 4 && gradus_evaluation_at(first, metrics, &result))
        metrics++;
    text_format(t, "\n%s, %s%s\n", set->path,
                counted(gradus_dataset_queries(set->data), "query", "queries"),
                is_fitted_on(m, set) ? " (used for fitting)" : "");
    table_begin(&rows, 1 + metrics + (m->weights ? 1 : 0) + (probabilities ? 2 : 0));
    table_cell(&rows, "model");
    if (m->weights)
        table_cell(&rows, "weight");
    for (size_t i = 0; i < metrics && gradus_evaluation_at(first, i, &result); i++)
        table_cell(&rows, "%s", result.metric);
    if (probabilities) {
        table_cell(&rows, "log loss");
        table_cell(&rows, "calibration error");
    }
    for (size_t i = 0; i <= m->count; i++)
        add_row(&rows, m, set, i, metrics, probabilities);
    table_end(&rows, t);
}

static void add_weights(text *t, const measuring *m)
{
    table rows;

    text_add(t, "\n");
    table_begin(&rows, 2);
    table_cell(&rows, "model");
    table_cell(&rows, "weight");
    for (size_t i = 0; i < file_count(m); i++) {
        table_cell(&rows, "%s", m->paths[i]);
        table_cell(&rows, "%.4f", m->weights[i]);
    }
    table_end(&rows, t);
}

static uint64_t size_of(const gradus_model *model)
{
    uint64_t bytes = 0;

    gradus_model_size(model, &bytes, NULL);
    return bytes;
}

static void add_head(text *t, const measuring *m)
{
    gradus_model_info facts;
    const gradus_dataset *data = m->sets[MEASURED_FIT].data;

    gradus_model_describe(m->distilled.teacher ? m->distilled.teacher : m->made, &facts);
    text_add_shown(t, output_path(m));
    if (m->weights)
        text_format(t, "\nensemble     %s, %s", facts.combination,
                    counted(file_count(m), "model", "models"));
    else
        text_format(t, "\ncalibration  %s", facts.calibration);
    if (data && !m->nothing_fitted)
        text_format(t, ", fitted on %s, %s", counted(gradus_dataset_rows(data), "row", "rows"),
                    counted(gradus_dataset_queries(data), "query", "queries"));
    text_add(t, "\n");
    if (m->distilled.teacher)
        add_distilled(t, m);
    else
        text_format(t, "size         %s\n", counted((size_t)size_of(m->made), "byte", "bytes"));
}

static void add_tables(text *t, const measuring *m)
{
    bool any = false;

    for (size_t s = 0; s < MEASURED_SETS; s++) {
        const measured_set *set = &m->sets[s];
        const gradus_evaluation *first = set->data ? first_evaluation(m, set) : NULL;

        if (first && !any) {
            text_add(t, "\n");
            add_convention(t, first);
        }
        if (set->data)
            add_set(t, m, set);
        any = any || set->data;
    }
    if (!any && m->weights)
        add_weights(t, m);
}

static void add_next(text *t, const measuring *m)
{
    const char *path = output_path(m), *test = m->sets[MEASURED_TEST].path;
    const char *data = test ? test : "test.txt";
    gradus_model_info facts;
    text line = { NULL, 0, 0 };

    gradus_model_describe(m->made, &facts);
    text_add(&line, "gradus eval ");
    text_add_word(&line, data);
    for (size_t i = 0; i <= file_count(m); i++) {
        text_add(&line, " ");
        text_add_word(&line, name_at(m, i < file_count(m) ? i : m->count));
    }
    text_format(t, "\nnext         gradus show %s\n", path);
    text_format(t, "             %s%s\n", text_string(&line),
                facts.probabilities && !m->weights ? " --calibration" : "");
    text_format(t, "             gradus score %s %s%s -o test.scores\n", path, data,
                facts.probabilities && !m->weights ? " --probabilities" : "");
    text_free(&line);
}

static void json_measured(json *j, const measuring *m, const measured_set *set, size_t place)
{
    const measured *of = &set->of[place];

    json_open(j, NULL, '{');
    json_string(j, "model", name_at(m, place));
    if (of->evaluation)
        json_metrics(j, "metrics", of->evaluation);
    json_number(j, "log_loss", of->has_probabilities ? of->log_loss : (double)NAN);
    json_number(j, "calibration_error",
                of->has_probabilities ? of->calibration_error : (double)NAN);
    json_close(j, '}');
}

static void json_set(json *j, const measuring *m, const measured_set *set)
{
    json_open(j, NULL, '{');
    json_string(j, "set", set->role);
    json_string(j, "data", set->path);
    json_count(j, "rows", gradus_dataset_rows(set->data));
    json_count(j, "queries", gradus_dataset_queries(set->data));
    json_open(j, "models", '[');
    for (size_t i = 0; i <= m->count; i++)
        json_measured(j, m, set, i);
    json_close(j, ']');
    json_close(j, '}');
}

static void json_members(json *j, const measuring *m)
{
    json_open(j, "members", '[');
    for (size_t i = 0; i < file_count(m); i++) {
        json_open(j, NULL, '{');
        json_string(j, "model", m->paths[i]);
        json_number(j, "weight", m->weights[i]);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void add_json(text *t, const measuring *m)
{
    json j = JSON_TO(t);
    gradus_model_info facts;

    gradus_model_describe(m->distilled.teacher ? m->distilled.teacher : m->made, &facts);
    json_open(&j, NULL, '{');
    json_string(&j, "file", output_path(m));
    json_count(&j, "bytes", (size_t)size_of(m->made));
    json_string(&j, m->weights ? "combination" : "calibration",
                m->weights ? facts.combination : facts.calibration);
    if (m->weights)
        json_members(&j, m);
    if (m->distilled.teacher)
        json_distilled(&j, m);
    json_string(&j, "convention", m->convention);
    json_open(&j, "sets", '[');
    for (size_t s = 0; s < MEASURED_SETS; s++)
        if (m->sets[s].data)
            json_set(&j, m, &m->sets[s]);
    json_close(&j, ']');
    json_open(&j, "seconds", '{');
    json_number(&j, "read", m->read_seconds);
    json_number(&j, "fit", m->fit_seconds);
    json_number(&j, "evaluate", m->evaluate_seconds);
    json_close(&j, '}');
    json_close(&j, '}');
    text_add(t, "\n");
}

static void add_report(text *t, const measuring *m)
{
    add_head(t, m);
    add_tables(t, m);
    text_add(t, "\ntime         read ");
    text_seconds(t, m->read_seconds);
    text_add(t, ", fit ");
    text_seconds(t, m->fit_seconds);
    text_add(t, ", evaluate ");
    text_seconds(t, m->evaluate_seconds);
    text_add(t, "\n");
    add_next(t, m);
}

int report_measured(measuring *m)
{
    text t = { NULL, 0, 0 };
    int status;

    if (strcmp(output_path(m), "-") == 0) /* the model is on standard output */
        return 0;
    status = measure_all(m);
    if (status != 0)
        return status;
    if (m->given->json)
        add_json(&t, m);
    else
        add_report(&t, m);
    return print_text(&t);
}

void measuring_free(measuring *m)
{
    for (size_t s = 0; s < MEASURED_SETS; s++) {
        measured_set *set = &m->sets[s];

        for (size_t i = 0; set->of && i <= m->count; i++)
            gradus_evaluation_free(set->of[i].evaluation);
        free(set->of);
        gradus_dataset_free(set->data);
    }
}
