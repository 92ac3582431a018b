/* SPDX-License-Identifier: Apache-2.0 */
/* Help pages: the overview, commands, catalogues and their entries. */
#include "cmd_help.h"
#include "format_table.h"
#include "name_list.h"
#include "pager.h"

#include <string.h>

const char other_names[] = "aliases: option names of other tools ('_' may be typed for '-')";

const catalogue catalogues[] = {
    { "metrics", "Metrics, for --metric",
      "A cutoff follows '@', as in ndcg@10; separate several metrics by commas: --metric "
      "ndcg@10,map." },
    { "conventions", "Conventions for metrics, for --convention",
      "A convention fixes the details on which tools and papers differ: gains, ties, queries "
      "without a relevant document." },
    { "methods", "Ranking methods: for 'gradus train --method', and those that need no training",
      "'gradus train --method NAME --help' lists the options of a method." },
    { "presets", "Settings of published experiments, for --preset", NULL },
    { "learners", "Learners, which fit the outputs of a method, for --learner", NULL },
    { "objectives", "Losses minimised by boosting; a method uses one or more", NULL },
    { "tests", "Significance tests, for --test", NULL },
    { "costs", "Costs of ranking errors, for --cost", NULL },
    { "synths", "Synthetic data sets, for 'gradus synth'", NULL },
    { "transforms", "Feature transforms, for --transform", NULL },
    { "formats", "Formats of models, for 'gradus export --format'",
      "A model is refused if the format cannot hold it exactly: other options of the method, such "
      "as another learner or scoring rule, change what it needs." },
    { "importers", "Formats of models of other tools, which 'gradus import' reads", NULL },
    { NULL, NULL, NULL },
};

/* Words that users look for and that are values or uses of an option. */
static const struct topic {
    const char *name, *lines;
} topics[] = {
    { "distributed",
      "--distributed mpi: train, tune, score and evaluate on several processes or machines that "
      "MPI has started: 'mpirun -n 4 gradus train --distributed mpi ...'. The model is that of one "
      "process. 'gradus version' lists the plug-ins for Open MPI and MPICH; "
      "docs/guide/cluster.md explains it." },
    { "gpu",
      "--device cuda: train and score boosted trees on an NVIDIA GPU: 'gradus train --device cuda "
      "...'. The model is that of the processor. 'gradus version' shows whether the plug-in is "
      "built; docs/guide/gpu.md explains it." },
};

static const struct {
    const char *name, *topic;
} topic_names[] = { { "distributed", "distributed" },
                    { "mpi", "distributed" },
                    { "openmpi", "distributed" },
                    { "mpich", "distributed" },
                    { "gpu", "gpu" },
                    { "cuda", "gpu" },
                    { "device", "gpu" } };

enum {
    TOPICS = sizeof topics / sizeof *topics,
    TOPIC_NAMES = sizeof topic_names / sizeof *topic_names
};

/* "1 to 100; default 10", "0 or more; default 20", "a|b|c; default a", "default x", or "". */
static void add_range(text *t, const gradus_param *param)
{
    const bool number = param->kind == GRADUS_COUNT || param->kind == GRADUS_REAL;

    if (param->kind == GRADUS_CHOICE)
        for (size_t i = 0; param->choices[i]; i++)
            text_format(t, "%s%s", i ? "|" : "", param->choices[i]);
    if (number) {
        text_number(t, param->low);
        text_add(t, param->high < 1e9 ? " to " : " or more");
        if (param->high < 1e9)
            text_number(t, param->high);
    }
    if (param->kind != GRADUS_FLAG && param->initial[0])
        text_format(t, "%sdefault %s", t->length ? "; " : "",
                    param->rule ? param->rule : param->initial);
}

void visit_own(const option *options, const char *title, option_visitor visit, void *user)
{
    if (!options || !options->name)
        return;
    visit(user, title, NULL);
    for (; options->name; options++) {
        const option_row row = {
            options->name, options->argument, options->help, options->letter, "", NULL, NULL
        };
        visit(user, title, &row);
    }
}

void visit_param(const gradus_param *param, const char *title, option_visitor visit, void *user)
{
    text range = { NULL, 0, 0 };

    add_range(&range, param);
    const option_row row = { param->name,         param->argument, param->help,   0,
                             text_string(&range), param->aliases,  param->choices };

    visit(user, title, &row);
    text_free(&range);
}

