/* SPDX-License-Identifier: Apache-2.0 */
/* Copies the caller's arrays and groups their rows by query. */
#include "data/arrays.h"

#include "base/text.h"
#include "data/regroup.h"
#include "data/sections.h"

#include <stdio.h>
#include <string.h>

/* The queries of the rows: runs of equal ids, and their names in order of first appearance. */
typedef struct grouping {
    gr_array runs; /* gr_row_run */
    size_t run_count;
    gr_name_set queries;
} grouping;

static gradus_status check_memory(const gradus_context *context, const gradus_dataset *from,
                                  gradus_error *err)
{
    const unsigned parts = gr_parts_of(from);
    const size_t rows = from->arrays.rows, features = from->arrays.features;
    double bytes = 0.0;
    char what[100];

    for (int part = 0; part < GR_PARTS; part++)
        if (parts & GR_PART(part))
            bytes +=
                (double)gr_part_count(from, (gr_part)part) * (double)gr_part_size((gr_part)part);
    snprintf(what, sizeof what, "a copy of %zu %s of %zu %s", rows, gr_plural(rows, "row", "rows"),
             features, gr_plural(features, "feature", "features"));
    return gr_check_memory(context, what, bytes, err);
}

static gradus_status copy_part(const gradus_dataset *from, gr_part part, gradus_dataset *to,
                               gradus_error *err)
{
    const size_t size = gr_part_size(part);
    const uint64_t count = gr_part_count(from, part);
    const void *items;

    if (count > SIZE_MAX / size)
        return gr_fail_memory(err, "a dataset");
    GR_TRY(gr_dataset_reserve(to, part, (size_t)count, size, err));
    if (count == 0)
        return GRADUS_OK;
    items = gr_part_items(from, part, 0, (size_t)count, 0, to->owned[part].at);
    if (items != to->owned[part].at)
        memcpy(to->owned[part].at, items, (size_t)count * size);
    return GRADUS_OK;
}

static gradus_status copy_parts(const gradus_dataset *from, gradus_dataset *to, gradus_error *err)
{
    unsigned parts = gr_parts_of(from);

    if (from->lacks_queries)
        parts &= ~GR_PART(GR_QUERY_STARTS);
    for (int part = 0; part < GR_PARTS; part++)
        if (parts & GR_PART(part))
            GR_TRY(copy_part(from, (gr_part)part, to, err));
    to->arrays.rows = from->arrays.rows;
    to->arrays.features = from->arrays.features;
    to->arrays.queries = from->arrays.queries;
    return GRADUS_OK;
}

static gradus_status check_row_names(const gradus_names *names, size_t rows, gradus_error *err)
{
    if (names->starts[0] != 0 || !names->bytes)
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "row_query_names need bytes, and starts that begin with 0");
    for (size_t r = 0; r < rows; r++) {
        const uint64_t first = names->starts[r], end = names->starts[r + 1];
        const char *name = names->bytes + first;

        if (first >= end || end > names->starts[rows] ||
            memchr(name, '\0', (size_t)(end - first)) != name + (end - first) - 1)
            return gr_fail(err, GRADUS_BAD_ARGUMENT,
                           "row_query_names: [%zu] is not a NUL-terminated name", r);
    }
    return GRADUS_OK;
}

static gradus_status check_grouping(const gradus_arrays *a, gradus_error *err)
{
    if (a->row_query_ids && a->row_query_names.starts)
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "row_query_ids and row_query_names exclude each other");
    if (a->query_starts || a->query_names.starts)
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "query_starts and query_names exclude row_query_ids and row_query_names");
    if (a->query_weights && a->queries == 0)
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "query_weights with row_query_ids or row_query_names need 'queries'");
    return a->row_query_names.starts ? check_row_names(&a->row_query_names, a->rows, err)
                                     : GRADUS_OK;
}

static bool same_query(const gradus_arrays *a, size_t r, size_t s)
{
    const uint64_t *starts = a->row_query_names.starts;

    if (a->row_query_ids)
        return a->row_query_ids[r] == a->row_query_ids[s];
    return starts[r + 1] - starts[r] == starts[s + 1] - starts[s] &&
           memcmp(a->row_query_names.bytes + starts[r], a->row_query_names.bytes + starts[s],
                  (size_t)(starts[r + 1] - starts[r])) == 0;
}

