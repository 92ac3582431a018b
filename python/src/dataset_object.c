/* SPDX-License-Identifier: Apache-2.0 */
/* The type Dataset: a dataset of the library, with the buffers that it borrows. */
#include "dataset_object.h"

#include <stdlib.h>
#include <structmember.h>

PyObject *dataset_wrap(gradus_dataset *data)
{
    PyObject *object = data ? PyType_GenericAlloc(dataset_type, 0) : NULL;

    if (object)
        ((dataset_object *)object)->data = data;
    else
        gradus_dataset_free(data);
    return object;
}

const gradus_dataset *dataset_get(PyObject *object, const char *name, bool optional)
{
    if (!object || object == Py_None) {
        if (!optional)
            raise_type(Py_None, name, "a Dataset");
        return NULL;
    }
    if (!PyObject_TypeCheck(object, dataset_type))
        return raise_type(object, name, optional ? "a Dataset or None" : "a Dataset");
    return ((dataset_object *)object)->data;
}

/* Nothing is left of the arrays when the buffers are released. */
static void dataset_dealloc(PyObject *self)
{
    dataset_object *d = (dataset_object *)self;
    PyTypeObject *type = Py_TYPE(self);

    if (d->weak)
        PyObject_ClearWeakRefs(self);
    gradus_dataset_free(d->data);
    for (size_t i = 0; i < d->view_count; i++)
        PyBuffer_Release(&d->views[i]);
    for (size_t i = 0; d->names && i < 3; i++)
        names_free(&d->names[i]);
    free(d->views);
    free(d->names);
    PyObject_Free(self);
    Py_DECREF(type);
}

static PyObject *get_rows(PyObject *self, void *unused)
{
    (void)unused;
    return PyLong_FromSize_t(gradus_dataset_rows(((dataset_object *)self)->data));
}

static PyObject *get_features(PyObject *self, void *unused)
{
    (void)unused;
    return PyLong_FromSize_t(gradus_dataset_features(((dataset_object *)self)->data));
}

static PyObject *get_queries(PyObject *self, void *unused)
{
    (void)unused;
    return PyLong_FromSize_t(gradus_dataset_queries(((dataset_object *)self)->data));
}

static PyObject *get_has_queries(PyObject *self, void *unused)
{
    (void)unused;
    return PyBool_FromLong(gradus_dataset_has_queries(((dataset_object *)self)->data));
}

static PyObject *get_first_id(PyObject *self, void *unused)
{
    (void)unused;
    return PyLong_FromSize_t(gradus_dataset_first_id(((dataset_object *)self)->data));
}

static PyObject *get_sparse(PyObject *self, void *unused)
{
    gradus_arrays arrays;

    (void)unused;
    if (!dataset_arrays((dataset_object *)self, &arrays))
        return NULL;
    return PyBool_FromLong(arrays.row_starts != NULL);
}

static PyGetSetDef attributes[] = {
    { "rows", get_rows, NULL, NULL, NULL },
    { "features", get_features, NULL, NULL, NULL },
    { "queries", get_queries, NULL, NULL, NULL },
    { "has_queries", get_has_queries, NULL, NULL, NULL },
    { "sparse", get_sparse, NULL, NULL, NULL },
    { "first_id", get_first_id, NULL, NULL, NULL },
    { NULL },
};

static PyMemberDef members[] = {
    { "__weaklistoffset__", T_PYSSIZET, offsetof(dataset_object, weak), READONLY, NULL },
    { NULL },
};

#define KEYWORDS (METH_VARARGS | METH_KEYWORDS)
static PyMethodDef methods[] = {
    { "read", NAMED(dataset_read), KEYWORDS | METH_STATIC, NULL },
    { "from_arrays", NAMED(dataset_from_arrays), KEYWORDS | METH_STATIC, NULL },
    { "from_arrow", NAMED(dataset_from_arrow), KEYWORDS | METH_STATIC, NULL },
    { "synth", NAMED(dataset_synth), KEYWORDS | METH_STATIC, NULL },
    { "join", NAMED(dataset_join), KEYWORDS | METH_STATIC, NULL },
    { "write", NAMED(dataset_write), KEYWORDS, NULL },
    { "array", dataset_array, METH_O, NULL },
    { "feature_names", dataset_feature_names, METH_NOARGS, NULL },
    { "query_names", dataset_query_names, METH_NOARGS, NULL },
    { "document_names", dataset_document_names, METH_NOARGS, NULL },
    { "file_order", dataset_file_order, METH_O, NULL },
    { "label_kind", NAMED(dataset_label_kind), KEYWORDS, NULL },
    { "fingerprint", NAMED(dataset_fingerprint), KEYWORDS, NULL },
    { "check_valid", NAMED(dataset_check_valid), KEYWORDS, NULL },
    { "subset", NAMED(dataset_subset), KEYWORDS, NULL },
    { "transform", NAMED(dataset_transform), KEYWORDS, NULL },
    { "split", NAMED(dataset_split), KEYWORDS, NULL },
    { "describe", NAMED(dataset_describe), KEYWORDS, NULL },
    { "overlap", NAMED(dataset_overlap), KEYWORDS, NULL },
    { "find_feature", dataset_find_feature, METH_O, NULL },
    { "find_query", dataset_find_query, METH_O, NULL },
    { "find_document", dataset_find_document, METH_VARARGS, NULL },
    { NULL },
};

static PyType_Slot slots[] = {
    { Py_tp_dealloc, dataset_dealloc },
    { Py_tp_getset, attributes },
    { Py_tp_members, members },
    { Py_tp_methods, methods },
    { Py_tp_doc, "A dataset of the library." },
    { 0, NULL },
};

PyType_Spec dataset_spec = {
    .name = "gradus._core.Dataset",
    .basicsize = sizeof(dataset_object),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = slots,
};
