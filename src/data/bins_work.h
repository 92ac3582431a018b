/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of gr_bins_new and what they hand on. */
#ifndef GR_DATA_BINS_WORK_H
#define GR_DATA_BINS_WORK_H

#include "data/bins.h"
#include "data/bins_column.h"

#include <stdatomic.h>

enum {
    GR_LINE = 16,           /* 32-bit numbers of a cache line */
    GR_TILE = 256,          /* rows that are binned together */
    GR_CHUNK = 16 * GR_TILE /* rows of a task */
};

/* All that binning an entry of a sparse row needs to know of its feature, in half a cache line. */
typedef struct gr_sparse_fact {
    uint64_t start; /* of its thresholds */
    uint32_t thresholds;
    uint32_t place;
    uint32_t zero_bin;
    uint32_t usual, slot, slice; /* of a sparse feature */
} gr_sparse_fact;

typedef struct gr_binning {
    const gradus_dataset *data;
    const gr_bin_options *options;
    const gradus_context *context;
    gr_bins *bins;
    size_t sampled;        /* rows that thresholds are taken from */
    uint32_t *sample_rows; /* ascending; NULL: all rows */
    gr_column *columns;    /* one a feature: what the sample tells */
    uint32_t *misses; /* one a feature: rows that miss it; of features without thresholds in all
                         rows, of the others perhaps in the sample only */
    uint32_t *slots;  /* one a sparse feature: its first slot, while each has one for missing */
    /* of sparse rows: */
    gr_sparse_fact *facts; /* one a feature */
    uint32_t *lively;      /* sparse features whose usual bin is not that of 0, ascending */
    size_t lively_count;
    uint8_t *sights; /* one a threshold: 1 if a value equals it, 2 if one is the float just below, 3
                        both; NULL if the sample is all rows */
    int32_t *tables; /* of dense rows: the thresholds of each feature as keys, padded */
    void *table_memory;   /* where they are */
    size_t *table_starts; /* of each feature, and of the end */
    gr_array *chunks;     /* uint16_t: slots of the entries of each chunk, by tile, slice, row */
    size_t chunk_count;
    atomic_size_t chunks_done;
    atomic_int failed; /* a gradus_status: work that other threads need not go on with */
} gr_binning;

/* Fills sampled and sample_rows. */
gradus_status gr_binning_sample(gr_binning *work, gradus_error *err);
/* Fills columns and bins->cuts; cuts.missing is that of the sample, but for features without
 * thresholds that of all rows. */
gradus_status gr_binning_cuts(gr_binning *work, gradus_error *err);
/* Whether a feature is one of those with a bin of more than four of five rows. */
static inline bool gr_binning_is_sparse(const gr_binning *work, size_t f)
{
    return (uint64_t)work->columns[f].covered * 5 > (uint64_t)work->sampled * 4;
}
/* Takes thresholds from sparse features if there are too many. */
void gr_binning_thin(gr_binning *work);
/* Decides where each feature goes, and makes room. */
gradus_status gr_binning_layout(gr_binning *work, gradus_error *err);
/* Puts the dense columns, which are there in any order, into the order of their groups. */
gradus_status gr_binning_groups(gr_binning *work, gradus_error *err);
/* Fills tables and table_starts. */
gradus_status gr_binning_tables(gr_binning *work, gradus_error *err);
/* Finds the bins of values that sparse rows do not list. */
gradus_status gr_binning_zeros(gr_binning *work, gradus_error *err);
/* Fills words, the row starts of slices (as counts, one later) and chunks; finds the missing values
 * and the values that equal a threshold. */
gradus_status gr_binning_assign(gr_binning *work, gradus_error *err);
/* One chunk; scratch: two arrays that are kept from one chunk to the next. */
void gr_assign_dense(gr_binning *work, size_t chunk, gr_array *scratch);
void gr_assign_sparse(gr_binning *work, size_t chunk, gr_array *scratch);
/* Puts the chunks' entries into slices. */
gradus_status gr_binning_slices(gr_binning *work, gradus_error *err);
/* Moves thresholds that a value equals. */
gradus_status gr_binning_nudge(gr_binning *work, gradus_error *err);

/* Bins of one's own, and of those that share (bins_share.c). */
gradus_status gr_bins_make(const gradus_dataset *data, const gr_bin_options *options,
                           const gradus_context *context, gr_bins *bins, gradus_error *err);
bool gr_bins_are_shared(const gradus_context *context, const gradus_dataset *data);
gradus_status gr_bins_share(gr_bin_share *share, const gradus_dataset *data,
                            const gr_bin_options *options, const gradus_context *context,
                            gr_bins *bins, gradus_error *err);
void gr_bins_give_back(struct gr_shared_bins *shared);

/* Where the thresholds of a feature are. */
static inline const float *gr_feature_thresholds(const gr_cuts *cuts, size_t f, size_t *count)
{
    *count = (size_t)(cuts->starts[f + 1] - cuts->starts[f]);
    return cuts->thresholds + cuts->starts[f];
}

/* Flags that several threads may raise at once. */
static inline void gr_raise(void *flags, uint8_t flag)
{
    if (!(__atomic_load_n((uint8_t *)flags, __ATOMIC_RELAXED) & flag))
        __atomic_fetch_or((uint8_t *)flags, flag, __ATOMIC_RELAXED);
}

/* Notes what a value (not NAN) of a feature in its bin is close to. */
static inline void gr_note_sight(const gr_binning *work, size_t f, uint32_t bin, int32_t key)
{
    const gr_cuts *cuts = &work->bins->cuts;
    const uint64_t at = cuts->starts[f] + bin;

    if (!work->sights)
        return;
    if (bin > 0 && gr_float_key(cuts->thresholds[at - 1]) == key)
        gr_raise(&work->sights[at - 1], 1);
    if (at < cuts->starts[f + 1] && gr_float_key(cuts->thresholds[at]) - 1 == key)
        gr_raise(&work->sights[at], 2);
}

#endif
