/* SPDX-License-Identifier: Apache-2.0 */
/* gradus.h - learning to rank from graded relevance: read data, train, score, evaluate, compare.
 *
 * Ownership: the caller owns what a function returns as a pointer to non-const, and frees it with
 *   the matching *_free, which accepts NULL. Pointers to const, and texts in structs, belong to the
 *   object they were obtained from and are valid as long as it is. Arguments marked const are
 *   borrowed for the call only, unless the comment says that they must outlive the result.
 * Errors: a function that can fail returns a status, or NULL, and fills `err` unless it is NULL.
 * NULL: the context (one thread), options (all defaults), err and arguments documented as optional
 *   may be NULL. Any other NULL pointer is GRADUS_BAD_ARGUMENT; functions without a status return
 *   NULL, false, 0 or "".
 * Threads: datasets and models are immutable; any number of threads may use one. A context serves
 *   one call at a time. Results never depend on the number of threads.
 * Options: an operation ("read", "train", "evaluate", "synth web", ...) has parameters;
 *   gradus_param_at lists them, gradus_options_set checks and stores a value.
 * Examples: those in this header, in order, are one program. The tests compile and run it. */
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

/* Filled by the function that fails; left as it is by functions that succeed. */
typedef struct gradus_error {
    gradus_status status;
    char message[508]; /* one line, without the name of the program */
} gradus_error;

/* ---- Version: which library is running, and what it was built with ----
 *
 * Example:
 *
 *     gradus_error err;
 *     gradus_build build;
 *     gradus_component part;
 *
 *     gradus_build_describe(&build);
 *     printf("gradus %s, %s kernels\n", build.version, build.kernels);
 *     for (size_t i = 0; gradus_component_at(i, &part); i++)
 *         printf("%s: %s\n", part.name, part.present ? part.version : "not built");
 */

/* The version of the library at run time; GRADUS_VERSION is that of the header. Never NULL. */
GRADUS_API const char *gradus_version(void);

typedef struct gradus_build {
    const char *version;      /* as gradus_version */
    const char *compiler;     /* "gcc 12.2.0" */
    const char *architecture; /* "x86-64", "aarch64" or "other" */
    const char *kernels;      /* the instruction set that the inner loops use on this processor:
                                 "avx512", "avx2" or "baseline" */
} gradus_build;

/* Describes the library and the processor. The texts are constants. */
GRADUS_API void gradus_build_describe(gradus_build *build);
/* A feature of the processor that a kernel can use ("avx2"). *present: whether this processor has
 * it. False past the last feature; other processors than x86-64 have none. */
GRADUS_API bool gradus_cpu_feature_at(size_t index, const char **name, bool *present);

typedef struct gradus_component {
    const char *name;    /* "zlib" */
    const char *version; /* of the library in use; "": not built, or it has none */
    bool present;
} gradus_component;

/* An optional part of the library. False past the last one. */
GRADUS_API bool gradus_component_at(size_t index, gradus_component *component);

/* ---- Context: threads, memory limit, notes and progress ----
 *
 * Example: all processors, at most 8 GiB.
 *
 *     gradus_context *context = gradus_context_new(0, &err);
 *
 *     if (!context) {
 *         fprintf(stderr, "%s\n", err.message);
 *         return 1;
 *     }
 *     gradus_context_set_max_memory(context, (uint64_t)8 << 30);
 */

typedef struct gradus_context gradus_context;
/* Receives a note: one line without a line feed, valid during the call. */
typedef void (*gradus_note_function)(void *user, const char *note);

/* Makes a context and starts its threads. threads 0: one per processor that this process may use.
 * A context made before fork() can be used and freed in the parent and in the child. NULL: the
 * threads or the memory could not be allocated. */
GRADUS_API gradus_context *gradus_context_new(size_t threads, gradus_error *err);
/* Ends the threads. No call may be using the context. */
GRADUS_API void gradus_context_free(gradus_context *context);
/* The number of threads; 1 for NULL. */
GRADUS_API size_t gradus_context_threads(const gradus_context *context);
/* Sets the maximum bytes that work may take; 0 (the default): no limit. Reading, transforming and
 * training data that are estimated to need more fail with GRADUS_NO_MEMORY before the memory is
 * allocated. It is an estimate of the large arrays, not a hard limit of the process. */
GRADUS_API void gradus_context_set_max_memory(gradus_context *context, uint64_t bytes);
/* Sets the function that receives notes: what a user should know that is not an error, such as "rows
 * were regrouped". note NULL: notes are discarded. user is passed to each call. */
GRADUS_API void gradus_context_on_note(gradus_context *context, gradus_note_function note,
                                       void *user);
/* Receives what long work is doing ("reading", "making", "writing") and the fraction done, from 0 to
 * 1; 1 is reported once, at the end. Within a fit it receives "fitting" and 0, only to ask whether
 * to continue. Called from any thread, but from one at a time. Returning false cancels the work:
 * the function fails with GRADUS_CANCELLED and leaves no partial result. */
typedef bool (*gradus_progress_function)(void *user, const char *what, double done);
/* Sets the function that receives progress; progress NULL: none. user is passed to each call. */
GRADUS_API void gradus_context_on_progress(gradus_context *context,
                                           gradus_progress_function progress, void *user);

