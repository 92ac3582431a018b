/* SPDX-License-Identifier: Apache-2.0 */
/* Several ways to rank on the same folds: settings are chosen on validation parts, and what was
 * chosen is measured on test parts, query by query. Every trial (settings x fold) goes through the
 * journal. */
#ifndef GR_EXPERIMENTS_CONTEST_H
#define GR_EXPERIMENTS_CONTEST_H

#include "experiments/journal.h"
#include "experiments/trial.h"

typedef struct gr_contestant {
    const char *name;
    const char *const *settings; /* options of "train", "method=cocr cost=oerr"; NULL ends them */
} gr_contestant;

/* Time that trials may begin in. */
typedef struct gr_contest_clock {
    double start; /* gr_seconds() at 0; trials keep the time that they ended at as "used" */
    double most;  /* when no further trial begins; INFINITY: all are run */
} gr_contest_clock;

typedef struct gr_contest {
    const gr_contestant *contestants;
    size_t count;
    const gr_fold *folds;
    size_t fold_count;
    const char *common;   /* options of all, which settings may change; NULL: none */
    const char *choose;   /* the metric that rounds and settings are chosen by */
    const char *measures; /* metrics of the test parts, "err,ndcg@10" */
    const char *convention;
    const char *gains;     /* "gain=linear" or "label-gain=0,1,3", of trainings and metrics; NULL or
                          "": those of the methods and of the convention */
    const uint64_t *parts; /* a contestant: trials have 1/part of the rounds, or of the queries if
                              there are no rounds; 1: whole ones, and only these are measured on
                              test parts; NULL: all are */
    bool lenient; /* what settings cannot be trained with is kept as "failed", and passed over */
    const gr_contest_clock *clock; /* NULL: time is of no matter */
    gr_warm *warm;                 /* where parts of trials are left and gone on from; NULL: not */
    /* Told of each trial as it ends, one at a time; NULL: nobody is. */
    void (*ended)(void *user, size_t contestant, size_t setting, size_t fold, const gr_json *value);
    void *user;
} gr_contest;

enum { GR_MOST_MEASURES = 16 };

/* How a contestant did. */
typedef struct gr_standing {
    const char *name;
    size_t *chosen;       /* a fold: place of the settings that were taken */
    double *chosen_valid; /* a fold: their value on the validation part; NAN: none */
    uint64_t *rounds;     /* a fold: rounds of the model that was taken */
    size_t queries;       /* of all test parts */
    size_t measures;
    double *values; /* measures x queries, fold after fold; NAN where a query is left out */
    double mean[GR_MOST_MEASURES], error[GR_MOST_MEASURES]; /* standard error of the mean */
    double seconds;                                         /* of all its trials */
    double bytes; /* of a model file, the mean over folds */
} gr_standing;

/* Runs the trials that the journal has not. */
gradus_status gr_contest_hold(gradus_context *context, const gr_contest *contest,
                              gr_journal *journal, gradus_error *err);
/* Forgets what there is to go on from of a setting. */
void gr_contest_drop(const gr_contest *contest, const char *contestant, const char *settings);
/* Options of "train" of a setting. */
gradus_options *gr_contest_options(const gr_contest *contest, const char *settings,
                                   gradus_error *err);
/* The same, and how the contestants stand. *standings: one a contestant; end with
 * gr_standings_free. */
gradus_status gr_contest_run(gradus_context *context, const gr_contest *contest,
                             gr_journal *journal, gr_standing **standings, gradus_error *err);
/* A trial of the journal: "valid", "train" (NAN: not measured), "rounds", "seconds", "values".
 * NULL: it was not run. */
const gr_json *gr_contest_trial(const gr_contest *contest, gr_journal *journal, size_t contestant,
                                size_t setting, size_t fold);
void gr_standings_free(gr_standing *standings, size_t count); /* NULL is accepted */

/* b against a by a test of the catalogue "tests", on one measure. */
gradus_status gr_standings_compare(gradus_context *context, const gr_standing *a,
                                   const gr_standing *b, size_t measure, const char *test,
                                   bool one_sided, gradus_contrast *contrast, gradus_error *err);

#endif
