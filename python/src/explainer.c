/* SPDX-License-Identifier: Apache-2.0 */
/* The type Explainer: contributions of features to scores, as arrays over all rows. */
#include "core.h"

#include <string.h>

_Static_assert(sizeof(size_t) == sizeof(uint64_t), "row numbers are passed as uint64");

typedef struct explainer_object {
    PyObject_HEAD gradus_explainer *explainer;
    PyObject *model; /* outlives the explainer */
} explainer_object;

static explainer_object *explainer_of(PyObject *self)
{
    return (explainer_object *)(void *)self;
}

static PyObject *explainer_new(PyTypeObject *type, PyObject *args, PyObject *named)
{
    static char *keywords[] = { "model", "options", NULL };
    const allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    PyObject *model = NULL, *given = NULL, *self = NULL;
    const gradus_model *explained;
    gradus_explainer *explainer;
    gradus_options *options;
    gradus_error err;

    if (!PyArg_ParseTupleAndKeywords(args, named, "O|O:Explainer", keywords, &model, &given) ||
        !(explained = model_get(model, "model")) || !(options = options_from(given, "explain")))
        return NULL;
    Py_BEGIN_ALLOW_THREADS explainer = gradus_explainer_new(explained, options, &err);
    gradus_options_free(options);
    Py_END_ALLOW_THREADS if (!explainer) return raise_error(&err);
    self = allocate(type, 0);
    if (!self) {
        gradus_explainer_free(explainer);
        return NULL;
    }
    explainer_of(self)->explainer = explainer;
    explainer_of(self)->model = Py_NewRef(model);
    return self;
}

static void explainer_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    const freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);

    gradus_explainer_free(explainer_of(self)->explainer);
    Py_CLEAR(explainer_of(self)->model);
    release(self);
    Py_DECREF(type);
}

/* ---- results ---- */

/* Arrays of an explanation, as bytes objects. NULL members: the explanation has none. */
typedef struct explanation_arrays {
    size_t rows, targets, features;
    PyObject *row, *value, *base, *contributions, *errors, *values, *references, *reference;
} explanation_arrays;

static PyObject *room(size_t count, size_t size)
{
    return PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(count * size));
}

static bool arrays_reserve(explanation_arrays *a, const gradus_contributions *first)
{
    const size_t cells = a->rows * a->targets, all = cells * a->features;

    return (a->row = room(a->rows, sizeof(uint64_t))) && (a->value = room(cells, sizeof(double))) &&
           (a->base = room(cells, sizeof(double))) &&
           (a->contributions = room(all, sizeof(double))) &&
           (!first->errors || (a->errors = room(all, sizeof(double)))) &&
           (a->values = room(a->rows * a->features, sizeof(float))) &&
           (!first->references || (a->references = room(a->rows * a->features, sizeof(float)))) &&
           (a->reference = room(a->rows, sizeof(int64_t)));
}

/* Copies `count` items to position `index`, in units of `count` items. */
static void put(PyObject *bytes, size_t index, const void *items, size_t count, size_t size)
{
    if (bytes && items)
        memcpy(PyBytes_AsString(bytes) + index * count * size, items, count * size);
}

static void arrays_put(explanation_arrays *a, size_t index, size_t target,
                       const gradus_contributions *c)
{
    const size_t cell = index * a->targets + target;

    put(a->value, cell, &c->value, 1, sizeof c->value);
    put(a->base, cell, &c->base, 1, sizeof c->base);
    put(a->contributions, cell, c->contributions, a->features, sizeof *c->contributions);
    put(a->errors, cell, c->errors, a->features, sizeof *c->errors);
    if (target > 0)
        return;
    const uint64_t row = c->row;
    const int64_t reference = c->reference == SIZE_MAX ? -1 : (int64_t)c->reference;

    put(a->row, index, &row, 1, sizeof row);
    put(a->reference, index, &reference, 1, sizeof reference);
    put(a->values, index, c->values, a->features, sizeof *c->values);
    put(a->references, index, c->references, a->features, sizeof *c->references);
}

/* Copies everything; large, so without the GIL: nothing else refers to the new objects. */
static void arrays_fill(explanation_arrays *a, const gradus_explanation *explanation)
{
    gradus_contributions c;

    for (size_t i = 0; i < a->rows; i++)
        for (size_t t = 0; t < a->targets; t++)
            if (gradus_explanation_at(explanation, i, t, &c))
                arrays_put(a, i, t, &c);
}

