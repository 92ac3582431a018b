/* SPDX-License-Identifier: Apache-2.0 */
/* Bins in a binned file (docs/formats/data.md): written, attached to the dataset that maps the
 * file, and used in place. */
#ifndef GR_BINS_BINS_FILE_H
#define GR_BINS_BINS_FILE_H

#include "base/sink.h"
#include "bins/bins.h"
#include "data/binned.h"

/* The numbers at the start of the bin table, before its arrays. */
typedef struct gr_bin_file_table {
    uint64_t scheme, bins, sample, seed; /* gr_bin_options */
    uint64_t thresholds, dense, sparses, bundles, masked;
    uint64_t masked_blocks[GR_MAX_MASKED];
    uint64_t array_count, array_bytes[3], sum_count; /* gr_binned */
} gr_bin_file_table;

/* bins_file.c */
/* Attaches the bins of a dataset that was opened from a binned file; does nothing for others. */
gradus_status gr_bins_file_attach(gradus_dataset *data, gr_pool *pool, gradus_error *err);

/* bins_file_write.c */
/* Writes data with their bins. values: array_count, array_bytes, sum_count and sums. */
gradus_status gr_bins_file_write(const gradus_dataset *data, const gr_bins *bins,
                                 const gr_bin_options *options, const gr_binned *values,
                                 gr_sink *sink, gr_pool *pool, gradus_error *err);

/* bins_view.c */
/* Bins of `rows` rows from `first` on, in place. Checks them, as anything may be in a file. name:
 * of the file, for messages. The whole must outlive the view. */
gradus_status gr_bins_view(const gr_bins *whole, size_t first, size_t rows, const char *name,
                           gr_pool *pool, gr_bins *view, gradus_error *err);

#endif