/* ---- Options of an operation ----
 *
 * Example: options of training, and a list of all of them with their defaults.
 *
 *     gradus_options *settings = gradus_options_new("train", &err);
 *     gradus_param param;
 *
 *     if (gradus_options_set(settings, "method", "lambdamart", &err) != GRADUS_OK ||
 *         gradus_options_set_number(settings, "rounds", 20, &err) != GRADUS_OK ||
 *         gradus_options_set_number(settings, "learning-rate", 0.2, &err) != GRADUS_OK) {
 *         fprintf(stderr, "%s\n", err.message);
 *         return 1;
 *     }
 *     for (size_t i = 0; gradus_param_at("train", i, &param); i++)
 *         printf("--%s %s: %s (default '%s')\n", param.name, param.argument ? param.argument : "",
 *                param.help, param.initial);
 */

typedef struct gradus_options gradus_options;

/* The options of an operation (an entry of the catalogue operations), all at their defaults. NULL:
 * there is no such operation; the message suggests the nearest name. */
GRADUS_API gradus_options *gradus_options_new(const char *operation, gradus_error *err);
/* Sets an option from text, as typed after "--name". The value is copied. An unknown name, or a
 * value outside the option's range or choices, is GRADUS_BAD_ARGUMENT and changes nothing. An
 * option may imply values of others that have not been set (a preset does). name: as
 * gradus_param_find takes it. */
GRADUS_API gradus_status gradus_options_set(gradus_options *options, const char *name,
                                            const char *value, gradus_error *err);
/* Sets an option from a number: a GRADUS_REAL to exactly that value, a GRADUS_COUNT to a whole
 * number of at most 2^53 (set larger ones as text), a GRADUS_FLAG to 0 or 1. Ranges are checked as
 * by gradus_options_set, with the same messages. Options of text or choices are
 * GRADUS_BAD_ARGUMENT. */
GRADUS_API gradus_status gradus_options_set_number(gradus_options *options, const char *name,
                                                   double value, gradus_error *err);
/* The current value, as text; "" for an unknown name. Valid until the next call with options. */
GRADUS_API const char *gradus_options_value(gradus_options *options, const char *name);
/* Frees the options. Functions that took them have copied what they need. */
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
    const char *rule;      /* how training chooses the default from the data; NULL: it is initial */
    const char *aliases;   /* names of other tools that are accepted for it, in words; NULL: none */
} gradus_param;

/* Describes a parameter of an operation, by its position from 0. The texts are constants. False past
 * the last parameter, or for an unknown operation. */
GRADUS_API bool gradus_param_at(const char *operation, size_t index, gradus_param *param);
/* The parameter of a name or alias, '-' and '_' alike, as gradus_options_set takes it; false:
 * unknown. */
GRADUS_API bool gradus_param_find(const char *operation, const char *name, gradus_param *param);
/* The present name of an option that had another name in an earlier version; NULL for any other
 * name. The old name itself is not accepted. */
GRADUS_API const char *gradus_param_renamed(const char *operation, const char *name);

/* How training by a method uses an option of "train". */
typedef enum gradus_option_use {
    GRADUS_OPTION_UNUSED, /* it does not read the option */
    GRADUS_OPTION_USED,   /* it reads the option */
    GRADUS_OPTION_TUNED   /* it reads the option, and tuning varies it by default */
} gradus_option_use;
/* learner: NULL for the method's default. Unknown names are not used. */
GRADUS_API gradus_option_use gradus_method_uses(const char *method, const char *learner,
                                                const char *option);

/* ---- Catalogues: what is available, for help pages and bindings ----
 *
 * Example:
 *
 *     gradus_entry entry;
 *
 *     for (size_t i = 0; gradus_entry_at("methods", i, &entry); i++)
 *         printf("%s: %s\n", entry.name, entry.summary);
 */

typedef struct gradus_entry {
    const char *name;
    const char *summary; /* one line */
    const char *details; /* a paragraph, or "" */
} gradus_entry;

/* An entry of a catalogue, by its position from 0. Catalogues: operations, metrics, conventions,
 * methods, learners, presets, objectives, costs, tests, synths, transforms. The texts are constants.
 * False past the last entry, or for an unknown catalogue. */
GRADUS_API bool gradus_entry_at(const char *catalogue, size_t index, gradus_entry *entry);

/* ---- Data: rows of features with labels, grouped by query ----
 *
 * Example: makes a file of 30 queries, reads it, and splits it 2:1.
 *
 *     gradus_options *web = gradus_options_new("synth web", &err);
 *     gradus_options_set_number(web, "queries", 30, &err);
 *     if (gradus_synth_write(context, web, "web.txt", NULL, &err) != GRADUS_OK)
 *         return 1;
 *     gradus_options_free(web);
 *
 *     gradus_dataset *data = gradus_dataset_read(context, "web.txt", NULL, &err);
 *     if (!data) {
 *         fprintf(stderr, "%s\n", err.message); // names the file, line and column
 *         return 1;
 *     }
 *     size_t first[20], last[10];
 *     for (size_t q = 0; q < gradus_dataset_queries(data); q++)
 *         *(q < 20 ? &first[q] : &last[q - 20]) = q;
 *     gradus_dataset *train = gradus_dataset_subset(context, data, first, 20, &err);
 *     gradus_dataset *test = gradus_dataset_subset(context, data, last, 10, &err);
 *     if (!train || !test)
 *         return 1;
 */

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
/* Writes the whole file or none of it; "-" is standard output. options: operation "write", or NULL:
 * the form follows from the name of the file. */
