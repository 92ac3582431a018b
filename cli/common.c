/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that several commands share. */
#include "common.h"

#include "progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

gradus_dataset *read_data(const arguments *given, const char *path, int *status)
{
    gradus_error err;
    gradus_dataset *data;

    if (gradus_model_is_file(path)) {
        *status = fail_usage("'%s' is a model, but a data file is expected here; 'gradus help "
                             "%s' shows the order of arguments",
                             path, given->command->name);
        return NULL;
    }
    /* by all processes together, if the command is distributed */
    data = gradus_dataset_read_shared(given->context, &path, 1, options_of(given, "read"), &err);
    if (!data)
        *status = fail(&err);
    return data;
}

int check_no_models(const arguments *given, const char *name)
{
    const char *const *files;
    const size_t count = argument_list(given, name, &files);

    for (size_t i = 0; i < count; i++)
        if (gradus_model_is_file(files[i]))
            return fail_usage("--%s takes data, but '%s' is a model", name, files[i]);
    return 0;
}

gradus_dataset *read_files(const arguments *given, const char *name, const gradus_options *options,
                           gradus_error *err)
{
    const char *const *files;
    const size_t count = argument_list(given, name, &files);

    return gradus_dataset_read_files(given->context, files, count, options, err);
}

gradus_options *options_without_weights(const arguments *given)
{
    gradus_options *all = options_of(given, "read");
    gradus_options *copy = gradus_options_new("read", NULL);
    gradus_param param;

    for (size_t i = 0; copy && gradus_param_at("read", i, &param); i++)
        if (strcmp(param.name, "row-weights") != 0 && strcmp(param.name, "query-weights") != 0)
            gradus_options_set(copy, param.name, gradus_options_value(all, param.name), NULL);
    return copy;
}

/* Refuses options on probabilities if the scoring rule uses none, instead of ignoring them. */
static int check_rule(const arguments *given, const gradus_model *model)
{
    static const char *const names[] = { "prior", "repair" };
    static const char *const plain[] = { "output", "sum", "count" };
    gradus_options *options = options_of(given, "score");
    gradus_model_info facts;
    gradus_param param;

    gradus_model_describe(model, &facts);
    if (argument(given, "probabilities"))
        return 0;
    for (size_t i = 0; gradus_param_at("score", i, &param); i++)
        for (size_t n = 0; n < 2; n++)
            for (size_t p = 0; p < 3; p++)
                if (strcmp(param.name, names[n]) == 0 && strcmp(facts.scoring, plain[p]) == 0 &&
                    strcmp(gradus_options_value(options, param.name), param.initial) != 0)
                    return fail_usage(
                        "--%s needs a scoring rule that uses probabilities, and '%s' does "
                        "not: choose another with --scoring",
                        param.name, facts.scoring);
    return 0;
}

gradus_model *take_model(const arguments *given, const char *path, gradus_model **read, int *status)
{
    gradus_error err;
    gradus_model *model = NULL;

    *read = gradus_model_read(path, &err);
    if (*read)
        model = gradus_model_rescored(given->context, *read, options_of(given, "score"), &err);
    *status = model ? check_rule(given, model) : fail(&err);
    if (*status == 0)
        return model;
    gradus_model_free(model);
    return NULL;
}

static bool score_by_model(const arguments *given, const gradus_dataset *data, const char *path,
                           double *scores, int *status)
{
    gradus_model *read, *model = take_model(given, path, &read, status);
    gradus_error err;

    const bool grades = argument(given, "grades") || argument(given, "confusion");

    if (model &&
        (grades ? gradus_model_grades(given->context, model, data, scores, &err)
                : gradus_model_score(given->context, model, data, scores, &err)) != GRADUS_OK)
        *status = fail(&err);
    gradus_model_free(model);
    gradus_model_free(read);
    return *status == 0;
}

double *read_scores(const arguments *given, const gradus_dataset *data, const char *what,
                    int *status)
{
    gradus_error err;
    double *scores = must_have(gradus_dataset_rows(data), sizeof *scores);

    if (options_of(given, "score") && gradus_model_is_file(what)) {
        if (score_by_model(given, data, what, scores, status))
            return scores;
    } else if (gradus_scores(given->context, data, what, given->seed, scores, &err) == GRADUS_OK) {
        return scores;
    } else {
        *status = fail(&err);
    }
    free(scores);
    return NULL;
}

int report_file(const arguments *given, const char *path, const gradus_dataset *data)
{
    text t = { NULL, 0, 0 };
    json j = JSON_TO(&t);

    if (!given->json || strcmp(path, "-") == 0)
        return 0;
    json_open(&j, NULL, '{');
    json_string(&j, "file", path);
    if (data) {
        json_count(&j, "rows", gradus_dataset_rows(data));
        json_count(&j, "features", gradus_dataset_features(data));
        json_count(&j, "queries", gradus_dataset_queries(data));
    }
    json_close(&j, '}');
    text_add(&t, "\n");
    return print_text(&t);
}

const char *with_commas(size_t count)
{
    static _Thread_local char texts[4][32];
    static _Thread_local unsigned turn;
    char *out = texts[turn++ % 4], digits[32];
    const int length = snprintf(digits, sizeof digits, "%zu", count);
    size_t at = 0;

    for (int i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0)
            out[at++] = ',';
        out[at++] = digits[i];
    }
    out[at] = '\0';
    return out;
}

size_t page_width(size_t most)
{
    const size_t width = terminal_width(STDOUT_FILENO);

    return width == 0 || width > most ? most : width < 40 ? 40 : width;
}

const char *plural(size_t count, const char *one, const char *many)
{
    return count == 1 ? one : many;
}

const char *counted(size_t count, const char *one, const char *many)
{
    static _Thread_local char texts[4][96];
    static _Thread_local unsigned turn;
    char *out = texts[turn++ % 4];

    snprintf(out, sizeof texts[0], "%s %s", with_commas(count), plural(count, one, many));
    return out;
}

void add_convention(text *t, const gradus_evaluation *evaluation)
{
    text_format(t, "convention %s\n  ", gradus_evaluation_convention(evaluation));
    text_wrap(t, gradus_evaluation_switches(evaluation), 2, page_width(96));
    text_add(t, "\n");
}

void add_results(text *t, const gradus_model *model)
{
    const char *name;
    double value;

    for (size_t i = 0; gradus_model_result_at(model, i, &name, &value); i++)
        text_format(t, "%s%s %.6g", i ? ", " : "fit          ", name, value);
    if (gradus_model_result_at(model, 0, &name, &value))
        text_add(t, "\n");
}

void json_results(json *j, const gradus_model *model)
{
    const char *name;
    double value;

    json_open(j, "results", '{');
    for (size_t i = 0; gradus_model_result_at(model, i, &name, &value); i++)
        json_number(j, name, value);
    json_close(j, '}');
}
