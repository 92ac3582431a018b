/* SPDX-License-Identifier: Apache-2.0 */
/* Named facts of a model, as text and as JSON. Nothing here knows the kinds of models: facts of a
 * new kind appear without a change. */
#include "cmd_show.h"

#include <string.h>

size_t model_count(const gradus_model *model, const char *name)
{
    gradus_model_fact fact;

    return gradus_model_fact_find(model, name, &fact) ? (size_t)fact.number : 0;
}

/* The part of a name before the dot, 0 if it has none. */
static size_t group_length(const gradus_model_fact *fact)
{
    const char *dot = strchr(fact->name, '.');

    return dot ? (size_t)(dot - fact->name) : 0;
}

/* Counts without a group measure the size of the model. */
static bool is_size(const gradus_model_fact *fact)
{
    return fact->type == GRADUS_FACT_COUNT && group_length(fact) == 0;
}

static void add_counted(text *t, const gradus_model_fact *fact)
{
    text_add(t, with_commas((size_t)fact->number));
    if (fact->one)
        text_format(t, " %s", plural((size_t)fact->number, fact->one, fact->many));
}

void add_model_size(text *t, const gradus_model *model)
{
    gradus_model_fact fact;
    const size_t start = t->length;

    for (size_t i = 0; gradus_model_fact_at(model, i, &fact); i++)
        if (is_size(&fact) && fact.one && fact.number > 0.0) {
            text_add(t, t->length > start ? ", " : "");
            add_counted(t, &fact);
        }
}

static void add_value(text *t, const gradus_model_fact *fact)
{
    if (fact->type == GRADUS_FACT_COUNT)
        add_counted(t, fact);
    else if (fact->type == GRADUS_FACT_TEXT)
        text_add(t, fact->text);
    else
        text_number(t, fact->number);
}

/* Adds the text of a line with each {name} replaced by the fact. */
static void expand(text *t, const gradus_model *model, const char *line)
{
    const char *open, *close;

    while ((open = strchr(line, '{')) && (close = strchr(open, '}'))) {
        text name = { NULL, 0, 0 };
        gradus_model_fact fact;

        text_add_bytes(t, line, (size_t)(open - line));
        text_add_bytes(&name, open + 1, (size_t)(close - open - 1));
        if (gradus_model_fact_find(model, text_string(&name), &fact))
            add_value(t, &fact);
        text_free(&name);
        line = close + 1;
    }
    text_add(t, line);
}

bool add_line(text *t, const gradus_model *model, const char *name)
{
    gradus_model_fact fact;

    for (size_t i = 0; gradus_model_fact_at(model, i, &fact); i++)
        if (fact.type == GRADUS_FACT_LINE && strcmp(fact.name, name) == 0) {
            expand(t, model, fact.text);
            return true;
        }
    return false;
}

void add_other_lines(text *t, const gradus_model *model)
{
    gradus_model_fact fact;

    for (size_t i = 0; gradus_model_fact_at(model, i, &fact); i++)
        if (fact.type == GRADUS_FACT_LINE && strcmp(fact.name, "size") != 0 &&
            strcmp(fact.name, "ensemble") != 0) {
            text_format(t, "%-*s", LABEL_WIDTH, fact.name);
            expand(t, model, fact.text);
            text_add(t, "\n");
        }
}

static void json_fact(json *j, const char *name, const gradus_model_fact *fact)
{
    if (fact->type == GRADUS_FACT_COUNT)
        json_count(j, name, (size_t)fact->number);
    else if (fact->type == GRADUS_FACT_NUMBER)
        json_number(j, name, fact->number);
    else if (fact->type == GRADUS_FACT_FLAG)
        json_bool(j, name, fact->number != 0.0);
    else
        json_string(j, name, fact->text);
}

void json_model_size(json *j, const gradus_model *model, size_t rounds)
{
    gradus_model_fact fact;

    json_count(j, "rounds", rounds);
    for (size_t i = 0; gradus_model_fact_at(model, i, &fact); i++)
        if (is_size(&fact))
            json_fact(j, fact.name, &fact);
}

void json_combination(json *j, const gradus_model *model, const gradus_model_info *f)
{
    gradus_model_fact fact;

    json_string(j, "combination", f->combination);
    for (size_t i = 0; f->members && gradus_model_fact_at(model, i, &fact); i++)
        if (!is_size(&fact) && fact.type != GRADUS_FACT_LINE && group_length(&fact) == 0)
            json_fact(j, fact.name, &fact);
}

/* "kernel.name" and "kernel.degree" are members of an object "kernel". */
void json_groups(json *j, const gradus_model *model)
{
    text group = { NULL, 0, 0 };
    gradus_model_fact fact;

    for (size_t i = 0; gradus_model_fact_at(model, i, &fact); i++) {
        const size_t length = group_length(&fact);

        if (length != group.length || memcmp(fact.name, text_string(&group), length) != 0) {
            if (group.length)
                json_close(j, '}');
            group.length = 0;
            text_add_bytes(&group, fact.name, length);
            if (length)
                json_open(j, text_string(&group), '{');
        }
        if (length)
            json_fact(j, fact.name + length + 1, &fact);
    }
    if (group.length)
        json_close(j, '}');
    text_free(&group);
}
