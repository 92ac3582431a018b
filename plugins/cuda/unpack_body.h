/* SPDX-License-Identifier: Apache-2.0 */
/* Copies the bins of the processor's layout (bins/bins.h) to the device's: by row, for histograms, and by
 * column, for the partition. */
#ifndef GR_PLUGINS_CUDA_UNPACK_BODY_H
#define GR_PLUGINS_CUDA_UNPACK_BODY_H

#include "tree_plan.h"

enum { GR_UNPACK_THREADS = 256 };

/* Words of a group, on the device. */
typedef struct gr_packed_words {
    const uint64_t *words;
    uint32_t stride, width;
    uint32_t first; /* column */
} gr_packed_words;

typedef struct gr_packed_lists {
    const uint64_t *row_starts;
    const uint16_t *entries;
    uint32_t first, count; /* columns */
} gr_packed_lists;

GR_DEVICE void gr_put_bin(const gr_tree_data *data, uint32_t column, uint32_t row, uint32_t bin)
{
    const gr_panel *panel = &data->panel[column / GR_PANEL];
    const uint64_t at = (uint64_t)column * data->rows + row;

    if (data->columns8)
        data->columns8[at] = (uint8_t)bin;
    else
        data->columns16[at] = (uint16_t)bin;
    if (data->bytes)
        data->bytes[panel->at + (uint64_t)row * panel->stride + column % GR_PANEL] = (uint8_t)bin;
}

/* A thread per word; consecutive threads have consecutive rows. */
GR_DEVICE void gr_unpack_words(const gr_tree_data *data, const gr_packed_words *packed,
                               uint32_t block)
{
    const uint32_t each = 64 / packed->width;
    const uint32_t row_blocks = (data->rows + GR_UNPACK_THREADS - 1) / GR_UNPACK_THREADS;
    const uint32_t word = block / row_blocks, first = block % row_blocks * GR_UNPACK_THREADS;

    GR_THREADS(t, GR_UNPACK_THREADS)
    {
        const uint32_t row = first + t;
        uint64_t bins;

        if (row >= data->rows)
            continue;
        bins = packed->words[(uint64_t)row * packed->stride + word];
        for (uint32_t i = 0; i < each; i++) {
            gr_put_bin(data, packed->first + word * each + i, row,
                       (uint32_t)bins & (packed->width == 8 ? 0xffu : 0xffffu));
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
            gr_put_bin(data, c, row, bin);
        }
    }
}

#endif
