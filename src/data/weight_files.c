/* SPDX-License-Identifier: Apache-2.0 */
/* Reads weight files. */
#include "data/weight_files.h"

#include "base/text.h"
#include "data/lines.h"

#include <math.h>

static gradus_status next_weight(gr_lines *lines, float *weight, bool *more, gradus_error *err)
{
    GR_TRY(gr_lines_next_content(lines, more, err));
    if (!*more)
        return GRADUS_OK;
    const char *at = gr_skip_blanks(lines->line, lines->end), *end = lines->end;

    while (end > at && gr_is_blank(end[-1]))
        end--;
    if (gr_parse_float(at, end, weight) != end || !isfinite(*weight) || *weight < 0.0f)
        return gr_lines_expected(lines, GRADUS_BAD_NUMBER, "a finite, non-negative weight", at, end,
                                 err);
    return GRADUS_OK;
}

static gradus_status read_weights(const char *path, float *weights, size_t wanted, const char *what,
                                  gradus_error *err)
{
    gr_source *source = gr_source_open(path, err);
    gr_lines lines = { .source = source };
    gradus_status status = GRADUS_OK;
    size_t count = 0;
    bool more = true;

    if (!source)
        return GRADUS_NO_FILE;
    while (status == GRADUS_OK && more) {
        float weight = 0.0f;

        status = next_weight(&lines, &weight, &more, err);
        if (more && count < wanted)
            weights[count] = weight;
        count += more;
    }
    if (status == GRADUS_OK && count != wanted)
        status = gr_fail(err, GRADUS_BAD_FORMAT, "%.300s has %zu weights for %zu %s", path, count,
                         wanted, what);
    gr_lines_free(&lines);
    gr_source_close(source);
    return status;
}

static gradus_status read_part(gradus_dataset *data, const char *path, gr_part part, size_t count,
                               const char *what, gradus_error *err)
{
    GR_TRY(gr_dataset_reserve(data, part, count, sizeof(float), err));
    return read_weights(path, data->owned[part].at, count, what, err);
}

gradus_status gr_query_weights_read(gradus_dataset *data, const char *path, gradus_error *err)
{
    GR_TRY(read_part(data, path, GR_QUERY_WEIGHTS, data->arrays.queries, "queries", err));
    data->arrays.query_weights = data->owned[GR_QUERY_WEIGHTS].at;
    return GRADUS_OK;
}

gradus_status gr_row_weights_read(gradus_dataset *data, const char *path, gradus_error *err)
{
    const size_t rows = data->arrays.rows;
    gr_array ordered = { NULL, 0, false };

    GR_TRY(gr_dataset_need(data, 1u << GR_FILE_ROWS, NULL, err));
    GR_TRY(read_part(data, path, GR_ROW_WEIGHTS, rows, "rows", err));
    data->arrays.row_weights = data->owned[GR_ROW_WEIGHTS].at;
    if (!data->file_rows)
        return GRADUS_OK;
    if (!gr_array_reserve(&ordered, rows * sizeof(float)))
        return gr_fail_memory(err, "weights");
    for (size_t r = 0; r < rows; r++)
        ((float *)ordered.at)[r] = data->arrays.row_weights[data->file_rows[r]];
    gr_array_free(&data->owned[GR_ROW_WEIGHTS]);
    data->owned[GR_ROW_WEIGHTS] = ordered;
    data->arrays.row_weights = ordered.at;
    return GRADUS_OK;
}
