/* SPDX-License-Identifier: Apache-2.0 */
/* What functions over libgradus-experiments share. */
#ifndef GRADUS_PYTHON_EXPERIMENT_FUNCTIONS_H
#define GRADUS_PYTHON_EXPERIMENT_FUNCTIONS_H

#include "core.h"

#include "gradus_experiments.h"

/* A Python function that is called after each trial. */
typedef struct trial_watch {
    call *call;
    PyObject *function; /* borrowed */
} trial_watch;

/* Sets the watch function of an input; None or NULL: none. False with an exception on failure. */
bool trial_watch_start(trial_watch *w, call *c, PyObject *watch, gradus_tuning_input *input);
/* A dataset that may be left out; false with an exception if it is something else. */
bool optional_dataset(PyObject *object, const char *name, const gradus_dataset **set);
/* A copy of a model that belongs to a result; None for NULL. */
PyObject *model_copy(const gradus_model *model);

#endif
