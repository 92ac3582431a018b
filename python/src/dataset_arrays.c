/* SPDX-License-Identifier: Apache-2.0 */
/* Datasets from buffers, and the arrays of a dataset as memoryviews. */
#include "dataset_object.h"

#include <stdlib.h>
#include <string.h>

/* ---- from_arrays ---- */

enum {
    VALUES,
    ROW_STARTS,
    COLUMNS,
    ENTRIES,
    LABELS,
    QUERY_STARTS,
    ROW_WEIGHTS,
    QUERY_WEIGHTS,
    ROW_QUERY_IDS,
    BUFFERS
};
enum { FEATURE_NAMES, QUERY_NAMES, DOCUMENT_NAMES, ROW_QUERY_NAMES, NAME_LISTS };

static const char *const buffer_names[BUFFERS] = {
    "values",       "row_starts",  "columns",       "entries",       "labels",
    "query_starts", "row_weights", "query_weights", "row_query_ids",
};
static const char buffer_formats[BUFFERS] = { 'f', 'Q', 'I', 'f', 'f', 'Q', 'f', 'f', 'q' };
static const char *const list_names[NAME_LISTS] = { "feature_names", "query_names",
                                                    "document_names", "row_query_names" };

/* Arguments of from_arrays, and what was obtained from them. The views must not move. */
typedef struct source {
    gradus_arrays arrays;
    PyObject *buffers[BUFFERS], *lists[NAME_LISTS], *notes;
    size_t threads;
    Py_buffer *views;
    names *names;
} source;

static bool parse(source *s, PyObject *args, PyObject *keywords)
{
    static char *words[] = { "rows",
                             "features",
                             "labels",
                             "values",
                             "stride",
                             "row_starts",
                             "columns",
                             "entries",
                             "query_starts",
                             "row_weights",
                             "query_weights",
                             "feature_names",
                             "query_names",
                             "document_names",
                             "row_query_ids",
                             "row_query_names",
                             "threads",
                             "notes",
                             NULL };
    PyObject **b = s->buffers, **n = s->lists, *sizes[3] = { NULL };
    gradus_arrays *a = &s->arrays;
    uint64_t rows, features, stride = 0;

    if (!PyArg_ParseTupleAndKeywords(
            args, keywords, "|$OOOOOOOOOOOOOOOOO&O:from_arrays", words, &sizes[0], &sizes[1],
            &b[LABELS], &b[VALUES], &sizes[2], &b[ROW_STARTS], &b[COLUMNS], &b[ENTRIES],
            &b[QUERY_STARTS], &b[ROW_WEIGHTS], &b[QUERY_WEIGHTS], &n[FEATURE_NAMES],
            &n[QUERY_NAMES], &n[DOCUMENT_NAMES], &b[ROW_QUERY_IDS], &n[ROW_QUERY_NAMES],
            threads_converter, &s->threads, &s->notes))
        return false;
    if (!sizes[0] || !sizes[1] || !b[LABELS]) {
        PyErr_SetString(PyExc_TypeError, "from_arrays requires rows, features and labels");
        return false;
    }
    if (!count_get(sizes[0], "rows", &rows) || !count_get(sizes[1], "features", &features) ||
        (sizes[2] && !count_get(sizes[2], "stride", &stride)))
        return false;
    if (rows > PTRDIFF_MAX / sizeof(uint64_t)) {
        PyErr_Format(PyExc_ValueError, "rows is %S, more than memory can hold", sizes[0]);
        return false;
    }
    a->rows = rows;
    a->features = features;
    a->stride = stride;
    return true;
}

static size_t items(const Py_buffer *view)
{
    return view->buf ? (size_t)(view->len / view->itemsize) : 0;
}

static bool refuse(const char *name, size_t found, size_t expected)
{
    PyErr_Format(PyExc_ValueError, "%s has %zu items, expected %zu", name, found, expected);
    return false;
}

