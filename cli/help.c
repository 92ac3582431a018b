#include "help.h"
#include "shared.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PAGE = 88 };

const catalogue catalogues[] = {
    { "metrics", "Metrics, for --metric" },
    { "conventions", "Conventions of metrics, for --convention" },
    { "methods",
      "Methods that rank: for --method of gradus train, and those that need no training" },
    { "presets", "Settings of published experiments, for --preset" },
    { "learners", "What fits the outputs of a method, for --learner" },
    { "objectives", "Losses that boosting lowers, one or more for each method" },
    { "tests", "Significance tests, for --test" },
    { "costs", "Costs of wrong orders, for --cost" },
    { "synths", "Synthetic sets, for gradus synth" },
    { "transforms", "Transforms of features, for --transform" },
    { NULL, NULL },
};

static void bold(text *t, const char *words)
{
    const bool fancy = isatty(STDOUT_FILENO) && !getenv("NO_COLOR");

    text_add(t, fancy ? "\033[1m" : "");
    text_add(t, words);
    text_add(t, fancy ? "\033[0m" : "");
}

static void add_range(const gradus_param *param, char *range, size_t size)
{
    text r = { NULL, 0, 0 };

    if (param->kind == GRADUS_CHOICE)
        for (size_t i = 0; param->choices[i]; i++)
            text_format(&r, "%s%s", i ? "|" : "", param->choices[i]);
    if (param->kind == GRADUS_COUNT || param->kind == GRADUS_REAL) {
        text_number(&r, param->low);
        text_add(&r, " to ");
        text_number(&r, param->high);
    }
    if (param->kind != GRADUS_FLAG && param->initial[0])
        text_format(&r, "%s%s", r.length ? "; " : "", param->rule ? param->rule : param->initial);
    snprintf(range, size, "%s", text_string(&r));
    text_free(&r);
}

static void visit_own(const option *options, const char *title, option_visitor visit, void *user)
{
    if (!options || !options->name)
        return;
    visit(user, title, NULL);
    for (; options->name; options++) {
        const option_row row = { options->name, options->argument, options->help, options->letter,
                                 "" };
        visit(user, title, &row);
    }
}

/* Whether one of the first `count` operations of a command has the parameter, too. */
static bool had_before(const command *about, size_t count, const char *name)
{
    gradus_param param;

    for (size_t o = 0; o < count; o++)
        for (size_t i = 0; gradus_param_at(about->operations[o], i, &param); i++)
            if (strcmp(param.name, name) == 0)
                return true;
    return false;
}

/* `before`: how many operations of the command were visited. */
static void visit_operation(const command *about, size_t before, const char *operation,
                            option_visitor visit, void *user)
{
    gradus_param param;
    gradus_entry entry;
    char title[200];

    if (!gradus_param_at(operation, 0, &param))
        return;
    snprintf(title, sizeof title, "%s",
             find_entry("operations", operation, &entry) ? entry.summary : operation);
    visit(user, title, NULL);
    for (size_t i = 0; gradus_param_at(operation, i, &param); i++) {
        option_row row = { param.name, param.argument, param.help, 0, "" };

        if (strcmp(param.name, "seed") == 0 || had_before(about, before, param.name))
            continue; /* everybody's, or told already */
        if (about->metric && strcmp(param.name, "metric") == 0)
            param.initial = about->metric;
        add_range(&param, row.range, sizeof row.range);
        visit(user, title, &row);
    }
}

void visit_options(const command *about, const char *kind, option_visitor visit, void *user)
{
    gradus_entry entry;
    char operation[64];

    visit_own(about->options, "options", visit, user);
    for (size_t i = 0; about->kinds && gradus_entry_at(about->kinds, i, &entry); i++)
        if (!kind || strcmp(kind, entry.name) == 0) {
            snprintf(operation, sizeof operation, "%s %s", about->name, entry.name);
            visit_operation(about, 0, operation, visit, user);
        }
    for (size_t i = 0; about->operations[i]; i++)
        visit_operation(about, i, about->operations[i], visit, user);
    visit_own(common_options, "options of every command", visit, user);
}