/* Whether one of the first `count` operations of a command also has the parameter. */
static bool had_before(const command *about, size_t count, const char *name)
{
    gradus_param param;

    for (size_t o = 0; o < count; o++)
        for (size_t i = 0; gradus_param_at(about->operations[o], i, &param); i++)
            if (strcmp(param.name, name) == 0)
                return true;
    return false;
}

void visit_operation(const command *about, size_t before, const char *operation,
                     option_visitor visit, void *user)
{
    gradus_param param;
    gradus_entry entry;

    if (!gradus_param_at(operation, 0, &param))
        return;
    const char *title = find_entry("operations", operation, &entry) ? entry.summary : operation;

    visit(user, title, NULL);
    for (size_t i = 0; gradus_param_at(operation, i, &param); i++) {
        if (strcmp(param.name, "seed") == 0 || had_before(about, before, param.name))
            continue; /* a common option, or already shown */
        if (about->metric && strcmp(param.name, "metric") == 0)
            param.initial = about->metric;
        visit_param(&param, title, visit, user);
    }
}

static void visit_kinds(const command *about, const char *kind, option_visitor visit, void *user)
{
    gradus_entry entry;

    for (size_t i = 0; about->kinds && gradus_entry_at(about->kinds, i, &entry); i++) {
        text operation = { NULL, 0, 0 };

        text_format(&operation, "%s %s", about->name, entry.name);
        if (!kind || strcmp(kind, entry.name) == 0)
            visit_operation(about, 0, text_string(&operation), visit, user);
        text_free(&operation);
    }
}

void visit_common(option_visitor visit, void *user)
{
    visit_own(common_options, "common options", visit, user);
}

void visit_options(const command *about, const char *kind, option_visitor visit, void *user)
{
    visit_own(about->options, "options", visit, user);
    visit_kinds(about, kind, visit, user);
    for (size_t i = 0; about->operations[i]; i++)
        visit_operation(about, i, about->operations[i], visit, user);
    visit_common(visit, user);
}

static void add_head(text *t, const option_row *row)
{
    if (row->letter)
        text_format(t, "  -%c, --%s", row->letter, row->name);
    else
        text_format(t, "      --%s", row->name);
    if (row->argument)
        text_format(t, " %s", row->argument);
}

/* The name in the first column, the text beside it, or below it if the name is long. */
static void add_beside(text *t, const char *head, const char *body)
{
    const size_t width = help_width(), column = width >= 70 ? 28 : 16;
    const size_t length = text_columns(head);

    text_add(t, head);
    if (length + 2 > column) {
        text_add(t, "\n");
        text_pad(t, column);
    } else {
        text_pad(t, column - length);
    }
    text_wrap(t, body, column, width);
    text_add(t, "\n");
}

static void add_heading(text *t, const char *title)
{
    text lines = { NULL, 0, 0 };

    text_wrap(&lines, title, 0, help_width());
    add_bold(t, text_string(&lines));
    text_add(t, "\n");
    text_free(&lines);
}

static void add_title(text *t, const char *title)
{
    text_add(t, "\n");
    add_heading(t, title);
}

void add_named(text *t, const char *name, const char *line)
{
    text lines = { NULL, 0, 0 };

    text_wrap(&lines, line, 0, help_width());
    add_bold(t, name);
    text_add(t, text_string(&lines) + strlen(name));
    text_add(t, "\n");
    text_free(&lines);
}

void add_option(void *user, const char *title, const option_row *row)
{
    text head = { NULL, 0, 0 }, body = { NULL, 0, 0 };

    if (!row) {
        add_title(user, title);
        return;
    }
    add_head(&head, row);
    text_add(&body, row->help);
    if (row->range[0])
        text_format(&body, " (%s)", row->range);
    add_beside(user, text_string(&head), text_string(&body));
    text_free(&head);
    text_free(&body);
}

void add_aliases(text *t, const char *aliases)
{
    for (bool first = true; *aliases; first = false) {
        const size_t length = strcspn(aliases, " ");

        text_add(t, first ? "--" : ", --");
        text_add_bytes(t, aliases, length);
        aliases += length + strspn(aliases + length, " ");
    }
}

