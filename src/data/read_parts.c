/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the part of one process and gathers what all need: labels, queries, weights and names. The
 * values stay where they are. If a process finds that its part does not suit, all of them read
 * everything, which also reports errors as a single process does. */
#include "data/read_parts.h"

#include "data/part_range.h"
#include "data/read_files.h"
#include "data/sections.h"
#include "data/select.h"

#include <stdlib.h>
#include <string.h>

typedef struct part_reading {
    gradus_context *context;
    const gradus_collectives *with;
    gr_read_options options; /* for this process's part */
    gr_name_list notes;      /* shown if the parts are used */
    gradus_dataset *own, *all;
} part_reading;

static void keep_note(void *user, const char *text)
{
    part_reading *p = user;

    (void)gr_name_list_add(&p->notes, text, strlen(text));
}

/* ---- This process's part ---- */

static gradus_dataset *read_range(part_reading *p, gradus_context *context, const char *path)
{
    gr_part_range range = { .bytes = NULL };
    gr_source *source = gr_part_range_open(&range, path, &p->options, p->with->rank, p->with->size);
    gradus_dataset *data = NULL;

    if (source) {
        p->options.format = (int)range.format;
        data = gr_read_source(context, source, NULL, &p->options, NULL);
    }
    gr_source_close(source);
    gr_part_range_close(&range);
    return data;
}

static gradus_dataset *read_own(part_reading *p, const char *const *paths, size_t count)
{
    gradus_context context = { .pool = gr_pool_of(p->context),
                               .max_memory = p->context->max_memory,
                               .progress = p->context->progress,
                               .progress_user = p->context->progress_user,
                               .note = keep_note,
                               .note_user = p };
    const size_t rank = p->with->rank, size = p->with->size;
    const size_t first = count * rank / size, end = count * (rank + 1) / size;

    if (gr_features_chosen(&p->options) || p->options.side_files ||
        p->options.storage == GR_STORE_SPARSE || p->options.join_queries)
        return NULL;
    /* weights are one list for the rows of all processes, read at the end */
    p->options.row_weights = p->options.query_weights = "";
    if (count == 1)
        return strcmp(paths[0], "-") == 0 ? NULL : read_range(p, &context, paths[0]);
    return count < size ? NULL
                        : gr_read_files(&context, paths + first, end - first, &p->options, NULL);
}

static bool suits(const gradus_dataset *own, gr_pool *pool)
{
    return own && gr_dataset_is_dense(own) && !own->binned && !own->file_rows &&
           !own->lacks_queries && own->query_names.count == own->arrays.queries &&
           own->arrays.features > 0 && own->arrays.stride == own->arrays.features &&
           gr_dataset_need(own, GR_NEED_ALL, pool, NULL) == GRADUS_OK;
}

/* Whether the parts of all processes suit and have the same features and kinds of weights. */
static gradus_status agree(part_reading *p, bool *all_suit, gradus_error *err)
{
    enum { FACTS = 6 };
    const gradus_dataset *own = p->own;
    const bool good = suits(own, gr_pool_of(p->context));
    int64_t facts[2 * FACTS + 1] = { !good };
    const gr_names *names = good ? &own->feature_names : NULL;

    if (good) {
        facts[1] = (int64_t)own->arrays.features;
        facts[2] = (int64_t)own->first_id;
        facts[3] = own->arrays.row_weights != NULL;
        facts[4] = own->arrays.query_weights != NULL;
        facts[5] = own->document_names.count > 0;
        facts[6] =
            names->count
                ? (int64_t)(gr_hash(names->bytes + names->starts[0],
                                    (size_t)(names->starts[names->count] - names->starts[0])) >>
                            1)
                : 0;
    }
    for (size_t i = 1; i <= FACTS; i++)
        facts[FACTS + i] = -facts[i];
    GR_TRY(p->with->max(p->with->state, facts, 2 * FACTS + 1, err));
    *all_suit = !facts[0];
    for (size_t i = 1; i <= FACTS; i++)
        *all_suit = *all_suit && facts[i] == -facts[FACTS + i];
    return GRADUS_OK;
}

