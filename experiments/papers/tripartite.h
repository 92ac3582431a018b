/* SPDX-License-Identifier: Apache-2.0 */
/* Section 6.2: MovieLens with three grades, low (1, 2, 3), middle (4) and high (5): functions
 * shared by Figures 3 and 4. */
#ifndef GR_EXPERIMENTS_PAPERS_TRIPARTITE_H
#define GR_EXPERIMENTS_PAPERS_TRIPARTITE_H

#include "experiments/papers/multipartite.h"

/* The table with the settings of both. */
#define GR_THREE "multipartite_figure3"

/* A sample: the training data, whose scores are analysed, and the data that select the round. */
typedef struct gr_tripartite {
    gradus_context *context;
    gradus_dataset *parts[2];
    size_t rows;
} gr_tripartite;

gradus_status gr_tripartite_draw(const gr_run *run, const gradus_dataset *ratings, size_t sample,
                                 gradus_context *context, gr_tripartite *t, gradus_error *err);
void gr_tripartite_end(gr_tripartite *t);

/* Scores of the training rows, minus the last threshold if `shift`; cuts: the two thresholds. */
gradus_status gr_tripartite_fit(const gr_tripartite *t, const char *words, bool shift,
                                double *scores, double cuts[2], gradus_error *err);
/* PAIRRANK with c_12 = c_23 = 1 and the given c_13, as a power of the distance between grades. */
gradus_status gr_tripartite_pairs(const gr_tripartite *t, double c13, double *scores,
                                  gradus_error *err);

/* Summarises a scatter plot by means of groups of neighbouring points. */
enum { GR_GROUPS = 40 };
typedef struct gr_cloud {
    double x[GR_GROUPS], y[GR_GROUPS], off[GR_GROUPS]; /* off: the standard deviation of y in the
                                                          group */
} gr_cloud;

gradus_status gr_cloud_of(const double *x, const double *y, size_t rows, gr_cloud *made,
                          gradus_error *err);
/* Adds the means, and bands of one standard deviation on either side. */
void gr_cloud_draw(gr_figure *figure, const char *name, const gr_cloud *dots);

#endif
