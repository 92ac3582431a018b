/* SPDX-License-Identifier: Apache-2.0 */
/* gradus.h - learning to rank from graded relevance: read data, train, score, evaluate, compare.
 *
 * Ownership: the caller owns every non-const pointer that a function returns, and frees it with the
 *   matching *_free, which accepts NULL. Const pointers, and strings in structs, belong to the
 *   object they were obtained from and stay valid as long as it does. Const arguments are borrowed
 *   for the duration of the call, unless the comment says that they must outlive the result.
 * Errors: a function that can fail returns a status or NULL, and fills `err` unless it is NULL.
 *   After a failure, output arguments have unspecified contents.
 * NULL: the context (one thread), options (all defaults), err and arguments documented as optional
 *   may be NULL. Any other NULL pointer is an error: GRADUS_BAD_ARGUMENT from functions with a
 *   status, NULL, false, 0, NAN or "" from others; functions that return void do nothing.
 * Threads: datasets and models are immutable and can be used by any number of threads at once. A
 *   context serves one call at a time. Results never depend on the number of threads.
 * Options: an operation ("read", "train", "evaluate", "synth web", ...) has parameters;
 *   gradus_param_at lists them, gradus_options_set checks and stores a value.
 * Versions: semantic versioning; the soname is libgradus.so.MAJOR. A patch release changes neither
 *   API nor ABI. From 1.0.0 on a minor release may add functions, types, enum constants, options
 *   and catalogue entries; it never removes or changes a function, the layout of a struct, the
 *   value of a constant or the meaning of an option. Before 1.0.0 a minor release may change the
 *   ABI although the soname stays libgradus.so.0: rebuild the programs that use it. Compare
 *   gradus_version() with GRADUS_VERSION to detect a mismatch. Enum switches need a default case.
 * Examples: those in this header form one program, in order; the tests compile and run it. */
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

#define GRADUS_VERSION "0.3.0"

typedef enum gradus_status {
    GRADUS_OK = 0,
    GRADUS_BAD_ARGUMENT, /* an unknown name, or a value outside its documented range */
    GRADUS_BAD_FORMAT,   /* a file does not parse; the message names file, line and column (of an
                            Arrow stream: batch, row and column) */
    GRADUS_BAD_NUMBER,   /* a number is not finite, or the method cannot use these labels, scores or
                            weights */
    GRADUS_NO_MEMORY,    /* allocation failed, or would exceed the context's limit */
    GRADUS_NO_FILE,      /* a file cannot be opened, read or written, or an Arrow stream fails */
    GRADUS_CANCELLED,    /* the progress callback returned false */
    GRADUS_LOST /* another process of a distributed training, or a device, does not answer */
} gradus_status;

/* Filled by a function that fails; unchanged by functions that succeed. */
typedef struct gradus_error {
    gradus_status status;
    char message[508]; /* one line, without the name of the program */
} gradus_error;

/* ---- Version: the running library and its build options ----
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

/* Returns the version of the library at run time, never NULL; GRADUS_VERSION is the header's. */
GRADUS_API const char *gradus_version(void);

typedef struct gradus_build {
    const char *version;      /* as gradus_version */
    const char *compiler;     /* "gcc 12.2.0" */
    const char *architecture; /* "x86-64", "aarch64" or "other" */
    const char *kernels;      /* instruction set used by the inner loops on this CPU: "avx512",
                                 "avx2" or "baseline" */
} gradus_build;

/* Describes the library and the CPU. The strings are constants. */
GRADUS_API void gradus_build_describe(gradus_build *build);
/* Gets the name of a CPU feature that the inner loops can use ("avx2") and whether this CPU has it.
 * Returns false past the last feature, and always on CPUs other than x86-64. */
GRADUS_API bool gradus_cpu_feature_at(size_t index, const char **name, bool *present);

typedef struct gradus_component {
    const char *name;    /* "zlib" */
    const char *version; /* of the library in use; "": not built in, or unversioned */
    bool present;        /* built in */
} gradus_component;

/* Describes an optional component of the library. Returns false past the last one. */
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

/* Creates a context and starts its threads. threads 0: one per CPU available to the process. A
 * context created before fork() can be used and freed in both parent and child. Returns NULL if the
 * threads cannot be started or memory is exhausted. */
GRADUS_API gradus_context *gradus_context_new(size_t threads, gradus_error *err);
/* Stops the threads and frees the context, which must not be in use. */
GRADUS_API void gradus_context_free(gradus_context *context);
/* Returns the number of threads; 1 for NULL. */
GRADUS_API size_t gradus_context_threads(const gradus_context *context);
/* Limits memory, in bytes; 0 (the default): no limit. Reading, transforming and training fail with
 * GRADUS_NO_MEMORY before allocating if their estimated need exceeds the limit. The estimate covers
 * the large arrays; it is not a hard limit on the process. */
GRADUS_API void gradus_context_set_max_memory(gradus_context *context, uint64_t bytes);
/* Sets the function that receives notes: information for the user that is not an error, such as
 * "rows were regrouped". note NULL: notes are discarded. user is passed to each call. */
GRADUS_API void gradus_context_on_note(gradus_context *context, gradus_note_function note,
                                       void *user);
/* Receives the current phase of a long operation ("reading", "making", "writing") and the fraction
 * done, from 0 to 1; 1 is reported once, at the end. During a fit, and while a comparison
 * resamples, it receives "fitting" and 0, only to ask whether to continue. Calls come from any
 * thread, one at a time. Returning false cancels the operation: it fails with GRADUS_CANCELLED and
 * leaves no partial result. */
typedef bool (*gradus_progress_function)(void *user, const char *what, double done);
/* Sets the function that receives progress; progress NULL: none. user is passed to each call. */
GRADUS_API void gradus_context_on_progress(gradus_context *context,
                                           gradus_progress_function progress, void *user);
/* Returns the function that receives notes, and sets *user to its argument. NULL: notes are discarded. */
GRADUS_API gradus_note_function gradus_context_note(const gradus_context *context, void **user);
/* Returns the function that receives progress, and sets *user to its argument. NULL: none. */
GRADUS_API gradus_progress_function gradus_context_progress(const gradus_context *context,
                                                            void **user);
/* Creates a context for one of `parts` operations that run at the same time, with `threads` threads, an
 * equal part of the memory limit and the bins of gradus_context_share_bins, without notes and
 * progress. context must outlive it; NULL: no limit, no bins. */
GRADUS_API gradus_context *gradus_context_split(const gradus_context *context, size_t parts,
                                                size_t threads, gradus_error *err);

/* Collective operations of the processes ("ranks") of one distributed training. All ranks make the
 * same calls in the same order; a call returns when its result is complete. After a failure no rank
 * may make another call. `state` is passed to each function. */
typedef struct gradus_collectives {
    size_t rank, size; /* this process, from 0, and the number of processes */
    void *state;
    /* Replaces each of `count` numbers by its sum over all ranks, modulo 2^64. */
    gradus_status (*sum)(void *state, int64_t *numbers, size_t count, gradus_error *err);
    /* Replaces each number by its maximum over all ranks. */
    gradus_status (*max)(void *state, int64_t *numbers, size_t count, gradus_error *err);
    /* Sums `arrays` consecutive arrays as `sum` does, but leaves on each rank only its part of each:
     * counts[i] numbers on rank i, in rank order; the other numbers become undefined. */
    gradus_status (*sum_parts)(void *state, int64_t *numbers, size_t arrays, const size_t *counts,
                               gradus_error *err);
    /* Gathers sizes[i] bytes from each rank i, in rank order, into `all` on all ranks. `own` may be
     * this rank's place in `all`. */
    gradus_status (*gather)(void *state, const void *own, const size_t *sizes, void *all,
                            gradus_error *err);
    /* Copies bytes of rank `from` to all ranks. */
    gradus_status (*broadcast)(void *state, void *bytes, size_t size, size_t from,
                               gradus_error *err);
} gradus_collectives;

/* Makes trainings of the context distributed: every rank calls gradus_training_new with the same data
 * and options, fits its part of the queries, and gets the bytes of a single process. Steps are then
 * collective calls. collectives must outlive the context's trainings; NULL: one process. */
GRADUS_API void gradus_context_set_collectives(gradus_context *context,
                                               const gradus_collectives *collectives);

/* A device that trains and scores beside the processor: a GPU. */
typedef struct gradus_device gradus_device;
/* Opens the device of a plug-in, such as libgradus-cuda.so. NULL: none works (GRADUS_LOST). */
GRADUS_API gradus_device *gradus_device_open(const char *path, gradus_error *err);
/* Closes the device, which must not be in use. */
GRADUS_API void gradus_device_free(gradus_device *device);
/* Returns the name of the device: "NVIDIA H200". */
GRADUS_API const char *gradus_device_name(const gradus_device *device);
/* Returns the memory of the device that is free now, in bytes. */
GRADUS_API uint64_t gradus_device_memory(const gradus_device *device);
/* Makes the context's trainings and scorings use a device, with the same results to the last bit;
 * refuses trainings that it cannot help or hold. It must outlive their operations; NULL: none. */
GRADUS_API void gradus_context_set_device(gradus_context *context, const gradus_device *device);

/* ---- Options of an operation ----
 *
 * Example: set training options, then list them all with their defaults.
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

/* Creates the options of an operation (see the catalogue "operations") with default values. Returns
 * NULL for an unknown operation; the message suggests the nearest name. */
GRADUS_API gradus_options *gradus_options_new(const char *operation, gradus_error *err);
/* Sets an option from text, as typed after "--name"; name may be an alias, as in gradus_param_find.
 * The value is copied. An unknown name, or a value outside the option's range or choices, is
 * GRADUS_BAD_ARGUMENT and changes nothing. An option may imply values for others that have not been
 * set (a preset does). */
GRADUS_API gradus_status gradus_options_set(gradus_options *options, const char *name,
                                            const char *value, gradus_error *err);
