/* SPDX-License-Identifier: Apache-2.0 */
/* The type Training. It keeps a context and everything that the library's training uses until it is
 * freed. Objectives and metrics in Python receive copies of the scores, so that they may keep them. */
#include "core.h"

#include <stdlib.h>
#include <string.h>

typedef struct training_object {
    PyObject_HEAD gradus_training *training;
    call call; /* its context is kept between the steps; NULL: none */
    PyObject *train, *valid, *start, *others; /* others: a tuple */
    PyObject *objective, *metric;             /* NULL: none */
    PyObject *progress, *notes;
    collectives shared; /* other processes; object NULL: none */
    const gradus_dataset **other_sets;
    Py_buffer initial, initial_valid;
    bool busy;   /* a method is running: in another thread, or it called a callback */
    bool broken; /* a step failed or was cancelled */
} training_object;

static training_object *training_of(PyObject *self)
{
    return (training_object *)(void *)self;
}

/* ---- callbacks ---- */

/* A new view of a bytearray of `count` items, copied from items; NULL: all bytes are 0xff, which are
 * NANs. The bytearray, which the view keeps alive, is *owner. */
static PyObject *array_new(const void *items, size_t count, char format, PyObject **owner)
{
    const size_t size = count * (format == 'd' ? sizeof(double) : sizeof(float));
    const char name[2] = { format, '\0' };
    PyObject *bytes = PyByteArray_FromStringAndSize(items, (Py_ssize_t)size);
    PyObject *whole = bytes ? PyMemoryView_FromObject(bytes) : NULL;
    PyObject *view = whole ? PyObject_CallMethod(whole, "cast", "s", name) : NULL;

    if (bytes && !items)
        memset(PyByteArray_AsString(bytes), 0xff, size);
    if (view && owner)
        *owner = Py_NewRef(bytes);
    Py_XDECREF(whole);
    Py_XDECREF(bytes);
    return view;
}

/* Copies what the objective has filled in. Its size changes only if the function resizes it. */
static bool take_filled(PyObject *bytes, float *items, size_t count)
{
    const size_t size = count * sizeof *items;

    if (PyByteArray_Size(bytes) != (Py_ssize_t)size) {
        PyErr_SetString(PyExc_ValueError, "the objective resized the array of gradients");
        return false;
    }
    memcpy(items, PyByteArray_AsString(bytes), size);
    return true;
}

/* Copies one of the two arrays that the objective has returned. */
static bool take_returned(PyObject *pair, Py_ssize_t index, const char *name, float *items,
                          size_t count)
{
    PyObject *array = PySequence_GetItem(pair, index);
    Py_buffer view;

    if (!array)
        return false;
    const bool good = buffer_get(array, name, 'f', count, false, &view);
    if (good && view.buf)
        memcpy(items, view.buf, count * sizeof *items);
    if (good && !view.buf)
        PyErr_Format(PyExc_TypeError, "%s returned by the objective must not be None", name);
    const bool copied = good && view.buf;
    if (good)
        PyBuffer_Release(&view);
    Py_DECREF(array);
    return copied;
}

static bool take_result(PyObject *result, PyObject *const filled[2], float *gradients,
                        float *hessians, size_t rows)
{
    if (result == Py_None)
        return take_filled(filled[0], gradients, rows) && take_filled(filled[1], hessians, rows);
    if (!PyTuple_Check(result) || PyTuple_Size(result) != 2) {
        PyErr_SetString(PyExc_TypeError,
                        "the objective must fill its arrays and return None, or return a tuple of "
                        "gradients and hessians");
        return false;
    }
    return take_returned(result, 0, "gradients", gradients, rows) &&
           take_returned(result, 1, "hessians", hessians, rows);
}

