/* SPDX-License-Identifier: Apache-2.0 */
/* Looks up published figures and settings in the embedded tables (see published.h). */
#include "experiments/published.h"

#include "base/text.h"

#include <string.h>

/* A field or line within the text of a table. */
typedef struct span {
    const char *at, *end;
} span;

static span span_to(const char *at, const char *stops)
{
    return (span){ at, at + strcspn(at, stops) };
}

static bool is(span s, const char *name)
{
    const size_t length = strlen(name);

    return (size_t)(s.end - s.at) == length && memcmp(s.at, name, length) == 0;
}

static double number_of(span s)
{
    double number;

    return gr_parse_double(s.at, s.end, &number) == s.end ? number : 0.0;
}

static const char *next_line(const char *line)
{
    line += strcspn(line, "\n");
    return line + (*line == '\n');
}

static const char *text_of(const char *table)
{
    for (const gr_published_table *t = gr_published_tables; t->name; t++)
        if (strcmp(t->name, table) == 0)
            return t->text;
    return "";
}

/* The field of a value; empty if absent. */
static span field_at(const char *table, const char *row, const char *column)
{
    static const span none = { "", "" };
    const char *line = text_of(table);
    size_t place = 0;

    while (*line == '#')
        line = next_line(line);
    span field = span_to(line, "\t\n");

    while (*field.end == '\t' && (place == 0 || !is(field, column))) {
        field = span_to(field.end + 1, "\t\n");
        place++;
    }
    if (place == 0 || !is(field, column))
        return none;
    for (line = next_line(line); *line; line = next_line(line)) {
        field = span_to(line, "\t\n");
        if (!is(field, row))
            continue;
        for (size_t i = 0; i < place && *field.end == '\t'; i++)
            field = span_to(field.end + 1, "\t\n");
        return field;
    }
    return none;
}

static bool in_parentheses(span s)
{
    return s.end - s.at > 2 && *s.at == '(' && s.end[-1] == ')';
}

double gr_published(const char *table, const char *row, const char *column)
{
    const span field = field_at(table, row, column);

    return number_of(in_parentheses(field) ? (span){ field.at + 1, field.end - 1 } : field);
}

bool gr_published_elsewhere(const char *table, const char *row, const char *column)
{
    return in_parentheses(field_at(table, row, column));
}

gradus_status gr_published_rule(const char *table, gr_rule *rule, gradus_error *err)
{
    return gr_rule_parse(table, text_of(table), rule, err);
}

double gr_published_error(const char *table, const char *row, const char *column)
{
    gr_rule rule;
    gradus_error err;

    return gr_published_rule(table, &rule, &err) == GRADUS_OK
               ? gr_published(rule.errors, row, column)
               : 0.0;
}

const char *gr_paper_setting_at(const char *table, const char *name, size_t index)
{
    for (const gr_paper_setting *s = gr_paper_settings; s->name; s++)
        if (strcmp(s->table, table) == 0 && strcmp(s->name, name) == 0 && index-- == 0)
            return s->words;
    return NULL;
}

const char *gr_paper_words(const char *table, const char *name)
{
    const char *words = gr_paper_setting_at(table, name, 0);

    return words ? words : "missing-setting";
}

double gr_paper_number(const char *table, const char *name, size_t index)
{
    const char *words = gr_paper_setting_at(table, name, 0);

    for (; words && *words; index--) {
        const span word = span_to(words, " ");

        if (index == 0)
            return number_of(word);
        words = word.end + strspn(word.end, " ");
    }
    return 0.0;
}

size_t gr_paper_count(const char *table, const char *name, size_t index)
{
    return (size_t)gr_paper_number(table, name, index);
}
