/* SPDX-License-Identifier: Apache-2.0 */
/* One thread's memory for lists, and a list made ready in it for the metrics. */
#ifndef GR_METRICS_DESK_H
#define GR_METRICS_DESK_H

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

/* What the metrics of an evaluation need to be made ready. */
typedef struct gr_needs {
    bool order, levels;
    bool condensed; /* documents that were not judged are taken out */
} gr_needs;

/* Makes room for lists of up to `longest` documents or judgements, the first time; false if there
 * is no memory. */
bool gr_desk_make(gr_desk *desk, size_t longest);
void gr_desk_free(gr_desk *desk);

/* List q, ranked; valid until the next. */
gr_ranked gr_desk_rank(gr_desk *desk, const gr_lists *lists, size_t q, gr_needs needs,
                       const gr_settings *settings);

#endif
