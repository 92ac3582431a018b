/* SPDX-License-Identifier: Apache-2.0 */
/* Parses and checks a command line by the options of the command and its library operations. */
#include "command.h"
#include "memory_limit.h"
#include "name_list.h"
#include "progress.h"
#include "signals.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const option common_options[] = {
    { "threads", 0, "N", "number of threads; 0: one per processor (default 0)" },
    { "max-memory", 0, "SIZE",
      "memory limit, such as 500M or 8G; work that needs more is refused; 0: no limit (default 80% "
      "of the memory)" },
    { "seed", 0, "S", "random seed (default 1)" },
    { "quiet", 'q', NULL, "print no notes and no progress" },
    { "json", 0, NULL, "print JSON instead of text" },
    { "help", 'h', NULL, "show this help" },
    { NULL, 0, NULL, NULL },
};

void say(const char *format, ...)
{
    text t = { NULL, 0, 0 };
    va_list list;

    va_start(list, format);
    text_format_list(&t, format, list);
    va_end(list);
    fputs(text_string(&t), stderr);
    text_free(&t);
}

/* Prints a single line: newlines in names are escaped. */
static void say_line(const char *before, const char *message)
{
    text t = { NULL, 0, 0 };

    text_add(&t, before);
    text_add_shown(&t, message);
    text_add(&t, "\n");
    fputs(text_string(&t), stderr);
    text_free(&t);
}

int fail(const gradus_error *err)
{
    if (err->status == GRADUS_CANCELLED && signals_came()) {
        fputs("gradus: interrupted\n", stderr);
        return signals_status();
    }
    say_line("gradus: ", err->message);
    return err->status == GRADUS_BAD_ARGUMENT ? 2 : 1;
}

int fail_usage(const char *format, ...)
{
    va_list list;
    char *message = NULL;

    va_start(list, format);
    if (vasprintf(&message, format, list) < 0)
        out_of_memory();
    va_end(list);
    say_line("gradus: ", message);
    free(message);
    return 2;
}

bool find_entry(const char *catalogue, const char *name, gradus_entry *entry)
{
    for (size_t i = 0; gradus_entry_at(catalogue, i, entry); i++)
        if (strcmp(entry->name, name) == 0)
            return true;
    return false;
}

static const option *find_option(const option *options, const char *name, char letter)
{
    for (; options && options->name; options++)
        if (name ? strcmp(options->name, name) == 0 : options->letter == letter)
            return options;
    return NULL;
}

const char *argument(const arguments *given, const char *name)
{
    const option *found = find_option(given->command->options, name, 0);

    return found ? given->values[found - given->command->options].first : NULL;
}

size_t argument_list(const arguments *given, const char *name, const char *const **values)
{
    const option *found = find_option(given->command->options, name, 0);
    const size_t at = found ? (size_t)(found - given->command->options) : 0;

    *values = found ? given->values[at].all : NULL;
    return found ? given->values[at].count : 0;
}

bool option_given(const arguments *given, const char *name)
{
    for (size_t i = 0; i < given->seen_count; i++)
        if (strcmp(given->seen[i], name) == 0)
            return true;
    return false;
}

gradus_options *options_of(const arguments *given, const char *operation)
{
    for (size_t i = 0; given->command->operations[i]; i++)
        if (strcmp(given->command->operations[i], operation) == 0)
            return given->options[i];
    return NULL;
}

/* The operations of the command, then that of its kind ("synth web"); NULL past the last. */
static const char *operation_name(const arguments *given, size_t index, char *room, size_t size)
{
    const command *c = given->command;
    size_t own = 0;

    while (c->operations[own])
        own++;
    if (index < own)
        return c->operations[index];
    if (index > own || !c->kinds || given->count == 0)
        return NULL;
    snprintf(room, size, "%s %s", c->name, given->words[0]);
    return room;
}

static size_t count_options(const option *options)
{
    size_t count = 0;

    while (options && options[count].name)
        count++;
    return count;
}

static void add_names(name_list *names, const option *options)
{
    for (; options && options->name; options++)
        names_add(names, options->name);
}

static int unknown_option(const arguments *given, const char *name)
{
    name_list names = { NULL, 0, 0 };
    char room[64];
    const char *operation, *now = NULL;
    gradus_param param;

    add_names(&names, common_options);
    add_names(&names, given->command->options);
    for (size_t o = 0; (operation = operation_name(given, o, room, sizeof room)); o++) {
        now = now ? now : gradus_param_renamed(operation, name);
        for (size_t i = 0; gradus_param_at(operation, i, &param); i++) {
            names_add(&names, param.name);
            names_add_words(&names, param.aliases);
        }
    }
    const char *near = names_nearest(&names, name);
    const int status = now ? fail_usage("'--%s' was renamed to '--%s'", name, now)
                       : near
                           ? fail_usage("unknown option '--%s'; did you mean '--%s'?", name, near)
                           : fail_usage("unknown option '--%s'; 'gradus help %s' lists them", name,
                                        given->command->name);

    names_free(&names);
    return status;
}

