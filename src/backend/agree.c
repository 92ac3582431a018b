/* SPDX-License-Identifier: Apache-2.0 */
/* Compares what processes have been given. Equal facts cost one small gather; only different ones are
 * sent as texts, so that every rank can name the first difference. */
#include "backend/agree.h"

#include "base/names.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

static void add_text(gr_facts *facts, const char *text)
{
    const size_t size = strlen(text) + 1;

    if (facts->failed || !gr_array_reserve(&facts->texts, facts->used + size)) {
        facts->failed = true;
        return;
    }
    memcpy((char *)facts->texts.at + facts->used, text, size);
    facts->used += size;
}

void gr_facts_add(gr_facts *facts, const char *name, const char *value)
{
    add_text(facts, name);
    add_text(facts, value ? value : "");
}

/* The value of a path may be a word ("cost absolute"), which is compared. */
static bool is_file(const gr_param *param, const char *value)
{
    return param->about.path != GRADUS_PATH_NONE && strpbrk(value, "./");
}

void gr_facts_add_options(gr_facts *facts, gradus_options *options)
{
    gr_param param;
    char name[80];

    for (size_t i = 0; gr_param_number(options->operation, i, &param); i++) {
        const char *value = gr_options_value(options, param.about.name);

        name[0] = '\0';
        gr_text_append(name, sizeof name, "'");
        gr_text_append(name, sizeof name, param.about.name);
        gr_text_append(name, sizeof name, "'");
        gr_facts_add(facts, name, is_file(&param, value) ? NULL : *value ? value : "''");
    }
}

void gr_facts_free(gr_facts *facts)
{
    gr_array_free(&facts->texts);
    *facts = (gr_facts){ .used = 0 };
}

/* A pair of texts; the next one begins at `end`. */
typedef struct pair {
    const char *name, *value, *end;
} pair;

static pair pair_at(const char *at, const char *end)
{
    static const char none[] = "nothing more";

    if (at >= end)
        return (pair){ none, "", end };
    const char *value = at + strlen(at) + 1;

    return (pair){ at, value, value + strlen(value) + 1 };
}

static bool differ(const pair *a, const pair *b)
{
    return strcmp(a->name, b->name) != 0 ||
           (*a->value && *b->value && strcmp(a->value, b->value) != 0);
}

/* Fails if the texts of a rank, from `at` to `end`, are not those of rank 0. */
static gradus_status compare(size_t rank, const char *at, const char *end, const char *first,
                             const char *first_end, gradus_error *err)
{
    while (at < end || first < first_end) {
        const pair own = pair_at(at, end), other = pair_at(first, first_end);

        if (differ(&own, &other))
            return gr_fail(
                err, GRADUS_BAD_ARGUMENT,
                "rank %zu has %.60s%s%.100s, but rank 0 has %.60s%s%.100s: all processes "
                "need the same options and data",
                rank, own.name, *own.value ? " " : "", own.value, other.name,
                *other.value ? " " : "", other.value);
        at = own.end;
        first = other.end;
    }
    return GRADUS_OK;
}

static gradus_status compare_texts(const gradus_collectives *with, const gr_facts *facts,
                                   const size_t *sizes, gradus_error *err)
{
    size_t total = 0;
    gradus_status status;

    for (size_t i = 0; i < with->size; i++)
        total += sizes[i];
    char *all = gr_new_array(total, 1), *at = all;

    status = all ? with->gather(with->state, facts->texts.at, sizes, all, err)
                 : gr_fail_memory(err, "the options of processes");
    for (size_t i = 0; i < with->size && status == GRADUS_OK; at += sizes[i++])
        status = compare(i, at, at + sizes[i], all, all + sizes[0], err);
    free(all);
    return status;
}

gradus_status gr_agree(const gradus_collectives *with, const gr_facts *facts, gradus_error *err)
{
    const uint64_t own[2] = { facts->used, gr_hash(facts->texts.at, facts->used) };
    size_t *sizes = gr_new_array(with->size, sizeof *sizes);
    uint64_t *all = gr_new_array(with->size, sizeof own);
    bool same = true;
    gradus_status status = sizes && all && !facts->failed
                               ? GRADUS_OK
                               : gr_fail_memory(err, "the options of processes");

    for (size_t i = 0; i < with->size && status == GRADUS_OK; i++)
        sizes[i] = sizeof own;
    if (status == GRADUS_OK)
        status = with->gather(with->state, own, sizes, all, err);
    for (size_t i = 0; i < with->size && status == GRADUS_OK; i++) {
        sizes[i] = (size_t)all[2 * i];
        same = same && all[2 * i] == all[0] && all[2 * i + 1] == all[1];
    }
    if (status == GRADUS_OK && !same)
        status = compare_texts(with, facts, sizes, err);
    free(sizes);
    free(all);
    return status;
}
