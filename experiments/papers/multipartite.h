/* SPDX-License-Identifier: Apache-2.0 */
/* Functions shared by the experiments of Uematsu and Lee, "Statistical optimality in multipartite
 * ranking and ordinal regression" (2015). Grades are 1, 2, ...; c_ji is the cost of ranking grade i
 * below grade j < i. */
#ifndef GR_EXPERIMENTS_PAPERS_MULTIPARTITE_H
#define GR_EXPERIMENTS_PAPERS_MULTIPARTITE_H

#include "experiments/experiment.h"

/* Settings of boosting, in experiments/data/multipartite_*.tsv, are as in the paper: univariate
 * Gaussians with sigma^2 = 0.5, centred at observed values, learning rate 1. The round is selected on
 * validation data; the paper does not state the criterion. */

/* Fails if no data folder was given: the experiment needs one with `what`. */
gradus_status gr_multipartite_needs(const gr_run *run, const char *what, gradus_error *err);

/* Reads the MovieLens ratings and adds a note on their preparation. */
gradus_dataset *gr_multipartite_ratings(const gr_run *run, gradus_error *err);

#define GR_MOVIELENS(name_, summary_, takes_, run_)                                                \
    {                                                                                              \
        .about = { name_, summary_,                                                                \
                   "Section 6.2: ratings of MovieLens 100K by boosted Gaussians of 44 "            \
                   "predictors." },                                                                \
        .family = "multipartite-movielens", .needs = "movielens-100k", .takes = takes_,            \
        .run = run_                                                                                \
    }

/* Trains with options of "train" as text. valid NULL: none. */
gradus_model *gr_multipartite_train(gradus_context *context, const char *words,
                                    const gradus_dataset *train, const gradus_dataset *valid,
                                    gradus_error *err);
/* The model's thresholds minus the last one, which the paper sets to 0; *last: that one. A single 0
 * for models without thresholds. */
void gr_multipartite_cuts(const gradus_model *model, double *cuts, double *last);

/* Theoretical scores (sections 4 and 6.1), with theta_2 = 0 and three grades. ratio: f0* = (p_2 +
 * p_3) / (p_1 + p_2). */
double gr_theory_propodds(double ratio, double theta);

/* Mean and standard deviation of `count` numbers, `stride` apart. */
double gr_mean_of(const double *numbers, size_t count, size_t stride);
double gr_deviation_of(const double *numbers, size_t count, size_t stride);
double gr_correlation_of(const double *x, const double *y, size_t count);
/* The fraction of pairs that x and y order differently; ties count as the same. weights: of each
 * item; NULL: all 1. */
double gr_discordance_of(const double *x, const double *y, const double *weights, size_t count);

/* Runs jobs whose results are lists of numbers, each recorded in the journal under its key; jobs
 * already there are not run again. name writes the key of a job; run fills `count` numbers.
 * numbers: jobs x count. */
typedef struct gr_number_jobs {
    gr_run *run;
    void *argument;
    size_t jobs, count;
    void (*name)(const void *argument, size_t job, char *key, size_t size);
    gradus_status (*work)(void *argument, size_t job, gradus_context *context, double *numbers,
                          gradus_error *err);
} gr_number_jobs;
gradus_status gr_number_jobs_run(const gr_number_jobs *jobs, double **numbers, gradus_error *err);

#endif
