/* SPDX-License-Identifier: Apache-2.0 */
/* The cache of bin columns: an LRU list of GR_MAX_COLUMNS columns, filled in parallel. */
#include "learners/tree/column_cache.h"

#include "base/ranges.h"
#include "kernels/sort_rows.h"

enum {
    CHUNK = 16384, /* rows per task */
    WORTH = 4      /* a column is filled if at least 1/WORTH of all rows will be read */
};

typedef struct job {
    const gr_bins *bins;
    uint32_t feature;
    uint8_t *column;
} job;

static void fill_dense(const job *j, size_t first, size_t end)
{
    const size_t column = j->bins->place[j->feature], block = column / 8;
    const uint64_t *words = gr_block_words(j->bins, block);
    const size_t stride = gr_block_stride(j->bins, block);
    const unsigned shift = (unsigned)(column % 8) * 8;

    for (size_t r = first; r < end; r++)
        j->column[r] = (uint8_t)(words[r * stride] >> shift);
}

static void fill_task(void *argument, gr_range range)
{
    const job *j = argument;

    if (j->bins->place[j->feature] <= INT32_MAX) {
        fill_dense(j, range.first, range.end);
        return;
    }
    for (size_t r = range.first; r < range.end; r++)
        j->column[r] = (uint8_t)gr_bin_at(j->bins, j->feature, r);
}

static uint8_t *column_at(const gr_columns *columns, const gr_bins *bins, size_t i)
{
    return (uint8_t *)columns->bytes.at + i * bins->rows;
}

bool gr_columns_start(gr_columns *columns, const gr_bins *bins)
{
    size_t bytes;

    if (bins->width != 8 || bins->rows > INT32_MAX)
        return true;
    return gr_size_times(bins->rows, GR_MAX_COLUMNS, &bytes) &&
           gr_array_reserve(&columns->bytes, bytes + GR_SIDES_PAD);
}

/* The feature's index in the cache, or GR_MAX_COLUMNS. */
static size_t find_column(const gr_columns *columns, uint32_t feature)
{
    size_t i = 0;

    while (i < GR_MAX_COLUMNS && !(columns->used[i] && columns->features[i] == feature))
        i++;
    return i;
}

const uint8_t *gr_column_kept(const gr_columns *columns, const gr_bins *bins, uint32_t feature)
{
    const size_t i = find_column(columns, feature);

    return i < GR_MAX_COLUMNS ? column_at(columns, bins, i) : NULL;
}

const uint8_t *gr_column_of(gr_columns *columns, const gr_bins *bins, uint32_t feature,
                            size_t count, gr_pool *pool)
{
    const size_t kept = find_column(columns, feature);
    size_t oldest = 0;

    if (kept < GR_MAX_COLUMNS) {
        columns->used[kept] = ++columns->uses;
        return column_at(columns, bins, kept);
    }
    for (size_t i = 1; i < GR_MAX_COLUMNS; i++)
        if (columns->used[i] < columns->used[oldest])
            oldest = i;
    if (!columns->bytes.at || count < bins->rows / WORTH)
        return NULL;
    job j = { bins, feature, column_at(columns, bins, oldest) };
    gr_for_ranges(pool, bins->rows, CHUNK, fill_task, &j);
    columns->features[oldest] = feature;
    columns->used[oldest] = ++columns->uses;
    return j.column;
}

void gr_columns_free(gr_columns *columns)
{
    gr_array_free(&columns->bytes);
}
