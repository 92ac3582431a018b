/* SPDX-License-Identifier: Apache-2.0 */
/* Merges collections and drops common rows. Rows are compared by sorted 64-bit hashes; a row of a
 * collection is new if the copy has fewer rows with its hash. */
#include "data/distinct.h"

#include "base/ranges.h"
#include "base/sort.h"
#include "data/join.h"
#include "data/value_hash.h"

#include <stdlib.h>
#include <string.h>

enum { ROW_CHUNK = 1024 }; /* rows per task */

/* Pseudo-columns for hashing, above all feature ids. */
enum { OF_LABEL = 0x7ffffff0, OF_WEIGHT, OF_QUERY, OF_DOCUMENT };

/* One collection; its rows are numbered across its sets. */
typedef struct collection {
    const gradus_dataset *const *sets;
    size_t each, rows;
    gr_keyed *items; /* hash and number of each row */
    bool *is_new;
} collection;

/* The copy so far. */
typedef struct copy {
    gr_builder *builder;
    gr_keyed *known; /* rows of the copy, sorted by hash */
    size_t count;
} copy;

typedef struct hash_job {
    const gradus_dataset *data;
    gr_keyed *items;
    size_t first; /* number of the set's first row */
} hash_job;

static uint64_t hash_name(const char *name, size_t what)
{
    const uint64_t hash = gr_hash(name, strlen(name));

    return gr_value_hash((uint32_t)hash, what) + gr_value_hash((uint32_t)(hash >> 32), what);
}

static uint64_t hash_features(const gradus_dataset *data, size_t r)
{
    const gradus_arrays *a = &data->arrays;
    const bool dense = gr_dataset_is_dense(data);
    const uint64_t first = dense ? r * a->stride : a->row_starts[r];
    const uint64_t end = dense ? first + a->features : a->row_starts[r + 1];
    const float *values = dense ? a->values : a->entries;
    uint64_t hash = 0;

    for (uint64_t i = first; i < end; i++) {
        const uint32_t bits = gr_value_bits(values[i]);
        const size_t column = dense ? (size_t)(i - first) : a->columns[i];

        if (bits)
            hash += gr_value_hash(bits, column + data->first_id);
    }
    return hash;
}

static void hash_chunk(void *argument, gr_range range)
{
    const hash_job *job = argument;
    const gradus_arrays *a = &job->data->arrays;
    const char *document;

    for (size_t r = range.first; r < range.end; r++) {
        document = gr_name_at(&job->data->document_names, r);
        job->items[job->first + r] = (gr_keyed){
            .key =
                job->items[job->first + r].key + hash_features(job->data, r) +
                gr_value_hash(gr_value_bits(a->labels ? a->labels[r] : 0.0f), OF_LABEL) +
                gr_value_hash(gr_value_bits(a->row_weights ? a->row_weights[r] : 1.0f), OF_WEIGHT) +
                (*document ? hash_name(document, OF_DOCUMENT) : 0),
            .item = job->first + r,
        };
    }
}

static gradus_status hash_set(const gradus_dataset *data, size_t first, gr_keyed *items,
                              gr_pool *pool, gradus_error *err)
{
    const gradus_arrays *a = &data->arrays;
    hash_job job = { .data = data, .items = items, .first = first };

    GR_TRY(gr_dataset_need(data, GR_NEED_ALL, pool, err));
    for (size_t q = 0; q < a->queries; q++) {
        const uint64_t hash = hash_name(gr_name_at(&data->query_names, q), OF_QUERY);

        for (uint64_t r = a->query_starts[q]; r < a->query_starts[q + 1]; r++)
            items[first + r].key = hash;
    }
    gr_for_ranges(pool, a->rows, ROW_CHUNK, hash_chunk, &job);
    return GRADUS_OK;
}

/* Marks the rows that the copy does not have; returns their number. */
static size_t mark_new(const copy *c, const collection *of)
{
    size_t k = 0, count = 0;

    for (size_t i = 0; i < of->rows; i++) {
        while (k < c->count && c->known[k].key < of->items[i].key)
            k++;
        if (k < c->count && c->known[k].key == of->items[i].key) {
            k++; /* each known row matches only one row */
            continue;
        }
        of->is_new[of->items[i].item] = true;
        of->items[count++] = of->items[i];
    }
    return count;
}

