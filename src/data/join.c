/* SPDX-License-Identifier: Apache-2.0 */
/* Concatenates datasets by appending each to a builder. */
#include "data/join.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The first row and the name of each query. */
static gr_query_run *runs_of(const gradus_dataset *set, const gr_names *names)
{
    gr_query_run *runs = gr_new_array(names->count, sizeof *runs);

    for (size_t q = 0; runs && q < names->count; q++) {
        const char *name = gr_name_at(names, q);

        runs[q] = (gr_query_run){ (size_t)set->arrays.query_starts[q], name, strlen(name) };
    }
    return runs;
}

/* Offsets of sparse rows that do not start at 0, relative to the first. */
static uint64_t *ends_from(const gradus_arrays *arrays, uint64_t first)
{
    uint64_t *ends = gr_new_array(arrays->rows, sizeof *ends);

    for (size_t r = 0; ends && r < arrays->rows; r++)
        ends[r] = arrays->row_starts[r + 1] - first;
    return ends;
}

static gradus_status append(gr_builder *builder, const gradus_dataset *set, const gr_names *names,
                            gradus_error *err)
{
    const gradus_arrays *arrays = &set->arrays;
    const bool dense = gr_dataset_is_dense(set);
    const uint64_t first = dense ? 0 : arrays->row_starts[0];
    gr_query_run *runs = runs_of(set, names);
    uint64_t *ends = first ? ends_from(arrays, first) : NULL;
    const gr_block block = {
        .rows = arrays->rows,
        .labels = arrays->labels,
        .weights = arrays->row_weights,
        .dense = dense,
        .width = arrays->features,
        .stride = arrays->stride,
        .values = arrays->values,
        .first_id = set->first_id,
        .row_ends = first   ? ends
                    : dense ? NULL
                            : arrays->row_starts + 1,
        .columns = dense ? NULL : arrays->columns + first,
        .entries = dense ? NULL : arrays->entries + first,
        .runs = names->count,
        .query_runs = runs,
        .has_documents = set->document_names.count > 0,
        .document_bytes = set->document_names.bytes,
        .document_ends = set->document_names.count ? set->document_names.starts + 1 : NULL,
    };
    const gradus_status status = runs && (ends || !first) ? gr_builder_append(builder, &block, err)
                                                          : gr_fail_memory(err, "a dataset");

    free(ends);
    free(runs);
    return status;
}

gradus_status gr_dataset_append(gr_builder *builder, const gradus_dataset *set, gradus_error *err)
{
    return append(builder, set, &set->query_names, err);
}

/* ---- positions of rows in the input ---- */

void gr_dataset_places(const gradus_dataset *set, size_t first, uint64_t *places)
{
    for (size_t r = 0; r < set->arrays.rows; r++)
        places[r] = first + (set->file_rows ? set->file_rows[r] : r);
}

gradus_status gr_dataset_place_rows(gradus_dataset *data, const uint64_t *places, gradus_error *err)
{
    const size_t rows = data->arrays.rows;
    const bool moved = data->file_rows != NULL;
    bool in_order = !moved;

    for (size_t i = 0; i < rows && in_order; i++)
        in_order = places[i] == i;
    if (in_order)
        return GRADUS_OK;
    GR_TRY(gr_dataset_reserve(data, GR_FILE_ROWS, rows, sizeof *places, err));
    uint64_t *file_rows = data->owned[GR_FILE_ROWS].at;

    for (size_t i = 0; i < rows; i++)
        file_rows[i] = places[moved ? (size_t)file_rows[i] : i];
    data->file_rows = file_rows;
    return GRADUS_OK;
}

/* Rows keep their position in the input of their set. */
static gradus_status place_all(gradus_dataset *data, const gradus_dataset *const *sets,
                               size_t count, gradus_error *err)
{
    bool moved = false;

    for (size_t s = 0; s < count; s++)
        moved |= sets[s]->file_rows != NULL;
    if (!moved)
        return GRADUS_OK;
    uint64_t *places = gr_new_array(data->arrays.rows, sizeof *places);

    if (!places)
        return gr_fail_memory(err, "rows");
    for (size_t s = 0, first = 0; s < count; first += sets[s++]->arrays.rows)
        gr_dataset_places(sets[s], first, places + first);
    const gradus_status status = gr_dataset_place_rows(data, places, err);

    free(places);
    return status;
}

/* ---- queries, their weights and features of all sets ---- */

typedef struct joining {
    const gradus_dataset *const *sets;
    size_t count;
    gr_builder *builder;
    gr_name_set queries; /* of the sets so far */
    gr_array weights;    /* float, of these queries */
    bool weighted;       /* a set has query weights; those of the others are 1 */
} joining;

