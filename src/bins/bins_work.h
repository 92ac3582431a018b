/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of gr_bins_new and the state they cache. */
#ifndef GR_BINS_BINS_WORK_H
#define GR_BINS_BINS_WORK_H

#include "bins/bins.h"
#include "bins/bins_column.h"

#include <stdatomic.h>

enum {
    GR_LINE = 16,                   /* 32-bit numbers per cache line */
    GR_WATCHED = 1024,              /* rows examined to find features that share default bins */
    GR_BIN_TILE = 256,              /* rows binned together */
    GR_BIN_CHUNK = 16 * GR_BIN_TILE /* rows per task */
};

/* Everything needed to bin an entry of a sparse row, in half a cache line. */
typedef struct gr_sparse_fact {
    uint64_t start; /* index of its first threshold */
    uint32_t thresholds;
    uint32_t place;
    uint32_t zero_bin;
    uint32_t default_bin, code, bundle; /* if the feature is sparse */
} gr_sparse_fact;

typedef struct gr_binning {
    /* All rows; if `streamed`, the sampled and the examined rows only: the others come in chunks. */
    const gradus_dataset *data;
    bool streamed;
    const gr_bin_options *options;
    const gradus_context *context;
    gr_bins *bins;
    size_t sampled;        /* rows that thresholds are computed from */
    uint32_t *sample_rows; /* rows of data, ascending; NULL: all rows */
    uint32_t *watch_rows;  /* if `streamed`: the GR_WATCHED examined rows, rows of data */
    gr_column *columns;    /* per feature: statistics of the sample */
    uint32_t *misses;      /* per feature: rows with missing value; counted in all rows for features
                              without thresholds, possibly only in the sample for others */
    uint32_t *codes;       /* per sparse feature: its first code, while all features reserve one for
                              missing values */
    /* For sparse rows: */
    gr_sparse_fact *facts; /* one per feature */
    uint32_t *nonzero;     /* sparse features whose default bin is not the bin of 0, ascending */
    size_t nonzero_count;
    uint8_t *seen;      /* per threshold: 1 if a value equals it, 2 if a value is the next float
                           below, 3 if both; NULL if the sample is all rows */
    int32_t *tables;    /* for dense rows: the thresholds of each feature as integer keys, padded */
    void *table_memory; /* unaligned allocation of tables */
    size_t *table_starts; /* features + 1 */
    gr_array *chunks;     /* uint16_t: codes of each chunk's entries, by tile, bundle, row */
    size_t chunk_count;
    atomic_size_t chunks_done;
    atomic_int failed; /* a gradus_status; other threads stop when it is set */
} gr_binning;

/* The rows that thresholds are computed from: those of all processes. */
static inline const gradus_dataset *gr_binning_all(const gr_binning *work)
{
    return work->data->whole ? work->data->whole : work->data;
}

/* The rows of all processes, and those of a stream that are still to come. */
static inline size_t gr_binning_rows(const gr_binning *work)
{
    return work->bins->share ? gr_binning_all(work)->arrays.rows : work->bins->rows;
}

/* bins_sample.c */
/* Fills sampled and sample_rows, for data with bins->rows rows. */
gradus_status gr_binning_sample(gr_binning *work, gradus_error *err);

/* bins_cuts.c */
/* Fills columns and bins->cuts. cuts.missing reflects the sample, or all rows for features without
 * thresholds. */
gradus_status gr_binning_cuts(gr_binning *work, gradus_error *err);
/* Whether more than four fifths of the sampled rows are in one bin of the feature. */
static inline bool gr_binning_is_sparse(const gr_binning *work, size_t f)
{
    return (uint64_t)work->columns[f].covered * 5 > (uint64_t)work->sampled * 4;
}

/* bins_prune.c */
/* Removes thresholds of sparse features if there are too many. */
void gr_binning_prune(gr_binning *work);

/* bins_layout.c */
/* Decides how each feature is stored, and allocates the arrays. */
gradus_status gr_binning_layout(gr_binning *work, gradus_error *err);

