/* SPDX-License-Identifier: Apache-2.0 */
/* Models in a report: facts, recipe, learning curve, importance. */
#include "experiments/report/report_data.h"

#include "base/error.h"
#include "base/memory.h"
#include "experiments/model_json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { FEATURES_LISTED = 30, POINTS_DRAWN = 400 };

/* The size of the file, or of the file that the model would be written to. */
static gradus_status size_of(const gradus_report_system *system, uint64_t *size, gradus_error *err)
{
    struct stat about;

    if (stat(system->name, &about) != 0)
        return gradus_model_size(system->model, size, err);
    *size = (uint64_t)about.st_size;
    return GRADUS_OK;
}

static bool is_default(const char *name, const char *value)
{
    gradus_param param;

    return gradus_param_find("train", name, &param) && strcmp(param.name, name) == 0 &&
           strcmp(param.initial, value) == 0;
}

/* The command that trains the model, and all settings, with whether each is not the default. */
static void add_recipe(gr_json_writer *j, const gradus_report_system *system)
{
    const char *name, *value;

    if (system->command && *system->command)
        gr_json_put_text(j, "train_command", system->command);
    gr_json_open(j, "recipe", '[');
    for (size_t i = 0; gradus_model_option_at(system->model, i, &name, &value); i++) {
        gr_json_open(j, NULL, '{');
        gr_json_put_text(j, "name", name);
        gr_json_put_text(j, "value", value);
        gr_json_put_flag(j, "changed", !is_default(name, value));
        gr_json_close(j, '}');
    }
    gr_json_close(j, ']');
}

/* Long curves are thinned evenly; the best round and the last are kept. */
static void add_curve(gr_json_writer *j, const gradus_model *model, size_t best_round)
{
    size_t count = 0, round;
    double train, valid;

    while (gradus_model_curve_at(model, count, &round, &train, &valid))
        count++;
    const size_t every = count / POINTS_DRAWN + 1;

    gr_json_open(j, "curve", '[');
    for (size_t i = 0; gradus_model_curve_at(model, i, &round, &train, &valid); i++) {
        if (i % every != 0 && i + 1 != count && round != best_round)
            continue;
        gr_json_open(j, NULL, '[');
        gr_json_put_count(j, NULL, round);
        gr_report_put_short(j, NULL, train);
        gr_report_put_short(j, NULL, valid);
        gr_json_close(j, ']');
    }
    gr_json_close(j, ']');
}

static int by_gain(const void *left, const void *right)
{
    const gradus_feature_use *a = left, *b = right;

    if (a->gain != b->gain)
        return a->gain > b->gain ? -1 : 1;
    return a->feature < b->feature ? -1 : a->feature > b->feature;
}

static void add_shares(gr_json_writer *j, const gradus_model *model, const gradus_feature_use *all,
                       size_t used, double sum)
{
    gr_json_open(j, "importance", '[');
    for (size_t i = 0; i < used && i < FEATURES_LISTED && sum > 0.0; i++) {
        const char *name = gradus_model_feature_name(model, all[i].feature);
        char id[32];

        snprintf(id, sizeof id, "%zu", all[i].feature + gradus_model_first_id(model));
        gr_json_open(j, NULL, '{');
        gr_json_put_text(j, "feature", *name ? name : id);
        gr_report_put_short(j, "share", all[i].gain / sum);
        gr_json_put_count(j, "count", all[i].splits);
        gr_json_close(j, '}');
    }
    gr_json_close(j, ']');
    gr_json_put_count(j, "features_used", used);
}

static gradus_status add_importance(gr_json_writer *j, const gradus_model *model,
                                    const gradus_model_info *info, gradus_error *err)
{
    gradus_feature_use *all = gr_new_array(gradus_model_max_uses(model), sizeof *all);
    double sum = 0.0;
    size_t used = 0;
    const gradus_status status =
        all ? gradus_model_uses(model, all, &used, err) : gr_fail_memory(err, "importance");

    if (status == GRADUS_OK) {
        for (size_t i = 0; i < used; i++)
            sum += all[i].gain;
        qsort(all, used, sizeof *all, by_gain);
        add_shares(j, model, all, used, sum);
        gr_json_put_text(j, "importance_is", info->members ? "combined" : info->gain_name);
    }
    free(all);
    return status;
}

gradus_status gr_report_models(gr_json_writer *j, const gr_report *r, gradus_error *err)
{
    gr_json_open(j, "models", '[');
    for (size_t s = 0; s < r->input->system_count; s++) {
        const gradus_report_system *system = &r->input->systems[s];
        gradus_model_info info;
        uint64_t size;

        if (!system->model)
            continue;
        GR_TRY(size_of(system, &size, err));
        gradus_model_describe(system->model, &info);
        gr_json_open(j, NULL, '{');
        gr_json_put_count(j, "system", s);
        gr_model_put_info(j, system->name, system->model, &info);
        gr_model_put_calibrations(j, system->model);
        GR_TRY(gr_model_put_members(j, system->model, info.members, err));
        gr_json_put_count(j, "bytes", size);
        add_recipe(j, system);
        add_curve(j, system->model, info.best_round);
        GR_TRY(add_importance(j, system->model, &info, err));
        gr_json_close(j, '}');
    }
    gr_json_close(j, ']');
    return GRADUS_OK;
}
