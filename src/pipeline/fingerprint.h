/* SPDX-License-Identifier: Apache-2.0 */
/* Fingerprints of datasets, to recognise the data of a checkpoint. */
#ifndef GR_PIPELINE_FINGERPRINT_H
#define GR_PIPELINE_FINGERPRINT_H

#include "data/binned.h"

/* A hash of everything that training uses of a set; independent of the file format. with: processes
 * that have the same set, and each read a part of its dense rows; NULL: none. */
gradus_status gr_fingerprint(const gradus_dataset *data, const gradus_collectives *with,
                             gr_pool *pool, uint64_t *fingerprint, gradus_error *err);
/* Of the values alone: what gr_fingerprint takes of a dataset that lacks them. The caller frees the
 * sums. */
gradus_status gr_value_sums(const gradus_dataset *data, gr_pool *pool, gr_binned *values,
                            gradus_error *err);

#endif
