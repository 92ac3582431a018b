/* SPDX-License-Identifier: Apache-2.0 */
/* Collects blocks of rows into a dataset; see builder.h. */
#include "data/builder.h"

#include "base/text.h"
#include "data/regroup.h"
#include "data/row_windows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Rows are stored dense if at least this fraction of the cells is present in the file. Below it, a
 * sparse entry (8 bytes) takes less memory than the four or more cells (4 bytes each) that it
 * replaces. */
#define DENSE_FROM 0.25
/* Storage is not switched to sparse before there are this many cells to judge by. */
enum { ENOUGH_CELLS = 1 << 16 };

struct gr_builder {
    const gradus_context *context;
    gr_read_options options;
    const char *name;
    gradus_dataset *data; /* its owned arrays grow */
    bool storage_chosen;  /* dense or sparse has been chosen */
    bool dense;
    size_t rows, width, stride, entries, first_id;
    bool named_queries, named_documents, weighted;
    gr_name_set queries;
    gr_array runs; /* gr_row_run */
    size_t run_count;
    gr_name_list features;
};

gr_builder *gr_builder_new(const gradus_context *context, const gr_read_options *options,
                           const char *name, gradus_error *err)
{
    gr_builder *builder = calloc(1, sizeof *builder);

    if (builder)
        builder->data = gr_dataset_new(err);
    if (!builder || !builder->data) {
        gr_fail_memory(err, "a dataset");
        free(builder);
        return NULL;
    }
    builder->context = context;
    builder->options = *options;
    builder->name = name;
    builder->first_id = options->windows ? gr_row_windows_use(options->windows)->first_id : 1;
    return builder;
}

void gr_builder_free(gr_builder *builder)
{
    if (!builder)
        return;
    gradus_dataset_free(builder->data);
    gr_name_set_free(&builder->queries);
    gr_array_free(&builder->runs);
    gr_name_list_free(&builder->features);
    free(builder);
}

static float absent_value(const gr_builder *builder)
{
    return builder->options.absent_is_missing ? NAN : 0.0f;
}

static float *values_of(gr_builder *builder)
{
    return builder->data->owned[GR_VALUES].at;
}

/* Moves `rows` dense rows to a new stride, `shift` columns up, and fills the new cells. */
static void relayout(gr_builder *b, size_t rows, size_t stride, size_t width, size_t shift)
{
    float *values = values_of(b);
    const float fill = absent_value(b);

    for (size_t r = rows; r-- > 0;) { /* backwards, because rows move to higher addresses */
        float *to = values + r * stride;

        memmove(to + shift, values + r * b->stride, width * sizeof *to);
        for (size_t c = 0; c < shift; c++)
            to[c] = fill;
        for (size_t c = width + shift; c < stride; c++)
            to[c] = fill;
    }
    b->stride = stride;
}

static gradus_status check_memory(const gr_builder *b, const char *form, size_t rows,
                                  size_t columns, double bytes, gradus_error *err)
{
    char what[200];

    snprintf(what, sizeof what, "'%.80s', stored %s, with %zu %s of %zu %s", b->name, form, rows,
             gr_plural(rows, "row", "rows"), columns, gr_plural(columns, "feature", "features"));
    return gr_check_memory(b->context, what, bytes, err);
}

static gradus_status reserve_dense(gr_builder *b, size_t rows, size_t stride, gradus_error *err)
{
    size_t cells;

    GR_TRY(
        check_memory(b, "dense", rows, stride, (double)rows * (double)stride * sizeof(float), err));
    if (!gr_size_times(rows, stride, &cells))
        return gr_fail_memory(err, "dense rows");
    return gr_dataset_reserve(b->data, GR_VALUES, cells, sizeof(float), err);
}

/* Allocates `width` columns after a shift, with some slack so that gradual growth stays
 * cheap. */
static gradus_status widen(gr_builder *b, size_t width, size_t shift, gradus_error *err)
{
    size_t stride = b->stride;

    if (width + shift > stride)
        stride = b->rows == 0 ? width : width + shift + stride / 8;
    if (stride == b->stride && shift == 0)
        return GRADUS_OK;
    GR_TRY(reserve_dense(b, b->rows, stride, err));
    relayout(b, b->rows, stride, b->width, shift);
    return GRADUS_OK;
}

