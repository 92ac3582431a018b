/* SPDX-License-Identifier: Apache-2.0 */
/* Copies datasets or some of their queries. */
#include "data/subset.h"

#include "base/bisect.h"
#include "base/ranges.h"

#include <stdint.h>
#include <string.h>

enum { ROW_CHUNK = 1 << 12 }; /* rows per task */

typedef struct copying {
    const gradus_dataset *from;
    gradus_dataset *to;
    const size_t *queries; /* NULL: all, in order */
    size_t count;
    bool dense;
} copying;

static size_t source_query(const copying *c, size_t q)
{
    return c->queries ? c->queries[q] : q;
}

static gradus_status count_rows(copying *c, gradus_error *err)
{
    const gradus_arrays *from = &c->from->arrays;
    uint64_t *starts;
    uint64_t rows = 0;

    GR_TRY(gr_dataset_reserve(c->to, GR_QUERY_STARTS, c->count + 1, sizeof *starts, err));
    starts = c->to->owned[GR_QUERY_STARTS].at;
    starts[0] = 0;
    for (size_t q = 0; q < c->count; q++) {
        const size_t source = source_query(c, q);

        rows += from->query_starts[source + 1] - from->query_starts[source];
        starts[q + 1] = rows;
        if (rows > SIZE_MAX / 16)
            return gr_fail_memory(err, "a dataset");
    }
    c->to->arrays.rows = (size_t)rows;
    c->to->arrays.features = from->features;
    c->to->arrays.queries = c->count;
    c->to->first_id = c->from->first_id;
    c->to->lacks_queries = c->from->lacks_queries;
    c->to->wide = c->from->wide;
    c->to->columns = c->from->columns;
    return GRADUS_OK;
}

/* Computes the row starts of a sparse copy and allocates its entries. */
static gradus_status place_entries(copying *c, gradus_error *err)
{
    const gradus_arrays *from = &c->from->arrays;
    const size_t rows = c->to->arrays.rows;
    uint64_t *starts;
    size_t r = 0;

    GR_TRY(gr_dataset_reserve(c->to, GR_ROW_STARTS, rows + 1, sizeof *starts, err));
    starts = c->to->owned[GR_ROW_STARTS].at;
    starts[0] = 0;
    for (size_t q = 0; q < c->count; q++) {
        const size_t source = source_query(c, q);

        for (uint64_t s = from->query_starts[source]; s < from->query_starts[source + 1]; s++, r++)
            starts[r + 1] = starts[r] + (from->row_starts[s + 1] - from->row_starts[s]);
    }
    GR_TRY(gr_dataset_reserve(c->to, GR_COLUMNS, (size_t)starts[rows], sizeof(uint32_t), err));
    return gr_dataset_reserve(c->to, GR_ENTRIES, (size_t)starts[rows], sizeof(float), err);
}

static gradus_status make_room(copying *c, gradus_error *err)
{
    const gradus_arrays *from = &c->from->arrays;
    const size_t rows = c->to->arrays.rows;
    size_t values;

    GR_TRY(gr_dataset_reserve(c->to, GR_LABELS, rows, sizeof(float), err));
    if (from->row_weights)
        GR_TRY(gr_dataset_reserve(c->to, GR_ROW_WEIGHTS, rows, sizeof(float), err));
    if (from->query_weights)
        GR_TRY(gr_dataset_reserve(c->to, GR_QUERY_WEIGHTS, c->count, sizeof(float), err));
    if (c->from->file_rows && !c->queries)
        GR_TRY(gr_dataset_reserve(c->to, GR_FILE_ROWS, rows, sizeof(uint64_t), err));
    if (!c->dense)
        return place_entries(c, err);
    if (!gr_size_times(rows, from->features, &values))
        return gr_fail_memory(err, "a dataset");
    return gr_dataset_reserve(c->to, GR_VALUES, values, sizeof(float), err);
}

static void copy_row(const copying *c, size_t source, size_t r)
{
    const gradus_arrays *from = &c->from->arrays;
    gr_array *to = c->to->owned;

    ((float *)to[GR_LABELS].at)[r] = from->labels[source];
    if (from->row_weights)
        ((float *)to[GR_ROW_WEIGHTS].at)[r] = from->row_weights[source];
    if (to[GR_FILE_ROWS].at)
        ((uint64_t *)to[GR_FILE_ROWS].at)[r] = c->from->file_rows[source];
    if (c->dense) {
        gr_dataset_row(c->from, source, (float *)to[GR_VALUES].at + r * from->features);
        return;
    }
    const uint64_t begin = from->row_starts[source];
    const size_t entries = (size_t)(from->row_starts[source + 1] - begin);
    const uint64_t at = ((uint64_t *)to[GR_ROW_STARTS].at)[r];

    if (entries == 0)
        return;
    memcpy((uint32_t *)to[GR_COLUMNS].at + at, from->columns + begin, entries * sizeof(uint32_t));
    memcpy((float *)to[GR_ENTRIES].at + at, from->entries + begin, entries * sizeof(float));
}

