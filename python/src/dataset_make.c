/* SPDX-License-Identifier: Apache-2.0 */
/* Datasets from files, Arrow streams, generators and other datasets. */
#include "dataset_object.h"

#include <stdlib.h>

/* What the functions of this file share. */
typedef struct making {
    call c;
    size_t threads;
    uint64_t max_memory;
    PyObject *mapping, *notes, *progress;
    gradus_options *options;
} making;

static bool begin(making *m, const char *operation)
{
    m->options = NULL;
    if (operation) {
        m->options = options_from(m->mapping, operation);
        if (!m->options)
            return false;
    }
    if (call_begin(&m->c, m->threads, m->max_memory, m->progress, m->notes))
        return true;
    gradus_options_free(m->options);
    return false;
}

static PyObject *end(making *m, gradus_dataset *data)
{
    gradus_options_free(m->options);
    if (call_end(&m->c, status_of(data, &m->c.err)))
        return dataset_wrap(data);
    gradus_dataset_free(data);
    return NULL;
}

/* ---- files ---- */

/* The bytes of each path of a sequence: a list that owns them. */
static PyObject *path_list(PyObject *sequence)
{
    if (PyUnicode_Check(sequence) || PyBytes_Check(sequence))
        return raise_type(sequence, "paths", "a sequence of paths");
    PyObject *given = PySequence_List(sequence);
    PyObject *all = given ? PyList_New(0) : NULL;
    for (Py_ssize_t i = 0; all && i < PyList_Size(given); i++)
        if (!list_put(all, path_bytes(PyList_GetItem(given, i))))
            Py_CLEAR(all);
    Py_XDECREF(given);
    if (all && PyList_Size(all) == 0) {
        Py_CLEAR(all);
        PyErr_SetString(PyExc_ValueError, "paths is empty");
    }
    return all;
}

static const char **path_pointers(PyObject *list)
{
    const Py_ssize_t count = PyList_Size(list);
    const char **paths = malloc((size_t)count * sizeof *paths);

    if (!paths)
        PyErr_NoMemory();
    for (Py_ssize_t i = 0; paths && i < count; i++)
        paths[i] = PyBytes_AsString(PyList_GetItem(list, i));
    return paths;
}

PyObject *dataset_read(PyObject *type, PyObject *args, PyObject *keywords)
{
    static char *words[] = {
        "paths", "options", "threads", "max_memory", "notes", "progress", NULL
    };
    making m = { .threads = 0 };
    PyObject *sequence, *result = NULL;

    (void)type;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O|O$O&O&OO:read", words, &sequence,
                                     &m.mapping, threads_converter, &m.threads, memory_converter,
                                     &m.max_memory, &m.notes, &m.progress))
        return NULL;
    PyObject *list = path_list(sequence);
    const char **paths = list ? path_pointers(list) : NULL;
    if (paths && begin(&m, "read")) {
        const size_t count = (size_t)PyList_Size(list);
        gradus_dataset *data;

        Py_BEGIN_ALLOW_THREADS data =
            gradus_dataset_read_files(m.c.context, paths, count, m.options, &m.c.err);
        Py_END_ALLOW_THREADS result = end(&m, data);
    }
    free(paths);
    Py_XDECREF(list);
    return result;
}

/* ---- Arrow ---- */

static const char stream_name[] = "arrow_array_stream";

/* A new reference to the capsule: the object itself, or the result of __arrow_c_stream__. */
static PyObject *stream_capsule(PyObject *object)
{
    if (PyCapsule_IsValid(object, stream_name))
        return Py_NewRef(object);
    PyObject *method = PyObject_GetAttrString(object, "__arrow_c_stream__");
    if (!method) {
        PyErr_Clear();
        return raise_type(object, "stream", "an Arrow stream (an object with __arrow_c_stream__)");
    }
    PyObject *capsule = PyObject_CallNoArgs(method);
    Py_DECREF(method);
    if (capsule && !PyCapsule_IsValid(capsule, stream_name)) {
        raise_type(capsule, "the result of __arrow_c_stream__", "a capsule 'arrow_array_stream'");
        Py_CLEAR(capsule);
    }
    return capsule;
}

PyObject *dataset_from_arrow(PyObject *type, PyObject *args, PyObject *keywords)
{
    static char *words[] = {
        "stream", "options", "threads", "max_memory", "notes", "progress", NULL
    };
    making m = { .threads = 0 };
    PyObject *object, *result = NULL;

    (void)type;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O|O$O&O&OO:from_arrow", words, &object,
                                     &m.mapping, threads_converter, &m.threads, memory_converter,
                                     &m.max_memory, &m.notes, &m.progress))
        return NULL;
    PyObject *capsule = stream_capsule(object);
    struct ArrowArrayStream *stream = capsule ? PyCapsule_GetPointer(capsule, stream_name) : NULL;
    if (stream && !stream->release) {
        PyErr_SetString(PyExc_ValueError, "the Arrow stream has already been read");
        stream = NULL;
    }
    if (stream && begin(&m, "read")) {
        gradus_dataset *data;

        Py_BEGIN_ALLOW_THREADS data =
            gradus_dataset_from_arrow(m.c.context, stream, m.options, &m.c.err);
        Py_END_ALLOW_THREADS result = end(&m, data);
    }
    Py_XDECREF(capsule);
    return result;
}

/* ---- generated and joined data ---- */

PyObject *dataset_synth(PyObject *type, PyObject *args, PyObject *keywords)
{
    static char *words[] = { "kind", "options", "threads", "notes", "progress", NULL };
    making m = { .threads = 0 };
    const char *kind;
    char operation[80];

    (void)type;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "s|O$O&OO:synth", words, &kind, &m.mapping,
                                     threads_converter, &m.threads, &m.notes, &m.progress))
        return NULL;
    PyOS_snprintf(operation, sizeof operation, "synth %s", kind);
    if (!begin(&m, operation))
        return NULL;
    gradus_dataset *data;
    Py_BEGIN_ALLOW_THREADS data = gradus_synth(m.c.context, m.options, &m.c.err);
    Py_END_ALLOW_THREADS return end(&m, data);
}

static const gradus_dataset **set_pointers(PyObject *list)
{
    const Py_ssize_t count = PyList_Size(list);
    const gradus_dataset **sets = malloc(((size_t)count + 1) * sizeof *sets);
    char name[48];

    if (!sets)
        PyErr_NoMemory();
    for (Py_ssize_t i = 0; sets && i < count; i++) {
        PyOS_snprintf(name, sizeof name, "sets[%zd]", i);
        sets[i] = dataset_get(PyList_GetItem(list, i), name, false);
        if (!sets[i]) {
            free(sets);
            return NULL;
        }
    }
    return sets;
}

PyObject *dataset_join(PyObject *type, PyObject *args, PyObject *keywords)
{
    static char *words[] = { "sets", "threads", "notes", NULL };
    making m = { .threads = 0 };
    PyObject *sequence, *result = NULL;

    (void)type;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O|$O&O:join", words, &sequence,
                                     threads_converter, &m.threads, &m.notes))
        return NULL;
    PyObject *list = PySequence_List(sequence);
    const gradus_dataset **sets = list ? set_pointers(list) : NULL;
    if (sets && begin(&m, NULL)) {
        const size_t count = (size_t)PyList_Size(list);
        gradus_dataset *data;

        Py_BEGIN_ALLOW_THREADS data = gradus_dataset_join(m.c.context, sets, count, &m.c.err);
        Py_END_ALLOW_THREADS result = end(&m, data);
    }
    free(sets);
    Py_XDECREF(list);
    return result;
}
