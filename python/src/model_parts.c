/* SPDX-License-Identifier: Apache-2.0 */
/* What a model consists of: features, equations, trees. */
#include "model_object.h"

static const gradus_model *model_of(PyObject *self)
{
    return ((model_object *)self)->model;
}

static size_t features_of(const gradus_model *model)
{
    gradus_model_info info;

    gradus_model_describe(model, &info);
    return info.features;
}

PyObject *model_feature_names(PyObject *self, PyObject *unused)
{
    const gradus_model *model = model_of(self);
    const size_t features = features_of(model);

    (void)unused;
    if (!gradus_model_feature_name(model, 0)[0])
        Py_RETURN_NONE;
    PyObject *all = PyList_New(0);
    for (size_t i = 0; all && i < features; i++)
        if (!list_put(all, text_of(gradus_model_feature_name(model, i))))
            Py_CLEAR(all);
    return all;
}

PyObject *model_importance(PyObject *self, PyObject *unused)
{
    const Py_ssize_t bytes = (Py_ssize_t)(features_of(model_of(self)) * 8);
    PyObject *gains = PyBytes_FromStringAndSize(NULL, bytes);
    PyObject *splits = PyBytes_FromStringAndSize(NULL, bytes);
    gradus_status status = GRADUS_NO_MEMORY;
    gradus_error err;

    (void)unused;
    if (gains && splits) {
        double *gain = (double *)(void *)PyBytes_AsString(gains);
        uint64_t *split = (uint64_t *)(void *)PyBytes_AsString(splits);

        Py_BEGIN_ALLOW_THREADS status = gradus_model_importance(model_of(self), gain, split, &err);
        Py_END_ALLOW_THREADS if (status == GRADUS_OK) return Py_BuildValue("(NN)", gains, splits);
        raise_error(&err);
    }
    Py_XDECREF(gains);
    Py_XDECREF(splits);
    return NULL;
}

/* ---- linear models ---- */

/* The length of the arrays of an equation. */
static size_t equation_length(const gradus_model *model)
{
    size_t count;

    return gradus_model_columns(model, &count) ? count : features_of(model);
}

PyObject *model_equation(PyObject *self, PyObject *argument)
{
    const gradus_model *model = model_of(self);
    const double *coefficients, *means, *spreads;
    uint64_t output;
    double intercept;

    if (!count_get(argument, "output", &output))
        return NULL;
    if (!gradus_model_equation(model, output, &intercept, &coefficients, &means, &spreads))
        Py_RETURN_NONE;
    const size_t count = equation_length(model);
    PyObject *d = PyDict_New();
    if (d && dict_put(d, "intercept", PyFloat_FromDouble(intercept)) &&
        dict_put(d, "coefficients", bytes_of(coefficients, count, sizeof(double))) &&
        dict_put(d, "means", bytes_of(means, count, sizeof(double))) &&
        dict_put(d, "spreads", bytes_of(spreads, count, sizeof(double))))
        return d;
    Py_XDECREF(d);
    return NULL;
}

PyObject *model_errors(PyObject *self, PyObject *unused)
{
    const gradus_model *model = model_of(self);
    const double *coefficients, *thresholds;
    gradus_model_info info;

    (void)unused;
    if (!gradus_model_errors(model, &coefficients, &thresholds))
        Py_RETURN_NONE;
    gradus_model_describe(model, &info);
    PyObject *d = PyDict_New();
    if (d &&
        dict_put(d, "coefficients",
                 bytes_of(coefficients, equation_length(model), sizeof(double))) &&
        dict_put(d, "thresholds",
                 bytes_of(info.grades ? thresholds : NULL, info.grades - 1, sizeof(double))))
        return d;
    Py_XDECREF(d);
    return NULL;
}

PyObject *model_columns(PyObject *self, PyObject *unused)
{
    size_t count = 0;
    const uint32_t *columns = gradus_model_columns(model_of(self), &count);

    (void)unused;
    return bytes_of(columns, count, sizeof *columns);
}

/* ---- trees ---- */

static PyObject *votes_list(const float *votes, size_t grades)
{
    PyObject *list = votes ? PyList_New(0) : Py_NewRef(Py_None);

    for (size_t i = 0; votes && list && i < grades; i++)
        if (!list_put(list, PyFloat_FromDouble((double)votes[i])))
            Py_CLEAR(list);
    return list;
}

/* The linear model in a leaf, or None. */
static PyObject *leaf_dict(const gradus_model *model, size_t tree, size_t node)
{
    gradus_leaf_model leaf;

    if (!gradus_model_leaf_at(model, tree, node, &leaf))
        Py_RETURN_NONE;
    PyObject *features = PyList_New(0), *factors = PyList_New(0);
    bool good = features && factors;
    for (size_t i = 0; good && i < leaf.terms; i++)
        good = list_put(features, PyLong_FromUnsignedLong(leaf.features[i])) &&
               list_put(factors, PyFloat_FromDouble(leaf.factors[i]));
    PyObject *d = good ? Py_BuildValue("{s:d,s:O,s:O}", "intercept", leaf.intercept, "features",
                                       features, "factors", factors)
                       : NULL;
    Py_XDECREF(features);
    Py_XDECREF(factors);
    return d;
}

static PyObject *node_dict(const gradus_tree_node *node, size_t grades)
{
    PyObject *d = PyDict_New();

    if (d && dict_put(d, "is_leaf", PyBool_FromLong(node->is_leaf)) &&
        dict_put(d, "feature", PyLong_FromSize_t(node->feature)) &&
        dict_put(d, "threshold", PyFloat_FromDouble((double)node->threshold)) &&
        dict_put(d, "left", PyLong_FromSize_t(node->left)) &&
        dict_put(d, "right", PyLong_FromSize_t(node->right)) &&
        dict_put(d, "missing_left", PyBool_FromLong(node->missing_left)) &&
        dict_put(d, "gain", PyFloat_FromDouble(node->gain)) &&
        dict_put(d, "value", PyFloat_FromDouble(node->value)) &&
        dict_put(d, "rows", PyLong_FromSize_t(node->rows)) &&
        dict_put(d, "votes", votes_list(node->votes, grades)))
        return d;
    Py_XDECREF(d);
    return NULL;
}

PyObject *model_tree(PyObject *self, PyObject *argument)
{
    const gradus_model *model = model_of(self);
    gradus_model_info info;
    gradus_tree_node node;
    uint64_t tree;

    if (!count_get(argument, "index", &tree))
        return NULL;
    if (!gradus_model_tree_at(model, tree, 0, &node))
        Py_RETURN_NONE;
    gradus_model_describe(model, &info);
    PyObject *all = PyList_New(0);
    for (size_t i = 0; all && gradus_model_tree_at(model, tree, i, &node); i++) {
        PyObject *d = node_dict(&node, info.grades);

        if (!d || !dict_put(d, "model", leaf_dict(model, tree, i))) {
            Py_XDECREF(d);
            Py_CLEAR(all);
        } else if (!list_put(all, d)) {
            Py_CLEAR(all);
        }
    }
    return all;
}
