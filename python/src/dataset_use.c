/* SPDX-License-Identifier: Apache-2.0 */
/* What can be done with a dataset: write, select, split, transform, search. */
#include "dataset_object.h"

static gradus_dataset *data_of(PyObject *self)
{
    return ((dataset_object *)self)->data;
}

static PyObject *none_or_error(call *c, gradus_status status)
{
    return call_end(c, status) ? Py_NewRef(Py_None) : NULL;
}

static PyObject *wrap_or_error(call *c, gradus_dataset *data)
{
    if (call_end(c, status_of(data, &c->err)))
        return dataset_wrap(data);
    gradus_dataset_free(data);
    return NULL;
}

PyObject *dataset_write(PyObject *self, PyObject *args, PyObject *keywords)
{
    static char *words[] = { "path", "options", "threads", "notes", "progress", NULL };
    PyObject *path, *mapping = NULL, *notes = NULL, *progress = NULL, *result = NULL;
    size_t threads = 0;
    call c;

    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O|O$O&OO:write", words, &path, &mapping,
                                     threads_converter, &threads, &notes, &progress))
        return NULL;
    PyObject *name = path_bytes(path);
    gradus_options *options = name ? options_from(mapping, "write") : NULL;
    if (options && call_begin(&c, threads, 0, progress, notes)) {
        const char *bytes = PyBytes_AsString(name);
        gradus_status status;

        Py_BEGIN_ALLOW_THREADS status =
            gradus_dataset_write(c.context, data_of(self), bytes, options, &c.err);
        Py_END_ALLOW_THREADS result = none_or_error(&c, status);
    }
    gradus_options_free(options);
    Py_XDECREF(name);
    return result;
}

PyObject *dataset_file_order(PyObject *self, PyObject *out)
{
    Py_buffer view;
    gradus_error err;
    gradus_status status;

    if (!buffer_need(out, "out", 'Q', gradus_dataset_rows(data_of(self)), true, &view))
        return NULL;
    Py_BEGIN_ALLOW_THREADS status = gradus_dataset_file_order(data_of(self), view.buf, &err);
    Py_END_ALLOW_THREADS PyBuffer_Release(&view);
    return status == GRADUS_OK ? Py_NewRef(Py_None) : raise_error(&err);
}

/* Parses only "threads". */
static bool parse_threads(PyObject *args, PyObject *keywords, const char *format, size_t *threads)
{
    static char *words[] = { "threads", NULL };

    *threads = 0;
    return PyArg_ParseTupleAndKeywords(args, keywords, format, words, threads_converter, threads);
}

PyObject *dataset_label_kind(PyObject *self, PyObject *args, PyObject *keywords)
{
    static const char *const kinds[] = { [GRADUS_LABELS_GRADES] = "grades",
                                         [GRADUS_LABELS_NUMBERS] = "numbers",
                                         [GRADUS_LABELS_OTHER] = "other" };
    gradus_label_kind kind;
    gradus_status status;
    size_t threads;
    call c;

    if (!parse_threads(args, keywords, "|$O&:label_kind", &threads) ||
        !call_begin(&c, threads, 0, NULL, NULL))
        return NULL;
    Py_BEGIN_ALLOW_THREADS status = gradus_dataset_labels(c.context, data_of(self), &kind, &c.err);
    Py_END_ALLOW_THREADS return call_end(&c, status) ? text_of(kinds[kind]) : NULL;
}

PyObject *dataset_fingerprint(PyObject *self, PyObject *args, PyObject *keywords)
{
    uint64_t fingerprint;
    gradus_status status;
    size_t threads;
    call c;

    if (!parse_threads(args, keywords, "|$O&:fingerprint", &threads) ||
        !call_begin(&c, threads, 0, NULL, NULL))
        return NULL;
    Py_BEGIN_ALLOW_THREADS status =
        gradus_dataset_fingerprint(c.context, data_of(self), &fingerprint, &c.err);
    Py_END_ALLOW_THREADS return call_end(&c, status) ? PyLong_FromUnsignedLongLong(fingerprint)
                                                     : NULL;
}

