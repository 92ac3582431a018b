/* SPDX-License-Identifier: Apache-2.0 */
/* Copies the bins of the processor's layout (bins/bins.h) to the device's: by row, for histograms, and by
 * column, for the partition. */
#ifndef GR_PLUGINS_CUDA_UNPACK_BODY_H
#define GR_PLUGINS_CUDA_UNPACK_BODY_H

#include "tree_plan.h"

enum { GR_UNPACK_THREADS = 256 };

/* Words of some rows of a group. */
typedef struct gr_packed_words {
    const uint64_t *words;
    uint32_t stride, width;
    uint32_t first; /* column */
    uint32_t first_row, rows;
} gr_packed_words;

typedef struct gr_packed_lists {
    const uint64_t *row_starts;
    const uint16_t *entries;
    uint32_t first, count; /* columns */
} gr_packed_lists;

/* Where the bin of a column of a small panel is by row. */
GR_DEVICE uint8_t *gr_byte_of(const gr_tree_data *data, uint32_t column, uint32_t row)
{
    const gr_panel *panel = &data->panel[column / GR_PANEL];

    return data->bytes + panel->at + (uint64_t)row * panel->stride + column % GR_PANEL;
}

/* by_row: also by row, if the panel is small. */
GR_DEVICE void gr_put_bin(const gr_tree_data *data, uint32_t column, uint32_t row, uint32_t bin,
                          bool by_row)
{
    const gr_panel *panel = &data->panel[column / GR_PANEL];
    const uint64_t at = panel->columns + (uint64_t)(column % GR_PANEL) * data->rows + row;

    if (panel->bins > GR_SMALL_BINS) {
        data->columns16[at] = (uint16_t)bin;
        return;
    }
    data->columns8[at] = (uint8_t)bin;
    if (by_row)
        *gr_byte_of(data, column, row) = (uint8_t)bin;
}

GR_HOST_AND_DEVICE uint32_t gr_unpack_row_blocks(const gr_packed_words *packed)
{
    return (packed->rows + GR_UNPACK_THREADS - 1) / GR_UNPACK_THREADS;
}

/* A thread per word, gr_unpack_row_blocks x stride blocks; consecutive threads have consecutive rows. */
GR_DEVICE void gr_unpack_words(const gr_tree_data *data, const gr_packed_words *packed,
                               uint32_t block)
{
    const uint32_t each = 64 / packed->width, row_blocks = gr_unpack_row_blocks(packed);
    const uint32_t word = block / row_blocks, first = block % row_blocks * GR_UNPACK_THREADS;
    const uint32_t column = packed->first + word * each;

    GR_THREADS(t, GR_UNPACK_THREADS)
    {
        const uint32_t row = packed->first_row + first + t;
        uint64_t bins;

        if (first + t >= packed->rows)
            continue;
        bins = packed->words[(uint64_t)(first + t) * packed->stride + word];
        /* a word of 8 columns has their bytes in order */
        if (packed->width == 8)
            *(uint64_t *)(void *)gr_byte_of(data, column, row) = bins;
        for (uint32_t i = 0; i < each; i++) {
            const uint32_t bin = (uint32_t)bins & (packed->width == 8 ? 0xffu : 0xffffu);

            gr_put_bin(data, column + i, row, bin, packed->width != 8);
            bins >>= packed->width;
        }
    }
}

/* A thread per row. The entries of a row are ascending, and so are the codes of columns. */
GR_DEVICE void gr_unpack_lists(const gr_tree_data *data, const gr_packed_lists *packed,
                               uint32_t block)
{
    GR_THREADS(t, GR_UNPACK_THREADS)
    {
        const uint32_t row = block * GR_UNPACK_THREADS + t;
        uint64_t e, end;

        if (row >= data->rows)
            continue;
        e = packed->row_starts[row];
        end = packed->row_starts[row + 1];
        for (uint32_t c = packed->first; c < packed->first + packed->count; c++) {
            const gr_device_column *column = &data->column[c];
            uint32_t bin = column->default_bin;

            if (e < end && packed->entries[e] < column->code + column->bins)
                bin = packed->entries[e++] - column->code;
            gr_put_bin(data, c, row, bin, true);
        }
    }
}

#endif
