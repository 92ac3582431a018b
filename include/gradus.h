/* gradus.h - learn to rank from graded relevance: read data, evaluate rankings, compare them.
 *
 * Ownership: what *_new, *_read, *_borrow or another maker returns is the caller's, to end with the
 *   matching *_free, which accepts NULL. Arguments marked const are borrowed for the call only.
 * Errors: a function that can fail returns a status, or NULL, and fills `err` unless it is NULL.
 * NULL: a context (one thread), options (the defaults), err and whatever is said to be optional may
 *   be NULL. Any other pointer that is NULL is GRADUS_BAD_ARGUMENT; functions without a status
 *   return NULL, false, 0 or "".
 * Threads: a dataset is never changed once made; any number of threads may read it. A context
 *   serves one call at a time. Results never depend on the number of threads.
 * Options: an operation ("read", "evaluate", "synth web", ...) has parameters that are declared
 *   once in the library; gradus_param_at lists them, gradus_options_set checks and keeps a value. */
#ifndef GRADUS_H
#define GRADUS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define GRADUS_API __attribute__((visibility("default")))
#else
#define GRADUS_API
#endif

#define GRADUS_VERSION "0.1.0"
GRADUS_API const char *gradus_version(void);

typedef enum gradus_status {
    GRADUS_OK = 0,
    GRADUS_BAD_ARGUMENT, /* a name is unknown, or a value outside its documented range */
    GRADUS_BAD_FORMAT,   /* a file does not parse; the message names file, line and column */
    GRADUS_BAD_NUMBER,   /* a number that is not finite, where one must be; labels or weights that
                            the work cannot use */
    GRADUS_NO_MEMORY,
    GRADUS_NO_FILE,  /* a file cannot be opened, read or written */
    GRADUS_CANCELLED /* the progress callback asked to stop */
} gradus_status;

typedef struct gradus_error {
    gradus_status status;
    char message[508];
} gradus_error;

/* ---- Context: the threads to use, and whom to tell what was noticed ---- */

typedef struct gradus_context gradus_context;
typedef void (*gradus_note_function)(void *user, const char *note);

/* threads 0: one for each processor this process may use. A NULL context means one thread.
 * A context made before fork() can be used and freed in the parent and in the child. */
GRADUS_API gradus_context *gradus_context_new(size_t threads, gradus_error *err);
GRADUS_API void gradus_context_free(gradus_context *context);
GRADUS_API size_t gradus_context_threads(const gradus_context *context);
/* The most bytes that work should take; 0: no limit. Work that is estimated to need more is refused
 * before it starts (GRADUS_NO_MEMORY). */
GRADUS_API void gradus_context_set_max_memory(gradus_context *context, uint64_t bytes);
/* Notes are things a user should know that are not errors, such as "rows were regrouped". */
GRADUS_API void gradus_context_on_note(gradus_context *context, gradus_note_function note,
                                       void *user);
/* Long work reports what it is doing ("reading", "making", "writing") and which fraction of it is
 * done, from 0 to 1; 1 is reported once, at the end. Within a fit it reports "fitting" and 0, only
 * to ask whether to go on. It is called from any thread, but from one at a time.
 * Returning false ends the work with GRADUS_CANCELLED and leaves nothing behind. */
typedef bool (*gradus_progress_function)(void *user, const char *what, double done);
GRADUS_API void gradus_context_on_progress(gradus_context *context,
                                           gradus_progress_function progress, void *user);

/* ---- Options of an operation ---- */

typedef struct gradus_options gradus_options;

GRADUS_API gradus_options *gradus_options_new(const char *operation, gradus_error *err);
GRADUS_API gradus_status gradus_options_set(gradus_options *options, const char *name,
                                            const char *value, gradus_error *err);
/* The value now in force, as text; "" for an unknown name. Valid until the next set or free. */
GRADUS_API const char *gradus_options_value(gradus_options *options, const char *name);
GRADUS_API void gradus_options_free(gradus_options *options);

typedef enum gradus_param_kind {
    GRADUS_FLAG,   /* true or false */
    GRADUS_COUNT,  /* a whole number from low to high */
    GRADUS_REAL,   /* a number from low to high */
    GRADUS_CHOICE, /* one of choices */
    GRADUS_TEXT    /* any text */
} gradus_param_kind;

/* What an operation does with the file that a value names. */
typedef enum gradus_path_role {
    GRADUS_PATH_NONE,         /* not a path */
    GRADUS_PATH_READ,         /* a file, if one has that name: a cost has a name or a file */
    GRADUS_PATH_READ_LIST,    /* files, comma-separated */
    GRADUS_PATH_READ_FOLDERS, /* folders of data files, comma-separated */
    GRADUS_PATH_WRITTEN       /* a file that is made, replaced or added to */
} gradus_path_role;