/* The number of the query of a row; SIZE_MAX if memory is exhausted. */
static size_t query_of(const gradus_arrays *a, size_t r, gr_name_set *queries)
{
    char text[GRADUS_NUMBER_SIZE] = "-";

    if (!a->row_query_ids) {
        const uint64_t *starts = a->row_query_names.starts;

        return gr_name_set_add(queries, a->row_query_names.bytes + starts[r],
                               (size_t)(starts[r + 1] - starts[r]) - 1);
    }
    const int64_t id = a->row_query_ids[r];
    const uint64_t magnitude = id < 0 ? 0 - (uint64_t)id : (uint64_t)id;
    const size_t sign = id < 0;

    return gr_name_set_add(queries, text, sign + gr_format_count(magnitude, text + sign));
}

static gradus_status find_runs(const gradus_arrays *a, grouping *g, gradus_error *err)
{
    for (size_t r = 0; r < a->rows; r++) {
        gr_row_run *runs = g->runs.at;

        if (r && same_query(a, r, r - 1)) {
            runs[g->run_count - 1].rows++;
            continue;
        }
        const size_t query = query_of(a, r, &g->queries);

        if (query == SIZE_MAX ||
            !gr_array_reserve(&g->runs, (g->run_count + 1) * sizeof(gr_row_run)))
            return gr_fail_memory(err, "queries");
        ((gr_row_run *)g->runs.at)[g->run_count++] = (gr_row_run){ query, r, 1 };
    }
    return GRADUS_OK;
}

static gradus_status group(const gradus_arrays *a, grouping *g, gradus_context *context,
                           gradus_dataset *data, gradus_error *err)
{
    gr_name_list *names = &g->queries.list;
    size_t scattered;

    GR_TRY(find_runs(a, g, err));
    if (a->queries && a->queries != names->count)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "queries is %zu, but the rows have %zu",
                       a->queries, names->count);
    data->arrays.queries = names->count;
    if (a->query_weights) {
        GR_TRY(gr_dataset_reserve(data, GR_QUERY_WEIGHTS, names->count, sizeof(float), err));
        memcpy(data->owned[GR_QUERY_WEIGHTS].at, a->query_weights, names->count * sizeof(float));
    }
    GR_TRY(gr_regroup(data, g->runs.at, g->run_count, &scattered, err));
    data->owned[GR_QUERY_BYTES] = names->bytes;
    data->owned[GR_QUERY_NAMES] = names->starts;
    *names = (gr_name_list){ .used = 0 };
    if (scattered)
        gr_note(context, "the rows of %zu of %zu %s are not contiguous; regrouped", scattered,
                data->arrays.queries, gr_plural(data->arrays.queries, "query", "queries"));
    return GRADUS_OK;
}

static gradus_status copy(gradus_context *context, const gradus_arrays *a, gradus_dataset *data,
                          gradus_error *err)
{
    const bool grouped = a->row_query_ids || a->row_query_names.starts;
    gradus_arrays plain = *a;
    grouping g = { .run_count = 0 };

    if (grouped) {
        GR_TRY(check_grouping(a, err));
        plain.row_query_ids = NULL;
        plain.row_query_names.starts = NULL;
        plain.query_weights = NULL;
        plain.queries = 0;
    }
    gradus_dataset *from = gr_arrays_borrow(&plain, err);

    if (!from)
        return err->status;
    gradus_status status = check_memory(context, from, err);

    if (status == GRADUS_OK)
        status = copy_parts(from, data, err);
    if (status == GRADUS_OK && grouped)
        status = group(a, &g, context, data, err);
    gradus_dataset_free(from);
    gr_array_free(&g.runs);
    gr_name_set_free(&g.queries);
    if (status == GRADUS_OK)
        gr_dataset_adopt(data);
    if (status == GRADUS_OK && grouped && a->query_weights)
        status = gr_part_check(data, GR_QUERY_WEIGHTS, NULL, err);
    return status;
}

gradus_dataset *gr_arrays_copy(gradus_context *context, const gradus_arrays *arrays,
                               gradus_error *err)
{
    gradus_error unused;
    gradus_dataset *data = gr_dataset_new(err);

    if (data && copy(context, arrays, data, err ? err : &unused) != GRADUS_OK) {
        gradus_dataset_free(data);
        return NULL;
    }
    return data;
}