GRADUS_API gradus_status gradus_dataset_write(gradus_context *context, const gradus_dataset *data,
                                              const char *path, const gradus_options *options,
                                              gradus_error *err);
/* Frees a dataset. Arrays that it borrowed stay the caller's. */
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
/* The number of rows (documents). */
GRADUS_API size_t gradus_dataset_rows(const gradus_dataset *data);
/* The number of features: columns of the dataset, whether or not a row has a value there. */
GRADUS_API size_t gradus_dataset_features(const gradus_dataset *data);
/* The number of queries; 1 for data without query information. */
GRADUS_API size_t gradus_dataset_queries(const gradus_dataset *data);
/* The id of a query as in the file; "" if it has none, or past the last. Valid as long as data. */
GRADUS_API const char *gradus_dataset_query_name(const gradus_dataset *data, size_t query);
/* The id of a row's document as in the file; "" if it has none, or past the last. Valid as long as
 * data. */
GRADUS_API const char *gradus_dataset_document_name(const gradus_dataset *data, size_t row);
/* The name of a feature (CSV); "" if it has none, or past the last. Valid as long as data. */
GRADUS_API const char *gradus_dataset_feature_name(const gradus_dataset *data, size_t feature);
/* Fills order (one per row) with the rows in the order of the file: order[0] is its first row. Rows
 * of a query that were apart in the file are together in the dataset. */
GRADUS_API gradus_status gradus_dataset_file_order(const gradus_dataset *data, size_t *order,
                                                   gradus_error *err);
/* Finds the feature that the user means by a word: a name, or an id as written in the file. *feature
 * is its position from 0. An unknown word is GRADUS_BAD_ARGUMENT, with a suggestion. */
GRADUS_API gradus_status gradus_dataset_find_feature(const gradus_dataset *data, const char *word,
                                                     size_t *feature, gradus_error *err);

/* A copy of the data with features rescaled. options: operation "transform"; its statistics come
 * from data itself. */
GRADUS_API gradus_dataset *gradus_dataset_transform(gradus_context *context,
                                                    const gradus_dataset *data,
                                                    const gradus_options *options,
                                                    gradus_error *err);
/* Assigns each query to a part (0, 1, ...), which is written to part_of_query (one per query);
 * *parts: the number of parts. options: operation "split". With its option letor the parts are S1 to
 * S5 (0 to 4), and fold i uses part p to train if (p + 5 - i) % 5 is 0, 1 or 2, to validate if 3,
 * to test if 4. */
GRADUS_API gradus_status gradus_dataset_split(const gradus_dataset *data,
                                              const gradus_options *options, size_t *part_of_query,
                                              size_t *parts, gradus_error *err);
/* A copy of the chosen queries, at least one, in the order given. */
GRADUS_API gradus_dataset *gradus_dataset_subset(gradus_context *context,
                                                 const gradus_dataset *data, const size_t *queries,
                                                 size_t count, gradus_error *err);

/* Generates a synthetic set straight into a file, which may be larger than memory. synth: operation
 * "synth web" or another of the catalogue synths; write: operation "write", or NULL. */
GRADUS_API gradus_status gradus_synth_write(gradus_context *context, const gradus_options *synth,
                                            const char *path, const gradus_options *write,
                                            gradus_error *err);
/* The same set as a dataset in memory. */
GRADUS_API gradus_dataset *gradus_synth(gradus_context *context, const gradus_options *synth,
                                        gradus_error *err);

enum { GRADUS_HISTOGRAM_BINS = 12 };
enum { GRADUS_LABELS_LISTED = 1000 }; /* with more distinct labels they are only counted */

