/* SPDX-License-Identifier: Apache-2.0 */
/* Scores, probabilities and grades of rows. */
#include "model_object.h"

#include <float.h>
#include <math.h>

static const gradus_model *model_of(PyObject *self)
{
    return ((model_object *)self)->model;
}

static size_t grades_of(const gradus_model *model)
{
    gradus_model_info info;

    gradus_model_describe(model, &info);
    return info.grades;
}

/* ---- rows in memory, without a dataset or a context ---- */

static bool fits(const Py_buffer *values, size_t rows, size_t features, size_t stride)
{
    size_t needed;

    if (rows == 0)
        return true;
    if (rows > 1 && (stride < features || stride == 0)) {
        PyErr_Format(PyExc_ValueError, "stride is %zu, expected at least %zu", stride,
                     features ? features : 1);
        return false;
    }
    if (!__builtin_mul_overflow(rows - 1, stride, &needed) &&
        !__builtin_add_overflow(needed, features, &needed) && values->buf &&
        (size_t)(values->len / values->itemsize) >= needed)
        return true;
    PyErr_Format(PyExc_ValueError, "values has %zd items, too few for %zu rows of %zu features",
                 values->buf ? values->len / values->itemsize : 0, rows, features);
    return false;
}

static bool sizes_get(PyObject *const *args, size_t sizes[3])
{
    static const char *const sizes_names[] = { "rows", "features", "stride" };

    for (int i = 0; i < 3; i++) {
        uint64_t size;

        if (!count_get(args[i], sizes_names[i], &size))
            return false;
        sizes[i] = size;
    }
    return true;
}

/* Raises a ValueError for an infinite value, as for datasets from arrays. */
static bool check_infinite(const float *values, const size_t sizes[3])
{
    for (size_t r = 0; r < sizes[0]; r++) {
        const float *row = values + r * sizes[2];
        bool infinite = false;

        for (size_t f = 0; f < sizes[1]; f++)
            infinite |= fabsf(row[f]) > FLT_MAX;
        for (size_t f = 0; infinite && f < sizes[1]; f++)
            if (fabsf(row[f]) > FLT_MAX) {
                PyErr_Format(PyExc_ValueError,
                             "X has %s in row %zu, column %zu; expected finite numbers or NaN "
                             "(missing)",
                             row[f] > 0.0f ? "inf" : "-inf", r, f);
                return false;
            }
    }
    return true;
}

PyObject *model_score_rows(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    const gradus_model *model = model_of(self);
    PyObject *probabilities = count == 6 ? args[5] : Py_None;
    size_t sizes[3]; /* rows, features, stride */
    Py_buffer values, scores, shares;
    gradus_status status = GRADUS_OK;
    gradus_error err;
    bool good = false;

    if (count != 5 && count != 6) {
        PyErr_Format(PyExc_TypeError, "score_rows takes 5 or 6 arguments, not %zd", count);
        return NULL;
    }
    if (!sizes_get(args + 1, sizes) ||
        !buffer_need(args[0], "values", 'f', SIZE_MAX, false, &values))
        return NULL;
    shares.obj = NULL;
    if (fits(&values, sizes[0], sizes[1], sizes[2]) && check_infinite(values.buf, sizes) &&
        buffer_get(args[4], "scores", 'd', sizes[0], true, &scores)) {
        good = probabilities == Py_None ? (shares.buf = NULL, true)
                                        : buffer_get(probabilities, "probabilities", 'd',
                                                     sizes[0] * grades_of(model), true, &shares);
        if (good) {
            Py_BEGIN_ALLOW_THREADS status = gradus_model_score_rows(
                model, values.buf, sizes[0], sizes[1], sizes[2], scores.buf, shares.buf, &err);
            Py_END_ALLOW_THREADS
        }
        PyBuffer_Release(&scores);
        PyBuffer_Release(&shares);
    }
    PyBuffer_Release(&values);
    if (status != GRADUS_OK)
        return raise_error(&err);
    return good ? Py_NewRef(Py_None) : NULL;
}

/* ---- rows of a dataset ---- */

typedef gradus_status (*fill_function)(gradus_context *context, const gradus_model *model,
                                       const gradus_dataset *data, double *out, gradus_error *err);

/* Fills `out` with `columns` numbers per row of a dataset. */
static PyObject *fill(PyObject *self, PyObject *args, PyObject *keywords, const char *format,
                      size_t columns, fill_function function)
{
    static char *words[] = { "data", "out", "threads", "notes", "progress", "device", NULL };
    PyObject *object, *out, *notes = NULL, *progress = NULL;
    const gradus_device *device = NULL;
    size_t threads = 0;
    gradus_status status;
    Py_buffer view;
    call c;

    if (!PyArg_ParseTupleAndKeywords(args, keywords, format, words, &object, &out,
                                     threads_converter, &threads, &notes, &progress,
                                     device_converter, &device))
        return NULL;
    const gradus_dataset *data = dataset_get(object, "data", false);
    if (!data || !buffer_need(out, "out", 'd', columns * gradus_dataset_rows(data), true, &view))
        return NULL;
    if (!call_begin(&c, threads, 0, progress, notes)) {
        PyBuffer_Release(&view);
        return NULL;
    }
    gradus_context_set_device(c.context, device);
    Py_BEGIN_ALLOW_THREADS status = function(c.context, model_of(self), data, view.buf, &c.err);
    Py_END_ALLOW_THREADS PyBuffer_Release(&view);
    return call_end(&c, status) ? Py_NewRef(Py_None) : NULL;
}

PyObject *model_score(PyObject *self, PyObject *args, PyObject *keywords)
{
    return fill(self, args, keywords, "OO|$O&OOO&:score", 1, gradus_model_score);
}

PyObject *model_probabilities(PyObject *self, PyObject *args, PyObject *keywords)
{
    return fill(self, args, keywords, "OO|$O&OOO&:probabilities", grades_of(model_of(self)),
                gradus_model_probabilities);
}

PyObject *model_grades(PyObject *self, PyObject *args, PyObject *keywords)
{
    return fill(self, args, keywords, "OO|$O&OOO&:grades", 1, gradus_model_grades);
}