/* bins_groups.c */
/* Sorts the dense columns into groups. */
gradus_status gr_binning_groups(gr_binning *work, gradus_error *err);

/* bins_assign.c */
/* Fills tables and table_starts. */
gradus_status gr_binning_tables(gr_binning *work, gradus_error *err);

/* bins_sparse.c */
/* Finds the bin of 0 for each feature: the bin of values that sparse rows omit. */
gradus_status gr_binning_zeros(gr_binning *work, gradus_error *err);

/* bins_assign.c */
/* Bins all rows. Fills words, chunks and the row starts of bundles (entry r + 1 holds the count of
 * row r); detects missing values and values that equal a threshold. */
gradus_status gr_binning_assign(gr_binning *work, gradus_error *err);
/* Allocates what assigning fills. */
gradus_status gr_binning_assign_begin(gr_binning *work, gradus_error *err);
/* Bins one chunk. values: its first row; scratch: two arrays reused between chunks. */
void gr_assign_dense(gr_binning *work, size_t chunk, const float *values, size_t stride,
                     gr_array *scratch);

/* bins_sparse.c */
void gr_assign_sparse(gr_binning *work, size_t chunk, gr_array *scratch);

/* bins_bundles.c */
/* Copies the entries of the chunks into bundles. */
gradus_status gr_binning_bundles(gr_binning *work, gradus_error *err);

/* bins_adjust.c */
/* Moves thresholds that are equal to a value. */
gradus_status gr_binning_adjust(gr_binning *work, gradus_error *err);

/* bins.c */
gradus_status gr_binning_check(size_t rows, size_t features, const gr_bin_options *options,
                               gradus_error *err);
/* Once thresholds are known: everything that comes before and after the rows are binned. */
gradus_status gr_binning_prepare(gr_binning *work, gradus_error *err);
gradus_status gr_binning_complete(gr_binning *work, gradus_error *err);
void gr_binning_free(gr_binning *work); /* not the bins */
/* Computes bins, whether or not the context has a cache. */
gradus_status gr_bins_make(const gradus_dataset *data, const gr_bin_options *options,
                           const gradus_context *context, gr_bins *bins, gradus_error *err);

/* bins_cache.c */
bool gr_bins_are_cached(const gradus_context *context, const gradus_dataset *data);
gradus_status gr_bins_from_cache(gr_bin_cache *cache, const gradus_dataset *data,
                                 const gr_bin_options *options, const gradus_context *context,
                                 gr_bins *bins, gradus_error *err);
void gr_bins_give_back(struct gr_cached_bins *shared);

/* The thresholds of a feature and their number. */
static inline const float *gr_feature_thresholds(const gr_cuts *cuts, size_t f, size_t *count)
{
    *count = (size_t)(cuts->starts[f + 1] - cuts->starts[f]);
    return cuts->thresholds + cuts->starts[f];
}

/* Sets flag bits; several threads may do so at once. */
static inline void gr_raise(void *flags, uint8_t flag)
{
    if (!(__atomic_load_n((uint8_t *)flags, __ATOMIC_RELAXED) & flag))
        __atomic_fetch_or((uint8_t *)flags, flag, __ATOMIC_RELAXED);
}

/* Records whether a value (not NAN) in its bin equals a neighbouring threshold or the next float
 * below it. */
static inline void gr_note_value(const gr_binning *work, size_t f, uint32_t bin, int32_t key)
{
    const gr_cuts *cuts = &work->bins->cuts;
    const uint64_t at = cuts->starts[f] + bin;

    if (!work->seen)
        return;
    if (bin > 0 && gr_float_key(cuts->thresholds[at - 1]) == key)
        gr_raise(&work->seen[at - 1], 1);
    if (at < cuts->starts[f + 1] && gr_float_key(cuts->thresholds[at]) - 1 == key)
        gr_raise(&work->seen[at], 2);
}

#endif