typedef struct gradus_description {
    size_t rows, features, queries;
    bool sparse;        /* how the rows are stored */
    bool has_queries;   /* the file named queries */
    bool has_documents; /* the file named documents */
    size_t first_id;    /* how the file numbers its first feature: 0 or 1 */
    size_t documents_min, documents_max;
    double documents_median;
    size_t labels;              /* distinct labels */
    const double *label_values; /* ascending; NULL if there are more than GRADUS_LABELS_LISTED */
    const size_t *label_rows;   /* how many rows have each; NULL likewise */
    double label_min, label_max, label_mean; /* NAN if there are no rows */
    bool graded;                             /* every label is a non-negative whole number */
    size_t entries;                          /* values other than 0 that are not missing */
    size_t missing;                          /* values that are NAN */
    double density;                          /* entries of rows x features */
    size_t constants;                        /* features with one value in all rows */
    const size_t *constant_features;         /* ascending */
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

/* Counts and summarises a dataset. Its arrays belong to the description. */
GRADUS_API gradus_description *gradus_describe(gradus_context *context, const gradus_dataset *data,
                                               gradus_error *err);
/* Frees a description and its arrays. */
GRADUS_API void gradus_description_free(gradus_description *description);

/* What two sets share that a training and a test set should not, and what one lacks. Features
 * are the same if their place is; the set with fewer has zeros for the rest. A missing value equals
 * a missing value. */
typedef struct gradus_overlap {
    size_t queries;            /* query names in both */
    const size_t *query_first; /* their places in the first set, ascending */
    size_t rows;               /* rows of the second whose features all equal a row of the first */
    size_t labelled_rows;      /* of those, with the same label too */
    size_t only_first;         /* features with a value other than 0 in the first set alone */
    const size_t *only_first_features;
    size_t only_second;
    const size_t *only_second_features;
} gradus_overlap;

/* Compares two datasets for common queries, rows and features. The arrays belong to the result. */
GRADUS_API gradus_overlap *gradus_overlap_find(gradus_context *context, const gradus_dataset *first,
                                               const gradus_dataset *second, gradus_error *err);
/* Frees an overlap and its arrays. */
GRADUS_API void gradus_overlap_free(gradus_overlap *overlap);

/* ---- Scores: one number per row, higher is better ----
 *
 * Example: scores by a single feature.
 *
 *     double *baseline = malloc(gradus_dataset_rows(test) * sizeof *baseline);
 *
 *     if (!baseline || gradus_scores(context, test, "feature:132", 1, baseline, &err) != GRADUS_OK)
 *         return 1;
 */

/* Fills one score per row of data. what: a model file, a file of scores (one per line, in the order
 * of the data file, or a TREC run that names every document), or an untrained method of the
 * catalogue methods: "feature:ID", "random" (with this seed). Scores that are not finite are
 * GRADUS_BAD_NUMBER. */
GRADUS_API gradus_status gradus_scores(gradus_context *context, const gradus_dataset *data,
                                       const char *what, uint64_t seed, double *scores,
                                       gradus_error *err);
/* Writes scores, one line per row in the order of the data file, or a TREC run if run_name is not
 * NULL. The whole file or none of it; "-" is standard output. */
GRADUS_API gradus_status gradus_scores_write(const gradus_dataset *data, const double *scores,
                                             const char *path, const char *run_name,
                                             gradus_error *err);

/* Writes `columns` numbers per row (row r has values[r * columns] and the following), separated by
 * blanks, in the order of the data file, after the line "# heading" (NULL: none). */
GRADUS_API gradus_status gradus_columns_write(const gradus_dataset *data, const double *values,
                                              size_t columns, const char *heading, const char *path,
                                              gradus_error *err);

/* ---- Training ----
 *
 * Example: all rounds in one call, then the same round by round.
 *
 *     gradus_model *model = gradus_train(context, train, NULL, settings, &err);
 *     if (!model)
 *         return 1;
 *
 *     const gradus_training_input input = { .train = train, .valid = test };
 *     gradus_training *training = gradus_training_new(context, &input, settings, &err);
 *     gradus_training_state state;
 *     bool done = false;
 *     while (training && !done && gradus_training_step(training, &done, &err) == GRADUS_OK) {
 *         gradus_training_look(training, &state);
 *         printf("round %zu: %s %.4f\n", state.round, state.metric, state.valid);
 *     }
 *     gradus_model *best = done ? gradus_training_finish(training, &err) : NULL;
 *     gradus_training_free(training);
 *     if (!best)
 *         return 1;
 */

typedef struct gradus_model gradus_model;
typedef struct gradus_training gradus_training;

/* A user-defined loss: fills gradients and hessians (>= 0), one per row of the training set, at the
 * scores. Called from one thread at a time; any status but GRADUS_OK ends training with it. */
typedef gradus_status (*gradus_objective_function)(void *user, const gradus_dataset *data,
                                                   const double *scores, float *gradients,
                                                   float *hessians);
/* A user-defined metric over all rows of a set: higher is better. */
typedef gradus_status (*gradus_metric_function)(void *user, const gradus_dataset *data,
                                                const double *scores, double *value);

typedef struct gradus_training_input {
    const gradus_dataset *train;         /* must outlive the training, as must everything here */
    const gradus_dataset *valid;         /* NULL: none */
    const gradus_model *start;           /* NULL: from the beginning; else its trees come first */
    bool resume;                         /* start is a checkpoint of the same training: resume it */
    const double *initial;               /* initial scores, one per row (methods with one output) */
    const double *initial_valid;         /* the same for valid */
    const gradus_dataset *const *others; /* sets that are measured after rounds as valid is, and
                                            decide nothing; see gradus_training_other */
    size_t other_count;
    gradus_objective_function objective; /* NULL: the method's. Needs a method with one output */
    gradus_metric_function metric;       /* NULL: that of the options */
    void *user;
} gradus_training_input;

/* Prepares training: checks data and options, and bins the features. options: operation "train", or
 * NULL. The datasets, models and arrays of input must outlive the training. */
GRADUS_API gradus_training *gradus_training_new(gradus_context *context,
                                                const gradus_training_input *input,
                                                const gradus_options *options, gradus_error *err);
/* Trains one round. *done: training is finished (all rounds, stopped early, or nothing left to fit).
 * After a round that was cancelled, gradus_training_checkpoint gives the training up to the round
 * before; the training object cannot be stepped afterwards. */
GRADUS_API gradus_status gradus_training_step(gradus_training *training, bool *done,
                                              gradus_error *err);

typedef struct gradus_training_state {
    size_t round, rounds; /* done, and requested */
    const char *metric;   /* "ndcg@10"; "" if nothing is measured */
    bool lower_is_better;
    double train, valid; /* values last taken; NAN if never */
    size_t best_round;   /* 0: no validation data */
    double best_valid;
    const char *stopped; /* why it is done, in words; "" if it is not */
    double bin_seconds, train_seconds, evaluate_seconds;
    bool by_rounds; /* false: all is fitted in one step, which counts as a round */
    size_t steps;   /* on rows or pairs drawn at random, so far; 0: rounds go over all */
} gradus_training_state;

/* Reports the state after the last round. Texts are valid until the next step. */
GRADUS_API void gradus_training_look(const gradus_training *training, gradus_training_state *state);
/* The value of the metric last taken on a set of `others`; NAN if never: with initial scores, and for
 * methods that measure valid themselves (calibrated). */
GRADUS_API double gradus_training_other(const gradus_training *training, size_t index);
/* The training so far, as a model to resume from (gradus_training_input.resume), which gives a
 * byte-identical model in the end. */
GRADUS_API gradus_model *gradus_training_checkpoint(const gradus_training *training,
                                                    gradus_error *err);
/* The model: up to the best round if there is validation data, else all rounds. The training object
 * cannot be stepped afterwards, and is still to be freed. */
GRADUS_API gradus_model *gradus_training_finish(gradus_training *training, gradus_error *err);
/* Frees a training, finished or not. Models obtained from it stay valid. */
GRADUS_API void gradus_training_free(gradus_training *training);

/* Trains all rounds. valid: to select the best round by, NULL: none. options: operation "train", or
 * NULL. The datasets may be freed afterwards. */
GRADUS_API gradus_model *gradus_train(gradus_context *context, const gradus_dataset *train,
                                      const gradus_dataset *valid, const gradus_options *options,
                                      gradus_error *err);

/* ---- Models: immutable; any number of threads may use one ----
 *
 * Example: a model file, and scores of rows in memory.
 *
 *     gradus_model_free(best);
 *     if (gradus_model_write(model, "web.model", &err) != GRADUS_OK ||
 *         !(best = gradus_model_read("web.model", &err)))
 *         return 1;
 *
 *     gradus_model_facts facts;
 *     gradus_model_describe(best, &facts);
 *     printf("%s: %zu trees, %zu features\n", facts.method, facts.trees, facts.features);
 *
 *     float *rows = calloc(2 * facts.features, sizeof *rows); // two documents, all zeros
 *     double two[2];
 *     if (!rows || gradus_model_score_rows(best, rows, 2, facts.features, facts.features, two, NULL,
 *                                          &err) != GRADUS_OK)
 *         return 1;
 *     free(rows);
 */

/* Writes a model to a file, whole or not at all; "-" is standard output. */
GRADUS_API gradus_status gradus_model_write(const gradus_model *model, const char *path,
                                            gradus_error *err);
/* *size: the bytes of the model's file, whether or not it has been written. */
GRADUS_API gradus_status gradus_model_size(const gradus_model *model, uint64_t *size,
                                           gradus_error *err);
/* Reads a model file, plain, gzip or zstd; "-" is standard input. The content is checked: a damaged
 * file is GRADUS_BAD_FORMAT. */
GRADUS_API gradus_model *gradus_model_read(const char *path, gradus_error *err);
/* Frees a model. Models made from it (gradus_model_with, gradus_calibrate, gradus_ensemble,
 * gradus_model_member) must have been freed before. */
GRADUS_API void gradus_model_free(gradus_model *model);
/* Whether a file looks like a model, by its first bytes. False if it cannot be read. */
GRADUS_API bool gradus_model_is_file(const char *path);
/* The model with another scoring rule (docs/methods/scoring-rules.md), or truncated to its first
 * rounds. options: operation "score". The model must outlive the result. A cost that does not suit
 * the rule is noted. */
GRADUS_API gradus_model *gradus_model_with(gradus_context *context, const gradus_model *model,
                                           const gradus_options *options, gradus_error *err);

/* Fills one score per row of data, higher is better. Extra features of the data are ignored, with a
 * note. */
GRADUS_API gradus_status gradus_model_score(gradus_context *context, const gradus_model *model,
                                            const gradus_dataset *data, double *scores,
                                            gradus_error *err);
/* Fills P(grade) of each row: rows x grades (gradus_model_facts.grades), non-negative and summing to
 * one per row. GRADUS_BAD_ARGUMENT if the model has no probabilities. */
GRADUS_API gradus_status gradus_model_probabilities(gradus_context *context,
                                                    const gradus_model *model,
                                                    const gradus_dataset *data,
                                                    double *probabilities, gradus_error *err);
/* Fills the predicted grade of each row: for models with thresholds, the number that the output
 * reaches; for cocr, the number of outputs that reach one half; else the most probable grade.
 * GRADUS_BAD_ARGUMENT if the model has no grades. */
GRADUS_API gradus_status gradus_model_grades(gradus_context *context, const gradus_model *model,
                                             const gradus_dataset *data, double *grades,
                                             gradus_error *err);
/* Fills scores (one per row) and probabilities (rows x grades) of rows in memory, on the calling
 * thread and without a dataset: feature f of row r is values[r * stride + f]. The rows count as one
 * query. Either result may be NULL. */
GRADUS_API gradus_status gradus_model_score_rows(const gradus_model *model, const float *values,
                                                 size_t rows, size_t features, size_t stride,
                                                 double *scores, double *probabilities,
                                                 gradus_error *err);

/* The model with its outputs calibrated on held-out data. options: operation "calibrate", or NULL.
 * The model must outlive the result, and may be calibrated already. */
GRADUS_API gradus_model *gradus_calibrate(gradus_context *context, const gradus_model *model,
                                          const gradus_dataset *data, const gradus_options *options,
                                          gradus_error *err);

enum { GRADUS_MOST_BINS = 100 };

/* How well calibrated the grade probabilities are. Every row counts once for every grade k but the
 * lowest: the event is "grade k or higher". */
typedef struct gradus_reliability {
    size_t bins;
    double weight[GRADUS_MOST_BINS];    /* of the events whose probability is in the bin ... */
    double predicted[GRADUS_MOST_BINS]; /* ... their mean probability; NAN: there are none ... */
    double observed[GRADUS_MOST_BINS];  /* ... and their observed frequency */
    double error;         /* expected calibration error: mean |predicted - observed| */
    double largest_error; /* of a bin */
    double log_loss;      /* mean -log P(the row's grade) */
    double brier;         /* mean over events of (probability - came true)^2 ... */
    double reliability, resolution,
        uncertainty; /* ... is about the first - the second + the third */
} gradus_reliability;

/* Measures the calibration of a model on data. bins: 1 to GRADUS_MOST_BINS, of equal width.
 * GRADUS_BAD_ARGUMENT if the model has no probabilities; fails if rows have grades that it was not
 * trained on. */
GRADUS_API gradus_status gradus_model_reliability(gradus_context *context,
                                                  const gradus_model *model,
                                                  const gradus_dataset *data, size_t bins,
                                                  gradus_reliability *out, gradus_error *err);

/* Combines `count` models into one. options: operation "ensemble", or NULL. valid: the data that
 * weights are fitted on; NULL only for combinations that need none. The models must outlive the
 * result. */
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
    bool validated;                 /* there was validation data */
    size_t start_rounds;            /* of the model that training started from; 0: there was none */
    bool finished;                  /* false: a checkpoint */
    size_t equations;               /* of a linear model, one an output; 0: it is none */
    size_t kernels;                 /* of a sum of Gaussian kernels; 0: it is none */
    double log_likelihood;          /* of a fit by maximum likelihood; NAN: it was none */
    const double *thresholds;    /* between grades, grades - 1, on the output; NULL: it has none */
    bool net;                    /* it is a net ... */
    size_t units, weights;       /* ... of so many units between features and score, and numbers */
    size_t voters, voter_splits; /* of votes: classifiers, one a round, and their splits; else 0 */
    bool products;               /* the classifiers are products of cuts, not trees */
    const char *calibration;     /* how outputs were calibrated last; "": they were not */
    size_t support_rows;         /* of kernel machines */
    size_t members;              /* of an ensemble; 0: not an ensemble. Sizes are totals over all of
                                   them, rounds the most that one has */
    const char *combination; /* of members: "weighted-sum", "borda", "reciprocal-rank"; else "" */
    double rank_constant;    /* of reciprocal-rank */
} gradus_model_facts;