typedef struct gradus_param {
    const char *name;           /* as typed after "--" */
    const char *argument;       /* what help calls the value: "N"; NULL for a flag */
    const char *help;           /* one line */
    const char *initial;        /* the default, as text; "" for none */
    const char *const *choices; /* NULL ends it; NULL unless kind is GRADUS_CHOICE */
    double low, high;
    gradus_param_kind kind;
    gradus_path_role path; /* GRADUS_PATH_NONE unless kind is GRADUS_TEXT */
} gradus_param;

/* False past the last parameter of the operation (or for an unknown operation). */
GRADUS_API bool gradus_param_at(const char *operation, size_t index, gradus_param *param);

/* ---- Catalogues: what there is, for help pages and bindings ---- */

typedef struct gradus_entry {
    const char *name;
    const char *summary; /* one line */
    const char *details; /* a paragraph, or "" */
} gradus_entry;

/* Catalogues: operations, metrics, conventions, methods, learners, presets, objectives, costs,
 * tests, synths, transforms. False past the last entry (or for an unknown catalogue). */
GRADUS_API bool gradus_entry_at(const char *catalogue, size_t index, gradus_entry *entry);

/* ---- Data: rows of features with labels, grouped by query ---- */

typedef struct gradus_dataset gradus_dataset;

/* Reads LETOR/SVMlight text, CSV/TSV or gradus binary, plain, gzip or zstd; "-" is standard
 * input. The form is found from the content. options: operation "read", or NULL. */
GRADUS_API gradus_dataset *gradus_dataset_read(gradus_context *context, const char *path,
                                               const gradus_options *options, gradus_error *err);
/* Reads several files as one dataset: the rows of the first file come first. A query id in two
 * files is an error, unless option join-queries is set: then its rows form one query. Files of text
 * may have different numbers of features, and the dataset has the largest; files with feature names
 * (CSV) must have the same ones in the same order. Weights in files of their own (row-weights,
 * query-weights) are for the rows and queries of all files. count is at least 1. */
GRADUS_API gradus_dataset *gradus_dataset_read_files(gradus_context *context,
                                                     const char *const *paths, size_t count,
                                                     const gradus_options *options,
                                                     gradus_error *err);
/* Writes the whole file or none of it; "-" is standard output. options: operation "write". */
GRADUS_API gradus_status gradus_dataset_write(gradus_context *context, const gradus_dataset *data,
                                              const char *path, const gradus_options *options,
                                              gradus_error *err);
GRADUS_API void gradus_dataset_free(gradus_dataset *data);

/* The caller's arrays. Either dense: feature f of row r is values[r * stride + f]; or sparse
 * (values NULL): row r has entries row_starts[r] to row_starts[r + 1] of columns and entries,
 * columns ascending within a row. NAN marks a missing value; an absent sparse entry is 0. */
typedef struct gradus_arrays {
    size_t rows, features;
    const float *values;
    size_t stride;
    const uint64_t *row_starts;
    const uint32_t *columns;
    const float *entries;
    const float *labels;
    /* 0: no query information, all rows are one query; methods that compare rows of a query then
     * need the option "one-query" */
    size_t queries;
    const uint64_t *query_starts; /* queries + 1 offsets of rows; NULL if queries is 0 */
    const float *row_weights;     /* NULL: all 1 */
    const float *query_weights;   /* NULL: all 1 */
} gradus_arrays;

/* Makes a dataset over the caller's arrays without copying them: they must outlive it. Offsets,
 * columns, labels (finite) and weights (finite, from 0 on) are checked; no query may be empty. */
GRADUS_API gradus_dataset *gradus_dataset_borrow(const gradus_arrays *arrays, gradus_error *err);
/* The arrays of a dataset, valid as long as it is. Content of a binary file is verified once. */
GRADUS_API gradus_status gradus_dataset_arrays(gradus_context *context, const gradus_dataset *data,
                                               gradus_arrays *arrays, gradus_error *err);
GRADUS_API size_t gradus_dataset_rows(const gradus_dataset *data);
GRADUS_API size_t gradus_dataset_features(const gradus_dataset *data);
GRADUS_API size_t gradus_dataset_queries(const gradus_dataset *data);
/* Names as in the file. Documents and features without a name give "". Valid as long as data. */
GRADUS_API const char *gradus_dataset_query_name(const gradus_dataset *data, size_t query);
GRADUS_API const char *gradus_dataset_document_name(const gradus_dataset *data, size_t row);
GRADUS_API const char *gradus_dataset_feature_name(const gradus_dataset *data, size_t feature);
/* Fills order (one per row) with the rows in the order of the file: order[0] is its first row. Rows
 * of a query that were apart in the file are together in the dataset. */
