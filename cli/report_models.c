/* SPDX-License-Identifier: Apache-2.0 */
/* Models in a report: facts, recipe, learning curve, importance. */
#include "cmd_report.h"
#include "cmd_show.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { FEATURES_LISTED = 30, POINTS_DRAWN = 400 };

static size_t file_size(const char *path)
{
    struct stat about;

    return stat(path, &about) == 0 ? (size_t)about.st_size : 0;
}

/* The command that trains the model, and all settings, with whether each is not the default. */
static void add_recipe(json *j, const gradus_model *model, const char *path)
{
    const char *name, *value;
    text line = { NULL, 0, 0 };

    if (add_train_command(&line, model, path, 0, 0))
        json_string(j, "train_command", text_string(&line));
    text_free(&line);
    json_open(j, "recipe", '[');
    for (size_t i = 0; gradus_model_option_at(model, i, &name, &value); i++) {
        json_open(j, NULL, '{');
        json_string(j, "name", name);
        json_string(j, "value", value);
        json_bool(j, "changed", !is_default_setting(name, value));
        json_close(j, '}');
    }
    json_close(j, ']');
}

/* Long curves are thinned evenly; the best round and the last are kept. */
static void add_curve(json *j, const gradus_model *model, size_t best_round)
{
    size_t count = 0, round;
    double train, valid;

    while (gradus_model_curve_at(model, count, &round, &train, &valid))
        count++;
    const size_t every = count / POINTS_DRAWN + 1;

    json_open(j, "curve", '[');
    for (size_t i = 0; gradus_model_curve_at(model, i, &round, &train, &valid); i++) {
        if (i % every != 0 && i + 1 != count && round != best_round)
            continue;
        json_open(j, NULL, '[');
        json_count(j, NULL, round);
        json_short(j, NULL, train);
        json_short(j, NULL, valid);
        json_close(j, ']');
    }
    json_close(j, ']');
}

static int by_gain(const void *left, const void *right)
{
    const gradus_feature_use *a = left, *b = right;

    if (a->gain != b->gain)
        return a->gain > b->gain ? -1 : 1;
    return a->feature < b->feature ? -1 : a->feature > b->feature;
}

static void add_shares(json *j, const gradus_model *model, const gradus_feature_use *all,
                       size_t used, double sum)
{
    json_open(j, "importance", '[');
    for (size_t i = 0; i < used && i < FEATURES_LISTED && sum > 0.0; i++) {
        text name = { NULL, 0, 0 };

        text_add(&name, gradus_model_feature_name(model, all[i].feature));
        if (name.length == 0)
            text_format(&name, "%zu", all[i].feature + gradus_model_first_id(model));
        json_open(j, NULL, '{');
        json_string(j, "feature", text_string(&name));
        json_short(j, "share", all[i].gain / sum);
        json_count(j, "count", all[i].splits);
        json_close(j, '}');
        text_free(&name);
    }
    json_close(j, ']');
    json_count(j, "features_used", used);
}

static int add_importance(json *j, const gradus_model *model, const gradus_model_facts *facts)
{
    gradus_feature_use *all = must_have(gradus_model_max_uses(model), sizeof *all);
    double sum = 0.0;
    size_t used = 0;
    gradus_error err;
    int status = 0;

    if (gradus_model_uses(model, all, &used, &err) == GRADUS_OK) {
        for (size_t i = 0; i < used; i++)
            sum += all[i].gain;
        qsort(all, used, sizeof *all, by_gain);
        add_shares(j, model, all, used, sum);
        json_string(j, "importance_is", facts->members ? "combined" : gain_word(facts));
    } else {
        status = fail(&err);
    }
    free(all);
    return status;
}

int report_models(json *j, const report *r)
{
    gradus_error err;
    int status = 0;

    json_open(j, "models", '[');
    for (size_t s = 0; status == 0 && s < r->count; s++) {
        const gradus_model *model = r->systems[s].model;
        gradus_model_facts facts;

        if (!model)
            continue;
        gradus_model_describe(model, &facts);
        json_open(j, NULL, '{');
        json_count(j, "system", s);
        json_model_facts(j, r->systems[s].name, &facts);
        json_calibrations(j, model);
        if (!json_members(j, model, facts.members, &err))
            return fail(&err);
        json_count(j, "bytes", file_size(r->systems[s].name));
        add_recipe(j, model, r->systems[s].name);
        add_curve(j, model, facts.best_round);
        status = add_importance(j, model, &facts);
        json_close(j, '}');
    }
    json_close(j, ']');
    return status;
}
