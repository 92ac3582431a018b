/* SPDX-License-Identifier: Apache-2.0 */
/* Models derived from others, which they keep alive. */
#include "model_object.h"

#include <stdlib.h>

static PyObject *end(call *c, gradus_model *model, PyObject *owners)
{
    if (call_end(c, status_of(model, &c->err)))
        return model_wrap(model, owners);
    gradus_model_free(model);
    return NULL;
}

PyObject *model_rescored(PyObject *self, PyObject *args, PyObject *keywords)
{
    static char *words[] = { "options", "notes", NULL };
    PyObject *mapping = NULL, *notes = NULL, *result = NULL;
    call c;

    if (!PyArg_ParseTupleAndKeywords(args, keywords, "|O$O:rescored", words, &mapping, &notes))
        return NULL;
    gradus_options *options = options_from(mapping, "score");
    if (options && call_begin(&c, 1, 0, NULL, notes)) {
        gradus_model *model;

        Py_BEGIN_ALLOW_THREADS model =
            gradus_model_rescored(c.context, ((model_object *)self)->model, options, &c.err);
        Py_END_ALLOW_THREADS result = end(&c, model, self);
    }
    gradus_options_free(options);
    return result;
}

PyObject *model_calibrated(PyObject *self, PyObject *args, PyObject *keywords)
{
    static char *words[] = { "data", "options", "threads", "notes", NULL };
    PyObject *object, *mapping = NULL, *notes = NULL, *result = NULL;
    size_t threads = 0;
    call c;

    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O|O$O&O:calibrated", words, &object, &mapping,
                                     threads_converter, &threads, &notes))
        return NULL;
    const gradus_dataset *data = dataset_get(object, "data", false);
    gradus_options *options = data ? options_from(mapping, "calibrate") : NULL;
    if (options && call_begin(&c, threads, 0, NULL, notes)) {
        gradus_model *model;

        Py_BEGIN_ALLOW_THREADS model =
            gradus_calibrate(c.context, ((model_object *)self)->model, data, options, &c.err);
        Py_END_ALLOW_THREADS result = end(&c, model, self);
    }
    gradus_options_free(options);
    return result;
}

/* The result does not need the model. */
PyObject *model_distilled(PyObject *self, PyObject *args, PyObject *keywords)
{
    static char *words[] = { "data", "options", "threads", "notes", NULL };
    PyObject *object, *mapping = NULL, *notes = NULL, *result = NULL;
    size_t threads = 0;
    call c;

    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O|O$O&O:distilled", words, &object, &mapping,
                                     threads_converter, &threads, &notes))
        return NULL;
    const gradus_dataset *data = dataset_get(object, "data", false);
    gradus_options *options = data ? options_from(mapping, "train") : NULL;
    if (options && call_begin(&c, threads, 0, NULL, notes)) {
        gradus_model *model;

        Py_BEGIN_ALLOW_THREADS model =
            gradus_distil(c.context, ((model_object *)self)->model, data, options, &c.err);
        Py_END_ALLOW_THREADS result = end(&c, model, NULL);
    }
    gradus_options_free(options);
    return result;
}

PyObject *model_member(PyObject *self, PyObject *argument)
{
    gradus_error err = { .status = GRADUS_OK };
    uint64_t index;
    double weight;

    if (!count_get(argument, "index", &index))
        return NULL;
    gradus_model *model = gradus_model_member(((model_object *)self)->model, index, &weight, &err);
    if (!model) {
        if (err.status == GRADUS_NO_MEMORY)
            return raise_error(&err);
        Py_RETURN_NONE;
    }
    PyObject *member = model_wrap(model, self);
    return member ? Py_BuildValue("(Nd)", member, weight) : NULL;
}

/* ---- ensembles ---- */

static const gradus_model **model_pointers(PyObject *tuple)
{
    const Py_ssize_t count = PyTuple_Size(tuple);
    const gradus_model **models = malloc(((size_t)count + 1) * sizeof *models);
    char name[48];

    if (!models)
        PyErr_NoMemory();
    for (Py_ssize_t i = 0; models && i < count; i++) {
        PyOS_snprintf(name, sizeof name, "models[%zd]", i);
        models[i] = model_get(PyTuple_GetItem(tuple, i), name);
        if (!models[i]) {
            free(models);
            return NULL;
        }
    }
    return models;
}

typedef struct combining {
    PyObject *sequence, *valid, *mapping, *notes;
    size_t threads;
} combining;

static PyObject *combine(const combining *a, PyObject *owners, const gradus_dataset *valid)
{
    const gradus_model **models = model_pointers(owners);
    gradus_options *options = models ? options_from(a->mapping, "ensemble") : NULL;
    PyObject *result = NULL;
    call c;

    if (options && call_begin(&c, a->threads, 0, NULL, a->notes)) {
        const size_t count = (size_t)PyTuple_Size(owners);
        gradus_model *model;

        Py_BEGIN_ALLOW_THREADS model =
            gradus_ensemble(c.context, models, count, valid, options, &c.err);
        Py_END_ALLOW_THREADS result = end(&c, model, owners);
    }
    gradus_options_free(options);
    free(models);
    return result;
}

PyObject *model_ensemble(PyObject *type, PyObject *args, PyObject *keywords)
{
    static char *words[] = { "models", "valid", "options", "threads", "notes", NULL };
    combining a = { .threads = 0 };

    (void)type;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O|OO$O&O:ensemble", words, &a.sequence,
                                     &a.valid, &a.mapping, threads_converter, &a.threads, &a.notes))
        return NULL;
    const gradus_dataset *valid = dataset_get(a.valid, "valid", true);
    PyObject *owners = PyErr_Occurred() ? NULL : PySequence_Tuple(a.sequence);
    PyObject *result = owners ? combine(&a, owners, valid) : NULL;
    Py_XDECREF(owners);
    return result;
}