/* Sets an option from a number: a GRADUS_REAL to exactly that value, a GRADUS_COUNT to a whole number up
 * to 2^53 (gradus_options_set_count takes all), a GRADUS_FLAG to 0 or 1. Checks ranges like
 * gradus_options_set. GRADUS_BAD_ARGUMENT for GRADUS_TEXT and GRADUS_CHOICE. */
GRADUS_API gradus_status gradus_options_set_number(gradus_options *options, const char *name,
                                                   double value, gradus_error *err);
/* Sets a GRADUS_COUNT, exactly also above 2^53. GRADUS_BAD_ARGUMENT for other kinds. */
GRADUS_API gradus_status gradus_options_set_count(gradus_options *options, const char *name,
                                                  uint64_t value, gradus_error *err);
/* Sets a GRADUS_FLAG. GRADUS_BAD_ARGUMENT for other kinds. */
GRADUS_API gradus_status gradus_options_set_flag(gradus_options *options, const char *name,
                                                 bool value, gradus_error *err);
/* Gets the current value of a GRADUS_REAL, or of a GRADUS_COUNT rounded to a double.
 * GRADUS_BAD_ARGUMENT for other kinds, as in the next three functions. */
GRADUS_API gradus_status gradus_options_get_number(const gradus_options *options, const char *name,
                                                   double *value, gradus_error *err);
/* Gets the current value of a GRADUS_COUNT. */
GRADUS_API gradus_status gradus_options_get_count(const gradus_options *options, const char *name,
                                                  uint64_t *value, gradus_error *err);
/* Gets the current value of a GRADUS_FLAG. */
GRADUS_API gradus_status gradus_options_get_flag(const gradus_options *options, const char *name,
                                                 bool *value, gradus_error *err);
/* Gets the current value of a GRADUS_TEXT or a GRADUS_CHOICE, valid until the option is set again
 * or the options are freed. */
GRADUS_API gradus_status gradus_options_get_text(const gradus_options *options, const char *name,
                                                 const char **value, gradus_error *err);
/* Returns the current value as text; "" for an unknown name. Valid until the next call with these
 * options; for GRADUS_TEXT and GRADUS_CHOICE until the option is set again. */
GRADUS_API const char *gradus_options_value(gradus_options *options, const char *name);
/* Returns whether an option has been set, as opposed to having its default value. */
GRADUS_API bool gradus_options_given(const gradus_options *options, const char *name);
/* Returns the operation that the options belong to: "train"; "" for NULL. */
GRADUS_API const char *gradus_options_operation(const gradus_options *options);
/* Returns a copy, independent of the original. */
GRADUS_API gradus_options *gradus_options_copy(const gradus_options *options, gradus_error *err);
/* Frees the options. Functions copy the options they are given, so this is safe at any time. */
GRADUS_API void gradus_options_free(gradus_options *options);

typedef enum gradus_param_kind {
    GRADUS_FLAG,   /* true or false */
    GRADUS_COUNT,  /* a whole number from low to high */
    GRADUS_REAL,   /* a number from low to high */
    GRADUS_CHOICE, /* one of choices */
    GRADUS_TEXT    /* any text */
} gradus_param_kind;

/* What an operation does with the file that an option names. */
typedef enum gradus_path_role {
    GRADUS_PATH_NONE,         /* not a path */
    GRADUS_PATH_READ,         /* an input file, or a built-in name (as for a cost) */
    GRADUS_PATH_READ_LIST,    /* input files, comma-separated */
    GRADUS_PATH_READ_FOLDERS, /* folders of data files, comma-separated */
    GRADUS_PATH_WRITTEN       /* an output file: created, replaced or appended to */
} gradus_path_role;

typedef struct gradus_param {
    const char *name;           /* as typed after "--" */
    const char *argument;       /* placeholder for the value in help: "N"; NULL for a flag */
    const char *help;           /* one line */
    const char *initial;        /* the default, as text; "" for none */
    const char *const *choices; /* NULL-terminated; NULL unless kind is GRADUS_CHOICE */
    double low, high;           /* inclusive range of GRADUS_COUNT and GRADUS_REAL */
    gradus_param_kind kind;
    gradus_path_role path; /* GRADUS_PATH_NONE unless kind is GRADUS_TEXT */
    const char *rule;      /* how training derives the default from the data; NULL: it is initial */
    const char *aliases;   /* accepted names from other tools, in words; NULL: none */
} gradus_param;

/* Describes parameter `index` of an operation. The strings are constants. Returns false past the
 * last parameter, or for an unknown operation. */
GRADUS_API bool gradus_param_at(const char *operation, size_t index, gradus_param *param);
/* Finds a parameter by name or alias; '-' and '_' are equivalent. Returns false if unknown. */
GRADUS_API bool gradus_param_find(const char *operation, const char *name, gradus_param *param);
/* The present name of an option that had another name in an earlier version; NULL for any other
 * name. The old name itself is not accepted. */
GRADUS_API const char *gradus_param_renamed(const char *operation, const char *name);

/* Whether a training method uses an option of "train". */
typedef enum gradus_option_use {
    GRADUS_OPTION_UNUSED, /* the method ignores the option */
    GRADUS_OPTION_USED,   /* the method uses the option */
    GRADUS_OPTION_TUNED   /* the method uses the option, and tuning varies it by default */
} gradus_option_use;
/* Returns how a method uses an option. learner NULL: the method's default learner. Unknown methods
 * and options give GRADUS_OPTION_UNUSED. */
GRADUS_API gradus_option_use gradus_method_uses(const char *method, const char *learner,
                                                const char *option);

/* What training requires of the data, and how it proceeds. */
typedef struct gradus_method_facts {
    bool by_rounds;     /* trained in rounds; false: in a single step */
    bool needs_queries; /* compares rows of the same query */
    bool needs_grades;  /* labels must be grades: whole numbers from 0 */
} gradus_method_facts;
/* Describes the method and learner that the options choose. options: operation "train". */
GRADUS_API gradus_status gradus_method_describe(const gradus_options *options,
                                                gradus_method_facts *facts, gradus_error *err);
/* Sets *accepts to whether training with these options accepts option `name`, which may still have
 * no effect (see gradus_method_uses). Training rejects the others if they are set. options:
 * operation "train". */
GRADUS_API gradus_status gradus_method_accepts(const gradus_options *options, const char *name,
                                               bool *accepts, gradus_error *err);
/* Sets *range to the values of option `name` that tuning searches by default with these options:
 * "8..256:log", a constant; NULL: it is not tuned. options: operation "train". */
GRADUS_API gradus_status gradus_method_range(const gradus_options *options, const char *name,
                                             const char **range, gradus_error *err);

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

/* Gets entry `index` of a catalogue: "operations", "metrics", "conventions", "methods", "learners",
 * "presets", "objectives", "costs", "tests", "synths", "transforms", "formats" (of gradus_export) or
 * "importers" (formats of gradus_import). The strings are constants. Returns false past the last
 * entry, or for an unknown catalogue. */
GRADUS_API bool gradus_entry_at(const char *catalogue, size_t index, gradus_entry *entry);

/* ---- Data: rows of features with labels, grouped by query ----
 *
 * Example: generate a file of 30 queries, read it, and split it 2:1.
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

/* Reads LETOR/SVMlight text, CSV/TSV or gradus binary, plain or compressed with gzip or zstd; "-"
 * is standard input. The format is detected from the content. options: operation "read", or NULL.
 */
GRADUS_API gradus_dataset *gradus_dataset_read(gradus_context *context, const char *path,
                                               const gradus_options *options, gradus_error *err);
/* Reads several files (count >= 1) as one dataset, in the order given. A query id found in two
 * files is an error, unless the option join-queries merges its rows into one query. LETOR files may
 * have different numbers of features: the dataset has the largest. CSV files must have the same
 * feature names in the same order. Weight files (row-weights, query-weights) cover the rows and
 * queries of all files together. */
GRADUS_API gradus_dataset *gradus_dataset_read_files(gradus_context *context,
                                                     const char *const *paths, size_t count,
                                                     const gradus_options *options,
                                                     gradus_error *err);
/* The same for data that gradus_training_new will be called with, with the options `train`
 * (operation "train", or NULL; read: operation "read", or NULL). If the learner needs only bins of
 * the features (boosted trees), the data are one uncompressed text or CSV file and have at least
 * twice as many rows as the option bin-sample, the dataset holds bins instead of values, one byte
 * instead of four. The model and its scores are the same. Functions that need the values read them
 * from the file again, which must be unchanged. */
GRADUS_API gradus_dataset *gradus_dataset_read_for_training(gradus_context *context,
                                                            const char *const *paths, size_t count,
                                                            const gradus_options *read,
                                                            const gradus_options *train,
                                                            gradus_error *err);
/* As gradus_dataset_read_files, by all processes of a context with collectives: a collective call. Each
 * keeps only its rows: its part of one text or CSV file, or its files of a list with at least as many
 * files as processes (docs/guide/cluster.md). Scoring and describing such data are collective calls, too. */
GRADUS_API gradus_dataset *gradus_dataset_read_shared(gradus_context *context,
                                                      const char *const *paths, size_t count,
                                                      const gradus_options *options,
                                                      gradus_error *err);
/* Writes a dataset; on failure no partial file remains. "-" is standard output. options: operation
 * "write", or NULL: the format follows from the file name. */
GRADUS_API gradus_status gradus_dataset_write(gradus_context *context, const gradus_dataset *data,
                                              const char *path, const gradus_options *options,
                                              gradus_error *err);
/* Reads files and writes bins instead of values (operation "bin", or NULL), for boosted trees. */
GRADUS_API gradus_status gradus_bin_files(gradus_context *context, const char *const *paths,
                                          size_t count, const gradus_options *read,
                                          const gradus_options *bin, const char *to,
                                          gradus_error *err);
