/* SPDX-License-Identifier: Apache-2.0 */
/* Scores to an order of one query's documents, best first, with a rule for equal scores. */
#ifndef GR_RANKING_RANK_H
#define GR_RANKING_RANK_H

#include "base/sort.h"

#include <stdbool.h>

/* Which of two documents with equal scores comes first. */
typedef enum gr_ties {
    GR_TIES_INPUT,       /* the one that came first in the data */
    GR_TIES_DOCNO,       /* the one whose name is the later in the order of bytes, as trec_eval */
    GR_TIES_PESSIMISTIC, /* the one with the lower label */
    GR_TIES_OPTIMISTIC,  /* the one with the higher label */
    GR_TIES_EXPECTED     /* none: metrics take the mean over all orders */
} gr_ties;

/* One query's documents, in the order of the data. */
typedef struct gr_candidates {
    size_t count;
    const double *scores;
    const double *labels;
    const char *name_bytes;      /* document i is called name_bytes + name_starts[i] */
    const uint64_t *name_starts; /* NULL: documents have no names, and docno is the input order */
} gr_candidates;

/* Memory for ranking lists of up to `capacity` documents. */
typedef struct gr_rank_space {
    size_t capacity;
    double *keys;
    size_t *places;
    gr_keyed *scratch;
} gr_rank_space;

bool gr_rank_space_reserve(gr_rank_space *space, size_t capacity); /* false: no memory */
void gr_rank_space_free(gr_rank_space *space);

/* order[i] = the document at place i. Documents of tie group g are at the places from ends[g - 1]
 * (0 for the first) to ends[g] - 1; returns how many groups there are. Groups have one document
 * each unless ties is GR_TIES_EXPECTED, when documents of equal scores share one and stand in
 * descending order of labels. Whatever the rule leaves open is settled by the order of the data. */
size_t gr_rank(const gr_candidates *candidates, gr_ties ties, size_t *order, size_t *ends,
               gr_rank_space *space);

#endif