/* Shifts all rows by one column: the file turned out to use id 0. */
static gradus_status begin_at_zero(gr_builder *b, gradus_error *err)
{
    b->first_id = 0;
    if (!b->storage_chosen || b->rows == 0)
        return GRADUS_OK;
    if (b->dense) {
        GR_TRY(widen(b, b->width, 1, err));
    } else {
        uint32_t *columns = b->data->owned[GR_COLUMNS].at;

        for (size_t e = 0; e < b->entries; e++)
            columns[e]++;
    }
    b->width++;
    return GRADUS_OK;
}

static gradus_status reserve_sparse(gr_builder *b, size_t rows, size_t width, size_t entries,
                                    gradus_error *err)
{
    GR_TRY(check_memory(b, "sparse", rows, width,
                        (double)rows * sizeof(uint64_t) +
                            (double)entries * (sizeof(uint32_t) + sizeof(float)),
                        err));
    GR_TRY(gr_dataset_reserve(b->data, GR_ROW_STARTS, rows + 1, sizeof(uint64_t), err));
    GR_TRY(gr_dataset_reserve(b->data, GR_COLUMNS, entries, sizeof(uint32_t), err));
    GR_TRY(gr_dataset_reserve(b->data, GR_ENTRIES, entries, sizeof(float), err));
    *(uint64_t *)b->data->owned[GR_ROW_STARTS].at = 0;
    return GRADUS_OK;
}

/* Converts the dense rows so far to sparse ones, without zeros. */
static gradus_status to_sparse(gr_builder *b, gradus_error *err)
{
    const float *values = values_of(b);
    size_t entries = 0;

    for (size_t r = 0; r < b->rows; r++)
        for (size_t c = 0; c < b->width; c++)
            entries += values[r * b->stride + c] != 0.0f;
    GR_TRY(reserve_sparse(b, b->rows, b->width, entries, err));
    uint64_t *starts = b->data->owned[GR_ROW_STARTS].at;
    uint32_t *columns = b->data->owned[GR_COLUMNS].at;
    float *kept = b->data->owned[GR_ENTRIES].at;

    entries = 0;
    for (size_t r = 0; r < b->rows; r++) {
        for (size_t c = 0; c < b->width; c++)
            if (values[r * b->stride + c] != 0.0f) {
                columns[entries] = (uint32_t)c;
                kept[entries++] = values[r * b->stride + c];
            }
        starts[r + 1] = entries;
    }
    gr_array_free(&b->data->owned[GR_VALUES]);
    b->entries = entries;
    b->dense = false;
    return GRADUS_OK;
}

static gradus_status to_dense(gr_builder *b, gradus_error *err)
{
    const uint64_t *starts = b->data->owned[GR_ROW_STARTS].at;
    const uint32_t *columns = b->data->owned[GR_COLUMNS].at;
    const float *entries = b->data->owned[GR_ENTRIES].at;
    const float fill = absent_value(b);

    GR_TRY(reserve_dense(b, b->rows, b->width, err));
    b->stride = b->width;
    for (size_t r = 0; r < b->rows; r++) {
        float *row = values_of(b) + r * b->stride;

        for (size_t c = 0; c < b->width; c++)
            row[c] = fill;
        for (uint64_t e = starts[r]; e < starts[r + 1]; e++)
            row[columns[e]] = entries[e];
    }
    gr_array_free(&b->data->owned[GR_ROW_STARTS]);
    gr_array_free(&b->data->owned[GR_COLUMNS]);
    gr_array_free(&b->data->owned[GR_ENTRIES]);
    b->dense = true;
    return GRADUS_OK;
}

/* Whether dense storage suits data with these counts. */
static bool prefers_dense(const gr_builder *b, size_t rows, size_t width, size_t entries)
{
    if (b->options.absent_is_missing || b->options.storage == GR_STORE_DENSE)
        return true;
    if (b->options.storage == GR_STORE_SPARSE)
        return false;
    return (double)entries >= DENSE_FROM * (double)rows * (double)width;
}

static size_t block_entries(const gr_block *block)
{
    if (block->dense)
        return block->rows * block->width;
    return block->rows ? (size_t)block->row_ends[block->rows - 1] : 0;
}

/* Chooses the storage by the first block, and later switches from dense to sparse if dense rows
 * would waste memory. */
