/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of the module over libgradus-experiments: tuning, reproduction and reports. */
#include "experiment_functions.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- tuning ---- */

static bool put_trial(PyObject *dict, const gradus_trial *t)
{
    return dict_put(dict, "method", text_of(t->method)) &&
           dict_put(dict, "settings", text_of(t->settings)) &&
           dict_put(dict, "valid", PyFloat_FromDouble(t->valid)) &&
           dict_put(dict, "error", PyFloat_FromDouble(t->error)) &&
           dict_put(dict, "rounds", PyFloat_FromDouble(t->rounds)) &&
           dict_put(dict, "part", PyLong_FromSize_t(t->part)) &&
           dict_put(dict, "seconds", PyFloat_FromDouble(t->seconds)) &&
           dict_put(dict, "failed", text_of(t->failed));
}

/* The total time of the trials replaces the time of the best. */
static bool put_place(PyObject *dict, const gradus_place *p)
{
    return put_trial(dict, &p->best) && dict_put(dict, "trials", PyLong_FromSize_t(p->trials)) &&
           dict_put(dict, "best_seconds", PyFloat_FromDouble(p->best.seconds)) &&
           dict_put(dict, "seconds", PyFloat_FromDouble(p->seconds)) &&
           dict_put(dict, "bytes", PyFloat_FromDouble(p->bytes)) &&
           dict_put(dict, "queries", PyLong_FromSize_t(p->queries)) &&
           dict_put(dict, "test", PyFloat_FromDouble(p->test)) &&
           dict_put(dict, "test_low", PyFloat_FromDouble(p->test_low)) &&
           dict_put(dict, "test_high", PyFloat_FromDouble(p->test_high)) &&
           dict_put(dict, "p", PyFloat_FromDouble(p->p)) &&
           dict_put(dict, "p_adjusted", PyFloat_FromDouble(p->p_adjusted)) &&
           dict_put(dict, "prob_best", PyFloat_FromDouble(p->prob_best)) &&
           dict_put(dict, "contender", PyBool_FromLong(p->contender));
}

static bool put_state(PyObject *dict, const gradus_tuning_state *s)
{
    return dict_put(dict, "metric", text_of(s->metric)) &&
           dict_put(dict, "lower_is_better", PyBool_FromLong(s->lower_is_better)) &&
           dict_put(dict, "done", PyLong_FromSize_t(s->done)) &&
           dict_put(dict, "planned", PyLong_FromSize_t(s->planned)) &&
           dict_put(dict, "used", PyFloat_FromDouble(s->used)) &&
           dict_put(dict, "most", PyFloat_FromDouble(s->most)) &&
           dict_put(dict, "method", text_of(s->method)) &&
           dict_put(dict, "settings", text_of(s->settings)) &&
           dict_put(dict, "fold", PyLong_FromSize_t(s->fold)) &&
           dict_put(dict, "folds", PyLong_FromSize_t(s->folds)) &&
           dict_put(dict, "part", PyLong_FromSize_t(s->part)) &&
           dict_put(dict, "valid", PyFloat_FromDouble(s->valid)) &&
           dict_put(dict, "best_method", text_of(s->best_method)) &&
           dict_put(dict, "best_settings", text_of(s->best_settings)) &&
           dict_put(dict, "best", PyFloat_FromDouble(s->best));
}

static PyObject *facts_dict(const gradus_tuning *tuning)
{
    PyObject *dict = PyDict_New();
    gradus_tuning_facts f;

    gradus_tuning_describe(tuning, &f);
    if (dict && dict_put(dict, "metric", text_of(f.metric)) &&
        dict_put(dict, "convention", text_of(f.convention)) &&
        dict_put(dict, "lower_is_better", PyBool_FromLong(f.lower_is_better)) &&
        dict_put(dict, "folds", PyLong_FromSize_t(f.folds)) &&
        dict_put(dict, "refit_queries", PyLong_FromSize_t(f.refit_queries)) &&
        dict_put(dict, "out_of_time", PyBool_FromLong(f.out_of_time)) &&
        dict_put(dict, "log_scale", text_of(f.log_scale)) &&
        dict_put(dict, "best_on", text_of(f.best_on)) &&
        dict_put(dict, "best_queries", PyLong_FromSize_t(f.best_queries)))
        return dict;
    Py_XDECREF(dict);
    return NULL;
}