/* The library cannot know how long the buffers are. */
static bool check_lengths(source *s)
{
    gradus_arrays *a = &s->arrays;
    const Py_buffer *v = s->views;
    size_t needed;

    if (v[VALUES].buf) {
        if (a->stride == 0)
            a->stride = a->features;
        if (a->rows > 0 &&
            (__builtin_mul_overflow(a->rows - 1, a->stride, &needed) ||
             __builtin_add_overflow(needed, a->features, &needed) || items(&v[VALUES]) < needed)) {
            PyErr_Format(PyExc_ValueError,
                         "values has %zu items, too few for %zu rows of %zu features",
                         items(&v[VALUES]), a->rows, a->features);
            return false;
        }
    } else if (!v[ROW_STARTS].buf) {
        PyErr_SetString(PyExc_ValueError, "values or row_starts is required");
        return false;
    } else {
        const uint64_t *starts = v[ROW_STARTS].buf;

        if (!v[COLUMNS].buf || !v[ENTRIES].buf) {
            PyErr_SetString(PyExc_ValueError, "row_starts requires columns and entries");
            return false;
        }
        if (starts[a->rows] != items(&v[ENTRIES]))
            return refuse("entries", items(&v[ENTRIES]), starts[a->rows]);
        if (items(&v[COLUMNS]) != items(&v[ENTRIES]))
            return refuse("columns", items(&v[COLUMNS]), items(&v[ENTRIES]));
    }
    return true;
}

static bool get_queries(source *s)
{
    gradus_arrays *a = &s->arrays;
    const Py_buffer *v = s->views;
    const bool by_row = s->buffers[ROW_QUERY_IDS] || s->lists[ROW_QUERY_NAMES];

    if (v[QUERY_STARTS].obj) {
        if (items(&v[QUERY_STARTS]) < 2) {
            PyErr_Format(PyExc_ValueError, "query_starts has %zu items, expected at least 2",
                         items(&v[QUERY_STARTS]));
            return false;
        }
        a->queries = items(&v[QUERY_STARTS]) - 1;
    } else if (by_row) {
        a->queries = items(&v[QUERY_WEIGHTS]);
    }
    if (v[QUERY_WEIGHTS].buf && items(&v[QUERY_WEIGHTS]) != a->queries)
        return refuse("query_weights", items(&v[QUERY_WEIGHTS]), a->queries);
    return true;
}

static size_t buffer_length(const source *s, int which)
{
    switch (which) {
    case LABELS:
    case ROW_WEIGHTS:
    case ROW_QUERY_IDS:
        return s->arrays.rows;
    case ROW_STARTS:
        return s->arrays.rows + 1;
    default:
        return SIZE_MAX;
    }
}

static bool get_buffers(source *s)
{
    gradus_arrays *a = &s->arrays;

    if (s->buffers[LABELS] == Py_None) {
        raise_type(Py_None, "labels", "an array of float32");
        return false;
    }
    for (int i = 0; i < BUFFERS; i++) {
        if (s->buffers[i] == Py_None)
            s->buffers[i] = NULL;
        if (!buffer_get(s->buffers[i], buffer_names[i], buffer_formats[i], buffer_length(s, i),
                        false, &s->views[i]))
            return false;
    }
    a->values = s->views[VALUES].buf;
    a->row_starts = s->views[ROW_STARTS].buf;
    a->columns = s->views[COLUMNS].buf;
    a->entries = s->views[ENTRIES].buf;
    a->labels = s->views[LABELS].buf;
    a->query_starts = s->views[QUERY_STARTS].buf;
    a->row_weights = s->views[ROW_WEIGHTS].buf;
    a->query_weights = s->views[QUERY_WEIGHTS].buf;
    a->row_query_ids = s->views[ROW_QUERY_IDS].buf;
    return check_lengths(s);
}

static bool get_names(source *s)
{
    const size_t counts[NAME_LISTS] = { s->arrays.features, s->arrays.queries, s->arrays.rows,
                                        s->arrays.rows };

    for (int i = 0; i < NAME_LISTS; i++)
        if (!names_get(s->lists[i], list_names[i], counts[i], &s->names[i]))
            return false;
    s->arrays.feature_names = s->names[FEATURE_NAMES].names;
    s->arrays.query_names = s->names[QUERY_NAMES].names;
    s->arrays.document_names = s->names[DOCUMENT_NAMES].names;
    s->arrays.row_query_names = s->names[ROW_QUERY_NAMES].names;
    return true;
}