static void copy_chunk(void *argument, gr_range range)
{
    const copying *c = argument;
    const uint64_t *starts = c->to->owned[GR_QUERY_STARTS].at;
    size_t q = gr_interval_of(starts, c->count, range.first);

    for (size_t r = range.first; r < range.end; r++) {
        while (r >= starts[q + 1])
            q++;
        const uint64_t begin = c->from->arrays.query_starts[source_query(c, q)];
        copy_row(c, (size_t)(begin + (r - starts[q])), r);
    }
}

/* Moves a list of names into a dataset. */
static void own_names(gradus_dataset *to, gr_part bytes, gr_part starts, gr_name_list *list)
{
    to->owned[bytes] = list->bytes;
    to->owned[starts] = list->starts;
    *list = (gr_name_list){ 0 };
}

static bool add_name(gr_name_list *list, const gr_names *names, size_t index)
{
    const char *name = gr_name_at(names, index);

    return gr_name_list_add(list, name, strlen(name));
}

static bool copy_documents(copying *c, gr_name_list *list)
{
    const uint64_t *starts = c->from->arrays.query_starts;

    for (size_t q = 0; q < c->count; q++) {
        const size_t source = source_query(c, q);

        for (uint64_t s = starts[source]; s < starts[source + 1]; s++)
            if (!add_name(list, &c->from->document_names, (size_t)s))
                return false;
    }
    own_names(c->to, GR_DOCUMENT_BYTES, GR_DOCUMENT_NAMES, list);
    return true;
}

static bool copy_query_names(copying *c, gr_name_list *list)
{
    for (size_t q = 0; q < c->count; q++)
        if (!add_name(list, &c->from->query_names, source_query(c, q)))
            return false;
    own_names(c->to, GR_QUERY_BYTES, GR_QUERY_NAMES, list);
    return true;
}

static bool copy_feature_names(copying *c, gr_name_list *list)
{
    for (size_t f = 0; f < c->from->feature_names.count; f++)
        if (!add_name(list, &c->from->feature_names, f))
            return false;
    own_names(c->to, GR_FEATURE_BYTES, GR_FEATURE_NAMES, list);
    return true;
}

static gradus_status copy_names(copying *c, gradus_error *err)
{
    gr_name_list list = { 0 };
    bool fine = true;

    if (c->from->query_names.count)
        fine = copy_query_names(c, &list);
    if (fine && c->from->document_names.count)
        fine = copy_documents(c, &list);
    if (fine && c->from->feature_names.count)
        fine = copy_feature_names(c, &list);
    gr_name_list_free(&list);
    return fine ? GRADUS_OK : gr_fail_memory(err, "names");
}

static void copy_query_weights(const copying *c)
{
    const float *weights = c->from->arrays.query_weights;

    for (size_t q = 0; weights && q < c->count; q++)
        ((float *)c->to->owned[GR_QUERY_WEIGHTS].at)[q] = weights[source_query(c, q)];
}

static gradus_dataset *copy(copying *c, gr_pool *pool, gradus_error *err)
{
    if (gr_dataset_need(c->from, GR_NEED_ALL, pool, err) != GRADUS_OK)
        return NULL;
    c->to = gr_dataset_new(err);
    if (!c->to)
        return NULL;
    if (count_rows(c, err) != GRADUS_OK || make_room(c, err) != GRADUS_OK ||
        copy_names(c, err) != GRADUS_OK) {
        gradus_dataset_free(c->to);
        return NULL;
    }
    gr_for_ranges(pool, c->to->arrays.rows, ROW_CHUNK, copy_chunk, c);
    copy_query_weights(c);
    gr_dataset_adopt(c->to);
    return c->to;
}

gradus_dataset *gr_dataset_subset(const gradus_dataset *data, const size_t *queries, size_t count,
                                  gr_pool *pool, gradus_error *err)
{
    copying c = { data, NULL, queries, count, gr_dataset_is_dense(data) };

    if (count == 0) {
        gr_fail(err, GRADUS_BAD_ARGUMENT, "a subset needs at least one query");
        return NULL;
    }
    for (size_t q = 0; q < count; q++)
        if (queries[q] >= data->arrays.queries) {
            gr_fail(err, GRADUS_BAD_ARGUMENT, "queries[%zu] is %zu, but there are %zu queries", q,
                    queries[q], data->arrays.queries);
            return NULL;
        }
    return copy(&c, pool, err);
}

gradus_dataset *gr_dataset_copy(const gradus_dataset *data, bool dense, gr_pool *pool,
                                gradus_error *err)
{
    copying c = { data, NULL, NULL, data->arrays.queries, dense || gr_dataset_is_dense(data) };

    return copy(&c, pool, err);
}