static PyObject *trial_list(const gradus_tuning *tuning)
{
    PyObject *list = PyList_New(0);
    gradus_trial trial;

    for (size_t i = 0; list && gradus_tuning_trial_at(tuning, i, &trial); i++) {
        PyObject *dict = PyDict_New();
        const bool good = dict && put_trial(dict, &trial);

        if (!good)
            Py_CLEAR(dict);
        if (!list_put(list, dict))
            Py_CLEAR(list);
    }
    return list;
}

static PyObject *place_list(const gradus_tuning *tuning)
{
    PyObject *list = PyList_New(0);
    gradus_place place;

    for (size_t i = 0; list && gradus_tuning_place_at(tuning, i, &place); i++) {
        PyObject *dict = PyDict_New();
        const bool good = dict && put_place(dict, &place);

        if (!good)
            Py_CLEAR(dict);
        if (!list_put(list, dict))
            Py_CLEAR(list);
    }
    return list;
}

PyObject *model_copy(const gradus_model *model)
{
    gradus_model *copy = NULL;
    void *bytes = NULL;
    size_t size;
    gradus_error err;

    if (!model)
        return Py_NewRef(Py_None);
    Py_BEGIN_ALLOW_THREADS if (gradus_model_to_bytes(model, &bytes, &size, &err) == GRADUS_OK)
        copy = gradus_model_from_bytes(bytes, size, &err);
    free(bytes);
    Py_END_ALLOW_THREADS return copy ? model_wrap(copy, NULL) : raise_error(&err);
}

static PyObject *tuning_dict(const gradus_tuning *tuning)
{
    PyObject *dict = PyDict_New();

    if (dict && dict_put(dict, "places", place_list(tuning)) &&
        dict_put(dict, "trials", trial_list(tuning)) &&
        dict_put(dict, "facts", facts_dict(tuning)) &&
        dict_put(dict, "model", model_copy(gradus_tuning_model(tuning))))
        return dict;
    Py_XDECREF(dict);
    return NULL;
}

/* An exception cancels the tuning when it next reports progress. */
static void on_trained(void *user, const gradus_tuning_state *state)
{
    const trial_watch *w = user;
    const PyGILState_STATE gil = PyGILState_Ensure();
    PyObject *dict = w->call->raised ? NULL : PyDict_New();
    PyObject *result = dict && put_state(dict, state)
                           ? PyObject_CallFunctionObjArgs(w->function, dict, NULL)
                           : NULL;

    if (!result && PyErr_Occurred())
        call_keep_exception(w->call);
    Py_XDECREF(result);
    Py_XDECREF(dict);
    PyGILState_Release(gil);
}

static bool watch_start(search_call *s, PyObject *watch)
{
    if (!watch || watch == Py_None)
        return true;
    if (!PyCallable_Check(watch))
        return raise_type(watch, "watch", "callable or None") != NULL;
    s->watch = (trial_watch){ .call = &s->call, .function = watch };
    s->input.watch = on_trained;
    s->input.user = &s->watch;
    return true;
}

/* A dataset that may be left out; false with an exception if it is something else. */
static bool optional_dataset(PyObject *object, const char *name, const gradus_dataset **set)
{
    *set = object ? dataset_get(object, name, true) : NULL;
    return *set || !PyErr_Occurred();
}

bool search_start(search_call *s, PyObject *args, PyObject *named, const char *operation)
{
    static char *keywords[] = { "train",   "valid",      "test",  "options",  "watch",
                                "threads", "max_memory", "notes", "progress", NULL };
    PyObject *train = NULL, *valid = NULL, *test = NULL, *given = NULL, *watch = NULL,
             *threads = NULL, *memory = NULL, *notes = NULL, *progress = NULL;
    char format[40];

    *s = (search_call){ .options = NULL };
    snprintf(format, sizeof format, "O|OOO$OOOOO:%s", operation);
    if (!PyArg_ParseTupleAndKeywords(args, named, format, keywords, &train, &valid, &test, &given,
                                     &watch, &threads, &memory, &notes, &progress) ||
        !optional_dataset(train, "train", &s->input.train) ||
        !optional_dataset(valid, "valid", &s->input.valid) ||
        !optional_dataset(test, "test", &s->input.test) || !watch_start(s, watch))
        return false;
    s->options = options_from(given, operation);
    if (s->options && call_start(&s->call, threads, memory, progress, notes))
        return true;
    gradus_options_free(s->options);
    return false;
}

static PyObject *core_tune(PyObject *module, PyObject *args, PyObject *named)
{
    PyObject *dict = NULL;
    gradus_tuning *tuning;
    search_call s;

    (void)module;
    if (!search_start(&s, args, named, "tune"))
        return NULL;
    Py_BEGIN_ALLOW_THREADS tuning = gradus_tune(s.call.context, &s.input, s.options, &s.call.err);
    Py_END_ALLOW_THREADS if (call_end(&s.call, status_of(tuning, &s.call.err))) dict =
        tuning_dict(tuning);
    gradus_tuning_free(tuning);
    gradus_options_free(s.options);
    return dict;
}

