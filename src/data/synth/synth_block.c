/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of complete queries: datasets to which synthetic rows are appended. */
#include "data/synth/synth.h"

#include "base/text.h"

#include <string.h>

gradus_status gr_synth_block_new(gr_synth_block *block, const gr_synth_shape *shape,
                                 gradus_error *err)
{
    *block = (gr_synth_block){ shape, gr_dataset_new(err), 0, 0 };
    if (!block->data)
        return GRADUS_NO_MEMORY;
    gr_synth_block_clear(block);
    return GRADUS_OK;
}

void gr_synth_block_free(gr_synth_block *block)
{
    gradus_dataset_free(block->data);
    block->data = NULL;
}

void gr_synth_block_clear(gr_synth_block *block)
{
    gradus_arrays *arrays = &block->data->arrays;

    block->entries = block->name_bytes = 0;
    arrays->rows = arrays->queries = 0;
    arrays->features = block->shape->features;
}

void gr_synth_block_end(gr_synth_block *block)
{
    gr_dataset_adopt(block->data);
}

/* Allocates `rows` more rows with `entries` more sparse entries. */
static gradus_status reserve_rows(gr_synth_block *block, size_t rows, size_t entries,
                                  gradus_error *err)
{
    gradus_dataset *data = block->data;
    const size_t all = data->arrays.rows + rows, features = block->shape->features;

    GR_TRY(gr_dataset_reserve(data, GR_LABELS, all, sizeof(float), err));
    if (!block->shape->sparse) {
        size_t bytes;

        if (!gr_size_times(features, sizeof(float), &bytes))
            return gr_fail_memory(err, "synthetic rows");
        return gr_dataset_reserve(data, GR_VALUES, all, bytes, err);
    }
    GR_TRY(gr_dataset_reserve(data, GR_ROW_STARTS, all + 1, sizeof(uint64_t), err));
    GR_TRY(gr_dataset_reserve(data, GR_COLUMNS, block->entries + entries, sizeof(uint32_t), err));
    return gr_dataset_reserve(data, GR_ENTRIES, block->entries + entries, sizeof(float), err);
}

static gradus_status reserve_queries(gr_synth_block *block, size_t queries, size_t name_bytes,
                                     gradus_error *err)
{
    gradus_dataset *data = block->data;
    const size_t all = data->arrays.queries + queries;

    GR_TRY(gr_dataset_reserve(data, GR_QUERY_STARTS, all + 1, sizeof(uint64_t), err));
    GR_TRY(gr_dataset_reserve(data, GR_QUERY_NAMES, all + 1, sizeof(uint64_t), err));
    return gr_dataset_reserve(data, GR_QUERY_BYTES, block->name_bytes + name_bytes, 1, err);
}

static gradus_status name_query(gr_synth_block *block, uint64_t number, gradus_error *err)
{
    gradus_dataset *data = block->data;
    char name[GRADUS_NUMBER_SIZE];
    const size_t length = gr_format_count(number, name), q = data->arrays.queries;

    GR_TRY(reserve_queries(block, 1, length + 1, err));
    uint64_t *names = data->owned[GR_QUERY_NAMES].at, *starts = data->owned[GR_QUERY_STARTS].at;

    memcpy((char *)data->owned[GR_QUERY_BYTES].at + block->name_bytes, name, length + 1);
    names[q] = block->name_bytes;
    block->name_bytes += length + 1;
    names[q + 1] = block->name_bytes;
    starts[q] = data->arrays.rows;
    starts[q + 1] = data->arrays.rows;
    data->arrays.queries++;
    return GRADUS_OK;
}

static float *labels_of(const gr_synth_block *block)
{
    return block->data->owned[GR_LABELS].at;
}

gradus_status gr_synth_begin(gr_synth_block *block, uint64_t number, size_t rows,
                             gr_synth_query *query, gradus_error *err)
{
    gradus_arrays *arrays = &block->data->arrays;
    const size_t features = block->shape->features;

    GR_TRY(name_query(block, number, err));
    GR_TRY(reserve_rows(block, rows, 0, err));
    query->labels = labels_of(block) + arrays->rows;
    query->values = NULL;
    if (block->shape->sparse)
        return GRADUS_OK;
    query->values = (float *)block->data->owned[GR_VALUES].at + arrays->rows * features;
    memset(query->values, 0, rows * features * sizeof *query->values);
    arrays->rows += rows;
    ((uint64_t *)block->data->owned[GR_QUERY_STARTS].at)[arrays->queries] = arrays->rows;
    return GRADUS_OK;
}

gradus_status gr_synth_add_row(gr_synth_block *block, float label, const uint32_t *columns,
                               const float *entries, size_t count, gradus_error *err)
{
    gradus_dataset *data = block->data;
    gradus_arrays *arrays = &data->arrays;

    GR_TRY(reserve_rows(block, 1, count, err));
    uint64_t *starts = data->owned[GR_ROW_STARTS].at;

    memcpy((uint32_t *)data->owned[GR_COLUMNS].at + block->entries, columns,
           count * sizeof *columns);
    memcpy((float *)data->owned[GR_ENTRIES].at + block->entries, entries, count * sizeof *entries);
    labels_of(block)[arrays->rows] = label;
    starts[arrays->rows++] = block->entries;
    block->entries += count;
    starts[arrays->rows] = block->entries;
    ((uint64_t *)data->owned[GR_QUERY_STARTS].at)[arrays->queries] = arrays->rows;
    return GRADUS_OK;
}

static void copy(gradus_dataset *to, const gradus_dataset *from, gr_part part, size_t at,
                 size_t count, size_t size)
{
    memcpy((char *)to->owned[part].at + at * size, from->owned[part].at, count * size);
}

/* Copies the offsets of the second block, shifted to follow the first. */
static void copy_starts(gradus_dataset *to, const gradus_dataset *from, gr_part part, size_t at,
                        size_t count, uint64_t offset)
{
    uint64_t *starts = (uint64_t *)to->owned[part].at + at;
    const uint64_t *more = from->owned[part].at;

    for (size_t i = 0; i <= count; i++)
        starts[i] = more[i] + offset;
}

gradus_status gr_synth_block_append(gr_synth_block *block, const gr_synth_block *more,
                                    gradus_error *err)
{
    gradus_dataset *to = block->data;
    const gradus_dataset *from = more->data;
    const size_t rows = to->arrays.rows, queries = to->arrays.queries;
    const size_t new_rows = from->arrays.rows, new_queries = from->arrays.queries;

    GR_TRY(reserve_queries(block, new_queries, more->name_bytes, err));
    GR_TRY(reserve_rows(block, new_rows, more->entries, err));
    copy(to, from, GR_LABELS, rows, new_rows, sizeof(float));
    copy(to, from, GR_QUERY_BYTES, block->name_bytes, more->name_bytes, 1);
    copy_starts(to, from, GR_QUERY_NAMES, queries, new_queries, block->name_bytes);
    copy_starts(to, from, GR_QUERY_STARTS, queries, new_queries, rows);
    if (block->shape->sparse) {
        copy_starts(to, from, GR_ROW_STARTS, rows, new_rows, block->entries);
        copy(to, from, GR_COLUMNS, block->entries, more->entries, sizeof(uint32_t));
        copy(to, from, GR_ENTRIES, block->entries, more->entries, sizeof(float));
    } else {
        copy(to, from, GR_VALUES, rows, new_rows, block->shape->features * sizeof(float));
    }
    block->entries += more->entries;
    block->name_bytes += more->name_bytes;
    to->arrays.rows += new_rows;
    to->arrays.queries += new_queries;
    return GRADUS_OK;
}
