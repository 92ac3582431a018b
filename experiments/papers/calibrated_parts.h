/* SPDX-License-Identifier: Apache-2.0 */
/* Functions shared by the calibration experiments: splitting the training data, and plain training.
 */
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

#endif