static PyObject *target_list(const gradus_explanation *explanation, size_t targets)
{
    PyObject *list = PyList_New(0);

    for (size_t t = 0; list && t < targets; t++)
        if (!list_put(list, text_of(gradus_explanation_target(explanation, t))))
            Py_CLEAR(list);
    return list;
}

/* Moves an array into the dictionary; None if it is NULL. */
static bool move(PyObject *dict, const char *key, PyObject **bytes)
{
    PyObject *value = *bytes ? *bytes : Py_NewRef(Py_None);

    *bytes = NULL;
    return dict_put(dict, key, value);
}

static void arrays_free(explanation_arrays *a)
{
    Py_XDECREF(a->row);
    Py_XDECREF(a->value);
    Py_XDECREF(a->base);
    Py_XDECREF(a->contributions);
    Py_XDECREF(a->errors);
    Py_XDECREF(a->values);
    Py_XDECREF(a->references);
    Py_XDECREF(a->reference);
}

static bool arrays_move(explanation_arrays *a, PyObject *dict)
{
    return move(dict, "rows", &a->row) && move(dict, "value", &a->value) &&
           move(dict, "base", &a->base) && move(dict, "contributions", &a->contributions) &&
           move(dict, "errors", &a->errors) && move(dict, "values", &a->values) &&
           move(dict, "references", &a->references) && move(dict, "reference", &a->reference);
}

static PyObject *explanation_dict(const gradus_explanation *explanation)
{
    gradus_contributions first = { .count = 0 };
    gradus_explanation_info info;
    PyObject *dict = PyDict_New();

    gradus_explanation_describe(explanation, &info);
    (void)gradus_explanation_at(explanation, 0, 0, &first);
    explanation_arrays a = { .rows = info.rows, .targets = info.targets, .features = first.count };
    bool good = dict && arrays_reserve(&a, &first);
    if (good) {
        Py_BEGIN_ALLOW_THREADS arrays_fill(&a, explanation);
        Py_END_ALLOW_THREADS
    }
    good = good && dict_put(dict, "against", text_of(info.against)) &&
           dict_put(dict, "exact", PyBool_FromLong(info.exact)) &&
           dict_put(dict, "zero_means", PyBool_FromLong(info.zero_means)) &&
           dict_put(dict, "targets", target_list(explanation, info.targets)) &&
           dict_put(dict, "features",
                    PyBytes_FromStringAndSize((const char *)first.features,
                                              (Py_ssize_t)(first.count * sizeof(uint64_t)))) &&
           arrays_move(&a, dict);
    arrays_free(&a);
    if (!good)
        Py_CLEAR(dict);
    return dict;
}

/* ---- methods ---- */

static PyObject *explainer_run(PyObject *self, PyObject *args, PyObject *named)
{
    static char *keywords[] = { "data", "rows", "threads", "notes", "progress", NULL };
    PyObject *data = NULL, *rows = NULL, *threads = NULL, *notes = NULL, *progress = NULL;
    const gradus_explainer *explainer = explainer_of(self)->explainer;
    gradus_explanation *explanation;
    const gradus_dataset *set;
    PyObject *dict = NULL;
    Py_buffer view;
    call c;

    if (!PyArg_ParseTupleAndKeywords(args, named, "O|O$OOO:run", keywords, &data, &rows, &threads,
                                     &notes, &progress) ||
        !(set = dataset_get(data, "data", false)) ||
        !buffer_get(rows, "rows", 'Q', SIZE_MAX, false, &view))
        return NULL;
    if (call_start(&c, threads, NULL, progress, notes)) {
        Py_BEGIN_ALLOW_THREADS explanation = gradus_explainer_run(
            explainer, c.context, set, view.buf, (size_t)view.len / sizeof(uint64_t), &c.err);
        Py_END_ALLOW_THREADS if (call_end(&c, status_of(explanation, &c.err))) dict =
            explanation_dict(explanation);
        gradus_explanation_free(explanation);
    }
    PyBuffer_Release(&view);
    return dict;
}

static PyMethodDef explainer_methods[] = {
    { "run", NAMED(explainer_run), METH_VARARGS | METH_KEYWORDS, "Explains rows of data." },
    { NULL, NULL, 0, NULL },
};

static PyType_Slot explainer_slots[] = {
    { Py_tp_doc, "A model prepared for explanations." },
    { Py_tp_new, explainer_new },
    { Py_tp_dealloc, explainer_dealloc },
    { Py_tp_methods, explainer_methods },
    { 0, NULL },
};

PyType_Spec explainer_spec = {
    .name = "gradus._core.Explainer",
    .basicsize = sizeof(explainer_object),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = explainer_slots,
};
