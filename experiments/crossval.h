/* SPDX-License-Identifier: Apache-2.0 */
/* Cross-validation of several methods, the candidates, on the same folds: settings are selected on
 * the validation data and evaluated on the test data, per query. Every trial (settings x fold) is
 * recorded in the journal. */
#ifndef GR_EXPERIMENTS_CROSSVAL_H
#define GR_EXPERIMENTS_CROSSVAL_H

#include "experiments/journal.h"
#include "experiments/trial.h"

typedef struct gr_cv_candidate {
    const char *name;
    const char *const *settings; /* options of "train", "method=cocr cost=oerr"; NULL-terminated */
} gr_cv_candidate;

/* A time limit for starting trials. */
typedef struct gr_crossval_clock {
    double
        start; /* gr_seconds() at the start; trials record their end, relative to it, as "used" */
    _Atomic double most; /* no trial starts after this many seconds; INFINITY: no limit */
} gr_crossval_clock;

typedef struct gr_crossval {
    const gr_cv_candidate *candidates;
    size_t count;
    const gr_fold *folds;
    size_t fold_count;
    const char *common;   /* options of all trials, which settings may override; NULL: none */
    const char *choose;   /* the metric that selects rounds and settings */
    const char *measures; /* metrics on the test data, "err,ndcg@10" */
    const char *convention;
    const char *gains;     /* "gain=linear" or "label-gain=0,1,3", for training and metrics; NULL or
                              "": the defaults of method and convention */
    const uint64_t *parts; /* per candidate: trials use 1/part of the rounds, or of the queries if
                              there are no rounds; 1: full trials, which alone are tested; NULL: all
                              1 */
    bool lenient;          /* record settings that cannot be trained as "failed" and continue */
    const gr_crossval_clock *clock; /* NULL: no limit */
    gr_checkpoints *checkpoints;    /* checkpoints from which longer trials resume; NULL: none */
    const gradus_collectives *with; /* trials are divided among these processes; NULL: one */
    /* Called after each trial, never concurrently; NULL: none. */
    void (*ended)(void *user, size_t candidate, size_t setting, size_t fold, const gr_json *value);
    void *user;
} gr_crossval;

enum { GR_MAX_MEASURES = 16 };

/* The results of a candidate. */
typedef struct gr_leaderboard_entry {
    const char *name;
    size_t *chosen;       /* per fold: index of the selected settings */
    double *chosen_valid; /* per fold: their validation value; NAN: none */
    uint64_t *rounds;     /* per fold: rounds of the selected model */
    size_t queries;       /* of all test parts together */
    size_t measures;
    double *values; /* measures x queries, fold by fold; NAN: the query is left out */
    double mean[GR_MAX_MEASURES], error[GR_MAX_MEASURES]; /* standard error of the mean */
    double seconds;                                       /* of all trials of the candidate */
    double bytes;                                         /* mean size of a model file */
} gr_leaderboard_entry;

/* Runs the trials that are not in the journal. */
gradus_status gr_crossval_run_trials(gradus_context *context, const gr_crossval *cv,
                                     gr_journal *journal, gradus_error *err);
/* Deletes the checkpoints of a setting. */
void gr_crossval_drop(const gr_crossval *cv, const char *candidate, const char *settings);
/* The options of "train" for a setting. */
gradus_options *gr_crossval_options(const gr_crossval *cv, const char *settings, gradus_error *err);
/* leaderboard.c */
/* Runs the trials and computes the results. *leaderboard: one per candidate; free with
 * gr_leaderboard_free. */
gradus_status gr_crossval_run(gradus_context *context, const gr_crossval *cv, gr_journal *journal,
                              gr_leaderboard_entry **leaderboard, gradus_error *err);
/* The journal's entry of a trial: "valid", "train" (NAN: not evaluated), "rounds", "seconds",
 * "values". NULL: not run yet. */
const gr_json *gr_crossval_trial(const gr_crossval *cv, gr_journal *journal, size_t candidate,
                                 size_t setting, size_t fold);
void gr_leaderboard_free(gr_leaderboard_entry *leaderboard, size_t count); /* NULL is accepted */

/* Compares b with a on one measure, by a test of the catalogue "tests". */
gradus_status gr_leaderboard_compare(gradus_context *context, const gr_leaderboard_entry *a,
                                     const gr_leaderboard_entry *b, size_t measure,
                                     const char *test, bool one_sided, gradus_contrast *contrast,
                                     gradus_error *err);

#endif