static void add_option(void *user, const char *title, const option_row *row)
{
    text *t = user;
    text head = { NULL, 0, 0 }, body = { NULL, 0, 0 };
    enum { COLUMN = 28 };

    if (!row) {
        text_add(t, "\n");
        bold(t, title);
        text_add(t, "\n");
        return;
    }
    if (row->letter)
        text_format(&head, "  -%c, --%s", row->letter, row->name);
    else
        text_format(&head, "      --%s", row->name);
    if (row->argument)
        text_format(&head, " %s", row->argument);
    text_add(&body, row->help);
    if (row->range[0])
        text_format(&body, " (%s)", row->range);
    text_add(t, text_string(&head));
    if (head.length + 2 > COLUMN) {
        text_add(t, "\n");
        text_pad(t, COLUMN);
    } else {
        text_pad(t, COLUMN - head.length);
    }
    text_wrap(t, text_string(&body), COLUMN, page_width(PAGE));
    text_add(t, "\n");
    text_free(&head);
    text_free(&body);
}

static void add_examples(text *t, const example *examples)
{
    if (!examples)
        return;
    text_add(t, "\n");
    bold(t, "examples");
    text_add(t, "\n");
    for (; examples->line; examples++)
        text_format(t, "  %s\n      %s\n", examples->line, examples->what);
}

static void add_entries(text *t, const char *name)
{
    gradus_entry entry;
    size_t widest = 0;

    for (size_t i = 0; gradus_entry_at(name, i, &entry); i++)
        if (strlen(entry.name) > widest)
            widest = strlen(entry.name);
    for (size_t i = 0; gradus_entry_at(name, i, &entry); i++) {
        text_format(t, "  %-*s  ", (int)widest, entry.name);
        text_wrap(t, entry.summary, widest + 4, page_width(PAGE));
        text_add(t, "\n");
    }
}

int help_on_command(const command *about, const char *kind)
{
    text t = { NULL, 0, 0 };

    text_format(&t, "gradus %s - %s\n\n", about->name, about->summary);
    for (const char *line = about->usage; *line;) {
        const size_t length = strcspn(line, "\n");

        text_format(&t, "%s%.*s\n", line == about->usage ? "usage: " : "       ", (int)length,
                    line);
        line += length + (line[length] != '\0');
    }
    text_add(&t, "\n");
    text_wrap(&t, about->description, 0, page_width(PAGE));
    text_add(&t, "\n");
    if (about->kinds && !kind) {
        text_add(&t, "\n");
        bold(&t, "kinds");
        text_add(&t, "\n");
        add_entries(&t, about->kinds);
    }
    visit_options(about, kind, add_option, &t);
    add_examples(&t, about->examples);
    return print_text(&t);
}

int help_overview(FILE *to)
{
    text t = { NULL, 0, 0 };

    text_add(
        &t, "gradus learns to rank from graded relevance, evaluates rankings and compares them.\n\n"
            "usage: gradus COMMAND [options]\n\n");
    for (size_t i = 0; command_at(i); i++)
        text_format(&t, "  %-10s  %s\n", command_at(i)->name, command_at(i)->summary);
    text_add(&t, "\n'gradus help COMMAND' explains a command;\n'gradus help ");
    for (size_t i = 0; catalogues[i].name; i++)
        text_format(&t, "%s%s", i ? "|" : "", catalogues[i].name);
    text_add(
        &t,
        "' lists what there is,\nand 'gradus help METRIC' (or another name) tells more of it.\n");
    if (to == stdout)
        return print_text(&t);
    fputs(text_string(&t), to);
    text_free(&t);
    return 0;
}

static int help_catalogue(const catalogue *about)
{
    text t = { NULL, 0, 0 };

    bold(&t, about->title);
    text_add(&t, "\n");
    add_entries(&t, about->name);
    text_add(&t, "\n'gradus help NAME' tells more of one of them.\n");
    return print_text(&t);
}