PyObject *dataset_check_valid(PyObject *self, PyObject *args, PyObject *keywords)
{
    static char *words[] = { "valid", "threads", "notes", NULL };
    PyObject *object, *notes = NULL;
    size_t threads = 0;
    gradus_status status;
    call c;

    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O|$O&O:check_valid", words, &object,
                                     threads_converter, &threads, &notes))
        return NULL;
    const gradus_dataset *valid = dataset_get(object, "valid", false);
    if (!valid || !call_begin(&c, threads, 0, NULL, notes))
        return NULL;
    Py_BEGIN_ALLOW_THREADS status =
        gradus_dataset_check_valid(c.context, data_of(self), valid, &c.err);
    Py_END_ALLOW_THREADS return none_or_error(&c, status);
}

PyObject *dataset_subset(PyObject *self, PyObject *args, PyObject *keywords)
{
    static char *words[] = { "queries", "threads", NULL };
    PyObject *queries;
    size_t threads = 0;
    gradus_dataset *data;
    Py_buffer view;
    call c;

    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O|$O&:subset", words, &queries,
                                     threads_converter, &threads) ||
        !buffer_need(queries, "queries", 'Q', SIZE_MAX, false, &view))
        return NULL;
    if (!call_begin(&c, threads, 0, NULL, NULL)) {
        PyBuffer_Release(&view);
        return NULL;
    }
    const size_t count = (size_t)(view.len / view.itemsize);
    Py_BEGIN_ALLOW_THREADS data =
        gradus_dataset_subset(c.context, data_of(self), view.buf, count, &c.err);
    Py_END_ALLOW_THREADS PyBuffer_Release(&view);
    return wrap_or_error(&c, data);
}

PyObject *dataset_transform(PyObject *self, PyObject *args, PyObject *keywords)
{
    static char *words[] = { "options", "threads", "notes", NULL };
    PyObject *mapping = NULL, *notes = NULL, *result = NULL;
    size_t threads = 0;
    call c;

    if (!PyArg_ParseTupleAndKeywords(args, keywords, "|O$O&O:transform", words, &mapping,
                                     threads_converter, &threads, &notes))
        return NULL;
    gradus_options *options = options_from(mapping, "transform");
    if (options && call_begin(&c, threads, 0, NULL, notes)) {
        gradus_dataset *data;

        Py_BEGIN_ALLOW_THREADS data =
            gradus_dataset_transform(c.context, data_of(self), options, &c.err);
        Py_END_ALLOW_THREADS result = wrap_or_error(&c, data);
    }
    gradus_options_free(options);
    return result;
}

PyObject *dataset_split(PyObject *self, PyObject *args, PyObject *keywords)
{
    static char *words[] = { "out", "options", NULL };
    PyObject *out, *mapping = NULL;
    gradus_status status;
    gradus_error err;
    Py_buffer view;
    size_t parts;

    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O|O:split", words, &out, &mapping) ||
        !buffer_need(out, "out", 'Q', gradus_dataset_queries(data_of(self)), true, &view))
        return NULL;
    gradus_options *options = options_from(mapping, "split");
    if (!options) {
        PyBuffer_Release(&view);
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS status =
        gradus_dataset_split(data_of(self), options, view.buf, &parts, &err);
    Py_END_ALLOW_THREADS PyBuffer_Release(&view);
    gradus_options_free(options);
    return status == GRADUS_OK ? PyLong_FromSize_t(parts) : raise_error(&err);
}

/* ---- search ---- */

PyObject *dataset_find_feature(PyObject *self, PyObject *argument)
{
    const char *word = text_get(argument, "word");
    gradus_error err;
    size_t feature;

    if (!word)
        return NULL;
    if (gradus_dataset_find_feature(data_of(self), word, &feature, &err) != GRADUS_OK)
        return raise_error(&err);
    return PyLong_FromSize_t(feature);
}

PyObject *dataset_find_query(PyObject *self, PyObject *argument)
{
    const char *word = text_get(argument, "word");
    gradus_error err;
    size_t query;

    if (!word)
        return NULL;
    if (gradus_dataset_find_query(data_of(self), word, &query, &err) != GRADUS_OK)
        return raise_error(&err);
    return PyLong_FromSize_t(query);
}

PyObject *dataset_find_document(PyObject *self, PyObject *args)
{
    gradus_error err;
    const char *word;
    size_t query, row;

    if (!PyArg_ParseTuple(args, "O&s:find_document", count_converter, &query, &word))
        return NULL;
    if (gradus_dataset_find_document(data_of(self), query, word, &row, &err) != GRADUS_OK)
        return raise_error(&err);
    return PyLong_FromSize_t(row);
}
