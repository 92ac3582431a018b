/* SPDX-License-Identifier: Apache-2.0 */
/* Conversions between Python objects and those of the library. */
#include "core.h"

#include <stdlib.h>
#include <string.h>

/* ---- small things ---- */

bool dict_put(PyObject *dict, const char *key, PyObject *value)
{
    const bool good = value && PyDict_SetItemString(dict, key, value) == 0;

    Py_XDECREF(value);
    return good;
}

bool list_put(PyObject *list, PyObject *value)
{
    const bool good = value && PyList_Append(list, value) == 0;

    Py_XDECREF(value);
    return good;
}

PyObject *text_of(const char *text)
{
    return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "surrogateescape");
}

PyObject *text_or_none(const char *text)
{
    return text ? text_of(text) : Py_NewRef(Py_None);
}

PyObject *bytes_of(const void *items, size_t count, size_t size)
{
    if (!items)
        return Py_NewRef(Py_None);
    return PyBytes_FromStringAndSize(items, (Py_ssize_t)(count * size));
}

PyObject *path_bytes(PyObject *path)
{
    PyObject *bytes = NULL;

    if (PyUnicode_FSConverter(path, &bytes))
        return bytes;
    if (PyErr_ExceptionMatches(PyExc_TypeError) && !PyUnicode_Check(path)) {
        PyErr_Clear();
        raise_type(path, "a path", "a str or os.PathLike");
    }
    return NULL;
}

PyObject *type_name(PyObject *object)
{
    return PyObject_GetAttrString((PyObject *)Py_TYPE(object), "__name__");
}

void *raise_type(PyObject *object, const char *name, const char *expected)
{
    PyObject *found = type_name(object);

    if (found)
        PyErr_Format(PyExc_TypeError, "%s must be %s, not '%U'", name, expected, found);
    Py_XDECREF(found);
    return NULL;
}

const char *text_get(PyObject *object, const char *name)
{
    Py_ssize_t size;

    if (!PyUnicode_Check(object))
        return raise_type(object, name, "a str");
    const char *text = PyUnicode_AsUTF8AndSize(object, &size);
    if (text && strlen(text) != (size_t)size) {
        PyErr_Format(PyExc_ValueError, "%s contains a null character", name);
        return NULL;
    }
    return text;
}

bool count_get(PyObject *object, const char *name, uint64_t *count)
{
    PyObject *number = PyIndex_Check(object) ? PyNumber_Index(object) : NULL;

    if (!number) {
        if (!PyErr_Occurred())
            raise_type(object, name, "an int");
        return false;
    }
    *count = PyLong_AsUnsignedLongLong(number);
    Py_DECREF(number);
    if (!PyErr_Occurred())
        return true;
    PyErr_Clear();
    PyErr_Format(PyExc_ValueError, "%s is %S, expected a whole number from 0", name, object);
    return false;
}

int threads_converter(PyObject *object, void *threads)
{
    uint64_t count;

    if (!count_get(object, "threads", &count))
        return 0;
    *(size_t *)threads = count;
    return 1;
}

int memory_converter(PyObject *object, void *bytes)
{
    return count_get(object, "max_memory", bytes);
}

int count_converter(PyObject *object, void *count)
{
    uint64_t number;

    if (!count_get(object, "a count", &number))
        return 0;
    *(size_t *)count = number;
    return 1;
}

/* ---- names ---- */

static bool names_measure(PyObject *list, const char *what, names *out, size_t *total)
{
    *total = 0;
    for (size_t i = 0; i < out->count; i++) {
        PyObject *item = PyList_GetItem(list, (Py_ssize_t)i);
        Py_ssize_t size;

        if (!item || !PyUnicode_Check(item)) {
            PyObject *found = item ? type_name(item) : NULL;

            if (found)
                PyErr_Format(PyExc_TypeError, "%s[%zu] must be a str, not '%U'", what, i, found);
            Py_XDECREF(found);
            return false;
        }
        const char *text = PyUnicode_AsUTF8AndSize(item, &size);
        if (!text)
            return false;
        if (strlen(text) != (size_t)size) {
            PyErr_Format(PyExc_ValueError, "%s[%zu] contains a null character", what, i);
            return false;
        }
        *total += (size_t)size + 1;
    }
    return true;
}

static bool names_fill(PyObject *list, size_t total, names *out)
{
    size_t at = 0;

    out->bytes = malloc(total ? total : 1);
    out->starts = malloc((out->count + 1) * sizeof *out->starts);
    if (!out->bytes || !out->starts) {
        PyErr_NoMemory();
        return false;
    }
    for (size_t i = 0; i < out->count; i++) {
        Py_ssize_t size;
        const char *text = PyUnicode_AsUTF8AndSize(PyList_GetItem(list, (Py_ssize_t)i), &size);

        out->starts[i] = at;
        memcpy(out->bytes + at, text, (size_t)size + 1);
        at += (size_t)size + 1;
    }
    out->starts[out->count] = at;
    out->names = (gradus_names){ out->bytes, out->starts };
    return true;
}