static void add_alias(void *user, const char *title, const option_row *row)
{
    text head = { NULL, 0, 0 }, body = { NULL, 0, 0 };

    (void)title;
    if (!row || !row->aliases)
        return;
    text_format(&head, "  for --%s", row->name);
    add_aliases(&body, row->aliases);
    add_beside(user, text_string(&head), text_string(&body));
    text_free(&head);
    text_free(&body);
}

/* The table of aliases, if the command has any. */
static void add_other_names(text *t, const command *about)
{
    text rows = { NULL, 0, 0 };

    visit_options(about, NULL, add_alias, &rows);
    if (rows.length) {
        add_title(t, other_names);
        text_add(t, text_string(&rows));
    }
    text_free(&rows);
}

static void add_examples(text *t, const example *examples)
{
    if (!examples)
        return;
    text_add(t, "\n");
    add_bold(t, "examples");
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
        text_wrap(t, entry.summary, widest + 4, help_width());
        text_add(t, "\n");
    }
}

/* Wraps one line of usage, but never between an option and its value or within brackets: those
 * blanks are replaced by JOINT during wrapping. */
static void add_usage_line(text *t, const char *line, size_t length)
{
    enum { JOINT = 1 };
    text one = { NULL, 0, 0 };
    const size_t begin = t->length;
    bool is_option = false;
    int depth = 0;

    text_add_bytes(&one, line, length);
    for (char *c = one.at; *c; c++) {
        depth += (*c == '[' || *c == '(') - (*c == ']' || *c == ')');
        if (*c != ' ')
            is_option = c == one.at || c[-1] == ' ' || c[-1] == JOINT ? *c == '-' : is_option;
        else if (depth > 0 || is_option)
            *c = JOINT;
    }
    text_wrap(t, text_string(&one), 11, help_width());
    for (size_t i = begin; i < t->length; i++)
        t->at[i] = t->at[i] == JOINT ? ' ' : t->at[i];
    text_free(&one);
}

static void add_usage(text *t, const char *usage)
{
    for (const char *line = usage; *line;) {
        const size_t length = strcspn(line, "\n");

        text_add(t, line == usage ? "usage: " : "       ");
        add_usage_line(t, line, length);
        text_add(t, "\n");
        line += length + (line[length] != '\0');
    }
}

void add_command_head(text *t, const command *about)
{
    text_format(t, "gradus %s - ", about->name);
    text_wrap(t, about->summary, strlen("gradus  - ") + strlen(about->name), help_width());
    text_add(t, "\n\n");
    add_usage(t, about->usage);
}

static int help_command(const command *about, const char *kind)
{
    text t = { NULL, 0, 0 };

    add_command_head(&t, about);
    text_add(&t, "\n");
    text_wrap(&t, about->description, 0, help_width());
    text_add(&t, "\n");
    if (about->kinds && !kind) {
        add_title(&t, "kinds");
        add_entries(&t, about->kinds);
    }
    visit_options(about, kind, add_option, &t);
    add_other_names(&t, about);
    add_examples(&t, about->examples);
    return page_text(&t);
}

static bool trains(const command *about)
{
    for (size_t i = 0; about->operations[i]; i++)
        if (strcmp(about->operations[i], "train") == 0)
            return true;
    return false;
}

/* The value of a long option among words, or NULL. */
static const char *typed_value(const char *name, int count, char **words)
{
    const size_t length = strlen(name);

    for (int i = 0; i < count; i++) {
        if (strncmp(words[i], name, length) == 0 && words[i][length] == '=')
            return words[i] + length + 1;
        if (strcmp(words[i], name) == 0 && i + 1 < count && words[i + 1][0] != '-')
            return words[i + 1];
    }
    return NULL;
}

int help_on_command(const command *about, int count, char **words)
{
    const char *method = trains(about) ? typed_value("--method", count, words) : NULL;

    if (method)
        return help_on_method(about, method, typed_value("--learner", count, words));
    return help_command(about, count && words[0][0] != '-' ? words[0] : NULL);
}

