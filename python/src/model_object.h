/* SPDX-License-Identifier: Apache-2.0 */
/* The methods of Model, by file; documented in gradus/_core.pyi. */
#ifndef GRADUS_PYTHON_MODEL_OBJECT_H
#define GRADUS_PYTHON_MODEL_OBJECT_H
#include "core.h"

/* model_score.c */
PyObject *model_score_rows(PyObject *self, PyObject *const *args, Py_ssize_t count);
PyObject *model_score(PyObject *self, PyObject *args, PyObject *keywords);
PyObject *model_probabilities(PyObject *self, PyObject *args, PyObject *keywords);
PyObject *model_grades(PyObject *self, PyObject *args, PyObject *keywords);

/* model_derive.c */
PyObject *model_ensemble(PyObject *type, PyObject *args, PyObject *keywords);
PyObject *model_rescored(PyObject *self, PyObject *args, PyObject *keywords);
PyObject *model_calibrated(PyObject *self, PyObject *args, PyObject *keywords);
PyObject *model_distilled(PyObject *self, PyObject *args, PyObject *keywords);
PyObject *model_member(PyObject *self, PyObject *index);

/* model_inspect.c */
PyObject *model_info(PyObject *self, PyObject *unused);
PyObject *model_facts(PyObject *self, PyObject *unused);
PyObject *model_lines(PyObject *self, PyObject *unused);
PyObject *model_options(PyObject *self, PyObject *unused);
PyObject *model_curve(PyObject *self, PyObject *unused);
PyObject *model_results(PyObject *self, PyObject *unused);
PyObject *model_calibrations(PyObject *self, PyObject *unused);

/* model_parts.c */
PyObject *model_feature_names(PyObject *self, PyObject *unused);
PyObject *model_importance(PyObject *self, PyObject *unused);
PyObject *model_equation(PyObject *self, PyObject *output);
PyObject *model_errors(PyObject *self, PyObject *unused);
PyObject *model_columns(PyObject *self, PyObject *unused);
PyObject *model_tree(PyObject *self, PyObject *index);

/* model_measure.c */
PyObject *model_reliability(PyObject *self, PyObject *args, PyObject *keywords);
PyObject *model_permutation_importance(PyObject *self, PyObject *args, PyObject *keywords);
PyObject *model_partial_dependence(PyObject *self, PyObject *args, PyObject *keywords);

#endif
