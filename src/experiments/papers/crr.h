/* SPDX-License-Identifier: Apache-2.0 */
/* What the experiments of combined regression and ranking share: two classes, logistic loss, a
 * coarse grid of lambda. */
#ifndef GR_EXPERIMENTS_PAPERS_CRR_H
#define GR_EXPERIMENTS_PAPERS_CRR_H

#include "data/dataset.h"
#include "experiments/experiment.h"

enum { GR_CRR_REGRESSION, GR_CRR_RANKING, GR_CRR_BOTH, GR_CRR_METHODS };
extern const char *const gr_crr_names[GR_CRR_METHODS];
extern const double gr_crr_alphas[GR_CRR_METHODS]; /* share of single rows */

/* Of outputs that are logarithms of odds, and labels 0 and 1. */
typedef struct gr_crr_values {
    double auc_loss; /* share of pairs in the wrong order */
    double mse;      /* of probabilities */
    double accuracy; /* of the best threshold */
} gr_crr_values;

/* Rows of label 1 count as `weight` rows each (but for AUC, which does not depend on it). */
gradus_status gr_crr_measure(const double *outputs, const float *labels, size_t rows, double weight,
                             gr_crr_values *values, gradus_error *err);

/* A model by options of "train", whose scores are its outputs. */
gradus_model *gr_crr_train(gradus_context *context, const gradus_dataset *train, const char *words,
                           gradus_error *err);
/* Scores of the rows; end with free(). */
double *gr_crr_scores(gradus_context *context, const gradus_model *model,
                      const gradus_dataset *data, gradus_error *err);

/* What lambda is chosen by: by both is by the sum of the two, each relative to its least. */
enum { GR_CRR_BY_AUC, GR_CRR_BY_MSE, GR_CRR_BY_BOTH, GR_CRR_WAYS };
extern const char *const gr_crr_ways[GR_CRR_WAYS]; /* in words */

/* Lambda is chosen by models of `most` on `rest`; figures are those of models of `all` on `test`.
 * Those of the lambdas that are best in one of the ways are kept. */
typedef struct gr_crr_task {
    const gradus_dataset *most, *rest, *all, *test; /* labels 0 and 1; all may be most */
    double weight;                                  /* of the positive rows of test */
    size_t steps;
    const char *const *lambdas; /* NULL ends them */
} gr_crr_task;

/* Puts an object of lists, one item a lambda, as the member `name`. */
gradus_status gr_crr_try(gradus_context *context, const gr_crr_task *task, double alpha,
                         const char *name, gr_json_writer *writer, gradus_error *err);
/* The figures of the lambda that is best on `rest` in a way; its place. SIZE_MAX: the object is not
 * such a one. */
size_t gr_crr_pick(const gr_json *tried, int way, gr_crr_values *values);

/* Chosen rows as a set of one query; labels become 1 where they are `positive`, else 0. */
gradus_dataset *gr_crr_rows(const gradus_dataset *from, const size_t *rows, size_t count,
                            float positive, gradus_error *err);
/* The same rows as one query, in *flat, which is nobody's to free. */
void gr_crr_flatten(const gradus_dataset *from, gradus_dataset *flat);

/* The p of a paired test of b - a; NAN if there is none. */
gradus_status gr_crr_test(const gr_run *run, double *a, double *b, size_t count, const char *test,
                          gradus_contrast *contrast, gradus_error *err);

#endif
