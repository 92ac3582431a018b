/* SPDX-License-Identifier: Apache-2.0 */
/* Functions shared by the experiments on combined regression and ranking (CRR): two classes,
 * logistic loss, a coarse grid of lambda. */
#ifndef GR_EXPERIMENTS_PAPERS_PAPER_CRR_H
#define GR_EXPERIMENTS_PAPERS_PAPER_CRR_H

#include "experiments/experiment.h"

enum { GR_CRR_REGRESSION, GR_CRR_RANKING, GR_CRR_BOTH, GR_CRR_METHODS };
extern const char *const gr_crr_names[GR_CRR_METHODS];
extern const double gr_crr_alphas[GR_CRR_METHODS]; /* alpha: the fraction of steps on single rows */

/* Measures of outputs that are log-odds, for labels 0 and 1. */
typedef struct gr_crr_values {
    double auc_loss; /* fraction of pairs in the wrong order */
    double mse;      /* of the probabilities */
    double accuracy; /* accuracy at the best threshold */
} gr_crr_values;

/* Rows with label 1 count as `weight` rows each (this does not affect AUC). */
gradus_status gr_crr_measure(const double *outputs, const float *labels, size_t rows, double weight,
                             gr_crr_values *values, gradus_error *err);

/* Trains a model with options of "train"; its scores are its outputs. */
gradus_model *gr_crr_train(gradus_context *context, const gradus_dataset *train, const char *words,
                           gradus_error *err);
/* The same with a seed, and options of the step rule that replace the paper's. */
gradus_model *gr_crr_train_seeded(gradus_context *context, const gradus_dataset *train,
                                  const char *words, const char *rule, uint64_t seed,
                                  gradus_error *err);
/* Scores the rows; the caller frees the result. */
double *gr_crr_scores(gradus_context *context, const gradus_model *model,
                      const gradus_dataset *data, gradus_error *err);

/* How lambda is selected; "both" uses the sum of the two measures, each divided by its minimum. */
enum { GR_CRR_BY_AUC, GR_CRR_BY_MSE, GR_CRR_BY_BOTH, GR_CRR_WAYS };
extern const char *const gr_crr_ways[GR_CRR_WAYS]; /* names */

/* Selects lambda by models trained on `most` and evaluated on `rest`; the results reported are for
 * models trained on `all` and evaluated on `test`, for each lambda that is best by one of the
 * criteria. */
typedef struct gr_crr_task {
    const gradus_dataset *most, *rest, *all, *test; /* labels 0 and 1; all may equal most */
    double weight;                                  /* weight of the positive rows of test */
    size_t steps;
    uint64_t seed;
    const char *rule;  /* options of the step rule; "" or NULL: the paper's */
    const char *table; /* has the values of lambda */
} gr_crr_task;

/* Writes an object of lists, one item per lambda, as the member `name`. */
gradus_status gr_crr_try(gradus_context *context, const gr_crr_task *task, double alpha,
                         const char *name, gr_json_writer *writer, gradus_error *err);
/* Gets the results of the lambda that is best on `rest` by a criterion; returns its index.
 * SIZE_MAX: the object is malformed. */
size_t gr_crr_pick(const gr_json *tried, int way, gr_crr_values *values);

/* Selected rows as a dataset of one query; labels from `low` to `high` become 1, others
 * 0. */
gradus_dataset *gr_crr_rows(const gradus_dataset *from, const size_t *rows, size_t count,
                            size_t low, size_t high, gradus_error *err);
/* The same rows as one query, without copying them: `from` and starts must outlive the result. */
gradus_dataset *gr_crr_flatten(const gradus_dataset *from, uint64_t starts[2], gradus_error *err);

/* The p-value of a paired test of b - a; NAN if there is none. */
gradus_status gr_crr_test(const gr_run *run, double *a, double *b, size_t count, const char *test,
                          gradus_contrast *contrast, gradus_error *err);

/* crr_words.c */
enum { GR_CRR_GROUPS = 20 }; /* topics */
/* Texts of the topics 1 to GR_CRR_GROUPS in turn, which are the labels. */
gradus_dataset *gr_crr_make_texts(const gr_run *run, const char *purpose, size_t count,
                                  gradus_error *err);

#endif