static gradus_status choose_storage(gr_builder *b, const gr_block *block, size_t width,
                                    gradus_error *err)
{
    const size_t rows = b->rows + block->rows;
    const size_t all = width > b->width ? width : b->width;

    if (!b->storage_chosen) {
        b->dense = prefers_dense(b, rows, all, block_entries(block));
        b->storage_chosen = true;
    } else if (b->dense && all > b->stride && (double)rows * (double)all > ENOUGH_CELLS &&
               !prefers_dense(b, rows, all, b->entries + block_entries(block))) {
        GR_TRY(to_sparse(b, err));
    }
    return GRADUS_OK;
}

static void scatter_row(const gr_block *block, size_t r, size_t shift, float *row)
{
    const uint64_t first = r ? block->row_ends[r - 1] : 0;

    for (uint64_t e = first; e < block->row_ends[r]; e++)
        row[block->columns[e] + shift] = block->entries[e];
}

static gradus_status append_dense(gr_builder *b, const gr_block *block, size_t shift,
                                  gradus_error *err)
{
    const size_t width = block->width + shift;
    const float fill = absent_value(b);

    GR_TRY(widen(b, width, 0, err));
    GR_TRY(reserve_dense(b, b->rows + block->rows, b->stride, err));
    float *row = values_of(b) + b->rows * b->stride;

    if (block->dense && block->stride == b->stride && block->width == b->stride) {
        memcpy(row, block->values, block->rows * b->stride * sizeof *row);
        return GRADUS_OK;
    }
    for (size_t r = 0; r < block->rows; r++, row += b->stride) {
        for (size_t c = 0; c < b->stride; c++)
            row[c] = fill;
        if (block->dense)
            memcpy(row + shift, block->values + r * block->stride, block->width * sizeof *row);
        else
            scatter_row(block, r, shift, row);
    }
    return GRADUS_OK;
}

static gradus_status append_sparse(gr_builder *b, const gr_block *block, size_t shift,
                                   gradus_error *err)
{
    const size_t count = block_entries(block), width = block->width + shift;

    GR_TRY(reserve_sparse(b, b->rows + block->rows, width > b->width ? width : b->width,
                          b->entries + count, err));
    uint64_t *starts = (uint64_t *)b->data->owned[GR_ROW_STARTS].at + b->rows + 1;
    uint32_t *columns = (uint32_t *)b->data->owned[GR_COLUMNS].at + b->entries;
    float *entries = (float *)b->data->owned[GR_ENTRIES].at + b->entries;

    for (size_t r = 0; r < block->rows; r++)
        starts[r] = b->entries + (block->dense ? (r + 1) * block->width : block->row_ends[r]);
    if (block->dense) {
        for (size_t r = 0; r < block->rows; r++)
            for (size_t c = 0; c < block->width; c++) {
                columns[r * block->width + c] = (uint32_t)(c + shift);
                entries[r * block->width + c] = block->values[r * block->stride + c];
            }
        return GRADUS_OK;
    }
    memcpy(entries, block->entries, count * sizeof *entries);
    for (size_t e = 0; e < count; e++)
        columns[e] = block->columns[e] + (uint32_t)shift;
    return GRADUS_OK;
}

/* Rows that windows cannot take; the caller then reads the file without them. */
static gradus_status refuse_windows(const gr_builder *b, const char *why, gradus_error *err)
{
    return gr_fail(err, GRADUS_BAD_FORMAT, "%.300s: rows cannot be binned while reading: %s",
                   b->name, why);
}

static gradus_status append_windows(gr_builder *b, const gr_block *block, gradus_error *err)
{
    const size_t features = gr_row_windows_use(b->options.windows)->features;
    const float fill = absent_value(b);

    if (block->first_id < b->first_id)
        return refuse_windows(b, "ids start at 0", err);
    const size_t shift = block->first_id - b->first_id, width = block->width + shift;
    const size_t entries = b->entries + block_entries(block), rows = b->rows + block->rows;

    if (width > features)
        return refuse_windows(b, "more features than in the sample", err);
    /* a superset of the cases in which choose_storage would change to sparse rows */
    if (b->rows > 0 && width > b->width && !prefers_dense(b, rows, width, entries))
        return refuse_windows(b, "they are sparse", err);
    for (size_t r = 0; r < block->rows; r++) {
        float *row;

        GR_TRY(gr_row_windows_next(b->options.windows, &row, err));
        for (size_t c = 0; c < features && (!block->dense || block->width < features); c++)
            row[c] = fill;
        if (block->dense)
            memcpy(row + shift, block->values + r * block->stride, block->width * sizeof *row);
        else
            scatter_row(block, r, shift, row);
    }
    b->entries = entries;
    b->width = width > b->width ? width : b->width;
    return GRADUS_OK;
}