static void add_entry(text *t, const char *title, const gradus_entry *entry)
{
    bold(t, entry->name);
    text_format(t, " (%s) - ", title);
    text_wrap(t, entry->summary, 0, page_width(PAGE));
    text_add(t, "\n");
    if (entry->details[0]) {
        text_add(t, "\n");
        text_wrap(t, entry->details, 0, page_width(PAGE));
        text_add(t, "\n");
    }
}

/* Every entry of that name in any catalogue. */
static int help_entry(const char *name)
{
    text t = { NULL, 0, 0 };
    gradus_entry entry;

    for (size_t i = 0; catalogues[i].name; i++)
        if (find_entry(catalogues[i].name, name, &entry)) {
            if (t.length)
                text_add(&t, "\n");
            add_entry(&t, catalogues[i].name, &entry);
        }
    if (!t.length) {
        text_free(&t);
        return -1;
    }
    return print_text(&t);
}

static int help_unknown(const char *name)
{
    const char *names[256];
    size_t count = 0;
    gradus_entry entry;

    for (size_t i = 0; command_at(i); i++)
        names[count++] = command_at(i)->name;
    for (size_t c = 0; catalogues[c].name; c++) {
        names[count++] = catalogues[c].name;
        for (size_t i = 0; count < 256 && gradus_entry_at(catalogues[c].name, i, &entry); i++)
            names[count++] = entry.name;
    }
    const char *near = gradus_suggest(name, names, count);

    return fail_usage("no help on '%s'%s%s%s", name, near ? "; did you mean '" : "",
                      near ? near : "", near ? "'?" : "");
}

static int help_topic(const char *topic)
{
    const command *found = command_find(topic);

    if (found)
        return help_on_command(found, NULL);
    for (size_t i = 0; catalogues[i].name; i++)
        if (strcmp(catalogues[i].name, topic) == 0)
            return help_catalogue(&catalogues[i]);
    const int status = help_entry(topic);

    return status < 0 ? help_unknown(topic) : status;
}

static int help_page(const arguments *given)
{
    text t = { NULL, 0, 0 };
    const char *man = argument(given, "man"), *shell = argument(given, "completion");

    if (man) {
        const command *about = strcmp(man, "gradus") == 0 ? NULL : command_find(man);

        if (!about && strcmp(man, "gradus") != 0)
            return fail_usage("no manual page for '%s'", man);
        man_page(&t, about);
    } else if (shell) {
        if (strcmp(shell, "bash") != 0)
            return fail_usage("completion is for bash, not '%s'", shell);
        bash_completion(&t);
    } else if (argument(given, "markdown")) {
        markdown_reference(&t);
    } else {
        for (size_t i = 0; command_at(i); i++)
            text_format(&t, "%s\n", command_at(i)->name);
    }
    return print_text(&t);
}

static int help_run(arguments *given)
{
    if (argument(given, "man") || argument(given, "markdown") || argument(given, "list") ||
        argument(given, "completion"))
        return help_page(given);
    if (given->count > 1)
        return fail_usage("gradus help takes one topic, not %zu", given->count);
    return given->count ? help_topic(given->words[0]) : help_overview(stdout);
}

static const option help_options[] = {
    { "man", 0, "NAME", "write the manual page of a command, or of gradus" },
    { "markdown", 0, NULL, "write the reference of all commands as Markdown" },
    { "list", 0, NULL, "write the names of the commands" },
    { "completion", 0, "SHELL", "write completion for a shell: bash" },
    { NULL, 0, NULL, NULL },
};

static const example help_examples[] = {
    { "gradus help eval", "explain a command" },
    { "gradus help metrics", "list the metrics" },
    { "gradus help ndcg", "tell how a metric is defined" },
    { NULL, NULL },
};

const command command_help = {
    .name = "help",
    .summary = "explain a command, or list metrics, methods, conventions",
    .usage = "gradus help [COMMAND|CATALOGUE|NAME]",
    .description =
        "Explains a command, lists a catalogue (metrics, conventions, methods, "
        "presets, learners, objectives, tests, costs, synths, transforms), or tells how one of "
        "its entries is defined. "
        "Manual pages, the reference in docs/ and shell completion are made here, too.",
    .options = help_options,
    .examples = help_examples,
    .run = help_run,
};
