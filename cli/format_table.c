/* SPDX-License-Identifier: Apache-2.0 */
/* Which tools read an export format, and which methods it can hold. */
#include "format_table.h"

#include "gradus.h"

#include <string.h>

static bool same_methods(const gradus_format *a, const gradus_format *b)
{
    return a->methods && b->methods ? strcmp(a->methods, b->methods) == 0
                                    : a->methods == b->methods;
}

/* Whether an earlier format holds the same methods. */
static bool is_repeated(size_t index, const gradus_format *format)
{
    gradus_format other;

    for (size_t i = 0; i < index && gradus_format_at(i, &other); i++)
        if (same_methods(&other, format))
            return true;
    return false;
}

static void add_methods(text *t, const char *methods)
{
    for (; methods && *methods; methods += strspn(methods, " ")) {
        const size_t length = strcspn(methods, " ");

        text_add_bytes(t, methods, length);
        methods += length;
        text_add(t, *methods ? ", " : "");
    }
}

void add_format_tools(text *t, size_t width)
{
    gradus_format format;

    for (size_t i = 0; gradus_format_at(i, &format); i++) {
        text_format(t, "  %-13s .%-5s ", format.name, format.extension);
        text_wrap(t, format.used_by, 23, width);
        text_add(t, "\n");
    }
}

static void add_line(text *t, const text *line, size_t indent, size_t width)
{
    text_pad(t, indent);
    text_wrap(t, text_string(line), indent, width);
    text_add(t, "\n");
}

/* The formats with the same methods, then the methods. */
static void add_group(text *t, const gradus_format *first, size_t index, size_t width)
{
    gradus_format format;
    text names = { NULL, 0, 0 }, methods = { NULL, 0, 0 };

    text_add(&names, first->name);
    for (size_t i = index + 1; gradus_format_at(i, &format); i++)
        if (same_methods(first, &format))
            text_format(&names, ", %s", format.name);
    if (first->methods)
        add_methods(&methods, first->methods);
    else
        text_add(&methods, "all methods");
    add_line(t, &names, 2, width);
    add_line(t, &methods, 6, width);
    text_free(&names);
    text_free(&methods);
}

void add_format_methods(text *t, size_t width)
{
    gradus_format format;

    for (size_t i = 0; gradus_format_at(i, &format); i++)
        if (!is_repeated(i, &format))
            add_group(t, &format, i, width);
}

void add_format_cells(text *t, const char *name)
{
    gradus_format format;

    for (size_t i = 0; gradus_format_at(i, &format); i++)
        if (strcmp(format.name, name) == 0) {
            text_format(t, " `.%s` | %s | ", format.extension, format.used_by);
            if (format.methods)
                add_methods(t, format.methods);
            else
                text_add(t, "all");
            text_add(t, " |");
        }
}
