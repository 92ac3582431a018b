/* SPDX-License-Identifier: Apache-2.0 */
/* Tuning: settings of one or several methods are sampled from their search spaces and evaluated on
 * folds; the best ones train the final model. Trials run as cross-validations (crossval.h), whose
 * candidates are the methods, and are recorded in a journal. */
#ifndef GR_EXPERIMENTS_TUNING_H
#define GR_EXPERIMENTS_TUNING_H

#include "gradus_experiments.h"

#include "experiments/crossval.h"
#include "experiments/experiment.h"
#include "experiments/metric_choice.h"
#include "experiments/space.h"

#include <stdatomic.h>

enum { GR_SEARCH_HALVING, GR_SEARCH_RANDOM, GR_SEARCH_GRID };
enum { GR_REFIT_TRAIN, GR_REFIT_ALL, GR_REFIT_NONE };

typedef struct gr_tune_options {
    const char *method; /* names, comma-separated; "all" */
    const char *metric;
    const char *convention;
    const char *gain; /* "method": not chosen */
    const char *label_gain;
    int search;
    const char *budget;
    const char *space;
    uint64_t folds;
    const char *fold_dirs;
    const char *journal; /* "": in memory only */
    int refit;
    bool one_query;
    uint64_t seed;
} gr_tune_options;

/* "40" settings per method, or "10min" in total. */
typedef struct gr_budget {
    size_t settings; /* 0: as many as time allows */
    double seconds;  /* INFINITY: no limit */
} gr_budget;

gradus_status gr_budget_parse(const char *text, gr_budget *budget, gradus_error *err);

/* Successive halving: rung i tries sizes[i] settings with 1/parts[i] of the cost of a full trial.
 */
enum { GR_MAX_RUNGS = 5 };
typedef struct gr_halving {
    size_t rungs;
    size_t sizes[GR_MAX_RUNGS];
    uint64_t parts[GR_MAX_RUNGS];
} gr_halving;

/* tune_search.c */
/* The best third of each rung continues with three times the budget; the last rung has full trials.
 */
gr_halving gr_halving_plan(size_t settings);

/* The results of one setting. */
typedef struct gr_record {
    bool complete; /* evaluated on all folds, at this part */
    uint64_t part; /* 0: not evaluated */
    double valid, error, rounds, seconds;
    char chosen[GR_CHOSEN_WORDS]; /* what most folds chose: "transform=minmax"; "": nothing */
    char *failed;                 /* why training failed; NULL: it did not */
    bool goes_on;                 /* promoted to the next rung */
} gr_record;

/* A method with all its settings. */
typedef struct gr_entrant {
    char *method;
    gr_space space;
    gr_setting_list settings;
    uint64_t next;      /* position in the random sequence or on the grid */
    gr_record *records; /* one per setting */
    size_t record_count;
    size_t *alive; /* settings of the bracket that are still in the running */
    size_t alive_count;
    gr_halving plan;
    double best, refit; /* best value so far, NAN: none; seconds of a full training of it */
    bool left_out;      /* cannot be trained on these data */
    char *failed; /* why it has no search space, such as a learner that does not suit it; NULL: it
                      has one */
} gr_entrant;

/* The data of tuning. */
typedef struct gr_tune_data {
    gr_folds folds;
    const gradus_dataset *test; /* separate test data for refitted models; NULL: the folds' */
    gr_fold refit;              /* data of the final model; valid NULL: train the number of rounds
                                   found */
    gradus_dataset *joined;     /* the refit data, if they consist of several datasets */
    uint64_t fingerprint;
} gr_tune_data;

/* tune_data.c */
gradus_status gr_tune_data_take(gradus_context *context, const gradus_tuning_input *input,
                                const gr_tune_options *options, gr_tune_data *data,
                                gradus_error *err);
void gr_tune_data_free(gr_tune_data *data);

typedef struct gr_tuning_run {
    gradus_context *context;
    const gradus_tuning_input *input;
    gradus_options *given; /* owns the texts of options */
    gr_tune_options options;
    gr_budget budget;
    gr_tune_data data;
    gr_entrant *entrants;
    size_t count;
    gr_journal *journal;
    gr_checkpoints *checkpoints;
    gr_crossval cv; /* settings common to all its cross-validations */
    gr_crossval_clock clock;
    double stage;     /* part of the time budget for the current stage of the search */
    atomic_bool some; /* a setting has been evaluated */
    bool dropped;     /* trials were, because the time was over */
    char common[64];
    gr_chosen_gains gains;
    bool convention_given;                  /* by the user */
    char log_scale[GR_MAX_DIMENSIONS * 32]; /* options searched on a logarithmic scale,
                                                comma-separated */
    bool lower_is_better, out_of_time;
    /* For progress reports and the watch function. */
    gradus_progress_function progress;
    void *progress_user;
    double weight_all, weight_done, weight_now; /* in units of full trainings */
    gradus_tuning_state state;
    struct gr_rung *rung;
} gr_tuning_run;

/* tune_search.c */
/* Runs the search and fills the records of the entrants. */
gradus_status gr_search(gr_tuning_run *run, gradus_error *err);
/* Whether one value of the metric is better than another; NAN is the worst. */
bool gr_tuning_better(const gr_tuning_run *run, double value, double than);
/* The best settings of a method, preferring those trained longest; SIZE_MAX: none. */
size_t gr_entrant_best(const gr_tuning_run *run, const gr_entrant *entrant);

/* auto_portfolio.c */
/* Time of a training with default settings, relative to lambdamart. */
double gr_method_cost(const char *method);

struct gradus_tuning {
    size_t trial_count, place_count;
    gradus_trial *trials;
    gradus_place *places;
    char **texts; /* owns the strings of both */
    size_t text_count, text_room;
    char *metric, *convention, *log_scale;
    gradus_tuning_facts facts;
    gradus_model *model;
};

/* tune_results.c */
/* Fills trials and places, and trains the final model. */
gradus_status gr_tuning_results(gr_tuning_run *run, gradus_tuning *tuning, gradus_error *err);

gradus_tuning *gr_tune(gradus_context *context, const gradus_tuning_input *input,
                       const gradus_options *options, gradus_error *err);
void gr_tuning_free(gradus_tuning *tuning); /* NULL is accepted */

#endif
