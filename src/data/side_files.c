/* SPDX-License-Identifier: Apache-2.0 */
/* Reads query and weight files next to a data file. */
#include "data/side_files.h"

#include "base/text.h"
#include "data/lines.h"
#include "data/weight_files.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The path of a side file if it exists, otherwise NULL; sets *no_memory if memory is exhausted. */
static char *side_path(const char *path, const char *suffix, bool *no_memory)
{
    const size_t size = strlen(path) + strlen(suffix) + 1;
    char *side = malloc(size);

    if (!side) {
        *no_memory = true;
        return NULL;
    }
    gr_text_copy(side, size, path, suffix);
    if (access(side, F_OK) == 0)
        return side;
    free(side);
    return NULL;
}

/* The queries read so far. */
typedef struct counting {
    gradus_dataset *data;
    gr_array starts; /* uint64_t */
    size_t queries;
    uint64_t rows;
    gr_name_list names;
} counting;

static gradus_status read_count(gr_lines *lines, uint64_t *count, gradus_error *err)
{
    const char *at = gr_skip_blanks(lines->line, lines->end), *end = lines->end;

    while (end > at && gr_is_blank(end[-1]))
        end--;
    if (gr_parse_count(at, end, count) != end || at == end || *count == 0)
        return gr_lines_expected(lines, GRADUS_BAD_FORMAT,
                                 "the number of rows of a query, 1 or more", at, end, err);
    return GRADUS_OK;
}

static gradus_status add_query(counting *c, uint64_t rows, uint64_t number, const gr_lines *lines,
                               gradus_error *err)
{
    char name[GRADUS_NUMBER_SIZE];
    const size_t length = gr_format_count(number, name);

    if (rows > c->data->arrays.rows - c->rows)
        return gr_lines_fail(lines, GRADUS_BAD_FORMAT, lines->line, err,
                             "the counts so far exceed the %zu rows of the data",
                             c->data->arrays.rows);
    if (!gr_array_reserve(&c->starts, (c->queries + 2) * sizeof(uint64_t)) ||
        !gr_name_list_add(&c->names, name, length))
        return gr_fail_memory(err, "queries");
    uint64_t *starts = c->starts.at;

    starts[c->queries++] = c->rows;
    c->rows += rows;
    starts[c->queries] = c->rows;
    return GRADUS_OK;
}

static gradus_status count_queries(counting *c, const char *side, uint64_t first, gradus_error *err)
{
    gr_source *source = gr_source_open(side, err);
    gr_lines lines = { .source = source };
    gradus_status status = GRADUS_OK;
    bool more = true;

    if (!source)
        return GRADUS_NO_FILE;
    while (status == GRADUS_OK && more) {
        uint64_t rows = 0;

        status = gr_lines_next_content(&lines, &more, err);
        if (status == GRADUS_OK && more)
            status = read_count(&lines, &rows, err);
        if (status == GRADUS_OK && more)
            status = add_query(c, rows, first + c->queries + 1, &lines, err);
    }
    if (status == GRADUS_OK && c->rows != c->data->arrays.rows)
        status = gr_fail(err, GRADUS_BAD_FORMAT,
                         "%.300s:%zu: the counts add up to %llu rows, but the data have %zu", side,
                         lines.number, (unsigned long long)c->rows, c->data->arrays.rows);
    gr_lines_free(&lines);
    gr_source_close(source);
    return status;
}

static void take_queries(counting *c)
{
    gradus_dataset *data = c->data;

    data->owned[GR_QUERY_STARTS] = c->starts;
    data->owned[GR_QUERY_BYTES] = c->names.bytes;
    data->owned[GR_QUERY_NAMES] = c->names.starts;
    data->arrays.queries = c->queries;
    data->arrays.query_starts = c->starts.at;
    data->query_names = gr_name_list_names(&c->names);
    data->lacks_queries = false;
}

static gradus_status read_queries(gradus_dataset *data, const char *path, const char *side,
                                  uint64_t first, gradus_error *err)
{
    counting c = { .data = data };
    gradus_status status;

    if (!data->lacks_queries)
        return gr_fail(err, GRADUS_BAD_FORMAT,
                       "both '%.200s' and '%.200s' define queries; only one is allowed", path,
                       side);
    status = count_queries(&c, side, first, err);
    if (status == GRADUS_OK) {
        take_queries(&c);
        return GRADUS_OK;
    }
    gr_array_free(&c.starts);
    gr_name_list_free(&c.names);
    return status;
}

static gradus_status read_weights(gradus_dataset *data, const char *path, const char *side,
                                  const gr_read_options *options, gradus_error *err)
{
    if (data->arrays.row_weights)
        return gr_fail(err, GRADUS_BAD_FORMAT,
                       "both '%.200s' and '%.200s' have row weights; only one is allowed", path,
                       side);
    if (options->row_weights && *options->row_weights)
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "both '%.200s' and 'row-weights' give row weights; only one is allowed",
                       side);
    return gr_row_weights_read(data, side, err);
}

gradus_status gr_side_files_read(gradus_dataset *data, const char *path,
                                 const gr_read_options *options, gradus_error *err)
{
    bool no_memory = false;
    char *query = side_path(path, ".query", &no_memory);
    char *group = side_path(path, ".group", &no_memory);
    char *weight = side_path(path, ".weight", &no_memory);
    gradus_status status = GRADUS_OK;

    if (no_memory)
        status = gr_fail_memory(err, "the paths of side files");
    else if (!query && !group && !weight)
        status = gr_fail(err, GRADUS_NO_FILE,
                         "'%.300s' has no side file (.query, .group or .weight)", path);
    else if (query && group)
        status = gr_fail(err, GRADUS_BAD_FORMAT,
                         "both '%.200s' and '%.200s' exist; only one is allowed", query, group);
    if (status == GRADUS_OK && (query || group))
        status = read_queries(data, path, query ? query : group, options->first_query, err);
    if (status == GRADUS_OK && weight)
        status = read_weights(data, path, weight, options, err);
    free(query);
    free(group);
    free(weight);
    return status;
}