static void release(source *s)
{
    for (int i = 0; s->views && i < BUFFERS; i++)
        PyBuffer_Release(&s->views[i]);
    for (int i = 0; s->names && i < NAME_LISTS; i++)
        names_free(&s->names[i]);
    free(s->views);
    free(s->names);
}

static PyObject *copy(source *s)
{
    gradus_dataset *data;
    call c;

    if (!call_begin(&c, s->threads, 0, NULL, s->notes)) {
        release(s);
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS data = gradus_dataset_copy(c.context, &s->arrays, &c.err);
    Py_END_ALLOW_THREADS release(s);
    if (call_end(&c, status_of(data, &c.err)))
        return dataset_wrap(data);
    gradus_dataset_free(data);
    return NULL;
}

/* The dataset takes over the views and the names. */
static PyObject *borrow(source *s)
{
    gradus_error err = { .status = GRADUS_OK };
    gradus_dataset *data;

    Py_BEGIN_ALLOW_THREADS data = gradus_dataset_borrow(&s->arrays, &err);
    Py_END_ALLOW_THREADS PyObject *object = data ? dataset_wrap(data) : raise_error(&err);
    dataset_object *d = (dataset_object *)object;
    if (!d) {
        release(s);
        return NULL;
    }
    d->views = s->views;
    d->view_count = BUFFERS;
    d->names = s->names;
    return object;
}

PyObject *dataset_from_arrays(PyObject *type, PyObject *args, PyObject *keywords)
{
    source s = { .threads = 0 };

    (void)type;
    if (!parse(&s, args, keywords))
        return NULL;
    for (int i = 0; i < NAME_LISTS; i++)
        if (s.lists[i] == Py_None)
            s.lists[i] = NULL;
    s.views = calloc(BUFFERS, sizeof *s.views);
    s.names = calloc(NAME_LISTS, sizeof *s.names);
    if (!s.views || !s.names) {
        PyErr_NoMemory();
    } else if (get_buffers(&s) && get_queries(&s) && get_names(&s)) {
        return s.buffers[ROW_QUERY_IDS] || s.lists[ROW_QUERY_NAMES] ? copy(&s) : borrow(&s);
    }
    release(&s);
    return NULL;
}

/* ---- array ---- */

bool dataset_arrays(const dataset_object *d, gradus_arrays *arrays)
{
    gradus_error err;
    gradus_status status;

    Py_BEGIN_ALLOW_THREADS status = gradus_dataset_arrays(NULL, d->data, arrays, &err);
    Py_END_ALLOW_THREADS if (status != GRADUS_OK) raise_error(&err);
    return status == GRADUS_OK;
}

/* A read-only array that belongs to another object; seen through a memoryview. */
typedef struct array_object {
    PyObject head;
    PyObject *owner;
    const void *items;
    const char *format;
    Py_ssize_t item_size, shape[2], strides[2];
    int dimensions;
} array_object;

static PyObject *array_new(PyObject *owner, const void *first, const char *format, size_t item_size,
                           size_t count)
{
    array_object *a = (array_object *)PyType_GenericAlloc(array_type, 0);

    if (!a)
        return NULL;
    a->owner = Py_NewRef(owner);
    a->items = first;
    a->format = format;
    a->item_size = (Py_ssize_t)item_size;
    a->dimensions = 1;
    a->shape[0] = (Py_ssize_t)count;
    a->strides[0] = a->item_size;
    return (PyObject *)a;
}

/* The array of a dataset, or None. */
static PyObject *array_find(PyObject *self, const gradus_arrays *a, const char *name)
{
    const struct {
        const char *name;
        const void *items;
        const char *format;
        size_t size, count;
    } all[] = {
        { "values", a->values, "f", 4, a->rows },
        { "row_starts", a->row_starts, "L", 8, a->rows + 1 },
        { "columns", a->columns, "I", 4, a->row_starts ? a->row_starts[a->rows] : 0 },
        { "entries", a->entries, "f", 4, a->row_starts ? a->row_starts[a->rows] : 0 },
        { "labels", a->labels, "f", 4, a->rows },
        { "query_starts", a->query_starts, "L", 8, a->queries + 1 },
        { "row_weights", a->row_weights, "f", 4, a->rows },
        { "query_weights", a->query_weights, "f", 4, a->queries },
    };

    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(name, all[i].name) == 0)
            return all[i].items
                       ? array_new(self, all[i].items, all[i].format, all[i].size, all[i].count)
                       : Py_NewRef(Py_None);
    PyErr_Format(PyExc_ValueError, "a dataset has no array '%s'", name);
    return NULL;
}

