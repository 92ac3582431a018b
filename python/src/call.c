/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of the library: contexts, callbacks and errors. Global variables are protected by the GIL. */
#include "core.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

struct note {
    struct note *next;
    char text[];
};

/* ---- idle contexts, for reuse by later calls with the same number of threads ---- */
enum { MAX_IDLE = 4 };

static struct {
    gradus_context *context;
    size_t threads;
} idle[MAX_IDLE];
static size_t idle_count;

static gradus_context *take_idle(size_t threads)
{
    for (size_t i = idle_count; i-- > 0;) {
        gradus_context *const context = idle[i].context;

        if (idle[i].threads != threads)
            continue;
        idle_count--;
        memmove(&idle[i], &idle[i + 1], (idle_count - i) * sizeof idle[0]);
        return context;
    }
    return NULL;
}

/* Keeps a context, instead of the one that has been idle for the longest time. */
static void give_idle(gradus_context *context, size_t threads)
{
    gradus_context *old = NULL;

    if (idle_count == MAX_IDLE) {
        old = idle[0].context;
        idle_count--;
        memmove(&idle[0], &idle[1], idle_count * sizeof idle[0]);
    }
    idle[idle_count].context = context;
    idle[idle_count++].threads = threads;
    gradus_context_free(old);
}

/* ---- callbacks ---- */

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void on_note(void *user, const char *text)
{
    call *c = user;
    const size_t size = strlen(text) + 1;
    struct note *added = c->notes ? malloc(sizeof *added + size) : NULL;

    if (!added)
        return;
    added->next = NULL;
    memcpy(added->text, text, size);
    *c->last = added;
    c->last = &added->next;
}

static void call_user(call *c, const char *what, double done)
{
    PyObject *result = PyObject_CallFunction(c->progress, "sd", what, done);

    if (!result)
        call_keep_exception(c);
    Py_XDECREF(result);
}

static bool on_progress(void *user, const char *what, double done)
{
    static const double pause = 0.05;
    call *c = user;
    const double time = now();
    const bool check = PyThread_get_thread_ident() == c->thread && time - c->checked >= pause;
    const bool ask = c->progress && (time - c->asked >= pause || done >= 1.0);

    if (c->raised)
        return false;
    if (!check && !ask)
        return true;
    const PyGILState_STATE state = PyGILState_Ensure();
    if (check) {
        c->checked = time;
        if (PyErr_CheckSignals())
            call_keep_exception(c);
    }
    if (ask && !c->raised) {
        c->asked = time;
        call_user(c, what, done);
    }
    PyGILState_Release(state);
    return !c->raised;
}

void call_keep_exception(call *c)
{
    PyObject *type, *value, *trace;

    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    if (trace && value)
        PyException_SetTraceback(value, trace);
    Py_XDECREF(type);
    Py_XDECREF(trace);
    if (c->raised)
        Py_XDECREF(value);
    else
        c->raised = value;
}

/* ---- a call ---- */

static void bind(call *c)
{
    c->first = NULL;
    c->last = &c->first;
    c->raised = NULL;
    c->thread = PyThread_get_thread_ident();
    c->asked = c->checked = now();
    c->err.status = GRADUS_OK;
    c->err.message[0] = '\0';
    gradus_context_on_note(c->context, on_note, c);
    gradus_context_on_progress(c->context, on_progress, c);
}

bool call_begin(call *c, size_t threads, uint64_t max_memory, PyObject *progress, PyObject *notes)
{
    gradus_error err = { .status = GRADUS_NO_MEMORY };

    c->progress = progress == Py_None ? NULL : progress;
    c->notes = notes == Py_None ? NULL : notes;
    if (c->progress && !PyCallable_Check(c->progress)) {
        PyErr_SetString(PyExc_TypeError, "progress must be callable or None");
        return false;
    }
    if (c->notes && !PyList_Check(c->notes)) {
        PyErr_SetString(PyExc_TypeError, "notes must be a list or None");
        return false;
    }
    c->threads = threads;
    c->context = take_idle(threads);
    if (!c->context) {
        Py_BEGIN_ALLOW_THREADS c->context = gradus_context_new(threads, &err);
        Py_END_ALLOW_THREADS
    }
    if (!c->context) {
        raise_error(&err);
        return false;
    }
    gradus_context_set_max_memory(c->context, max_memory);
    bind(c);
    return true;
}

bool call_start(call *c, PyObject *threads, PyObject *max_memory, PyObject *progress,
                PyObject *notes)
{
    uint64_t count = 0, bytes = 0;

    return (!threads || count_get(threads, "threads", &count)) &&
           (!max_memory || count_get(max_memory, "max_memory", &bytes)) &&
           call_begin(c, (size_t)count, bytes, progress, notes);
}

void call_resume(call *c)
{
    bind(c);
}

/* Appends the notes of the library to the list of the caller. */
static bool append_notes(call *c)
{
    bool good = true;

    for (struct note *n = c->first, *next; n; n = next) {
        next = n->next;
        if (good && c->notes)
            good = list_put(c->notes,
                            PyUnicode_DecodeUTF8(n->text, (Py_ssize_t)strlen(n->text), "replace"));
        free(n);
    }
    c->first = NULL;
    c->last = &c->first;
    return good;
}

bool call_pause(call *c, gradus_status status)
{
    PyObject *const raised = c->raised;

    c->raised = NULL;
    gradus_context_on_note(c->context, NULL, NULL);
    gradus_context_on_progress(c->context, NULL, NULL);
    const bool noted = append_notes(c);
    if (raised) {
        PyErr_Clear(); /* an error of append_notes */
        PyErr_SetObject((PyObject *)Py_TYPE(raised), raised);
        Py_DECREF(raised);
        return false;
    }
    if (status != GRADUS_OK) {
        PyErr_Clear();
        raise_error(&c->err);
        return false;
    }
    return noted;
}

bool call_end(call *c, gradus_status status)
{
    const bool good = call_pause(c, status);

    gradus_context_set_device(c->context, NULL);
    give_idle(c->context, c->threads);
    c->context = NULL;
    return good;
}

/* ---- errors ---- */

gradus_status status_of(const void *result, const gradus_error *err)
{
    if (result)
        return GRADUS_OK;
    return err->status != GRADUS_OK ? err->status : GRADUS_BAD_ARGUMENT;
}

PyObject *raise_error(const gradus_error *err)
{
    const gradus_status status = err->status <= GRADUS_CANCELLED ? err->status : GRADUS_OK;
    const char *text = err->message[0] ? err->message : "invalid arguments";
    PyObject *message = PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");

    if (message)
        PyErr_SetObject(error_classes[status], message);
    Py_XDECREF(message);
    return NULL;
}