GRADUS_API gradus_status gradus_dataset_file_order(const gradus_dataset *data, size_t *order,
                                                   gradus_error *err);
/* The feature that a user's word means: a name, or an id as written in the file. */
GRADUS_API gradus_status gradus_dataset_find_feature(const gradus_dataset *data, const char *word,
                                                     size_t *feature, gradus_error *err);

/* A copy with features rescaled. options: operation "transform". */
GRADUS_API gradus_dataset *gradus_dataset_transform(gradus_context *context,
                                                    const gradus_dataset *data,
                                                    const gradus_options *options,
                                                    gradus_error *err);
/* Writes the part (0, 1, ...) of each query, and how many parts there are.
 * options: operation "split". With its option letor the parts are S1 to S5 (0 to 4), and fold i
 * uses part p to train if (p + 5 - i) % 5 is 0, 1 or 2, to validate if 3, to test if 4. */
GRADUS_API gradus_status gradus_dataset_split(const gradus_dataset *data,
                                              const gradus_options *options, size_t *part_of_query,
                                              size_t *parts, gradus_error *err);
/* A copy of the chosen queries, at least one, in the order given. */
GRADUS_API gradus_dataset *gradus_dataset_subset(gradus_context *context,
                                                 const gradus_dataset *data,
                                                 const size_t *queries, size_t count,
                                                 gradus_error *err);

/* Makes a synthetic set, streamed to a file. synth: operation "synth web" or another of the
 * catalogue synths; write: operation "write". */
GRADUS_API gradus_status gradus_synth_write(gradus_context *context, const gradus_options *synth,
                                            const char *path, const gradus_options *write,
                                            gradus_error *err);
/* The same set, in memory. */
GRADUS_API gradus_dataset *gradus_synth(gradus_context *context, const gradus_options *synth,
                                        gradus_error *err);

enum { GRADUS_HISTOGRAM_BINS = 12 };
enum { GRADUS_LABELS_LISTED = 1000 }; /* with more distinct labels they are only counted */

typedef struct gradus_description {
    size_t rows, features, queries;
    bool sparse;           /* how the rows are stored */
    bool has_queries;      /* the file named queries */
    bool has_documents;    /* the file named documents */
    size_t first_id;       /* how the file numbers its first feature: 0 or 1 */
    size_t documents_min, documents_max;
    double documents_median;
    size_t labels;              /* distinct labels */
    const double *label_values; /* ascending; NULL if there are more than GRADUS_LABELS_LISTED */
    const size_t *label_rows;   /* how many rows have each; NULL likewise */
    double label_min, label_max, label_mean; /* NAN if there are no rows */
    bool graded;                /* every label is a non-negative whole number */
    size_t entries;             /* values other than 0 that are not missing */
    size_t missing;             /* values that are NAN */
    double density;             /* entries of rows x features */
    size_t constants;           /* features with one value in all rows */
    const size_t *constant_features; /* ascending */
    size_t duplicates; /* features equal to an earlier one, constant ones left aside */
    const size_t *duplicate_features; /* ascending */
    const size_t *duplicate_of;
    size_t queries_without_relevant; /* no label above 0 */
    size_t queries_with_one_label;   /* nothing to order */
    /* documents a query: bin b holds queries of histogram_edges[b] to histogram_edges[b+1]-1 */
    size_t histogram_bins;
    size_t histogram_edges[GRADUS_HISTOGRAM_BINS + 1];
    size_t histogram[GRADUS_HISTOGRAM_BINS];
} gradus_description;

GRADUS_API gradus_description *gradus_describe(gradus_context *context, const gradus_dataset *data,
                                               gradus_error *err);
GRADUS_API void gradus_description_free(gradus_description *description);

/* What two sets share that a training and a test set should not, and what one lacks. Features
 * are the same if their place is; the set with fewer has zeros for the rest. A missing value equals
 * a missing value. */
typedef struct gradus_overlap {
    size_t queries;             /* query names in both */
    const size_t *query_first;  /* their places in the first set, ascending */
    size_t rows;                /* rows of the second whose features all equal a row of the first */
    size_t labelled_rows;       /* of those, with the same label too */
    size_t only_first;          /* features with a value other than 0 in the first set alone */
    const size_t *only_first_features;
    size_t only_second;
    const size_t *only_second_features;
} gradus_overlap;

