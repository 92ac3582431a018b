/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the used columns of wide data, and copies data without the others. */
#include "data/used_columns.h"

#include <stdlib.h>
#include <string.h>

static size_t page_count(const gr_used *columns)
{
    return (columns->features >> GR_COLUMN_PAGE_BITS) + 1;
}

gradus_status gr_used_start(gr_used *columns, size_t features, gradus_error *err)
{
    *columns = (gr_used){ .features = features };
    columns->pages = gr_new_array(page_count(columns), sizeof *columns->pages);
    return columns->pages ? GRADUS_OK : gr_fail_memory(err, "used columns");
}

gradus_status gr_used_add(gr_used *columns, size_t column, gradus_error *err)
{
    if (column >= columns->features)
        return GRADUS_OK;
    gr_column_page **page = &columns->pages[column >> GR_COLUMN_PAGE_BITS];

    if (!*page)
        *page = gr_new_array(1, sizeof **page);
    if (!*page)
        return gr_fail_memory(err, "used columns");
    (*page)->bits[column >> 6 & (GR_COLUMN_WORDS - 1)] |= (uint64_t)1 << (column & 63);
    return GRADUS_OK;
}

gradus_status gr_used_add_data(gr_used *columns, const gradus_dataset *data, gradus_error *err)
{
    const gradus_arrays *a = &data->arrays;

    if (gr_dataset_is_dense(data))
        for (size_t f = 0; f < a->features; f++)
            GR_TRY(gr_used_add(columns, f, err));
    else
        for (uint64_t e = a->row_starts[0]; e < a->row_starts[a->rows]; e++)
            GR_TRY(gr_used_add(columns, a->columns[e], err));
    return GRADUS_OK;
}

/* Counts the members, and the members before each word. */
static void count_members(gr_used *columns)
{
    columns->count = 0;
    for (size_t p = 0; p < page_count(columns); p++)
        for (size_t w = 0; columns->pages[p] && w < GR_COLUMN_WORDS; w++) {
            gr_column_page *page = columns->pages[p];

            page->before[w] = (uint32_t)columns->count;
            columns->count += (size_t)__builtin_popcountll(page->bits[w]);
        }
}

static void list_members(const gr_used *columns)
{
    uint32_t *next = columns->ids;

    for (size_t p = 0; p < page_count(columns); p++)
        for (size_t w = 0; columns->pages[p] && w < GR_COLUMN_WORDS; w++) {
            const size_t first = (p << GR_COLUMN_PAGE_BITS) + (w << 6);

            for (uint64_t left = columns->pages[p]->bits[w]; left; left &= left - 1)
                *next++ = (uint32_t)(first + (size_t)__builtin_ctzll(left));
        }
}

gradus_status gr_used_finish(gr_used *columns, gradus_error *err)
{
    count_members(columns);
    if (columns->count == 0) {
        GR_TRY(gr_used_add(columns, 0, err));
        count_members(columns);
    }
    columns->ids = gr_new_array(columns->count, sizeof *columns->ids);
    if (!columns->ids)
        return gr_fail_memory(err, "used columns");
    list_members(columns);
    return GRADUS_OK;
}

void gr_used_free(gr_used *columns)
{
    for (size_t p = 0; columns->pages && p < page_count(columns); p++)
        free(columns->pages[p]);
    free(columns->pages);
    free(columns->ids);
    *columns = (gr_used){ .features = 0 };
}

static gradus_status narrow_dense(const gr_used *columns, const gradus_arrays *from,
                                  gradus_dataset *to, gradus_error *err)
{
    const size_t count = columns->count;
    size_t cells;
    float *values;

    if (!gr_size_times(from->rows, count, &cells))
        return gr_fail_memory(err, "dense rows");
    GR_TRY(gr_dataset_reserve(to, GR_VALUES, cells, sizeof *values, err));
    values = to->owned[GR_VALUES].at;
    for (size_t r = 0; r < from->rows; r++)
        for (size_t c = 0; c < count; c++)
            values[r * count + c] = columns->ids[c] < from->features
                                        ? from->values[r * from->stride + columns->ids[c]]
                                        : 0.0f;
    to->arrays.values = values;
    to->arrays.stride = count;
    return GRADUS_OK;
}

/* Copies entries and row starts without the entries of other columns. numbers: of the columns of
 * all entries, which are moved together. */
static gradus_status drop_entries(const gradus_arrays *from, gradus_dataset *to, uint32_t *numbers,
                                  gradus_error *err)
{
    const size_t entries = (size_t)(from->row_starts[from->rows] - from->row_starts[0]);
    uint64_t *starts;
    float *values;
    size_t kept = 0;

    GR_TRY(gr_dataset_reserve(to, GR_ROW_STARTS, from->rows + 1, sizeof *starts, err));
    GR_TRY(gr_dataset_reserve(to, GR_ENTRIES, entries, sizeof *values, err));
    starts = to->owned[GR_ROW_STARTS].at;
    values = to->owned[GR_ENTRIES].at;
    starts[0] = 0;
    for (size_t r = 0; r < from->rows; r++) {
        for (uint64_t e = from->row_starts[r]; e < from->row_starts[r + 1]; e++) {
            const uint32_t number = numbers[e - from->row_starts[0]];

            if (number == GR_NO_COLUMN)
                continue;
            numbers[kept] = number;
            values[kept++] = from->entries[e];
        }
        starts[r + 1] = kept;
    }
    to->arrays.row_starts = starts;
    to->arrays.entries = values;
    return GRADUS_OK;
}

static gradus_status narrow_sparse(const gr_used *columns, const gradus_arrays *from,
                                   gradus_dataset *to, gradus_error *err)
{
    const uint64_t first = from->row_starts[0];
    const size_t entries = (size_t)(from->row_starts[from->rows] - first);
    bool all = first == 0;
    uint32_t *numbers;

    GR_TRY(gr_dataset_reserve(to, GR_COLUMNS, entries, sizeof *numbers, err));
    numbers = to->owned[GR_COLUMNS].at;
    for (size_t e = 0; e < entries; e++) {
        numbers[e] = gr_used_find(columns, from->columns[first + e]);
        all = all && numbers[e] != GR_NO_COLUMN;
    }
    to->arrays.columns = numbers;
    return all ? GRADUS_OK : drop_entries(from, to, numbers, err);
}

gradus_dataset *gr_used_narrow(const gr_used *columns, const gradus_dataset *data,
                               gradus_error *err)
{
    gradus_dataset *narrow = gr_dataset_new(err);
    gradus_status status;

    if (!narrow)
        return NULL;
    *narrow = *data;
    memset(narrow->owned, 0, sizeof narrow->owned);
    narrow->binary = NULL;
    narrow->feature_names = (gr_names){ NULL, NULL, 0 };
    narrow->wide = data;
    narrow->columns = columns;
    narrow->arrays.features = columns->count;
    if (data->arrays.query_starts == data->one_query)
        narrow->arrays.query_starts = narrow->one_query;
    status = gr_dataset_is_dense(data) ? narrow_dense(columns, &data->arrays, narrow, err)
                                       : narrow_sparse(columns, &data->arrays, narrow, err);
    if (status == GRADUS_OK)
        return narrow;
    gradus_dataset_free(narrow);
    return NULL;
}