/* Describes a model. Texts and arrays belong to the model. */
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
/* A parameter of a calibration, by its position from 0. Calibration 0 is the last applied. False
 * past its last parameter; every calibration has one. For isotonic, network and gaussian-process
 * the parameters are sizes. */
GRADUS_API bool gradus_model_calibration_at(const gradus_model *model, size_t calibration,
                                            size_t index, gradus_calibration_parameter *out);
/* An option of "train" that the model was trained with, by its position from 0. The texts belong to
 * the model. False past the last. */
GRADUS_API bool gradus_model_option_at(const gradus_model *model, size_t index, const char **name,
                                       const char **value);
/* A point of the learning curve, by its position from 0. Values that were not measured are NAN;
 * valid may be NULL. False past the last point. */
GRADUS_API bool gradus_model_curve_at(const gradus_model *model, size_t index, size_t *round,
                                      double *train, double *valid);
/* A number that the learner reports of its fit ("objective", "duality gap"), by its position from 0.
 * False past the last. */
GRADUS_API bool gradus_model_result_at(const gradus_model *model, size_t index, const char **name,
                                       double *value);
typedef struct gradus_kernel_facts {
    const char *name; /* "gaussian", "polynomial", "linear" */
    double bandwidth, coef0;
    size_t degree;
    size_t rows; /* support rows */
    bool sparse;
} gradus_kernel_facts;
/* Describes the kernel of a kernel machine. False for other models. */
GRADUS_API bool gradus_model_kernel(const gradus_model *model, gradus_kernel_facts *facts);
/* The name of a feature; "" if features have no names. Then they are known by their id: the position
 * from 0 plus gradus_model_first_id. */