static bool call_objective(training_object *t, size_t rows, const double *scores, float *gradients,
                           float *hessians)
{
    PyObject *filled[2] = { NULL, NULL };
    PyObject *at = array_new(scores, rows, 'd', NULL);
    PyObject *first = at ? array_new(NULL, rows, 'f', &filled[0]) : NULL;
    PyObject *second = first ? array_new(NULL, rows, 'f', &filled[1]) : NULL;
    PyObject *result =
        second ? PyObject_CallFunctionObjArgs(t->objective, at, first, second, NULL) : NULL;
    const bool good = result && take_result(result, filled, gradients, hessians, rows);

    Py_XDECREF(result);
    Py_XDECREF(second);
    Py_XDECREF(first);
    Py_XDECREF(at);
    Py_XDECREF(filled[0]);
    Py_XDECREF(filled[1]);
    return good;
}

static gradus_status on_objective(void *user, const gradus_dataset *data, const double *scores,
                                  float *gradients, float *hessians)
{
    training_object *t = user;
    const PyGILState_STATE gil = PyGILState_Ensure();
    const bool good =
        t->objective && call_objective(t, gradus_dataset_rows(data), scores, gradients, hessians);

    if (!good)
        call_keep_exception(&t->call);
    PyGILState_Release(gil);
    return good ? GRADUS_OK : GRADUS_CANCELLED;
}

/* A copy, for queries of the caller's data that were sampled to choose a transform. */
static PyObject *dataset_copy(const gradus_dataset *data)
{
    gradus_arrays arrays;
    gradus_dataset *copy = NULL;
    gradus_error err;

    if (gradus_dataset_arrays(NULL, data, &arrays, &err) == GRADUS_OK)
        copy = gradus_dataset_copy(NULL, &arrays, &err);
    return copy ? dataset_wrap(copy) : raise_error(&err);
}

/* The Dataset of one of the library's datasets; a new reference. */
static PyObject *dataset_of(const training_object *t, const gradus_dataset *data)
{
    if (data == dataset_get(t->train, "train", false))
        return Py_NewRef(t->train);
    if (t->valid && data == dataset_get(t->valid, "valid", false))
        return Py_NewRef(t->valid);
    for (Py_ssize_t i = 0; i < PyTuple_Size(t->others); i++)
        if (data == t->other_sets[i])
            return Py_NewRef(PyTuple_GetItem(t->others, i));
    return dataset_copy(data);
}

static bool call_metric(training_object *t, const gradus_dataset *data, const double *scores,
                        double *value)
{
    PyObject *set = dataset_of(t, data);
    PyObject *at = set ? array_new(scores, gradus_dataset_rows(data), 'd', NULL) : NULL;
    PyObject *result = at ? PyObject_CallFunctionObjArgs(t->metric, set, at, NULL) : NULL;

    if (result)
        *value = PyFloat_AsDouble(result);
    if (result && PyErr_Occurred() && PyErr_ExceptionMatches(PyExc_TypeError)) {
        PyErr_Clear();
        raise_type(result, "the value of the metric", "a number");
    }
    Py_XDECREF(result);
    Py_XDECREF(at);
    Py_XDECREF(set);
    return result && !PyErr_Occurred();
}

static gradus_status on_metric(void *user, const gradus_dataset *data, const double *scores,
                               double *value)
{
    training_object *t = user;
    const PyGILState_STATE gil = PyGILState_Ensure();
    const bool good = t->metric && call_metric(t, data, scores, value);

    if (!good)
        call_keep_exception(&t->call);
    PyGILState_Release(gil);
    return good ? GRADUS_OK : GRADUS_CANCELLED;
}

/* ---- creation ---- */

static bool take_others(training_object *t, PyObject *others, size_t *count)
{
    t->others = others ? PySequence_Tuple(others) : PyTuple_New(0);
    if (!t->others)
        return false;
    *count = (size_t)PyTuple_Size(t->others);
    t->other_sets = calloc(*count ? *count : 1, sizeof *t->other_sets);
    if (!t->other_sets) {
        PyErr_NoMemory();
        return false;
    }
    for (size_t i = 0; i < *count; i++) {
        t->other_sets[i] = dataset_get(PyTuple_GetItem(t->others, (Py_ssize_t)i), "others", false);
        if (!t->other_sets[i])
            return false;
    }
    return true;
}

