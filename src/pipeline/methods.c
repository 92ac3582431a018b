/* SPDX-License-Identifier: Apache-2.0 */
/* The table of methods that need no training, and scoring by method, model or score file. */
#include "pipeline/methods.h"

#include "base/text.h"
#include "data/scores.h"
#include "exchange/import.h"
#include "model/model.h"
#include "model/predict.h"

#include <string.h>
#include <unistd.h>

static const gr_method *const methods[] = {
#define GR_METHOD(name) &gr_method_##name,
#include "pipeline/methods.def"
#undef GR_METHOD
};

enum { METHODS = sizeof methods / sizeof methods[0] };

const gr_about *gr_methods_at(size_t index)
{
    return index < METHODS ? &methods[index]->about : NULL;
}

const gr_method *gr_method_find(const char *text, const char **argument)
{
    const size_t length = strcspn(text, ":");

    *argument = text[length] ? text + length + 1 : NULL;
    for (size_t i = 0; i < METHODS; i++) {
        const char *name = methods[i]->about.name;

        if (strlen(name) == length && strncmp(name, text, length) == 0)
            return methods[i];
    }
    return NULL;
}

static gradus_status score_by_method(const gr_method *method, const gr_scoring *scoring,
                                     double *scores, gradus_error *err)
{
    if (method->argument && (!scoring->argument || !*scoring->argument))
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "method '%s' needs an argument: write '%s:%s'",
                       method->about.name, method->about.name, method->argument);
    if (!method->argument && scoring->argument)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "method '%s' takes no argument, found '%.60s'",
                       method->about.name, scoring->argument);
    GR_TRY(gr_dataset_need(scoring->data, method->needs, scoring->pool, err));
    return method->score(scoring, scores, err);
}

/* "'featur:3' is neither a file nor a method; did you mean 'feature'?" */
static gradus_status neither(const char *what, gradus_error *err)
{
    const char *names[METHODS], *nearest;
    char word[64] = "", list[200] = "";
    const size_t length = strcspn(what, ":");

    memcpy(word, what, length < sizeof word ? length : sizeof word - 1);
    for (size_t i = 0; i < METHODS; i++) {
        names[i] = methods[i]->about.name;
        gr_text_append(list, sizeof list, i ? ", " : "");
        gr_text_append(list, sizeof list, names[i]);
    }
    nearest = gr_nearest(word, names, METHODS);
    if (nearest)
        return gr_fail(err, GRADUS_NO_FILE,
                       "'%.300s' is neither a file nor a method; did you mean '%s'?", what,
                       nearest);
    return gr_fail(err, GRADUS_NO_FILE, "'%.200s' is neither a file nor a method (%s)", what, list);
}

static gradus_status score_by_file(gradus_context *context, const gradus_dataset *data,
                                   const char *path, double *scores, gradus_error *err)
{
    const unsigned needs = 1u << GR_FILE_ROWS | 1u << GR_QUERY_STARTS | 1u << GR_QUERY_BYTES |
                           1u << GR_QUERY_NAMES | GR_NEED_DOCUMENTS;
    gradus_error failure = { GRADUS_OK, "" };
    gr_lines lines = { .source = NULL };
    gradus_status status;

    if (strcmp(path, "-") != 0 && access(path, F_OK) != 0)
        return neither(path, err);
    GR_TRY(gr_dataset_need(data, needs, gr_pool_of(context), err));
    lines.source = gr_source_open(path, &failure);
    if (!lines.source)
        return gr_fail(err, failure.status, "%s", failure.message);
    status = gr_scores_read(&lines, data, context, scores, err);
    gr_lines_free(&lines);
    gr_source_close(lines.source);
    return status;
}

static gradus_status score_by_model(gradus_context *context, const gradus_dataset *data,
                                    const char *path, double *scores, gradus_error *err)
{
    gradus_error failure = { GRADUS_OK, "" };
    gradus_model *model = gr_model_read_any(path, &failure);
    gradus_status status = failure.status;

    if (model)
        status = gr_model_fits(model, data, context, &failure);
    if (status == GRADUS_OK)
        status = gr_model_run(model, data, context, scores, NULL, &failure);
    gr_model_free(model);
    return status == GRADUS_OK ? status : gr_fail(err, status, "%s", failure.message);
}

gradus_status gr_score(gradus_context *context, const gradus_dataset *data, const char *what,
                       uint64_t seed, double *scores, gradus_error *err)
{
    gr_scoring scoring = { data, NULL, seed, gr_pool_of(context) };
    const gr_method *method = gr_method_find(what, &scoring.argument);
    bool is_model;

    if (method)
        return score_by_method(method, &scoring, scores, err);
    GR_TRY(gr_model_is_any(what, &is_model, err));
    return is_model ? score_by_model(context, data, what, scores, err)
                    : score_by_file(context, data, what, scores, err);
}
