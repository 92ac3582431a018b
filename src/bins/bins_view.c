/* SPDX-License-Identifier: Apache-2.0 */
/* Some rows of the bins in a mapped file, which are used in place: a process touches only the pages
 * of its rows. */
#include "bins/bins_file.h"

#include "base/ranges.h"

#include <stdatomic.h>
#include <stdlib.h>

enum { CHUNK = 4096 };

typedef struct row_check {
    const gr_bins *bins;
    const uint32_t *limits; /* per dense column: its bins; 1 for columns that pad the last block */
    atomic_bool bad;
} row_check;

static bool dense_fits(const row_check *check, size_t block, gr_range range)
{
    const gr_bins *bins = check->bins;
    const size_t each = gr_bins_in_word(bins), stride = gr_block_stride(bins, block);
    const uint64_t *words = gr_block_words(bins, block), mask = (1u << bins->width) - 1u;
    const uint32_t *limits = check->limits + block * each;
    bool fits = true;

    for (size_t r = range.first; r < range.end; r++) {
        uint64_t word = words[r * stride];

        for (size_t c = 0; c < each; c++, word >>= bins->width)
            fits &= (word & mask) < limits[c];
    }
    return fits;
}

/* Row starts must ascend, and so must the codes of a row. */
static bool bundle_fits(const gr_bundle *bundle, size_t rows, gr_range range)
{
    for (size_t r = range.first; r < range.end; r++) {
        const uint64_t first = bundle->row_starts[r], end = bundle->row_starts[r + 1];

        if (first > end || end > bundle->row_starts[rows])
            return false;
        for (uint64_t e = first; e < end; e++)
            if (bundle->entries[e] >= bundle->codes ||
                (e > first && bundle->entries[e - 1] >= bundle->entries[e]))
                return false;
    }
    return true;
}

static void check_range(void *argument, gr_range range)
{
    row_check *check = argument;
    const gr_bins *bins = check->bins;
    bool fits = true;

    for (size_t b = 0; b < bins->blocks && fits; b++)
        fits = dense_fits(check, b, range);
    for (size_t s = 0; s < bins->bundles && fits; s++)
        fits = bundle_fits(&bins->bundle[s], bins->rows, range);
    if (!fits)
        atomic_store(&check->bad, true);
}

static gradus_status check_rows(const gr_bins *bins, const char *name, gr_pool *pool,
                                gradus_error *err)
{
    const size_t each = gr_bins_in_word(bins), columns = bins->blocks * each;
    uint32_t *limits = gr_new_array(columns, sizeof *limits);
    row_check check = { .bins = bins, .limits = limits };

    if (!limits)
        return gr_fail_memory(err, "bins");
    for (size_t c = 0; c < columns; c++)
        limits[c] = c < bins->dense ? (uint32_t)gr_cuts_bins(&bins->cuts, bins->columns[c]) : 1;
    gr_for_ranges(pool, bins->rows, CHUNK, check_range, &check);
    free(limits);
    return atomic_load(&check.bad)
               ? gr_fail(err, GRADUS_BAD_FORMAT, "'%.300s' is damaged: invalid bins", name)
               : GRADUS_OK;
}

gradus_status gr_bins_view(const gr_bins *whole, size_t first, size_t rows, const char *name,
                           gr_pool *pool, gr_bins *view, gradus_error *err)
{
    gr_bins made = *whole;
    gradus_status status;

    made.is_view = true;
    made.rows = rows;
    made.rows_before = first;
    made.rows_after = whole->rows - first - rows;
    made.row_masks = (gr_array){ NULL, 0, false };
    made.bundle = gr_new_array(made.bundles, sizeof *made.bundle);
    if (!made.bundle)
        return gr_fail_memory(err, "bins");
    for (size_t s = 0; s < made.bundles; s++) {
        made.bundle[s] = whole->bundle[s];
        made.bundle[s].row_starts += first;
    }
    status = check_rows(&made, name, pool, err);
    if (status == GRADUS_OK)
        status = gr_bins_mask_rows(&made, pool, err);
    if (status != GRADUS_OK)
        gr_bins_free(&made);
    *view = made;
    return status;
}
