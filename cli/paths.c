/* SPDX-License-Identifier: Apache-2.0 */
/* Which files a command reads and writes, by its tables. A command that would write to a file it
 * reads, or twice to the same file, is refused before it begins. Files are compared by device and
 * inode, so that links and other spellings of a path are recognised. */
#include "command.h"

#include <errno.h>
#include <fts.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DEEPEST = 3 }; /* levels below an input folder: DIR/SET/Fold1/train.txt */

/* The device and inode of a file, or of its folder if the file does not exist. */
typedef struct identity {
    enum { OTHER, EXISTING, ABSENT } kind; /* OTHER: a pipe, a device, a folder */
    dev_t device;
    ino_t inode;
} identity;

/* A path of the command line. name: the option as typed, "-o"; "" for a positional argument. */
typedef struct path {
    char name[64];
    char *at;
    gradus_path_role role;
} path;

typedef struct paths {
    path *list;
    size_t count;
} paths;

static void identify_status(const struct stat *status, identity *id)
{
    *id = (identity){ S_ISREG(status->st_mode) ? EXISTING : OTHER, status->st_dev, status->st_ino };
}

static identity identify(const char *file)
{
    identity id = { OTHER, 0, 0 };
    struct stat status;

    if (strcmp(file, "-") == 0) {
        if (fstat(STDIN_FILENO, &status) == 0)
            identify_status(&status, &id);
    } else if (stat(file, &status) == 0) {
        identify_status(&status, &id);
    } else if (errno == ENOENT) {
        char *copy = must_copy(file);

        if (stat(dirname(copy), &status) == 0)
            id = (identity){ ABSENT, status.st_dev, status.st_ino };
        free(copy);
    }
    return id;
}

static bool same_name(const char *a, const char *b)
{
    char *left = must_copy(a), *right = must_copy(b);
    const bool same = strcmp(basename(left), basename(right)) == 0;

    free(left);
    free(right);
    return same;
}

static bool same_file(const char *a, const char *b)
{
    const identity left = identify(a), right = identify(b);

    if (left.kind != right.kind || left.kind == OTHER || left.device != right.device ||
        left.inode != right.inode)
        return false;
    return left.kind == EXISTING || same_name(a, b);
}

/* Whether a name is that of data. Other files in an input folder (a journal, a model) may be
 * overwritten. */
static bool has_data_ending(const char *name)
{
    static const char *const endings[] = { ".txt", ".gradus", ".gz", ".zst" };
    const size_t length = strlen(name);

    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        const size_t size = strlen(endings[i]);

        if (length > size && strcmp(name + length - size, endings[i]) == 0)
            return true;
    }
    return false;
}

static bool is_in_folder(const char *file, char *folder)
{
    char *const roots[] = { folder, NULL };
    const identity id = identify(file);
    bool found = false;
    FTS *tree = id.kind == EXISTING ? fts_open(roots, FTS_LOGICAL | FTS_NOCHDIR, NULL) : NULL;
    FTSENT *entry;

    while (tree && !found && (entry = fts_read(tree))) {
        if (entry->fts_info == FTS_D && entry->fts_level >= DEEPEST)
            fts_set(tree, entry, FTS_SKIP);
        found = entry->fts_info == FTS_F && entry->fts_statp->st_dev == id.device &&
                entry->fts_statp->st_ino == id.inode && has_data_ending(entry->fts_name);
    }
    if (tree)
        fts_close(tree);
    return found;
}

/* Adds the value of an option, or each value of a comma-separated list. */
static void add_path(paths *p, const char *name, char letter, const char *value,
                     gradus_path_role role)
{
    const bool list = role == GRADUS_PATH_READ_LIST || role == GRADUS_PATH_READ_FOLDERS;

    while (role != GRADUS_PATH_NONE && value && *value) {
        const size_t length = list ? strcspn(value, ",") : strlen(value);
        path *grown = realloc(p->list, (p->count + 1) * sizeof *grown);
        path added = { .at = strndup(value, length), .role = role };

        if (!grown || !added.at)
            out_of_memory();
        if (letter)
            snprintf(added.name, sizeof added.name, "-%c", letter);
        else if (name)
            snprintf(added.name, sizeof added.name, "--%s", name);
        p->list = grown;
        p->list[p->count++] = added;
        value += length + (value[length] == ',');
    }
}

/* Whether a value is a catalogue name ("linear", "feature:25"), which has precedence over files. */
static bool is_name(const char *catalogue, const char *value)
{
    gradus_entry entry;

    for (size_t i = 0; gradus_entry_at(catalogue, i, &entry); i++) {
        const size_t length = strlen(entry.name);

        if (strncmp(entry.name, value, length) == 0 && (!value[length] || value[length] == ':'))
            return true;
    }
    return false;
}

