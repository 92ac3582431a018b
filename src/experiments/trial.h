/* SPDX-License-Identifier: Apache-2.0 */
/* One training that is measured: the piece of work that contests and tuning are made of. */
#ifndef GR_EXPERIMENTS_TRIAL_H
#define GR_EXPERIMENTS_TRIAL_H

#include "base/json.h"
#include "experiments/warm.h"

typedef struct gr_fold {
    const char *name; /* "MQ2008 fold 1", for the journal */
    const gradus_dataset *train;
    const gradus_dataset *valid; /* NULL: nothing to choose by; the first settings are taken */
    const gradus_dataset *test;  /* NULL: nothing to measure on */
} gr_fold;

typedef struct gr_trial {
    const gr_fold *fold;
    const gradus_options *options; /* of "train" */
    const char *measures;          /* of the test part */
    const char *convention;
    const char *gains; /* as in gr_contest */
    uint64_t part;   /* a share of the rounds, 1/part, is enough; 0 or 1: all; of all it is told how
                        large the model is, and how it does on the test part */
    gr_warm *warm;   /* where a checkpoint to go on from may be, and one is left; NULL: nowhere */
    const char *key; /* of it */
    double since;    /* gr_seconds() that "used" counts from; NAN: it is not told */
} gr_trial;

/* Trains and measures. value: an object with "valid" and "train" (null: not measured),
 * "lower_is_better", "rounds" of the model, "seconds", and of whole trials "bytes" and "values", a
 * list a measure with one number a query. */
gradus_status gr_trial_run(gradus_context *context, const gr_trial *trial, gr_json_writer *value,
                           gradus_error *err);
/* Whether its options ask for a learner whose rounds can be cut short. */
gradus_status gr_trial_by_rounds(const gradus_options *options, bool *by_rounds, gradus_error *err);

#endif
