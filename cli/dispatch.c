/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the command in the table and runs it. */
#include "command.h"
#include "cmd_help.h"
#include "distributed.h"

#include <stdio.h>
#include <string.h>

static const command *const commands[] = {
#define COMMAND(name) &command_##name,
#include "commands.def"
#undef COMMAND
};

enum { COMMANDS = sizeof commands / sizeof commands[0] };

const command *command_at(size_t index)
{
    return index < COMMANDS ? commands[index] : NULL;
}

const command *command_find(const char *name)
{
    for (size_t i = 0; i < COMMANDS; i++)
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    return NULL;
}

static int unknown_command(const char *name)
{
    const char *names[COMMANDS];

    for (size_t i = 0; i < COMMANDS; i++)
        names[i] = commands[i]->name;
    const char *near = gradus_suggest(name, names, COMMANDS);

    if (near)
        return fail_usage("unknown command '%s'; did you mean '%s'?", name, near);
    return fail_usage("unknown command '%s'; 'gradus help' lists them", name);
}

static bool asks_for_help(int count, char **words)
{
    for (int i = 0; i < count && strcmp(words[i], "--") != 0; i++)
        if (strcmp(words[i], "-h") == 0 || strcmp(words[i], "--help") == 0)
            return true;
    return false;
}

static int run(const command *chosen, int count, char **words)
{
    arguments given;
    int status;

    if (asks_for_help(count, words))
        return help_on_command(chosen, count, words);
    ranks_hush(count, words);
    status = arguments_parse(&given, chosen, count, words);
    if (status < 0 && !argument(&given, "distributed"))
        ranks_unhush(); /* the word was the value of another option */
    if (status < 0)
        status = chosen->run(&given);
    arguments_free(&given);
    ranks_wait_for_report(status);
    ranks_unhush();
    return status;
}

int run_command(int count, char **words)
{
    if (count < 2) {
        help_overview(stderr);
        return 2;
    }
    if (strcmp(words[1], "--version") == 0 || strcmp(words[1], "-V") == 0) {
        text version = { NULL, 0, 0 };
        text_format(&version, "gradus %s\n", gradus_version());
        return print_text(&version);
    }
    const bool help = strcmp(words[1], "-h") == 0 || strcmp(words[1], "--help") == 0;

    if (help && count == 2)
        return help_overview(stdout);
    const command *chosen = help ? &command_help : command_find(words[1]); /* --help TOPIC */

    return chosen ? run(chosen, count - 2, words + 2) : unknown_command(words[1]);
}
