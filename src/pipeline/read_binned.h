/* SPDX-License-Identifier: Apache-2.0 */
/* Reads training data as bins if the learner needs no more. */
#ifndef GR_PIPELINE_READ_BINNED_H
#define GR_PIPELINE_READ_BINNED_H

#include "base/context.h"
#include "base/param.h"
#include "bins/bins.h"
#include "data/read.h"

/* As gr_read_files. read: options of "read" or NULL; train: options of "train" or NULL, with which
 * the data will be trained on. */
gradus_dataset *gr_read_for_training(gradus_context *context, const char *const *paths,
                                     size_t count, const gradus_options *read,
                                     const gradus_options *train, gradus_error *err);
/* The same for given options of bins; NULL: values are needed. */
gradus_dataset *gr_read_bins(gradus_context *context, const char *const *paths, size_t count,
                             const gradus_options *read, const gr_bin_options *bin,
                             gradus_error *err);
/* As gr_read_files, also for a binned file. */
gradus_dataset *gr_read_any(gradus_context *context, const char *const *paths, size_t count,
                            const gr_read_options *options, gradus_error *err);
/* The same, but if the context has collectives, each process reads its part (data/read_parts.h): a
 * collective call. */
gradus_dataset *gr_read_shared(gradus_context *context, const char *const *paths, size_t count,
                               const gr_read_options *options, gradus_error *err);

#endif
