/* gradus_experiments.h - search for settings and methods, and the papers' experiments run again. The
 * conventions are those of gradus.h. */
#ifndef GRADUS_EXPERIMENTS_H
#define GRADUS_EXPERIMENTS_H
#include "gradus.h"
#ifdef __cplusplus
extern "C" {
#endif

/* ---- Tuning: which method, and with which settings ---- */

/* Settings of a method, tried on every fold. */
typedef struct gradus_trial {
    const char *method;
    const char *settings; /* options of "train": "leaves=31 learning-rate=0.1"; "": the defaults */
    double valid, error;  /* the metric on validation parts, its mean over folds; the standard error
                             of the mean, NAN with one fold */
    double rounds;        /* of the models, the mean over folds */
    size_t part;          /* 1: it was trained to the end; n: given up after 1/n of the rounds (or
                             of the queries, if the learner has no rounds) */
    double seconds;       /* on all folds together */
    const char *failed;   /* why it could not be trained; "": it could */
} gradus_trial;

/* A method with the best of its settings. */
typedef struct gradus_place {
    gradus_trial best;
    size_t trials;             /* settings that were tried */
    double seconds;            /* of all of them */
    double bytes;              /* of a model file; NAN: not known */
    size_t queries;            /* that were tested */
    double test;               /* the mean over them; NAN: there are none */
    double test_low, test_high; /* its 95% confidence interval */
    double p, p_adjusted;      /* paired t test against the first place, by Holm; NAN: none */
} gradus_place;

typedef struct gradus_tuning_state {
    const char *metric;
    bool lower_is_better;
    size_t done, planned;      /* trainings; planned 0: as many as there is time for */
    double used, most;         /* seconds; most is infinite unless the budget is a time */
    const char *method, *settings; /* of the training that ended last */
    size_t fold, folds;        /* where, from 1 */
    size_t part;
    double valid;              /* NAN: it failed */
    const char *best_method, *best_settings; /* of those that all folds have; "": none yet */
    double best;
} gradus_tuning_state;

/* Called whenever a training ended, from any thread, but from one at a time. */
typedef void (*gradus_tuning_watch)(void *user, const gradus_tuning_state *state);

typedef struct gradus_tuning_input {
    const gradus_dataset *train; /* NULL: the option fold-dirs names the data */
    const gradus_dataset *valid; /* to choose by; NULL: the options folds or fold-dirs say on what */
    const gradus_dataset *test;  /* to measure the chosen on; NULL: the folds' own test parts */
    gradus_tuning_watch watch;   /* NULL: nobody watches */
    void *user;
} gradus_tuning_input;

typedef struct gradus_tuning gradus_tuning;

/* options: operation "tune". Results depend neither on the number of threads nor on whether it was
 * stopped and gone on with (option journal), unless the budget is a time. */
GRADUS_API gradus_tuning *gradus_tune(gradus_context *context, const gradus_tuning_input *input,
                                      const gradus_options *options, gradus_error *err);
GRADUS_API void gradus_tuning_free(gradus_tuning *tuning);
/* Each is false past the last; texts live as long as the tuning. Trials of all methods, and methods,
 * the best first: what was trained to the end before what was given up. */
GRADUS_API bool gradus_tuning_trial_at(const gradus_tuning *tuning, size_t index,
                                       gradus_trial *trial);
GRADUS_API bool gradus_tuning_place_at(const gradus_tuning *tuning, size_t index,
                                       gradus_place *place);
typedef struct gradus_tuning_facts {
    const char *metric, *convention;
    bool lower_is_better;
    size_t folds;
    size_t refit_queries; /* that the model was trained on; 0: there is none */
    bool out_of_time;     /* a budget in time was used up */
    const char *log_scale; /* options searched on a logarithmic scale, comma-separated; "" */
} gradus_tuning_facts;
GRADUS_API void gradus_tuning_describe(const gradus_tuning *tuning, gradus_tuning_facts *facts);
/* The best settings trained again (option refit); the tuning's, NULL if it was not asked for. */
GRADUS_API const gradus_model *gradus_tuning_model(const gradus_tuning *tuning);

/* ---- Experiments of the papers, run again ---- */

typedef struct gradus_experiment {
    const char *name, *summary, *details;
    const char *family; /* experiments of one family share a journal */
    const char *needs;  /* data sets that it needs, blanks between; "": none */
    const char *takes;  /* how long, on two cores: "4 min" */
    const char *uses;   /* data sets that it takes too where they are there; "": none */
} gradus_experiment;

/* False past the last. */
GRADUS_API bool gradus_experiment_at(size_t index, gradus_experiment *experiment);

typedef struct gradus_cell { /* of a table */
    const char *row, *column;
    double ours;
    double error;        /* its standard error; NAN: not known */
    double paper;        /* the published figure; NAN: there is none */
    double p;            /* of a test that the table's title tells of; NAN: none was made */
    const char *verdict; /* "agrees", "better", "differs"; "": nothing to compare with */
} gradus_cell;

typedef struct gradus_table {
    const char *title;
    size_t digits;    /* after the point, for showing */
    double tolerance; /* differences up to this, or to two standard errors, agree */
    size_t count;
    const gradus_cell *cells;
} gradus_table;

typedef struct gradus_series {
    const char *name;
    bool theory; /* what ours are held against */
    size_t count;
    const double *x, *y; /* not finite: a gap */
} gradus_series;

typedef struct gradus_figure {
    const char *title, *x, *y; /* of the axes */
    size_t count;
    const gradus_series *series;
} gradus_figure;

typedef struct gradus_claim { /* a finding of the paper */
    const char *claim;
    bool held;
    const char *found; /* what was found here */
} gradus_claim;

typedef struct gradus_reproduction gradus_reproduction;

/* options: operation "reproduce". What is finished is kept in its journal, so that a run that was
 * stopped goes on. Not finding the data that it needs is GRADUS_NO_FILE. */
GRADUS_API gradus_reproduction *gradus_reproduce(gradus_context *context, const char *name,
                                                 const gradus_options *options,
                                                 gradus_error *err);
GRADUS_API void gradus_reproduction_free(gradus_reproduction *reproduction);
/* Each is false (or NULL) past the last; what they give lives as long as the reproduction. */
GRADUS_API bool gradus_reproduction_table_at(const gradus_reproduction *reproduction, size_t index,
                                             gradus_table *table);
GRADUS_API bool gradus_reproduction_figure_at(const gradus_reproduction *reproduction,
                                              size_t index, gradus_figure *figure);
GRADUS_API bool gradus_reproduction_claim_at(const gradus_reproduction *reproduction, size_t index,
                                             gradus_claim *claim);
GRADUS_API const char *gradus_reproduction_note_at(const gradus_reproduction *reproduction,
                                                   size_t index);
/* All of it as a JSON text. */
GRADUS_API const char *gradus_reproduction_json(const gradus_reproduction *reproduction);

#ifdef __cplusplus
}
#endif
#endif /* GRADUS_EXPERIMENTS_H */