/* ---- reproduction ---- */

static PyObject *core_reproduce(PyObject *module, PyObject *args, PyObject *named)
{
    static char *keywords[] = { "name", "options", "threads", "notes", "progress", NULL };
    PyObject *name = NULL, *given = NULL, *threads = NULL, *notes = NULL, *progress = NULL;
    gradus_reproduction *reproduction;
    gradus_options *options = NULL;
    PyObject *json = NULL;
    const char *word;
    call c;

    (void)module;
    if (!PyArg_ParseTupleAndKeywords(args, named, "O|O$OOO:reproduce", keywords, &name, &given,
                                     &threads, &notes, &progress) ||
        !(word = text_get(name, "name")))
        return NULL;
    if ((options = options_from(given, "reproduce")) &&
        call_start(&c, threads, NULL, progress, notes)) {
        Py_BEGIN_ALLOW_THREADS reproduction = gradus_reproduce(c.context, word, options, &c.err);
        Py_END_ALLOW_THREADS if (call_end(&c, status_of(reproduction, &c.err))) json =
            text_of(gradus_reproduction_json(reproduction));
        gradus_reproduction_free(reproduction);
    }
    gradus_options_free(options);
    return json;
}

/* ---- reports ---- */

/* What a report shows. texts keeps the bytes objects that the strings point into. */
typedef struct report_page {
    gradus_report_input input;
    gradus_report_system *systems;
    gradus_report_set *sets;
    const char **runs;
    gradus_options *evaluate, *compare, *read;
    PyObject *texts;   /* a list */
    PyObject *objects; /* a list: models and datasets */
} report_page;

static void page_free(report_page *p)
{
    free(p->systems);
    free(p->sets);
    free(p->runs);
    gradus_options_free(p->evaluate);
    gradus_options_free(p->compare);
    gradus_options_free(p->read);
    Py_XDECREF(p->texts);
    Py_XDECREF(p->objects);
}

/* A text or a file name; NULL with an exception on failure. */
static const char *page_text(report_page *p, PyObject *object)
{
    PyObject *bytes = path_bytes(object);
    const char *text = bytes ? PyBytes_AsString(bytes) : NULL;

    return list_put(p->texts, bytes) ? text : NULL;
}

static bool page_optional_text(report_page *p, PyObject *object, const char **text)
{
    *text = NULL;
    return !object || object == Py_None || (*text = page_text(p, object));
}

/* Item `index` of a sequence, kept until the end. */
static PyObject *page_item(report_page *p, PyObject *sequence, size_t index)
{
    PyObject *item = PySequence_GetItem(sequence, (Py_ssize_t)index);
    const bool kept = item && PyList_Append(p->objects, item) == 0;

    Py_XDECREF(item);
    return kept ? item : NULL;
}

/* Entry `index` of a list of tuples: its parts, borrowed. */
static bool page_parts(report_page *p, PyObject *list, const char *what, size_t index, size_t count,
                       PyObject *parts[3])
{
    PyObject *tuple = page_item(p, list, index);

    if (!tuple)
        return false;
    if (!PyTuple_Check(tuple) || PyTuple_Size(tuple) != (Py_ssize_t)count) {
        PyErr_Format(PyExc_TypeError, "%s[%zu] must be a tuple of %zu items", what, index, count);
        return false;
    }
    for (size_t i = 0; i < count; i++)
        parts[i] = PyTuple_GetItem(tuple, (Py_ssize_t)i);
    return true;
}

/* The length of a list, and an array for as many items. */
static void *page_array(PyObject *list, size_t size, size_t *count)
{
    const Py_ssize_t length = PySequence_Size(list);
    void *array = length < 0 ? NULL : calloc((size_t)length + 1, size);

    *count = length < 0 ? 0 : (size_t)length;
    if (length >= 0 && !array)
        PyErr_NoMemory();
    return array;
}

static bool page_take_systems(report_page *p, PyObject *list)
{
    PyObject *parts[3];

    p->systems = page_array(list, sizeof *p->systems, &p->input.system_count);
    if (!p->systems)
        return false;
    for (size_t i = 0; i < p->input.system_count; i++) {
        gradus_report_system *s = &p->systems[i];

        if (!page_parts(p, list, "systems", i, 3, parts) || !(s->name = page_text(p, parts[0])) ||
            (parts[1] != Py_None && !(s->model = model_get(parts[1], "a model of systems"))) ||
            !page_optional_text(p, parts[2], &s->command))
            return false;
    }
    p->input.systems = p->systems;
    return true;
}