bool names_get(PyObject *sequence, const char *what, size_t count, names *out)
{
    size_t total;

    *out = (names){ .count = 0 };
    if (!sequence || sequence == Py_None)
        return true;
    if (PyUnicode_Check(sequence) || PyBytes_Check(sequence)) {
        raise_type(sequence, what, "a sequence of str");
        return false;
    }
    PyObject *list = PySequence_List(sequence);
    if (!list)
        return false;
    out->count = (size_t)PyList_Size(list);
    bool good = true;
    if (count != SIZE_MAX && out->count != count) {
        PyErr_Format(PyExc_ValueError, "%s has %zu items, expected %zu", what, out->count, count);
        good = false;
    }
    good = good && names_measure(list, what, out, &total) && names_fill(list, total, out);
    Py_DECREF(list);
    if (!good)
        names_free(out);
    return good;
}

void names_free(names *n)
{
    free(n->bytes);
    free(n->starts);
    *n = (names){ .count = 0 };
}

/* ---- buffers ---- */

typedef struct item_type {
    char format;
    const char *accepted; /* codes of the struct module with that meaning on some platform */
    const char *name;
    Py_ssize_t size;
} item_type;

static const item_type item_types[] = {
    { 'f', "f", "float32", 4 }, { 'd', "d", "float64", 8 }, { 'Q', "QLN", "uint64", 8 },
    { 'q', "qln", "int64", 8 }, { 'I', "IL", "uint32", 4 },
};

static const item_type *item_type_find(char format)
{
    for (size_t i = 0; i < sizeof item_types / sizeof *item_types; i++)
        if (item_types[i].format == format)
            return &item_types[i];
    return NULL;
}

/* Native byte order only: '<' is the machine's on all platforms that gradus supports. */
static bool format_is(const char *format, const item_type *type)
{
    if (!format)
        return false;
    if (*format == '@' || *format == '=' || *format == '<')
        format++;
    return format[0] && !format[1] && strchr(type->accepted, format[0]);
}

static bool buffer_check(const Py_buffer *view, const char *name, const item_type *type,
                         size_t count)
{
    if (view->itemsize != type->size || !format_is(view->format, type)) {
        PyErr_Format(PyExc_TypeError, "%s must contain %s, not items of format '%s'", name,
                     type->name, view->format ? view->format : "B");
        return false;
    }
    if (count != SIZE_MAX && (size_t)(view->len / view->itemsize) != count) {
        PyErr_Format(PyExc_ValueError, "%s has %zd items, expected %zu", name,
                     view->len / view->itemsize, count);
        return false;
    }
    if ((uintptr_t)view->buf % (uintptr_t)type->size != 0) {
        PyErr_Format(PyExc_ValueError, "%s is not aligned", name);
        return false;
    }
    return true;
}

/* PyObject_GetBuffer raised an exception: says which argument is wrong. */
static void buffer_refused(PyObject *object, const char *name, const item_type *type, bool writable)
{
    char expected[48];

    if (!PyErr_ExceptionMatches(PyExc_TypeError) && !PyErr_ExceptionMatches(PyExc_BufferError) &&
        !PyErr_ExceptionMatches(PyExc_ValueError))
        return;
    PyErr_Clear();
    if (PyObject_CheckBuffer(object)) {
        PyErr_Format(PyExc_ValueError, "%s must be a C-contiguous%s array", name,
                     writable ? ", writable" : "");
        return;
    }
    PyOS_snprintf(expected, sizeof expected, "an array of %s", type->name);
    raise_type(object, name, expected);
}

bool buffer_get(PyObject *object, const char *name, char format, size_t count, bool writable,
                Py_buffer *view)
{
    const item_type *type = item_type_find(format);
    const int flags = PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | (writable ? PyBUF_WRITABLE : 0);

    if (!object || object == Py_None) {
        memset(view, 0, sizeof *view);
        return true;
    }
    if (PyObject_GetBuffer(object, view, flags) < 0) {
        buffer_refused(object, name, type, writable);
        memset(view, 0, sizeof *view);
        return false;
    }
    if (buffer_check(view, name, type, count))
        return true;
    PyBuffer_Release(view);
    memset(view, 0, sizeof *view);
    return false;
}

bool buffer_need(PyObject *object, const char *name, char format, size_t count, bool writable,
                 Py_buffer *view)
{
    char expected[48];

    if (object != Py_None)
        return buffer_get(object, name, format, count, writable, view);
    PyOS_snprintf(expected, sizeof expected, "an array of %s", item_type_find(format)->name);
    raise_type(object, name, expected);
    return false;
}