bool parse_count(const char *word, uint64_t most, uint64_t *count)
{
    char *end;

    errno = 0;
    *count = strtoull(word, &end, 10);
    return *word >= '0' && *word <= '9' && !*end && errno == 0 && *count <= most;
}

static int set_count(const char *name, const char *value, uint64_t most, uint64_t *count)
{
    if (!parse_count(value, most, count))
        return fail_usage("--%s takes a whole number from 0 to %llu, not '%s'", name,
                          (unsigned long long)most, value);
    return -1;
}

static int set_common(arguments *given, const char *name, const char *value)
{
    if (strcmp(name, "threads") == 0)
        return set_count(name, value, 1024, &given->threads);
    if (strcmp(name, "seed") == 0)
        return set_count(name, value, UINT64_MAX, &given->seed);
    if (strcmp(name, "max-memory") == 0 && !memory_parse(value, &given->max_memory))
        return fail_usage("--max-memory takes a size such as 500M or 8G, not '%s'", value);
    given->quiet |= strcmp(name, "quiet") == 0;
    given->json |= strcmp(name, "json") == 0;
    return -1;
}

/* What a name refers to: an option of the command, a common one, or a parameter of an operation. */
typedef struct meaning {
    const char *name;
    const option *own, *common;
    size_t operation;
    bool of_operation, is_flag, is_list;
    bool joins; /* values of an operation's option given several times form one list */
} meaning;

static bool find_meaning(const arguments *given, const char *name, char letter, meaning *found)
{
    gradus_param param;
    char room[64];
    const char *operation;

    *found = (meaning){ .name = name };
    found->own = find_option(given->command->options, name, letter);
    found->common = found->own ? NULL : find_option(common_options, name, letter);
    if (found->own || found->common) {
        const option *o = found->own ? found->own : found->common;
        found->name = o->name;
        found->is_flag = !o->argument;
        return true;
    }
    for (size_t i = 0; name && (operation = operation_name(given, i, room, sizeof room)); i++)
        if (gradus_param_find(operation, name, &param)) {
            found->name = param.name; /* an alias may have been typed */
            found->operation = i;
            found->of_operation = true;
            found->is_flag = param.kind == GRADUS_FLAG;
            found->is_list = param.argument && strcmp(param.argument, "LIST") == 0;
            found->joins = param.argument && strcmp(param.argument, "NAMES") == 0;
            return true;
        }
    return false;
}

/* If there are several values, argument() returns the first. */
static void set_own(arguments *given, size_t at, const char *value)
{
    option_values *values = &given->values[at];

    if (!values->first)
        values->first = value;
    if (!given->command->options[at].many)
        return;
    if (!values->all)
        values->all = must_have(given->most_words, sizeof *values->all);
    values->all[values->count++] = value;
}

/* Refuses a repeated option, instead of silently using its last value. */
static int note_seen(arguments *given, const meaning *m)
{
    for (size_t i = 0; i < given->seen_count && !(m->own && m->own->many) && !m->joins; i++)
        if (strcmp(given->seen[i], m->name) == 0)
            return fail_usage("--%s is given twice", m->name);
    given->seen[given->seen_count++] = m->name;
    return -1;
}

static int set_option(arguments *given, const meaning *m, const char *value)
{
    gradus_error err;

    if (m->own) {
        set_own(given, (size_t)(m->own - given->command->options), value);
        return -1;
    }
    if (m->common)
        return set_common(given, m->name, value);
    if (m->is_list && !*value) /* in the library "" is the default of some */
        return fail_usage("--%s takes a list, not ''", m->name);
    gradus_options *options = given->options[m->operation];
    text list = { NULL, 0, 0 };

    if (m->joins && *gradus_options_value(options, m->name))
        text_add(&list, gradus_options_value(options, m->name));
    text_add(&list, list.length ? "," : "");
    text_add(&list, value);
    const gradus_status status = gradus_options_set(options, m->name, text_string(&list), &err);

    text_free(&list);
    return status == GRADUS_OK ? -1 : fail(&err);
}

/* Takes the option at *at, with its value from the same word or the next. */
static int take_option(arguments *given, int count, char **words, int *at)
{
    char *word = words[*at];
    const bool is_long = word[1] == '-';
    char *equals = is_long ? strchr(word, '=') : NULL;
    const char *value = equals ? equals + 1 : NULL;
    meaning found;

    if (equals)
        *equals = '\0';
    if (!find_meaning(given, is_long ? word + 2 : NULL, is_long ? 0 : word[1], &found))
        return is_long ? unknown_option(given, word + 2)
                       : fail_usage("unknown option '%s'; 'gradus help %s' lists them", word,
                                    given->command->name);
    if (!is_long && word[2])
        value = word + 2;
    if (found.is_flag && value && !found.of_operation)
        return fail_usage("--%s takes no value", found.name);
    if (found.is_flag && !value)
        value = found.of_operation ? "true" : "";
    if (!value && *at + 1 >= count)
        return fail_usage("--%s needs a value", found.name);
    if (!value)
        value = words[++*at];
    const int status = note_seen(given, &found);

    return status >= 0 ? status : set_option(given, &found, value);
}

