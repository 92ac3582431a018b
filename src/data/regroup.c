/* SPDX-License-Identifier: Apache-2.0 */
/* Reorders rows so that each query is contiguous. */
#include "data/regroup.h"

#include <stdlib.h>
#include <string.h>

/* Row i of the result is row from[i]. Rows are moved in place, cycle by cycle, so that large data
 * need no second copy. Visited elements of from[] are marked by inverting their bits; all are
 * restored at the end. */
static void permute(char *rows, size_t size, uint64_t *from, size_t count, char *spare)
{
    for (size_t start = 0; start < count; start++) {
        size_t hole = start;

        if (from[start] >> 63 || from[start] == start)
            continue;
        memcpy(spare, rows + start * size, size);
        for (;;) {
            const size_t source = (size_t)from[hole];

            from[hole] = ~from[hole];
            if (source == start)
                break;
            memcpy(rows + hole * size, rows + source * size, size);
            hole = source;
        }
        memcpy(rows + hole * size, spare, size);
    }
    for (size_t i = 0; i < count; i++)
        if (from[i] >> 63)
            from[i] = ~from[i];
}

static gradus_status permute_part(gradus_dataset *data, gr_part part, size_t size, uint64_t *from,
                                  gradus_error *err)
{
    char *spare;

    if (!data->owned[part].at || size == 0)
        return GRADUS_OK;
    spare = malloc(size);
    if (!spare)
        return gr_fail_memory(err, "regrouping rows");
    permute(data->owned[part].at, size, from, data->arrays.rows, spare);
    free(spare);
    return GRADUS_OK;
}

/* Rows of varying length: copies items [starts[r], starts[r+1]) of `size` bytes each into new
 * memory. */
static gradus_status permute_ragged(gradus_dataset *data, gr_part part, const uint64_t *starts,
                                    size_t size, const uint64_t *from, gradus_error *err)
{
    const size_t rows = data->arrays.rows;
    gr_array moved = { NULL, 0, false };
    const char *old = data->owned[part].at;
    size_t at = 0;

    if (!gr_array_reserve(&moved, (size_t)starts[rows] * size + 1))
        return gr_fail_memory(err, "regrouping rows");
    for (size_t r = 0; r < rows; r++) {
        const uint64_t first = starts[from[r]];
        const size_t bytes = (size_t)(starts[from[r] + 1] - first) * size;

        memcpy((char *)moved.at + at, old + first * size, bytes);
        at += bytes;
    }
    gr_array_free(&data->owned[part]);
    data->owned[part] = moved;
    return GRADUS_OK;
}

/* The new starts of rows moved by permute_ragged. */
static gradus_status permute_starts(gradus_dataset *data, gr_part part, const uint64_t *from,
                                    gradus_error *err)
{
    const size_t rows = data->arrays.rows;
    const uint64_t *old = data->owned[part].at;
    gr_array moved = { NULL, 0, false };

    if (!gr_array_reserve(&moved, (rows + 1) * sizeof(uint64_t)))
        return gr_fail_memory(err, "regrouping rows");
    uint64_t *starts = moved.at;

    starts[0] = 0;
    for (size_t r = 0; r < rows; r++)
        starts[r + 1] = starts[r] + (old[from[r] + 1] - old[from[r]]);
    gr_array_free(&data->owned[part]);
    data->owned[part] = moved;
    return GRADUS_OK;
}

static gradus_status permute_rows(gradus_dataset *data, uint64_t *from, gradus_error *err)
{
    const uint64_t *row_starts = data->owned[GR_ROW_STARTS].at;
    const uint64_t *name_starts = data->owned[GR_DOCUMENT_NAMES].at;

    GR_TRY(permute_part(data, GR_VALUES, data->arrays.features * sizeof(float), from, err));
    GR_TRY(permute_part(data, GR_LABELS, sizeof(float), from, err));
    GR_TRY(permute_part(data, GR_ROW_WEIGHTS, sizeof(float), from, err));
    if (row_starts) {
        GR_TRY(permute_ragged(data, GR_COLUMNS, row_starts, sizeof(uint32_t), from, err));
        GR_TRY(permute_ragged(data, GR_ENTRIES, row_starts, sizeof(float), from, err));
        GR_TRY(permute_starts(data, GR_ROW_STARTS, from, err));
    }
    if (name_starts) {
        GR_TRY(permute_ragged(data, GR_DOCUMENT_BYTES, name_starts, 1, from, err));
        GR_TRY(permute_starts(data, GR_DOCUMENT_NAMES, from, err));
    }
    return GRADUS_OK;
}

/* Computes file_rows, the position of each row in the file, and moves the rows accordingly. */
static gradus_status order_rows(gradus_dataset *data, const gr_row_run *runs, size_t count,
                                gradus_error *err)
{
    const uint64_t *starts = data->owned[GR_QUERY_STARTS].at;
    const size_t queries = data->arrays.queries;
    uint64_t *next = malloc(queries * sizeof *next);

    if (!next)
        return gr_fail_memory(err, "regrouping rows");
    gradus_status status =
        gr_dataset_reserve(data, GR_FILE_ROWS, data->arrays.rows, sizeof(uint64_t), err);
    if (status == GRADUS_OK) {
        uint64_t *from = data->owned[GR_FILE_ROWS].at;

        memcpy(next, starts, queries * sizeof *next);
        for (size_t i = 0; i < count; i++)
            for (size_t r = 0; r < runs[i].rows; r++)
                from[next[runs[i].query]++] = runs[i].first + r;
        status = permute_rows(data, from, err);
    }
    free(next);
    return status;
}

gradus_status gr_regroup(gradus_dataset *data, const gr_row_run *runs, size_t count,
                         size_t *scattered, gradus_error *err)
{
    const size_t queries = data->arrays.queries;

    GR_TRY(gr_dataset_reserve(data, GR_QUERY_STARTS, queries + 1, sizeof(uint64_t), err));
    uint64_t *starts = data->owned[GR_QUERY_STARTS].at;

    *scattered = 0;
    memset(starts, 0, (queries + 1) * sizeof *starts);
    for (size_t i = 0; i < count; i++)
        starts[runs[i].query + 1] += runs[i].rows;
    for (size_t q = 0; q < queries; q++)
        starts[q + 1] += starts[q];
    if (count == queries)
        return GRADUS_OK;
    /* NOLINTNEXTLINE(clang-analyzer-optin.portability.UnixAPI): a run has a query */
    unsigned char *seen = calloc(queries, 1);
    if (!seen)
        return gr_fail_memory(err, "regrouping rows");
    for (size_t i = 0; i < count; i++) {
        *scattered += seen[runs[i].query] == 1;
        seen[runs[i].query] = seen[runs[i].query] ? 2 : 1;
    }
    free(seen);
    return order_rows(data, runs, count, err);
}
