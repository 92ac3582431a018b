/* SPDX-License-Identifier: Apache-2.0 */
/* The type Model: files, bytes and exports of a model. */
#include "model_object.h"

#include <stdlib.h>
#include <structmember.h>

PyObject *model_wrap(gradus_model *model, PyObject *owners)
{
    PyObject *object = model ? PyType_GenericAlloc(model_type, 0) : NULL;

    if (object) {
        ((model_object *)object)->model = model;
        ((model_object *)object)->owners = Py_XNewRef(owners);
    } else {
        gradus_model_free(model);
    }
    return object;
}

const gradus_model *model_get(PyObject *object, const char *name)
{
    if (!object || !PyObject_TypeCheck(object, model_type))
        return raise_type(object ? object : Py_None, name, "a Model");
    return ((model_object *)object)->model;
}

static void model_dealloc(PyObject *self)
{
    model_object *m = (model_object *)self;
    PyTypeObject *type = Py_TYPE(self);

    if (m->weak)
        PyObject_ClearWeakRefs(self);
    gradus_model_free(m->model); /* before what it was derived from */
    Py_XDECREF(m->owners);
    PyObject_Free(self);
    Py_DECREF(type);
}

/* ---- files ---- */

static PyObject *model_read(PyObject *type, PyObject *path)
{
    gradus_error err = { .status = GRADUS_OK };
    PyObject *name = path_bytes(path);
    gradus_model *model;

    (void)type;
    if (!name)
        return NULL;
    const char *bytes = PyBytes_AsString(name);
    Py_BEGIN_ALLOW_THREADS model = gradus_model_read(bytes, &err);
    Py_END_ALLOW_THREADS Py_DECREF(name);
    return model ? model_wrap(model, NULL) : raise_error(&err);
}

static PyObject *model_from_bytes(PyObject *type, PyObject *content)
{
    gradus_error err = { .status = GRADUS_OK };
    gradus_model *model;
    Py_buffer view;

    (void)type;
    if (!PyObject_CheckBuffer(content))
        return raise_type(content, "content", "bytes or another buffer");
    if (PyObject_GetBuffer(content, &view, PyBUF_SIMPLE) < 0)
        return NULL;
    Py_BEGIN_ALLOW_THREADS model = gradus_model_from_bytes(view.buf, (size_t)view.len, &err);
    Py_END_ALLOW_THREADS PyBuffer_Release(&view);
    return model ? model_wrap(model, NULL) : raise_error(&err);
}

static PyObject *model_write(PyObject *self, PyObject *path)
{
    PyObject *name = path_bytes(path);
    gradus_status status;
    gradus_error err;

    if (!name)
        return NULL;
    const char *bytes = PyBytes_AsString(name);
    Py_BEGIN_ALLOW_THREADS status = gradus_model_write(((model_object *)self)->model, bytes, &err);
    Py_END_ALLOW_THREADS Py_DECREF(name);
    return status == GRADUS_OK ? Py_NewRef(Py_None) : raise_error(&err);
}

static PyObject *model_to_bytes(PyObject *self, PyObject *unused)
{
    gradus_status status;
    gradus_error err;
    void *bytes;
    size_t size;

    (void)unused;
    Py_BEGIN_ALLOW_THREADS status =
        gradus_model_to_bytes(((model_object *)self)->model, &bytes, &size, &err);
    Py_END_ALLOW_THREADS if (status != GRADUS_OK) return raise_error(&err);
    PyObject *result = PyBytes_FromStringAndSize(bytes, (Py_ssize_t)size);
    free(bytes);
    return result;
}

/* Pickling: (Model.from_bytes, (bytes,)). */
static PyObject *model_reduce(PyObject *self, PyObject *unused)
{
    PyObject *make = PyObject_GetAttrString((PyObject *)model_type, "from_bytes");
    PyObject *bytes = make ? model_to_bytes(self, unused) : NULL;

    if (!bytes) {
        Py_XDECREF(make);
        return NULL;
    }
    return Py_BuildValue("N(N)", make, bytes);
}

static PyObject *is_model_file(PyObject *module, PyObject *path)
{
    PyObject *name = path_bytes(path);
    bool is;

    (void)module;
    if (!name)
        return NULL;
    const char *bytes = PyBytes_AsString(name);
    Py_BEGIN_ALLOW_THREADS is = gradus_model_is_file(bytes);
    Py_END_ALLOW_THREADS Py_DECREF(name);
    return PyBool_FromLong(is);
}

/* ---- exports ---- */