/* Appends consecutive rows of one query as a block. ends: scratch for two numbers per row. */
static gradus_status append_rows(gr_builder *builder, const gradus_dataset *data, size_t q,
                                 size_t first, size_t end, uint64_t *ends, gradus_error *err)
{
    const gradus_arrays *a = &data->arrays;
    const bool dense = gr_dataset_is_dense(data);
    const char *name = gr_name_at(&data->query_names, q);
    const gr_query_run run = { 0, name, strlen(name) };
    const gr_names *documents = &data->document_names;
    const uint64_t entry = dense ? 0 : a->row_starts[first];
    const uint64_t byte = documents->count ? documents->starts[first] : 0;
    uint64_t *document_ends = ends + (end - first);
    gr_block block = {
        .rows = end - first,
        .labels = a->labels + first,
        .weights = a->row_weights ? a->row_weights + first : NULL,
        .dense = dense,
        .width = a->features,
        .stride = a->stride,
        .values = dense ? a->values + first * a->stride : NULL,
        .first_id = data->first_id,
        .row_ends = dense ? NULL : ends,
        .columns = dense ? NULL : a->columns + entry,
        .entries = dense ? NULL : a->entries + entry,
        .runs = data->query_names.count ? 1 : 0,
        .query_runs = &run,
        .has_documents = documents->count > 0,
        .document_bytes = documents->count ? documents->bytes + byte : NULL,
        .document_ends = documents->count ? document_ends : NULL,
    };

    for (size_t r = first; r < end; r++) {
        ends[r - first] = dense ? 0 : a->row_starts[r + 1] - entry;
        document_ends[r - first] = documents->count ? documents->starts[r + 1] - byte : 0;
    }
    return gr_builder_append(builder, &block, err);
}

static gradus_status append_new(gr_builder *builder, const gradus_dataset *data, const bool *is_new,
                                gradus_error *err)
{
    const gradus_arrays *a = &data->arrays;
    uint64_t *ends = gr_new_array(a->rows, 2 * sizeof *ends);
    gradus_status status = ends ? GRADUS_OK : gr_fail_memory(err, "rows");

    for (size_t q = 0; q < a->queries; q++) {
        const size_t last = (size_t)a->query_starts[q + 1];
        size_t end;

        for (size_t r = (size_t)a->query_starts[q]; status == GRADUS_OK && r < last; r = end) {
            for (end = r + 1; end < last && is_new[end] == is_new[r]; end++)
                continue;
            if (is_new[r])
                status = append_rows(builder, data, q, r, end, ends, err);
        }
    }
    free(ends);
    return status;
}

static gradus_status append_sets(gr_builder *builder, const collection *of, gradus_error *err)
{
    size_t first = 0;

    for (size_t s = 0; s < of->each; s++) {
        const gradus_dataset *data = of->sets[s];
        const size_t rows = data ? data->arrays.rows : 0;
        size_t count = 0;

        for (size_t r = 0; r < rows; r++)
            count += of->is_new[first + r];
        if (count)
            GR_TRY(count == rows ? gr_dataset_append(builder, data, err)
                                 : append_new(builder, data, of->is_new + first, err));
        first += rows;
    }
    return GRADUS_OK;
}

/* Adds hashes to the known ones and sorts them. */
static gradus_status learn(copy *c, const gr_keyed *items, size_t count, gradus_error *err)
{
    const size_t all = c->count + count;
    gr_keyed *known = gr_new_array(all, sizeof *known), *spare = gr_new_array(all, sizeof *spare);

    if (!known || !spare) {
        free(known);
        free(spare);
        return gr_fail_memory(err, "row hashes");
    }
    if (c->count)
        memcpy(known, c->known, c->count * sizeof *known);
    memcpy(known + c->count, items, count * sizeof *known);
    gr_sort_keyed(known, all, spare);
    free(spare);
    free(c->known);
    c->known = known;
    c->count = all;
    return GRADUS_OK;
}

static gradus_status add_rows(copy *c, collection *of, gr_pool *pool, gradus_error *err)
{
    size_t first = 0, count;

    for (size_t s = 0; s < of->each; s++)
        if (of->sets[s]) {
            GR_TRY(hash_set(of->sets[s], first, of->items, pool, err));
            first += of->sets[s]->arrays.rows;
        }
    gr_sort_keyed(of->items, of->rows, of->items + of->rows);
    count = mark_new(c, of);
    if (count == 0)
        return GRADUS_OK;
    GR_TRY(append_sets(c->builder, of, err));
    return learn(c, of->items, count, err);
}

static gradus_status add_collection(copy *c, const gradus_dataset *const *sets, size_t each,
                                    gr_pool *pool, gradus_error *err)
{
    collection of = { .sets = sets, .each = each };

    for (size_t s = 0; s < each; s++)
        of.rows += sets[s] ? sets[s]->arrays.rows : 0;
    of.items = gr_new_array(of.rows, 2 * sizeof *of.items);
    of.is_new = gr_new_array(of.rows, sizeof *of.is_new);
    const gradus_status status =
        of.items && of.is_new ? add_rows(c, &of, pool, err) : gr_fail_memory(err, "row hashes");

    free(of.items);
    free(of.is_new);
    return status;
}

gradus_dataset *gr_dataset_join_distinct(gradus_context *context, const gradus_dataset *const *sets,
                                         size_t collections, size_t each, gradus_error *err)
{
    gr_read_options options = { 0 };
    copy c = { .builder = NULL };
    gradus_status status = gr_options_get(NULL, &gr_operation_read, &options, err);

    if (status == GRADUS_OK)
        c.builder = gr_builder_new(context, &options, "joined sets", err);
    if (!c.builder)
        return NULL;
    for (size_t i = 0; status == GRADUS_OK && i < collections; i++)
        status = add_collection(&c, sets + i * each, each, gr_pool_of(context), err);
    free(c.known);
    if (status == GRADUS_OK)
        return gr_builder_finish(c.builder, context, err);
    gr_builder_free(c.builder);
    return NULL;
}
