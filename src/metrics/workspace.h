/* SPDX-License-Identifier: Apache-2.0 */
/* Per-thread scratch memory for ranked lists (gr_desk), and the ranking of one list into it. */
#ifndef GR_METRICS_WORKSPACE_H
#define GR_METRICS_WORKSPACE_H

#include "metrics/evaluate.h"
#include "metrics/pairs.h"

typedef struct gr_desk {
    gr_rank_space rank;
    gr_level_space level_space;
    gr_levels levels;
    double *labels, *scores, *weights, *ideal, *ranked_labels, *ranked_scores, *work;
    uint64_t *names;
    size_t *order, *ends, *rows;
    bool *judged;
    bool ready;
} gr_desk;

/* What the requested metrics require to be computed for each list. */
typedef struct gr_needs {
    bool order, levels;
    bool condensed; /* remove unjudged documents */
} gr_needs;

/* Allocates buffers for lists of up to `longest` documents or judgements, on the first call; false
 * if memory is exhausted. */
bool gr_desk_make(gr_desk *desk, size_t longest);
void gr_desk_free(gr_desk *desk);

/* Ranks list q; the result is valid until the next call. */
gr_ranked gr_desk_rank(gr_desk *desk, const gr_lists *lists, size_t q, gr_needs needs,
                       const gr_settings *settings);

#endif
