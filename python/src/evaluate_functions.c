/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of the module for scores, metrics and statistics. */
#include "core.h"

#include <stdlib.h>

/* ---- evaluation ---- */

/* None if no query has a name. */
static PyObject *query_names(const gradus_evaluation *evaluation)
{
    const size_t queries = gradus_evaluation_queries(evaluation);
    PyObject *list;
    bool named = false;

    for (size_t q = 0; q < queries && !named; q++)
        named = *gradus_evaluation_query_name(evaluation, q);
    if (!named)
        return Py_NewRef(Py_None);
    list = PyList_New(0);
    for (size_t q = 0; list && q < queries; q++)
        if (!list_put(list, text_of(gradus_evaluation_query_name(evaluation, q))))
            Py_CLEAR(list);
    return list;
}

static PyObject *result_dict(const gradus_result *r, size_t queries)
{
    PyObject *dict = PyDict_New();

    if (dict && dict_put(dict, "metric", text_of(r->metric)) &&
        dict_put(dict, "mean", PyFloat_FromDouble(r->mean)) &&
        dict_put(dict, "counted", PyLong_FromSize_t(r->counted)) &&
        dict_put(dict, "empty", PyLong_FromSize_t(r->empty)) &&
        dict_put(dict, "short_lists", PyLong_FromSize_t(r->short_lists)) &&
        dict_put(dict, "by_query", bytes_of(r->by_query, queries, sizeof *r->by_query)) &&
        dict_put(dict, "lower_is_better", PyBool_FromLong(r->lower_is_better)) &&
        dict_put(dict, "geometric", PyBool_FromLong(r->geometric)))
        return dict;
    Py_XDECREF(dict);
    return NULL;
}

static PyObject *result_list(const gradus_evaluation *evaluation)
{
    const size_t queries = gradus_evaluation_queries(evaluation);
    PyObject *list = PyList_New(0);
    gradus_result result;

    for (size_t i = 0; list && gradus_evaluation_at(evaluation, i, &result); i++)
        if (!list_put(list, result_dict(&result, queries)))
            Py_CLEAR(list);
    return list;
}

static PyObject *evaluation_dict(const gradus_evaluation *evaluation)
{
    PyObject *dict = PyDict_New();

    if (dict && dict_put(dict, "convention", text_of(gradus_evaluation_convention(evaluation))) &&
        dict_put(dict, "switches", text_of(gradus_evaluation_switches(evaluation))) &&
        dict_put(dict, "query_names", query_names(evaluation)) &&
        dict_put(dict, "results", result_list(evaluation)))
        return dict;
    Py_XDECREF(dict);
    return NULL;
}

/* Ends a call that has made an evaluation, and frees it. */
static PyObject *evaluation_end(call *c, gradus_evaluation *evaluation)
{
    const bool good = call_end(c, status_of(evaluation, &c->err));
    PyObject *dict = good ? evaluation_dict(evaluation) : NULL;

    gradus_evaluation_free(evaluation);
    return dict;
}

static PyObject *core_evaluate(PyObject *module, PyObject *args, PyObject *named)
{
    static char *keywords[] = { "data", "scores", "options", "threads", "notes", NULL };
    PyObject *data = NULL, *scores = NULL, *given = NULL, *threads = NULL, *notes = NULL;
    const gradus_dataset *set;
    gradus_options *options = NULL;
    gradus_evaluation *evaluation;
    PyObject *dict = NULL;
    Py_buffer view;
    call c;

    (void)module;
    if (!PyArg_ParseTupleAndKeywords(args, named, "OO|O$OO:evaluate", keywords, &data, &scores,
                                     &given, &threads, &notes) ||
        !(set = dataset_get(data, "data", false)) ||
        !buffer_need(scores, "scores", 'd', gradus_dataset_rows(set), false, &view))
        return NULL;
    if ((options = options_from(given, "evaluate")) && call_start(&c, threads, NULL, NULL, notes)) {
        Py_BEGIN_ALLOW_THREADS evaluation =
            gradus_evaluate(c.context, set, view.buf, options, &c.err);
        Py_END_ALLOW_THREADS dict = evaluation_end(&c, evaluation);
    }
    gradus_options_free(options);
    PyBuffer_Release(&view);
    return dict;
}

