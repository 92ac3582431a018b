/* SPDX-License-Identifier: Apache-2.0 */
/* Binned features, which the tree engine reads instead of values.
 *
 * Feature f has thresholds t_0 < t_1 < ...; the bin of a value v is the number of thresholds <= v,
 * so that "bin <= b" means "v < t_b". Missing values (NAN) have an extra bin after the last, in
 * features with missing training values. A threshold is strictly between two neighbouring training
 * values if there is a float between them; otherwise it equals the upper one.
 *
 * Dense features are packed eight to a 64-bit word (four if bins have 16 bits). Block b holds one
 * word per row, with the lowest column in the lowest bits, so that one load gives eight bins and
 * the histogram of a block fits in the L1 cache. Up to four blocks form a group, in which the words
 * of a row are adjacent: fetching a row costs one cache line per 32 features.
 *
 * The default bin of a feature is its most frequent one. Features that are in their default bins in
 * the same rows, such as all anchor-text features of documents without anchors, are put into
 * separate groups, called masked. Each row has a mask (gr_bins.row_masks) with one bit per masked
 * group, set if some feature of the group is outside its default bin; histograms of the group skip
 * the other rows.
 *
 * Features with more than four fifths of the rows in one bin are sparse. They are bundled into
 * bundles, which store, by row, only the bins other than the default_bin one. */
#ifndef GR_BINS_BINS_H
#define GR_BINS_BINS_H

#include "base/param.h"
#include "data/dataset.h"

typedef enum gr_bin_scheme {
    GR_BINS_QUANTILE, /* about equally many rows per bin; one bin per value if that suffices */
    GR_BINS_ADAPTIVE, /* equal widths where there are data (McRank, appendix I) */
} gr_bin_scheme;

typedef struct gr_bin_options {
    int scheme;
    uint64_t bins;   /* maximum, not counting the missing bin; above 255 bins have 16 bits */
    uint64_t sample; /* rows that thresholds are computed from; 0: all */
    uint64_t seed;
} gr_bin_options;

extern const gr_param gr_bin_params[]; /* "binning", "bins", "bin-sample" */
extern const gr_option_block gr_bin_option_block;

typedef struct gr_cuts {
    size_t features;
    uint64_t *starts;  /* features + 1: start of each feature's thresholds */
    float *thresholds; /* ascending within a feature */
    bool *missing;     /* one per feature: whether training rows miss values of it */
} gr_cuts;

static inline size_t gr_cuts_bins(const gr_cuts *cuts, size_t f)
{
    return (size_t)(cuts->starts[f + 1] - cuts->starts[f]) + 1 + cuts->missing[f];
}

/* A bundle of sparse features with one list of entries per row. A code is a (feature, bin) pair;
 * codes are numbered from 0 within the bundle, and an entry is the code of a bin other than the
 * feature's default bin. */
typedef struct gr_bundle {
    size_t first, end;    /* its features: positions in gr_bins.sparse */
    size_t codes;         /* maximum 65536 */
    uint64_t *row_starts; /* rows + 1 */
    uint16_t *entries;    /* codes, ascending within a row */
    uint8_t mask_bit;     /* bit in gr_bins.row_masks, set for rows with entries; 0: none */
} gr_bundle;

typedef struct gr_sparse_feature {
    uint32_t feature;
    uint32_t default_bin; /* the bin of rows without an entry */
    uint32_t code;        /* code of its bin 0; the default bin has a code too, which is unused */
} gr_sparse_feature;

enum { GR_GROUP_BLOCKS = 4, GR_MAX_MASKED = 8 }; /* bits per row mask */

typedef struct gr_group {
    size_t first, end; /* blocks */
    uint8_t mask_bit;  /* not 0: the group is masked, and this is its bit in gr_bins.row_masks, set
                          for rows with a feature of the group outside its default bin */
} gr_group;