/* Commands by purpose; a command that is in no group is shown in the last one. */
static const struct {
    const char *title, *names;
} command_groups[] = {
    { "data", "synth describe convert split" },
    { "models", "train tune calibrate ensemble export import show" },
    { "rankings", "score eval compare report reproduce" },
    { "more", "help" },
};

enum { GROUPS = sizeof command_groups / sizeof command_groups[0] };

static size_t group_of(const char *name)
{
    for (size_t g = 0; g < GROUPS; g++) {
        const char *at = strstr(command_groups[g].names, name);
        const size_t length = strlen(name);

        if (at && (at == command_groups[g].names || at[-1] == ' ') &&
            (at[length] == ' ' || !at[length]))
            return g;
    }
    return GROUPS - 1;
}

static void add_commands(text *t)
{
    for (size_t g = 0; g < GROUPS; g++) {
        add_title(t, command_groups[g].title);
        for (size_t i = 0; command_at(i); i++)
            if (group_of(command_at(i)->name) == g) {
                text_format(t, "  %-10s  ", command_at(i)->name);
                text_wrap(t, command_at(i)->summary, 14, help_width());
                text_add(t, "\n");
            }
    }
}

static void add_topics(text *t)
{
    text line = { NULL, 0, 0 };

    text_add(&line, "'gradus help TOPIC' lists ");
    for (size_t i = 0; catalogues[i].name; i++)
        text_format(&line, "%s%s",
                    i == 0                   ? ""
                    : catalogues[i + 1].name ? ", "
                                             : " or ",
                    catalogues[i].name);
    text_add(&line, ";\n'gradus help NAME' describes one of them: 'gradus help ndcg'.\n");
    text_wrap(t, text_string(&line), 0, help_width());
    text_free(&line);
}

int help_overview(FILE *to)
{
    text t = { NULL, 0, 0 };

    text_wrap(
        &t, "gradus learns to rank from graded relevance, evaluates rankings and compares them.\n",
        0, help_width());
    text_add(&t, "\nusage: gradus COMMAND [options]\n");
    add_commands(&t);
    add_title(&t, "first steps");
    text_add(&t, "  gradus synth web --queries 200 -o data.txt\n"
                 "  gradus split data.txt -o parts --fractions 60,20,20\n"
                 "  gradus train --method lambdamart --train parts/train.txt \\\n"
                 "      --valid parts/valid.txt -o web.model\n"
                 "  gradus eval parts/test.txt web.model --metric ndcg@10,map\n");
    text_add(&t, "\n'gradus help COMMAND' describes a command.\n");
    add_topics(&t);
    if (to == stdout)
        return page_text(&t);
    fputs(text_string(&t), to);
    text_free(&t);
    return 0;
}

static void add_formats(text *t)
{
    add_title(t, "extensions, and tools that read the files");
    add_format_tools(t, help_width());
    add_title(t, "methods whose models they hold, trained with default options");
    add_format_methods(t, help_width());
}

static int help_catalogue(const catalogue *about)
{
    text t = { NULL, 0, 0 };

    add_heading(&t, about->title);
    add_entries(&t, about->name);
    if (strcmp(about->name, "formats") == 0)
        add_formats(&t);
    text_add(&t, "\n");
    if (about->note) {
        text_wrap(&t, about->note, 0, help_width());
        text_add(&t, "\n");
    }
    text_add(&t, "'gradus help NAME' describes one of them.\n");
    return page_text(&t);
}

/* Only methods that are trained have options. */
static void add_options_note(text *t, const char *method)
{
    if (gradus_method_uses(method, NULL, "method") != GRADUS_OPTION_UNUSED)
        text_format(t, "\n'gradus train --method %s --help' lists its options.\n", method);
}

static void add_entry(text *t, const char *title, const gradus_entry *entry)
{
    text line = { NULL, 0, 0 };

    text_format(&line, "%s (%s) - %s", entry->name, title, entry->summary);
    add_named(t, entry->name, text_string(&line));
    text_free(&line);
    if (entry->details[0]) {
        text_add(t, "\n");
        text_wrap(t, entry->details, 0, help_width());
        text_add(t, "\n");
    }
    if (strcmp(title, "methods") == 0)
        add_options_note(t, entry->name);
}

/* Shows the entries of that name in all catalogues; -1 if not found. */
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
    return page_text(&t);
}

