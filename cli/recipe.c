/* SPDX-License-Identifier: Apache-2.0 */
/* The command that trains a model again, from the settings stored in the model. */
#include "common.h"

#include <string.h>

/* The command so far; a piece that does not fit starts a new line, after a backslash. */
typedef struct recipe {
    text *to;
    size_t indent, width; /* width 0: all on one line */
    size_t column;
} recipe;

static bool find_setting(const char *name, gradus_param *param)
{
    for (size_t i = 0; gradus_param_at("train", i, param); i++)
        if (strcmp(param->name, name) == 0)
            return true;
    return false;
}

bool is_default_setting(const char *name, const char *value)
{
    gradus_param param;

    return find_setting(name, &param) && strcmp(param.initial, value) == 0;
}

/* Adds words that must stay on one line: an option and its value. */
static void add_piece(recipe *r, const char *piece)
{
    const size_t columns = text_columns(piece);

    if (r->width && r->column + columns + 3 > r->width) {
        text_add(r->to, " \\\n");
        text_pad(r->to, r->indent);
        r->column = r->indent;
    } else {
        text_add(r->to, " ");
        r->column++;
    }
    text_add(r->to, piece);
    r->column += columns;
}

/* name: with its dashes; value NULL: a flag; joined: "--name=value" */
static void add_option(recipe *r, const char *name, const char *value, bool joined)
{
    text piece = { NULL, 0, 0 };

    text_add(&piece, name);
    if (value) {
        text_add(&piece, joined ? "=" : " ");
        text_add_word(&piece, value);
    }
    add_piece(r, text_string(&piece));
    text_free(&piece);
}

/* A cost from a file is stored as "matrix", without the file's name. */
static void add_setting(recipe *r, const char *name, const char *value)
{
    text dashed = { NULL, 0, 0 };
    gradus_param param;
    const bool flag = find_setting(name, &param) && param.kind == GRADUS_FLAG;

    text_format(&dashed, "--%s", name);
    if (flag && strcmp(value, "true") == 0)
        add_option(r, text_string(&dashed), NULL, false);
    else if (strcmp(name, "cost") == 0 && strcmp(value, "matrix") == 0)
        add_option(r, text_string(&dashed), "MATRIX", false);
    else
        add_option(r, text_string(&dashed), value, flag);
    text_free(&dashed);
}

static const char *setting_of(const gradus_model *model, const char *target)
{
    const char *name, *value;

    for (size_t i = 0; gradus_model_option_at(model, i, &name, &value); i++)
        if (strcmp(name, target) == 0)
            return value;
    return NULL;
}

static bool is_chosen_from_data(const char *name)
{
    gradus_param param;

    return find_setting(name, &param) && param.rule;
}

/* Adds the settings that are not implied by the options so far, and those of boosted trees (models
 * with leaves) whose defaults depend on the data. */
static void add_settings(recipe *r, const gradus_model *model, gradus_options *typed)
{
    const bool boosted = setting_of(model, "leaves") != NULL;
    const char *name, *value;

    for (size_t i = 0; gradus_model_option_at(model, i, &name, &value); i++) {
        const bool implied = strcmp(gradus_options_value(typed, name), value) == 0;

        if (strcmp(name, "method") == 0 || strcmp(name, "preset") == 0)
            continue;
        if (!implied || (boosted && is_chosen_from_data(name)))
            add_setting(r, name, value);
    }
}

/* Adds an option that implies others, if the model has it. */
static void add_implying(recipe *r, const gradus_model *model, gradus_options *typed,
                         const char *name)
{
    const char *value = setting_of(model, name);

    if (!value || (strcmp(name, "preset") == 0 && is_default_setting(name, value)))
        return;
    gradus_options_set(typed, name, value, NULL);
    add_setting(r, name, value);
}

bool add_train_command(text *t, const gradus_model *model, const char *path, size_t indent,
                       size_t width)
{
    recipe r = { t, indent, width, indent + strlen("gradus train") };
    gradus_model_info facts;

    gradus_model_describe(model, &facts);
    if (!setting_of(model, "method") || facts.distilled)
        return false;
    gradus_options *typed = gradus_options_new("train", NULL);

    if (!typed)
        return false;
    text_add(t, "gradus train");
    add_implying(&r, model, typed, "method");
    add_implying(&r, model, typed, "preset");
    add_option(&r, "--train", "TRAIN", false);
    if (facts.validated)
        add_option(&r, "--valid", "VALID", false);
    if (facts.start_rounds)
        add_option(&r, "--start", "START", false);
    add_settings(&r, model, typed);
    add_option(&r, "-o", *facts.calibration && !facts.members ? "BASE" : path, false);
    gradus_options_free(typed);
    return true;
}
