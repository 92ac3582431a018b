/* SPDX-License-Identifier: Apache-2.0 */
/* Manual pages and bash completion, from the same tables as the help. */
#include "cmd_help.h"

#include <string.h>

static const char exit_status[] =
    ".SH EXIT STATUS\n0 success, 1 failure, 2 wrong usage; 130, 143, 129 stopped by SIGINT "
    "(Ctrl\\-C), SIGTERM, SIGHUP: output files are never left incomplete.\n";

/* Escapes what roff interprets: "\", "-", and "." or "'" at the start of a line. */
static void roff_escape(text *t, const char *words)
{
    bool line_begins = t->length == 0 || t->at[t->length - 1] == '\n';

    for (; *words; words++) {
        if (*words == '\\')
            text_add(t, "\\e");
        else if (*words == '-')
            text_add(t, "\\-");
        else if (*words == '|' || *words == ',')
            text_format(t, "%c\\:", *words); /* allow a line break there */
        else if (line_begins && (*words == '.' || *words == '\''))
            text_format(t, "\\&%c", *words);
        else
            text_add_bytes(t, words, 1);
        line_begins = *words == '\n';
    }
}

static void roff_paragraphs(text *t, const char *words)
{
    for (; *words; words++) {
        if (words[0] == '\n' && words[1] == '\n') {
            text_add(t, "\n.PP\n");
            words++;
            continue;
        }
        const char one[2] = { *words, '\0' };
        roff_escape(t, one);
    }
    text_add(t, "\n");
}

static void man_option(void *user, const char *title, const option_row *row)
{
    text *t = user;

    if (!row) {
        text_add(t, ".SS ");
        roff_escape(t, title);
        text_add(t, "\n");
        return;
    }
    text_add(t, ".TP\n\\fB");
    if (row->letter)
        text_format(t, "\\-%c\\fR, \\fB", row->letter);
    text_add(t, "\\-\\-");
    roff_escape(t, row->name);
    text_add(t, "\\fR");
    if (row->argument)
        text_format(t, " \\fI%s\\fR", row->argument);
    text_add(t, "\n");
    roff_escape(t, row->help);
    if (row->range[0]) {
        text_add(t, " (");
        roff_escape(t, row->range);
        text_add(t, ")");
    }
    text_add(t, "\n");
}

static void man_alias(void *user, const char *title, const option_row *row)
{
    text names = { NULL, 0, 0 };

    (void)title;
    if (!row || !row->aliases)
        return;
    add_aliases(&names, row->aliases);
    text_add(user, ".TP\n\\fB\\-\\-");
    roff_escape(user, row->name);
    text_add(user, "\\fR\n");
    roff_escape(user, text_string(&names));
    text_add(user, "\n");
    text_free(&names);
}

static void man_other_names(text *t, const command *about)
{
    text rows = { NULL, 0, 0 };

    visit_options(about, NULL, man_alias, &rows);
    if (rows.length) {
        text_add(t, ".SS ");
        roff_escape(t, other_names);
        text_add(t, "\n");
        text_add(t, text_string(&rows));
    }
    text_free(&rows);
}

static void man_head(text *t, const char *name, const char *summary)
{
    text_add(t, ".TH ");
    for (const char *c = name; *c; c++)
        text_format(t, "%c", *c >= 'a' && *c <= 'z' ? *c - 32 : *c);
    text_format(t, " 1 \"\" \"gradus %s\" \"gradus manual\"\n.SH NAME\n", gradus_version());
    roff_escape(t, name);
    text_add(t, " \\- ");
    roff_escape(t, summary);
    text_add(t, "\n");
}

static void man_entries(text *t, const char *name)
{
    gradus_entry entry;

    for (size_t i = 0; gradus_entry_at(name, i, &entry); i++) {
        text_add(t, ".TP\n\\fB");
        roff_escape(t, entry.name);
        text_add(t, "\\fR\n");
        roff_escape(t, entry.summary);
        text_add(t, "\n");
    }
}

static void man_overview(text *t)
{
    man_head(t, "gradus", "learn to rank from graded relevance");
    text_add(t, ".SH SYNOPSIS\n\\fBgradus\\fR \\fICOMMAND\\fR [\\fIoptions\\fR]\n.SH COMMANDS\n");
    for (size_t i = 0; command_at(i); i++) {
        text_format(t, ".TP\n\\fBgradus\\-%s\\fR(1)\n", command_at(i)->name);
        roff_escape(t, command_at(i)->summary);
        text_add(t, "\n");
    }
    for (size_t i = 0; catalogues[i].name; i++) {
        text_add(t, ".SH ");
        roff_escape(t, catalogues[i].title);
        text_add(t, "\n");
        man_entries(t, catalogues[i].name);
    }
    text_add(t, exit_status);
}

