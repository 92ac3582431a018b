/* SPDX-License-Identifier: Apache-2.0 */
/* Functions shared by the calibration experiments: splitting the training data, plain training,
 * calibrated members and the paper's measure. */
#ifndef GR_EXPERIMENTS_PAPERS_CALIBRATED_PARTS_H
#define GR_EXPERIMENTS_PAPERS_CALIBRATED_PARTS_H

#include "experiments/experiment.h"

/* Splits the training data by query, 80:20, into parts for training and for calibration. The caller
 * frees the parts, even after a failure; initialise them to NULL. */
gradus_status gr_calibration_cut(uint64_t seed, const gradus_dataset *train,
                                 gradus_dataset *parts[2], gradus_context *context,
                                 gradus_error *err);
/* Trains without validation data; options as text. NULL on failure. */
gradus_model *gr_train_words(const gradus_dataset *data, const char *words, gradus_context *context,
                             gradus_error *err);
/* Calibrates a base model (options as text), scores the validation and the test part of a fold with
 * it, and evaluates both by NDCG@10. */
gradus_status gr_calibrated_member(const gradus_model *model, const gradus_dataset *calibrate,
                                   const char *words, const gr_fold *fold, double *scores[2],
                                   double values[2], gradus_context *context, gradus_error *err);
/* The mean over queries of a metric by a convention. */
gradus_status gr_measure_by(const gradus_dataset *data, const double *scores, const char *metric,
                            const char *convention, double *value, gradus_context *context,
                            gradus_error *err);

#endif
