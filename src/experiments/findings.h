/* SPDX-License-Identifier: Apache-2.0 */
/* What a gr_results is made of, for those who show it. */
#ifndef GR_EXPERIMENTS_FINDINGS_H
#define GR_EXPERIMENTS_FINDINGS_H

#include "experiments/results.h"

struct gr_table {
    gr_results *results; /* NULL: nobody sees it */
    char *title;
    gr_wanted wanted;
    double tolerance;
    size_t digits, count;
    gradus_cell *cells;
};

struct gr_figure {
    gr_results *results; /* NULL: nobody sees it */
    char *title, *x, *y;
    size_t count;
    gradus_series *series;
};

struct gr_results {
    bool failed;
    size_t table_count, figure_count, claim_count, note_count;
    gr_table **tables;
    gr_figure **figures;
    gradus_claim *claims;
    char **notes;
    gr_table unseen_table; /* of failures */
    gr_figure unseen_figure;
    char *json; /* all of it, once the experiment is done */
};

struct gradus_reproduction {
    gr_results *results;
};

#endif