GRADUS_API gradus_overlap *gradus_overlap_find(gradus_context *context,
                                               const gradus_dataset *first,
                                               const gradus_dataset *second, gradus_error *err);
GRADUS_API void gradus_overlap_free(gradus_overlap *overlap);

/* ---- Scores: one number a row, higher is better ---- */

/* Fills one score a row of data. what: a model file, a file of scores (one a line, in the order of
 * the data file, or a TREC run that names every document), or an untrained method of the catalogue
 * methods: "feature:ID", "random". Scores that are not finite are refused. */
GRADUS_API gradus_status gradus_scores(gradus_context *context, const gradus_dataset *data,
                                       const char *what, uint64_t seed, double *scores,
                                       gradus_error *err);
/* Writes scores in the order of the data file, or as a TREC run if run_name is not NULL. */
GRADUS_API gradus_status gradus_scores_write(const gradus_dataset *data, const double *scores,
                                             const char *path, const char *run_name,
                                             gradus_error *err);

/* Writes `columns` numbers a row (row r has values[r * columns] and on), blanks between, in the order
 * of the data file, after a first line that begins with "# " (NULL: none). */
GRADUS_API gradus_status gradus_columns_write(const gradus_dataset *data, const double *values,
                                              size_t columns, const char *heading,
                                              const char *path, gradus_error *err);

/* ---- Training ---- */

typedef struct gradus_model gradus_model;
typedef struct gradus_training gradus_training;

/* A loss of the caller's: fills gradients and hessians (>= 0), each rows long, at the scores. Rows
 * are those of the training set. Called from one thread at a time; not GRADUS_OK ends training. */
typedef gradus_status (*gradus_objective_function)(void *user, const gradus_dataset *data,
                                                   const double *scores, float *gradients,
                                                   float *hessians);
/* A metric of the caller's, over all rows of a set: higher is better. */
typedef gradus_status (*gradus_metric_function)(void *user, const gradus_dataset *data,
                                                const double *scores, double *value);

typedef struct gradus_training_input {
    const gradus_dataset *train;   /* must outlive the training, as must everything here */
    const gradus_dataset *valid;   /* NULL: none */
    const gradus_model *start;     /* NULL: from the beginning; else its trees come first */
    bool resume;                   /* start is a checkpoint of the same training: go on with it */
    const double *initial;         /* scores to begin with, one a row (methods with one output) */
    const double *initial_valid;   /* the same for valid */
    const gradus_dataset *const *others; /* sets that are measured after rounds as valid is, and
                                            decide nothing; see gradus_training_other */
    size_t other_count;
    gradus_objective_function objective; /* NULL: the method's. Needs a method with one output */
    gradus_metric_function metric;       /* NULL: that of the options */
    void *user;
} gradus_training_input;

/* options: operation "train". Bins are made here. */
GRADUS_API gradus_training *gradus_training_new(gradus_context *context,
                                                const gradus_training_input *input,
                                                const gradus_options *options, gradus_error *err);
/* One round. *done: no more rounds are wanted (all done, stopped early, or nothing left to fit).
 * After a round that was cancelled, gradus_training_checkpoint gives the training up to the round
 * before; the training object cannot be stepped afterwards. */
GRADUS_API gradus_status gradus_training_step(gradus_training *training, bool *done,
                                              gradus_error *err);

typedef struct gradus_training_state {
    size_t round, rounds;      /* done, and asked for */
    const char *metric;        /* "ndcg@10"; "" if nothing is measured */
    bool lower_is_better;
    double train, valid;       /* values last taken; NAN if never */
    size_t best_round;         /* 0: no validation data */
    double best_valid;
    const char *stopped;       /* why it is done, in words; "" if it is not */
    double bin_seconds, train_seconds, evaluate_seconds;
    bool by_rounds;            /* false: all is fitted in one step, which counts as a round */
    size_t steps;              /* on rows or pairs drawn at random, so far; 0: rounds go over all */
} gradus_training_state;

GRADUS_API void gradus_training_look(const gradus_training *training, gradus_training_state *state);
/* The value of the metric last taken on a set of `others`; NAN if never: with initial scores, and for
 * methods that measure valid themselves (calibrated). */
GRADUS_API double gradus_training_other(const gradus_training *training, size_t index);
/* The training so far, as a model that `resume` goes on from. */
GRADUS_API gradus_model *gradus_training_checkpoint(const gradus_training *training,
                                                    gradus_error *err);
/* The model: the best round if there is validation data, else all. Training may not go on. */
GRADUS_API gradus_model *gradus_training_finish(gradus_training *training, gradus_error *err);
GRADUS_API void gradus_training_free(gradus_training *training);

