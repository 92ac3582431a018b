/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptions of datasets as dictionaries. */
#include "dataset_object.h"

static PyObject *counts(const size_t *items, size_t count)
{
    PyObject *list = items ? PyList_New(0) : Py_NewRef(Py_None);

    for (size_t i = 0; items && list && i < count; i++)
        if (!list_put(list, PyLong_FromSize_t(items[i])))
            Py_CLEAR(list);
    return list;
}

static PyObject *numbers(const double *items, size_t count)
{
    PyObject *list = items ? PyList_New(0) : Py_NewRef(Py_None);

    for (size_t i = 0; items && list && i < count; i++)
        if (!list_put(list, PyFloat_FromDouble(items[i])))
            Py_CLEAR(list);
    return list;
}

static bool put_count(PyObject *d, const char *name, size_t number)
{
    return dict_put(d, name, PyLong_FromSize_t(number));
}

static bool put_real(PyObject *d, const char *name, double number)
{
    return dict_put(d, name, PyFloat_FromDouble(number));
}

static bool put_flag(PyObject *d, const char *name, bool flag)
{
    return dict_put(d, name, PyBool_FromLong(flag));
}

static bool describe_rows(PyObject *d, const gradus_description *a)
{
    return put_count(d, "rows", a->rows) && put_count(d, "features", a->features) &&
           put_count(d, "queries", a->queries) && put_flag(d, "sparse", a->sparse) &&
           put_flag(d, "has_queries", a->has_queries) &&
           put_flag(d, "has_documents", a->has_documents) &&
           put_count(d, "first_id", a->first_id) &&
           put_count(d, "documents_min", a->documents_min) &&
           put_count(d, "documents_max", a->documents_max) &&
           put_real(d, "documents_median", a->documents_median) &&
           put_count(d, "queries_without_relevant", a->queries_without_relevant) &&
           put_count(d, "queries_with_one_label", a->queries_with_one_label) &&
           put_count(d, "histogram_bins", a->histogram_bins) &&
           dict_put(d, "histogram_edges", counts(a->histogram_edges, a->histogram_bins + 1)) &&
           dict_put(d, "histogram", counts(a->histogram, a->histogram_bins));
}

static bool describe_values(PyObject *d, const gradus_description *a)
{
    return put_count(d, "labels", a->labels) &&
           dict_put(d, "label_values", numbers(a->label_values, a->labels)) &&
           dict_put(d, "label_rows", counts(a->label_rows, a->labels)) &&
           put_real(d, "label_min", a->label_min) && put_real(d, "label_max", a->label_max) &&
           put_real(d, "label_mean", a->label_mean) && put_flag(d, "graded", a->graded) &&
           put_count(d, "entries", a->entries) && put_count(d, "missing", a->missing) &&
           put_real(d, "density", a->density) && put_count(d, "constants", a->constants) &&
           dict_put(d, "constant_features", counts(a->constant_features, a->constants)) &&
           put_count(d, "duplicates", a->duplicates) &&
           dict_put(d, "duplicate_features", counts(a->duplicate_features, a->duplicates)) &&
           dict_put(d, "duplicate_of", counts(a->duplicate_of, a->duplicates));
}

PyObject *dataset_describe(PyObject *self, PyObject *args, PyObject *keywords)
{
    static char *words[] = { "threads", NULL };
    gradus_description *description;
    PyObject *d = NULL;
    size_t threads = 0;
    call c;

    if (!PyArg_ParseTupleAndKeywords(args, keywords, "|$O&:describe", words, threads_converter,
                                     &threads) ||
        !call_begin(&c, threads, 0, NULL, NULL))
        return NULL;
    Py_BEGIN_ALLOW_THREADS description =
        gradus_describe(c.context, ((dataset_object *)self)->data, &c.err);
    Py_END_ALLOW_THREADS if (call_end(&c, status_of(description, &c.err)))
    {
        d = PyDict_New();
        if (d && !(describe_rows(d, description) && describe_values(d, description)))
            Py_CLEAR(d);
    }
    gradus_description_free(description);
    return d;
}

static PyObject *overlap_dict(const gradus_overlap *o)
{
    PyObject *d = PyDict_New();

    if (d && put_count(d, "queries", o->queries) &&
        dict_put(d, "query_first", counts(o->query_first, o->queries)) &&
        put_count(d, "rows", o->rows) && put_count(d, "labelled_rows", o->labelled_rows) &&
        put_count(d, "only_first", o->only_first) &&
        dict_put(d, "only_first_features", counts(o->only_first_features, o->only_first)) &&
        put_count(d, "only_second", o->only_second) &&
        dict_put(d, "only_second_features", counts(o->only_second_features, o->only_second)))
        return d;
    Py_XDECREF(d);
    return NULL;
}

PyObject *dataset_overlap(PyObject *self, PyObject *args, PyObject *keywords)
{
    static char *words[] = { "other", "threads", NULL };
    PyObject *object, *d = NULL;
    gradus_overlap *overlap;
    size_t threads = 0;
    call c;

    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O|$O&:overlap", words, &object,
                                     threads_converter, &threads))
        return NULL;
    const gradus_dataset *other = dataset_get(object, "other", false);
    if (!other || !call_begin(&c, threads, 0, NULL, NULL))
        return NULL;
    Py_BEGIN_ALLOW_THREADS overlap =
        gradus_overlap_find(c.context, ((dataset_object *)self)->data, other, &c.err);
    Py_END_ALLOW_THREADS if (call_end(&c, status_of(overlap, &c.err))) d = overlap_dict(overlap);
    gradus_overlap_free(overlap);
    return d;
}
