/* SPDX-License-Identifier: Apache-2.0 */
/* Features cut into bins: what the tree engine reads instead of values.
 *
 * Feature f has thresholds t_0 < t_1 < ...; the bin of a value v is the number of thresholds that
 * are not above it, so that "bin <= b" is "v < t_b". A missing value (NAN) has the bin after the
 * last, of features where training rows miss values. No training value equals a threshold wherever
 * two neighbouring values leave room for a float between them; else the threshold is the upper one.
 *
 * Dense features are stored eight to a 64-bit word (four if bins have 16 bits): block b holds one
 * word a row, lowest column lowest, so that one load gives eight bins and the histogram of a
 * block stays in the first-level cache. Blocks stand in groups of up to four, whose words of a row
 * lie side by side: to pick a row costs one cache line for 32 features. Features that are in their
 * usual bins (the bin of most rows) together, as those of a part that many documents do not have,
 * come into groups of their own, whose rows of usual bins only can be left out of histograms.
 * Features with one bin in more than four of five rows are sparse: only their other entries are
 * stored, by row. */
#ifndef GR_DATA_BINS_H
#define GR_DATA_BINS_H

#include "base/param.h"
#include "data/dataset.h"

typedef enum gr_bin_scheme {
    GR_BINS_QUANTILE, /* about as many rows in each; every distinct value its own if there is room
                       */
    GR_BINS_ADAPTIVE, /* equal lengths where there are data (McRank, appendix I) */
} gr_bin_scheme;

typedef struct gr_bin_options {
    int scheme;
    uint64_t bins;   /* at most, missing values aside; above 255 bins have 16 bits */
    uint64_t sample; /* rows that thresholds are taken from; 0: all */
    uint64_t seed;
} gr_bin_options;

extern const gr_param gr_bin_params[]; /* "binning", "bins", "bin-sample" */

typedef struct gr_cuts {
    size_t features;
    uint64_t *starts;  /* features + 1: where the thresholds of a feature start */
    float *thresholds; /* ascending within a feature */
    bool *missing;     /* one a feature: whether training rows miss values of it */
} gr_cuts;

static inline size_t gr_cuts_bins(const gr_cuts *cuts, size_t f)
{
    return (size_t)(cuts->starts[f + 1] - cuts->starts[f]) + 1 + cuts->missing[f];
}

/* Sparse features that share one list of entries a row. Slots are (feature, bin) pairs that are not
 * the usual bin of the feature, numbered from 0 within the slice. */
typedef struct gr_slice {
    size_t first, end;    /* the sparse features, as positions in gr_bins.sparse */
    size_t slots;         /* at most 65536 */
    uint64_t *row_starts; /* rows + 1 */
    uint16_t *entries;    /* slots, ascending in a row */
    uint8_t patch;        /* not 0: the bit of gr_bins.patches of rows that have entries */
} gr_slice;

typedef struct gr_sparse_feature {
    uint32_t feature;
    uint32_t usual; /* the bin of the rows without an entry */
    uint32_t slot;  /* of bin 0 in its slice; the usual bin has a slot too, which stays empty */
} gr_sparse_feature;

enum { GR_GROUP_BLOCKS = 4, GR_MOST_PATCHY = 8 }; /* bits of a patch */

typedef struct gr_group {
    size_t first, end; /* blocks */
    uint8_t patch;     /* not 0: the group is patchy, and this the bit of gr_bins.patches that a row
                          has if some feature of the group is not in its usual bin */
} gr_group;

typedef struct gr_bins {
    size_t rows, features;
    gr_cuts cuts;
    unsigned width;    /* bits of a dense bin: 8 or 16 */
    size_t dense;      /* dense features */
    size_t blocks;     /* of 64 / width columns each */
    uint32_t *columns; /* the feature of each dense column */
    uint32_t *usual;   /* the usual bin of each dense column */
    size_t groups;
    gr_group *group;    /* patchy ones first */
    uint32_t *group_of; /* of each block */
    gr_array words;     /* uint64_t, blocks * rows: see gr_block_words */
    gr_array patches;   /* uint8_t, one a row, and GR_PATCH_PAD; empty if no bit is used */
    size_t sparses;     /* sparse features */
    gr_sparse_feature *sparse;
    size_t slices;
    gr_slice *slice;
    uint32_t *place; /* of each feature: its dense column, or ~position in sparse; features with
                        one bin only have GR_NO_PLACE and are never split on */
    struct gr_shared_bins *shared; /* whose memory it is; NULL: its own */
} gr_bins;

enum { GR_PATCH_PAD = 3 }; /* bytes that a vector may read after the last */

#define GR_NO_PLACE 0x7fffffffu

/* Thresholds from the rows of data, and its bins. data is dense or sparse. */
gradus_status gr_bins_new(const gradus_dataset *data, const gr_bin_options *options,
                          const gradus_context *context, gr_bins *bins, gradus_error *err);
void gr_bins_free(gr_bins *bins);

/* Bins that trainings side by side share. While a context has one, gr_bins_new on one of these sets
 * gives bins that were made before with the same options, if there are; any thread may ask. The
 * sets must outlive it, and all bins must be freed before it is. */
typedef struct gr_bin_share gr_bin_share;
gr_bin_share *gr_bin_share_new(const gradus_dataset *const *sets, size_t count, gradus_error *err);
void gr_bin_share_free(gr_bin_share *share); /* NULL is accepted */
/* How often bins were made, and how often they were there already. */
void gr_bin_share_counts(gr_bin_share *share, size_t *made, size_t *found);

static inline size_t gr_bins_in_word(const gr_bins *bins)
{
    return 64 / bins->width;
}

/* The words of block b: that of row r is at [r * gr_block_stride(bins, b)]. */
static inline uint64_t *gr_block_words(const gr_bins *bins, size_t b)
{
    const size_t first = bins->group[bins->group_of[b]].first;

    return (uint64_t *)bins->words.at + first * bins->rows + (b - first);
}

static inline size_t gr_block_stride(const gr_bins *bins, size_t b)
{
    const gr_group *group = &bins->group[bins->group_of[b]];

    return group->end - group->first;
}

/* The bin of a dense column in a row. */
static inline uint32_t gr_dense_bin(const gr_bins *bins, size_t column, size_t r)
{
    const size_t each = gr_bins_in_word(bins);
    const size_t b = column / each;
    const uint64_t word = gr_block_words(bins, b)[r * gr_block_stride(bins, b)];

    return (uint32_t)(word >> (column % each * bins->width)) & ((1u << bins->width) - 1u);
}

/* Puts dense columns, whose number, features and usual bins are known, into groups: the first
 * blocks into patchy ones of so many blocks each, `patchy` of them, the others four by four. */
gradus_status gr_bins_group(gr_bins *bins, const size_t *blocks, size_t patchy, gradus_error *err);
/* Gives the bits that are left to slices in which many rows have no entries, and fills patches. */
gradus_status gr_bins_patch(gr_bins *bins, gr_pool *pool, gradus_error *err);

/* The bin of any feature in a row; for tests and rare uses. */
uint32_t gr_bin_at(const gr_bins *bins, size_t feature, size_t r);

#endif