/* Frees a dataset. Arrays passed to gradus_dataset_borrow remain the caller's. */
GRADUS_API void gradus_dataset_free(gradus_dataset *data);

/* A list of names; its length follows from what it names. Name i is the NUL-terminated string at
 * bytes + starts[i] and ends before bytes + starts[i + 1], so that starts has one element more than
 * there are names; starts[0] is 0. starts NULL: no names. */
typedef struct gradus_names {
    const char *bytes;
    const uint64_t *starts;
} gradus_names;

/* A dataset as arrays. Dense: feature f of row r is values[r * stride + f]. Sparse (values NULL):
 * row r owns columns[i] and entries[i] for row_starts[r] <= i < row_starts[r + 1], with columns
 * ascending within a row. NAN is a missing value; an absent sparse entry is 0. Start with all zeros
 * ({ 0 } or named members): later versions may add members. */
typedef struct gradus_arrays {
    size_t rows, features;
    const float *values;
    size_t stride;
    const uint64_t *row_starts;
    const uint32_t *columns;
    const float *entries;
    const float *labels;
    /* 0: no query information, so all rows form one query; methods that compare rows within a query
     * then require the option "one-query" */
    size_t queries;
    const uint64_t *query_starts; /* queries + 1 row offsets; NULL if queries is 0 */
    const float *row_weights;     /* NULL: all 1 */
    const float *query_weights;   /* NULL: all 1 */
    gradus_names feature_names, query_names, document_names; /* of features, queries and rows */
    /* Only for gradus_dataset_copy, instead of query_starts and query_names: the query of each row,
     * by number or by name, in any order. At most one of them. */
    const int64_t *row_query_ids;
    gradus_names row_query_names;
} gradus_arrays;

/* Creates a dataset over the caller's arrays without copying them: they, and the names, must
 * outlive it. There must be at least one row, and no query may be empty. Offsets, columns, labels
 * (finite), weights (finite and >= 0) and names are checked. */
GRADUS_API gradus_dataset *gradus_dataset_borrow(const gradus_arrays *arrays, gradus_error *err);
/* Creates a dataset with a copy of the arrays, which are checked in the same way and may be freed
 * afterwards. With row_query_ids or row_query_names, rows are grouped by query: queries are in
 * order of first appearance, and rows of a query keep their order. If this moves rows, a note says
 * so, and gradus_dataset_file_order gives the order of the arrays. The ids become the names of the
 * queries. `queries` may then be 0: it is counted; query_weights, in order of first appearance,
 * require it. */
GRADUS_API gradus_dataset *gradus_dataset_copy(gradus_context *context, const gradus_arrays *arrays,
                                               gradus_error *err);
/* Gets the arrays and names of a dataset, valid as long as it exists. The first use of a binary
 * file verifies its contents, which can fail. */
GRADUS_API gradus_status gradus_dataset_arrays(gradus_context *context, const gradus_dataset *data,
                                               gradus_arrays *arrays, gradus_error *err);
/* Returns the number of rows (documents). */
GRADUS_API size_t gradus_dataset_rows(const gradus_dataset *data);
/* Returns the number of features (columns), including those without a value in any row. */
GRADUS_API size_t gradus_dataset_features(const gradus_dataset *data);
/* Returns the number of queries; 1 for data without query information. */
GRADUS_API size_t gradus_dataset_queries(const gradus_dataset *data);
/* Returns whether the data have query information; without it all rows form one query. */
GRADUS_API bool gradus_dataset_has_queries(const gradus_dataset *data);
/* Sets *fingerprint to a hash of everything that training uses of the data. It does not depend on
 * the file format. */
GRADUS_API gradus_status gradus_dataset_fingerprint(gradus_context *context,
                                                    const gradus_dataset *data,
                                                    uint64_t *fingerprint, gradus_error *err);

typedef enum gradus_label_kind {
    GRADUS_LABELS_GRADES,  /* whole numbers from 0 to 1023 */
    GRADUS_LABELS_NUMBERS, /* non-negative numbers, some not whole */
    GRADUS_LABELS_OTHER    /* some are negative, or too large for grades */
} gradus_label_kind;
/* Sets *kind to the kind of the labels, which determines the metrics that apply. */
GRADUS_API gradus_status gradus_dataset_labels(gradus_context *context, const gradus_dataset *data,
                                               gradus_label_kind *kind, gradus_error *err);
/* Fails, as training does, unless models trained on `train` can be evaluated on `valid`. Notes
 * report differences that do no harm. */
GRADUS_API gradus_status gradus_dataset_check_valid(gradus_context *context,
                                                    const gradus_dataset *train,
                                                    const gradus_dataset *valid, gradus_error *err);
/* Returns the query's id from the file or arrays; "" if it has none, or past the last. Valid as long as data
 * exists. */
GRADUS_API const char *gradus_dataset_query_name(const gradus_dataset *data, size_t query);
/* Returns the document id of a row from the file; "" if it has none, or past the last. Valid as
 * long as data exists. */
GRADUS_API const char *gradus_dataset_document_name(const gradus_dataset *data, size_t row);
/* Returns the name of a feature; "" if it has none, or past the last. Valid as long as data
 * exists. */
GRADUS_API const char *gradus_dataset_feature_name(const gradus_dataset *data, size_t feature);
/* Returns the id of the first feature in the file: 0 or 1. A model imported from another tool may
 * number the same features differently (gradus_model_first_id). */
GRADUS_API size_t gradus_dataset_first_id(const gradus_dataset *data);
/* Fills order (one per row) with the dataset's row numbers in the order of the file, stream or
 * arrays: order[0] is its first row. The two orders differ if the rows of a query were not
 * contiguous there. */
GRADUS_API gradus_status gradus_dataset_file_order(const gradus_dataset *data, size_t *order,
                                                   gradus_error *err);
/* Finds a feature by name, or by its id in the file; *feature is its index from 0. An unknown word
 * is GRADUS_BAD_ARGUMENT, and the message suggests a similar one. */
GRADUS_API gradus_status gradus_dataset_find_feature(const gradus_dataset *data, const char *word,
                                                     size_t *feature, gradus_error *err);

/* Returns a copy of the data with rescaled features, using statistics of the data itself. options:
 * operation "transform", or NULL. */
GRADUS_API gradus_dataset *gradus_dataset_transform(gradus_context *context,
                                                    const gradus_dataset *data,
                                                    const gradus_options *options,
                                                    gradus_error *err);
/* Assigns each query to a part: fills part_of_query (one per query) with numbers from 0 to
 * *parts - 1. options: operation "split", or NULL. With its option letor the parts are S1 to S5 (0
 * to 4), and fold i uses part p for training if (p + 5 - i) % 5 is 0, 1 or 2, for validation if 3,
 * for testing if 4. */
GRADUS_API gradus_status gradus_dataset_split(const gradus_dataset *data,
                                              const gradus_options *options, size_t *part_of_query,
                                              size_t *parts, gradus_error *err);
/* Returns a copy of the chosen queries (count >= 1), in the order given. */
GRADUS_API gradus_dataset *gradus_dataset_subset(gradus_context *context,
                                                 const gradus_dataset *data, const size_t *queries,
                                                 size_t count, gradus_error *err);
/* Returns a copy of the rows of all sets (count >= 1), in order. Queries with the same id are merged,
 * and need the same weight; queries without ids are numbered. Feature names are kept if equal. */
GRADUS_API gradus_dataset *gradus_dataset_join(gradus_context *context,
                                               const gradus_dataset *const *sets, size_t count,
                                               gradus_error *err);
/* Joins folds of the same data so that every row occurs once: the rows of the first fold, and of
 * each further fold the rows that are not among them. Rows are equal if query, document, label,
 * weight and features are; duplicates within one fold are kept. sets: folds x parts; NULL: the fold
 * does not have that part. */
GRADUS_API gradus_dataset *gradus_dataset_join_folds(gradus_context *context,
                                                     const gradus_dataset *const *sets,
                                                     size_t folds, size_t parts, gradus_error *err);

/* Generates a synthetic dataset directly into a file, which may be larger than memory. synth:
 * operation "synth web" or another of the catalogue "synths"; write: operation "write", or NULL. */
GRADUS_API gradus_status gradus_synth_write(gradus_context *context, const gradus_options *synth,
                                            const char *path, const gradus_options *write,
                                            gradus_error *err);
/* Generates the same dataset in memory. */
GRADUS_API gradus_dataset *gradus_synth(gradus_context *context, const gradus_options *synth,
                                        gradus_error *err);

enum { GRADUS_HISTOGRAM_BINS = 12 };
enum { GRADUS_LABELS_LISTED = 1000 }; /* maximum distinct labels in label_values */

typedef struct gradus_description {
    size_t rows, features, queries;
    bool sparse;                         /* rows are stored sparse */
    bool has_queries;                    /* the file has query ids */
    bool has_documents;                  /* the file has document ids */
    size_t first_id;                     /* the file's id of its first feature: 0 or 1 */
    size_t documents_min, documents_max; /* per query */
    double documents_median;
    size_t labels;              /* distinct labels */
    const double *label_values; /* ascending; NULL if there are more than GRADUS_LABELS_LISTED */
    const size_t *label_rows;   /* number of rows with each label; NULL likewise */
    double label_min, label_max, label_mean; /* NAN if there are no rows */
    bool graded;                             /* every label is a non-negative whole number */
    size_t entries;                          /* values that are neither 0 nor missing */
    size_t missing;                          /* values that are NAN */
    double density;                          /* entries / (rows x features) */
    size_t constants;                        /* features with the same value in all rows */
    const size_t *constant_features;         /* ascending */
    size_t duplicates;                       /* non-constant features equal to an earlier feature */
    const size_t *duplicate_features;        /* ascending */
    const size_t *duplicate_of;              /* the earlier feature of each */
    size_t queries_without_relevant;         /* no label above 0 */
    size_t queries_with_one_label;           /* all labels equal */
    /* documents per query: bin b counts queries with histogram_edges[b] to histogram_edges[b+1]-1
     */
    size_t histogram_bins;
    size_t histogram_edges[GRADUS_HISTOGRAM_BINS + 1];
    size_t histogram[GRADUS_HISTOGRAM_BINS];
} gradus_description;