/* ---- Everything but values, of all processes ---- */

/* Gathers an array, of which this process has `count` items. */
static gradus_status gather(part_reading *p, gr_part part, const void *own, size_t count,
                            size_t size, gradus_error *err)
{
    const size_t ranks = p->with->size;
    uint64_t *cuts = gr_new_array(ranks + 1, sizeof *cuts);
    gradus_status status =
        cuts ? gr_share_count(p->all->part, count, cuts, err) : gr_fail_memory(err, "a dataset");

    if (status == GRADUS_OK)
        status = gr_dataset_reserve(p->all, part, (size_t)cuts[ranks] + 1, size, err);
    if (status == GRADUS_OK)
        status = gr_share_gather(p->all->part, cuts, size, own, p->all->owned[part].at, err);
    free(cuts);
    return status;
}

/* Gathers offsets, of which each process has one more than items, into what all items have. */
static gradus_status gather_starts(part_reading *p, gr_part part, const uint64_t *own, size_t count,
                                   gradus_error *err)
{
    uint64_t *lengths = gr_new_array(count, sizeof *lengths), *all, sum = 0;
    const size_t every =
        (size_t)(part == GR_DOCUMENT_NAMES ? p->all->arrays.rows : p->all->arrays.queries);

    if (!lengths)
        return gr_fail_memory(err, "a dataset");
    for (size_t i = 0; i < count; i++)
        lengths[i] = own[i + 1] - own[i];
    const gradus_status status = gather(p, part, lengths, count, sizeof *lengths, err);

    free(lengths);
    all = p->all->owned[part].at;
    for (size_t i = 0; i <= every && status == GRADUS_OK; i++) {
        const uint64_t length = i < every ? all[i] : 0;

        all[i] = sum;
        sum += length;
    }
    return status;
}

static gradus_status gather_names(part_reading *p, gr_part bytes, gr_part starts,
                                  const gr_names *names, gradus_error *err)
{
    const uint64_t first = names->starts[0];

    GR_TRY(gather_starts(p, starts, names->starts, names->count, err));
    return gather(p, bytes, names->bytes + first, (size_t)(names->starts[names->count] - first), 1,
                  err);
}

static gradus_status gather_all(part_reading *p, gradus_error *err)
{
    const gradus_arrays *a = &p->own->arrays;
    gradus_arrays *all = &p->all->arrays;

    p->all->part = gr_share_from_parts(p->with, a->rows, a->queries, err);
    if (!p->all->part)
        return err ? err->status : GRADUS_NO_MEMORY;
    all->rows = (size_t)p->all->part->row_cuts[p->with->size];
    all->queries = (size_t)p->all->part->query_cuts[p->with->size];
    all->features = a->features;
    GR_TRY(gather(p, GR_LABELS, a->labels, a->rows, sizeof *a->labels, err));
    GR_TRY(gather_starts(p, GR_QUERY_STARTS, a->query_starts, a->queries, err));
    GR_TRY(gather_names(p, GR_QUERY_BYTES, GR_QUERY_NAMES, &p->own->query_names, err));
    if (a->row_weights)
        GR_TRY(gather(p, GR_ROW_WEIGHTS, a->row_weights, a->rows, sizeof *a->row_weights, err));
    if (a->query_weights)
        GR_TRY(gather(p, GR_QUERY_WEIGHTS, a->query_weights, a->queries, sizeof *a->query_weights,
                      err));
    if (p->own->document_names.count)
        GR_TRY(gather_names(p, GR_DOCUMENT_BYTES, GR_DOCUMENT_NAMES, &p->own->document_names, err));
    return GRADUS_OK;
}

/* Whether no query id is in the parts of two processes, which would have to be merged. */
static bool are_distinct(const gr_names *names)
{
    gr_name_set set = { .slots = NULL };
    bool distinct = true;

    for (size_t q = 0; q < names->count && distinct; q++) {
        const char *name = gr_name_at(names, q);

        distinct = gr_name_set_add(&set, name, strlen(name)) == q;
    }
    gr_name_set_free(&set);
    return distinct;
}