GRADUS_API const char *gradus_model_feature_name(const gradus_model *model, size_t feature);
/* The id of the first feature in the training data: 0 or 1. */
GRADUS_API size_t gradus_model_first_id(const gradus_model *model);
/* Fills the importance of each feature (gradus_model_facts.features): the total gain of its splits,
 * and their number. Of a linear model: the absolute coefficient times the feature's standard
 * deviation in the training data, summed over outputs, and the number of outputs whose equation has
 * it. Of a net: the absolute products of weights on the feature's paths to the score, summed, and
 * the number of paths. Of a sum of kernels: 0. Of an
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
/* *cost: the cost that the loss of orboost implies for ranking grade number `high` below grade
 * number `low` (from 0, low < high). False if there is no such cost. */
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
    double value;       /* of a leaf */
    size_t rows;        /* training rows that reach it; 0: not known */
    const float *votes; /* of a leaf of AdaBoost.MH: one a grade, and no value; NULL: none */
} gradus_tree_node;

/* A node of a tree. Trees are numbered round by round, one per output; node 0 is the root. For
 * AdaBoost.MH a tree is a round. For products the nodes are the cuts in sequence, both children
 * being the next one, and a leaf with the votes, which are negated for rows below the threshold of
 * an odd number of cuts. False if there is no such tree or node. */
