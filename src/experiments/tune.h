/* SPDX-License-Identifier: Apache-2.0 */
/* Tuning: settings of one or several methods are drawn from their spaces, tried on folds, and the
 * best trained again. The trials are those of contests (contest.h), kept in a journal; methods
 * are the contestants. */
#ifndef GR_EXPERIMENTS_TUNE_H
#define GR_EXPERIMENTS_TUNE_H

#include "gradus_experiments.h"

#include "experiments/contest.h"
#include "experiments/experiment.h"
#include "experiments/space.h"
#include "pipeline/train.h"

enum { GR_SEARCH_HALVING, GR_SEARCH_RANDOM, GR_SEARCH_GRID };
enum { GR_REFIT_TRAIN, GR_REFIT_ALL, GR_REFIT_NONE };

typedef struct gr_tune_options {
    const char *method; /* names, commas between; "all" */
    const char *metric;
    int convention;
    gr_gain_options gains;
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

/* "40" settings a method, or "10min" in all. */
typedef struct gr_budget {
    size_t settings; /* 0: as many as there is time for */
    double seconds;  /* INFINITY: no matter */
} gr_budget;

gradus_status gr_budget_parse(const char *text, gr_budget *budget, gradus_error *err);

/* Successive halving: rung i tries sizes[i] settings with 1/parts[i] of what a whole trial takes.
 */
enum { GR_MOST_RUNGS = 5 };
typedef struct gr_halving {
    size_t rungs;
    size_t sizes[GR_MOST_RUNGS];
    uint64_t parts[GR_MOST_RUNGS];
} gr_halving;

/* The best third goes on with three times as much; the last rung is of whole trials. */
gr_halving gr_halving_plan(size_t settings);

/* What is known of settings. */
typedef struct gr_record {
    bool complete; /* all folds have it, at this part */
    uint64_t part; /* 0: not tried */
    double valid, error, rounds, seconds;
    char *failed; /* NULL: it did not */
    bool goes_on; /* to the next rung */
} gr_record;

/* A method with all of its settings. */
typedef struct gr_entrant {
    char *method;
    gr_space space;
    gr_setting_list settings;
    uint64_t next;      /* of the draws, or points of the grid */
    gr_record *records; /* one a setting */
    size_t record_count;
    size_t *alive; /* settings of the bracket that goes on */
    size_t alive_count;
    gr_halving plan;
    bool left_out; /* it cannot be trained on such data */
    char *failed;  /* why it has no space, as when the learner is not for it; NULL: it has */
} gr_entrant;

/* The data of tuning. */
typedef struct gr_tune_data {
    gr_folds folds;
    const gradus_dataset *test; /* to measure refitted models on, apart from the folds'; or NULL */
    gr_fold refit;              /* what the best is trained on again; valid NULL: rounds as found */
    gradus_dataset *joined;     /* if that is several sets */
    uint64_t fingerprint;
} gr_tune_data;

gradus_status gr_tune_data_take(gradus_context *context, const gradus_tuning_input *input,
                                const gr_tune_options *options, gr_tune_data *data,
                                gradus_error *err);
void gr_tune_data_free(gr_tune_data *data);

typedef struct gr_tuning_run {
    gradus_context *context;
    const gradus_tuning_input *input;
    gr_tune_options options;
    gr_budget budget;
    gr_tune_data data;
    gr_entrant *entrants;
    size_t count;
    gr_journal *journal;
    gr_warm *warm;
    gr_contest contest; /* what all contests of it have alike */
    gr_contest_clock clock;
    char common[64];
    char gains[256];       /* of training and of the metric, "gain=linear"; "": the usual ones */
    char convention[300];  /* of the metric, with its gains, in words */
    bool convention_given; /* by the user */
    char log_scale[GR_MOST_DIMENSIONS * 32]; /* options searched so, comma-separated */
    bool lower_is_better, out_of_time;
    /* For progress and those who watch. */
    gradus_progress_function progress;
    void *progress_user;
    double weight_all, weight_done, weight_now; /* whole trainings */
    gradus_tuning_state state;
    struct gr_rung *rung;
} gr_tuning_run;

/* Runs the search: fills the records of the entrants. */
gradus_status gr_search(gr_tuning_run *run, gradus_error *err);
/* Whether one value of the metric is better than another; NAN is the worst. */
bool gr_tuning_better(const gr_tuning_run *run, double value, double than);
/* The best settings of a method, those trained furthest first; SIZE_MAX: none. */
size_t gr_entrant_best(const gr_tuning_run *run, const gr_entrant *entrant);

struct gradus_tuning {
    size_t trial_count, place_count;
    gradus_trial *trials;
    gradus_place *places;
    char **texts; /* that both point to */
    size_t text_count, text_room;
    char *metric, *convention, *log_scale;
    gradus_tuning_facts facts;
    gradus_model *model;
};

/* Fills trials and places, and trains the best again. */
gradus_status gr_tuning_results(gr_tuning_run *run, gradus_tuning *tuning, gradus_error *err);

gradus_tuning *gr_tune(gradus_context *context, const gradus_tuning_input *input,
                       const gradus_options *options, gradus_error *err);
void gr_tuning_free(gradus_tuning *tuning); /* NULL is accepted */

#endif
