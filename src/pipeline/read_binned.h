/* SPDX-License-Identifier: Apache-2.0 */
/* Reads training data as bins if the learner needs no more. */
#ifndef GR_PIPELINE_READ_BINNED_H
#define GR_PIPELINE_READ_BINNED_H

#include "base/context.h"
#include "base/param.h"

/* As gr_read_files. read: options of "read" or NULL; train: options of "train" or NULL, with which
 * the data will be trained on. */
gradus_dataset *gr_read_for_training(gradus_context *context, const char *const *paths,
                                     size_t count, const gradus_options *read,
                                     const gradus_options *train, gradus_error *err);

#endif
