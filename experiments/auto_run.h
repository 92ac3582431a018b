/* SPDX-License-Identifier: Apache-2.0 */
/* Automatic training: settings of several methods are evaluated by cross-validation, an ensemble is
 * selected on their out-of-fold scores, and its members are trained again on all data.
 *
 * Trial i depends only on the data, the options and the results of trials before it, so that a run
 * that was limited by time can be repeated exactly with a budget of as many trials. For that, time
 * may limit the rounds of the first trial only, and of all trials after it to the same number; a
 * later trial that takes too long is dropped, as if it had not been started. */
#ifndef GR_EXPERIMENTS_AUTO_RUN_H
#define GR_EXPERIMENTS_AUTO_RUN_H

#include "gradus_experiments.h"

#include "experiments/metric_choice.h"
#include "experiments/journal.h"
#include "experiments/space.h"
#include "experiments/trial.h"
#include "experiments/tuning.h"

/* A row of the portfolio: a method worth trying. */
typedef struct gr_auto_method {
    const char *name, *family;
    double cost;        /* time of a training with defaults, relative to lambdamart */
    bool probabilities; /* estimates P(grade) */
    size_t most_rows;   /* not tried on more, unless it is named; 0: no limit */
} gr_auto_method;

/* A method of this run with the settings drawn so far. */
typedef struct gr_auto_entry {
    gr_auto_method method;
    char *name; /* owned */
    gr_space space;
    gr_setting_list settings;
    uint64_t next;  /* position in the random sequence */
    size_t tries;   /* trials so far, failed ones included */
    double best;    /* best value so far; NAN: none */
    double seconds; /* of the slowest trial */
    bool exhausted; /* no further settings */
} gr_auto_entry;

enum { GR_AUTO_WORDS = 1024, GR_AUTO_FIXED = 256, GR_AUTO_WARNINGS = 16 };

/* One setting, evaluated on held-out queries. */
typedef struct gr_auto_trial {
    size_t entry;
    const char *settings;      /* "method=cocr leaves=31", owned by the entry */
    double value, error;       /* mean of the metric over held-out queries; standard error */
    uint64_t rounds;           /* mean over folds of the best round; 0: not trained in rounds */
    char fixed[GR_AUTO_FIXED]; /* what the folds chose from their data: "leaves=12" */
    double seconds;
    double part;      /* of the rounds trained that the final training repeats; 1: all */
    size_t cut;       /* rounds after which time ended its trainings; 0: it did not */
    bool resumed;     /* taken from the journal */
    char *failed;     /* why training failed; NULL: it did not */
    double *scores;   /* of the held-out rows; NULL: failed */
    double *by_query; /* the metric of each held-out query; NAN: left out */
    double scale;     /* of the scores in the ensemble: 1 / their deviation within queries */
    double weight;    /* in the ensemble, of scaled scores */
} gr_auto_trial;

/* The data: all of it, its folds, and the held-out rows, which are those of the folds' validation
 * parts in the order of `all`. */
typedef struct gr_auto_data {
    const gradus_dataset *all;
    gradus_dataset *joined; /* owns `all` if it consists of several sets */
    const gradus_dataset *held;
    size_t fold_count, asked_folds;  /* fewer than asked if queries are repeated */
    gradus_dataset **train, **valid; /* per fold */
    size_t **queries; /* per fold: held-out queries, as numbers among those held out */
    size_t *query_count;
    size_t *group_of; /* of each held-out query, for cross-fitting */
    size_t groups;
    size_t repeated; /* queries of `all` that share most of their documents with another */
    bool apart;      /* those are in different folds: together they would leave no second fold */
    uint64_t fingerprint;
} gr_auto_data;

typedef struct gr_auto_options {
    const char *methods, *metric, *convention, *gain, *label_gain, *budget, *journal;
    uint64_t folds, members, max_rounds, seed;
    bool probabilities;
} gr_auto_options;

typedef struct gr_auto_run {
    gradus_context *context;
    const gradus_tuning_input *input;
    gradus_options *given; /* owns the texts of options */
    gr_auto_options options;
    gr_budget budget;
    gr_chosen_gains gains;
    bool lower_is_better;
    bool is_fraction; /* values of the metric are from 0 to 1 */
    gr_auto_data data;
    gr_auto_entry *entries;
    size_t entry_count, first_count; /* first_count: entries whose defaults are tried first */
    gr_auto_trial *trials;
    size_t trial_count;
    size_t best; /* the best trial on all held-out queries */
    gr_journal *journal;
    double start;      /* gr_seconds() at the start; earlier if the run was resumed */
    double used;       /* seconds at the end of the last trial, as recorded in the journal */
    size_t max_rounds; /* of every training; 0: no limit */
    double deadline;   /* gr_seconds() at which the current trial is dropped; INFINITY: never */
    bool dropped;      /* that happened */
    bool out_of_time;
    char common[96];
    /* for progress reports and the watch function */
    gradus_progress_function progress;
    void *progress_user;
    size_t resumed;    /* trials in the journal at the start */
    double done, step; /* fraction of the run before the current step, and of the step */
    gradus_tuning_state state;
    gradus_auto_result *result;
} gr_auto_run;

