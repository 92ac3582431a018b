/* SPDX-License-Identifier: Apache-2.0 */
/* gradus_collectives over an object of Python (_collectives.py): arrays are passed as memory views
 * of bytes, which are valid during the call only. */
#include "core.h"

/* Calls a method and drops its result. Takes over the references to the arguments, a tuple. */
static gradus_status ask(collectives *c, const char *method, PyObject *arguments)
{
    PyObject *function = arguments ? PyObject_GetAttrString(c->object, method) : NULL;
    PyObject *result = function ? PyObject_CallObject(function, arguments) : NULL;
    const bool good = result;

    if (!good)
        call_keep_exception(c->call);
    Py_XDECREF(result);
    Py_XDECREF(function);
    Py_XDECREF(arguments);
    return good ? GRADUS_OK : GRADUS_CANCELLED;
}

static PyObject *view_of(const void *bytes, size_t size, bool writable)
{
    static char nothing[1];

    return PyMemoryView_FromMemory(bytes ? (char *)(uintptr_t)bytes : nothing, (Py_ssize_t)size,
                                   writable ? PyBUF_WRITE : PyBUF_READ);
}

static PyObject *sizes_of(const collectives *c, const size_t *sizes)
{
    PyObject *list = PyList_New(0);
    bool good = list;

    for (size_t i = 0; good && i < c->with.size; i++)
        good = list_put(list, PyLong_FromSize_t(sizes[i]));
    if (!good)
        Py_CLEAR(list);
    return list;
}

static gradus_status reduce(collectives *c, const char *method, int64_t *numbers, size_t count)
{
    const PyGILState_STATE gil = PyGILState_Ensure();
    const gradus_status status =
        ask(c, method, Py_BuildValue("(N)", view_of(numbers, count * sizeof *numbers, true)));

    PyGILState_Release(gil);
    return status;
}

static gradus_status sum(void *state, int64_t *numbers, size_t count, gradus_error *err)
{
    (void)err;
    return reduce(state, "sum", numbers, count);
}

static gradus_status max(void *state, int64_t *numbers, size_t count, gradus_error *err)
{
    (void)err;
    return reduce(state, "max", numbers, count);
}

static size_t total_of(const collectives *c, const size_t *sizes)
{
    size_t total = 0;

    for (size_t i = 0; i < c->with.size; i++)
        total += sizes[i];
    return total;
}

static gradus_status sum_parts(void *state, int64_t *numbers, size_t arrays, const size_t *counts,
                               gradus_error *err)
{
    collectives *c = state;
    const PyGILState_STATE gil = PyGILState_Ensure();
    const gradus_status status =
        ask(c, "sum_parts",
            Py_BuildValue("(NnN)",
                          view_of(numbers, arrays * total_of(c, counts) * sizeof *numbers, true),
                          (Py_ssize_t)arrays, sizes_of(c, counts)));

    (void)err;
    PyGILState_Release(gil);
    return status;
}

static gradus_status gather(void *state, const void *own, const size_t *sizes, void *all,
                            gradus_error *err)
{
    collectives *c = state;
    const PyGILState_STATE gil = PyGILState_Ensure();
    const gradus_status status =
        ask(c, "gather",
            Py_BuildValue("(NNN)", view_of(own, sizes[c->with.rank], false), sizes_of(c, sizes),
                          view_of(all, total_of(c, sizes), true)));

    (void)err;
    PyGILState_Release(gil);
    return status;
}

static gradus_status broadcast(void *state, void *bytes, size_t size, size_t from,
                               gradus_error *err)
{
    const PyGILState_STATE gil = PyGILState_Ensure();
    const gradus_status status = ask(
        state, "broadcast", Py_BuildValue("(Nn)", view_of(bytes, size, true), (Py_ssize_t)from));

    (void)err;
    PyGILState_Release(gil);
    return status;
}

static bool number_of(PyObject *object, const char *name, size_t *number)
{
    PyObject *value = PyObject_GetAttrString(object, name);
    uint64_t count = 0;
    const bool good = value && count_get(value, name, &count);

    *number = (size_t)count;
    Py_XDECREF(value);
    return good;
}

bool collectives_take(collectives *c, PyObject *object, call *of)
{
    c->object = object && object != Py_None ? Py_NewRef(object) : NULL;
    if (!c->object)
        return true;
    c->call = of;
    c->with = (gradus_collectives){ .state = c,
                                    .sum = sum,
                                    .max = max,
                                    .sum_parts = sum_parts,
                                    .gather = gather,
                                    .broadcast = broadcast };
    if (!number_of(object, "rank", &c->with.rank) || !number_of(object, "size", &c->with.size))
        return false;
    if (c->with.rank < c->with.size)
        return true;
    PyErr_SetString(PyExc_ValueError, "collectives: rank must be below size");
    return false;
}
