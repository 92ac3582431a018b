/* SPDX-License-Identifier: Apache-2.0 */
/* A trial: one training with its evaluation, the unit of work of cross-validation and tuning. */
#ifndef GR_EXPERIMENTS_TRIAL_H
#define GR_EXPERIMENTS_TRIAL_H

#include "base/json.h"
#include "experiments/checkpoints.h"

enum { GR_CHOSEN_WORDS = 64 };

typedef struct gr_fold {
    const char *name; /* "MQ2008 fold 1", for the journal */
    const gradus_dataset *train;
    const gradus_dataset *valid; /* NULL: no selection; the first settings are used */
    const gradus_dataset *test;  /* NULL: no test */
} gr_fold;

typedef struct gr_trial {
    const gr_fold *fold;
    gradus_options *options; /* operation "train" */
    const char *measures;    /* metrics on the test data */
    const char *convention;
    const char *gains; /* as in gr_crossval */
    uint64_t part; /* partial trial: train 1/part of the rounds; 0 or 1: a full trial, which also
                        records model size and test results */
    gr_checkpoints *checkpoints; /* holds checkpoints to resume from and to store; NULL: none */
    const char *key;             /* the key of the checkpoint */
    double since;                /* gr_seconds() from which "used" is counted; NAN: not recorded */
} gr_trial;

/* Trains and evaluates. value: an object with "valid" and "train" (null: not evaluated),
 * "lower_is_better", "rounds" of the model, "seconds", and for full trials "bytes", "chosen", the
 * transform if training chose it on the validation data ("transform=minmax"), and "values", a list
 * per measure with one number per query of the test data; without test data "valid_values", the
 * same on the validation data. */
gradus_status gr_trial_run(gradus_context *context, const gr_trial *trial, gr_json_writer *value,
                           gradus_error *err);
/* Whether the options select a learner that is trained in rounds and can be stopped early. */
gradus_status gr_trial_by_rounds(const gradus_options *options, bool *by_rounds, gradus_error *err);
/* Whether a failure is caused by the settings, as opposed to the machine or the user. */
bool gr_trial_is_at_fault(gradus_status status);

#endif