struct gradus_auto_result {
    gradus_auto_facts facts;
    gradus_auto_member *members;
    size_t member_count;
    const char *warnings[GR_AUTO_WARNINGS];
    size_t warning_count;
    char **texts; /* owns the strings */
    size_t text_count, text_room;
    gradus_model **models; /* members trained on all data */
    size_t model_count;
    const gradus_model *single; /* the best single model; NULL: not trained */
    gradus_model *combined;     /* the ensemble, a view of the models; NULL: one model */
};

/* auto_data.c */
gradus_status gr_auto_data_take(gr_auto_run *run, gradus_error *err);
/* Divides the data by the option folds. */
gradus_status gr_auto_data_fold(gr_auto_run *run, gradus_error *err);
void gr_auto_data_free(gr_auto_data *data);
/* auto_warnings.c */
/* Adds warnings on the data to the result. */
gradus_status gr_auto_warn(gr_auto_run *run, gradus_error *err);

/* auto_folds.c */
/* Sets the option folds to fewer than usual if a time budget is too short for several methods
 * otherwise. */
gradus_status gr_auto_few_folds(gr_auto_run *run, gradus_error *err);

/* auto_portfolio.c */
gradus_status gr_auto_portfolio(gr_auto_run *run, gradus_error *err);
void gr_auto_entries_free(gr_auto_run *run);
/* Chooses the next trial: its entry and settings. *settings NULL: nothing is left to try, or not
 * enough time. */
gradus_status gr_auto_next(gr_auto_run *run, size_t *entry, const char **settings,
                           gradus_error *err);
/* Seconds that the next trial may take, so that the final training ends in time; with trials as the
 * budget INFINITY. */
double gr_auto_most_seconds(const gr_auto_run *run);
/* Seconds after which trainings of the first trial stop, so that other methods can be tried. */
double gr_auto_first_seconds(const gr_auto_run *run);
/* gr_seconds() at which a trial of the entry, which starts now, is dropped. Never as long as there
 * is no model. */
double gr_auto_deadline(const gr_auto_run *run, const gr_auto_entry *entry);

/* auto_trial.c */
/* Runs a trial, or takes it from the journal. */
gradus_status gr_auto_trial_run(gr_auto_run *run, gr_auto_trial *trial, gradus_error *err);
void gr_auto_trial_free(gr_auto_trial *trial);
/* Takes the limit of rounds from the options, and from the journal of a run with the same time. */
void gr_auto_take_limit(gr_auto_run *run);
/* The options of "train" for settings and further words. */
gradus_options *gr_auto_train_options(const gr_auto_run *run, const char *settings,
                                      const char *more, gradus_error *err);
/* Trains for at most run->max_rounds rounds. more: further words of settings. */
gradus_status gr_auto_train(const gr_auto_run *run, gradus_context *context,
                            const gradus_training_input *input, const gr_auto_trial *trial,
                            const char *more, gradus_model **model, gradus_error *err);
/* What the final training of a trial adds to its settings. */
void gr_auto_final_words(const gr_auto_trial *trial, char words[GR_AUTO_FIXED + 64]);
/* Evaluates scores of data; *evaluation has one result. */
gradus_status gr_auto_evaluate(const gr_auto_run *run, const gradus_dataset *data,
                               const double *scores, gradus_evaluation **evaluation,
                               gradus_error *err);

/* auto_scores.c */
/* Saves the held-out scores of a trial beside the journal; does nothing without a journal. *hash: a
 * hash of the scores. */
gradus_status gr_auto_scores_put(const gr_auto_run *run, const char *key, const double *scores,
                                 uint64_t *hash, gradus_error *err);
/* Reads them; *scores NULL: they are missing or not the ones with that hash. */
gradus_status gr_auto_scores_get(const gr_auto_run *run, const char *key, uint64_t hash,
                                 double **scores, gradus_error *err);

/* auto_select.c */
/* Sets the weights of the trials and the expectations of the result. */
gradus_status gr_auto_select(gr_auto_run *run, gradus_error *err);
/* Means of two systems over queries, and their difference. */
typedef struct gr_auto_contrast {
    gradus_interval single, ensemble;
    double difference, p; /* ensemble minus single; paired t-test */
    size_t queries;
} gr_auto_contrast;
gradus_status gr_auto_compare(const gr_auto_run *run, const double *single, const double *ensemble,
                              size_t queries, gr_auto_contrast *contrast, gradus_error *err);
/* Whether a value of the metric is better than another; NAN is the worst. */
bool gr_auto_better(const gr_auto_run *run, double value, double than);

/* auto_refit.c */
/* Trains the members on all data, combines them, and evaluates them on the test data. */
gradus_status gr_auto_refit(gr_auto_run *run, gradus_error *err);

/* auto.c */
/* Copies a string; the copy belongs to the result. NULL: out of memory. */
const char *gr_auto_keep(gradus_auto_result *result, const char *text);
gradus_auto_result *gr_auto(gradus_context *context, const gradus_tuning_input *input,
                            const gradus_options *options, gradus_error *err);
void gr_auto_free(gradus_auto_result *result); /* NULL is accepted */

#endif
