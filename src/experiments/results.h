/* SPDX-License-Identifier: Apache-2.0 */
/* What an experiment found: tables of ours beside the paper's, figures, and claims that held or did
 * not. What fails for want of memory is remembered, and said once by gr_results_done. */
#ifndef GR_EXPERIMENTS_RESULTS_H
#define GR_EXPERIMENTS_RESULTS_H

#include "gradus_experiments.h"

#include "base/json.h"

typedef enum gr_wanted { GR_WANT_NEAR, GR_WANT_HIGHER, GR_WANT_LOWER } gr_wanted;

typedef struct gr_results gr_results;
typedef struct gr_table gr_table;
typedef struct gr_figure gr_figure;

gr_results *gr_results_new(gradus_error *err);
void gr_results_free(gr_results *results); /* NULL is accepted */
gradus_status gr_results_done(const gr_results *results, gradus_error *err);

/* All texts are copied. A cell agrees with the paper's if it is nearer than `tolerance` or two
 * standard errors; else it is better or differs. Never NULL (of failures a table nobody sees). */
gr_table *gr_results_table(gr_results *results, const char *title, gr_wanted wanted,
                           double tolerance, size_t digits);
typedef struct gr_found {
    double ours;
    double error; /* standard error; 0: not known */
    double paper; /* 0: the paper has none */
    double p;     /* 0: no test was made; below 1e-300 is kept as that */
} gr_found;
void gr_table_put(gr_table *table, const char *row, const char *column, gr_found found);

gr_figure *gr_results_figure(gr_results *results, const char *title, const char *x, const char *y);
/* theory: what ours are held against, drawn dashed. Values that are not finite leave gaps. */
void gr_figure_add(gr_figure *figure, const char *series, bool theory, const double *x,
                   const double *y, size_t count);

/* A finding of the paper, and whether it held here. */
void gr_results_claim(gr_results *results, bool held, const char *claim, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Something a reader must know: what stands in for what, what was guessed. */
void gr_results_note(gr_results *results, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

void gr_results_write(const gr_results *results, gr_json_writer *writer); /* as members */

#endif
