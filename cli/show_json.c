/* SPDX-License-Identifier: Apache-2.0 */
/* gradus show --json. */
#include "show.h"

void json_model_facts(json *j, const char *path, const gradus_model_facts *f)
{
    json_string(j, "file", path);
    json_string(j, "method", f->method);
    json_bool(j, "finished", f->finished);
    json_count(j, "features", f->features);
    json_count(j, "outputs", f->outputs);
    json_model_size(j, f);
    json_count(j, "rounds_done", f->rounds_done);
    json_count(j, "best_round", f->best_round);
    json_string(j, "combination", f->combination);
    if (*f->combination && f->rank_constant > 0.0)
        json_number(j, "rank_constant", f->rank_constant);
    json_string(j, "calibration", f->calibration);
    json_string(j, "scoring", f->scoring);
    json_bool(j, "probabilities", f->probabilities);
    json_open(j, "grades", '[');
    for (size_t k = 0; k < f->grades; k++)
        json_label(j, NULL, f->grade_values[k]);
    json_close(j, ']');
    json_count(j, "train_rows", f->train_rows);
    json_count(j, "train_queries", f->train_queries);
    json_string(j, "metric", f->metric);
    json_string(j, "convention", f->convention);
    json_bool(j, "lower_is_better", f->lower_is_better);
}

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
        json_number(j, gain_word(&s->facts), s->uses[i].gain);
        json_count(j, split_word(&s->facts), s->uses[i].splits);
        json_close(j, '}');
    }
    json_close(j, ']');
}

const char *gain_word(const gradus_model_facts *f)
{
    return !f->members && (f->equations || f->net) ? "size" : "gain";
}

const char *split_word(const gradus_model_facts *f)
{
    const bool other = f->equations || f->net || f->kernels || f->weights;

    if (f->members)
        return other ? "uses" : "splits";
    return f->equations ? "equations" : f->net ? "ways" : "splits";
}

bool show_json(text *t, const shown *s, size_t tree, gradus_error *err)
{
    json j = JSON_TO(t);

    json_open(&j, NULL, '{');
    json_model_facts(&j, s->path, &s->facts);
    json_calibrations(&j, s->model);
    if (!json_members(&j, s->model, s->facts.members, err))
        return false;
    json_fit(&j, s);
    json_recipe(&j, s);
    json_curve(&j, s);
    json_importance(&j, s);
    if (s->facts.equations && !s->facts.members)
        json_equations(&j, s);
    json_thresholds(&j, s);
    if (tree)
        json_tree(&j, s, tree);
    json_close(&j, '}');
    text_add(t, "\n");
    return true;
}