GRADUS_API bool gradus_model_tree_at(const gradus_model *model, size_t tree, size_t node,
                                     gradus_tree_node *out);

/* The linear model in a leaf of a model tree (its `value` is the mean of the training rows). */
typedef struct gradus_leaf_model {
    double intercept;
    size_t terms; /* factors[i] times feature features[i], which are the model's */
    const uint32_t *features;
    const double *factors;
    const double *means; /* of all features: what stands for a missing value */
} gradus_leaf_model;

/* The linear model in a leaf of a model tree. False if the node is not a leaf, or leaves are
 * constants. */
GRADUS_API bool gradus_model_leaf_at(const gradus_model *model, size_t tree, size_t node,
                                     gradus_leaf_model *out);

/* ---- Metrics ----
 *
 * Example: NDCG and MAP of the model and of a feature.
 *
 *     double *scores = malloc(gradus_dataset_rows(test) * sizeof *scores);
 *     gradus_options *measures = gradus_options_new("evaluate", &err);
 *     gradus_result of_model, of_feature;
 *
 *     if (!scores || gradus_model_score(context, best, test, scores, &err) != GRADUS_OK ||
 *         gradus_options_set(measures, "metric", "ndcg@10,map", &err) != GRADUS_OK)
 *         return 1;
 *     gradus_evaluation *a = gradus_evaluate(context, test, baseline, measures, &err);
 *     gradus_evaluation *b = gradus_evaluate(context, test, scores, measures, &err);
 *     for (size_t i = 0; gradus_evaluation_at(a, i, &of_feature); i++)
 *         if (gradus_evaluation_at(b, i, &of_model))
 *             printf("%s %.4f %.4f\n", of_model.metric, of_feature.mean, of_model.mean);
 *     printf("convention %s\n", gradus_evaluation_convention(a));
 */

typedef struct gradus_evaluation gradus_evaluation;

/* Evaluates scores (one per row of data). options: operation "evaluate", or NULL. */
GRADUS_API gradus_evaluation *gradus_evaluate(gradus_context *context, const gradus_dataset *data,
                                              const double *scores, const gradus_options *options,
                                              gradus_error *err);
/* Evaluates a TREC run file against TREC relevance judgements. Queries are the topics of the
 * judgements, so that runs line up; those that the run lacks have no value, unless the option
 * "complete" is set. */
GRADUS_API gradus_evaluation *gradus_evaluate_run(gradus_context *context, const char *qrels_path,
                                                  const char *run_path,
                                                  const gradus_options *options, gradus_error *err);
/* Frees an evaluation and the arrays of its results. */
GRADUS_API void gradus_evaluation_free(gradus_evaluation *evaluation);

typedef struct gradus_result {
    const char *metric;     /* "ndcg@10", also if requested as "NDCG@10" or "ndcg_cut_10" */
    double mean;            /* NAN if no query has a value */
    size_t counted;         /* queries in the mean */
    size_t empty;           /* queries without a relevant document, or without a pair to order */
    size_t brief;           /* queries with fewer documents than the depth */
    const double *by_query; /* one per query; NAN where the query is left out */
    bool lower_is_better;   /* as for errors and risks */
    bool geometric;         /* mean is the geometric mean of by_query, floored at 1e-5 (gmap) */
} gradus_result;

/* The result of a metric, by its position from 0. Its text and array belong to the evaluation. False
 * past the last metric. */
GRADUS_API bool gradus_evaluation_at(const gradus_evaluation *evaluation, size_t index,
                                     gradus_result *result);
/* The number of queries: the length of gradus_result.by_query. */
GRADUS_API size_t gradus_evaluation_queries(const gradus_evaluation *evaluation);
/* The id of a query; "" if it has none, or past the last. */
GRADUS_API const char *gradus_evaluation_query_name(const gradus_evaluation *evaluation,
                                                    size_t query);
/* The convention's name, and the switches that differ from it: "letor4, ties expected". */
GRADUS_API const char *gradus_evaluation_convention(const gradus_evaluation *evaluation);
/* Every switch of the convention: "gain exp, discount log2, ...". */
GRADUS_API const char *gradus_evaluation_switches(const gradus_evaluation *evaluation);
/* *mean: the mean over queries of one metric of the scores, under the default convention; NAN if no
 * query has a value. */
GRADUS_API gradus_status gradus_evaluate_metric(const gradus_dataset *data, const double *scores,
                                                const char *metric, double *mean,
                                                gradus_error *err);

enum { GRADUS_MOST_GRADES = 256 };

/* Counts labels against predicted grades (one per row). grade_values (GRADUS_MOST_GRADES long)
 * receives the *grades distinct ones, ascending; counts (the square of that long) the weight of rows
 * whose label is the i-th and prediction the k-th, at [i * *grades + k]. */
GRADUS_API gradus_status gradus_confusion(const gradus_dataset *data, const double *predicted,
                                          size_t *grades, double *grade_values, double *counts,
                                          gradus_error *err);

