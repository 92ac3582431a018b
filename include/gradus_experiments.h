/* SPDX-License-Identifier: Apache-2.0 */
/* gradus_experiments.h - search for settings and methods, and reproduce the papers' experiments. The
 * conventions of gradus.h apply. The examples, in order, are one program; the tests run it. */
#ifndef GRADUS_EXPERIMENTS_H
#define GRADUS_EXPERIMENTS_H
#include "gradus.h"
#ifdef __cplusplus
extern "C" {
#endif

/* ---- Tuning: which method, and with which settings ----
 *
 * Example: three trials each of two methods, on three folds.
 *
 *     gradus_error err;
 *     gradus_options *web = gradus_options_new("synth web", &err);
 *     gradus_options_set_number(web, "queries", 20, &err);
 *     gradus_dataset *data = gradus_synth(NULL, web, &err);
 *     gradus_options *search = gradus_options_new("tune", &err);
 *     if (!data ||
 *         gradus_options_set(search, "method", "regression,lambdamart", &err) != GRADUS_OK ||
 *         gradus_options_set(search, "space", "leaves=4..16:log, rounds=10", &err) != GRADUS_OK ||
 *         gradus_options_set(search, "budget", "3", &err) != GRADUS_OK ||
 *         gradus_options_set_number(search, "folds", 3, &err) != GRADUS_OK) {
 *         fprintf(stderr, "%s\n", err.message);
 *         return 1;
 *     }
 *
 *     const gradus_tuning_input input = { .train = data };
 *     gradus_tuning *tuning = gradus_tune(NULL, &input, search, &err);
 *     if (!tuning) {
 *         fprintf(stderr, "%s\n", err.message);
 *         return 1;
 *     }
 *     gradus_place place;
 *     for (size_t i = 0; gradus_tuning_place_at(tuning, i, &place); i++)
 *         printf("%s %s: %.4f\n", place.best.method, place.best.settings, place.best.valid);
 *     gradus_tuning_free(tuning);
 *     gradus_options_free(search);
 *     gradus_options_free(web);
 *     gradus_dataset_free(data);
 */

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
    size_t trials;              /* settings that were tried */
    double seconds;             /* of all of them */
    double bytes;               /* of a model file; NAN: not known */
    size_t queries;             /* that were tested */
    double test;                /* the mean over them; NAN: there are none */
    double test_low, test_high; /* its 95% confidence interval */
    double p, p_adjusted;       /* paired t test against the first place, by Holm; NAN: none */
} gradus_place;

typedef struct gradus_tuning_state {
    const char *metric;
    bool lower_is_better;
    size_t done, planned;          /* trainings; planned 0: as many as there is time for */
    double used, most;             /* seconds; most is infinite unless the budget is a time */
    const char *method, *settings; /* of the training that ended last */
    size_t fold, folds;            /* where, from 1 */
    size_t part;
    double valid;                            /* NAN: it failed */
    const char *best_method, *best_settings; /* of those that all folds have; "": none yet */
    double best;
} gradus_tuning_state;

/* Called whenever a training ended, from any thread, but from one at a time. */
typedef void (*gradus_tuning_watch)(void *user, const gradus_tuning_state *state);

typedef struct gradus_tuning_input {
    const gradus_dataset *train; /* NULL: the option fold-dirs names the data */
    const gradus_dataset *valid; /* to select by; NULL: by the options folds or fold-dirs */
    const gradus_dataset *test;  /* to test the selected on; NULL: the test parts of the folds */
    gradus_tuning_watch watch;   /* NULL: none */
    void *user;
} gradus_tuning_input;

typedef struct gradus_tuning gradus_tuning;

/* Searches methods and settings. options: operation "tune". The result does not depend on the number
 * of threads, nor on whether it was stopped and resumed (option journal), unless the budget is a
 * time. The datasets may be freed afterwards. */