/* All steps to the end. valid may be NULL; options: operation "train", or NULL for its defaults. */
GRADUS_API gradus_model *gradus_train(gradus_context *context, const gradus_dataset *train,
                                      const gradus_dataset *valid, const gradus_options *options,
                                      gradus_error *err);

/* ---- Models: never changed once made; any number of threads may use one ---- */

/* Written whole or not at all. */
GRADUS_API gradus_status gradus_model_write(const gradus_model *model, const char *path,
                                            gradus_error *err);
/* The bytes that the file has, or would have. */
GRADUS_API gradus_status gradus_model_size(const gradus_model *model, uint64_t *size,
                                           gradus_error *err);
GRADUS_API gradus_model *gradus_model_read(const char *path, gradus_error *err);
GRADUS_API void gradus_model_free(gradus_model *model);
/* Whether a file looks like a model, by its first bytes. */
GRADUS_API bool gradus_model_is_file(const char *path);
/* The model with another way to score (docs/scoring.md), or only its first rounds. options:
 * operation "score". The model must outlive it. A cost that the rule is not made for is noted. */
GRADUS_API gradus_model *gradus_model_with(gradus_context *context, const gradus_model *model,
                                           const gradus_options *options, gradus_error *err);

/* One score a row; data may have more features than the model, which are passed over and noted. */
GRADUS_API gradus_status gradus_model_score(gradus_context *context, const gradus_model *model,
                                            const gradus_dataset *data, double *scores,
                                            gradus_error *err);
/* P(grade) of each row: rows x grades, none negative, summing to one. Fails if the method has none.
 */
GRADUS_API gradus_status gradus_model_probabilities(gradus_context *context,
                                                    const gradus_model *model,
                                                    const gradus_dataset *data,
                                                    double *probabilities, gradus_error *err);
/* The predicted grade of each row: of models with thresholds, how many the output reaches; of cocr,
 * how many of its outputs reach one half; else the most probable. Fails if the method knows no
 * grades. */
GRADUS_API gradus_status gradus_model_grades(gradus_context *context, const gradus_model *model,
                                             const gradus_dataset *data, double *grades,
                                             gradus_error *err);
/* Scores and probabilities of rows in memory, on the calling thread and without a dataset: feature f of row r is
 * values[r * stride + f]. The rows are taken for one query. Either result may be NULL. */
GRADUS_API gradus_status gradus_model_score_rows(const gradus_model *model, const float *values,
                                                 size_t rows, size_t features, size_t stride,
                                                 double *scores, double *probabilities,
                                                 gradus_error *err);

/* The model with its outputs calibrated on data that it was not trained on. options: operation
 * "calibrate". The model must outlive it, and may be calibrated already. */
GRADUS_API gradus_model *gradus_calibrate(gradus_context *context, const gradus_model *model,
                                          const gradus_dataset *data, const gradus_options *options,
                                          gradus_error *err);

enum { GRADUS_MOST_BINS = 100 };

/* How far probabilities of grades are what they say. Every row counts once for every grade k but
 * the lowest: the event is "grade k or higher". */
typedef struct gradus_reliability {
    size_t bins;
    double weight[GRADUS_MOST_BINS];    /* of the events whose probability is in the bin ... */
    double predicted[GRADUS_MOST_BINS]; /* ... their mean probability; NAN: there are none ... */
    double observed[GRADUS_MOST_BINS];  /* ... and the share of them that came true */
    double error;                       /* expected calibration error: mean |predicted - observed| */
    double largest_error;               /* of a bin */
    double log_loss;                    /* mean -log P(the row's grade) */
    double brier;                       /* mean over events of (probability - came true)^2 ... */
    double reliability, resolution, uncertainty; /* ... is about the first - the second + the third */
} gradus_reliability;

/* bins: 1 to GRADUS_MOST_BINS, of equal width. Fails if the model gives no probabilities, or rows
 * have grades that it does not know. */
GRADUS_API gradus_status gradus_model_reliability(gradus_context *context,
                                                  const gradus_model *model,
                                                  const gradus_dataset *data, size_t bins,
                                                  gradus_reliability *out, gradus_error *err);

/* Several models as one. options: operation "ensemble". The models must outlive it; valid: what
 * weights are found on, NULL only for ways that need none. */
GRADUS_API gradus_model *gradus_ensemble(gradus_context *context, const gradus_model *const *models,
                                         size_t count, const gradus_dataset *valid,
                                         const gradus_options *options, gradus_error *err);

