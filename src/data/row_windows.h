/* SPDX-License-Identifier: Apache-2.0 */
/* Dense rows in file order that are passed on in windows of equal size instead of being stored. One
 * thread at a time adds rows; any thread may process complete windows. */
#ifndef GR_DATA_ROW_WINDOWS_H
#define GR_DATA_ROW_WINDOWS_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

typedef struct gr_row_windows gr_row_windows;

typedef struct gr_window_use {
    size_t first_id; /* id of the first feature */
    size_t features;
    size_t window; /* rows per window; the last may have fewer */
    size_t queued; /* windows that may wait before the adding thread processes one itself */
    /* Called once for each window, by several threads at once. Rows are `features` apart. */
    void (*process)(void *state, size_t number, const float *values, size_t rows);
    void *state;
} gr_window_use;

gr_row_windows *gr_row_windows_new(const gr_window_use *use, gradus_error *err);
void gr_row_windows_free(gr_row_windows *windows); /* NULL is accepted */
const gr_window_use *gr_row_windows_use(const gr_row_windows *windows);
/* A place for the next row, to be filled before the next call. */
gradus_status gr_row_windows_next(gr_row_windows *windows, float **row, gradus_error *err);
/* Processes a waiting window, if there is one. */
void gr_row_windows_work(gr_row_windows *windows);
/* Processes what is left, once all rows are added and no other thread uses the windows. */
gradus_status gr_row_windows_finish(gr_row_windows *windows, gradus_error *err);
/* Rows added. */
size_t gr_row_windows_rows(const gr_row_windows *windows);
/* After gr_row_windows_finish: the CRC of each GR_SUM_BYTES bytes of values, which the caller
 * frees. */
uint32_t *gr_row_windows_take_sums(gr_row_windows *windows, size_t *count);

#endif
