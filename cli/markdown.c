/* SPDX-License-Identifier: Apache-2.0 */
/* The reference in Markdown, from the same tables as the help. Options that several commands share
 * are described once, under "Shared options", and commands link to them. */
#include "cmd_help.h"
#include "format_table.h"

#include <string.h>

static void add_cell(text *t, const char *words)
{
    for (; *words; words++) {
        if (*words == '|')
            text_add(t, "\\|");
        else
            text_add_bytes(t, words, 1);
    }
}

/* Words with a capital letter, if they begin with a letter. */
static void add_capitalized(text *t, const char *words)
{
    const size_t at = t->length;

    text_format(t, "%s", words);
    if (t->length > at && t->at[at] >= 'a' && t->at[at] <= 'z')
        t->at[at] = (char)(t->at[at] - 'a' + 'A');
}

/* A summary as a sentence, on a line. */
static void add_sentence(text *t, const char *summary)
{
    add_capitalized(t, summary);
    text_add(t, ".\n");
}

/* The name of the command in whose section of the page `at` is, or NULL. */
static const char *section_of(const text *t, const char *at)
{
    static const char head[] = "\n## gradus ";

    for (; at > t->at; at--)
        if (strncmp(at, head, sizeof head - 1) == 0)
            return at + sizeof head - 1;
    return NULL;
}

static void add_option_row(void *user, const char *title, const option_row *row)
{
    text *t = user, name = { NULL, 0, 0 }, line = { NULL, 0, 0 };

    if (!row) {
        text_add(t, "\n**");
        add_capitalized(t, title);
        text_add(t, "**\n\n| option | meaning | range; default |\n|---|---|---|\n");
        return;
    }
    text_add(&name, "\n| `");
    if (row->letter)
        text_format(&name, "-%c, ", row->letter);
    text_format(&name, "--%s", row->name);
    if (row->argument)
        text_format(&name, " %s", row->argument);
    text_add(&name, "` | ");
    text_add(&line, text_string(&name));
    add_cell(&line, row->help);
    text_add(&line, " | ");
    add_cell(&line, row->range);
    text_add(&line, " |\n");
    const char *before = strstr(t->at, text_string(&line));
    const char *section = before ? section_of(t, before) : NULL;

    if (section && section != section_of(t, t->at + t->length)) {
        text other = { NULL, 0, 0 }; /* a copy: the page moves when it grows */

        text_add_bytes(&other, section, strcspn(section, "\n"));
        text_format(t, "%ssee [gradus %s](#gradus-%s) | |\n", text_string(&name) + 1,
                    text_string(&other), text_string(&other));
        text_free(&other);
    } else {
        text_add(t, text_string(&line) + 1);
    }
    text_free(&name);
    text_free(&line);
}

/* How many commands have an operation's options. */
static size_t users_of(const char *operation)
{
    size_t count = 0;

    for (size_t i = 0; command_at(i); i++)
        for (size_t o = 0; command_at(i)->operations[o]; o++)
            count += strcmp(command_at(i)->operations[o], operation) == 0;
    return count;
}

static const char *title_of(const char *operation)
{
    gradus_entry entry;

    return find_entry("operations", operation, &entry) ? entry.summary : operation;
}

/* The options of a shared operation that an earlier operation of the command has, too: it replaces
 * them. */
static void add_replaced(text *t, const command *c, size_t operation)
{
    gradus_param param, earlier;
    size_t count = 0;

    for (size_t i = 0; gradus_param_at(c->operations[operation], i, &param); i++) {
        bool replaced = false;

        for (size_t o = 0; o < operation && strcmp(param.name, "seed") != 0; o++)
            replaced = replaced || gradus_param_find(c->operations[o], param.name, &earlier);
        if (replaced)
            text_format(t, "%s`--%s`", count++ ? ", " : " without ", param.name);
    }
}

static void add_command_options(text *t, const command *c)
{
    gradus_entry entry;

    visit_own(c->options, "Options", add_option_row, t);
    for (size_t i = 0; c->kinds && gradus_entry_at(c->kinds, i, &entry); i++) {
        text operation = { NULL, 0, 0 };

        text_format(&operation, "%s %s", c->name, entry.name);
        text_format(t, "\nKind `%s`:\n", entry.name);
        visit_operation(c, 0, text_string(&operation), add_option_row, t);
        text_free(&operation);
    }
    for (size_t o = 0; c->operations[o]; o++)
        if (users_of(c->operations[o]) == 1)
            visit_operation(c, o, c->operations[o], add_option_row, t);
    text_add(t, "\nShared options: ");
    for (size_t o = 0; c->operations[o]; o++)
        if (users_of(c->operations[o]) > 1) {
            text_format(t, "[%s](#shared-%s)", title_of(c->operations[o]), c->operations[o]);
            add_replaced(t, c, o);
            if (c->metric && strcmp(c->operations[o], "evaluate") == 0)
                text_format(t, " (default of `--metric`: %s)", c->metric);
            text_add(t, "; ");
        }
    text_add(t, "[options of every command](#shared-common).\n");
}

