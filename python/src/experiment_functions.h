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

/* A running search for settings: what tune and auto take. */
typedef struct search_call {
    call call;
    gradus_tuning_input input;
    gradus_options *options; /* freed by the caller once search_start has succeeded */
    trial_watch watch;
} search_call;

/* Reads the arguments, the same for all searches, and starts the call. False with an exception on
 * failure; then nothing is left to end or free. */
bool search_start(search_call *s, PyObject *args, PyObject *named, const char *operation);
/* A copy of a model that belongs to a result; None for NULL. */
PyObject *model_copy(const gradus_model *model);

#endif
