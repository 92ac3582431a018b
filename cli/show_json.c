/* SPDX-License-Identifier: Apache-2.0 */
/* gradus show --json. */
#include "cmd_show.h"

#include "experiments/model_json.h"

static void json_recipe(json *j, const shown *s)
{
    const char *name, *value;

    json_open(j, "recipe", '{');
    for (size_t i = 0; gradus_model_option_at(s->model, i, &name, &value); i++)
        json_setting(j, name, value);
    json_close(j, '}');
}

static void json_curve(json *j, const shown *s)
{
    size_t round;
    double train, valid;

    json_open(j, "curve", '[');
    for (size_t i = 0; gradus_model_curve_at(s->model, i, &round, &train, &valid); i++) {
        json_open(j, NULL, '{');
        json_count(j, "round", round);
        json_number(j, "train", train);
        json_number(j, "valid", valid);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void json_importance(json *j, const shown *s)
{
    json_open(j, "importance", '[');
    for (size_t i = 0; i < s->used; i++) {
        const size_t f = s->uses[i].feature;

        json_open(j, NULL, '{');
        json_count(j, "feature", f + gradus_model_first_id(s->model));
        json_string(j, "name", gradus_model_feature_name(s->model, f));
        json_number(j, s->info.gain_name, s->uses[i].gain);
        json_count(j, s->info.count_name, s->uses[i].splits);
        json_close(j, '}');
    }
    json_close(j, ']');
}

bool show_json(text *t, const shown *s, size_t tree, gradus_error *err)
{
    json j = JSON_TO(t);

    json_open(&j, NULL, '{');
    gr_model_put_info(&j.writer, s->path, s->model, &s->info);
    gr_model_put_calibrations(&j.writer, s->model);
    const bool whole = gr_model_put_members(&j.writer, s->model, s->info.members, err) == GRADUS_OK;

    json_flush(&j);
    if (!whole)
        return false;
    gr_model_put_groups(&j.writer, s->model);
    json_flush(&j);
    json_results(&j, s->model);
    json_recipe(&j, s);
    json_curve(&j, s);
    json_importance(&j, s);
    json_equations(&j, s);
    json_thresholds(&j, s);
    if (tree)
        json_tree(&j, s, tree);
    json_close(&j, '}');
    text_add(t, "\n");
    return true;
}
