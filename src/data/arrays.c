/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the caller's arrays and makes a dataset over them. */
#include "data/arrays.h"

#include "data/sections.h"

static gradus_status check_shape(const gradus_arrays *a, gradus_error *err)
{
    if (a->rows == 0 || !a->labels)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "a dataset needs rows and their labels");
    if (!a->values && !a->row_starts)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "a dataset needs values or row_starts");
    if (a->values && a->row_starts)
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "values and row_starts exclude each other: rows are either dense or sparse");
    if (a->values && a->stride < a->features)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "stride is %zu, less than %zu features", a->stride,
                       a->features);
    if (a->features > UINT32_MAX)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "%zu features; at most %u are allowed",
                       a->features, UINT32_MAX);
    if (a->row_starts && a->row_starts[a->rows] > a->row_starts[0] && !(a->columns && a->entries))
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "sparse rows need columns and entries");
    if (a->queries > 0 && !a->query_starts)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "%zu queries need query_starts", a->queries);
    if (a->row_query_ids || a->row_query_names.starts)
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "row_query_ids and row_query_names are for gradus_dataset_copy, which "
                       "groups the rows");
    if (a->query_names.starts && a->queries == 0)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "query_names need queries and query_starts");
    return GRADUS_OK;
}

static gradus_status take_names(const char *what, const gradus_names *given, size_t count,
                                gr_names *names, gradus_error *err)
{
    if (!given->starts || count == 0)
        return GRADUS_OK;
    if (given->starts[0] != 0)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "%s.starts[0] is %llu, not 0", what,
                       (unsigned long long)given->starts[0]);
    if (!given->bytes)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "%s.bytes is NULL", what);
    *names = (gr_names){ given->bytes, given->starts, count };
    return GRADUS_OK;
}

static gradus_status take_all_names(gradus_dataset *data, const gradus_arrays *a, gradus_error *err)
{
    GR_TRY(take_names("feature_names", &a->feature_names, a->features, &data->feature_names, err));
    GR_TRY(take_names("query_names", &a->query_names, a->queries, &data->query_names, err));
    return take_names("document_names", &a->document_names, a->rows, &data->document_names, err);
}

static gradus_status check_content(const gradus_dataset *data, gradus_error *err)
{
    const unsigned parts = gr_parts_of(data);

    for (int part = 0; part < GR_PARTS; part++)
        if (parts & GR_PART(part))
            GR_TRY(gr_part_check(data, (gr_part)part, NULL, err));
    return GRADUS_OK;
}

gradus_dataset *gr_arrays_borrow(const gradus_arrays *arrays, gradus_error *err)
{
    gradus_dataset *data;

    if (check_shape(arrays, err) != GRADUS_OK)
        return NULL;
    data = gr_dataset_new(err);
    if (!data)
        return NULL;
    data->arrays = *arrays;
    if (arrays->queries == 0) {
        data->arrays.queries = 1;
        data->lacks_queries = true;
        data->one_query[1] = arrays->rows;
        data->arrays.query_starts = data->one_query;
    }
    if (take_all_names(data, arrays, err) != GRADUS_OK || check_content(data, err) != GRADUS_OK) {
        gradus_dataset_free(data);
        return NULL;
    }
    return data;
}

static gradus_names public_names(const gr_names *names)
{
    return names->count ? (gradus_names){ names->bytes, names->starts }
                        : (gradus_names){ NULL, NULL };
}

void gr_arrays_get(const gradus_dataset *data, gradus_arrays *arrays)
{
    *arrays = data->arrays;
    arrays->feature_names = public_names(&data->feature_names);
    arrays->query_names = public_names(&data->query_names);
    arrays->document_names = public_names(&data->document_names);
}
