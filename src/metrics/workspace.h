/* SPDX-License-Identifier: Apache-2.0 */
/* Per-thread scratch memory for ranked lists (gr_workspace), and the ranking of one list into
 * it. */
#ifndef GR_METRICS_WORKSPACE_H
#define GR_METRICS_WORKSPACE_H

#include "base/memory.h"
#include "metrics/evaluate.h"
#include "metrics/pairs.h"

typedef struct gr_workspace {
    gr_rank_space rank;
    gr_level_space level_space;
    gr_levels levels;
    double *labels, *scores, *weights, *ideal, *ranked_labels, *ranked_scores, *work;
    uint64_t *names;
    size_t *order, *ends, *rows;
    bool *judged;
    bool ready;
    gr_arena arena; /* owns the arrays */
} gr_workspace;

/* What the requested metrics require to be computed for each list. */
typedef struct gr_needs {
    bool order, levels;
    bool condensed; /* remove unjudged documents */
    size_t top;     /* only these ranks, and all documents tied with the last of them; 0: all */
} gr_needs;

/* Allocates buffers for lists of up to `longest` documents or judgements, on the first call; false
 * if memory is exhausted. */
bool gr_workspace_make(gr_workspace *workspace, size_t longest);
void gr_workspace_free(gr_workspace *workspace);

/* Ranks list q; the result is valid until the next call. With needs.top, `count` and `ideal` are those of
 * the whole list, and only the documents of the groups have labels and scores. */
gr_ranked gr_workspace_rank(gr_workspace *workspace, const gr_lists *lists, size_t q,
                            gr_needs needs, const gr_settings *settings);

#endif