/* Summarises a dataset. The arrays belong to the description. */
GRADUS_API gradus_description *gradus_describe(gradus_context *context, const gradus_dataset *data,
                                               gradus_error *err);
/* Frees a description and its arrays. */
GRADUS_API void gradus_description_free(gradus_description *description);

/* Leakage between two datasets, such as a training and a test set, and features that only one of
 * them uses. Features are matched by index; the dataset with fewer is padded with zeros. Two
 * missing values are equal. */
typedef struct gradus_overlap {
    size_t queries;            /* query ids in both datasets */
    const size_t *query_first; /* their indices in the first, ascending */
    size_t rows;               /* rows of the second with the same features as a row of the first */
    size_t labelled_rows;      /* those with the same label, too */
    size_t only_first;         /* features with a non-zero value in the first dataset only */
    const size_t *only_first_features;
    size_t only_second;
    const size_t *only_second_features;
} gradus_overlap;

/* Finds common queries and rows, and differing features, of two datasets. The arrays belong to the
 * result. */
GRADUS_API gradus_overlap *gradus_overlap_find(gradus_context *context, const gradus_dataset *first,
                                               const gradus_dataset *second, gradus_error *err);
/* Frees an overlap and its arrays. */
GRADUS_API void gradus_overlap_free(gradus_overlap *overlap);

/* ---- Data from other programs: the Arrow C data interface ----
 *
 * Example: rows of two queries, not contiguous, and a table from a producer of Arrow streams.
 *
 *     const float table_values[] = { 0.5f, 2, 0.25f, 3, 0.75f, 1 }, table_labels[] = { 1, 0, 2 };
 *     const uint64_t name_starts[] = { 0, 5, 12 };
 *     const int64_t query_ids[] = { 7, 3, 7 };
 *     const gradus_arrays table = { .rows = 3, .features = 2, .stride = 2,
 *                                   .values = table_values, .labels = table_labels,
 *                                   .feature_names = { "bm25\0length", name_starts },
 *                                   .row_query_ids = query_ids };
 *     gradus_dataset *small = gradus_dataset_copy(context, &table, &err);
 *     size_t order[3];
 *
 *     if (!small || gradus_dataset_file_order(small, order, &err) != GRADUS_OK)
 *         return 1;
 *     printf("row 1 of the table, of query %s, is row %zu of the dataset\n",
 *            gradus_dataset_query_name(small, 1), order[1]); // query 3, row 2
 *     gradus_dataset_free(small);
 *
 *     struct ArrowArrayStream stream = { 0 }; // to be filled in by a producer
 *     if (stream.release)
 *         gradus_dataset_free(gradus_dataset_from_arrow(context, &stream, NULL, &err));
 */

/* The structures of the Arrow C data and C stream interfaces, as specified by the Arrow project:
 * https://arrow.apache.org/docs/format/CDataInterface.html. No Arrow library is needed. */
#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE
#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4
struct ArrowSchema {
    const char *format;
    const char *name;
    const char *metadata;
    int64_t flags;
    int64_t n_children;
    struct ArrowSchema **children;
    struct ArrowSchema *dictionary;
    void (*release)(struct ArrowSchema *);
    void *private_data;
};
struct ArrowArray {
    int64_t length;
    int64_t null_count;
    int64_t offset;
    int64_t n_buffers;
    int64_t n_children;
    const void **buffers;
    struct ArrowArray **children;
    struct ArrowArray *dictionary;
    void (*release)(struct ArrowArray *);
    void *private_data;
};
#endif
#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE
struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *out);
    int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *out);
    const char *(*get_last_error)(struct ArrowArrayStream *);
    void (*release)(struct ArrowArrayStream *);
    void *private_data;
};
#endif

/* Reads all record batches of an Arrow stream into a dataset, which owns its data. The stream is
 * always released, also on failure (unless it is NULL or has been released before). options:
 * operation "read", or NULL. Its options for CSV columns apply: label-column, query-column,
 * weight-column, document-column, ignore-column and their defaults, use-features, ignore-features
 * and label-optional. All other columns are features, and keep their names. Features, labels and
 * weights: integers of 8 to 64 bits, float16, float32, float64, bool, or a dictionary of these.
 * They are rounded to float. A null feature is missing; a null label or weight and values that are
 * infinite as float are errors. Query and document ids: these, or utf8, large_utf8, utf8_view, or a
 * dictionary of them. Whole numbers become decimal text. A null query is an error, a null document
 * has no name. Queries need not be contiguous: see gradus_dataset_copy. Ignored columns may have
 * any type. Structures are checked as far as they can be: they do not contain the sizes of their
 * buffers. */
GRADUS_API gradus_dataset *gradus_dataset_from_arrow(gradus_context *context,
                                                     struct ArrowArrayStream *stream,
                                                     const gradus_options *options,
                                                     gradus_error *err);

/* ---- Scores: one number per row, higher is better ----
 *
 * Example: score by a single feature.
 *
 *     double *baseline = malloc(gradus_dataset_rows(test) * sizeof *baseline);
 *
 *     if (!baseline || gradus_scores(context, test, "feature:132", 1, baseline, &err) != GRADUS_OK)
 *         return 1;
 */

/* Fills one score per row of data. what: a model file, a file of scores (one per line, in the order
 * of the data file, or a TREC run that names every document), or an untrained method of the
 * catalogue "methods": "feature:ID", "random" (which uses seed). A non-finite score is
 * GRADUS_BAD_NUMBER. */
GRADUS_API gradus_status gradus_scores(gradus_context *context, const gradus_dataset *data,
                                       const char *what, uint64_t seed, double *scores,
                                       gradus_error *err);
/* Writes scores, one line per row in the order of the data file, or a TREC run if run_name is not
 * NULL. On failure no partial file remains; "-" is standard output. */
GRADUS_API gradus_status gradus_scores_write(const gradus_dataset *data, const double *scores,
                                             const char *path, const char *run_name,
                                             gradus_error *err);

/* Writes `columns` numbers per row (those of row r start at values[r * columns]), separated by
 * spaces, in the order of the data file, after the line "# heading" (heading NULL: no such line).
 */
GRADUS_API gradus_status gradus_columns_write(const gradus_dataset *data, const double *values,
                                              size_t columns, const char *heading, const char *path,
                                              gradus_error *err);

/* ---- Training ----
 *
 * Example: train in one call, then round by round with validation data.
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
 *         gradus_training_get_state(training, &state);
 *         printf("round %zu: %s %.4f\n", state.round, state.metric, state.valid);
 *     }
 *     gradus_model *best = done ? gradus_training_finish(training, &err) : NULL;
 *     gradus_training_free(training);
 *     if (!best)
 *         return 1;
 */

typedef struct gradus_model gradus_model;
typedef struct gradus_training gradus_training;

/* A user-defined loss: fills its gradients and hessians (>= 0) with respect to the scores, one each
 * per training row. Called from one thread at a time. Training fails with any status other than
 * GRADUS_OK that it returns. */
typedef gradus_status (*gradus_objective_function)(void *user, const gradus_dataset *data,
                                                   const double *scores, float *gradients,
                                                   float *hessians);
/* A user-defined metric: sets *value from the scores of all rows of data, a dataset of the input or,
 * while a transform is chosen, some of its queries; higher is better. Training fails with any status
 * other than GRADUS_OK that it returns. */
typedef gradus_status (*gradus_metric_function)(void *user, const gradus_dataset *data,
                                                const double *scores, double *value);

typedef struct gradus_training_input {
    const gradus_dataset *train;
    const gradus_dataset *valid; /* to select the best round by; NULL: none */
    const gradus_model *start;   /* warm start: new rounds are added to this model; NULL: no */
    bool resume;                 /* start is a checkpoint of the same training: resume it */
    const double *initial;       /* initial scores, one per row (methods with one output) */
    const double *initial_valid; /* the same for valid */
    const gradus_dataset *const *others; /* evaluated like valid, without influence on training; see
                                            gradus_training_other */
    size_t other_count;
    gradus_objective_function objective; /* for methods with one output; NULL: the method's loss */
    gradus_metric_function metric;       /* NULL: the metric of the options */
    void *user;                          /* passed to objective and metric */
} gradus_training_input;

/* Prepares training: checks data and options, and bins the features. options: operation "train", or
 * NULL. The datasets, models and arrays of input must outlive the training. Returns NULL on
 * failure. */
GRADUS_API gradus_training *gradus_training_new(gradus_context *context,
                                                const gradus_training_input *input,
                                                const gradus_options *options, gradus_error *err);
/* Trains one round. *done: training is finished (all rounds done, stopped early, or nothing left to
 * fit). If the round is cancelled or its device is lost, gradus_training_checkpoint returns the state
 * after the last completed round; the training object cannot be stepped afterwards. */
GRADUS_API gradus_status gradus_training_step(gradus_training *training, bool *done,
                                              gradus_error *err);

typedef struct gradus_training_state {
    size_t round, rounds; /* completed, and requested */
    const char *metric;   /* "ndcg@10"; "" if nothing is evaluated */
    bool lower_is_better;
    double train, valid; /* most recent values of the metric; NAN: not evaluated yet */
    size_t best_round;   /* 0: no validation data */
    double best_valid;
    const char *stopped; /* why training ended, in words; "" if it has not */
    double bin_seconds, train_seconds, evaluate_seconds;
    bool by_rounds; /* false: the model is fitted in a single step, counted as one round */
    size_t steps;   /* stochastic steps so far, on sampled rows or pairs; 0: rounds use all rows */
    size_t kept;    /* rounds of the model that gradus_training_finish returns */
    bool exhausted; /* stopped because nothing is left to fit: a checkpoint cannot be resumed */
} gradus_training_state;