/* Takes a reference to an optional object; None is NULL. */
static PyObject *keep(PyObject *object)
{
    return object && object != Py_None ? Py_NewRef(object) : NULL;
}

static bool keep_callable(PyObject *function, const char *name, PyObject **kept)
{
    *kept = keep(function);
    if (!*kept || PyCallable_Check(*kept))
        return true;
    return raise_type(function, name, "callable or None") != NULL;
}

/* Initial scores, one per row of a dataset. */
static bool take_scores(PyObject *scores, const char *name, const gradus_dataset *data,
                        Py_buffer *view)
{
    if (!scores || scores == Py_None)
        return true;
    if (!data) {
        PyErr_Format(PyExc_ValueError, "%s needs the dataset that it belongs to", name);
        return false;
    }
    return buffer_get(scores, name, 'd', gradus_dataset_rows(data), false, view);
}

typedef struct training_arguments {
    PyObject *train, *valid, *options, *start, *initial, *initial_valid, *others, *objective,
        *metric, *threads, *max_memory, *notes, *progress, *collectives;
    int resume;
    const gradus_device *device;
} training_arguments;

static bool parse(PyObject *args, PyObject *named, training_arguments *a)
{
    static char *keywords[] = { "train",     "valid",    "options",       "start",
                                "resume",    "initial",  "initial_valid", "others",
                                "objective", "metric",   "threads",       "max_memory",
                                "notes",     "progress", "device",        "collectives",
                                NULL };

    return PyArg_ParseTupleAndKeywords(args, named, "O|OO$OpOOOOOOOOOO&O:Training", keywords,
                                       &a->train, &a->valid, &a->options, &a->start, &a->resume,
                                       &a->initial, &a->initial_valid, &a->others, &a->objective,
                                       &a->metric, &a->threads, &a->max_memory, &a->notes,
                                       &a->progress, device_converter, &a->device, &a->collectives);
}

/* Fills the input of the library from the arguments, which the object keeps. */
static bool take_input(training_object *t, const training_arguments *a,
                       gradus_training_input *input)
{
    input->train = dataset_get(a->train, "train", false);
    if (!input->train)
        return false;
    t->train = Py_NewRef(a->train);
    t->valid = keep(a->valid);
    if (t->valid && !(input->valid = dataset_get(t->valid, "valid", false)))
        return false;
    t->start = keep(a->start);
    if (t->start && !(input->start = model_get(t->start, "start")))
        return false;
    if (!keep_callable(a->objective, "objective", &t->objective) ||
        !keep_callable(a->metric, "metric", &t->metric) ||
        !take_others(t, a->others, &input->other_count) ||
        !take_scores(a->initial, "initial", input->train, &t->initial) ||
        !take_scores(a->initial_valid, "initial_valid", input->valid, &t->initial_valid))
        return false;
    input->resume = a->resume;
    input->initial = t->initial.buf;
    input->initial_valid = t->initial_valid.buf;
    input->others = t->other_sets;
    input->objective = t->objective ? on_objective : NULL;
    input->metric = t->metric ? on_metric : NULL;
    input->user = t;
    return true;
}

static bool start(training_object *t, const training_arguments *a)
{
    gradus_training_input input = { .train = NULL };
    gradus_options *options = take_input(t, a, &input) ? options_from(a->options, "train") : NULL;

    t->progress = keep(a->progress);
    t->notes = keep(a->notes);
    if (!options || !collectives_take(&t->shared, a->collectives, &t->call) ||
        !call_start(&t->call, a->threads, a->max_memory, t->progress, t->notes)) {
        gradus_options_free(options);
        return false;
    }
    if (t->shared.object)
        gradus_context_set_collectives(t->call.context, &t->shared.with);
    t->busy = true;
    gradus_context_set_device(t->call.context, a->device);
    Py_BEGIN_ALLOW_THREADS t->training =
        gradus_training_new(t->call.context, &input, options, &t->call.err);
    gradus_options_free(options);
    Py_END_ALLOW_THREADS const bool good =
        call_pause(&t->call, status_of(t->training, &t->call.err));
    t->busy = false;
    return good;
}

