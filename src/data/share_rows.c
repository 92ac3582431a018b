/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the view of one process. A mapped file is thus only touched where the process's rows are. */
#include "data/share_rows.h"

/* Copies offsets first to end of a list and makes them start at 0. */
static gradus_status copy_offsets(gradus_dataset *data, gr_part part, const uint64_t *from,
                                  size_t first, size_t end, gradus_error *err)
{
    uint64_t *to;

    GR_TRY(gr_dataset_reserve(data, part, end - first + 1, sizeof *to, err));
    to = data->owned[part].at;
    for (size_t i = first; i <= end; i++)
        to[i - first] = from[i] - from[first];
    return GRADUS_OK;
}

static gradus_status fill(gradus_dataset *data, const gradus_dataset *whole, gradus_error *err)
{
    const size_t rank = data->share->with->rank;
    const size_t first = (size_t)data->share->row_cuts[rank];
    const size_t end = (size_t)data->share->row_cuts[rank + 1];
    const size_t first_query = (size_t)data->share->query_cuts[rank];
    const size_t end_query = (size_t)data->share->query_cuts[rank + 1];
    gradus_arrays *a = &data->arrays;

    *a = whole->arrays;
    a->rows = end - first;
    a->queries = end_query - first_query;
    GR_TRY(copy_offsets(data, GR_QUERY_STARTS, whole->arrays.query_starts, first_query, end_query,
                        err));
    a->query_starts = data->owned[GR_QUERY_STARTS].at;
    a->labels += first;
    if (a->row_weights)
        a->row_weights += first;
    if (a->query_weights)
        a->query_weights += first_query;
    if (!a->row_starts) {
        if (gr_dataset_is_divided(whole))
            a->values = whole->own_values.at;
        else if (a->values)
            a->values += first * a->stride;
        return GRADUS_OK;
    }
    GR_TRY(copy_offsets(data, GR_ROW_STARTS, whole->arrays.row_starts, first, end, err));
    a->row_starts = data->owned[GR_ROW_STARTS].at;
    a->columns += whole->arrays.row_starts[first];
    a->entries += whole->arrays.row_starts[first];
    return GRADUS_OK;
}

gradus_dataset *gr_dataset_share(const gradus_dataset *whole, const gradus_collectives *with,
                                 gradus_error *err)
{
    gradus_dataset *data = gr_dataset_new(err);

    if (!data)
        return NULL;
    data->whole = whole;
    data->first_id = whole->first_id;
    data->lacks_queries = whole->lacks_queries;
    data->feature_names = whole->feature_names;
    data->wide = whole->wide;
    data->columns = whole->columns;
    data->share = whole->part
                      ? gr_share_copy(whole->part, err)
                      : gr_share_new(with, whole->arrays.query_starts, whole->arrays.queries, err);
    if (!data->share || fill(data, whole, err) != GRADUS_OK) {
        gradus_dataset_free(data);
        return NULL;
    }
    return data;
}

gradus_status gr_dataset_own_rows(const gradus_dataset *data, gr_pool *pool, gradus_dataset **own,
                                  gradus_error *err)
{
    unsigned parts = GR_NEED_ALL & ~(unsigned)GR_NEED_DOCUMENTS;

    *own = NULL;
    if (gr_dataset_is_divided(data))
        parts &= ~(unsigned)GR_NEED_VALUES;
    GR_TRY(gr_dataset_need(data, parts, pool, err));
    if (!data->part || data->binned)
        return GRADUS_OK;
    *own = gr_dataset_share(data, data->part->with, err);
    return *own ? GRADUS_OK : GRADUS_NO_MEMORY;
}