GRADUS_API gradus_tuning *gradus_tune(gradus_context *context, const gradus_tuning_input *input,
                                      const gradus_options *options, gradus_error *err);
/* Frees a tuning with its texts and its model. */
GRADUS_API void gradus_tuning_free(gradus_tuning *tuning);
/* A trial of any method, by its position from 0, the best first; trials that were trained to the end
 * come before those that were given up. Texts belong to the tuning. False past the last. */
GRADUS_API bool gradus_tuning_trial_at(const gradus_tuning *tuning, size_t index,
                                       gradus_trial *trial);
/* A method with the best of its settings, by its position from 0, the best first. Texts belong to
 * the tuning. False past the last. */
GRADUS_API bool gradus_tuning_place_at(const gradus_tuning *tuning, size_t index,
                                       gradus_place *place);
typedef struct gradus_tuning_facts {
    const char *metric, *convention;
    bool lower_is_better;
    size_t folds;
    size_t refit_queries;  /* that the model was trained on; 0: there is none */
    bool out_of_time;      /* a budget in time was used up */
    const char *log_scale; /* options searched on a logarithmic scale, comma-separated; "" */
} gradus_tuning_facts;
/* Describes a tuning. Texts belong to it. */
GRADUS_API void gradus_tuning_describe(const gradus_tuning *tuning, gradus_tuning_facts *facts);
/* The model of the best settings, retrained on all data (option refit); it belongs to the tuning.
 * NULL: it was not requested. */
GRADUS_API const gradus_model *gradus_tuning_model(const gradus_tuning *tuning);

/* ---- Reproduction of the papers' experiments ----
 *
 * Example:
 *
 *     gradus_experiment experiment;
 *
 *     for (size_t i = 0; gradus_experiment_at(i, &experiment); i++)
 *         printf("%s (%s): %s\n", experiment.name, experiment.takes, experiment.summary);
 */

typedef struct gradus_experiment {
    const char *name, *summary, *details;
    const char *family; /* experiments of one family share a journal */
    const char *needs;  /* data sets that it needs, blanks between; "": none */
    const char *takes;  /* how long, on two cores: "4 min" */
    const char *uses;   /* data sets that it takes too where they are there; "": none */
} gradus_experiment;

/* An experiment, by its position from 0. The texts are constants. False past the last. */
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

/* Runs an experiment by its name. options: operation "reproduce", or NULL. Finished work is stored
 * in its journal, from which a stopped run resumes. If data that it needs are not found:
 * GRADUS_NO_FILE. */
GRADUS_API gradus_reproduction *gradus_reproduce(gradus_context *context, const char *name,
                                                 const gradus_options *options, gradus_error *err);
/* Frees a reproduction with its tables, figures and texts. */
GRADUS_API void gradus_reproduction_free(gradus_reproduction *reproduction);
/* A table, by its position from 0. It belongs to the reproduction. False past the last. */
GRADUS_API bool gradus_reproduction_table_at(const gradus_reproduction *reproduction, size_t index,
                                             gradus_table *table);
/* A figure, by its position from 0. It belongs to the reproduction. False past the last. */
GRADUS_API bool gradus_reproduction_figure_at(const gradus_reproduction *reproduction, size_t index,
                                              gradus_figure *figure);
/* A claim of the paper, by its position from 0. It belongs to the reproduction. False past the last.
 */
GRADUS_API bool gradus_reproduction_claim_at(const gradus_reproduction *reproduction, size_t index,
                                             gradus_claim *claim);
/* A note on the run, by its position from 0. It belongs to the reproduction. NULL past the last. */
GRADUS_API const char *gradus_reproduction_note_at(const gradus_reproduction *reproduction,
                                                   size_t index);
/* The whole reproduction as JSON text. It belongs to the reproduction. */
GRADUS_API const char *gradus_reproduction_json(const gradus_reproduction *reproduction);

#ifdef __cplusplus
}
#endif
#endif /* GRADUS_EXPERIMENTS_H */
