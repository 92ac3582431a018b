/* SPDX-License-Identifier: Apache-2.0 */
/* Named facts of a model, as text. Nothing here knows the kinds of models: facts of a
 * new kind appear without a change. */
#include "cmd_show.h"

#include "experiments/model_json.h"

#include <string.h>

size_t model_count(const gradus_model *model, const char *name)
{
    gradus_model_fact fact;

    return gradus_model_fact_find(model, name, &fact) ? (size_t)fact.number : 0;
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
        if (gr_fact_is_size(&fact) && fact.one && fact.number > 0.0) {
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