/* Moves values and feature names of this process's part. */
static gradus_status take_own(part_reading *p, gradus_error *err)
{
    gradus_dataset *own = p->own, *all = p->all;
    const size_t bytes = own->arrays.rows * own->arrays.features * sizeof(float);

    all->first_id = own->first_id;
    for (int part = GR_FEATURE_BYTES; part <= GR_FEATURE_NAMES; part++) {
        const uint64_t items = own->feature_names.count ? gr_part_count(own, (gr_part)part) : 0;
        const size_t size = gr_part_size((gr_part)part);

        if (items == 0)
            continue;
        GR_TRY(gr_dataset_reserve(all, (gr_part)part, (size_t)items, size, err));
        memcpy(all->owned[part].at,
               gr_part_items(own, (gr_part)part, 0, (size_t)items, 0, all->owned[part].at),
               (size_t)items * size);
    }
    if (own->owned[GR_VALUES].at) {
        all->own_values = own->owned[GR_VALUES];
        own->owned[GR_VALUES] = (gr_array){ NULL, 0, false };
        return GRADUS_OK;
    }
    if (!gr_array_reserve(&all->own_values, bytes)) /* a mapped file */
        return gr_fail_memory(err, "a dataset");
    memcpy(all->own_values.at, own->arrays.values, bytes);
    return GRADUS_OK;
}

static gradus_status combine(part_reading *p, const gr_read_options *options, gradus_error *err)
{
    bool fits;

    p->all = gr_dataset_new(err);
    if (!p->all)
        return GRADUS_NO_MEMORY;
    GR_TRY(gather_all(p, err));
    GR_TRY(take_own(p, err));
    gr_dataset_adopt(p->all);
    p->all->arrays.stride = p->all->arrays.features;
    fits = are_distinct(&p->all->query_names);
    if (!fits) {
        gradus_dataset_free(p->all);
        p->all = NULL;
        return GRADUS_OK;
    }
    return gr_read_finish(p->context, p->all, options, err);
}

static gradus_status try_parts(part_reading *p, const char *const *paths, size_t count,
                               const gr_read_options *options, gradus_error *err)
{
    bool all_suit;

    p->own = read_own(p, paths, count);
    GR_TRY(agree(p, &all_suit, err));
    return all_suit ? combine(p, options, err) : GRADUS_OK;
}

/* Every process reads everything, or maps it. */
static gradus_dataset *read_whole(const part_reading *p, const char *const *paths, size_t count,
                                  const gr_read_options *options, gradus_error *err)
{
    gradus_dataset *data = gr_read_files(p->context, paths, count, options, err);

    if (!data || data->arrays.queries < p->with->size)
        return data;
    if (gr_dataset_need(data, 1u << GR_QUERY_STARTS, gr_pool_of(p->context), err) == GRADUS_OK)
        data->part = gr_share_new(p->with, data->arrays.query_starts, data->arrays.queries, err);
    if (data->part)
        return data;
    gradus_dataset_free(data);
    return NULL;
}

gradus_dataset *gr_read_parts(gradus_context *context, const char *const *paths, size_t count,
                              const gr_read_options *options, gradus_error *err)
{
    gradus_error failure = { GRADUS_OK, "" };
    part_reading p = { .context = context, .with = context->collectives, .options = *options };
    const gradus_status status = try_parts(&p, paths, count, options, &failure);
    const gr_names notes = gr_name_list_names(&p.notes);

    for (size_t i = 0; p.all && status == GRADUS_OK && i < notes.count; i++)
        gr_note(context, "%s", gr_name_at(&notes, i));
    gr_name_list_free(&p.notes);
    gradus_dataset_free(p.own);
    if (status != GRADUS_OK) {
        gradus_dataset_free(p.all);
        gr_fail(err, failure.status, "%s", failure.message);
        return NULL;
    }
    if (p.all)
        return p.all;
    return read_whole(&p, paths, count, options, err);
}