static PyObject *training_new(PyTypeObject *type, PyObject *args, PyObject *named)
{
    const allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    training_arguments a = { .train = NULL };
    PyObject *self = parse(args, named, &a) ? allocate(type, 0) : NULL;

    if (self && !start(training_of(self), &a)) {
        Py_DECREF(self);
        return NULL;
    }
    return self;
}

/* ---- release ---- */

static int training_traverse(PyObject *self, visitproc visit, void *arg)
{
    const training_object *t = training_of(self);

    Py_VISIT(Py_TYPE(self));
    Py_VISIT(t->train);
    Py_VISIT(t->valid);
    Py_VISIT(t->start);
    Py_VISIT(t->others);
    Py_VISIT(t->objective);
    Py_VISIT(t->metric);
    Py_VISIT(t->progress);
    Py_VISIT(t->notes);
    Py_VISIT(t->shared.object);
    return 0;
}

/* The datasets stay: the library uses them until the training is freed. */
static int training_clear(PyObject *self)
{
    training_object *t = training_of(self);

    t->call.progress = t->call.notes = NULL;
    Py_CLEAR(t->objective);
    Py_CLEAR(t->metric);
    Py_CLEAR(t->progress);
    Py_CLEAR(t->notes);
    return 0;
}

static void training_dealloc(PyObject *self)
{
    training_object *t = training_of(self);
    PyTypeObject *type = Py_TYPE(self);
    const freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    PyObject *kind, *value, *trace;

    PyObject_GC_UnTrack(self);
    PyErr_Fetch(&kind, &value, &trace);
    training_clear(self);
    gradus_training_free(t->training);
    if (t->call.context)
        gradus_context_set_collectives(t->call.context, NULL);
    Py_CLEAR(t->shared.object);
    if (t->call.context)
        (void)call_end(&t->call, GRADUS_OK);
    PyBuffer_Release(&t->initial);
    PyBuffer_Release(&t->initial_valid);
    free(t->other_sets);
    Py_CLEAR(t->train);
    Py_CLEAR(t->valid);
    Py_CLEAR(t->start);
    Py_CLEAR(t->others);
    PyErr_Restore(kind, value, trace);
    release(self);
    Py_DECREF(type);
}

/* ---- methods ---- */

/* Starts a method: one at a time. */
static bool begin(training_object *t)
{
    if (t->busy || !t->training) {
        PyErr_SetString(PyExc_RuntimeError,
                        "this Training is in use by another thread, or by the caller of this "
                        "function");
        return false;
    }
    t->busy = true;
    call_resume(&t->call);
    return true;
}

static bool end(training_object *t, gradus_status status)
{
    const bool good = call_pause(&t->call, status);

    t->busy = false;
    return good;
}

static PyObject *training_step(PyObject *self, PyObject *unused)
{
    training_object *t = training_of(self);
    gradus_status status;
    bool done = false;

    (void)unused;
    if (t->broken && !t->busy) {
        PyErr_SetString(PyExc_RuntimeError,
                        "a step of this Training failed or was cancelled; to continue, create one "
                        "with start=checkpoint() and resume=True");
        return NULL;
    }
    if (!begin(t))
        return NULL;
    Py_BEGIN_ALLOW_THREADS status = gradus_training_step(t->training, &done, &t->call.err);
    Py_END_ALLOW_THREADS t->broken = !end(t, status);
    return t->broken ? NULL : PyBool_FromLong(done);
}

