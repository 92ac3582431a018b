/* SPDX-License-Identifier: Apache-2.0 */
/* The library's version, tables and pure functions, as lists and dictionaries. */
#include "core.h"
#include "gradus_experiments.h"

#include <stdlib.h>

static PyObject *version(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    return text_of(gradus_version());
}

/* ---- build_info ---- */

static PyObject *cpu_features(void)
{
    PyObject *all = PyDict_New();
    const char *name;
    bool present;

    for (size_t i = 0; all && gradus_cpu_feature_at(i, &name, &present); i++)
        if (!dict_put(all, name, PyBool_FromLong(present)))
            Py_CLEAR(all);
    return all;
}

static PyObject *components(void)
{
    PyObject *all = PyDict_New();
    gradus_component part;

    for (size_t i = 0; all && gradus_component_at(i, &part); i++)
        if (!dict_put(all, part.name, text_or_none(part.present ? part.version : NULL)))
            Py_CLEAR(all);
    return all;
}

static PyObject *build_info(PyObject *module, PyObject *unused)
{
    PyObject *all = PyDict_New();
    gradus_build build;

    (void)module, (void)unused;
    gradus_build_describe(&build);
    if (all && dict_put(all, "version", text_of(build.version)) &&
        dict_put(all, "compiler", text_of(build.compiler)) &&
        dict_put(all, "architecture", text_of(build.architecture)) &&
        dict_put(all, "kernels", text_of(build.kernels)) &&
        dict_put(all, "cpu_features", cpu_features()) && dict_put(all, "components", components()))
        return all;
    Py_XDECREF(all);
    return NULL;
}

/* ---- parameters ---- */

static const char *kind_name(gradus_param_kind kind)
{
    static const char *const words[] = { [GRADUS_FLAG] = "flag",
                                         [GRADUS_COUNT] = "count",
                                         [GRADUS_REAL] = "real",
                                         [GRADUS_CHOICE] = "choice",
                                         [GRADUS_TEXT] = "text" };

    return words[kind];
}

static const char *path_name(gradus_path_role path)
{
    static const char *const words[] = { [GRADUS_PATH_NONE] = "none",
                                         [GRADUS_PATH_READ] = "read",
                                         [GRADUS_PATH_READ_LIST] = "read-list",
                                         [GRADUS_PATH_READ_FOLDERS] = "read-folders",
                                         [GRADUS_PATH_WRITTEN] = "written" };

    return words[path];
}

static PyObject *choices(const char *const *words)
{
    PyObject *all = words ? PyList_New(0) : Py_NewRef(Py_None);

    for (; words && all && *words; words++)
        if (!list_put(all, text_of(*words)))
            Py_CLEAR(all);
    return all;
}

static PyObject *param_dict(const gradus_param *param)
{
    PyObject *d = PyDict_New();

    if (d && dict_put(d, "name", text_of(param->name)) &&
        dict_put(d, "argument", text_or_none(param->argument)) &&
        dict_put(d, "help", text_of(param->help)) &&
        dict_put(d, "initial", text_of(param->initial)) &&
        dict_put(d, "choices", choices(param->choices)) &&
        dict_put(d, "low", PyFloat_FromDouble(param->low)) &&
        dict_put(d, "high", PyFloat_FromDouble(param->high)) &&
        dict_put(d, "kind", text_of(kind_name(param->kind))) &&
        dict_put(d, "path", text_of(path_name(param->path))) &&
        dict_put(d, "rule", text_or_none(param->rule)) &&
        dict_put(d, "aliases", text_or_none(param->aliases)))
        return d;
    Py_XDECREF(d);
    return NULL;
}

/* Raises an exception for an operation that does not exist. */
static bool check_operation(const char *operation)
{
    gradus_error err;
    gradus_options *options = gradus_options_new(operation, &err);

    gradus_options_free(options);
    if (!options)
        raise_error(&err);
    return options;
}

static PyObject *params(PyObject *module, PyObject *argument)
{
    const char *operation = text_get(argument, "operation");
    gradus_param param;

    (void)module;
    if (!operation || !check_operation(operation))
        return NULL;
    PyObject *all = PyList_New(0);
    for (size_t i = 0; all && gradus_param_at(operation, i, &param); i++)
        if (!list_put(all, param_dict(&param)))
            Py_CLEAR(all);
    return all;
}

