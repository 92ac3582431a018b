/* SPDX-License-Identifier: Apache-2.0 */
/* Reads several files and appends them to one builder. */
#include "data/read_files.h"

#include "data/builder.h"
#include "data/join.h"

#include <string.h>

typedef struct reading {
    gradus_context *context;
    const char *const *paths;
    gr_read_options options;
    gr_builder *builder;
    size_t rows;
    gr_name_list features; /* feature names of the first file */
    gr_name_set queries;
    gr_array first_files;   /* size_t: the first file that contains each query */
    gr_array file_rows;     /* uint64_t: the position of each row in all files together */
    gr_array query_weights; /* float; empty: no weights */
} reading;

static void reading_free(reading *r)
{
    gr_builder_free(r->builder);
    gr_name_list_free(&r->features);
    gr_name_set_free(&r->queries);
    gr_array_free(&r->first_files);
    gr_array_free(&r->file_rows);
    gr_array_free(&r->query_weights);
}

/* Uses the feature names of the first file for all files. */
static gradus_status take_features(reading *r, const gr_names *names, gradus_error *err)
{
    for (size_t f = 0; f < names->count; f++) {
        const char *name = gr_name_at(names, f);

        if (!gr_name_list_add(&r->features, name, strlen(name)))
            return gr_fail_memory(err, "feature names");
        GR_TRY(gr_builder_name_feature(r->builder, name, strlen(name), err));
    }
    return GRADUS_OK;
}

static gradus_status check_features(const reading *r, size_t file, const gr_names *names,
                                    gradus_error *err)
{
    const gr_names first = gr_name_list_names(&r->features);

    if ((first.count == 0) != (names->count == 0))
        return gr_fail(err, GRADUS_BAD_FORMAT, "'%.200s' has feature names, but '%.200s' does not",
                       r->paths[first.count ? 0 : file], r->paths[first.count ? file : 0]);
    for (size_t f = 0; f < first.count && f < names->count; f++)
        if (strcmp(gr_name_at(&first, f), gr_name_at(names, f)) != 0)
            return gr_fail(err, GRADUS_BAD_FORMAT,
                           "feature %zu is '%.80s' in '%.150s' and '%.80s' in '%.150s'", f + 1,
                           gr_name_at(&first, f), r->paths[0], gr_name_at(names, f),
                           r->paths[file]);
    if (first.count != names->count)
        return gr_fail(err, GRADUS_BAD_FORMAT, "'%.200s' has %zu features, '%.200s' has %zu",
                       r->paths[0], first.count, r->paths[file], names->count);
    return GRADUS_OK;
}

static gradus_status take_query(reading *r, size_t file, const char *name, gradus_error *err)
{
    const size_t known = r->queries.list.count;
    const size_t q = gr_name_set_add(&r->queries, name, strlen(name));

    if (q == SIZE_MAX || !gr_array_reserve(&r->first_files, (known + 1) * sizeof(size_t)))
        return gr_fail_memory(err, "queries");
    size_t *first_files = r->first_files.at;

    if (q == known) {
        first_files[q] = file;
        return GRADUS_OK;
    }
    if (!r->options.join_queries)
        return gr_fail(err, GRADUS_BAD_FORMAT,
                       "query '%.80s' is in both '%.150s' and '%.150s'; use 'join-queries' to "
                       "merge its rows",
                       name, r->paths[first_files[q]], r->paths[file]);
    if (r->query_weights.at)
        return gr_fail(err, GRADUS_BAD_FORMAT,
                       "query '%.80s' has a weight in both '%.150s' and '%.150s' and cannot be "
                       "merged",
                       name, r->paths[first_files[q]], r->paths[file]);
    return GRADUS_OK;
}

static gradus_status take_queries(reading *r, size_t file, const gradus_dataset *set,
                                  gradus_error *err)
{
    const bool named = set->query_names.count > 0, first_named = r->queries.list.count > 0;

    if (file > 0 && named != first_named)
        return gr_fail(err, GRADUS_BAD_FORMAT, "'%.200s' has query ids, but '%.200s' does not",
                       r->paths[named ? file : 0], r->paths[named ? 0 : file]);
    for (size_t q = 0; q < set->query_names.count; q++)
        GR_TRY(take_query(r, file, gr_name_at(&set->query_names, q), err));
    return GRADUS_OK;
}