static PyObject *core_evaluate_run(PyObject *module, PyObject *args, PyObject *named)
{
    static char *keywords[] = { "qrels", "run", "options", "threads", "notes", NULL };
    PyObject *qrels = NULL, *run = NULL, *given = NULL, *threads = NULL, *notes = NULL;
    gradus_options *options = NULL;
    gradus_evaluation *evaluation;
    PyObject *dict = NULL;
    call c;

    (void)module;
    if (!PyArg_ParseTupleAndKeywords(args, named, "O&O&|O$OO:evaluate_run", keywords,
                                     PyUnicode_FSConverter, &qrels, PyUnicode_FSConverter, &run,
                                     &given, &threads, &notes))
        return NULL;
    if ((options = options_from(given, "evaluate")) && call_start(&c, threads, NULL, NULL, notes)) {
        Py_BEGIN_ALLOW_THREADS evaluation = gradus_evaluate_run(
            c.context, PyBytes_AsString(qrels), PyBytes_AsString(run), options, &c.err);
        Py_END_ALLOW_THREADS dict = evaluation_end(&c, evaluation);
    }
    gradus_options_free(options);
    Py_DECREF(qrels);
    Py_DECREF(run);
    return dict;
}

/* ---- scores ---- */

static PyObject *core_scores(PyObject *module, PyObject *args, PyObject *named)
{
    static char *keywords[] = { "data", "what", "out", "seed", "threads", "notes", NULL };
    PyObject *data = NULL, *what = NULL, *out = NULL, *seed = NULL, *threads = NULL, *notes = NULL;
    const gradus_dataset *set;
    uint64_t number = 1;
    gradus_status status;
    Py_buffer view = { .buf = NULL };
    bool good = false;
    call c;

    (void)module;
    if (!PyArg_ParseTupleAndKeywords(args, named, "OO&O|O$OO:scores", keywords, &data,
                                     PyUnicode_FSConverter, &what, &out, &seed, &threads, &notes))
        return NULL;
    if ((set = dataset_get(data, "data", false)) && (!seed || count_get(seed, "seed", &number)) &&
        buffer_need(out, "out", 'd', gradus_dataset_rows(set), true, &view) &&
        call_start(&c, threads, NULL, NULL, notes)) {
        Py_BEGIN_ALLOW_THREADS status =
            gradus_scores(c.context, set, PyBytes_AsString(what), number, view.buf, &c.err);
        Py_END_ALLOW_THREADS good = call_end(&c, status);
    }
    PyBuffer_Release(&view);
    Py_DECREF(what);
    return good ? Py_NewRef(Py_None) : NULL;
}

static PyObject *core_scores_write(PyObject *module, PyObject *args, PyObject *named)
{
    static char *keywords[] = { "data", "scores", "path", "run_name", NULL };
    PyObject *data = NULL, *scores = NULL, *path = NULL, *run = NULL;
    const char *run_name = NULL;
    const gradus_dataset *set;
    gradus_error err;
    gradus_status status = GRADUS_BAD_ARGUMENT;
    Py_buffer view = { .buf = NULL };

    (void)module;
    if (!PyArg_ParseTupleAndKeywords(args, named, "OOO&|O:scores_write", keywords, &data, &scores,
                                     PyUnicode_FSConverter, &path, &run))
        return NULL;
    if ((set = dataset_get(data, "data", false)) &&
        (!run || run == Py_None || (run_name = text_get(run, "run_name"))) &&
        buffer_need(scores, "scores", 'd', gradus_dataset_rows(set), false, &view)) {
        Py_BEGIN_ALLOW_THREADS status =
            gradus_scores_write(set, view.buf, PyBytes_AsString(path), run_name, &err);
        Py_END_ALLOW_THREADS if (status != GRADUS_OK) raise_error(&err);
    }
    PyBuffer_Release(&view);
    Py_DECREF(path);
    return status == GRADUS_OK ? Py_NewRef(Py_None) : NULL;
}

