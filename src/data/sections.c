/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes, counts and items of the arrays of a dataset. */
#include "data/sections.h"

#include <string.h>

size_t gr_part_size(gr_part part)
{
    switch (part) {
    case GR_VALUES:
    case GR_COLUMNS:
    case GR_ENTRIES:
    case GR_LABELS:
    case GR_ROW_WEIGHTS:
    case GR_QUERY_WEIGHTS:
        return 4;
    case GR_QUERY_BYTES:
    case GR_DOCUMENT_BYTES:
    case GR_FEATURE_BYTES:
    case GR_BIN_TABLE:
        return 1;
    case GR_BIN_ENTRIES:
        return 2;
    default:
        return 8;
    }
}

const char *gr_part_name(gr_part part)
{
    static const char *const names[GR_PARTS] = {
        [GR_VALUES] = "values",
        [GR_ROW_STARTS] = "row offsets",
        [GR_COLUMNS] = "columns",
        [GR_ENTRIES] = "entries",
        [GR_LABELS] = "labels",
        [GR_QUERY_STARTS] = "query offsets",
        [GR_ROW_WEIGHTS] = "row weights",
        [GR_QUERY_WEIGHTS] = "query weights",
        [GR_FILE_ROWS] = "row positions",
        [GR_QUERY_BYTES] = "query names",
        [GR_QUERY_NAMES] = "query name offsets",
        [GR_DOCUMENT_BYTES] = "document names",
        [GR_DOCUMENT_NAMES] = "document name offsets",
        [GR_FEATURE_BYTES] = "feature names",
        [GR_FEATURE_NAMES] = "feature name offsets",
        [GR_BIN_TABLE] = "bin table",
        [GR_BIN_WORDS] = "bins",
        [GR_BIN_STARTS] = "row offsets of sparse bins",
        [GR_BIN_ENTRIES] = "sparse bins",
    };

    return names[part];
}

unsigned gr_parts_of(const gradus_dataset *data)
{
    const gradus_arrays *a = &data->arrays;
    unsigned parts = GR_PART(GR_LABELS) | GR_PART(GR_QUERY_STARTS);

    if (gr_dataset_is_dense(data))
        parts |= GR_PART(GR_VALUES);
    else
        parts |= GR_PART(GR_ROW_STARTS) | GR_PART(GR_COLUMNS) | GR_PART(GR_ENTRIES);
    if (a->row_weights)
        parts |= GR_PART(GR_ROW_WEIGHTS);
    if (a->query_weights)
        parts |= GR_PART(GR_QUERY_WEIGHTS);
    if (data->file_rows)
        parts |= GR_PART(GR_FILE_ROWS);
    if (data->query_names.count)
        parts |= GR_PART(GR_QUERY_BYTES) | GR_PART(GR_QUERY_NAMES);
    if (data->document_names.count)
        parts |= GR_PART(GR_DOCUMENT_BYTES) | GR_PART(GR_DOCUMENT_NAMES);
    if (data->feature_names.count)
        parts |= GR_PART(GR_FEATURE_BYTES) | GR_PART(GR_FEATURE_NAMES);
    return parts;
}

static uint64_t name_bytes(const gr_names *names)
{
    return names->starts[names->count] - names->starts[0];
}

uint64_t gr_part_count(const gradus_dataset *data, gr_part part)
{
    const gradus_arrays *a = &data->arrays;

    switch (part) {
    case GR_VALUES:
        return (uint64_t)a->rows * a->features;
    case GR_COLUMNS:
    case GR_ENTRIES:
        return a->row_starts[a->rows] - a->row_starts[0];
    case GR_ROW_STARTS:
        return (uint64_t)a->rows + 1;
    case GR_LABELS:
    case GR_ROW_WEIGHTS:
    case GR_FILE_ROWS:
        return a->rows;
    case GR_QUERY_STARTS:
        return (uint64_t)a->queries + 1;
    case GR_QUERY_WEIGHTS:
        return a->queries;
    case GR_QUERY_BYTES:
        return name_bytes(&data->query_names);
    case GR_DOCUMENT_BYTES:
        return name_bytes(&data->document_names);
    case GR_FEATURE_BYTES:
        return name_bytes(&data->feature_names);
    case GR_QUERY_NAMES:
        return (uint64_t)data->query_names.count + 1;
    case GR_DOCUMENT_NAMES:
        return (uint64_t)data->document_names.count + 1;
    case GR_FEATURE_NAMES:
        return (uint64_t)data->feature_names.count + 1;
    default:
        return 0;
    }
}

/* Item 0 of a part in memory. */
static const void *part_base(const gradus_dataset *data, gr_part part)
{
    const gradus_arrays *a = &data->arrays;
    const gr_names *queries = &data->query_names, *documents = &data->document_names;
    const gr_names *features = &data->feature_names;

    switch (part) {
    case GR_VALUES:
        return a->values;
    case GR_ROW_STARTS:
        return a->row_starts;
    case GR_COLUMNS:
        return a->columns + a->row_starts[0];
    case GR_ENTRIES:
        return a->entries + a->row_starts[0];
    case GR_LABELS:
        return a->labels;
    case GR_QUERY_STARTS:
        return a->query_starts;
    case GR_ROW_WEIGHTS:
        return a->row_weights;
    case GR_QUERY_WEIGHTS:
        return a->query_weights;
    case GR_FILE_ROWS:
        return data->file_rows;
    case GR_QUERY_BYTES:
        return queries->bytes + queries->starts[0];
    case GR_QUERY_NAMES:
        return queries->starts;
    case GR_DOCUMENT_BYTES:
        return documents->bytes + documents->starts[0];
    case GR_DOCUMENT_NAMES:
        return documents->starts;
    case GR_FEATURE_BYTES:
        return features->bytes + features->starts[0];
    case GR_FEATURE_NAMES:
        return features->starts;
    default:
        return NULL;
    }
}

static bool begins_anywhere(gr_part part)
{
    return part == GR_ROW_STARTS || part == GR_QUERY_NAMES || part == GR_DOCUMENT_NAMES ||
           part == GR_FEATURE_NAMES;
}

static const void *shifted(const uint64_t *offsets, uint64_t first, size_t count, uint64_t shift,
                           uint64_t *buffer)
{
    if (shift == 0)
        return offsets + first;
    for (size_t i = 0; i < count; i++)
        buffer[i] = offsets[first + i] + shift;
    return buffer;
}

static const void *without_gaps(const gradus_arrays *a, uint64_t first, size_t count, float *buffer)
{
    size_t row = a->features ? (size_t)(first / a->features) : 0;
    size_t column = a->features ? (size_t)(first % a->features) : 0;

    for (size_t done = 0; done < count; row++, column = 0) {
        const size_t rest = a->features - column, left = count - done;
        const size_t now = rest < left ? rest : left;

        memcpy(buffer + done, a->values + row * a->stride + column, now * sizeof *buffer);
        done += now;
    }
    return buffer;
}

const void *gr_part_items(const gradus_dataset *data, gr_part part, uint64_t first, size_t count,
                          uint64_t shift, void *buffer)
{
    const gradus_arrays *a = &data->arrays;
    const void *base = part_base(data, part);

    if (part == GR_VALUES && a->stride != a->features)
        return without_gaps(a, first, count, buffer);
    if (gr_part_size(part) == 8)
        return shifted(base, first, count,
                       shift - (begins_anywhere(part) ? *(const uint64_t *)base : 0), buffer);
    return (const char *)base + first * gr_part_size(part);
}
