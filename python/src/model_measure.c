/* SPDX-License-Identifier: Apache-2.0 */
/* Measurements of a model on data: calibration, permutation importance, partial dependence. */
#include "model_object.h"

static const gradus_model *model_of(PyObject *self)
{
    return ((model_object *)self)->model;
}

/* ---- calibration ---- */

static PyObject *numbers(const double *items, size_t count)
{
    PyObject *list = PyList_New(0);

    for (size_t i = 0; list && i < count; i++)
        if (!list_put(list, PyFloat_FromDouble(items[i])))
            Py_CLEAR(list);
    return list;
}

static PyObject *reliability_dict(const gradus_reliability *r)
{
    PyObject *d = PyDict_New();

    if (d && dict_put(d, "bins", PyLong_FromSize_t(r->bins)) &&
        dict_put(d, "weight", numbers(r->weight, r->bins)) &&
        dict_put(d, "predicted", numbers(r->predicted, r->bins)) &&
        dict_put(d, "observed", numbers(r->observed, r->bins)) &&
        dict_put(d, "error", PyFloat_FromDouble(r->error)) &&
        dict_put(d, "largest_error", PyFloat_FromDouble(r->largest_error)) &&
        dict_put(d, "log_loss", PyFloat_FromDouble(r->log_loss)) &&
        dict_put(d, "brier", PyFloat_FromDouble(r->brier)) &&
        dict_put(d, "reliability", PyFloat_FromDouble(r->reliability)) &&
        dict_put(d, "resolution", PyFloat_FromDouble(r->resolution)) &&
        dict_put(d, "uncertainty", PyFloat_FromDouble(r->uncertainty)))
        return d;
    Py_XDECREF(d);
    return NULL;
}

PyObject *model_reliability(PyObject *self, PyObject *args, PyObject *keywords)
{
    static char *words[] = { "data", "bins", "threads", NULL };
    gradus_reliability measured;
    size_t bins = 10, threads = 0;
    gradus_status status;
    PyObject *object;
    call c;

    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O|O&$O&:reliability", words, &object,
                                     count_converter, &bins, threads_converter, &threads))
        return NULL;
    const gradus_dataset *data = dataset_get(object, "data", false);
    if (!data || !call_begin(&c, threads, 0, NULL, NULL))
        return NULL;
    Py_BEGIN_ALLOW_THREADS status =
        gradus_model_reliability(c.context, model_of(self), data, bins, &measured, &c.err);
    Py_END_ALLOW_THREADS return call_end(&c, status) ? reliability_dict(&measured) : NULL;
}

/* ---- importance and dependence: the results are structs of doubles ---- */

typedef struct permuting {
    PyObject *data, *mapping, *progress;
    size_t repeats, threads;
    uint64_t seed;
} permuting;

static PyObject *permute(const gradus_model *model, const permuting *p)
{
    const gradus_dataset *data = dataset_get(p->data, "data", false);
    gradus_options *options = data ? options_from(p->mapping, "evaluate") : NULL;
    gradus_model_info info;
    PyObject *result = NULL;
    call c;

    gradus_model_describe(model, &info);
    if (options)
        result =
            PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(info.features * sizeof(gradus_permuted)));
    if (result && call_begin(&c, p->threads, 0, p->progress, NULL)) {
        gradus_permuted *out = (gradus_permuted *)(void *)PyBytes_AsString(result);
        gradus_status status;

        Py_BEGIN_ALLOW_THREADS status = gradus_permutation_importance(
            c.context, model, data, options, p->repeats, p->seed, out, &c.err);
        Py_END_ALLOW_THREADS if (!call_end(&c, status)) Py_CLEAR(result);
    } else {
        Py_CLEAR(result);
    }
    gradus_options_free(options);
    return result;
}

PyObject *model_permutation_importance(PyObject *self, PyObject *args, PyObject *keywords)
{
    static char *words[] = { "data", "options", "repeats", "seed", "threads", "progress", NULL };
    permuting p = { .repeats = 5, .seed = 1 };

    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O|OO&O&$O&O:permutation_importance", words,
                                     &p.data, &p.mapping, count_converter, &p.repeats,
                                     count_converter, &p.seed, threads_converter, &p.threads,
                                     &p.progress))
        return NULL;
    return permute(model_of(self), &p);
}

PyObject *model_partial_dependence(PyObject *self, PyObject *args, PyObject *keywords)
{
    static char *words[] = { "data", "feature", "points", "threads", "progress", NULL };
    PyObject *object, *progress = NULL;
    size_t feature, points = 20, threads = 0;
    gradus_status status;
    call c;

    if (!PyArg_ParseTupleAndKeywords(args, keywords, "OO&|O&$O&O:partial_dependence", words,
                                     &object, count_converter, &feature, count_converter, &points,
                                     threads_converter, &threads, &progress))
        return NULL;
    const gradus_dataset *data = dataset_get(object, "data", false);
    if (!data)
        return NULL;
    gradus_dependence *out = PyMem_Calloc(points ? points : 1, sizeof *out);
    if (!out)
        return PyErr_NoMemory();
    PyObject *result = NULL;
    if (call_begin(&c, threads, 0, progress, NULL)) {
        Py_BEGIN_ALLOW_THREADS status = gradus_partial_dependence(c.context, model_of(self), data,
                                                                  feature, out, &points, &c.err);
        Py_END_ALLOW_THREADS if (call_end(&c, status)) result = bytes_of(out, points, sizeof *out);
    }
    PyMem_Free(out);
    return result;
}