/* ---- Statistics ----
 *
 * Example: is the model better than the feature?
 *
 *     gradus_contrast contrast;
 *     if (!gradus_evaluation_at(a, 0, &of_feature) || !gradus_evaluation_at(b, 0, &of_model))
 *         return 1;
 *     const double *const values[] = { of_feature.by_query, of_model.by_query };
 *     gradus_comparison *comparison =
 *         gradus_compare(context, 2, gradus_evaluation_queries(a), values, NULL, &err);
 *     if (comparison && gradus_comparison_at(comparison, 0, &contrast))
 *         printf("%+.4f [%+.4f, %+.4f], p %.3g\n", contrast.difference, contrast.low,
 *                contrast.high, contrast.p);
 *     gradus_comparison_free(comparison);
 *     gradus_evaluation_free(a);
 *     gradus_evaluation_free(b);
 */

/* System a against system b, query by query. */
typedef struct gradus_contrast {
    size_t a, b;               /* positions in `values` */
    size_t queries;            /* that have a value in both */
    double mean_a, mean_b;     /* over those */
    double difference;         /* mean_b - mean_a */
    double low, high;          /* two-sided confidence interval of the difference; NAN if none */
    double statistic;          /* of the test; NAN where it has none */
    double freedom;            /* degrees of freedom; NAN where it has none */
    double p;                  /* NAN where a test needs more than the one query there is */
    double p_adjusted;         /* by Holm over all contrasts that have a p */
    size_t wins, ties, losses; /* queries where b is better, equal, worse */
} gradus_contrast;

typedef struct gradus_comparison gradus_comparison;

/* Compares systems query by query: values[s][q] is the value of system s on query q; NAN leaves the
 * query out of the pairs with s. Every pair of systems is compared: (0, 1), (0, 2), ..., (1, 2),
 * ... One-sided tests ask whether the later system, b, is better. options: operation "compare", or
 * NULL: paired t, two-sided. */
GRADUS_API gradus_comparison *gradus_compare(gradus_context *context, size_t systems,
                                             size_t queries, const double *const *values,
                                             const gradus_options *options, gradus_error *err);
/* A pair of systems, by its position from 0. False past the last. */
GRADUS_API bool gradus_comparison_at(const gradus_comparison *comparison, size_t index,
                                     gradus_contrast *contrast);
/* Frees a comparison. */
GRADUS_API void gradus_comparison_free(gradus_comparison *comparison);
/* Combines independent p-values by Fisher's method: *statistic is chi-squared with 2 * count
 * degrees of freedom, *combined its p-value; either may be NULL. */
GRADUS_API gradus_status gradus_combine_p(const double *p, size_t count, double *statistic,
                                          double *combined, gradus_error *err);
/* Adjusts p-values by Holm's step-down correction. NAN stays NAN and is not counted; adjusted may be
 * p itself. */
GRADUS_API gradus_status gradus_adjust_p(const double *p, size_t count, double *adjusted,
                                         gradus_error *err);

/* ---- Numbers and files ----
 *
 * Example: a file that is written whole or not at all, and the end of the program.
 *
 *     char number[GRADUS_NUMBER_SIZE];
 *     const size_t length = gradus_number_format(scores[0], number);
 *     gradus_output *output = gradus_output_new("first.txt", &err);
 *
 *     if (!output || gradus_output_write(output, number, length, &err) != GRADUS_OK) {
 *         gradus_output_abandon(output);
 *         return 1;
 *     }
 *     if (gradus_output_close(output, &err) != GRADUS_OK)
 *         return 1;
 *
 *     free(scores);
 *     free(baseline);
 *     gradus_options_free(measures);
 *     gradus_options_free(settings);
 *     gradus_model_free(best);
 *     gradus_model_free(model);
 *     gradus_dataset_free(train);
 *     gradus_dataset_free(test);
 *     gradus_dataset_free(data);
 *     gradus_context_free(context);
 */

enum { GRADUS_NUMBER_SIZE = 32 };

/* Writes the shortest text that reads back as the same number, whatever the locale, ended by NUL.
 * Returns its length. */
GRADUS_API size_t gradus_number_format(double number, char text[GRADUS_NUMBER_SIZE]);
/* The same for a label or a grade, which are floats in the data: "0.1", not 0.10000000149011612. */
GRADUS_API size_t gradus_label_format(double label, char text[GRADUS_NUMBER_SIZE]);
/* Reads a number, whatever the locale. The text must be a number from end to end. */
GRADUS_API gradus_status gradus_number_parse(const char *text, double *number, gradus_error *err);

/* A file that appears whole when closed without an error, or not at all. */
typedef struct gradus_output gradus_output;
/* Opens a file for writing; "-" is standard output. Names in .gz and .zst mean compressed files. */
GRADUS_API gradus_output *gradus_output_new(const char *path, gradus_error *err);
/* Appends bytes. After an error the output must be abandoned. */
GRADUS_API gradus_status gradus_output_write(gradus_output *output, const void *bytes, size_t size,
                                             gradus_error *err);
/* Puts the file in place and frees the output, also if that fails. */
GRADUS_API gradus_status gradus_output_close(gradus_output *output, gradus_error *err);
/* Discards what was written and frees the output. */
GRADUS_API void gradus_output_abandon(gradus_output *output);

/* The most similar of `count` names, for "did you mean"; NULL if none is similar. */
GRADUS_API const char *gradus_suggest(const char *word, const char *const *names, size_t count);

#ifdef __cplusplus
}
#endif
#endif /* GRADUS_H */
