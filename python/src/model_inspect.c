/* SPDX-License-Identifier: Apache-2.0 */
/* What a model is: information, facts, options, learning curve, results. */
#include "model_object.h"

#include <string.h>

static const gradus_model *model_of(PyObject *self)
{
    return ((model_object *)self)->model;
}

/* ---- info ---- */

static PyObject *numbers(const double *items, size_t count)
{
    PyObject *list = items ? PyList_New(0) : Py_NewRef(Py_None);

    for (size_t i = 0; items && list && i < count; i++)
        if (!list_put(list, PyFloat_FromDouble(items[i])))
            Py_CLEAR(list);
    return list;
}

static bool put_texts(PyObject *d, const gradus_model_info *info)
{
    return dict_put(d, "method", text_of(info->method)) &&
           dict_put(d, "scoring", text_of(info->scoring)) &&
           dict_put(d, "metric", text_of(info->metric)) &&
           dict_put(d, "convention", text_of(info->convention)) &&
           dict_put(d, "calibration", text_of(info->calibration)) &&
           dict_put(d, "combination", text_of(info->combination)) &&
           dict_put(d, "gain_name", text_or_none(info->gain_name)) &&
           dict_put(d, "count_name", text_or_none(info->count_name));
}

static bool put_counts(PyObject *d, const gradus_model_info *info)
{
    const struct {
        const char *name;
        size_t count;
    } all[] = {
        { "features", info->features },
        { "outputs", info->outputs },
        { "rounds", info->rounds },
        { "grades", info->grades },
        { "train_rows", info->train_rows },
        { "train_queries", info->train_queries },
        { "rounds_done", info->rounds_done },
        { "best_round", info->best_round },
        { "start_rounds", info->start_rounds },
        { "members", info->members },
    };

    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!dict_put(d, all[i].name, PyLong_FromSize_t(all[i].count)))
            return false;
    return true;
}

static bool put_flags(PyObject *d, const gradus_model_info *info)
{
    return dict_put(d, "has_rounds", PyBool_FromLong(info->has_rounds)) &&
           dict_put(d, "probabilities", PyBool_FromLong(info->probabilities)) &&
           dict_put(d, "lower_is_better", PyBool_FromLong(info->lower_is_better)) &&
           dict_put(d, "validated", PyBool_FromLong(info->validated)) &&
           dict_put(d, "finished", PyBool_FromLong(info->finished)) &&
           dict_put(d, "distilled", PyBool_FromLong(info->distilled)) &&
           dict_put(d, "importance", PyBool_FromLong(info->importance));
}

PyObject *model_info(PyObject *self, PyObject *unused)
{
    const gradus_model *model = model_of(self);
    gradus_model_info info;
    gradus_error err;
    uint64_t size;

    (void)unused;
    gradus_model_describe(model, &info);
    if (gradus_model_size(model, &size, &err) != GRADUS_OK)
        return raise_error(&err);
    PyObject *d = PyDict_New();
    if (d && put_texts(d, &info) && put_counts(d, &info) && put_flags(d, &info) &&
        dict_put(d, "grade_values", numbers(info.grades ? info.grade_values : NULL, info.grades)) &&
        dict_put(d, "thresholds", numbers(info.thresholds, info.grades ? info.grades - 1 : 0)) &&
        dict_put(d, "log_likelihood", PyFloat_FromDouble(info.log_likelihood)) &&
        dict_put(d, "first_id", PyLong_FromSize_t(gradus_model_first_id(model))) &&
        dict_put(d, "size", PyLong_FromUnsignedLongLong(size)))
        return d;
    Py_XDECREF(d);
    return NULL;
}

/* ---- facts ---- */

static PyObject *fact_value(const gradus_model_fact *fact)
{
    switch (fact->type) {
    case GRADUS_FACT_COUNT:
        return PyLong_FromDouble(fact->number);
    case GRADUS_FACT_NUMBER:
        return PyFloat_FromDouble(fact->number);
    case GRADUS_FACT_FLAG:
        return PyBool_FromLong(fact->number != 0.0);
    case GRADUS_FACT_TEXT:
    case GRADUS_FACT_LINE:
    default:
        return text_of(fact->text);
    }
}

PyObject *model_facts(PyObject *self, PyObject *unused)
{
    PyObject *d = PyDict_New();
    gradus_model_fact fact;

    (void)unused;
    for (size_t i = 0; d && gradus_model_fact_at(model_of(self), i, &fact); i++)
        if (fact.type != GRADUS_FACT_LINE && !dict_put(d, fact.name, fact_value(&fact)))
            Py_CLEAR(d);
    return d;
}

/* A fact in words: "1,024 leaves", "0.5", "gaussian". */
static PyObject *fact_words(const gradus_model_fact *fact)
{
    char number[GRADUS_NUMBER_SIZE];

    if (fact->type == GRADUS_FACT_COUNT) {
        PyObject *count = PyLong_FromDouble(fact->number);
        PyObject *comma = text_of(",");
        PyObject *digits = count && comma ? PyObject_Format(count, comma) : NULL;
        const char *noun = fact->number == 1.0 ? fact->one : fact->many;
        PyObject *words = !digits ? NULL
                          : fact->one
                              ? PyUnicode_FromFormat("%U %s", digits, noun ? noun : fact->one)
                              : Py_NewRef(digits);

        Py_XDECREF(count);
        Py_XDECREF(comma);
        Py_XDECREF(digits);
        return words;
    }
    if (fact->type == GRADUS_FACT_TEXT)
        return text_of(fact->text);
    gradus_number_format(fact->number, number);
    return text_of(number);
}

