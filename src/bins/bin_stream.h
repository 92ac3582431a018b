/* SPDX-License-Identifier: Apache-2.0 */
/* Bins rows that come in chunks, in two passes over a file: first only the rows that thresholds and
 * layout depend on, then all rows. The bins are those that gr_bins_new computes from all values.
 * They are then attached to the dataset, and gr_bins_new returns them. */
#ifndef GR_BINS_BIN_STREAM_H
#define GR_BINS_BIN_STREAM_H

#include "bins/bins.h"
#include "data/binned.h"

typedef struct gr_bin_stream gr_bin_stream;

/* For data of `rows` rows. The options are copied. */
gr_bin_stream *gr_bin_stream_new(const gradus_context *context, const gr_bin_options *options,
                                 size_t rows, gradus_error *err);
void gr_bin_stream_free(gr_bin_stream *stream); /* NULL is accepted */
/* The rows of the first pass, ascending. */
const uint32_t *gr_bin_stream_rows(const gr_bin_stream *stream, size_t *count);
/* Computes the thresholds. sample: the rows of the first pass, dense; not used afterwards. */
gradus_status gr_bin_stream_prepare(gr_bin_stream *stream, const gradus_dataset *sample,
                                    gradus_error *err);
/* Rows per chunk. */
size_t gr_bin_stream_chunk(void);
/* Bins chunk `number` of the second pass, whose rows are `features` values apart. Thread-safe. */
void gr_bin_stream_add(gr_bin_stream *stream, size_t number, const float *values);
/* After all chunks, of `rows` rows. *fits: false if these are more or fewer than expected, or if a
 * feature that is constant in the first pass turned out to have both missing and other values. */
gradus_status gr_bin_stream_finish(gr_bin_stream *stream, size_t rows, bool *fits,
                                   gradus_error *err);

/* Moves the bins to a state of bins/attached.h; see gr_attached_new. */
void *gr_bin_stream_take(gr_bin_stream *stream, void *own, void (*free_own)(void *),
                         gradus_error *err);
#endif