static void add_alias_row(void *user, const char *title, const option_row *row)
{
    text *t = user;

    (void)title;
    if (!row || !row->aliases)
        return;
    if (!t->length) {
        text_add(t, "\n**");
        add_capitalized(t, other_names);
        text_add(t, "**\n\n| option | other names |\n|---|---|\n");
    }
    text_format(t, "| `--%s` | `", row->name);
    add_aliases(t, row->aliases);
    text_add(t, "` |\n");
}

static void add_command(text *t, const command *c)
{
    text rows = { NULL, 0, 0 };

    text_format(t, "\n## gradus %s\n\n", c->name);
    add_sentence(t, c->summary);
    text_format(t, "\n```text\n%s\n```\n\n%s\n", c->usage, c->description);
    add_command_options(t, c);
    visit_options(c, NULL, add_alias_row, &rows);
    text_add(t, text_string(&rows));
    text_free(&rows);
    for (const example *e = c->examples; e && e->line; e++)
        text_format(t, "%s- `%s`: %s\n", e == c->examples ? "\nExamples:\n\n" : "", e->line,
                    e->what);
}

/* The options of all operations that several commands have, each operation once. */
static void add_shared(text *t)
{
    text done = { NULL, 0, 0 };

    text_add(t, "\n## Shared options\n");
    for (size_t i = 0; command_at(i); i++)
        for (size_t o = 0; command_at(i)->operations[o]; o++) {
            const char *operation = command_at(i)->operations[o];
            text mark = { NULL, 0, 0 };

            text_format(&mark, "<a id=\"shared-%s\"></a>", operation);
            if (users_of(operation) > 1 && !strstr(text_string(&done), text_string(&mark))) {
                static const command no_command = { .name = "" };

                text_add(&done, text_string(&mark));
                text_format(t, "\n%s\n", text_string(&mark));
                visit_operation(&no_command, 0, operation, add_option_row, t);
            }
            text_free(&mark);
        }
    text_add(t, "\n<a id=\"shared-common\"></a>\n");
    visit_own(common_options, "options of every command", add_option_row, t);
    text_free(&done);
}

static bool has_own_page(const char *name)
{
    return strcmp(name, "metrics") == 0 || strcmp(name, "conventions") == 0;
}

static void add_catalogue(text *t, const catalogue *about)
{
    const bool formats = strcmp(about->name, "formats") == 0;
    gradus_entry entry;

    text_format(t, "\n## %s\n\n", about->title);
    if (has_own_page(about->name)) {
        text_format(t, "Described in [%s](%s.md):", about->name, about->name);
        for (size_t i = 0; gradus_entry_at(about->name, i, &entry); i++)
            text_format(t, "%s `%s`", i ? "," : "", entry.name);
        text_add(t, ".\n");
        return;
    }
    if (about->note)
        text_format(t, "%s\n\n", about->note);
    text_add(t, formats ? "| name | description | extension | used by | methods |\n"
                          "|---|---|---|---|---|\n"
                        : "| name | description |\n|---|---|\n");
    for (size_t i = 0; gradus_entry_at(about->name, i, &entry); i++) {
        text_format(t, "| `%s` | ", entry.name);
        add_cell(t, entry.summary);
        text_add(t, " |");
        if (formats)
            add_format_cells(t, entry.name);
        text_add(t, "\n");
    }
}

static void add_commands_page(text *t)
{
    text_add(t, "# Commands and options\n\nGenerated by `gradus help --markdown commands`; do not "
                "edit. A test compares it with the program.\n\nOptions that several commands have "
                "are described once, under [Shared options](#shared-options).\n\n"
                "| command | purpose |\n|---|---|\n");
    for (size_t i = 0; command_at(i); i++)
        text_format(t, "| [gradus %s](#gradus-%s) | %s |\n", command_at(i)->name,
                    command_at(i)->name, command_at(i)->summary);
    for (size_t i = 0; command_at(i); i++)
        add_command(t, command_at(i));
    add_shared(t);
    for (size_t i = 0; catalogues[i].name; i++)
        add_catalogue(t, &catalogues[i]);
}

/* Every entry of a catalogue with its whole description. */
static void add_entries_page(text *t, const char *name)
{
    gradus_entry entry;

    for (size_t i = 0; gradus_entry_at(name, i, &entry); i++) {
        text_format(t, "%s### %s\n\n", i ? "\n" : "", entry.name);
        add_sentence(t, entry.summary);
        if (entry.details[0])
            text_format(t, "\n%s\n", entry.details);
    }
}

bool markdown_page(text *t, const char *page)
{
    if (strcmp(page, "commands") == 0)
        add_commands_page(t);
    else if (has_own_page(page))
        add_entries_page(t, page);
    else
        return false;
    return true;
}
