/* SPDX-License-Identifier: Apache-2.0 */
/* What experiments with calibrations share: how the training part is cut, and plain trainings. */
#ifndef GR_EXPERIMENTS_PAPERS_CALIBRATED_PARTS_H
#define GR_EXPERIMENTS_PAPERS_CALIBRATED_PARTS_H

#include "experiments/experiment.h"

/* The training part in two, 80 and 20 of 100 queries: to learn from, to calibrate with. What was
 * made is the caller's, whatever happens; parts are NULL to begin with. */
gradus_status gr_calibration_cut(uint64_t seed, const gradus_dataset *train,
                                 gradus_dataset *parts[2], gradus_context *context,
                                 gradus_error *err);
/* A training without validation data, options in words. NULL: it failed. */
gradus_model *gr_train_words(const gradus_dataset *data, const char *words, gradus_context *context,
                             gradus_error *err);

#endif