/* ---- metrics ---- */

/* The matrix is allocated for the largest number of grades: half a megabyte. */
static PyObject *confusion_of(const gradus_dataset *set, const double *predicted)
{
    const size_t most = GRADUS_MAX_GRADES;
    double *cells = malloc((most + most * most) * sizeof *cells);
    double *counts = cells ? cells + most : NULL;
    size_t grades = 0;
    gradus_status status;
    gradus_error err;
    PyObject *pair = NULL;

    if (!cells)
        return PyErr_NoMemory();
    Py_BEGIN_ALLOW_THREADS status = gradus_confusion(set, predicted, &grades, cells, counts, &err);
    Py_END_ALLOW_THREADS if (status == GRADUS_OK) pair =
        Py_BuildValue("NN", bytes_of(cells, grades, sizeof *cells),
                      bytes_of(counts, grades * grades, sizeof *counts));
    else raise_error(&err);
    free(cells);
    return pair;
}

static PyObject *core_confusion(PyObject *module, PyObject *args, PyObject *named)
{
    static char *keywords[] = { "data", "predicted", NULL };
    PyObject *data = NULL, *predicted = NULL, *pair;
    const gradus_dataset *set;
    Py_buffer view;

    (void)module;
    if (!PyArg_ParseTupleAndKeywords(args, named, "OO:confusion", keywords, &data, &predicted) ||
        !(set = dataset_get(data, "data", false)) ||
        !buffer_need(predicted, "predicted", 'd', gradus_dataset_rows(set), false, &view))
        return NULL;
    pair = confusion_of(set, view.buf);
    PyBuffer_Release(&view);
    return pair;
}

/* ---- statistics ---- */

static PyObject *contrast_dict(const gradus_contrast *c)
{
    PyObject *dict = PyDict_New();

    if (dict && dict_put(dict, "a", PyLong_FromSize_t(c->a)) &&
        dict_put(dict, "b", PyLong_FromSize_t(c->b)) &&
        dict_put(dict, "queries", PyLong_FromSize_t(c->queries)) &&
        dict_put(dict, "mean_a", PyFloat_FromDouble(c->mean_a)) &&
        dict_put(dict, "mean_b", PyFloat_FromDouble(c->mean_b)) &&
        dict_put(dict, "difference", PyFloat_FromDouble(c->difference)) &&
        dict_put(dict, "low", PyFloat_FromDouble(c->low)) &&
        dict_put(dict, "high", PyFloat_FromDouble(c->high)) &&
        dict_put(dict, "statistic", PyFloat_FromDouble(c->statistic)) &&
        dict_put(dict, "df", PyFloat_FromDouble(c->df)) &&
        dict_put(dict, "p", PyFloat_FromDouble(c->p)) &&
        dict_put(dict, "p_adjusted", PyFloat_FromDouble(c->p_adjusted)) &&
        dict_put(dict, "wins", PyLong_FromSize_t(c->wins)) &&
        dict_put(dict, "ties", PyLong_FromSize_t(c->ties)) &&
        dict_put(dict, "losses", PyLong_FromSize_t(c->losses)))
        return dict;
    Py_XDECREF(dict);
    return NULL;
}

static PyObject *contrast_list(const gradus_comparison *comparison)
{
    PyObject *list = PyList_New(0);
    gradus_contrast contrast;

    for (size_t i = 0; list && gradus_comparison_at(comparison, i, &contrast); i++)
        if (!list_put(list, contrast_dict(&contrast)))
            Py_CLEAR(list);
    return list;
}