typedef struct gr_bins {
    size_t rows, features;
    gr_cuts cuts;
    unsigned width;        /* bits per dense bin: 8 or 16 */
    size_t dense;          /* dense features */
    size_t blocks;         /* of 64 / width columns */
    uint32_t *columns;     /* the feature of each dense column */
    uint32_t *default_bin; /* the default bin of each dense column */
    size_t groups;
    gr_group *group;    /* masked groups first */
    uint32_t *group_of; /* the group of each block */
    gr_array words;     /* uint64_t, blocks * rows: see gr_block_words */
    gr_array row_masks; /* uint8_t, one row mask per row plus GR_ROW_MASK_PAD; empty if unused */
    size_t sparses;     /* sparse features */
    gr_sparse_feature *sparse;
    size_t bundles;
    gr_bundle *bundle;
    uint32_t *place; /* per feature: its dense column, or ~position in sparse; features with only
                        one bin have GR_NO_PLACE and are never split on */
    const gr_share *share;         /* the rows are those of one process; NULL: of the only one */
    struct gr_cached_bins *shared; /* cache entry that owns the memory; NULL: not shared */
    bool attached;                 /* the dataset owns the memory (bins/attached.h) */
    bool mapped;                   /* words, row starts and entries are in a mapped file */
    /* Some rows of other bins, which own all but bundle and row_masks; and the rows of those that
     * are not in the view. */
    bool is_view;
    size_t rows_before, rows_after;
} gr_bins;

enum { GR_ROW_MASK_PAD = 3 }; /* bytes that vector code may read past the end */

#define GR_NO_PLACE 0x7fffffffu

/* Computes thresholds from the rows of data, and bins the rows. data may be dense or sparse. */
gradus_status gr_bins_new(const gradus_dataset *data, const gr_bin_options *options,
                          const gradus_context *context, gr_bins *bins, gradus_error *err);
void gr_bins_free(gr_bins *bins);

/* A cache of bins for concurrent trainings. While a context has one, gr_bins_new on one of its sets
 * returns the bins made earlier with the same options, if any. Thread-safe. The sets must outlive
 * the cache, and all bins must be freed before it. */
typedef struct gr_bin_cache gr_bin_cache;

/* bins_cache.c */
gr_bin_cache *gr_bin_cache_new(const gradus_dataset *const *sets, size_t count, gradus_error *err);
void gr_bin_cache_free(gr_bin_cache *cache); /* NULL is accepted */
/* How often bins were computed, and how often they were found in the cache. */
void gr_bin_cache_counts(gr_bin_cache *cache, size_t *made, size_t *found);

static inline size_t gr_bins_in_word(const gr_bins *bins)
{
    return 64 / bins->width;
}

/* The words of block b; the word of row r is at index r * gr_block_stride(bins, b). */
static inline uint64_t *gr_block_words(const gr_bins *bins, size_t b)
{
    const gr_group *group = &bins->group[bins->group_of[b]];
    const size_t rows = bins->rows_before + bins->rows + bins->rows_after;

    return (uint64_t *)bins->words.at + group->first * rows +
           bins->rows_before * (group->end - group->first) + (b - group->first);
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

/* bins_groups.c */
/* Divides the blocks of dense columns into groups: first `masked` masked groups, group g with
 * blocks[g] blocks, then groups of four blocks. bins must have its dense columns and default
 * bins. */
gradus_status gr_bins_group(gr_bins *bins, const size_t *blocks, size_t masked, gradus_error *err);
/* Assigns the remaining mask bits to bundles in which at least half of the rows have no entries,
 * and fills gr_bins.row_masks. */
gradus_status gr_bins_mask_rows(gr_bins *bins, gr_pool *pool, gradus_error *err);

/* bins.c */
/* The bin of any feature in a row. Slow: for tests and rare uses. */
uint32_t gr_bin_at(const gr_bins *bins, size_t feature, size_t r);

#endif
