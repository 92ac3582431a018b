/* SPDX-License-Identifier: Apache-2.0 */
/* Distributed training: each process trains on some of the queries. */
#ifndef GR_PIPELINE_SHARE_TRAINING_H
#define GR_PIPELINE_SHARE_TRAINING_H

#include "pipeline/train.h"

/* Whether other processes take part in the training. */
bool gr_training_is_shared(const gradus_training *training);
/* Fails on all processes if they have been given other options or data. Their files are compared by
 * what they have in memory, with a sample of the values. */
gradus_status gr_training_agree(const gradus_training *training, gradus_error *err);
/* Refuses methods and options that cannot be distributed, with what to use instead. */
gradus_status gr_training_check_shared(const gradus_training *training, gradus_error *err);
/* Replaces the sets and the problem by this process's share of them. Does nothing if it is alone. */
gradus_status gr_training_share(gradus_training *training, gradus_error *err);
/* The problem that this process fits. */
const gr_problem *gr_training_problem(const gradus_training *training);
void gr_training_share_free(gradus_training *training);

/* The set of all processes that a set is the share of; the set itself if it is not a share. */
static inline const gradus_dataset *gr_whole_set(const gradus_dataset *data)
{
    return data->whole ? data->whole : data;
}

#endif