static gradus_status append_features(gr_builder *b, const gr_block *block, gradus_error *err)
{
    size_t shift, width;

    if (b->options.windows)
        return append_windows(b, block, err);
    if (block->first_id == 0 && b->first_id == 1)
        GR_TRY(begin_at_zero(b, err));
    shift = block->first_id - b->first_id;
    width = block->width + shift;
    GR_TRY(choose_storage(b, block, width, err));
    GR_TRY(b->dense ? append_dense(b, block, shift, err) : append_sparse(b, block, shift, err));
    b->entries += block_entries(block);
    if (width > b->width)
        b->width = width;
    return GRADUS_OK;
}

static gradus_status append_floats(gr_builder *b, gr_part part, const float *values, size_t rows,
                                   gradus_error *err)
{
    GR_TRY(gr_dataset_reserve(b->data, part, b->rows + rows, sizeof(float), err));
    memcpy((float *)b->data->owned[part].at + b->rows, values, rows * sizeof *values);
    return GRADUS_OK;
}

static gradus_status append_weights(gr_builder *b, const gr_block *block, gradus_error *err)
{
    if (!block->weights && !b->weighted)
        return GRADUS_OK;
    GR_TRY(gr_dataset_reserve(b->data, GR_ROW_WEIGHTS, b->rows + block->rows, sizeof(float), err));
    float *weights = b->data->owned[GR_ROW_WEIGHTS].at;

    for (size_t r = 0; !b->weighted && r < b->rows; r++)
        weights[r] = 1.0f;
    for (size_t r = 0; r < block->rows; r++)
        weights[b->rows + r] = block->weights ? block->weights[r] : 1.0f;
    b->weighted = true;
    return GRADUS_OK;
}

static gradus_status append_queries(gr_builder *b, const gr_block *block, gradus_error *err)
{
    if (!gr_array_reserve(&b->runs, (b->run_count + block->runs) * sizeof(gr_row_run)))
        return gr_fail_memory(err, "queries");
    gr_row_run *runs = b->runs.at;

    for (size_t i = 0; i < block->runs; i++) {
        const gr_query_run *run = &block->query_runs[i];
        const size_t end = i + 1 < block->runs ? run[1].first_row : block->rows;
        const size_t query = gr_name_set_add(&b->queries, run->name, run->name_length);

        if (query == SIZE_MAX)
            return gr_fail_memory(err, "queries");
        if (b->run_count && runs[b->run_count - 1].query == query)
            runs[b->run_count - 1].rows += end - run->first_row;
        else
            runs[b->run_count++] =
                (gr_row_run){ query, b->rows + run->first_row, end - run->first_row };
    }
    b->named_queries |= block->runs > 0;
    return GRADUS_OK;
}

/* Adds the document names of the block; rows before the first named one get "". */
static gradus_status append_documents(gr_builder *b, const gr_block *block, gradus_error *err)
{
    const size_t more = block->has_documents ? (size_t)block->document_ends[block->rows - 1] : 0;
    const size_t unnamed = b->named_documents ? 0 : b->rows;
    gr_array *bytes = &b->data->owned[GR_DOCUMENT_BYTES],
             *starts = &b->data->owned[GR_DOCUMENT_NAMES];
    size_t used;

    if (!block->has_documents && !b->named_documents)
        return GRADUS_OK;
    if (!gr_array_reserve(starts, (b->rows + block->rows + 1) * sizeof(uint64_t)))
        return gr_fail_memory(err, "document names");
    uint64_t *at = starts->at;

    for (size_t r = 0; r <= unnamed && !b->named_documents; r++)
        at[r] = r;
    used = (size_t)at[b->rows];
    if (!gr_array_reserve(bytes, used + more + block->rows))
        return gr_fail_memory(err, "document names");
    memset((char *)bytes->at, 0, unnamed);
    if (block->has_documents)
        memcpy((char *)bytes->at + used, block->document_bytes, more);
    else
        memset((char *)bytes->at + used, 0, block->rows);
    for (size_t r = 0; r < block->rows; r++)
        at[b->rows + r + 1] = used + (block->has_documents ? block->document_ends[r] : r + 1);
    b->named_documents = true;
    return GRADUS_OK;
}