typedef struct gradus_model_facts {
    const char *method;
    size_t features, outputs, rounds, trees, leaves;
    size_t grades;              /* 0: the method knows none */
    const double *grade_values; /* ascending */
    bool probabilities;         /* gradus_model_probabilities works */
    const char *scoring;        /* how outputs become a score: "expected-grade" */
    size_t train_rows, train_queries;
    const char *metric, *convention; /* of the curve; "" */
    bool lower_is_better;
    size_t rounds_done, best_round; /* best_round 0: there was no validation data */
    bool validated;             /* there was validation data */
    size_t start_rounds;        /* of the model that training started from; 0: there was none */
    bool finished;              /* false: a checkpoint */
    size_t equations;           /* of a linear model, one an output; 0: it is none */
    size_t kernels;             /* of a sum of Gaussian kernels; 0: it is none */
    double log_likelihood;      /* of a fit by maximum likelihood; NAN: it was none */
    const double *thresholds;   /* between grades, grades - 1, on the output; NULL: it has none */
    bool net;                   /* it is a net ... */
    size_t units, weights;      /* ... of so many units between features and score, and numbers */
    size_t voters, voter_splits; /* of votes: classifiers, one a round, and their splits; else 0 */
    bool products;              /* the classifiers are products of cuts, not trees */
    const char *calibration;    /* how outputs were calibrated last; "": they were not */
    size_t support_rows;        /* of kernel machines */
    size_t members;             /* of an ensemble; 0: not an ensemble. Sizes are totals over all of
                                   them, rounds the most that one has */
    const char *combination;    /* of members: "weighted-sum", "borda", "reciprocal-rank"; else "" */
    double rank_constant;       /* of reciprocal-rank */
} gradus_model_facts;

GRADUS_API void gradus_model_describe(const gradus_model *model, gradus_model_facts *facts);
/* A member of an ensemble (from 0) as a model for gradus_model_describe, _member, _importance,
 * _tree_at, _calibration_at and the like; the ensemble must outlive it. Its method is "forest",
 * "linear" or another kind of learner where the file does not name it. *weight (may be NULL): what
 * its scores or probabilities are multiplied by; 1 / members where ranks are combined. */
GRADUS_API gradus_model *gradus_model_member(const gradus_model *model, size_t index,
                                             double *weight, gradus_error *err);
/* A fitted parameter of a calibration of the model's outputs. */
typedef struct gradus_calibration_parameter {
    const char *method; /* "platt" */
    const char *name;   /* "a" */
    size_t output;      /* that it applies to, from 1; 0: all */
    double value;
} gradus_calibration_parameter;
/* Calibration 0 is the last applied. False past its last parameter; every calibration has one. Of
 * isotonic, network and gaussian-process the parameters are sizes. */
GRADUS_API bool gradus_model_calibration_at(const gradus_model *model, size_t calibration,
                                            size_t index, gradus_calibration_parameter *out);
/* The recipe: options of "train" that made it. False past the last. */
GRADUS_API bool gradus_model_option_at(const gradus_model *model, size_t index, const char **name,
                                       const char **value);
/* The learning curve. Values not taken are NAN. False past the last point. */
GRADUS_API bool gradus_model_curve_at(const gradus_model *model, size_t index, size_t *round,
                                      double *train, double *valid);
/* Numbers that the learner tells of its fit ("objective", "duality gap"). False past the last. */
GRADUS_API bool gradus_model_result_at(const gradus_model *model, size_t index, const char **name,
                                       double *value);
/* The kernel of a model that is a sum of kernels with support rows. False if it is none. */
typedef struct gradus_kernel_facts {
    const char *name; /* "gaussian", "polynomial", "linear" */
    double bandwidth, coef0;
    size_t degree;
    size_t rows; /* support rows */
    bool sparse;
} gradus_kernel_facts;
GRADUS_API bool gradus_model_kernel(const gradus_model *model, gradus_kernel_facts *facts);
/* "" if features have no names; then they are known by number, from gradus_model_first_id on. */
GRADUS_API const char *gradus_model_feature_name(const gradus_model *model, size_t feature);
GRADUS_API size_t gradus_model_first_id(const gradus_model *model);
/* Of each feature: the gains of its splits, and how many there are. Of a linear model: the size of
 * its coefficient times the feature's deviation in the training data, summed over outputs, and the
 * number of outputs whose equation has it. Of a net: the sizes of the products of weights on the
 * feature's ways to the score, summed, and the number of ways. Of a sum of kernels: 0. Of an
 * ensemble: each member's numbers divided by their sum, averaged over members in proportion to their
 * absolute weights (members for which all are 0 are left out); and the total of the counts. Either
 * may be NULL. */
GRADUS_API gradus_status gradus_model_importance(const gradus_model *model, double *gains,
                                                 uint64_t *splits, gradus_error *err);

