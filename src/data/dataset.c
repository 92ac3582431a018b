/* SPDX-License-Identifier: Apache-2.0 */
/* Creates, frees and reads datasets. */
#include "data/dataset.h"

#include "base/bisect.h"
#include "data/binary.h"
#include "data/binned.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

gradus_dataset *gr_dataset_new(gradus_error *err)
{
    gradus_dataset *data = calloc(1, sizeof *data);

    if (!data)
        gr_fail_memory(err, "a dataset");
    else
        data->first_id = 1;
    return data;
}

void gradus_dataset_free(gradus_dataset *data)
{
    if (!data)
        return;
    for (int part = 0; part < GR_PARTS; part++)
        gr_array_free(&data->owned[part]);
    gr_binary_close(data->binary);
    gr_share_free(data->share);
    gr_binned_free(data->binned);
    gr_share_free(data->part);
    gr_array_free(&data->own_values);
    free(data);
}

static gr_names owned_names(const gradus_dataset *data, gr_part bytes, gr_part starts, size_t count)
{
    const gr_names none = { NULL, NULL, 0 };
    const gr_names names = { data->owned[bytes].at, data->owned[starts].at, count };

    return names.starts ? names : none;
}

void gr_dataset_adopt(gradus_dataset *data)
{
    const gr_array *owned = data->owned;
    gradus_arrays *arrays = &data->arrays;

    arrays->values = owned[GR_VALUES].at;
    arrays->stride = arrays->features;
    arrays->row_starts = owned[GR_ROW_STARTS].at;
    arrays->columns = owned[GR_COLUMNS].at;
    arrays->entries = owned[GR_ENTRIES].at;
    arrays->labels = owned[GR_LABELS].at;
    arrays->query_starts = owned[GR_QUERY_STARTS].at;
    arrays->row_weights = owned[GR_ROW_WEIGHTS].at;
    arrays->query_weights = owned[GR_QUERY_WEIGHTS].at;
    data->file_rows = owned[GR_FILE_ROWS].at;
    if (!arrays->query_starts) {
        arrays->queries = 1;
        data->lacks_queries = true;
        data->one_query[1] = arrays->rows;
        arrays->query_starts = data->one_query;
    }
    data->query_names = owned_names(data, GR_QUERY_BYTES, GR_QUERY_NAMES, arrays->queries);
    data->document_names = owned_names(data, GR_DOCUMENT_BYTES, GR_DOCUMENT_NAMES, arrays->rows);
    data->feature_names = owned_names(data, GR_FEATURE_BYTES, GR_FEATURE_NAMES, arrays->features);
}

gradus_status gr_dataset_reserve(gradus_dataset *data, gr_part part, size_t count, size_t size,
                                 gradus_error *err)
{
    size_t bytes;

    if (!gr_size_times(count, size, &bytes) ||
        !gr_array_reserve(&data->owned[part], bytes ? bytes : 1))
        return gr_fail_memory(err, "a dataset");
    return GRADUS_OK;
}

gradus_status gr_dataset_need(const gradus_dataset *data, unsigned parts, gr_pool *pool,
                              gradus_error *err)
{
    if (parts & GR_NEED_VALUES && gr_dataset_is_divided(data))
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "the values of the data are divided among processes, but this needs all of "
                       "them");
    if (parts & GR_NEED_VALUES && data->binned)
        GR_TRY(gr_binned_need_values(data, pool, err));
    return data->binary ? gr_binary_check(data->binary, parts, pool, err) : GRADUS_OK;
}

gradus_status gr_dataset_check_grades(const gradus_dataset *data, double most, gradus_error *err)
{
    for (size_t r = 0; r < data->arrays.rows; r++) {
        const double label = (double)data->arrays.labels[r];

        if (!(label >= 0.0) || label > most || label != floor(label))
            return gr_fail(err, GRADUS_BAD_NUMBER,
                           "row %llu: label %g is not a grade (a whole number from 0 to %g)",
                           (unsigned long long)(data->file_rows ? data->file_rows[r] : r) + 1,
                           label, most);
    }
    return GRADUS_OK;
}

void gr_dataset_row(const gradus_dataset *data, size_t r, float *row)
{
    const gradus_arrays *a = &data->arrays;

    if (gr_dataset_is_dense(data)) {
        memcpy(row, a->values + r * a->stride, a->features * sizeof *row);
        return;
    }
    memset(row, 0, a->features * sizeof *row);
    for (uint64_t e = a->row_starts[r]; e < a->row_starts[r + 1]; e++)
        row[a->columns[e]] = a->entries[e];
}

float gr_dataset_value(const gradus_dataset *data, size_t r, size_t feature)
{
    const gradus_arrays *a = &data->arrays;
    uint64_t end, e;

    if (gr_dataset_is_dense(data))
        return a->values[r * a->stride + feature];
    end = a->row_starts[r + 1];
    e = GR_BISECT(a->row_starts[r], end, i, a->columns[i] < feature);
    return e < end && a->columns[e] == feature ? a->entries[e] : 0.0f;
}