/* Must run before take_queries, which changes the number of known queries. */
static gradus_status take_query_weights(reading *r, size_t file, const gradus_dataset *set,
                                        gradus_error *err)
{
    const float *weights = set->arrays.query_weights;
    const size_t known = r->queries.list.count, more = set->arrays.queries;

    if (file > 0 && (weights != NULL) != (r->query_weights.at != NULL))
        return gr_fail(err, GRADUS_BAD_FORMAT, "'%.200s' has query weights, but '%.200s' does not",
                       r->paths[weights ? file : 0], r->paths[weights ? 0 : file]);
    if (!weights)
        return GRADUS_OK;
    if (file > 0 && set->query_names.count == 0)
        return gr_fail(err, GRADUS_BAD_FORMAT,
                       "the rows of '%.200s' are one query with a weight and cannot be merged",
                       r->paths[file]);
    if (!gr_array_reserve(&r->query_weights, (known + more) * sizeof *weights))
        return gr_fail_memory(err, "weights");
    memcpy((float *)r->query_weights.at + known, weights, more * sizeof *weights);
    return GRADUS_OK;
}

static gradus_status take_rows(reading *r, const gradus_dataset *set, gradus_error *err)
{
    const size_t more = set->arrays.rows;

    if (!gr_array_reserve(&r->file_rows, (r->rows + more) * sizeof(uint64_t)))
        return gr_fail_memory(err, "rows");
    gr_dataset_places(set, r->rows, (uint64_t *)r->file_rows.at + r->rows);
    GR_TRY(gr_dataset_append(r->builder, set, err));
    r->rows += more;
    return GRADUS_OK;
}

static gradus_status take_set(reading *r, size_t file, const gradus_dataset *set, gradus_error *err)
{
    GR_TRY(gr_dataset_need(set, GR_NEED_ALL, gr_pool_of(r->context), err));
    GR_TRY(file == 0 ? take_features(r, &set->feature_names, err)
                     : check_features(r, file, &set->feature_names, err));
    GR_TRY(take_query_weights(r, file, set, err));
    GR_TRY(take_queries(r, file, set, err));
    return take_rows(r, set, err);
}

static gradus_status take_file(reading *r, size_t file, gradus_error *err)
{
    r->options.first_query = r->queries.list.count;
    gradus_dataset *set = gr_read_rows(r->context, r->paths[file], &r->options, err);

    if (!set)
        return err->status;
    const gradus_status status = take_set(r, file, set, err);

    gradus_dataset_free(set);
    return status;
}

static gradus_status finish(reading *r, gradus_dataset *data, const gr_read_options *options,
                            gradus_error *err)
{
    GR_TRY(gr_dataset_place_rows(data, r->file_rows.at, err));
    if (r->query_weights.at) {
        data->owned[GR_QUERY_WEIGHTS] = r->query_weights;
        data->arrays.query_weights = r->query_weights.at;
        r->query_weights = (gr_array){ NULL, 0, false };
    }
    return gr_read_finish(r->context, data, options, err);
}

static gradus_dataset *read_all(reading *r, size_t count, const gr_read_options *options,
                                gradus_error *err)
{
    gradus_dataset *data;

    r->builder = gr_builder_new(r->context, &r->options, "all files together", err);
    for (size_t file = 0; r->builder && file < count; file++)
        if (take_file(r, file, err) != GRADUS_OK)
            return NULL;
    if (!r->builder)
        return NULL;
    data = gr_builder_finish(r->builder, r->context, err);
    r->builder = NULL;
    if (data && finish(r, data, options, err) != GRADUS_OK) {
        gradus_dataset_free(data);
        return NULL;
    }
    return data;
}

gradus_dataset *gr_read_files(gradus_context *context, const char *const *paths, size_t count,
                              const gr_read_options *options, gradus_error *err)
{
    reading r = { .context = context, .paths = paths, .options = *options };
    gradus_error fault = { GRADUS_OK, "" };

    if (count == 1)
        return gr_read(context, paths[0], options, err);
    gradus_dataset *data = read_all(&r, count, options, &fault);

    reading_free(&r);
    if (!data)
        gr_fail(err, fault.status, "%s", fault.message);
    return data;
}