static int make_options(arguments *given)
{
    gradus_error err;
    char room[64];
    const char *operation;

    for (size_t i = 0; (operation = operation_name(given, i, room, sizeof room)); i++) {
        given->options[i] = gradus_options_new(operation, &err);
        if (!given->options[i] || (given->command->metric && strcmp(operation, "evaluate") == 0 &&
                                   gradus_options_set(given->options[i], "metric",
                                                      given->command->metric, &err) != GRADUS_OK))
            return fail(&err);
    }
    return -1;
}

static int missing_kind(const command *c)
{
    text list = { NULL, 0, 0 };
    gradus_entry entry;

    for (size_t i = 0; gradus_entry_at(c->kinds, i, &entry); i++)
        text_format(&list, "%s%s", i ? ", " : "", entry.name);
    const int status = fail_usage("gradus %s needs a kind first: %s", c->name, text_string(&list));

    text_free(&list);
    return status;
}

/* The kind of a command that has kinds is its first word. */
static int take_kind(arguments *given, int count, char **words)
{
    gradus_entry entry;

    if (!given->command->kinds)
        return -1;
    if (count == 0 || words[0][0] == '-')
        return missing_kind(given->command);
    given->words[given->count++] = words[0];
    if (find_entry(given->command->kinds, words[0], &entry))
        return -1;
    name_list names = { NULL, 0, 0 };

    names_add_catalogue(&names, given->command->kinds);
    const char *near = names_nearest(&names, words[0]);
    const int status =
        fail_usage("unknown kind '%s'%s%s%s", words[0], near ? "; did you mean '" : "",
                   near ? near : "", near ? "'?" : "");

    names_free(&names);
    return status;
}

/* Several steps of a command may have the same note; it is shown once. */
static void show_note(void *user, const char *note)
{
    static _Thread_local char last[512];

    (void)user;
    if (strcmp(last, note) == 0)
        return;
    snprintf(last, sizeof last, "%s", note);
    say_line("note: ", note);
}

/* Passes --seed on to the operations. */
static int seed_options(arguments *given)
{
    gradus_param param;
    gradus_error err;
    char room[64], value[24];
    const char *operation;

    snprintf(value, sizeof value, "%llu", (unsigned long long)given->seed);
    for (size_t i = 0; (operation = operation_name(given, i, room, sizeof room)); i++)
        if (gradus_param_find(operation, "seed", &param) &&
            gradus_options_set(given->options[i], "seed", value, &err) != GRADUS_OK)
            return fail(&err);
    return -1;
}

static int start(arguments *given)
{
    gradus_error err;
    const int status = seed_options(given);

    if (status >= 0)
        return status;
    given->context = gradus_context_new((size_t)given->threads, &err);
    if (!given->context)
        return fail(&err);
    gradus_context_set_max_memory(given->context, given->max_memory);
    if (!given->quiet)
        gradus_context_on_note(given->context, show_note, NULL);
    signals_stop();
    progress_show(given->context, !given->quiet);
    return -1;
}

static char *typed_command(const command *chosen, int count, char **words)
{
    text t = { NULL, 0, 0 };

    text_format(&t, "gradus %s", chosen->name);
    for (int i = 0; i < count; i++) {
        text_add(&t, " ");
        text_add_word(&t, words[i]);
    }
    return t.at;
}

int arguments_parse(arguments *given, const command *chosen, int count, char **words)
{
    bool only_words = false;
    int status;

    *given = (arguments){ .command = chosen, .seed = 1, .max_memory = memory_default() };
    given->typed = typed_command(chosen, count, words);
    given->most_words = (size_t)count;
    given->words = must_have((size_t)count, sizeof *given->words);
    given->seen = must_have((size_t)count, sizeof *given->seen);
    given->values = must_have(count_options(chosen->options), sizeof *given->values);
    if ((status = take_kind(given, count, words)) >= 0 || (status = make_options(given)) >= 0)
        return status;
    for (int i = chosen->kinds ? 1 : 0; i < count; i++) {
        if (only_words || words[i][0] != '-' || words[i][1] == '\0') {
            given->words[given->count++] = words[i];
        } else if (strcmp(words[i], "--") == 0) {
            only_words = true;
        } else if ((status = take_option(given, count, words, &i)) >= 0) {
            return status;
        }
    }
    status = check_paths(given);
    return status ? status : start(given);
}

void arguments_free(arguments *given)
{
    for (size_t i = 0; i <= MAX_OPERATIONS; i++)
        gradus_options_free(given->options[i]);
    gradus_context_free(given->context);
    for (size_t i = 0; given->values && i < count_options(given->command->options); i++)
        free(given->values[i].all);
    free(given->values);
    free(given->words);
    free(given->seen);
    free(given->typed);
}
