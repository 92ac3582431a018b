/* SPDX-License-Identifier: Apache-2.0 */
/* Ranks the documents of one query by score, best first, with a rule for ties. */
#ifndef GR_RANKING_RANK_H
#define GR_RANKING_RANK_H

#include "base/sort.h"

#include <stdbool.h>

/* Which of two documents with tied scores comes first. */
typedef enum gr_ties {
    GR_TIES_INPUT,       /* the earlier one in the data */
    GR_TIES_DOCNO,       /* the one whose name is later in byte order, as in trec_eval */
    GR_TIES_PESSIMISTIC, /* the one with the lower label */
    GR_TIES_OPTIMISTIC,  /* the one with the higher label */
    GR_TIES_EXPECTED     /* neither: metrics average over all orders */
} gr_ties;

/* The documents of one query, in the order of the data. */
typedef struct gr_candidates {
    size_t count;
    const double *scores;
    const double *labels;
    const char *name_bytes;      /* the name of document i is name_bytes + name_starts[i] */
    const uint64_t *name_starts; /* NULL: no names; GR_TIES_DOCNO then uses the input order */
} gr_candidates;

/* Buffers for ranking lists of up to `capacity` documents. */
typedef struct gr_rank_space {
    size_t capacity;
    double *keys;
    size_t *places;
    gr_keyed *scratch;
} gr_rank_space;

bool gr_rank_space_reserve(gr_rank_space *space, size_t capacity); /* false: out of memory */
void gr_rank_space_free(gr_rank_space *space);

/* order[i]: the document at position i. Tie group g has positions ends[g - 1] (0 for the first
 * group) to ends[g] - 1; returns the number of groups. Each group has one document, except with
 * GR_TIES_EXPECTED, where tied documents form one group, in descending order of labels. Remaining
 * ties are broken by the order of the data. */
size_t gr_rank(const gr_candidates *candidates, gr_ties ties, size_t *order, size_t *ends,
               gr_rank_space *space);

#endif
