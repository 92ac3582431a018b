/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the extension share: calls into the library without the GIL, and conversions
 * between Python objects and the library's. The objects and functions are documented in
 * gradus/_core.pyi. */
#ifndef GRADUS_PYTHON_CORE_H
#define GRADUS_PYTHON_CORE_H
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030b0000
#include <Python.h>

#include "gradus.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* call.c: one call of the library.
 *
 * A call borrows a context from a list of idle ones, because a context serves one call at a time and
 * creating its threads costs more than scoring a few rows. During the call the GIL is not held; the
 * progress callback takes it at most every 50 ms to run signal handlers and the user's function. An
 * exception raised there is kept, cancels the operation, and is raised by call_end. */
typedef struct call {
    gradus_context *context;
    size_t threads;
    PyObject *progress;         /* borrowed; NULL: none */
    PyObject *notes;            /* a list, borrowed; NULL: notes are discarded */
    struct note *first, **last; /* notes of the library until call_end appends them to the list */
    PyObject *raised;           /* exception that cancelled the call */
    unsigned long thread;       /* the calling thread: signal handlers run there only */
    double asked;               /* time when progress was last called, in seconds */
    double checked;             /* time when the calling thread last looked for signals */
    gradus_error err;
} call;

/* Takes a context. False, with an exception, on failure; nothing is to be ended then. progress and
 * notes: None or NULL for none. */
bool call_begin(call *c, size_t threads, uint64_t max_memory, PyObject *progress, PyObject *notes);
/* The same from arguments of a Python function; each may be NULL. */
bool call_start(call *c, PyObject *threads, PyObject *max_memory, PyObject *progress,
                PyObject *notes);
/* Returns the context, appends the notes, and raises the exception of a callback, or the library's
 * error unless status is GRADUS_OK. False if an exception is set. */
bool call_end(call *c, gradus_status status);
/* For an object that keeps its context between calls (a training): binds the callbacks again, and ends
 * a call without returning the context. */
void call_resume(call *c);
bool call_pause(call *c, gradus_status status);
/* The status of a function that returns an object, or NULL and an error. */
gradus_status status_of(const void *result, const gradus_error *err);
/* Raises the library's error as the matching class of Error; returns NULL. */
PyObject *raise_error(const gradus_error *err);
/* A callback of the library that is not gradus_progress_function (objective, metric, watch) keeps its
 * exception by this, with the GIL held. */
void call_keep_exception(call *c);

/* options.c: options of an operation from a mapping or None. NULL with an exception on failure; None
 * gives the defaults, not NULL. A NULL mapping is as None. */
gradus_options *options_from(PyObject *mapping, const char *operation);
/* Finds a parameter by name, alias, or name followed by '_' (lambda_). */
bool option_find(const char *operation, const char *name, gradus_param *param);

/* collectives.c: collective operations by an object of Python; NULL: none. Its exceptions are raised
 * by the call. */
typedef struct collectives {
    gradus_collectives with;
    PyObject *object; /* has rank, size, sum, max, sum_parts, gather and broadcast */
    call *call;
} collectives;
bool collectives_take(collectives *c, PyObject *object, call *of);

/* convert.c: a buffer of `count` items (SIZE_MAX: any number) of `format` ('f', 'd', 'Q', 'q', 'I'),
 * C-contiguous, writable if so requested; `name` is for the message. An object None gives an empty view
 * with view->buf NULL. False with an exception (TypeError or ValueError) on failure. */
bool buffer_get(PyObject *object, const char *name, char format, size_t count, bool writable,
                Py_buffer *view);
/* The same, but None is refused. */
bool buffer_need(PyObject *object, const char *name, char format, size_t count, bool writable,
                 Py_buffer *view);
/* Names from a sequence of `count` str (SIZE_MAX: any); None: no names. Free with names_free. */
typedef struct names {
    gradus_names names;
    size_t count;
    char *bytes;
    uint64_t *starts;
} names;
bool names_get(PyObject *sequence, const char *what, size_t count, names *out);
void names_free(names *n);
/* A path from str or os.PathLike, encoded for the file system; a new reference to bytes. */
PyObject *path_bytes(PyObject *path);
/* Builds dictionaries and lists: each returns false with an exception set if value is NULL or memory is
 * exhausted, and takes over the reference to value. */
bool dict_put(PyObject *dict, const char *key, PyObject *value);
bool list_put(PyObject *list, PyObject *value);
PyObject *text_of(const char *text);
PyObject *text_or_none(const char *text);                         /* NULL gives None */
PyObject *bytes_of(const void *items, size_t count, size_t size); /* NULL gives None */

/* The text of a str, or a count from an int; else raise an exception that names the argument. */
const char *text_get(PyObject *object, const char *name);
bool count_get(PyObject *object, const char *name, uint64_t *count);
/* Converters of PyArg_Parse for counts (size_t) and sizes in bytes (uint64_t); they name "threads" or
 * "max_memory", or call it "a count". */
int threads_converter(PyObject *object, void *threads);
int memory_converter(PyObject *object, void *bytes);
int count_converter(PyObject *object, void *count);
/* Raises a TypeError: "name must be EXPECTED, not 'TYPE'"; returns NULL. */
void *raise_type(PyObject *object, const char *name, const char *expected);
PyObject *type_name(PyObject *object); /* a new reference to the name of its type */

/* The objects of the module. */
typedef struct dataset_object {
    PyObject head;
    gradus_dataset *data;
    Py_buffer *views; /* of the borrowed arrays */
    size_t view_count;
    names *names; /* of borrowed data: features, queries, documents */
    PyObject *weak;
} dataset_object;

typedef struct model_object {
    PyObject head;
    gradus_model *model;
    PyObject *owners; /* what must outlive it: a model, a tuple of models; NULL: none */
    PyObject *weak;
} model_object;

/* Created once by module.c; one interpreter per process, as numpy. */
extern PyTypeObject *dataset_type, *model_type, *array_type;
extern PyObject *error_classes[GRADUS_CANCELLED + 1]; /* by status; [0] is the base class Error */

/* dataset_object.c and model_object.c: the library's object, or NULL with a TypeError that names the
 * argument. None gives NULL without an exception if `optional`. */
const gradus_dataset *dataset_get(PyObject *object, const char *name, bool optional);
const gradus_model *model_get(PyObject *object, const char *name);
/* Take over the library's object, also on failure. */
PyObject *dataset_wrap(gradus_dataset *data);
PyObject *model_wrap(gradus_model *model, PyObject *owners);

/* module.c: what Python calls when the module is imported */
PyMODINIT_FUNC PyInit__core(void);

/* A function with keyword arguments in a table of methods. */
#define NAMED(function) ((PyCFunction)(void (*)(void))(function))

/* Methods of the module, NULL-terminated, and types, by file. */
extern PyMethodDef tables_methods[], model_methods[], evaluate_methods[], experiments_methods[],
    auto_methods[];
extern PyType_Spec dataset_spec, array_spec, model_spec, training_spec, explainer_spec;

/* device_plugin.c: a converter of PyArg_Parse: a const gradus_device *, opened from the path of a plug-in;
 * None: NULL. The device stays open. */
int device_converter(PyObject *object, void *device);

#endif