static void add_words(paths *p, const arguments *given)
{
    const command *c = given->command;
    const bool methods = options_of(given, "score") || options_of(given, "evaluate");

    for (size_t i = c->kinds ? 1 : 0; !c->words_are_names && i < given->count; i++)
        if (!methods || !is_name("methods", given->words[i]))
            add_path(p, NULL, 0, given->words[i],
                     i + 1 == c->output_word ? GRADUS_PATH_WRITTEN : GRADUS_PATH_READ);
}

static void add_operations(paths *p, const arguments *given)
{
    gradus_param param;

    for (size_t o = 0; given->command->operations[o]; o++)
        for (size_t i = 0; gradus_param_at(given->command->operations[o], i, &param); i++)
            if (param.path != GRADUS_PATH_NONE) {
                const char *value = gradus_options_value(given->options[o], param.name);

                if (strcmp(param.argument, "COST") != 0 || !is_name("costs", value))
                    add_path(p, param.name, 0, value, param.path);
            }
}

const char *file_of_set(const char *value, size_t *name_length)
{
    const size_t length = strspn(value, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                        "0123456789_-");

    *name_length = length && value[length] == '=' && access(value, F_OK) != 0 ? length : 0;
    return *name_length ? value + length + 1 : value;
}

static paths collect(const arguments *given)
{
    const option *options = given->command->options;
    paths p = { NULL, 0 };

    for (size_t i = 0; options && options[i].name; i++) {
        const size_t count = options[i].many ? given->values[i].count : 1;

        for (size_t v = 0; v < count; v++) {
            const char *value = options[i].many ? given->values[i].all[v] : given->values[i].first;
            size_t length;

            if (value && options[i].named)
                value = file_of_set(value, &length);
            if (value && options[i].path &&
                (strcmp(options[i].argument, "SCORES") != 0 || !is_name("methods", value)))
                add_path(&p, options[i].name, options[i].letter, value, options[i].path);
        }
    }
    add_operations(&p, given);
    add_words(&p, given);
    return p;
}

static void free_paths(paths *p)
{
    for (size_t i = 0; i < p->count; i++)
        free(p->list[i].at);
    free(p->list);
}

/* Names the output as "-o 'x'", or "'x'" for a positional argument. */
static int refuse(const path *written, const path *other)
{
    const char *space = *written->name ? " " : "";

    if (other->role == GRADUS_PATH_READ_FOLDERS)
        return fail_usage("%s%s'%s' is a data file in the input folder '%s'; name another output",
                          written->name, space, written->at, other->at);
    if (other->role != GRADUS_PATH_WRITTEN)
        return fail_usage("%s%s'%s' would overwrite the input '%s'; name another output",
                          written->name, space, written->at, other->at);
    return fail_usage("%s and %s name the same file, '%s'", other->name, written->name,
                      written->at);
}

static int check_written(const paths *p, const path *written)
{
    if (strcmp(written->at, "-") == 0)
        return 0;
    for (size_t i = 0; i < p->count; i++) {
        const path *other = &p->list[i];
        const bool output = other->role == GRADUS_PATH_WRITTEN;

        if (other == written || (output && strcmp(other->at, "-") == 0))
            continue;
        if (other->role == GRADUS_PATH_READ_FOLDERS ? is_in_folder(written->at, other->at)
                                                    : same_file(written->at, other->at))
            return refuse(written, other);
    }
    return 0;
}

void each_read_file(const arguments *given,
                    void (*visit)(void *user, const char *name, const char *file), void *user)
{
    paths p = collect(given);

    for (size_t i = 0; i < p.count; i++)
        if (p.list[i].role == GRADUS_PATH_READ || p.list[i].role == GRADUS_PATH_READ_LIST)
            visit(user, p.list[i].name, p.list[i].at);
    free_paths(&p);
}

int check_paths(const arguments *given)
{
    paths p = collect(given);
    int status = 0;

    for (size_t i = 0; i < p.count && status == 0; i++)
        if (p.list[i].role == GRADUS_PATH_WRITTEN)
            status = check_written(&p, &p.list[i]);
    free_paths(&p);
    return status;
}

int check_output(const arguments *given, const char *name, const char *file)
{
    paths p = collect(given);
    path written = { .at = must_copy(file), .role = GRADUS_PATH_WRITTEN };

    snprintf(written.name, sizeof written.name, "%s", name);
    const int status = check_written(&p, &written);

    free(written.at);
    free_paths(&p);
    return status;
}