static PyObject *param_find(PyObject *module, PyObject *args)
{
    const char *operation, *name;
    gradus_param param;

    (void)module;
    if (!PyArg_ParseTuple(args, "ss:param_find", &operation, &name) || !check_operation(operation))
        return NULL;
    if (!option_find(operation, name, &param))
        Py_RETURN_NONE;
    return param_dict(&param);
}

static PyObject *param_renamed(PyObject *module, PyObject *args)
{
    const char *operation, *name;

    (void)module;
    if (!PyArg_ParseTuple(args, "ss:param_renamed", &operation, &name) ||
        !check_operation(operation))
        return NULL;
    return text_or_none(gradus_param_renamed(operation, name));
}

/* The options of an operation as text: those given, or all, with implied values and defaults. */
static PyObject *option_texts(PyObject *args, const char *format, bool all)
{
    const char *operation;
    PyObject *mapping;
    gradus_param param;

    if (!PyArg_ParseTuple(args, format, &operation, &mapping))
        return NULL;
    gradus_options *options = options_from(mapping, operation);
    PyObject *texts = options ? PyDict_New() : NULL;
    for (size_t i = 0; texts && gradus_param_at(operation, i, &param); i++)
        if ((all || gradus_options_given(options, param.name)) &&
            !dict_put(texts, param.name, text_of(gradus_options_value(options, param.name))))
            Py_CLEAR(texts);
    gradus_options_free(options);
    return texts;
}

static PyObject *check_options(PyObject *module, PyObject *args)
{
    (void)module;
    return option_texts(args, "sO:check_options", false);
}

static PyObject *option_values(PyObject *module, PyObject *args)
{
    (void)module;
    return option_texts(args, "sO:option_values", true);
}

/* ---- catalogues, formats, experiments ---- */

static PyObject *catalogue(PyObject *module, PyObject *argument)
{
    const char *name = text_get(argument, "name");
    gradus_entry entry;

    (void)module;
    if (!name)
        return NULL;
    if (!gradus_entry_at(name, 0, &entry)) {
        PyErr_Format(error_classes[GRADUS_BAD_ARGUMENT], "there is no catalogue '%s'", name);
        return NULL;
    }
    PyObject *all = PyList_New(0);
    for (size_t i = 0; all && gradus_entry_at(name, i, &entry); i++)
        if (!list_put(all, Py_BuildValue("(sss)", entry.name, entry.summary, entry.details)))
            Py_CLEAR(all);
    return all;
}

static PyObject *words_of(const char *text)
{
    PyObject *line = text_or_none(text);
    PyObject *words = text && line ? PyUnicode_Split(line, NULL, -1) : Py_XNewRef(line);

    Py_XDECREF(line);
    return words;
}

static PyObject *format_dict(const gradus_format *format)
{
    PyObject *d = PyDict_New();

    if (d && dict_put(d, "name", text_of(format->name)) &&
        dict_put(d, "used_by", text_of(format->used_by)) &&
        dict_put(d, "extension", text_of(format->extension)) &&
        dict_put(d, "methods", words_of(format->methods)) &&
        dict_put(d, "tolerance", PyFloat_FromDouble(format->tolerance)))
        return d;
    Py_XDECREF(d);
    return NULL;
}

static PyObject *formats(PyObject *module, PyObject *unused)
{
    PyObject *all = PyList_New(0);
    gradus_format format;

    (void)module, (void)unused;
    for (size_t i = 0; all && gradus_format_at(i, &format); i++)
        if (!list_put(all, format_dict(&format)))
            Py_CLEAR(all);
    return all;
}

static PyObject *experiments(PyObject *module, PyObject *unused)
{
    PyObject *all = PyList_New(0);
    gradus_experiment e;

    (void)module, (void)unused;
    for (size_t i = 0; all && gradus_experiment_at(i, &e); i++)
        if (!list_put(all, Py_BuildValue("{s:s,s:s,s:s,s:s,s:s,s:s,s:s}", "name", e.name, "summary",
                                         e.summary, "details", e.details, "family", e.family,
                                         "needs", e.needs, "takes", e.takes, "uses", e.uses)))
            Py_CLEAR(all);
    return all;
}

/* ---- methods and metrics ---- */

static PyObject *option_use(PyObject *module, PyObject *args)
{
    const char *method, *learner, *option;

    (void)module;
    if (!PyArg_ParseTuple(args, "szs:option_use", &method, &learner, &option))
        return NULL;
    switch (gradus_method_uses(method, learner, option)) {
    case GRADUS_OPTION_USED:
        return text_of("used");
    case GRADUS_OPTION_TUNED:
        return text_of("tuned");
    case GRADUS_OPTION_UNUSED:
    default:
        return text_of("unused");
    }
}

