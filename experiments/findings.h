/* SPDX-License-Identifier: Apache-2.0 */
/* The contents of gr_results, for code that prints or serialises them. */
#ifndef GR_EXPERIMENTS_FINDINGS_H
#define GR_EXPERIMENTS_FINDINGS_H

#include "experiments/results.h"

struct gr_table {
    gr_results *results; /* NULL: a placeholder after a failure */
    char *title;
    gr_wanted wanted;
    gr_rule rule;
    char criterion[GR_CRITERION_SIZE]; /* the rule as a sentence; "": nothing is published */
    size_t digits, count;
    gradus_cell *cells;
};

struct gr_figure {
    gr_results *results; /* NULL: a placeholder after a failure */
    char *title, *x, *y;
    size_t count;
    gradus_series *series;
};

struct gr_results {
    bool failed;
    bool trial;         /* a scaled-down run: every verdict is inconclusive */
    gradus_error fault; /* of the first damaged file of published values */
    size_t table_count, figure_count, claim_count, note_count;
    gr_table **tables;
    gr_figure **figures;
    gradus_claim *claims;
    char **notes;
    gr_table unseen_table; /* placeholders returned after failures */
    gr_figure unseen_figure;
    char *json; /* the JSON text, set when the experiment is done */
};

struct gradus_reproduction {
    gr_results *results;
};

#endif
