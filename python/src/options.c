/* SPDX-License-Identifier: Apache-2.0 */
/* Options of the library from a mapping: flags from bool, counts from int, reals from float, anything
 * from str. Text options take paths, numbers, and lists of these, too. */
#include "core.h"

#include <string.h>

static bool set_from_bytes(gradus_options *options, const char *name, PyObject *bytes)
{
    gradus_error err;
    char *text = bytes ? PyBytes_AsString(bytes) : NULL;
    const bool good = text && gradus_options_set(options, name, text, &err) == GRADUS_OK;

    if (text && !good)
        raise_error(&err);
    Py_XDECREF(bytes);
    return good;
}

static PyObject *refuse(const gradus_param *param, PyObject *value, const char *expected)
{
    PyObject *found = type_name(value);

    if (found)
        PyErr_Format(PyExc_TypeError, "option '%s' must be %s, not '%U'", param->name, expected,
                     found);
    Py_XDECREF(found);
    return NULL;
}

/* The text of a str as bytes: UTF-8, or of a path the encoding of the file system. */
static PyObject *encode(const gradus_param *param, PyObject *text)
{
    PyObject *bytes = param->path ? PyUnicode_EncodeFSDefault(text) : PyUnicode_AsUTF8String(text);
    char *start;
    Py_ssize_t size;

    if (!bytes || PyBytes_AsStringAndSize(bytes, &start, &size) < 0) {
        Py_XDECREF(bytes);
        return NULL;
    }
    if (strlen(start) == (size_t)size)
        return bytes;
    Py_DECREF(bytes);
    PyErr_Format(PyExc_ValueError, "option '%s' contains a null character", param->name);
    return NULL;
}

/* An int as text, exactly; a number as the shortest text. */
static PyObject *number_bytes(PyObject *value)
{
    char text[GRADUS_NUMBER_SIZE];

    if (PyIndex_Check(value)) {
        PyObject *number = PyNumber_Index(value);
        PyObject *digits = number ? PyObject_Str(number) : NULL;
        PyObject *bytes = digits ? PyUnicode_AsUTF8String(digits) : NULL;

        Py_XDECREF(number);
        Py_XDECREF(digits);
        return bytes;
    }
    PyObject *number = PyNumber_Float(value);
    if (!number)
        return NULL;
    const size_t length = gradus_number_format(PyFloat_AsDouble(number), text);
    Py_DECREF(number);
    return PyBytes_FromStringAndSize(text, (Py_ssize_t)length);
}

static bool has_fspath(PyObject *value)
{
    PyObject *method = PyObject_GetAttrString((PyObject *)Py_TYPE(value), "__fspath__");

    PyErr_Clear();
    Py_XDECREF(method);
    return method != NULL;
}

static bool is_number(PyObject *value)
{
    return !PyBool_Check(value) && (PyIndex_Check(value) || PyFloat_Check(value));
}

/* One item of the text of an option. */
static PyObject *item_bytes(const gradus_param *param, PyObject *value)
{
    if (PyUnicode_Check(value))
        return encode(param, value);
    if (param->path && (PyBytes_Check(value) || has_fspath(value)))
        return path_bytes(value);
    if (is_number(value))
        return number_bytes(value);
    return refuse(param, value, param->path ? "a path" : "a str, a number or a list of these");
}

static PyObject *list_bytes(const gradus_param *param, PyObject *value)
{
    PyObject *all = PyBytes_FromStringAndSize("", 0);
    const Py_ssize_t count = PySequence_Size(value);

    for (Py_ssize_t i = 0; all && i < count; i++) {
        PyObject *item = PySequence_GetItem(value, i);
        PyObject *bytes = item ? item_bytes(param, item) : NULL;

        Py_XDECREF(item);
        if (!bytes) {
            Py_CLEAR(all);
            break;
        }
        if (i > 0)
            PyBytes_ConcatAndDel(&all, PyBytes_FromStringAndSize(",", 1));
        PyBytes_ConcatAndDel(&all, bytes);
    }
    return all;
}

static bool is_numpy_bool(PyObject *value)
{
    PyObject *name = type_name(value);
    const bool is = name && (PyUnicode_CompareWithASCIIString(name, "bool_") == 0 ||
                             PyUnicode_CompareWithASCIIString(name, "bool") == 0);

    PyErr_Clear();
    Py_XDECREF(name);
    return is;
}

static bool set_flag(gradus_options *options, const gradus_param *param, PyObject *value)
{
    gradus_error err;
    gradus_status status;

    if (PyBool_Check(value) || is_numpy_bool(value)) {
        const int set = PyObject_IsTrue(value);

        if (set < 0)
            return false;
        status = gradus_options_set_flag(options, param->name, set, &err);
    } else if (is_number(value)) {
        const double number = PyFloat_AsDouble(value);

        if (number == -1.0 && PyErr_Occurred())
            return false;
        status = gradus_options_set_number(options, param->name, number, &err);
    } else {
        return refuse(param, value, "a bool");
    }
    if (status != GRADUS_OK)
        raise_error(&err);
    return status == GRADUS_OK;
}

