/* SPDX-License-Identifier: Apache-2.0 */
/* The values of some features in the sampled rows, feature by feature. */
#ifndef GR_DATA_BINS_PANEL_H
#define GR_DATA_BINS_PANEL_H

#include "data/bins_work.h"

typedef struct gr_panel {
    gr_binning *work;
    size_t first, end; /* its features */
    int32_t *keys;
    size_t *starts;    /* where the keys of each of its features start */
    uint32_t *counts;  /* how many there are; 0 for each row that has none */
    size_t width;      /* dense rows: features of a panel */
    uint64_t *entries; /* sparse rows: of all features, how many are before each */
    uint64_t room;     /* keys of a panel */
} gr_panel;

/* Makes room. longest: the most keys that a feature has. gr_panel_end, whether this fails or not.
 */
gradus_status gr_panel_start(gr_panel *panel, size_t *longest, gradus_error *err);
/* On to the next features, of which there are some. */
void gr_panel_next(gr_panel *panel);
void gr_panel_gather(gr_panel *panel);
void gr_panel_end(gr_panel *panel);

#endif
