/* SPDX-License-Identifier: Apache-2.0 */
/* gradus_experiments.h - tune methods and their settings, train ensembles automatically, reproduce
 * the papers' experiments, and write report pages. The library is libgradus-experiments, which needs libgradus.
 * The conventions of gradus.h apply (ownership, errors, NULL, threads, versions). The examples form
 * one program, in order; the tests compile and run it. */
#ifndef GRADUS_EXPERIMENTS_H
#define GRADUS_EXPERIMENTS_H
#include "gradus.h"
#ifdef __cplusplus
extern "C" {
#endif

/* ---- Tuning: search for the best method and settings ----
 *
 * Example: three trials each of two methods, with three folds.
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

/* One setting of a method, evaluated on the folds. */
typedef struct gradus_trial {
    const char *method;
    const char *settings; /* options of "train": "leaves=31 learning-rate=0.1"; "": the defaults */
    double valid, error; /* mean over folds of the metric on validation data, and the standard error
                             of that mean (NAN with one fold) */
    double rounds;       /* mean number of rounds of the models */
    size_t part;         /* 1: trained to the end; n: stopped early, after 1/n of the rounds (or on
                             1/n of the queries, if the learner has no rounds) */
    double seconds;      /* training time, all folds together */
    const char *failed;  /* why training failed; "": it did not */
} gradus_trial;

/* A row of the leaderboard: a method with its best settings. */
typedef struct gradus_place {
    gradus_trial best;
    size_t trials;              /* settings tried */
    double seconds;             /* total time of these trials */
    double bytes;               /* size of a model file; NAN: unknown */
    size_t queries;             /* test queries */
    double test;                /* mean of the metric over them; NAN: no test data */
    double test_low, test_high; /* 95% confidence interval of the mean */
    double p, p_adjusted; /* paired t-test against the first row, and Holm-adjusted; NAN: none */
    double prob_best;     /* probability of being the best method: the fraction of 10,000 bootstrap
                             resamples of the queries in which its mean is the best, ties shared;
                             NAN: one method only, not trained to the end, or values unknown */
    bool contender;       /* the best is not clearly better: one of the fewest methods whose
                             prob_best add up to 0.95. If it is the first row only, the winner is
                             clear */
} gradus_place;

typedef struct gradus_tuning_state {
    const char *metric;
    bool lower_is_better;
    size_t done, planned; /* models trained; planned 0: as many as the time budget allows */
    double used, most;    /* seconds; most is infinite unless the budget is a time */
    const char *method, *settings;           /* of the model trained last */
    size_t fold, folds;                      /* its fold, from 1 */
    size_t part;                             /* as in gradus_trial */
    double valid;                            /* NAN: training failed */
    const char *best_method, *best_settings; /* of trials complete on all folds; "": none yet */
    double best;
} gradus_tuning_state;

/* Called each time a model has been trained, from any thread but never concurrently. */
typedef void (*gradus_tuning_watch)(void *user, const gradus_tuning_state *state);

typedef struct gradus_tuning_input {
    const gradus_dataset *train; /* NULL: the option fold-dirs names the data */
    const gradus_dataset *valid; /* selects settings; NULL: use the option folds or fold-dirs */
    const gradus_dataset *test;  /* tests the selected settings; NULL: the folds' test parts */
    gradus_tuning_watch watch;   /* NULL: none */
    void *user;                  /* passed to watch */
    /* Trials are divided among these processes, all of which call gradus_tune with the same data and
     * options and get the same result; the first one writes the journal. NULL: one process. */
    const gradus_collectives *collectives;
} gradus_tuning_input;

typedef struct gradus_tuning gradus_tuning;

/* Searches methods and settings. options: operation "tune", or NULL. The result does not depend on
 * the number of threads, nor on whether the search was interrupted and resumed (option journal),
 * unless the budget is a time. The datasets may be freed afterwards. Returns NULL on failure. */
GRADUS_API gradus_tuning *gradus_tune(gradus_context *context, const gradus_tuning_input *input,
                                      const gradus_options *options, gradus_error *err);
/* Frees a tuning with its strings and its model. */
GRADUS_API void gradus_tuning_free(gradus_tuning *tuning);
/* Gets trial `index` over all methods, best first; trials stopped early come after the others.
 * Strings belong to the tuning. Returns false past the last. */
GRADUS_API bool gradus_tuning_trial_at(const gradus_tuning *tuning, size_t index,
                                       gradus_trial *trial);
/* Gets row `index` of the leaderboard, best method first. Strings belong to the tuning. Returns
 * false past the last. */
GRADUS_API bool gradus_tuning_place_at(const gradus_tuning *tuning, size_t index,
                                       gradus_place *place);
typedef struct gradus_tuning_facts {
    const char *metric, *convention;
    bool lower_is_better;
    size_t folds;
    size_t refit_queries;  /* queries that the final model was trained on; 0: no such model */
    bool out_of_time;      /* the time budget was used up */
    const char *log_scale; /* options searched on a logarithmic scale, comma-separated; "": none */
    const char *best_on;   /* queries that prob_best resamples: "test"; "validation", which also
                              selected the settings, if there are no test data; "": no prob_best */
    size_t best_queries;   /* their number */
} gradus_tuning_facts;
/* Describes a tuning. Strings belong to it. */
GRADUS_API void gradus_tuning_describe(const gradus_tuning *tuning, gradus_tuning_facts *facts);
/* Returns the model with the best settings, retrained on all data (option refit). It belongs to the
 * tuning; do not free it. NULL if it was not requested. */
GRADUS_API const gradus_model *gradus_tuning_model(const gradus_tuning *tuning);

/* ---- Automatic training: from data to an ensemble ----
 *
 * Example: six trials with three folds, and what to expect on new queries.
 *
 *     gradus_options *set = gradus_options_new("synth web", &err);
 *     gradus_options_set_number(set, "queries", 30, &err);
 *     gradus_dataset *labelled = gradus_synth(NULL, set, &err);
 *     gradus_options *automatic = gradus_options_new("auto", &err);
 *     const gradus_tuning_input learned = { .train = labelled };
 *     if (!labelled || gradus_options_set(automatic, "budget", "6", &err) != GRADUS_OK ||
 *         gradus_options_set(automatic, "folds", "3", &err) != GRADUS_OK) {
 *         fprintf(stderr, "%s\n", err.message);
 *         return 1;
 *     }
 *     gradus_auto_result *found = gradus_auto(NULL, &learned, automatic, &err);
 *     if (!found || gradus_model_write(gradus_auto_model(found), "auto.model", &err) != GRADUS_OK) {
 *         fprintf(stderr, "%s\n", err.message);
 *         return 1;
 *     }
 *     gradus_auto_facts facts;
 *     gradus_auto_describe(found, &facts);
 *     printf("%s %.4f [%.4f, %.4f]\n", facts.metric, facts.expected.mean, facts.expected.low,
 *            facts.expected.high);
 *     gradus_auto_free(found);
 *     gradus_options_free(automatic);
 *     gradus_options_free(set);
 *     gradus_dataset_free(labelled);
 */

/* A mean over queries with its 95% confidence interval; all NAN: not measured. */
typedef struct gradus_interval {
    double mean, low, high;
} gradus_interval;

/* Setting of a method that was tried. */
typedef struct gradus_auto_member {
    const char *method, *family; /* family: "trees", "linear", "nets", ... */
    const char *settings;        /* options of "train"; "": the defaults */
    const char *chosen;          /* options chosen from the data, with the rounds: "rounds=87" */
    double value, error; /* mean of the metric over held-out queries, and its standard error */
    double weight;       /* in the ensemble; 0: not a member */
    double scale;        /* factor of its scores there: one over their deviation within queries */
    double seconds;      /* of its cross-validation */
    const char *failed;  /* why training failed; "": it did not */
} gradus_auto_member;

typedef struct gradus_auto_facts {
    const char *metric, *convention;
    bool lower_is_better;
    size_t folds;        /* models trained per trial */
    size_t held_queries; /* held-out queries with a value of the metric */
    size_t trials;       /* settings tried, failed ones included */
    size_t members;      /* of the ensemble; 1: a single model */
    size_t max_rounds;   /* the option, or fewer rounds if time required it; 0: no limit */
    bool probabilities;  /* the model gives probabilities of grades */
    bool fell_back;      /* the ensemble was worse than the best single model, which is used */
    bool out_of_time;    /* the time budget ended the search */
    const char *methods; /* methods tried, comma-separated: the option "methods" of a repetition */
    const char *skipped; /* methods not tried within the budget, comma-separated; "": none */
    /* On held-out queries, with the ensemble and the best single model selected on other queries
     * than those they are evaluated on. difference: ensemble minus single; p: paired t-test. */
    gradus_interval expected, single;
    double difference, p;
    const char *single_method, *single_settings; /* selected on all held-out queries */
    /* On the test data. */
    gradus_interval test, single_test;
    double test_difference, test_p;
    double search_seconds, refit_seconds;
    double row_seconds, single_row_seconds; /* to score a row; NAN: not measured */
    size_t repeat_folds; /* the option "folds" of a repetition, if time required fewer; 0: not */
} gradus_auto_facts;

typedef struct gradus_auto_result gradus_auto_result;

/* Tries settings of several methods on folds of the training data (validation data are added to
 * them), selects an ensemble on the scores of held-out queries, and trains its members on all these
 * data. options: operation "auto", or NULL. With a budget of trials the result depends neither on
 * the number of threads nor on interruptions (option journal). Returns NULL on failure. */
GRADUS_API gradus_auto_result *gradus_auto(gradus_context *context,
                                           const gradus_tuning_input *input,
                                           const gradus_options *options, gradus_error *err);
/* Frees a result with its strings and models. */
GRADUS_API void gradus_auto_free(gradus_auto_result *result);
/* Describes a result. Strings belong to it. */
GRADUS_API void gradus_auto_describe(const gradus_auto_result *result, gradus_auto_facts *facts);
/* Gets trial `index`: members of the ensemble first, by weight; then the others, best first.
 * Strings belong to the result. Returns false past the last. */
GRADUS_API bool gradus_auto_member_at(const gradus_auto_result *result, size_t index,
                                      gradus_auto_member *member);
/* Returns warning `index` on the data, which belongs to the result; NULL past the last. */
GRADUS_API const char *gradus_auto_warning_at(const gradus_auto_result *result, size_t index);
/* Returns the model, which belongs to the result; do not free it. */
GRADUS_API const gradus_model *gradus_auto_model(const gradus_auto_result *result);
/* Returns the best single model, trained on all data; NULL unless it is a member or there are test
 * data. It belongs to the result. */
GRADUS_API const gradus_model *gradus_auto_single(const gradus_auto_result *result);

/* ---- Reproduction of the papers' experiments ----
 *
 * Example: list the experiments.
 *
 *     gradus_experiment experiment;
 *
 *     for (size_t i = 0; gradus_experiment_at(i, &experiment); i++)
 *         printf("%s (%s): %s\n", experiment.name, experiment.takes, experiment.summary);
 */

typedef struct gradus_experiment {
    const char *name, *summary, *details;
    const char *family; /* experiments of one family share a journal */
    const char *needs;  /* required data sets, separated by spaces; "": none */
    const char *takes;  /* run time on two cores: "4 min" */
    const char *uses;   /* optional data sets, used if present; "": none */
    double seconds;     /* run time on two cores, as in `takes` */
} gradus_experiment;

/* Gets experiment `index`. The strings are constants. Returns false past the last. */
GRADUS_API bool gradus_experiment_at(size_t index, gradus_experiment *experiment);

typedef struct gradus_cell { /* of a table */
    const char *row, *column;
    double ours;         /* the value that gradus obtained */
    double error;        /* its standard error; NAN: unknown */
    double paper;        /* the published value; NAN: none */
    double paper_error;  /* its standard error; NAN: not published */
    double p;            /* p-value of the test named in the table's title; NAN: not tested */
    const char *verdict; /* "agrees", "better", "differs", "inconclusive" (a scaled-down run, or
                            errors too large to tell); "": nothing to compare with */
} gradus_cell;

typedef struct gradus_table {
    const char *title;
    size_t digits;    /* decimals to print */
    const char *rule; /* of verdicts: "same data" (values agree within the tolerance), "standard
                         errors" (within two combined standard errors), "none" */
    const char *criterion; /* the rule as a sentence; "": nothing is published */
    double tolerance;      /* of "same data", otherwise 0 */
    size_t count;
    const gradus_cell *cells;
} gradus_table;

typedef struct gradus_series {
    const char *name;
    bool theory; /* a theoretical reference, not a measurement */
    size_t count;
    const double *x, *y; /* a non-finite value is a gap */
} gradus_series;

typedef struct gradus_figure {
    const char *title, *x, *y; /* x, y: the axis labels */
    size_t count;
    const gradus_series *series;
} gradus_figure;

typedef struct gradus_claim { /* of the paper */
    const char *claim;
    bool held;           /* its check succeeded in this run */
    const char *found;   /* what this run found */
    const char *verdict; /* "confirmed", "not confirmed"; "inconclusive": a scaled-down run */
} gradus_claim;

typedef struct gradus_reproduction gradus_reproduction;

/* Runs an experiment by name. options: operation "reproduce", or NULL. Completed work is recorded
 * in the experiment's journal, from which an interrupted run resumes. Returns NULL on failure;
 * GRADUS_NO_FILE if required data are missing. */
GRADUS_API gradus_reproduction *gradus_reproduce(gradus_context *context, const char *name,
                                                 const gradus_options *options, gradus_error *err);
/* Frees a reproduction with its tables, figures and strings. */
GRADUS_API void gradus_reproduction_free(gradus_reproduction *reproduction);
/* Gets table `index`, which belongs to the reproduction. Returns false past the last. */
GRADUS_API bool gradus_reproduction_table_at(const gradus_reproduction *reproduction, size_t index,
                                             gradus_table *table);
/* Gets figure `index`, which belongs to the reproduction. Returns false past the last. */
GRADUS_API bool gradus_reproduction_figure_at(const gradus_reproduction *reproduction, size_t index,
                                              gradus_figure *figure);
/* Gets claim `index`, which belongs to the reproduction. Returns false past the last. */
GRADUS_API bool gradus_reproduction_claim_at(const gradus_reproduction *reproduction, size_t index,
                                             gradus_claim *claim);
/* Returns note `index` on the run, which belongs to the reproduction; NULL past the last. */
GRADUS_API const char *gradus_reproduction_note_at(const gradus_reproduction *reproduction,
                                                   size_t index);
/* Returns the whole reproduction as JSON. The string belongs to the reproduction. */
GRADUS_API const char *gradus_reproduction_json(const gradus_reproduction *reproduction);

/* A claim of one of the five papers. */
typedef struct gradus_paper_claim {
    const char *id;         /* "crr-letor-mse" */
    const char *paper;      /* authors, title (year) */
    const char *claim;      /* in the words of gradus */
    const char *experiment; /* that tests it, or several, separated by spaces; "": none */
    const char *why;        /* why it cannot be tested here; "": it can */
    const char *data;       /* how data and settings differ from the paper's, and other remarks */
    const char
        *status; /* "confirmed"; "not confirmed"; "inconclusive": some checks of it succeed and
                           others do not, a difference is not significant, or a run was scaled
                           down or is missing; "not run"; "not tested": no experiment checks it;
                           "cannot be tested here" */
    size_t checks, held; /* checks in the results, and how many succeeded */
    const char *found;   /* what they found; "": nothing */
} gradus_paper_claim;

typedef struct gradus_paper_claims gradus_paper_claims;

/* Lists the claims of the papers. Their status is that of the results in folder/EXPERIMENT.json, as
 * written by gradus_reproduction_json; folder "": no results. Returns NULL on failure. */
GRADUS_API gradus_paper_claims *gradus_paper_claims_read(const char *folder, gradus_error *err);
/* Frees a list with its strings. */
GRADUS_API void gradus_paper_claims_free(gradus_paper_claims *claims);
/* Gets claim `index`, whose strings belong to the list. Returns false past the last. */
GRADUS_API bool gradus_paper_claim_at(const gradus_paper_claims *claims, size_t index,
                                      gradus_paper_claim *claim);

/* ---- Reports: an HTML page on models, data sets and runs ----
 *
 * Example: a model and a feature on generated data.
 *
 *     gradus_options *pages = gradus_options_new("synth web", &err);
 *     gradus_options_set_number(pages, "queries", 10, &err);
 *     gradus_dataset *rows = gradus_synth(NULL, pages, &err);
 *     gradus_model *model = gradus_train(NULL, rows, NULL, NULL, &err);
 *     const gradus_report_system systems[] = { { .name = "trees", .model = model },
 *                                              { .name = "feature:2" } };
 *     const gradus_report_set sets[] = { { .name = "training data", .data = rows } };
 *     const gradus_report_input shown = {
 *         .systems = systems, .system_count = 2, .sets = sets, .set_count = 1
 *     };
 *     if (gradus_report_available() &&
 *         gradus_report(NULL, &shown, "report.html", &err) != GRADUS_OK) {
 *         fprintf(stderr, "%s\n", err.message);
 *         return 1;
 *     }
 *     gradus_model_free(model);
 *     gradus_dataset_free(rows);
 *     gradus_options_free(pages);
 */

enum { GRADUS_REPORT_SYSTEMS = 8 }; /* colours that can be told apart */

/* A ranker that a report shows. */
typedef struct gradus_report_system {
    const char *name;          /* shown; without a model also what gradus_scores evaluates */
    const gradus_model *model; /* NULL: scores, or a method without training */
    const char *command;       /* how the model was trained, shown with it; NULL: not shown */
} gradus_report_system;

/* Data that the systems of a report are evaluated on. */
typedef struct gradus_report_set {
    const char *name;           /* shown */
    const gradus_dataset *data; /* NULL: read from the file `name`, and freed before the next */
} gradus_report_set;

typedef struct gradus_report_input {
    const char *title;   /* NULL: none */
    const char *command; /* shown at the end of the page: how it was made; NULL: none */
    const gradus_report_system *systems;
    size_t system_count; /* at most GRADUS_REPORT_SYSTEMS */
    const gradus_report_set *sets;
    size_t set_count;        /* at most 16 */
    const char *const *runs; /* JSON files of tuning, comparison, evaluation and reproduction */
    size_t run_count;        /* at most 16 */
    const gradus_options *evaluate, *compare, *read; /* of these operations; NULL: defaults */
    uint64_t seed;                                   /* of the method "random" */
} gradus_report_input;

/* Returns whether reports can be written: whether the library was built with Chart.js. */
GRADUS_API bool gradus_report_available(void);
/* Writes a report to a file, whole or not at all: a single page that needs no network. "-" is
 * standard output. At least one system or run is required, and systems if there are sets. */
GRADUS_API gradus_status gradus_report(gradus_context *context, const gradus_report_input *input,
                                       const char *path, gradus_error *err);
/* Writes a playground to a file: a page to look at the rankings of single queries, with the models as
 * JavaScript. Of the input it uses title, systems, read, seed and the one set, which is required.
 * Large data are thinned to every n-th query. Does not need Chart.js. */
GRADUS_API gradus_status gradus_playground(gradus_context *context,
                                           const gradus_report_input *input, const char *path,
                                           gradus_error *err);

#ifdef __cplusplus
}
#endif
#endif /* GRADUS_EXPERIMENTS_H */