/* A feature that a model uses, with its gain and splits as above. */
typedef struct gradus_feature_use {
    size_t feature;
    double gain;
    uint64_t splits;
} gradus_feature_use;

/* The size of the array for gradus_model_uses: it depends on what the model stores, not on the
 * number of features it was trained with, which may be far larger. */
GRADUS_API size_t gradus_model_most_uses(const gradus_model *model);
/* Lists the features with at least one split, ascending; *count: how many. Hashed features are
 * listed if they are at most 64 per weight. */
GRADUS_API gradus_status gradus_model_uses(const gradus_model *model, gradus_feature_use *uses,
                                           size_t *count, gradus_error *err);

/* Output `output` of a linear model is the intercept plus the sum of coefficients[f] times feature f
 * (transformed, if the model has a transform); what is missing or not finite counts as means[f].
 * spreads: deviations in the training data. They are the model's; any may be NULL. False if there
 * is no such equation. */
GRADUS_API bool gradus_model_equation(const gradus_model *model, size_t output, double *intercept,
                                      const double **coefficients, const double **means,
                                      const double **spreads);

/* Standard errors of a linear model that was fitted by maximum likelihood: of its coefficients (0:
 * not in the equation) and of its thresholds. They are the model's; either may be NULL. False if
 * there are none. */
GRADUS_API bool gradus_model_errors(const gradus_model *model, const double **coefficients,
                                    const double **thresholds);
/* What thresholds of orboost stand for: the cost of ranking grade number `high` under grade number
 * `low` (from 0, low < high) that its loss implies. False if there is no such cost. */
GRADUS_API bool gradus_model_implied_cost(const gradus_model *model, size_t low, size_t high,
                                          double *cost);

/* A node of a tree: left if value < threshold, or missing and missing_left. */
typedef struct gradus_tree_node {
    bool is_leaf;
    size_t feature;
    float threshold;
    size_t left, right; /* nodes */
    bool missing_left;
    double gain;
    double value; /* of a leaf */
    size_t rows;  /* training rows that reach it; 0: not known */
    const float *votes; /* of a leaf of AdaBoost.MH: one a grade, and no value; NULL: none */
} gradus_tree_node;

/* Node 0 is the root. Of AdaBoost.MH a tree is a round; of a product the nodes are its cuts, one after
 * the other, both children being the next one, and a leaf with the votes, which are opposite for
 * rows that are below the threshold of an odd number of cuts. False if there is no such tree (trees are numbered round by round, one an
 * output) or node. */
GRADUS_API bool gradus_model_tree_at(const gradus_model *model, size_t tree, size_t node,
                                     gradus_tree_node *out);

/* The linear model in a leaf of a model tree (its `value` is the mean of the training rows). */
typedef struct gradus_leaf_model {
    double intercept;
    size_t terms;             /* factors[i] times feature features[i], which are the model's */
    const uint32_t *features;
    const double *factors;
    const double *means;      /* of all features: what stands for a missing value */
} gradus_leaf_model;

/* False if the node is no leaf, or leaves are plain numbers. */
GRADUS_API bool gradus_model_leaf_at(const gradus_model *model, size_t tree, size_t node,
                                     gradus_leaf_model *out);

/* ---- Metrics ---- */

typedef struct gradus_evaluation gradus_evaluation;

/* options: operation "evaluate", or NULL for its defaults. */
GRADUS_API gradus_evaluation *gradus_evaluate(gradus_context *context, const gradus_dataset *data,
                                              const double *scores, const gradus_options *options,
                                              gradus_error *err);
/* Evaluates a TREC run file against TREC relevance judgements. Queries are the topics of the
 * judgements, so that runs line up; those that the run lacks have no value, unless the option
 * "complete" is set. */
GRADUS_API gradus_evaluation *gradus_evaluate_run(gradus_context *context, const char *qrels_path,
                                                  const char *run_path,
                                                  const gradus_options *options,
                                                  gradus_error *err);
GRADUS_API void gradus_evaluation_free(gradus_evaluation *evaluation);

typedef struct gradus_result {
    const char *metric;     /* "ndcg@10", also if it was asked for as "NDCG@10" or "ndcg_cut_10" */
    double mean;            /* NAN if no query has a value */
    size_t counted;         /* queries in the mean */
    size_t empty;           /* queries without a relevant document, or without a pair to order */
    size_t brief;           /* queries with fewer documents than the depth */
    const double *by_query; /* one a query; NAN where the query is left out */
    bool lower_is_better;   /* as for errors and risks */
    bool geometric;         /* mean is the geometric mean of by_query, floored at 1e-5 (gmap) */
} gradus_result;