void man_page(text *t, const command *about)
{
    text name = { NULL, 0, 0 };

    if (!about) {
        man_overview(t);
        return;
    }
    text_format(&name, "gradus-%s", about->name);
    man_head(t, text_string(&name), about->summary);
    text_free(&name);
    text_add(t, ".SH SYNOPSIS\n.nf\n");
    roff_escape(t, about->usage);
    text_add(t, "\n.fi\n.SH DESCRIPTION\n");
    roff_paragraphs(t, about->description);
    if (about->kinds) {
        text_add(t, ".SH KINDS\n");
        man_entries(t, about->kinds);
    }
    text_add(t, ".SH OPTIONS\n");
    visit_options(about, NULL, man_option, t);
    man_other_names(t, about);
    if (about->examples)
        text_add(t, ".SH EXAMPLES\n");
    for (const example *e = about->examples; e && e->line; e++) {
        text_add(t, ".TP\n\\fB");
        roff_escape(t, e->line);
        text_add(t, "\\fR\n");
        roff_escape(t, e->what);
        text_add(t, "\n");
    }
    text_add(t, exit_status);
    text_add(t, ".SH SEE ALSO\n\\fBgradus\\fR(1)\n");
}

static void completion_option(void *user, const char *title, const option_row *row)
{
    (void)title;
    if (row)
        text_format(user, " --%s", row->name);
}

static void add_reply(text *t, const char *pattern, const char *extra, const name_list *names)
{
    text_format(t, "        %s) COMPREPLY=($(compgen %s-W '", pattern, extra);
    for (size_t i = 0; i < names->count; i++)
        text_format(t, "%s%s", i ? " " : "", names->at[i]);
    text_add(t, "' -- \"$word\")); return ;;\n");
}

/* The catalogue that lists the values of an option, or NULL. */
static const char *catalogue_of(const option_row *row)
{
    static const struct {
        const char *option, *catalogue;
    } rows[] = { { "metric", "metrics" }, { "cost", "costs" }, { "method", "methods" } };

    for (size_t i = 0; !row->choices && row->argument && i < sizeof rows / sizeof rows[0]; i++)
        if (strcmp(rows[i].option, row->name) == 0)
            return rows[i].catalogue;
    return NULL;
}

typedef struct completing {
    text *to;
    const char *command;
} completing;

/* Completes the value of an option that takes names; the values of other options are files. */
static void completion_value(void *user, const char *title, const option_row *row)
{
    const completing *c = user;
    text pattern = { NULL, 0, 0 };
    name_list names = { NULL, 0, 0 };
    const char *from = row ? catalogue_of(row) : NULL;

    (void)title;
    for (size_t i = 0; row && row->choices && row->choices[i]; i++)
        names_add(&names, row->choices[i]);
    if (from)
        names_add_catalogue(&names, from);
    if (names.count) {
        text_format(&pattern, "%s:--%s", c->command, row->name);
        add_reply(c->to, text_string(&pattern), strcmp(row->name, "cost") == 0 ? "-f " : "",
                  &names);
    }
    names_free(&names);
    text_free(&pattern);
}

static void completion_head(text *t)
{
    text_add(t, "# bash completion for gradus, generated by 'gradus help --completion bash'\n"
                "_gradus()\n{\n    local word=${COMP_WORDS[COMP_CWORD]} "
                "before=${COMP_WORDS[COMP_CWORD-1]}\n"
                "    COMPREPLY=()\n    if [ \"$COMP_CWORD\" -eq 1 ]; then\n        "
                "COMPREPLY=($(compgen -W '");
    for (size_t i = 0; command_at(i); i++)
        text_format(t, "%s%s", i ? " " : "", command_at(i)->name);
    text_add(t,
             " --version --help' -- \"$word\"))\n        return\n    fi\n"
             "    if [ \"$word\" = '=' ]; then # \"--name=\" is two words, \"--name=value\" three\n"
             "        word=''\n"
             "    elif [ \"$before\" = '=' ]; then\n"
             "        before=${COMP_WORDS[COMP_CWORD-2]}\n    fi\n");
}

/* Completes words that are not options: help topics and kinds. */
static void completion_words(text *t)
{
    name_list names = { NULL, 0, 0 };

    help_topics(&names);
    add_reply(t, "help:2:[^-]*|help:2:", "", &names);
    names_free(&names);
    for (size_t i = 0; command_at(i); i++)
        if (command_at(i)->kinds) {
            text pattern = { NULL, 0, 0 };

            text_format(&pattern, "%s:2:*", command_at(i)->name);
            names_add_catalogue(&names, command_at(i)->kinds);
            add_reply(t, text_string(&pattern), "", &names);
            names_free(&names);
            text_free(&pattern);
        }
}

void bash_completion(text *t)
{
    completion_head(t);
    text_add(t, "    case ${COMP_WORDS[1]}:$before in\n");
    for (size_t i = 0; command_at(i); i++) {
        completing c = { t, command_at(i)->name };

        visit_options(command_at(i), NULL, completion_value, &c);
    }
    text_add(t, "    esac\n    case ${COMP_WORDS[1]}:$COMP_CWORD:$word in\n");
    completion_words(t);
    for (size_t i = 0; command_at(i); i++) {
        text_format(t, "        %s:*:-*) COMPREPLY=($(compgen -W '", command_at(i)->name);
        visit_options(command_at(i), NULL, completion_option, t);
        text_add(t, "' -- \"$word\")); return ;;\n");
    }
    text_add(t, "    esac\n    COMPREPLY=($(compgen -f -- \"$word\"))\n}\n"
                "complete -o filenames -F _gradus gradus\n");
}
