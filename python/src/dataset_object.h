/* SPDX-License-Identifier: Apache-2.0 */
/* The methods of Dataset, by file; documented in gradus/_core.pyi. */
#ifndef GRADUS_PYTHON_DATASET_OBJECT_H
#define GRADUS_PYTHON_DATASET_OBJECT_H
#include "core.h"

/* dataset_make.c */
PyObject *dataset_read(PyObject *type, PyObject *args, PyObject *keywords);
PyObject *dataset_from_arrow(PyObject *type, PyObject *args, PyObject *keywords);
PyObject *dataset_synth(PyObject *type, PyObject *args, PyObject *keywords);
PyObject *dataset_join(PyObject *type, PyObject *args, PyObject *keywords);

/* dataset_arrays.c */
PyObject *dataset_from_arrays(PyObject *type, PyObject *args, PyObject *keywords);
PyObject *dataset_array(PyObject *self, PyObject *name);
PyObject *dataset_feature_names(PyObject *self, PyObject *unused);
PyObject *dataset_query_names(PyObject *self, PyObject *unused);
PyObject *dataset_document_names(PyObject *self, PyObject *unused);
/* The arrays of a dataset. False with an exception on failure. */
bool dataset_arrays(const dataset_object *d, gradus_arrays *arrays);

/* dataset_use.c */
PyObject *dataset_write(PyObject *self, PyObject *args, PyObject *keywords);
PyObject *dataset_file_order(PyObject *self, PyObject *out);
PyObject *dataset_label_kind(PyObject *self, PyObject *args, PyObject *keywords);
PyObject *dataset_fingerprint(PyObject *self, PyObject *args, PyObject *keywords);
PyObject *dataset_check_valid(PyObject *self, PyObject *args, PyObject *keywords);
PyObject *dataset_subset(PyObject *self, PyObject *args, PyObject *keywords);
PyObject *dataset_transform(PyObject *self, PyObject *args, PyObject *keywords);
PyObject *dataset_split(PyObject *self, PyObject *args, PyObject *keywords);
PyObject *dataset_find_feature(PyObject *self, PyObject *word);
PyObject *dataset_find_query(PyObject *self, PyObject *word);
PyObject *dataset_find_document(PyObject *self, PyObject *args);

/* dataset_describe.c */
PyObject *dataset_describe(PyObject *self, PyObject *args, PyObject *keywords);
PyObject *dataset_overlap(PyObject *self, PyObject *args, PyObject *keywords);

#endif
