/* SPDX-License-Identifier: Apache-2.0 */
/* gradus/basics.h - status and error, version, context, options, catalogues.
 * A part of gradus.h, which has the conventions; include that. */
#ifndef GRADUS_BASICS_H
#define GRADUS_BASICS_H
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

#ifdef __cplusplus
}
#endif
#endif /* GRADUS_BASICS_H */