static PyObject *make_model(training_object *t, bool finish)
{
    gradus_model *model;

    if (!begin(t))
        return NULL;
    Py_BEGIN_ALLOW_THREADS model = finish ? gradus_training_finish(t->training, &t->call.err)
                                          : gradus_training_checkpoint(t->training, &t->call.err);
    Py_END_ALLOW_THREADS if (end(t, status_of(model, &t->call.err))) return model_wrap(model, NULL);
    gradus_model_free(model);
    return NULL;
}

static PyObject *training_checkpoint(PyObject *self, PyObject *unused)
{
    (void)unused;
    return make_model(training_of(self), false);
}

static PyObject *training_finish(PyObject *self, PyObject *unused)
{
    (void)unused;
    return make_model(training_of(self), true);
}

static PyObject *others_list(const training_object *t)
{
    const size_t count = (size_t)PyTuple_Size(t->others);
    PyObject *list = PyList_New(0);

    for (size_t i = 0; list && i < count; i++)
        if (!list_put(list, PyFloat_FromDouble(gradus_training_other(t->training, i))))
            Py_CLEAR(list);
    return list;
}

static bool put_state(PyObject *dict, const training_object *t, const gradus_training_state *s)
{
    return dict_put(dict, "round", PyLong_FromSize_t(s->round)) &&
           dict_put(dict, "rounds", PyLong_FromSize_t(s->rounds)) &&
           dict_put(dict, "metric", text_of(s->metric)) &&
           dict_put(dict, "lower_is_better", PyBool_FromLong(s->lower_is_better)) &&
           dict_put(dict, "train", PyFloat_FromDouble(s->train)) &&
           dict_put(dict, "valid", PyFloat_FromDouble(s->valid)) &&
           dict_put(dict, "others", others_list(t)) &&
           dict_put(dict, "best_round", PyLong_FromSize_t(s->best_round)) &&
           dict_put(dict, "best_valid", PyFloat_FromDouble(s->best_valid)) &&
           dict_put(dict, "stopped", text_of(s->stopped)) &&
           dict_put(dict, "by_rounds", PyBool_FromLong(s->by_rounds)) &&
           dict_put(dict, "steps", PyLong_FromSize_t(s->steps)) &&
           dict_put(dict, "kept", PyLong_FromSize_t(s->kept)) &&
           dict_put(dict, "exhausted", PyBool_FromLong(s->exhausted)) &&
           dict_put(dict, "bin_seconds", PyFloat_FromDouble(s->bin_seconds)) &&
           dict_put(dict, "train_seconds", PyFloat_FromDouble(s->train_seconds)) &&
           dict_put(dict, "evaluate_seconds", PyFloat_FromDouble(s->evaluate_seconds));
}

static PyObject *training_state(PyObject *self, PyObject *unused)
{
    training_object *t = training_of(self);
    gradus_training_state state;
    PyObject *dict;

    (void)unused;
    if (!begin(t))
        return NULL;
    gradus_training_get_state(t->training, &state);
    dict = PyDict_New();
    if (dict && !put_state(dict, t, &state))
        Py_CLEAR(dict);
    if (!end(t, GRADUS_OK))
        Py_CLEAR(dict);
    return dict;
}

/* ---- the type ---- */

static PyMethodDef training_methods[] = {
    { "step", training_step, METH_NOARGS, "Trains one round; True: finished." },
    { "state", training_state, METH_NOARGS, "The state after the last round, as a dict." },
    { "checkpoint", training_checkpoint, METH_NOARGS,
      "A model from which training can be resumed." },
    { "finish", training_finish, METH_NOARGS, "The trained model." },
    { NULL, NULL, 0, NULL },
};

static PyType_Slot training_slots[] = {
    { Py_tp_doc, "Training round by round." },
    { Py_tp_new, training_new },
    { Py_tp_dealloc, training_dealloc },
    { Py_tp_traverse, training_traverse },
    { Py_tp_clear, training_clear },
    { Py_tp_methods, training_methods },
    { 0, NULL },
};

PyType_Spec training_spec = {
    .name = "gradus._core.Training",
    .basicsize = sizeof(training_object),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .slots = training_slots,
};