static PyObject *method_facts(PyObject *module, PyObject *mapping)
{
    gradus_options *options = options_from(mapping, "train");
    gradus_method_facts facts;
    gradus_error err;

    (void)module;
    if (!options)
        return NULL;
    const gradus_status status = gradus_method_describe(options, &facts, &err);
    gradus_options_free(options);
    if (status != GRADUS_OK)
        return raise_error(&err);
    return Py_BuildValue("{s:N,s:N,s:N}", "by_rounds", PyBool_FromLong(facts.by_rounds),
                         "needs_queries", PyBool_FromLong(facts.needs_queries), "needs_grades",
                         PyBool_FromLong(facts.needs_grades));
}

static PyObject *method_accepts(PyObject *module, PyObject *args)
{
    PyObject *mapping;
    const char *name;
    gradus_error err;
    bool accepts = false;

    (void)module;
    if (!PyArg_ParseTuple(args, "Os:method_accepts", &mapping, &name))
        return NULL;
    gradus_options *options = options_from(mapping, "train");
    if (!options)
        return NULL;
    const gradus_status status = gradus_method_accepts(options, name, &accepts, &err);
    gradus_options_free(options);
    return status == GRADUS_OK ? PyBool_FromLong(accepts) : raise_error(&err);
}

static PyObject *metric_facts(PyObject *module, PyObject *argument)
{
    const char *metric = text_get(argument, "metric");
    gradus_metric_facts facts;
    gradus_error err;

    (void)module;
    if (!metric)
        return NULL;
    if (gradus_metric_describe(metric, &facts, &err) != GRADUS_OK)
        return raise_error(&err);
    return Py_BuildValue("{s:N,s:N,s:N}", "lower_is_better", PyBool_FromLong(facts.lower_is_better),
                         "geometric", PyBool_FromLong(facts.geometric), "uses_gains",
                         PyBool_FromLong(facts.uses_gains));
}

/* ---- text ---- */

static PyObject *suggest(PyObject *module, PyObject *args)
{
    const char *word;
    PyObject *sequence;
    names all;

    (void)module;
    if (!PyArg_ParseTuple(args, "sO:suggest", &word, &sequence) ||
        !names_get(sequence, "names", SIZE_MAX, &all))
        return NULL;
    const char **words = malloc((all.count + 1) * sizeof *words);
    PyObject *nearest = NULL;
    if (words) {
        for (size_t i = 0; i < all.count; i++)
            words[i] = all.bytes + all.starts[i];
        nearest = text_or_none(gradus_suggest(word, words, all.count));
    } else {
        PyErr_NoMemory();
    }
    free(words);
    names_free(&all);
    return nearest;
}

static PyObject *number_text(PyObject *module, PyObject *number)
{
    char text[GRADUS_NUMBER_SIZE];
    const double value = PyFloat_AsDouble(number);

    (void)module;
    if (value == -1.0 && PyErr_Occurred())
        return NULL;
    gradus_number_format(value, text);
    return text_of(text);
}

static PyObject *label_text(PyObject *module, PyObject *number)
{
    char text[GRADUS_NUMBER_SIZE];
    const double value = PyFloat_AsDouble(number);

    (void)module;
    if (value == -1.0 && PyErr_Occurred())
        return NULL;
    gradus_label_format(value, text);
    return text_of(text);
}

PyMethodDef tables_methods[] = {
    { "version", version, METH_NOARGS, NULL },
    { "build_info", build_info, METH_NOARGS, NULL },
    { "params", params, METH_O, NULL },
    { "param_find", param_find, METH_VARARGS, NULL },
    { "param_renamed", param_renamed, METH_VARARGS, NULL },
    { "catalogue", catalogue, METH_O, NULL },
    { "formats", formats, METH_NOARGS, NULL },
    { "experiments", experiments, METH_NOARGS, NULL },
    { "option_use", option_use, METH_VARARGS, NULL },
    { "method_facts", method_facts, METH_O, NULL },
    { "method_accepts", method_accepts, METH_VARARGS, NULL },
    { "check_options", check_options, METH_VARARGS, NULL },
    { "option_values", option_values, METH_VARARGS, NULL },
    { "metric_facts", metric_facts, METH_O, NULL },
    { "suggest", suggest, METH_VARARGS, NULL },
    { "number_text", number_text, METH_O, NULL },
    { "label_text", label_text, METH_O, NULL },
    { NULL },
};
