/* One training that is measured: the piece of work that contests and tuning are made of. */
#ifndef GR_EXPERIMENTS_TRIAL_H
#define GR_EXPERIMENTS_TRIAL_H

#include "base/json.h"
#include "gradus.h"

typedef struct gr_fold {
    const char *name; /* "MQ2008 fold 1", for the journal */
    const gradus_dataset *train;
    const gradus_dataset *valid; /* NULL: nothing to choose by; the first settings are taken */
    const gradus_dataset *test;  /* NULL: nothing to measure on */
} gr_fold;

/* Checkpoints of trials that were stopped on the way, by key; any thread may put and take. */
typedef struct gr_warm gr_warm;
gr_warm *gr_warm_new(gradus_error *err);
void gr_warm_free(gr_warm *warm); /* NULL is accepted */
/* The checkpoint of a key, the caller's from now on; NULL: there is none, or no store. */
gradus_model *gr_warm_take(gr_warm *warm, const char *key);
/* Takes it over, whatever happens. */
gradus_status gr_warm_put(gr_warm *warm, const char *key, gradus_model *checkpoint,
                          gradus_error *err);

typedef struct gr_trial {
    const gr_fold *fold;
    const gradus_options *options; /* of "train" */
    const char *measures;          /* of the test part */
    const char *convention;
    uint64_t part;   /* a share of the rounds, 1/part, is enough; 0 or 1: all; of all it is told how
                        large the model is, and how it does on the test part */
    gr_warm *from;   /* where a checkpoint to go on from may be; NULL: nowhere */
    gr_warm *to;     /* where to leave one; NULL: nowhere */
    const char *key; /* of both */
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