PyObject *dataset_array(PyObject *self, PyObject *argument)
{
    const char *name = text_get(argument, "name");
    gradus_arrays arrays;

    if (!name || !dataset_arrays((dataset_object *)self, &arrays))
        return NULL;
    PyObject *found = array_find(self, &arrays, name);
    if (!found || found == Py_None)
        return found;
    array_object *a = (array_object *)found;
    if (strcmp(name, "values") == 0) { /* labels may have the same address */
        a->dimensions = 2;
        a->shape[1] = (Py_ssize_t)arrays.features;
        a->strides[0] = (Py_ssize_t)(arrays.stride * sizeof(float));
        a->strides[1] = sizeof(float);
    }
    PyObject *view = PyMemoryView_FromObject(found);
    Py_DECREF(found);
    return view;
}

static void array_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);

    Py_XDECREF(((array_object *)self)->owner);
    PyObject_Free(self);
    Py_DECREF(type);
}

static int array_getbuffer(PyObject *self, Py_buffer *view, int flags)
{
    array_object *a = (array_object *)self;
    const bool contiguous = a->dimensions == 1 || a->strides[0] == a->shape[1] * a->item_size;

    if (flags & PyBUF_WRITABLE) {
        PyErr_SetString(PyExc_BufferError, "the arrays of a dataset are read-only");
        view->obj = NULL;
        return -1;
    }
    if (!contiguous && ((flags & PyBUF_STRIDES) != PyBUF_STRIDES ||
                        (flags & (PyBUF_C_CONTIGUOUS | PyBUF_F_CONTIGUOUS | PyBUF_ANY_CONTIGUOUS) &
                         ~PyBUF_STRIDES))) {
        PyErr_SetString(PyExc_BufferError, "the array is not contiguous");
        view->obj = NULL;
        return -1;
    }
    *view = (Py_buffer){
        .buf = (void *)(uintptr_t)a->items,
        .obj = Py_NewRef(self),
        .len = a->item_size * a->shape[0] * (a->dimensions == 2 ? a->shape[1] : 1),
        .itemsize = a->item_size,
        .readonly = 1,
        .ndim = a->dimensions,
        .format = flags & PyBUF_FORMAT ? (char *)(uintptr_t)a->format : NULL,
        .shape = flags & PyBUF_ND ? a->shape : NULL,
        .strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? a->strides : NULL,
    };
    return 0;
}

static PyType_Slot slots[] = {
    { Py_tp_dealloc, array_dealloc },
    { Py_bf_getbuffer, array_getbuffer },
    { 0, NULL },
};

PyType_Spec array_spec = {
    .name = "gradus._core.Array",
    .basicsize = sizeof(array_object),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = slots,
};

/* ---- names ---- */

static PyObject *name_list(const gradus_names *all, size_t count)
{
    if (!all->starts)
        return Py_NewRef(Py_None);
    PyObject *list = PyList_New((Py_ssize_t)count);
    for (size_t i = 0; list && i < count; i++) {
        PyObject *name = text_of(all->bytes + all->starts[i]);

        if (!name || PyList_SetItem(list, (Py_ssize_t)i, name) < 0)
            Py_CLEAR(list);
    }
    return list;
}

PyObject *dataset_feature_names(PyObject *self, PyObject *unused)
{
    gradus_arrays a;

    (void)unused;
    if (!dataset_arrays((dataset_object *)self, &a))
        return NULL;
    return name_list(&a.feature_names, a.features);
}

PyObject *dataset_query_names(PyObject *self, PyObject *unused)
{
    gradus_arrays a;

    (void)unused;
    if (!dataset_arrays((dataset_object *)self, &a))
        return NULL;
    return name_list(&a.query_names, a.queries);
}

PyObject *dataset_document_names(PyObject *self, PyObject *unused)
{
    gradus_arrays a;

    (void)unused;
    if (!dataset_arrays((dataset_object *)self, &a))
        return NULL;
    return name_list(&a.document_names, a.rows);
}
