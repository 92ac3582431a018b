/* SPDX-License-Identifier: Apache-2.0 */
/* The results of an experiment: tables of gradus's values beside the paper's, figures, and claims
 * with whether they were confirmed. Running out of memory, and a damaged head of a file of published
 * values, are recorded and reported once, by gr_results_done. */
#ifndef GR_EXPERIMENTS_RESULTS_H
#define GR_EXPERIMENTS_RESULTS_H

#include "gradus_experiments.h"

#include "base/json.h"
#include "experiments/verdicts.h"

typedef struct gr_results gr_results;
typedef struct gr_table gr_table;
typedef struct gr_figure gr_figure;

gr_results *gr_results_new(gradus_error *err);
void gr_results_free(gr_results *results); /* NULL is accepted */
gradus_status gr_results_done(const gr_results *results, gradus_error *err);

/* Starts a table. All strings are copied. published: the file with the paper's values, whose rule
 * (verdicts.h) decides whether cells agree with them; NULL: none. Never NULL: after a
 * failure, a placeholder that is never shown. */
gr_table *gr_results_table(gr_results *results, const char *title, gr_wanted wanted,
                           const char *published, size_t digits);
void gr_table_put(gr_table *table, const char *row, const char *column, gr_found found);

gr_figure *gr_results_figure(gr_results *results, const char *title, const char *x, const char *y);
/* Adds a series. theory: a theoretical reference, drawn dashed. Non-finite values leave gaps. */
void gr_figure_add(gr_figure *figure, const char *series, bool theory, const double *x,
                   const double *y, size_t count);

/* Adds a claim of the paper, and whether this run confirms it. */
void gr_results_claim(gr_results *results, bool held, const char *claim, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* The same of a claim that one value is better than another. p: of the test of their difference; a
 * claim that holds with p of .05 or more, or NAN, is inconclusive. */
void gr_results_claim_tested(gr_results *results, bool held, double p, const char *claim,
                             const char *format, ...) __attribute__((format(printf, 5, 6)));
/* Adds a note for the reader: substituted data, guessed settings. */
void gr_results_note(gr_results *results, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

void gr_results_write(const gr_results *results, gr_json_writer *writer); /* as members of the open
                                                                             object */

#endif
