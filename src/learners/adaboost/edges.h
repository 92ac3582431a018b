/* SPDX-License-Identifier: Apache-2.0 */
/* Histograms of signed weights over binned rows, and the cut with the largest edge. Weights are
 * integers, so that sums are exact: they do not depend on the order of rows, on the number of
 * threads, or on which of two siblings was counted. Parallel over features. */
#ifndef GR_LEARNERS_ADABOOST_EDGES_H
#define GR_LEARNERS_ADABOOST_EDGES_H

#include "kernels/adaboost_cut.h"
#include "learners/tree/tree.h"

/* The features that one task counts. */
typedef struct gr_edge_piece {
    bool sparse;
    size_t block;      /* block of dense columns, or bundle of sparse ones */
    unsigned shift;    /* 0 or 32: which half of the block's words (8-bit bins) */
    size_t first, end; /* dense columns, or positions in gr_bins.sparse */
} gr_edge_piece;

/* A cut of the rows by a threshold on a feature. */
typedef struct gr_cut {
    int64_t edge; /* -1: no cut */
    uint32_t feature, bin;
    bool missing_left;
} gr_cut;

typedef struct gr_edges {
    const gr_bins *bins;
    gr_pool *pool;
    size_t labels, groups; /* groups: vectors of four labels */
    size_t *starts;        /* per feature: its first vector in a histogram */
    size_t *piece_starts;  /* per piece, likewise */
    size_t vectors;        /* per group in a histogram */
    size_t pieces;
    gr_edge_piece *piece;
    gr_cut *found;    /* (2, pieces): best cuts of the counted rows and of their sibling */
    int64_t *picked;  /* weight vectors of the rows to count, gathered in row order */
    int64_t *partial; /* weight sums of chunks of rows */
    size_t partial_room;
    gr_arena arena; /* owns the arrays, but picked */
} gr_edges;

gradus_status gr_edges_start(gr_edges *edges, const gr_bins *bins, size_t labels, gr_pool *pool,
                             gradus_error *err);
void gr_edges_free(gr_edges *edges);

/* Allocates aligned vectors of four numbers; NULL if out of memory. Free with free(). */
int64_t *gr_edge_vectors(size_t count);
/* The number of vectors in a histogram. */
static inline size_t gr_edges_size(const gr_edges *edges)
{
    return edges->vectors * edges->groups;
}

/* What gr_edges_count reads and fills. */
typedef struct gr_edge_count {
    const int64_t *weights; /* (groups, rows of the data, 4): signed */
    const uint32_t *rows;   /* to count; NULL: all */
    size_t count;
    bool opposed;            /* the two sides of a cut vote oppositely (kernels/adaboost_cut.h) */
    int64_t *histogram;      /* output, aligned to 32 bytes; NULL: no cuts, only totals */
    int64_t *sibling;        /* in: the parent's histogram, out: the sibling's; NULL: no sibling */
    int64_t *totals;         /* output, (groups, 4), aligned */
    int64_t *sibling_totals; /* in: the parent's, out: the sibling's; NULL: no sibling */
} gr_edge_count;

/* Counts the rows and finds the best cuts, of the rows in best[0] and of the sibling in best[1]. */
void gr_edges_count(gr_edges *edges, const gr_edge_count *count, gr_cut best[2]);

/* Whether a row goes to the left of a cut. */
static inline bool gr_cut_is_left(const gr_bins *bins, const gr_cut *cut, size_t r)
{
    const uint32_t place = bins->place[cut->feature];
    const size_t thresholds =
        (size_t)(bins->cuts.starts[cut->feature + 1] - bins->cuts.starts[cut->feature]);
    const uint32_t bin =
        place < GR_NO_PLACE ? gr_dense_bin(bins, place, r) : gr_bin_at(bins, cut->feature, r);

    return bin > thresholds ? cut->missing_left : bin <= cut->bin;
}

/* A cut of a dense column, prepared for testing many rows. */
typedef struct gr_cut_side {
    const uint64_t *words; /* NULL: the column is sparse */
    size_t stride;
    unsigned shift;
    uint32_t mask, last;
    uint32_t missing; /* the bin of missing values if they go left; else no valid bin */
} gr_cut_side;

gr_cut_side gr_cut_side_of(const gr_bins *bins, const gr_cut *cut);
static inline bool gr_side_is_left(const gr_cut_side *side, size_t r)
{
    const uint32_t bin = (uint32_t)(side->words[r * side->stride] >> side->shift) & side->mask;

    return (bin <= side->last) | (bin == side->missing);
}

/* The cut as a split, with leaves 0 and 1 as children and no gain. */
gr_split gr_cut_split(const gr_bins *bins, const gr_cut *cut);

/* The sum over labels of |total|: the edge if each label votes by the sign of its total. */
int64_t gr_edge_of(const gr_edges *edges, const int64_t *totals);

#endif