/* Adds the queries of a set. The same query in two sets needs the same weight. */
static gradus_status take_queries(joining *j, size_t s, const gr_names *names, gradus_error *err)
{
    const float *given = j->sets[s]->arrays.query_weights;

    for (size_t i = 0; i < names->count; i++) {
        const char *name = gr_name_at(names, i);
        const size_t known = j->queries.list.count;
        const size_t q = gr_name_set_add(&j->queries, name, strlen(name));
        const float weight = given ? given[i] : 1.0f;

        if (q == SIZE_MAX || !gr_array_reserve(&j->weights, (known + 1) * sizeof(float)))
            return gr_fail_memory(err, "queries");
        float *weights = j->weights.at;
        if (q == known)
            weights[q] = weight;
        else if (weights[q] != weight)
            return gr_fail(err, GRADUS_BAD_ARGUMENT,
                           "query '%.80s' has weight %g in dataset %zu, but %g in another", name,
                           (double)weight, s + 1, (double)weights[q]);
    }
    return GRADUS_OK;
}

/* Queries without ids are numbered from 1, over all sets. */
static gradus_status number_queries(const joining *j, size_t s, gr_name_list *numbers,
                                    gradus_error *err)
{
    char text[24];

    for (size_t q = 0; q < j->sets[s]->arrays.queries; q++) {
        const int length = snprintf(text, sizeof text, "%zu", j->queries.list.count + q + 1);

        if (!gr_name_list_add(numbers, text, (size_t)length))
            return gr_fail_memory(err, "queries");
    }
    return GRADUS_OK;
}

static gradus_status take_set(joining *j, size_t s, gradus_error *err)
{
    const gradus_dataset *set = j->sets[s], *first = j->sets[0];
    const bool named = set->query_names.count > 0;
    gr_name_list numbers = { .count = 0 };

    if (named != (first->query_names.count > 0) || set->lacks_queries != first->lacks_queries)
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "datasets 1 and %zu cannot be joined: only one of them has %s", s + 1,
                       set->lacks_queries != first->lacks_queries ? "queries" : "query ids");
    gradus_status status = GRADUS_OK;
    if (!named && !set->lacks_queries)
        status = number_queries(j, s, &numbers, err);
    const gr_names names = named ? set->query_names : gr_name_list_names(&numbers);
    if (status == GRADUS_OK)
        status = take_queries(j, s, &names, err);
    if (status == GRADUS_OK)
        status = append(j->builder, set, &names, err);
    j->weighted |= set->arrays.query_weights != NULL && !set->lacks_queries;
    gr_name_list_free(&numbers);
    return status;
}

/* Names the features, unless a set has more features than the first, or other ids. */
static gradus_status take_features(joining *j, gradus_error *err)
{
    const gradus_dataset *first = j->sets[0];
    const gr_names *names = &first->feature_names;

    for (size_t s = 1; s < j->count; s++) {
        const gradus_dataset *set = j->sets[s];

        if (set->feature_names.count != names->count || set->first_id != first->first_id ||
            set->arrays.features != first->arrays.features)
            return GRADUS_OK;
        const size_t f = gr_names_differ(&set->feature_names, names, names->count);
        if (f < names->count)
            return gr_fail(err, GRADUS_BAD_ARGUMENT,
                           "feature %zu is '%.80s' in dataset 1, but '%.80s' in dataset %zu", f + 1,
                           gr_name_at(names, f), gr_name_at(&set->feature_names, f), s + 1);
    }
    for (size_t f = 0; f < names->count; f++) {
        const char *name = gr_name_at(names, f);

        GR_TRY(gr_builder_name_feature(j->builder, name, strlen(name), err));
    }
    return GRADUS_OK;
}

static gradus_status take_all(joining *j, gradus_context *context, gradus_error *err)
{
    for (size_t s = 0; s < j->count; s++)
        GR_TRY(gr_dataset_need(j->sets[s], GR_NEED_ALL, gr_pool_of(context), err));
    GR_TRY(take_features(j, err));
    for (size_t s = 0; s < j->count; s++)
        GR_TRY(take_set(j, s, err));
    return GRADUS_OK;
}

gradus_dataset *gr_dataset_join(gradus_context *context, const gradus_dataset *const *sets,
                                size_t count, gradus_error *err)
{
    gr_read_options options = { 0 };
    joining j = { .sets = sets, .count = count };
    gradus_dataset *data = NULL;

    if (gr_options_get(NULL, &gr_operation_read, &options, err) != GRADUS_OK)
        return NULL;
    j.builder = gr_builder_new(context, &options, "joined sets", err);
    if (j.builder && take_all(&j, context, err) == GRADUS_OK) {
        data = gr_builder_finish(j.builder, context, err);
        j.builder = NULL;
    }
    if (data && place_all(data, sets, count, err) != GRADUS_OK) {
        gradus_dataset_free(data);
        data = NULL;
    }
    if (data && j.weighted) {
        data->owned[GR_QUERY_WEIGHTS] = j.weights;
        data->arrays.query_weights = j.weights.at;
        j.weights = (gr_array){ NULL, 0, false };
    }
    gr_builder_free(j.builder);
    gr_name_set_free(&j.queries);
    gr_array_free(&j.weights);
    return data;
}