/* The fact whose name is between two characters of a line; "" if absent. */
static PyObject *fact_between(const gradus_model *model, const char *from, const char *to)
{
    gradus_model_fact fact;
    char name[64];
    const size_t length = (size_t)(to - from);

    if (length >= sizeof name)
        return text_of("");
    memcpy(name, from, length);
    name[length] = '\0';
    return gradus_model_fact_find(model, name, &fact) ? fact_words(&fact) : text_of("");
}

/* A line with each {name} replaced by that fact. */
static PyObject *expand(const gradus_model *model, const char *line)
{
    PyObject *parts = PyList_New(0), *nothing = text_of(""), *all = NULL;
    const char *open, *close;
    bool good = parts && nothing;

    while (good && (open = strchr(line, '{')) && (close = strchr(open, '}'))) {
        good = list_put(parts, PyUnicode_FromStringAndSize(line, open - line)) &&
               list_put(parts, fact_between(model, open + 1, close));
        line = close + 1;
    }
    if (good && list_put(parts, text_of(line)))
        all = PyUnicode_Join(nothing, parts);
    Py_XDECREF(parts);
    Py_XDECREF(nothing);
    return all;
}

PyObject *model_lines(PyObject *self, PyObject *unused)
{
    PyObject *d = PyDict_New();
    gradus_model_fact fact;

    (void)unused;
    for (size_t i = 0; d && gradus_model_fact_at(model_of(self), i, &fact); i++)
        if (fact.type == GRADUS_FACT_LINE &&
            !dict_put(d, fact.name, expand(model_of(self), fact.text)))
            Py_CLEAR(d);
    return d;
}

/* ---- lists ---- */

PyObject *model_options(PyObject *self, PyObject *unused)
{
    PyObject *d = PyDict_New();
    const char *name, *value;

    (void)unused;
    for (size_t i = 0; d && gradus_model_option_at(model_of(self), i, &name, &value); i++)
        if (!dict_put(d, name, text_of(value)))
            Py_CLEAR(d);
    return d;
}

PyObject *model_results(PyObject *self, PyObject *unused)
{
    PyObject *d = PyDict_New();
    const char *name;
    double value;

    (void)unused;
    for (size_t i = 0; d && gradus_model_result_at(model_of(self), i, &name, &value); i++)
        if (!dict_put(d, name, PyFloat_FromDouble(value)))
            Py_CLEAR(d);
    return d;
}

PyObject *model_curve(PyObject *self, PyObject *unused)
{
    const gradus_model *model = model_of(self);
    size_t count = 0, round;
    double train, valid;

    (void)unused;
    while (gradus_model_curve_at(model, count, &round, &train, &valid))
        count++;
    const Py_ssize_t bytes = (Py_ssize_t)(count * 8);
    PyObject *rounds = PyBytes_FromStringAndSize(NULL, bytes);
    PyObject *trains = PyBytes_FromStringAndSize(NULL, bytes);
    PyObject *valids = PyBytes_FromStringAndSize(NULL, bytes);
    if (!rounds || !trains || !valids) {
        Py_XDECREF(rounds);
        Py_XDECREF(trains);
        Py_XDECREF(valids);
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        gradus_model_curve_at(model, i, &round, &train, &valid);
        const uint64_t number = round;
        memcpy(PyBytes_AsString(rounds) + i * 8, &number, 8);
        memcpy(PyBytes_AsString(trains) + i * 8, &train, 8);
        memcpy(PyBytes_AsString(valids) + i * 8, &valid, 8);
    }
    return Py_BuildValue("(NNN)", rounds, trains, valids);
}

/* One calibration: its method and parameters. */
static PyObject *calibration_dict(const gradus_model *model, size_t calibration)
{
    PyObject *d = PyDict_New(), *list = PyList_New(0);
    gradus_calibration_parameter p;
    bool good = d && list;

    for (size_t i = 0; good && gradus_model_calibration_at(model, calibration, i, &p); i++)
        good = (i > 0 || dict_put(d, "method", text_of(p.method))) &&
               list_put(list, Py_BuildValue("{s:s,s:n,s:d}", "name", p.name, "output",
                                            (Py_ssize_t)p.output, "value", p.value));
    if (good && dict_put(d, "parameters", Py_NewRef(list))) {
        Py_DECREF(list);
        return d;
    }
    Py_XDECREF(d);
    Py_XDECREF(list);
    return NULL;
}

PyObject *model_calibrations(PyObject *self, PyObject *unused)
{
    PyObject *all = PyList_New(0);
    gradus_calibration_parameter p;

    (void)unused;
    for (size_t i = 0; all && gradus_model_calibration_at(model_of(self), i, 0, &p); i++)
        if (!list_put(all, calibration_dict(model_of(self), i)))
            Py_CLEAR(all);
    return all;
}