/* Gets the state after the last round. Strings are valid until the next step. */
GRADUS_API void gradus_training_get_state(const gradus_training *training,
                                          gradus_training_state *state);
/* Returns the most recent value of the metric on dataset `index` of `others`; NAN if not available:
 * always with initial scores, and for methods that evaluate valid themselves (calibrated). */
GRADUS_API double gradus_training_other(const gradus_training *training, size_t index);
/* Returns a checkpoint: a model from which training can be resumed (gradus_training_input.resume).
 * Resuming gives a model byte-identical to that of an uninterrupted training. */
GRADUS_API gradus_model *gradus_training_checkpoint(const gradus_training *training,
                                                    gradus_error *err);
/* Returns the trained model: up to the best round if there is validation data (see the option
 * keep), else all rounds. The training object cannot be stepped afterwards, but must still be
 * freed. */
GRADUS_API gradus_model *gradus_training_finish(gradus_training *training, gradus_error *err);
/* Frees a training, finished or not. Models obtained from it stay valid. */
GRADUS_API void gradus_training_free(gradus_training *training);
/* Keeps the bins of these datasets for all later trainings of the context, and of contexts split
 * from it, on the same datasets and with the same bin options. Ends with the next call; count 0:
 * keeps none. The datasets must not be freed before. */
GRADUS_API gradus_status gradus_context_share_bins(gradus_context *context,
                                                   const gradus_dataset *const *sets, size_t count,
                                                   gradus_error *err);
/* Fills bins (one per feature) with the number of bins into which training with these options
 * divides the values of each feature. options: operation "train", or NULL. */
GRADUS_API gradus_status gradus_dataset_bins(gradus_context *context, const gradus_dataset *data,
                                             const gradus_options *options, size_t *bins,
                                             gradus_error *err);

/* Trains all rounds and returns the model; NULL on failure. valid: to select the best round by;
 * NULL: none. options: operation "train", or NULL. The datasets may be freed afterwards. */
GRADUS_API gradus_model *gradus_train(gradus_context *context, const gradus_dataset *train,
                                      const gradus_dataset *valid, const gradus_options *options,
                                      gradus_error *err);

/* ---- Models: immutable, usable from any number of threads ----
 *
 * Example: write and read a model file, then score rows in memory.
 *
 *     gradus_model_free(best);
 *     if (gradus_model_write(model, "web.model", &err) != GRADUS_OK ||
 *         !(best = gradus_model_read("web.model", &err)))
 *         return 1;
 *
 *     gradus_model_info info;
 *     gradus_model_describe(best, &info);
 *     printf("%s: %zu rounds, %zu features\n", info.method, info.rounds, info.features);
 *
 *     float *rows = calloc(2 * info.features, sizeof *rows); // two documents, all zeros
 *     double two[2];
 *     if (!rows || gradus_model_score_rows(best, rows, 2, info.features, info.features, two,
 *                                          NULL, &err) != GRADUS_OK)
 *         return 1;
 *     free(rows);
 */

/* Writes a model file; on failure no partial file remains. "-" is standard output. */
GRADUS_API gradus_status gradus_model_write(const gradus_model *model, const char *path,
                                            gradus_error *err);
/* Sets *size to the number of bytes that gradus_model_write writes. */
GRADUS_API gradus_status gradus_model_size(const gradus_model *model, uint64_t *size,
                                           gradus_error *err);
/* Reads a model file, plain or compressed with gzip or zstd; "-" is standard input. Models of XGBoost,
 * LightGBM and RankLib are read too (docs/formats/imported-models.md). The contents are verified: a
 * damaged file is GRADUS_BAD_FORMAT. */
GRADUS_API gradus_model *gradus_model_read(const char *path, gradus_error *err);
/* Sets *bytes to the content of the file that gradus_model_write writes, and *size to its size. Free
 * it with free(). */
GRADUS_API gradus_status gradus_model_to_bytes(const gradus_model *model, void **bytes,
                                               size_t *size, gradus_error *err);
/* Reads a model from the content of a model file in memory, which is copied and may have any
 * alignment. As gradus_model_read, except that compressed content is GRADUS_BAD_FORMAT. */
GRADUS_API gradus_model *gradus_model_from_bytes(const void *bytes, size_t size, gradus_error *err);
/* Frees a model. Free the models derived from it (gradus_model_rescored, gradus_calibrate,
 * gradus_ensemble, gradus_model_member) first. */
GRADUS_API void gradus_model_free(gradus_model *model);
/* Returns whether a file starts like one that gradus_model_read reads; false if it cannot be read. */
GRADUS_API bool gradus_model_is_file(const char *path);
/* Returns the model with another scoring rule (docs/methods/scoring-rules.md), or truncated to its
 * first N rounds. options: operation "score", or NULL. The model must outlive the result. A note
 * reports a cost that is not optimal for the rule. */
GRADUS_API gradus_model *gradus_model_rescored(gradus_context *context, const gradus_model *model,
                                               const gradus_options *options, gradus_error *err);

/* Fills one score per row of data; higher is better. Features that the model does not have are
 * ignored, with a note; fewer features than the model's are GRADUS_BAD_ARGUMENT. */
GRADUS_API gradus_status gradus_model_score(gradus_context *context, const gradus_model *model,
                                            const gradus_dataset *data, double *scores,
                                            gradus_error *err);
/* Fills the grade probabilities of each row: rows x grades (gradus_model_info.grades), each row
 * non-negative and summing to one. GRADUS_BAD_ARGUMENT if the model has no probabilities. */
GRADUS_API gradus_status gradus_model_probabilities(gradus_context *context,
                                                    const gradus_model *model,
                                                    const gradus_dataset *data,
                                                    double *probabilities, gradus_error *err);
/* Fills the predicted grade of each row, one of gradus_model_info.grade_values. Its index is, for
 * models with thresholds, how many of them the output reaches; for cocr, how many outputs reach one
 * half; for others, that of the most probable grade. GRADUS_BAD_ARGUMENT if the model has no
 * grades. */
GRADUS_API gradus_status gradus_model_grades(gradus_context *context, const gradus_model *model,
                                             const gradus_dataset *data, double *grades,
                                             gradus_error *err);
/* Fills scores (one per row) and probabilities (rows x grades) for rows in memory, on the calling
 * thread and without a dataset: feature f of row r is values[r * stride + f]. All rows belong to
 * one query. features must be at least the model's; extra ones are ignored. Either output may be
 * NULL. */
GRADUS_API gradus_status gradus_model_score_rows(const gradus_model *model, const float *values,
                                                 size_t rows, size_t features, size_t stride,
                                                 double *scores, double *probabilities,
                                                 gradus_error *err);

/* ---- Export and import: models in the formats of other tools ----
 *
 * Example: the whole model as readable JSON, with a file of rows and scores to check a reader by.
 *
 *     gradus_options *to = gradus_options_new("export", &err);
 *
 *     if (gradus_options_set(to, "format", "json", &err) != GRADUS_OK ||
 *         gradus_export_write(model, to, "web.json", "web.json.parity.csv", &err) != GRADUS_OK) {
 *         fprintf(stderr, "%s\n", err.message); // why the format cannot hold the model
 *         return 1;
 *     }
 *     gradus_options_free(to);
 */

/* A format of gradus_export; the strings are constants. Its description is in the catalogue
 * "formats". */
typedef struct gradus_format {
    const char *name;      /* "xgboost-json" */
    const char *used_by;   /* the tools that read it: "XGBoost, Triton FIL" */
    const char *extension; /* of file names, without the dot */
    const char *methods;   /* whose models it holds if they were trained with default options: names
                              separated by spaces; NULL: all methods */
    double tolerance; /* largest |difference| / max(1, |score|) between the scores of a tool that
                         reads the file and those of gradus; 0: bit-equal */
} gradus_format;

/* Gets format `index`, in the order of the catalogue "formats". Returns false past the last. */
GRADUS_API bool gradus_format_at(size_t index, gradus_format *format);

enum { GRADUS_PARITY_ROWS = 200 };

/* Sets *bytes to a model in the format of another tool, and *size to its size. *bytes is followed by
 * a NUL that *size does not count; free it with free(). options: operation "export"; its option
 * format is required. A model that the format cannot hold exactly is GRADUS_BAD_ARGUMENT, and the
 * message gives the reason. The same model gives the same bytes. To export a prefix of the rounds, or
 * another scoring rule, export the result of gradus_model_rescored. */
GRADUS_API gradus_status gradus_export(const gradus_model *model, const gradus_options *options,
                                       void **bytes, size_t *size, gradus_error *err);
/* Writes the same to a file. The option format may be omitted if only one format has the extension
 * of the file name. parity: file for GRADUS_PARITY_ROWS rows of feature values with the model's
 * scores, and a program that compares them with those of the exported model
 * (docs/formats/exported-models.md); NULL: none. On failure no partial file remains. "-" is standard
 * output. */
GRADUS_API gradus_status gradus_export_write(const gradus_model *model,
                                             const gradus_options *options, const char *path,
                                             const char *parity, gradus_error *err);
/* Reads a model of another tool, plain or compressed with gzip or zstd; "-" is standard input. The
 * format (see the catalogue "importers") is detected from the content. A model that cannot be
 * represented exactly is GRADUS_BAD_FORMAT, and the message gives the reason and the position. */
GRADUS_API gradus_model *gradus_import(const char *path, gradus_error *err);
/* Reads the same from memory, which may be freed afterwards. */
GRADUS_API gradus_model *gradus_import_bytes(const void *bytes, size_t size, gradus_error *err);

