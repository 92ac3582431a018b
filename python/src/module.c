/* SPDX-License-Identifier: Apache-2.0 */
/* The module gradus._core: error classes, types and functions. */
#include "core.h"

#include <string.h>

PyTypeObject *dataset_type, *model_type, *array_type;
PyObject *error_classes[GRADUS_CANCELLED + 1];

/* "gradus._core.Error" is shown as gradus.Error, where users find it. */
static const struct {
    const char *name;
    const char *help;
} error_names[] = {
    [GRADUS_OK] = { "gradus.Error", "Base class of the errors of gradus." },
    [GRADUS_BAD_ARGUMENT] = { "gradus.ArgumentError",
                              "An unknown name, or a value outside its range." },
    [GRADUS_BAD_FORMAT] = { "gradus.FormatError",
                            "A file does not parse; the message names file, line and column." },
    [GRADUS_BAD_NUMBER] = { "gradus.NumberError",
                            "A number is not finite, or the method cannot use these labels." },
    [GRADUS_NO_MEMORY] = { "gradus.MemoryLimitError",
                           "Memory is exhausted, or the limit would be exceeded." },
    [GRADUS_NO_FILE] = { "gradus.FileError", "A file cannot be opened, read or written." },
    [GRADUS_CANCELLED] = { "gradus.Cancelled", "The operation was cancelled." },
};

static PyObject *second_base(gradus_status status)
{
    switch (status) {
    case GRADUS_BAD_ARGUMENT:
    case GRADUS_BAD_FORMAT:
    case GRADUS_BAD_NUMBER:
        return PyExc_ValueError;
    case GRADUS_NO_MEMORY:
        return PyExc_MemoryError;
    case GRADUS_NO_FILE:
        return PyExc_OSError;
    case GRADUS_OK:
    case GRADUS_CANCELLED:
    default:
        return NULL;
    }
}

static bool add_errors(PyObject *module)
{
    for (int status = GRADUS_OK; status <= GRADUS_CANCELLED; status++) {
        PyObject *second = second_base((gradus_status)status);
        PyObject *bases = status == GRADUS_OK ? Py_NewRef(PyExc_Exception)
                          : second            ? PyTuple_Pack(2, error_classes[0], second)
                                              : Py_NewRef(error_classes[0]);

        if (bases)
            error_classes[status] = PyErr_NewExceptionWithDoc(
                error_names[status].name, error_names[status].help, bases, NULL);
        Py_XDECREF(bases);
        if (!error_classes[status] ||
            PyModule_AddObjectRef(module, strchr(error_names[status].name, '.') + 1,
                                  error_classes[status]) < 0)
            return false;
    }
    return true;
}

/* Adds a type under the last part of its name; `keep`, if not NULL, receives a reference. */
static bool add_type(PyObject *module, PyType_Spec *spec, PyTypeObject **keep)
{
    PyObject *type = PyType_FromSpec(spec);

    if (!type || PyModule_AddObjectRef(module, strrchr(spec->name, '.') + 1, type) < 0) {
        Py_XDECREF(type);
        return false;
    }
    if (keep)
        *keep = (PyTypeObject *)type;
    else
        Py_DECREF(type);
    return true;
}

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "gradus._core",
    .m_doc = "Objects of libgradus; see _core.pyi.",
    .m_size = -1,
};

PyMODINIT_FUNC PyInit__core(void)
{
    PyObject *module = PyModule_Create(&definition);

    if (module && add_errors(module) && add_type(module, &dataset_spec, &dataset_type) &&
        add_type(module, &array_spec, &array_type) && add_type(module, &model_spec, &model_type) &&
        add_type(module, &training_spec, NULL) && add_type(module, &explainer_spec, NULL) &&
        PyModule_AddFunctions(module, tables_methods) == 0 &&
        PyModule_AddFunctions(module, model_methods) == 0 &&
        PyModule_AddFunctions(module, evaluate_methods) == 0 &&
        PyModule_AddFunctions(module, experiments_methods) == 0 &&
        PyModule_AddFunctions(module, auto_methods) == 0)
        return module;
    Py_XDECREF(module);
    return NULL;
}