/* False past the last metric. */
GRADUS_API bool gradus_evaluation_at(const gradus_evaluation *evaluation, size_t index,
                                     gradus_result *result);
GRADUS_API size_t gradus_evaluation_queries(const gradus_evaluation *evaluation);
GRADUS_API const char *gradus_evaluation_query_name(const gradus_evaluation *evaluation,
                                                    size_t query);
/* The preset's name, and switches that were changed: "letor4, ties expected"; and every switch in
 * words. */
GRADUS_API const char *gradus_evaluation_convention(const gradus_evaluation *evaluation);
GRADUS_API const char *gradus_evaluation_switches(const gradus_evaluation *evaluation);
/* The mean over queries of one metric, under the default convention. */
GRADUS_API gradus_status gradus_evaluate_metric(const gradus_dataset *data, const double *scores,
                                                const char *metric, double *mean,
                                                gradus_error *err);

enum { GRADUS_MOST_GRADES = 256 };

/* Labels against predicted grades: grade_values (room for GRADUS_MOST_GRADES) are the *grades
 * different ones, ascending; counts (room for their square) the weight of rows whose label is the
 * i-th and prediction the k-th, at [i * *grades + k]. */
GRADUS_API gradus_status gradus_confusion(const gradus_dataset *data, const double *predicted,
                                          size_t *grades, double *grade_values, double *counts,
                                          gradus_error *err);

/* ---- Statistics ---- */

/* System a against system b, query by query. */
typedef struct gradus_contrast {
    size_t a, b;             /* positions in `values` */
    size_t queries;          /* that have a value in both */
    double mean_a, mean_b;   /* over those */
    double difference;       /* mean_b - mean_a */
    double low, high;        /* two-sided confidence interval of the difference; NAN if none */
    double statistic;        /* of the test; NAN where it has none */
    double freedom;          /* degrees of freedom; NAN where it has none */
    double p;                /* NAN where a test needs more than the one query there is */
    double p_adjusted;       /* by Holm over all contrasts that have a p */
    size_t wins, ties, losses; /* queries where b is better, equal, worse */
} gradus_contrast;

typedef struct gradus_comparison gradus_comparison;

/* values[s][q] is the value of system s on query q; NAN leaves the query out of the pairs with s.
 * Every pair of systems is compared: (0, 1), (0, 2), ..., (1, 2), ... One-sided tests ask whether
 * the later system, b, is better. options: operation "compare", or NULL: paired t, two-sided. */
GRADUS_API gradus_comparison *gradus_compare(gradus_context *context, size_t systems,
                                             size_t queries, const double *const *values,
                                             const gradus_options *options, gradus_error *err);
GRADUS_API bool gradus_comparison_at(const gradus_comparison *comparison, size_t index,
                                     gradus_contrast *contrast);
GRADUS_API void gradus_comparison_free(gradus_comparison *comparison);
/* Fisher's combination of independent p-values; statistic and combined may be NULL. */
GRADUS_API gradus_status gradus_combine_p(const double *p, size_t count, double *statistic,
                                          double *combined, gradus_error *err);
/* Holm's step-down correction. NAN stays NAN and is not counted; adjusted may be p itself. */
GRADUS_API gradus_status gradus_adjust_p(const double *p, size_t count, double *adjusted,
                                         gradus_error *err);

/* ---- Less often needed ---- */

enum { GRADUS_NUMBER_SIZE = 32 };

/* The shortest text that reads back as the same number, whatever the locale; its length. */
GRADUS_API size_t gradus_number_format(double number, char text[GRADUS_NUMBER_SIZE]);
/* The same for a label or a grade, which are floats in the data: "0.1", not 0.10000000149011612. */
GRADUS_API size_t gradus_label_format(double label, char text[GRADUS_NUMBER_SIZE]);
GRADUS_API gradus_status gradus_number_parse(const char *text, double *number, gradus_error *err);

/* A file that appears whole when closed without an error, or not at all; "-" is standard output. */
typedef struct gradus_output gradus_output;
GRADUS_API gradus_output *gradus_output_new(const char *path, gradus_error *err);
GRADUS_API gradus_status gradus_output_write(gradus_output *output, const void *bytes, size_t size,
                                             gradus_error *err);
GRADUS_API gradus_status gradus_output_close(gradus_output *output, gradus_error *err);
GRADUS_API void gradus_output_abandon(gradus_output *output);

/* The nearest name in a catalogue, for "did you mean"; NULL if none is near. */
GRADUS_API const char *gradus_suggest(const char *word, const char *const *names, size_t count);

#ifdef __cplusplus
}
#endif
#endif /* GRADUS_H */