/* ---- Calibration and ensembles ----
 *
 * Example: turn a model's scores into grade probabilities, and measure their calibration.
 *
 *     gradus_reliability reliability;
 *     gradus_model *calibrated = NULL;
 *     gradus_options *platt = gradus_options_new("calibrate", &err);
 *
 *     if (gradus_options_set(platt, "how", "platt", &err) != GRADUS_OK ||
 *         !(calibrated = gradus_calibrate(context, model, test, platt, &err)) ||
 *         gradus_model_reliability(context, calibrated, test, 10, &reliability, &err)) {
 *         fprintf(stderr, "%s\n", err.message);
 *         return 1;
 *     }
 *     printf("calibration error %.4f\n", reliability.error); // on the same data: optimistic
 *     gradus_model_free(calibrated); // before the model that it was made from
 *     gradus_options_free(platt);
 */

/* Returns the model with its outputs calibrated on held-out data. options: operation "calibrate",
 * or NULL. The model must outlive the result; it may already be calibrated. */
GRADUS_API gradus_model *gradus_calibrate(gradus_context *context, const gradus_model *model,
                                          const gradus_dataset *data, const gradus_options *options,
                                          gradus_error *err);

enum { GRADUS_MAX_BINS = 100 };

/* How well calibrated the grade probabilities are. The events are "grade k or higher", for each row
 * and each grade k but the lowest. */
typedef struct gradus_reliability {
    size_t bins;
    double weight[GRADUS_MAX_BINS];    /* total weight of the events predicted in the bin */
    double predicted[GRADUS_MAX_BINS]; /* their mean probability; NAN: the bin is empty */
    double observed[GRADUS_MAX_BINS];  /* their observed frequency; NAN: the bin is empty */
    double error;         /* expected calibration error: weighted mean |predicted - observed| */
    double largest_error; /* maximum |predicted - observed| over bins */
    double log_loss;      /* mean -log P(the row's grade) */
    double brier;         /* mean squared error of the events' probabilities, approximately equal to
                             reliability - resolution + uncertainty */
    double reliability, resolution, uncertainty;
} gradus_reliability;

/* Measures the calibration of a model on data. bins: 1 to GRADUS_MAX_BINS, of equal width.
 * GRADUS_BAD_ARGUMENT if the model has no probabilities; also fails if a row has a grade that the
 * model was not trained on. */
GRADUS_API gradus_status gradus_model_reliability(gradus_context *context,
                                                  const gradus_model *model,
                                                  const gradus_dataset *data, size_t bins,
                                                  gradus_reliability *out, gradus_error *err);

/* Combines `count` models into one. options: operation "ensemble", or NULL. valid: data to fit the
 * weights on; may be NULL for combinations that do not need it. The models must outlive the result.
 */
GRADUS_API gradus_model *gradus_ensemble(gradus_context *context, const gradus_model *const *models,
                                         size_t count, const gradus_dataset *valid,
                                         const gradus_options *options, gradus_error *err);

/* Selects members of an ensemble by greedy forward selection with replacement on bootstrap samples
 * of the queries (Caruana and others 2004), as gradus_ensemble does with way "selection".
 * scores[i]: one score per row of the labelled data from member i; they are standardised within
 * each query, or with the option "raw" or "probabilities" used as they are. weights: one per
 * member, nonnegative, with sum 1, for the option "weights". options: operation "ensemble", of which
 * metric, convention, gain, label-gain, raw, probabilities, bags, steps and seed are used, or NULL.
 * The weights do not depend on the number of threads. */
GRADUS_API gradus_status gradus_ensemble_select(gradus_context *context, const gradus_dataset *data,
                                                const double *const *scores, size_t count,
                                                const gradus_options *options, double *weights,
                                                gradus_error *err);

/* Distils a model: trains one model, by default a forest (method "regression"), on the scores that
 * `model` gives the rows of data, whose labels are not used. The result ranks nearly like the model
 * and takes less time to score if the model is a large ensemble. options: operation "train" with a
 * method that accepts labels of any size and sign, or NULL. The model may be freed afterwards. */
GRADUS_API gradus_model *gradus_distil(gradus_context *context, const gradus_model *model,
                                       const gradus_dataset *data, const gradus_options *options,
                                       gradus_error *err);

/* ---- Model inspection: size, options, learning curve, importance, equations, trees ----
 *
 * Example: what it consists of, the learning curve, and the gain of each feature that is used.
 *
 *     gradus_model_fact fact;
 *     double at_train, at_valid;
 *     size_t round, used;
 *     gradus_feature_use *uses = malloc(gradus_model_max_uses(model) * sizeof *uses);
 *
 *     for (size_t i = 0; gradus_model_fact_at(model, i, &fact); i++)
 *         if (fact.type == GRADUS_FACT_COUNT && fact.number > 0)
 *             printf("%s: %.0f\n", fact.name, fact.number);
 *     for (size_t i = 0; gradus_model_curve_at(model, i, &round, &at_train, &at_valid); i++)
 *         printf("round %zu: %.4f\n", round, at_train);
 *     if (!uses || gradus_model_uses(model, uses, &used, &err) != GRADUS_OK)
 *         return 1;
 *     for (size_t i = 0; i < used; i++)
 *         printf("feature %zu: gain %g\n", uses[i].feature + gradus_model_first_id(model),
 *                uses[i].gain);
 *     free(uses);
 */

/* What is known of every model. */
typedef struct gradus_model_info {
    const char *method;
    size_t features, outputs;
    size_t rounds;              /* of an ensemble: the maximum over its members */
    bool has_rounds;            /* trained in rounds; false: rounds is 1 */
    size_t grades;              /* 0: the method does not model grades */
    const double *grade_values; /* ascending */
    bool probabilities;         /* gradus_model_probabilities is available */
    const char *scoring;        /* how outputs are turned into a score: "expected-grade" */
    size_t train_rows, train_queries;
    const char *metric, *convention; /* of the learning curve; "": no curve */
    bool lower_is_better;
    size_t rounds_done, best_round; /* best_round 0: no validation data */
    bool validated;                 /* trained with validation data */
    size_t start_rounds;            /* rounds of the warm-start model; 0: none */
    bool finished;                  /* false: a checkpoint */
    bool distilled;                 /* its labels were scores of another model: gradus_distil */
    double log_likelihood;          /* NAN: not fitted by maximum likelihood */
    const double *thresholds;       /* grades - 1, on the output; NULL: none */
    const char *calibration;        /* the calibration applied last; "": none */
    size_t members;                 /* of an ensemble; 0: not one */
    /* Of members: "weighted-sum", "standardized", "borda" or "reciprocal-rank"; else "". */
    const char *combination;
    bool importance;                    /* gradus_model_importance ranks the features */
    const char *gain_name, *count_name; /* of the numbers it fills in: "gain", "splits" */
} gradus_model_info;

/* Describes a model. Strings and arrays belong to the model. */
GRADUS_API void gradus_model_describe(const gradus_model *model, gradus_model_info *info);

typedef enum gradus_fact_type {
    GRADUS_FACT_COUNT,  /* number: a whole number */
    GRADUS_FACT_NUMBER, /* number */
    GRADUS_FACT_FLAG,   /* number: 0 or 1 */
    GRADUS_FACT_TEXT,   /* text */
    GRADUS_FACT_LINE    /* text: a line of a description, see gradus_model_fact_at */
} gradus_fact_type;

/* Something that only some kinds of models have. */
typedef struct gradus_model_fact {
    const char *name; /* "leaves" */
    gradus_fact_type type;
    double number;          /* 0 for texts and lines */
    const char *text;       /* "" for counts, numbers and flags */
    const char *one, *many; /* what a count counts: "leaf", "leaves"; NULL: no noun */
} gradus_model_fact;

/* Gets fact `index` of a model. The strings belong to the model. Returns false past the last.
 *
 * Every model has these counts, in this order, 0 for what it does not consist of, and in an
 * ensemble the sum over the members:
 *   trees, leaves            trees and all their leaves
 *   equations                of a linear model, one per output
 *   kernels                  of a sum of Gaussian kernels of single features
 *   support_rows             of kernel machines
 *   voters, voter_splits     of AdaBoost.MH: base classifiers, one per round, and their splits
 *   units, weights           of neural networks: hidden units and weights; of hashed features:
 *                            weights
 * Others follow, of a model that is not an ensemble, or of how an ensemble combines its members:
 *   kernel.name, kernel.bandwidth, kernel.degree, kernel.coef0, kernel.support_rows, kernel.sparse
 *                            of a kernel machine; name: "gaussian", "polynomial" or "linear"
 *   products                 of AdaBoost.MH: base classifiers are products of stumps, not trees
 *   activation               of a neural network: "tanh" or "relu"
 *   rank_constant            of an ensemble that combines ranks; used by reciprocal-rank only
 *   size, kernel, ensemble   lines that describe the size, the kernel and how members are combined.
 *                            In their texts {name} stands for the fact with that name, followed
 *                            by its noun if it has one
 * Later versions may add facts and counts; the names and types of these stay the same. */
GRADUS_API bool gradus_model_fact_at(const gradus_model *model, size_t index,
                                     gradus_model_fact *fact);
/* Finds a fact by its name. Returns false if the model has none of that name. */
GRADUS_API bool gradus_model_fact_find(const gradus_model *model, const char *name,
                                       gradus_model_fact *fact);

/* Returns member `index` of an ensemble as a model, for inspection with the functions of this
 * section; the ensemble must outlive it. If the file does not record the member's method, the
 * method is the kind of learner ("forest", "linear", ...). *weight (may be NULL): the factor on its
 * scores or probabilities; 1 / members if ranks are combined. NULL if there is no such member. */
GRADUS_API gradus_model *gradus_model_member(const gradus_model *model, size_t index,
                                             double *weight, gradus_error *err);
/* A fitted parameter of a calibration of the model's outputs. */
typedef struct gradus_calibration_parameter {
    const char *method; /* "platt" */
    const char *name;   /* "a" */
    size_t output;      /* the output it applies to, from 1; 0: all outputs */
    double value;
} gradus_calibration_parameter;
/* Gets parameter `index` of a calibration; calibration 0 is the one applied last. Returns false
 * past its last parameter; every calibration has at least one. For isotonic, network and
 * gaussian-process the parameters reported are sizes. */
