/* SPDX-License-Identifier: Apache-2.0 */
/* The function of the module for automatic training. */
#include "experiment_functions.h"

static PyObject *interval_tuple(const gradus_interval *interval)
{
    return Py_BuildValue("ddd", interval->mean, interval->low, interval->high);
}

static PyObject *member_dict(const gradus_auto_member *m)
{
    PyObject *dict = PyDict_New();

    if (dict && dict_put(dict, "method", text_of(m->method)) &&
        dict_put(dict, "family", text_of(m->family)) &&
        dict_put(dict, "settings", text_of(m->settings)) &&
        dict_put(dict, "chosen", text_of(m->chosen)) &&
        dict_put(dict, "value", PyFloat_FromDouble(m->value)) &&
        dict_put(dict, "error", PyFloat_FromDouble(m->error)) &&
        dict_put(dict, "weight", PyFloat_FromDouble(m->weight)) &&
        dict_put(dict, "scale", PyFloat_FromDouble(m->scale)) &&
        dict_put(dict, "seconds", PyFloat_FromDouble(m->seconds)) &&
        dict_put(dict, "failed", text_of(m->failed)))
        return dict;
    Py_XDECREF(dict);
    return NULL;
}

static PyObject *member_list(const gradus_auto_result *result)
{
    PyObject *list = PyList_New(0);
    gradus_auto_member member;

    for (size_t i = 0; list && gradus_auto_member_at(result, i, &member); i++)
        if (!list_put(list, member_dict(&member)))
            Py_CLEAR(list);
    return list;
}

static PyObject *warning_list(const gradus_auto_result *result)
{
    PyObject *list = PyList_New(0);
    const char *text;

    for (size_t i = 0; list && (text = gradus_auto_warning_at(result, i)); i++)
        if (!list_put(list, text_of(text)))
            Py_CLEAR(list);
    return list;
}

static bool put_estimates(PyObject *dict, const gradus_auto_facts *f)
{
    return dict_put(dict, "expected", interval_tuple(&f->expected)) &&
           dict_put(dict, "single", interval_tuple(&f->single)) &&
           dict_put(dict, "difference", PyFloat_FromDouble(f->difference)) &&
           dict_put(dict, "p", PyFloat_FromDouble(f->p)) &&
           dict_put(dict, "single_method", text_of(f->single_method)) &&
           dict_put(dict, "single_settings", text_of(f->single_settings)) &&
           dict_put(dict, "test", interval_tuple(&f->test)) &&
           dict_put(dict, "single_test", interval_tuple(&f->single_test)) &&
           dict_put(dict, "test_difference", PyFloat_FromDouble(f->test_difference)) &&
           dict_put(dict, "test_p", PyFloat_FromDouble(f->test_p));
}

static PyObject *facts_dict(const gradus_auto_result *result)
{
    PyObject *dict = PyDict_New();
    gradus_auto_facts f;

    gradus_auto_describe(result, &f);
    if (dict && dict_put(dict, "metric", text_of(f.metric)) &&
        dict_put(dict, "convention", text_of(f.convention)) &&
        dict_put(dict, "lower_is_better", PyBool_FromLong(f.lower_is_better)) &&
        dict_put(dict, "folds", PyLong_FromSize_t(f.folds)) &&
        dict_put(dict, "repeat_folds", PyLong_FromSize_t(f.repeat_folds)) &&
        dict_put(dict, "held_queries", PyLong_FromSize_t(f.held_queries)) &&
        dict_put(dict, "trials", PyLong_FromSize_t(f.trials)) &&
        dict_put(dict, "members", PyLong_FromSize_t(f.members)) &&
        dict_put(dict, "max_rounds", PyLong_FromSize_t(f.max_rounds)) &&
        dict_put(dict, "probabilities", PyBool_FromLong(f.probabilities)) &&
        dict_put(dict, "fell_back", PyBool_FromLong(f.fell_back)) &&
        dict_put(dict, "skipped", text_of(f.skipped)) &&
        dict_put(dict, "out_of_time", PyBool_FromLong(f.out_of_time)) &&
        dict_put(dict, "methods", text_of(f.methods)) && put_estimates(dict, &f) &&
        dict_put(dict, "search_seconds", PyFloat_FromDouble(f.search_seconds)) &&
        dict_put(dict, "refit_seconds", PyFloat_FromDouble(f.refit_seconds)) &&
        dict_put(dict, "row_seconds", PyFloat_FromDouble(f.row_seconds)) &&
        dict_put(dict, "single_row_seconds", PyFloat_FromDouble(f.single_row_seconds)))
        return dict;
    Py_XDECREF(dict);
    return NULL;
}

static PyObject *result_dict(const gradus_auto_result *result)
{
    PyObject *dict = PyDict_New();

    if (dict && dict_put(dict, "members", member_list(result)) &&
        dict_put(dict, "warnings", warning_list(result)) &&
        dict_put(dict, "facts", facts_dict(result)) &&
        dict_put(dict, "model", model_copy(gradus_auto_model(result))) &&
        dict_put(dict, "single", model_copy(gradus_auto_single(result))))
        return dict;
    Py_XDECREF(dict);
    return NULL;
}

static PyObject *core_auto(PyObject *module, PyObject *args, PyObject *named)
{
    PyObject *dict = NULL;
    gradus_auto_result *result;
    search_call s;

    (void)module;
    if (!search_start(&s, args, named, "auto"))
        return NULL;
    Py_BEGIN_ALLOW_THREADS result = gradus_auto(s.call.context, &s.input, s.options, &s.call.err);
    Py_END_ALLOW_THREADS if (call_end(&s.call, status_of(result, &s.call.err))) dict =
        result_dict(result);
    gradus_auto_free(result);
    gradus_options_free(s.options);
    return dict;
}

PyMethodDef auto_methods[] = {
    { "auto", NAMED(core_auto), METH_VARARGS | METH_KEYWORDS,
      "Trains an ensemble of the best methods." },
    { NULL, NULL, 0, NULL },
};