/* As text, so that the library checks numbers that no uint64_t holds. */
static bool set_count(gradus_options *options, const gradus_param *param, PyObject *value)
{
    gradus_error err;

    if (PyIndex_Check(value))
        return set_from_bytes(options, param->name, number_bytes(value));
    if (!PyFloat_Check(value))
        return refuse(param, value, "an int");
    if (gradus_options_set_number(options, param->name, PyFloat_AsDouble(value), &err) == GRADUS_OK)
        return true;
    return raise_error(&err);
}

static bool set_real(gradus_options *options, const gradus_param *param, PyObject *value)
{
    gradus_error err;

    if (!PyNumber_Check(value))
        return refuse(param, value, "a number");
    PyObject *real = PyNumber_Float(value);
    if (!real)
        return PyErr_ExceptionMatches(PyExc_TypeError) ? refuse(param, value, "a number") : NULL;
    const double number = PyFloat_AsDouble(real);
    Py_DECREF(real);
    if (gradus_options_set_number(options, param->name, number, &err) == GRADUS_OK)
        return true;
    return raise_error(&err);
}

/* A str, or a number that is one of the choices: first_id=1. */
static bool set_choice(gradus_options *options, const gradus_param *param, PyObject *value)
{
    PyObject *bytes = is_number(value) ? number_bytes(value) : NULL;
    const char *text = bytes ? PyBytes_AsString(bytes) : NULL;

    for (const char *const *choice = param->choices; text && *choice; choice++)
        if (strcmp(text, *choice) == 0)
            return set_from_bytes(options, param->name, bytes);
    Py_XDECREF(bytes);
    return !PyErr_Occurred() && refuse(param, value, "a str");
}

static bool set_value(gradus_options *options, const gradus_param *param, PyObject *value)
{
    if (PyUnicode_Check(value))
        return set_from_bytes(options, param->name, encode(param, value));
    switch (param->kind) {
    case GRADUS_FLAG:
        return set_flag(options, param, value);
    case GRADUS_COUNT:
        return set_count(options, param, value);
    case GRADUS_REAL:
        return set_real(options, param, value);
    case GRADUS_CHOICE:
        return set_choice(options, param, value);
    case GRADUS_TEXT:
    default:
        return set_from_bytes(options, param->name,
                              PyList_Check(value) || PyTuple_Check(value)
                                  ? list_bytes(param, value)
                                  : item_bytes(param, value));
    }
}

bool option_find(const char *operation, const char *name, gradus_param *param)
{
    char stem[64];
    const size_t length = strlen(name);

    if (gradus_param_find(operation, name, param))
        return true;
    if (length < 2 || length > sizeof stem || name[length - 1] != '_')
        return false;
    memcpy(stem, name, length - 1);
    stem[length - 1] = '\0';
    return gradus_param_find(operation, stem, param);
}

static bool set_option(gradus_options *options, const char *operation, PyObject *key,
                       PyObject *value)
{
    gradus_param param;
    gradus_error err = { .status = GRADUS_OK };

    if (!PyUnicode_Check(key))
        return raise_type(key, "the name of an option", "a str");
    const char *name = text_get(key, "the name of an option");
    if (!name)
        return false;
    if (!option_find(operation, name, &param)) {
        gradus_options_set(options, name, "", &err); /* fails, and suggests a similar name */
        return raise_error(&err);
    }
    if (value == Py_None)
        return true;
    if (gradus_options_given(options, param.name)) {
        PyErr_Format(error_classes[GRADUS_BAD_ARGUMENT],
                     "option '%s' is given twice, the second time as '%s'", param.name, name);
        return false;
    }
    return set_value(options, &param, value);
}

static bool set_all(gradus_options *options, const char *operation, PyObject *mapping)
{
    PyObject *items = PyMapping_Check(mapping) && !PySequence_Check(mapping)
                          ? PyMapping_Items(mapping)
                          : raise_type(mapping, "options", "a mapping of names to values");
    bool good = items != NULL;

    for (Py_ssize_t i = 0; good && i < PyList_Size(items); i++) {
        PyObject *pair = PyList_GetItem(items, i);

        if (PyTuple_Check(pair) && PyTuple_Size(pair) == 2)
            good =
                set_option(options, operation, PyTuple_GetItem(pair, 0), PyTuple_GetItem(pair, 1));
        else
            good = raise_type(pair, "an item of options", "a pair of name and value");
    }
    Py_XDECREF(items);
    return good;
}

gradus_options *options_from(PyObject *mapping, const char *operation)
{
    gradus_error err = { .status = GRADUS_NO_MEMORY };
    gradus_options *options = gradus_options_new(operation, &err);

    if (!options) {
        raise_error(&err);
        return NULL;
    }
    if (!mapping || mapping == Py_None || set_all(options, operation, mapping))
        return options;
    gradus_options_free(options);
    return NULL;
}