GRADUS_API bool gradus_model_calibration_at(const gradus_model *model, size_t calibration,
                                            size_t index, gradus_calibration_parameter *out);
/* Gets option `index` of those that the model was trained with (operation "train"). The strings
 * belong to the model. Returns false past the last. */
GRADUS_API bool gradus_model_option_at(const gradus_model *model, size_t index, const char **name,
                                       const char **value);
/* Gets point `index` of the learning curve. Values that were not evaluated are NAN; valid may be
 * NULL. Returns false past the last point. */
GRADUS_API bool gradus_model_curve_at(const gradus_model *model, size_t index, size_t *round,
                                      double *train, double *valid);
/* Gets number `index` of those that the learner reports about its fit ("objective", "duality gap").
 * Returns false past the last. */
GRADUS_API bool gradus_model_result_at(const gradus_model *model, size_t index, const char **name,
                                       double *value);
/* Returns the name of a feature; "" if features have no names and are identified by their id:
 * feature + gradus_model_first_id. */
GRADUS_API const char *gradus_model_feature_name(const gradus_model *model, size_t feature);
/* Returns the id of the first feature in the training data: 0 or 1. */
GRADUS_API size_t gradus_model_first_id(const gradus_model *model);
/* Fills the importance of each feature (gradus_model_info.features): gains and splits, either of
 * which may be NULL. Trees: the total gain of the feature's splits; their number. Linear models:
 * |coefficient| times the feature's standard deviation in the training data, summed over outputs;
 * the number of outputs whose equation contains it. Neural networks: |product of the weights|
 * summed over the paths from feature to score; the number of paths. Sums of kernels: 0. Ensembles:
 * the members' gains, each normalised to sum to 1, averaged in proportion to the members' absolute
 * weights (members whose gains are all 0 are left out); the sum of splits. */
GRADUS_API gradus_status gradus_model_importance(const gradus_model *model, double *gains,
                                                 uint64_t *splits, gradus_error *err);

/* A feature that a model uses, with its importance as in gradus_model_importance. */
typedef struct gradus_feature_use {
    size_t feature;
    double gain;
    uint64_t splits;
} gradus_feature_use;

/* Returns the length of the array that gradus_model_uses needs. It depends on what the model
 * stores, not on the number of training features, which may be far larger. */
GRADUS_API size_t gradus_model_max_uses(const gradus_model *model);
/* Fills uses with the features that have at least one split, ascending; *count: their number.
 * Hashed features are listed only if there are at most 64 per weight. */
GRADUS_API gradus_status gradus_model_uses(const gradus_model *model, gradus_feature_use *uses,
                                           size_t *count, gradus_error *err);

/* Returns the features, ascending, that a model trained on a few of many features has numbers for,
 * and their count; NULL for other models and for ensembles. With such a list, item i of the arrays
 * of gradus_model_equation and gradus_model_errors, and feature i of gradus_leaf_model, is the
 * feature at position i of the list, and all other features have no effect. */
GRADUS_API const uint32_t *gradus_model_columns(const gradus_model *model, size_t *count);

/* Gets an equation of a linear model: output `output` is the intercept plus the sum over f of
 * coefficients[f] times feature f (transformed, if the model has a transform). Missing and
 * non-finite values are replaced by means[f]. spreads: standard deviations in the training data.
 * The arrays belong to the model; any pointer may be NULL. Returns false if there is no such
 * equation. */
GRADUS_API bool gradus_model_equation(const gradus_model *model, size_t output, double *intercept,
                                      const double **coefficients, const double **means,
                                      const double **spreads);

/* Gets the standard errors of a linear model fitted by maximum likelihood: those of the
 * coefficients (0: not in the equation) and of the thresholds. The arrays belong to the model;
 * either pointer may be NULL. Returns false if the model has none. */
GRADUS_API bool gradus_model_errors(const gradus_model *model, const double **coefficients,
                                    const double **thresholds);
/* Sets *cost to the cost, implied by orboost's loss, of ranking a document of grade `high` below
 * one of grade `low` (grades numbered from 0, low < high). Returns false for other models or
 * grades. */
GRADUS_API bool gradus_model_implied_cost(const gradus_model *model, size_t low, size_t high,
                                          double *cost);

/* A node of a tree: go left if value < threshold, or if the value is missing and missing_left. */
typedef struct gradus_tree_node {
    bool is_leaf;
    size_t feature;
    float threshold;
    size_t left, right; /* node numbers of the children */
    bool missing_left;
    double gain;
    double value;       /* of a leaf */
    size_t rows;        /* training rows that reach it; 0: unknown */
    const float *votes; /* of an AdaBoost.MH leaf, in place of value: one per grade; else NULL */
} gradus_tree_node;

/* Gets a node of a tree. Trees are numbered round by round, one per output; node 0 is the root.
 * With AdaBoost.MH each round is one tree. A product of stumps is a chain: both children of a stump
 * are the next one, and the final leaf holds the votes, negated for rows that are below the
 * threshold of an odd number of stumps. Returns false if there is no such tree or node. */
GRADUS_API bool gradus_model_tree_at(const gradus_model *model, size_t tree, size_t node,
                                     gradus_tree_node *out);

/* The linear model in a leaf of a model tree: intercept plus the sum over i < terms of factors[i]
 * times feature features[i]. (The node's `value` is the mean target of its training rows.) The
 * arrays belong to the model. */
typedef struct gradus_leaf_model {
    double intercept;
    size_t terms;
    const uint32_t *features;
    const double *factors;
    const double *means; /* one per feature, replacing missing values */
} gradus_leaf_model;

/* Gets the linear model in a leaf of a model tree. Returns false if the node is not a leaf, or if
 * leaves are constant. */
GRADUS_API bool gradus_model_leaf_at(const gradus_model *model, size_t tree, size_t node,
                                     gradus_leaf_model *out);

/* ---- Explanations: what each feature contributes to a score ----
 *
 * Example: why does the first document have its score, compared with the rest of its query?
 *
 *     gradus_options *question = gradus_options_new("explain", &err);
 *     gradus_contributions reasons;
 *     const size_t asked = 0; // the row
 *
 *     if (gradus_options_set(question, "against", "query", &err) != GRADUS_OK)
 *         return 1;
 *     gradus_explanation *explanation =
 *         gradus_explain(context, model, test, &asked, 1, question, &err);
 *     if (!explanation || !gradus_explanation_at(explanation, 0, 0, &reasons))
 *         return 1;
 *     printf("score %g, mean of the others %g\n", reasons.value, reasons.base);
 *     for (size_t i = 0; i < reasons.count; i++)
 *         if (reasons.contributions[i] != 0.0)
 *             printf("feature %zu = %g: %+g\n",
 *                    reasons.features[i] + gradus_dataset_first_id(test),
 *                    (double)reasons.values[i], reasons.contributions[i]);
 *     gradus_explanation_free(explanation);
 *     gradus_options_free(question);
 */

typedef struct gradus_explanation gradus_explanation;

/* Explains `count` rows of data by Shapley values: the contributions of the features to a row add up
 * to the difference between its value and that of a reference. rows NULL: all rows. options:
 * operation "explain", or NULL: the score, against the mean of the training rows.
 * Sums of trees and linear models, and ensembles of them, are explained exactly. Any other score is
 * explained by sampling, exactly if few features differ; then the mean is that of random rows of
 * data. GRADUS_BAD_ARGUMENT if the mean is requested of a model without the training rows of its
 * leaves, and for ensembles that combine ranks or standardised scores. GRADUS_BAD_NUMBER if the
 * contributions of a row do not add up to within 1e-9, relative to their size. */
GRADUS_API gradus_explanation *gradus_explain(gradus_context *context, const gradus_model *model,
                                              const gradus_dataset *data, const size_t *rows,
                                              size_t count, const gradus_options *options,
                                              gradus_error *err);
/* A model prepared for many explanations: gradus_explain prepares it in each call. */
typedef struct gradus_explainer gradus_explainer;
/* Prepares explanations with these options, as for gradus_explain. The model must outlive the
 * explainer, which any number of threads may use. */
GRADUS_API gradus_explainer *gradus_explainer_new(const gradus_model *model,
                                                  const gradus_options *options, gradus_error *err);
/* Explains rows of data, as gradus_explain does. */
GRADUS_API gradus_explanation *gradus_explainer_run(const gradus_explainer *explainer,
                                                    gradus_context *context,
                                                    const gradus_dataset *data, const size_t *rows,
                                                    size_t count, gradus_error *err);
/* Frees an explainer; its explanations stay valid. */
GRADUS_API void gradus_explainer_free(gradus_explainer *explainer);
/* Frees an explanation and its arrays. */
GRADUS_API void gradus_explanation_free(gradus_explanation *explanation);

typedef struct gradus_explanation_info {
    size_t rows;         /* explained */
    size_t targets;      /* what is explained of each row: 1, or all outputs */
    const char *against; /* "mean", "query" or "document" */
    bool exact;          /* false: sampled, with standard errors */
    bool zero_means;     /* against "mean", but a linear part of the model stores no means of its
                            features: in its place they are 0, after the transform */
} gradus_explanation_info;

/* Describes an explanation. */
GRADUS_API void gradus_explanation_describe(const gradus_explanation *explanation,
                                            gradus_explanation_info *info);
/* Returns what is explained: "score" or "output 2 (grade 1)"; "" past the last target. */
GRADUS_API const char *gradus_explanation_target(const gradus_explanation *explanation,
                                                 size_t target);

/* The contributions to one target of one row: value is base plus their sum. Arrays have one item per
 * feature that the model uses. */