/* The values of several systems: one buffer each, all of the same length. */
typedef struct compared_systems {
    size_t count, queries;
    Py_buffer *views;
    const double **values;
} compared_systems;

static void systems_free(compared_systems *s)
{
    for (size_t i = 0; s->views && i < s->count; i++)
        PyBuffer_Release(&s->views[i]);
    free(s->views);
    free(s->values);
}

static bool system_take(compared_systems *s, PyObject *tuple, size_t index)
{
    PyObject *array = PyTuple_GetItem(tuple, (Py_ssize_t)index);
    char name[40];

    PyOS_snprintf(name, sizeof name, "values[%zu]", index);
    if (!buffer_need(array, name, 'd', index ? s->queries : SIZE_MAX, false, &s->views[index]))
        return false;
    if (index == 0)
        s->queries = (size_t)s->views[0].len / sizeof(double);
    s->values[index] = s->views[index].buf;
    return true;
}

static bool systems_get(compared_systems *s, PyObject *arrays)
{
    PyObject *tuple = PySequence_Tuple(arrays);
    bool good = tuple;

    if (!tuple)
        return false;
    s->count = (size_t)PyTuple_Size(tuple);
    s->views = calloc(s->count + 1, sizeof *s->views);
    s->values = calloc(s->count + 1, sizeof *s->values);
    if (!s->views || !s->values) {
        PyErr_NoMemory();
        good = false;
    }
    for (size_t i = 0; good && i < s->count; i++)
        good = system_take(s, tuple, i);
    Py_DECREF(tuple);
    return good;
}

static PyObject *core_compare(PyObject *module, PyObject *args, PyObject *named)
{
    static char *keywords[] = { "values", "options", "threads", NULL };
    PyObject *values = NULL, *given = NULL, *threads = NULL, *list = NULL;
    gradus_options *options = NULL;
    gradus_comparison *comparison;
    compared_systems all = { .count = 0 };
    call c;

    (void)module;
    if (!PyArg_ParseTupleAndKeywords(args, named, "O|O$O:compare", keywords, &values, &given,
                                     &threads))
        return NULL;
    if (systems_get(&all, values) && (options = options_from(given, "compare")) &&
        call_start(&c, threads, NULL, NULL, NULL)) {
        Py_BEGIN_ALLOW_THREADS comparison =
            gradus_compare(c.context, all.count, all.queries, all.values, options, &c.err);
        Py_END_ALLOW_THREADS if (call_end(&c, status_of(comparison, &c.err))) list =
            contrast_list(comparison);
        gradus_comparison_free(comparison);
    }
    gradus_options_free(options);
    systems_free(&all);
    return list;
}

/* p-values from a buffer of any length. */
static bool p_values(PyObject *p, Py_buffer *view, size_t *count)
{
    if (!buffer_need(p, "p", 'd', SIZE_MAX, false, view))
        return false;
    *count = (size_t)view->len / sizeof(double);
    return true;
}

static PyObject *core_adjust_p(PyObject *module, PyObject *p)
{
    PyObject *adjusted = NULL;
    Py_buffer view;
    size_t count;
    gradus_error err;

    (void)module;
    if (!p_values(p, &view, &count))
        return NULL;
    adjusted = PyBytes_FromStringAndSize(NULL, view.len);
    if (adjusted && gradus_adjust_p(view.buf, count, (double *)(void *)PyBytes_AsString(adjusted),
                                    &err) != GRADUS_OK) {
        raise_error(&err);
        Py_CLEAR(adjusted);
    }
    PyBuffer_Release(&view);
    return adjusted;
}