static PyObject *model_export(PyObject *self, PyObject *mapping)
{
    gradus_options *options = options_from(mapping, "export");
    gradus_status status;
    gradus_error err;
    void *bytes;
    size_t size;

    if (!options)
        return NULL;
    Py_BEGIN_ALLOW_THREADS status =
        gradus_export(((model_object *)self)->model, options, &bytes, &size, &err);
    Py_END_ALLOW_THREADS gradus_options_free(options);
    if (status != GRADUS_OK)
        return raise_error(&err);
    PyObject *result = PyBytes_FromStringAndSize(bytes, (Py_ssize_t)size);
    free(bytes);
    return result;
}

static PyObject *write_export(const gradus_model *model, const gradus_options *options,
                              PyObject *path, PyObject *parity)
{
    const char *to = PyBytes_AsString(path), *rows = parity ? PyBytes_AsString(parity) : NULL;
    gradus_status status;
    gradus_error err;

    Py_BEGIN_ALLOW_THREADS status = gradus_export_write(model, options, to, rows, &err);
    Py_END_ALLOW_THREADS return status == GRADUS_OK ? Py_NewRef(Py_None) : raise_error(&err);
}

static PyObject *model_export_write(PyObject *self, PyObject *args, PyObject *keywords)
{
    static char *words[] = { "path", "options", "parity", NULL };
    PyObject *path, *mapping = NULL, *parity = NULL, *to, *rows = NULL, *result = NULL;

    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O|OO:export_write", words, &path, &mapping,
                                     &parity) ||
        !(to = path_bytes(path)))
        return NULL;
    if (!parity || parity == Py_None || (rows = path_bytes(parity))) {
        gradus_options *options = options_from(mapping, "export");

        if (options)
            result = write_export(((model_object *)self)->model, options, to, rows);
        gradus_options_free(options);
    }
    Py_XDECREF(rows);
    Py_DECREF(to);
    return result;
}

/* ---- the type ---- */

static PyMemberDef members[] = {
    { "__weaklistoffset__", T_PYSSIZET, offsetof(model_object, weak), READONLY, NULL },
    { NULL },
};

#define KEYWORDS (METH_VARARGS | METH_KEYWORDS)
static PyMethodDef methods[] = {
    { "read", model_read, METH_O | METH_STATIC, NULL },
    { "from_bytes", model_from_bytes, METH_O | METH_STATIC, NULL },
    { "ensemble", NAMED(model_ensemble), KEYWORDS | METH_STATIC, NULL },
    { "write", model_write, METH_O, NULL },
    { "to_bytes", model_to_bytes, METH_NOARGS, NULL },
    { "__reduce__", model_reduce, METH_NOARGS, NULL },
    { "score_rows", NAMED(model_score_rows), METH_FASTCALL, NULL },
    { "score", NAMED(model_score), KEYWORDS, NULL },
    { "probabilities", NAMED(model_probabilities), KEYWORDS, NULL },
    { "grades", NAMED(model_grades), KEYWORDS, NULL },
    { "rescored", NAMED(model_rescored), KEYWORDS, NULL },
    { "calibrated", NAMED(model_calibrated), KEYWORDS, NULL },
    { "distilled", NAMED(model_distilled), KEYWORDS, NULL },
    { "member", model_member, METH_O, NULL },
    { "info", model_info, METH_NOARGS, NULL },
    { "facts", model_facts, METH_NOARGS, NULL },
    { "lines", model_lines, METH_NOARGS, NULL },
    { "options", model_options, METH_NOARGS, NULL },
    { "curve", model_curve, METH_NOARGS, NULL },
    { "results", model_results, METH_NOARGS, NULL },
    { "calibrations", model_calibrations, METH_NOARGS, NULL },
    { "feature_names", model_feature_names, METH_NOARGS, NULL },
    { "importance", model_importance, METH_NOARGS, NULL },
    { "equation", model_equation, METH_O, NULL },
    { "errors", model_errors, METH_NOARGS, NULL },
    { "columns", model_columns, METH_NOARGS, NULL },
    { "tree", model_tree, METH_O, NULL },
    { "export", model_export, METH_O, NULL },
    { "export_write", NAMED(model_export_write), KEYWORDS, NULL },
    { "reliability", NAMED(model_reliability), KEYWORDS, NULL },
    { "permutation_importance", NAMED(model_permutation_importance), KEYWORDS, NULL },
    { "partial_dependence", NAMED(model_partial_dependence), KEYWORDS, NULL },
    { NULL },
};

static PyType_Slot slots[] = {
    { Py_tp_dealloc, model_dealloc },
    { Py_tp_members, members },
    { Py_tp_methods, methods },
    { Py_tp_doc, "A model of the library." },
    { 0, NULL },
};

PyType_Spec model_spec = {
    .name = "gradus._core.Model",
    .basicsize = sizeof(model_object),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = slots,
};

PyMethodDef model_methods[] = {
    { "is_model_file", is_model_file, METH_O, NULL },
    { NULL },
};