typedef struct gradus_contributions {
    size_t row;                  /* of data */
    double value, base;          /* of the row and of the reference */
    size_t count;                /* features that the model uses */
    const size_t *features;      /* ascending */
    const double *contributions; /* of these features */
    const double *errors;        /* standard errors; NULL: exact */
    const float *values;         /* of the row, before transforms */
    const float *references;     /* of the reference, or their mean; NULL: the training mean */
    size_t reference;            /* the row of the reference document; SIZE_MAX: several */
} gradus_contributions;

/* Gets the contributions to target `target` of the row `index` of the explanation. The arrays belong
 * to the explanation. Returns false past the last. */
GRADUS_API bool gradus_explanation_at(const gradus_explanation *explanation, size_t index,
                                      size_t target, gradus_contributions *out);
/* Finds a query by its id, or by its number from 1 if queries have no ids. */
GRADUS_API gradus_status gradus_dataset_find_query(const gradus_dataset *data, const char *word,
                                                   size_t *query, gradus_error *err);
/* Finds a document of a query by its id, or by its position in the query from 1; *row is its row. */
GRADUS_API gradus_status gradus_dataset_find_document(const gradus_dataset *data, size_t query,
                                                      const char *word, size_t *row,
                                                      gradus_error *err);

/* What permuting a feature does to a metric: negative importance means that the metric improved. */
typedef struct gradus_permuted {
    double importance; /* mean decrease of the metric over queries (increase of an error) */
    double low, high;  /* 95% confidence interval over queries; NAN if there are fewer than two */
} gradus_permuted;

/* Fills permuted (one per feature of the model): the values of the feature are permuted among the
 * rows of data, `repeats` times (at least 1), and the scores evaluated. 0 for features that the
 * model does not use. options: operation "evaluate", of which the first metric is used, or NULL. */
GRADUS_API gradus_status gradus_permutation_importance(
    gradus_context *context, const gradus_model *model, const gradus_dataset *data,
    const gradus_options *options, size_t repeats, uint64_t seed, gradus_permuted *permuted,
    gradus_error *err);

/* Partial dependence at one value of a feature. */
typedef struct gradus_dependence {
    double value; /* of the feature, in all rows */
    double score; /* the mean score over rows */
    /* The mean over queries of (mean score of the query - the same with the data's own values), and
     * its 95% confidence interval over queries; NAN if there are fewer than two. */
    double effect, low, high;
} gradus_dependence;

/* Computes how the score depends on a feature: all rows of data get the same value of it, for up to
 * *count values at equally spaced quantiles of the data. *count is set to the number of points,
 * which is lower if the feature has fewer distinct values. */
GRADUS_API gradus_status gradus_partial_dependence(gradus_context *context,
                                                   const gradus_model *model,
                                                   const gradus_dataset *data, size_t feature,
                                                   gradus_dependence *points, size_t *count,
                                                   gradus_error *err);

/* ---- Metrics ----
 *
 * Example: NDCG and MAP of a model and of a single feature.
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

/* Evaluates scores (one per row of data). options: operation "evaluate", or NULL. Returns NULL on
 * failure. */
GRADUS_API gradus_evaluation *gradus_evaluate(gradus_context *context, const gradus_dataset *data,
                                              const double *scores, const gradus_options *options,
                                              gradus_error *err);
/* Evaluates a TREC run file against TREC relevance judgements. The queries are the topics of the
 * judgements, so that runs can be compared query by query; topics missing from the run have no
 * value, unless the option "complete" is set. */
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
    size_t short_lists;     /* queries with fewer documents than the metric's cutoff */
    const double *by_query; /* one per query; NAN: the query is left out */
    bool lower_is_better;   /* true for errors and risks */
    bool geometric;         /* mean is the geometric mean of by_query, floored at 1e-5 (gmap) */
} gradus_result;

/* Gets the result of metric `index`. Its string and array belong to the evaluation. Returns false
 * past the last metric. */
GRADUS_API bool gradus_evaluation_at(const gradus_evaluation *evaluation, size_t index,
                                     gradus_result *result);
/* Returns the number of queries: the length of gradus_result.by_query. */
GRADUS_API size_t gradus_evaluation_queries(const gradus_evaluation *evaluation);
/* Returns the id of a query; "" if it has none, or past the last. */
GRADUS_API const char *gradus_evaluation_query_name(const gradus_evaluation *evaluation,
                                                    size_t query);
/* Returns the convention's name and the switches that were overridden: "letor4, ties expected". */
GRADUS_API const char *gradus_evaluation_convention(const gradus_evaluation *evaluation);
/* Returns all switches of the convention: "gain exp, discount log2, ...". */
GRADUS_API const char *gradus_evaluation_switches(const gradus_evaluation *evaluation);
/* Sets *mean to the mean of one metric over queries, under the default convention; NAN if no query
 * has a value. */
GRADUS_API gradus_status gradus_evaluate_metric(const gradus_dataset *data, const double *scores,
                                                const char *metric, double *mean,
                                                gradus_error *err);

typedef struct gradus_metric_facts {
    bool lower_is_better;
    bool geometric;  /* the mean over queries is geometric (gmap) */
    bool uses_gains; /* depends on the gains of labels (options gain and label-gain) */
} gradus_metric_facts;
/* Describes a metric such as "ndcg@10". */
GRADUS_API gradus_status gradus_metric_describe(const char *metric, gradus_metric_facts *facts,
                                                gradus_error *err);

enum { GRADUS_MAX_GRADES = 256 };

/* Fills the confusion matrix of labels and predicted grades (one per row). grade_values (length
 * GRADUS_MAX_GRADES) receives the *grades distinct grades, ascending; counts (length
 * GRADUS_MAX_GRADES squared) receives at [i * *grades + k] the total weight of rows with label i
 * and prediction k of that list. More grades, or a non-finite one, are GRADUS_BAD_NUMBER. */
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

/* A paired comparison of systems a and b over queries. */
typedef struct gradus_contrast {
    size_t a, b;               /* indices into `values` */
    size_t queries;            /* with a value for both systems */
    double mean_a, mean_b;     /* over those queries */
    double difference;         /* mean_b - mean_a */
    double low, high;          /* two-sided confidence interval of the difference; NAN if none */
    double statistic;          /* of the test; NAN if it has none */
    double df;                 /* degrees of freedom; NAN if the test has none */
    double p;                  /* NAN if there are too few queries for the test */
    double p_adjusted;         /* Holm's correction over all contrasts with a p-value */
    size_t wins, ties, losses; /* queries where b is better, equal, worse */
} gradus_contrast;

typedef struct gradus_comparison gradus_comparison;

/* Compares systems query by query: values[s][q] is the value of system s on query q; if NAN, the
 * query is left out of comparisons with s. Every pair is compared, in the order (0, 1), (0, 2),
 * ..., (1, 2), ...; one-sided tests test whether b, the second of the pair, is better. options:
 * operation "compare", or NULL: two-sided paired t-test. Returns NULL on failure. */
GRADUS_API gradus_comparison *gradus_compare(gradus_context *context, size_t systems,
                                             size_t queries, const double *const *values,
                                             const gradus_options *options, gradus_error *err);
/* Gets the comparison of pair `index`. Returns false past the last. */
GRADUS_API bool gradus_comparison_at(const gradus_comparison *comparison, size_t index,
                                     gradus_contrast *contrast);
/* Frees a comparison. */
GRADUS_API void gradus_comparison_free(gradus_comparison *comparison);
/* Combines independent p-values by Fisher's method: *statistic is chi-squared with 2 * count
 * degrees of freedom, *combined its p-value; either may be NULL. */
GRADUS_API gradus_status gradus_combine_p(const double *p, size_t count, double *statistic,
                                          double *combined, gradus_error *err);
/* Adjusts p-values by Holm's step-down correction. NAN stays NAN and is not counted; adjusted may
 * alias p. */
GRADUS_API gradus_status gradus_adjust_p(const double *p, size_t count, double *adjusted,
                                         gradus_error *err);

/* ---- Numbers and files ----
 *
 * Example: write a file atomically; then free everything.
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

/* Writes the shortest text that parses back to the same number, NUL-terminated and independent of
 * the locale. Returns its length without the NUL. */
GRADUS_API size_t gradus_number_format(double number, char text[GRADUS_NUMBER_SIZE]);
/* The same for labels and grades, which are stored as float: "0.1", not 0.10000000149011612. */
GRADUS_API size_t gradus_label_format(double label, char text[GRADUS_NUMBER_SIZE]);
/* Parses a number, independent of the locale. GRADUS_BAD_ARGUMENT unless the whole text is one. */
GRADUS_API gradus_status gradus_number_parse(const char *text, double *number, gradus_error *err);

/* A file that is written atomically: it appears when closed without an error. */
typedef struct gradus_output gradus_output;
/* Opens a file for writing; "-" is standard output. Names ending in .gz and .zst are compressed. */
GRADUS_API gradus_output *gradus_output_new(const char *path, gradus_error *err);
/* Appends bytes. After an error, abandon the output. */
GRADUS_API gradus_status gradus_output_write(gradus_output *output, const void *bytes, size_t size,
                                             gradus_error *err);
/* Moves the finished file into place. Frees the output even on failure. */
GRADUS_API gradus_status gradus_output_close(gradus_output *output, gradus_error *err);
/* Discards what was written and frees the output; NULL: does nothing. */
GRADUS_API void gradus_output_abandon(gradus_output *output);
/* Reads a whole file, plain or compressed with gzip or zstd; "-" is standard input. *bytes is
 * followed by a NUL that *size does not count; free it with free(). Fails if the content is larger
 * than `max` bytes. */
GRADUS_API gradus_status gradus_file_read(const char *path, size_t max, char **bytes, size_t *size,
                                          gradus_error *err);

/* Returns the most similar of `count` names, for "did you mean"; NULL if none is similar. */
GRADUS_API const char *gradus_suggest(const char *word, const char *const *names, size_t count);

#ifdef __cplusplus
}
#endif
#endif /* GRADUS_H */