/* The page of a word; -1 if there is none. */
static int help_word(const char *name)
{
    const char *topic = NULL;
    text t = { NULL, 0, 0 };

    for (size_t i = 0; i < TOPIC_NAMES && !topic; i++)
        topic = strcmp(topic_names[i].name, name) == 0 ? topic_names[i].topic : NULL;
    for (size_t i = 0; topic && i < TOPICS; i++)
        if (strcmp(topics[i].name, topic) == 0)
            text_wrap(&t, topics[i].lines, 0, help_width());
    if (!topic)
        return -1;
    text_add(&t, "\n");
    return page_text(&t);
}

void help_topics(name_list *names)
{
    for (size_t i = 0; i < TOPIC_NAMES; i++)
        names_add(names, topic_names[i].name);
    for (size_t i = 0; command_at(i); i++)
        names_add(names, command_at(i)->name);
    for (size_t c = 0; catalogues[c].name; c++) {
        names_add(names, catalogues[c].name);
        names_add_catalogue(names, catalogues[c].name);
    }
}

static int help_unknown(const char *name)
{
    name_list names = { NULL, 0, 0 };

    help_topics(&names);
    const char *near = names_nearest(&names, name);
    const int status = near ? fail_usage("no help on '%s'; did you mean '%s'?", name, near)
                            : fail_usage("no help on '%s'; 'gradus help' lists the topics", name);

    names_free(&names);
    return status;
}

static int help_topic(const char *topic)
{
    const command *found = command_find(topic);

    if (found)
        return help_on_command(found, 0, NULL);
    for (size_t i = 0; catalogues[i].name; i++)
        if (strcmp(catalogues[i].name, topic) == 0)
            return help_catalogue(&catalogues[i]);
    int status = help_entry(topic);

    if (status < 0)
        status = help_word(topic);
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
            return fail_usage("completion is available for bash only, not for '%s'", shell);
        bash_completion(&t);
    } else if (argument(given, "markdown")) {
        if (!markdown_page(&t, given->count ? given->words[0] : "commands"))
            return fail_usage("no Markdown page '%s'; allowed: commands, metrics, conventions",
                              given->words[0]);
    } else {
        for (size_t i = 0; command_at(i); i++)
            text_format(&t, "%s\n", command_at(i)->name);
    }
    return print_text(&t);
}

static int help_run(arguments *given)
{
    if (given->count > 1)
        return fail_usage("gradus help takes one topic, not %zu", given->count);
    if (argument(given, "man") || argument(given, "markdown") || argument(given, "list") ||
        argument(given, "completion"))
        return help_page(given);
    return given->count ? help_topic(given->words[0]) : help_overview(stdout);
}

static const option help_options[] = {
    { "man", 0, "NAME", "print the manual page of a command, or of 'gradus' itself" },
    { "markdown", 0, NULL,
      "print a page of docs/reference/ as Markdown: commands (default), metrics or conventions" },
    { "list", 0, NULL, "print the names of all commands" },
    { "completion", 0, "SHELL", "print the completion script of a shell: bash" },
    { NULL, 0, NULL, NULL },
};

static const example help_examples[] = {
    { "gradus help eval", "describe a command" },
    { "gradus help metrics", "list the metrics" },
    { "gradus help ndcg", "define a metric" },
    { "gradus train --method lambdamart --help", "list the options of a method" },
    { NULL, NULL },
};

const command command_help = {
    .name = "help",
    .summary = "describe a command, or list metrics, methods, conventions",
    .usage = "gradus help [COMMAND|CATALOGUE|NAME]",
    .description =
        "Describes a command, lists a catalogue (metrics, conventions, methods, presets, "
        "learners, objectives, tests, costs, synths, transforms), or describes one entry of a "
        "catalogue.\n\n"
        "On a terminal, help is wrapped to its width (COLUMNS overrides it) and shown in $PAGER, "
        "or in less if that is unset; PAGER=cat shows it without a pager.\n\n"
        "It also generates manual pages, the reference in docs/ and shell completion: after "
        "'source <(gradus help --completion bash)' the shell completes commands, options and "
        "their values.",
    .options = help_options,
    .examples = help_examples,
    .run = help_run,
};
