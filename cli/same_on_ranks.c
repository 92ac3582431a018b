/* SPDX-License-Identifier: Apache-2.0 */
/* Compares the command lines of ranks, and the files that these name: copies of a file on several machines
 * may be stale. */
#include "same_on_ranks.h"

#include "backend/agree.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCKS = 16, BLOCK = 4096 }; /* of a file that are compared */

typedef struct comparison {
    gr_facts facts;
    const arguments *given;
    size_t ranks;
} comparison;

/* ---- Files ---- */

/* FNV-1a. */
static uint64_t hash_more(uint64_t hash, const unsigned char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
    return hash;
}

/* Size and a hash of blocks from the first to the last; false if it is no regular file or cannot be
 * read, which is reported when it is opened. */
static bool describe_file(const char *file, char *value, size_t room)
{
    unsigned char bytes[BLOCK];
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    struct stat about;
    const bool regular = stat(file, &about) == 0 && S_ISREG(about.st_mode); /* not a pipe */
    const int descriptor = regular ? open(file, O_RDONLY | O_CLOEXEC) : -1;
    bool good = descriptor >= 0;
    const off_t last = good && about.st_size > BLOCK ? about.st_size - BLOCK : 0;

    for (off_t i = 0; i < BLOCKS && good; i++) {
        const ssize_t got = pread(descriptor, bytes, BLOCK,
                                  last / (BLOCKS - 1) * i + last % (BLOCKS - 1) * i / (BLOCKS - 1));

        good = got >= 0;
        hash = good ? hash_more(hash, bytes, (size_t)got) : 0;
    }
    if (descriptor >= 0)
        close(descriptor);
    if (good)
        snprintf(value, room, "of %lld bytes (checksum %016llx)", (long long)about.st_size,
                 (unsigned long long)hash);
    return good;
}

/* Of a list for --train with a file for each rank, ranks open only their own. */
static bool is_divided_list(const comparison *c, const char *name)
{
    const char *const *files;

    return strcmp(name, "--train") == 0 && strcmp(c->given->command->name, "train") == 0 &&
           argument_list(c->given, "train", &files) >= c->ranks;
}

static void add_file(void *user, const char *name, const char *file)
{
    comparison *c = user;
    char title[100], value[100];

    snprintf(title, sizeof title, "%s%s", *name ? "a file for " : "a file", name);
    gr_facts_add(&c->facts, title,
                 !is_divided_list(c, name) && describe_file(file, value, sizeof value) ? value
                                                                                       : NULL);
}

/* ---- Options ---- */

static bool may_differ(const option *o)
{
    static const char *const names[] = { "checkpoint-every", "checkpoint-seconds", "distributed",
                                         "trials" };
    bool found = o->path == GRADUS_PATH_WRITTEN;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        found = found || strcmp(o->name, names[i]) == 0;
    return found;
}

/* Options of the command itself; those that name files are among these. */
static void add_own_options(comparison *c)
{
    const option *options = c->given->command->options;

    for (size_t i = 0; options && options[i].name; i++) {
        const option_values *values = &c->given->values[i];
        char name[80];

        if (may_differ(&options[i]) || options[i].path)
            continue;
        snprintf(name, sizeof name, "%s--%s", values->first ? "" : "no ", options[i].name);
        gr_facts_add(&c->facts, name, values->first && *values->first ? values->first : NULL);
    }
}

static void add_operations(comparison *c)
{
    gradus_param param;
    char name[80];

    for (size_t o = 0; c->given->command->operations[o]; o++)
        for (size_t i = 0; gradus_param_at(c->given->command->operations[o], i, &param); i++) {
            const char *value = gradus_options_value(c->given->options[o], param.name);
            const bool is_file = param.path != GRADUS_PATH_NONE && access(value, F_OK) == 0;

            if (param.path == GRADUS_PATH_WRITTEN)
                continue;
            snprintf(name, sizeof name, "--%s", param.name);
            gr_facts_add(&c->facts, name, is_file ? NULL : *value ? value : "''");
        }
}

/* Arguments that are not files, such as feature:25. */
static void add_words(comparison *c)
{
    for (size_t i = 0; i < c->given->count; i++)
        gr_facts_add(&c->facts, "the argument",
                     access(c->given->words[i], F_OK) == 0 ? NULL : c->given->words[i]);
}

/* ---- Both ---- */

static void find_standard_input(void *user, const char *name, const char *file)
{
    text *found = user;

    if (found->length == 0 && (strcmp(file, "-") == 0 || strcmp(file, "/dev/stdin") == 0))
        text_format(found, *name ? "%s %s" : "%s%s", name, file);
}

int refuse_standard_input(const arguments *given)
{
    text found = { NULL, 0, 0 };
    int status = -1;

    each_read_file(given, find_standard_input, &found);
    if (found.length)
        status =
            fail_usage("%s: each of several processes reads its files itself, and standard input "
                       "reaches only one of them; name a file that all of them can open",
                       text_string(&found));
    text_free(&found);
    return status;
}

gradus_status check_same_on_ranks(const gradus_collectives *with, const arguments *given,
                                  gradus_error *err)
{
    comparison c = { .given = given, .ranks = with->size };
    char seed[32];
    gradus_status status;

    snprintf(seed, sizeof seed, "%llu", (unsigned long long)given->seed);
    add_own_options(&c);
    add_operations(&c);
    add_words(&c);
    gr_facts_add(&c.facts, "--seed", seed);
    each_read_file(given, add_file, &c);
    status = gr_agree(with, &c.facts, err);
    gr_facts_free(&c.facts);
    return status;
}
