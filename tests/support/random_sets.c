/* SPDX-License-Identifier: Apache-2.0 */
/* Datasets for the tests of data/: of every shape, with difficult values, and their comparison. */
#include "random_sets.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static float hard_value(gr_rng *rng)
{
    static const float hard[] = { 0.0f, -0.0f, 1e-45f, -3.4028235e38f, 0.1f, 16777216.0f, 1e-7f };
    const uint64_t choice = gr_rng_below(rng, 16);

    if (choice == 0)
        return NAN;
    if (choice == 1)
        return gr_rng_below(rng, 2) ? INFINITY : -INFINITY;
    if (choice < 6)
        return hard[gr_rng_below(rng, sizeof hard / sizeof *hard)];
    return (float)(gr_rng_normal(rng) * 100.0);
}

static void fill_floats(gradus_dataset *data, gr_part part, size_t count, gr_rng *rng, bool values)
{
    gr_dataset_reserve(data, part, count, sizeof(float), NULL);
    for (size_t i = 0; i < count; i++)
        ((float *)data->owned[part].at)[i] =
            values ? hard_value(rng) : (float)gr_rng_below(rng, 5) / 2.0f;
}

static void fill_sparse(gradus_dataset *data, const set_kind *kind, gr_rng *rng)
{
    uint64_t *starts;
    uint32_t *columns;
    size_t used = 0;

    gr_dataset_reserve(data, GR_ROW_STARTS, kind->rows + 1, 8, NULL);
    gr_dataset_reserve(data, GR_COLUMNS, kind->rows * kind->features, 4, NULL);
    starts = data->owned[GR_ROW_STARTS].at;
    columns = data->owned[GR_COLUMNS].at;
    starts[0] = 0;
    for (size_t r = 0; r < kind->rows; r++) {
        for (size_t f = 0; f < kind->features; f++)
            if (gr_rng_below(rng, 4) == 0)
                columns[used++] = (uint32_t)f;
        starts[r + 1] = used;
    }
    fill_floats(data, GR_ENTRIES, used, rng, true);
}

static void fill_names(gradus_dataset *data, gr_part bytes, gr_part starts, size_t count,
                       const char *stem, bool some_empty)
{
    gr_name_list list = { 0 };

    for (size_t i = 0; i < count; i++) {
        char name[64];

        snprintf(name, sizeof name, "%s%zu", stem, i * 7919 % 1000);
        gr_name_list_add(&list, name, some_empty && i % 3 == 0 ? 0 : strlen(name));
    }
    data->owned[bytes] = list.bytes;
    data->owned[starts] = list.starts;
}

/* Queries of 1 row and more; the last takes the remaining rows. */
static void fill_queries(gradus_dataset *data, const set_kind *kind, gr_rng *rng)
{
    uint64_t *starts;

    gr_dataset_reserve(data, GR_QUERY_STARTS, kind->queries + 1, 8, NULL);
    starts = data->owned[GR_QUERY_STARTS].at;
    starts[0] = 0;
    for (size_t q = 0; q < kind->queries; q++) {
        const uint64_t spare = kind->rows - starts[q] - (kind->queries - q);

        starts[q + 1] = starts[q] + 1 + (spare ? gr_rng_below(rng, spare < 8 ? spare + 1 : 8) : 0);
    }
    starts[kind->queries] = kind->rows;
}

gradus_dataset *random_set(const set_kind *kind, uint64_t seed)
{
    gradus_dataset *data = gr_dataset_new(NULL);
    gr_rng rng = gr_rng_for(seed, "set", 0);

    data->arrays.rows = kind->rows;
    data->arrays.features = kind->features;
    data->arrays.queries = kind->queries;
    data->first_id = kind->first_id;
    if (kind->queries)
        fill_queries(data, kind, &rng);
    if (kind->sparse)
        fill_sparse(data, kind, &rng);
    else
        fill_floats(data, GR_VALUES, kind->rows * kind->features, &rng, true);
    fill_floats(data, GR_LABELS, kind->rows, &rng, false);
    if (kind->row_weights)
        fill_floats(data, GR_ROW_WEIGHTS, kind->rows, &rng, false);
    if (kind->query_weights)
        fill_floats(data, GR_QUERY_WEIGHTS, kind->queries, &rng, false);
    if (kind->query_names)
        fill_names(data, GR_QUERY_BYTES, GR_QUERY_NAMES, kind->queries, "q", false);
    if (kind->documents)
        fill_names(data, GR_DOCUMENT_BYTES, GR_DOCUMENT_NAMES, kind->rows, "GX", true);
    if (kind->feature_names)
        fill_names(data, GR_FEATURE_BYTES, GR_FEATURE_NAMES, kind->features, "bm25.", false);
    if (kind->scattered) {
        gr_dataset_reserve(data, GR_FILE_ROWS, kind->rows, 8, NULL);
        for (size_t r = 0; r < kind->rows; r++)
            ((uint64_t *)data->owned[GR_FILE_ROWS].at)[r] = r;
        gr_shuffle(&rng, data->owned[GR_FILE_ROWS].at, kind->rows);
    }
    gr_dataset_adopt(data);
    return data;
}

void assert_same_part(const gradus_dataset *a, const gradus_dataset *b, gr_part part)
{
    const uint64_t count = gr_part_count(a, part);
    const size_t size = gr_part_size(part);
    char *first = malloc((size_t)count * size + 1), *second = malloc((size_t)count * size + 1);

    assert_int_equal(count, gr_part_count(b, part));
    if (count > 0)
        assert_memory_equal(gr_part_items(a, part, 0, (size_t)count, 0, first),
                            gr_part_items(b, part, 0, (size_t)count, 0, second),
                            (size_t)count * size);
    free(first);
    free(second);
}

void assert_same_set(const gradus_dataset *a, const gradus_dataset *b)
{
    assert_int_equal(a->arrays.rows, b->arrays.rows);
    assert_int_equal(a->arrays.features, b->arrays.features);
    assert_int_equal(a->arrays.queries, b->arrays.queries);
    assert_int_equal(a->first_id, b->first_id);
    assert_int_equal(gr_parts_of(a), gr_parts_of(b));
    for (int part = 0; part < GR_PARTS; part++)
        if (gr_parts_of(a) & GR_PART(part))
            assert_same_part(a, b, (gr_part)part);
}

gradus_dataset *block_of(const gradus_dataset *data, size_t from, size_t to, uint64_t *starts)
{
    const gradus_arrays *a = &data->arrays;
    const size_t first = (size_t)a->query_starts[from], last = (size_t)a->query_starts[to];
    gradus_dataset *block = gr_dataset_new(NULL);
    gradus_arrays *b = &block->arrays;

    *b = *a;
    block->first_id = data->first_id;
    b->rows = last - first;
    b->queries = to - from;
    for (size_t q = from; q <= to; q++)
        starts[q - from] = a->query_starts[q] - first;
    b->query_starts = starts;
    b->labels = a->labels + first;
    b->values = a->values ? a->values + first * a->stride : NULL;
    b->row_starts = a->row_starts ? a->row_starts + first : NULL;
    b->row_weights = a->row_weights ? a->row_weights + first : NULL;
    b->query_weights = a->query_weights ? a->query_weights + from : NULL;
    if (data->query_names.count)
        block->query_names =
            (gr_names){ data->query_names.bytes, data->query_names.starts + from, to - from };
    if (data->document_names.count)
        block->document_names = (gr_names){ data->document_names.bytes,
                                            data->document_names.starts + first, last - first };
    block->feature_names = data->feature_names;
    return block;
}