static PyObject *core_combine_p(PyObject *module, PyObject *p)
{
    double statistic, combined;
    gradus_status status;
    gradus_error err;
    Py_buffer view;
    size_t count;

    (void)module;
    if (!p_values(p, &view, &count))
        return NULL;
    status = gradus_combine_p(view.buf, count, &statistic, &combined, &err);
    PyBuffer_Release(&view);
    return status == GRADUS_OK ? Py_BuildValue("dd", statistic, combined) : raise_error(&err);
}

/* ---- ensembles ---- */

typedef struct selecting {
    PyObject *data, *scores, *mapping, *notes;
    size_t threads;
} selecting;

/* scores: members x rows. */
static PyObject *select_members(const selecting *a, const gradus_dataset *data,
                                const Py_buffer *scores)
{
    const size_t rows = gradus_dataset_rows(data);
    const size_t count = (size_t)scores->len / sizeof(double) / rows;
    const double **members = malloc((count + 1) * sizeof *members);
    double *weights = malloc((count + 1) * sizeof *weights);
    gradus_options *options = members && weights ? options_from(a->mapping, "ensemble") : NULL;
    PyObject *result = NULL;
    call c;

    if (!members || !weights)
        PyErr_NoMemory();
    for (size_t i = 0; members && i < count; i++)
        members[i] = (const double *)scores->buf + i * rows;
    if (options && call_begin(&c, a->threads, 0, NULL, a->notes)) {
        gradus_status status;

        Py_BEGIN_ALLOW_THREADS status =
            gradus_ensemble_select(c.context, data, members, count, options, weights, &c.err);
        Py_END_ALLOW_THREADS if (call_end(&c, status)) result =
            bytes_of(weights, count, sizeof *weights);
    }
    gradus_options_free(options);
    free(members);
    free(weights);
    return result;
}

static PyObject *core_ensemble_select(PyObject *module, PyObject *args, PyObject *keywords)
{
    static char *words[] = { "data", "scores", "options", "threads", "notes", NULL };
    selecting a = { .threads = 0 };
    PyObject *result = NULL;
    Py_buffer scores;

    (void)module;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "OO|O$O&O:ensemble_select", words, &a.data,
                                     &a.scores, &a.mapping, threads_converter, &a.threads,
                                     &a.notes))
        return NULL;
    const gradus_dataset *data = dataset_get(a.data, "data", false);
    if (!data || !buffer_need(a.scores, "scores", 'd', SIZE_MAX, false, &scores))
        return NULL;
    if ((size_t)scores.len % (gradus_dataset_rows(data) * sizeof(double)) != 0)
        PyErr_SetString(PyExc_ValueError, "scores must have one number per member and row");
    else
        result = select_members(&a, data, &scores);
    PyBuffer_Release(&scores);
    return result;
}

PyMethodDef evaluate_methods[] = {
    { "evaluate", NAMED(core_evaluate), METH_VARARGS | METH_KEYWORDS,
      "Evaluates scores by the metrics of the options." },
    { "evaluate_run", NAMED(core_evaluate_run), METH_VARARGS | METH_KEYWORDS,
      "Evaluates a TREC run against relevance judgements." },
    { "scores", NAMED(core_scores), METH_VARARGS | METH_KEYWORDS,
      "Fills scores from a model file, a scores file or a method without training." },
    { "scores_write", NAMED(core_scores_write), METH_VARARGS | METH_KEYWORDS,
      "Writes a file of scores or a TREC run." },
    { "confusion", NAMED(core_confusion), METH_VARARGS | METH_KEYWORDS,
      "The confusion matrix of labels and predicted grades." },
    { "compare", NAMED(core_compare), METH_VARARGS | METH_KEYWORDS,
      "Compares systems query by query." },
    { "ensemble_select", NAMED(core_ensemble_select), METH_VARARGS | METH_KEYWORDS,
      "Weights of members by greedy selection." },
    { "adjust_p", core_adjust_p, METH_O, "Holm's correction of p-values." },
    { "combine_p", core_combine_p, METH_O, "Fisher's combination of p-values." },
    { NULL, NULL, 0, NULL },
};