static bool page_take_sets(report_page *p, PyObject *list)
{
    PyObject *parts[3];

    p->sets = page_array(list, sizeof *p->sets, &p->input.set_count);
    if (!p->sets)
        return false;
    for (size_t i = 0; i < p->input.set_count; i++)
        if (!page_parts(p, list, "sets", i, 2, parts) ||
            !(p->sets[i].name = page_text(p, parts[0])) ||
            !optional_dataset(parts[1], "a dataset of sets", &p->sets[i].data))
            return false;
    p->input.sets = p->sets;
    return true;
}

static bool page_take_runs(report_page *p, PyObject *list)
{
    PyObject *item;

    if (!list)
        return true;
    if (PyUnicode_Check(list))
        return raise_type(list, "runs", "a sequence of paths") != NULL;
    p->runs = page_array(list, sizeof *p->runs, &p->input.run_count);
    for (size_t i = 0; p->runs && i < p->input.run_count; i++)
        if (!(item = page_item(p, list, i)) || !(p->runs[i] = page_text(p, item)))
            return false;
    p->input.runs = p->runs;
    return p->runs;
}

static bool page_take_options(report_page *p, PyObject *evaluate, PyObject *compare, PyObject *read)
{
    p->input.evaluate = p->evaluate = options_from(evaluate, "evaluate");
    p->input.compare = p->compare = p->evaluate ? options_from(compare, "compare") : NULL;
    p->input.read = p->read = p->compare ? options_from(read, "read") : NULL;
    return p->read;
}

static bool page_write(const report_page *p, const char *path, PyObject *threads,
                       PyObject *progress, PyObject *notes)
{
    gradus_status status;
    call c;

    if (!call_start(&c, threads, NULL, progress, notes))
        return false;
    Py_BEGIN_ALLOW_THREADS status = gradus_report(c.context, &p->input, path, &c.err);
    Py_END_ALLOW_THREADS return call_end(&c, status);
}

static PyObject *core_report(PyObject *module, PyObject *args, PyObject *named)
{
    static char *keywords[] = { "path",    "systems",  "sets",     "runs", "title",
                                "command", "evaluate", "compare",  "read", "seed",
                                "threads", "notes",    "progress", NULL };
    PyObject *path = NULL, *systems = NULL, *sets = NULL, *runs = NULL, *title = NULL,
             *command = NULL, *evaluate = NULL, *compare = NULL, *read = NULL, *seed = NULL,
             *threads = NULL, *notes = NULL, *progress = NULL;
    report_page p = { .input = { .seed = 1 } };

    (void)module;
    if (!PyArg_ParseTupleAndKeywords(args, named, "O&OO|O$OOOOOOOOO:report", keywords,
                                     PyUnicode_FSConverter, &path, &systems, &sets, &runs, &title,
                                     &command, &evaluate, &compare, &read, &seed, &threads, &notes,
                                     &progress))
        return NULL;
    const bool good = (p.texts = PyList_New(0)) && (p.objects = PyList_New(0)) &&
                      (!seed || count_get(seed, "seed", &p.input.seed)) &&
                      page_optional_text(&p, title, &p.input.title) &&
                      page_optional_text(&p, command, &p.input.command) &&
                      page_take_systems(&p, systems) && page_take_sets(&p, sets) &&
                      page_take_runs(&p, runs) && page_take_options(&p, evaluate, compare, read) &&
                      page_write(&p, PyBytes_AsString(path), threads, progress, notes);
    page_free(&p);
    Py_DECREF(path);
    return good ? Py_NewRef(Py_None) : NULL;
}

static PyObject *core_report_available(PyObject *module, PyObject *unused)
{
    (void)module;
    (void)unused;
    return PyBool_FromLong(gradus_report_available());
}

PyMethodDef experiments_methods[] = {
    { "tune", NAMED(core_tune), METH_VARARGS | METH_KEYWORDS,
      "Searches for the best method and settings." },
    { "reproduce", NAMED(core_reproduce), METH_VARARGS | METH_KEYWORDS,
      "Runs an experiment of a paper and returns JSON." },
    { "report", NAMED(core_report), METH_VARARGS | METH_KEYWORDS, "Writes a report page." },
    { "report_available", core_report_available, METH_NOARGS, "Whether reports can be written." },
    { NULL, NULL, 0, NULL },
};