gradus_status gr_builder_append(gr_builder *builder, const gr_block *block, gradus_error *err)
{
    if (block->rows == 0)
        return GRADUS_OK;
    GR_TRY(append_features(builder, block, err));
    GR_TRY(append_floats(builder, GR_LABELS, block->labels, block->rows, err));
    GR_TRY(append_weights(builder, block, err));
    GR_TRY(append_queries(builder, block, err));
    GR_TRY(append_documents(builder, block, err));
    builder->rows += block->rows;
    return GRADUS_OK;
}

gradus_status gr_builder_name_feature(gr_builder *builder, const char *name, size_t length,
                                      gradus_error *err)
{
    if (!gr_name_list_add(&builder->features, name, length))
        return gr_fail_memory(err, "feature names");
    return GRADUS_OK;
}

/* Sets the number of features and the final storage; dense rows get exactly that width. */
static gradus_status finish_features(gr_builder *b, gradus_error *err)
{
    const size_t wanted = (size_t)b->options.features;

    if (wanted && wanted < b->width)
        return gr_fail(err, GRADUS_BAD_FORMAT, "%.300s: feature id %zu exceeds 'features %zu'",
                       b->name, b->width - 1 + b->first_id, wanted);
    const size_t features = wanted > b->width ? wanted : b->width;

    if (b->options.windows && (features != gr_row_windows_use(b->options.windows)->features ||
                               !prefers_dense(b, b->rows, features, b->entries)))
        return refuse_windows(b, "they are sparse", err);
    if (b->options.windows)
        b->dense = false;
    else if (!b->dense && prefers_dense(b, b->rows, features, b->entries)) {
        GR_TRY(to_dense(b, err));
    } else if (b->dense && !prefers_dense(b, b->rows, features, b->entries)) {
        GR_TRY(to_sparse(b, err));
    }
    if (b->dense) {
        GR_TRY(widen(b, features, 0, err));
        for (size_t r = 0; features < b->stride && r < b->rows; r++)
            memmove(values_of(b) + r * features, values_of(b) + r * b->stride,
                    features * sizeof(float));
    }
    b->data->arrays.rows = b->rows;
    b->data->arrays.features = features;
    b->data->first_id = b->first_id;
    return GRADUS_OK;
}

static void move_names(gradus_dataset *data, gr_name_list *list, gr_part bytes, gr_part starts)
{
    data->owned[bytes] = list->bytes;
    data->owned[starts] = list->starts;
    *list = (gr_name_list){ .used = 0 };
}

static gradus_status finish_queries(gr_builder *b, gradus_context *context, gradus_error *err)
{
    size_t scattered = 0;

    if (!b->named_queries)
        return GRADUS_OK;
    b->data->arrays.queries = b->queries.list.count;
    if (b->options.windows && b->run_count != b->queries.list.count)
        return refuse_windows(b, "queries are not contiguous", err);
    GR_TRY(gr_regroup(b->data, b->runs.at, b->run_count, &scattered, err));
    move_names(b->data, &b->queries.list, GR_QUERY_BYTES, GR_QUERY_NAMES);
    if (scattered)
        gr_note(context, "%.300s: the rows of %zu of %zu %s are not contiguous; regrouped%s",
                b->name, scattered, b->data->arrays.queries,
                gr_plural(b->data->arrays.queries, "query", "queries"),
                b->options.in_memory ? "" : " (scores stay in file order)");
    return GRADUS_OK;
}

static gradus_status finish(gr_builder *b, gradus_context *context, gradus_error *err)
{
    if (b->rows == 0)
        return gr_fail(err, GRADUS_BAD_FORMAT, "%.300s: no rows", b->name);
    GR_TRY(finish_features(b, err));
    if (b->features.count == b->data->arrays.features && b->features.count)
        move_names(b->data, &b->features, GR_FEATURE_BYTES, GR_FEATURE_NAMES);
    GR_TRY(finish_queries(b, context, err));
    gr_dataset_adopt(b->data);
    return GRADUS_OK;
}

gradus_dataset *gr_builder_finish(gr_builder *builder, gradus_context *context, gradus_error *err)
{
    gradus_dataset *data = NULL;

    if (finish(builder, context, err) == GRADUS_OK) {
        data = builder->data;
        builder->data = NULL;
    }
    gr_builder_free(builder);
    return data;
}
