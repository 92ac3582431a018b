/* SPDX-License-Identifier: Apache-2.0 */
/* gradus.h - learning to rank from graded relevance: read data, train, score, evaluate, compare.
 *
 * Ownership: the caller owns every non-const pointer that a function returns, and frees it with the
 *   matching *_free, which accepts NULL. Const pointers, and strings in structs, belong to the
 *   object they were obtained from and stay valid as long as it does. Const arguments are borrowed
 *   for the duration of the call, unless the comment says that they must outlive the result.
 * Errors: a function that can fail returns a status or NULL, and fills `err` unless it is NULL.
 *   After a failure, output arguments have unspecified contents.
 * NULL: the context (one thread), options (all defaults), err and arguments documented as optional
 *   may be NULL. Any other NULL pointer is an error: GRADUS_BAD_ARGUMENT from functions with a
 *   status, NULL, false, 0, NAN or "" from others; functions that return void do nothing.
 * Threads: datasets and models are immutable and can be used by any number of threads at once. A
 *   context serves one call at a time. Results never depend on the number of threads.
 * Options: an operation ("read", "train", "evaluate", "synth web", ...) has parameters;
 *   gradus_param_at lists them, gradus_options_set checks and stores a value.
 * Versions: semantic versioning; the soname is libgradus.so.MAJOR. A patch release changes neither
 *   API nor ABI. From 1.0.0 on a minor release may add functions, types, enum constants, options
 *   and catalogue entries; it never removes or changes a function, the layout of a struct, the
 *   value of a constant or the meaning of an option. Before 1.0.0 a minor release may change the
 *   ABI although the soname stays libgradus.so.0: rebuild the programs that use it. Compare
 *   gradus_version() with GRADUS_VERSION to detect a mismatch. Enum switches need a default case.
 * Examples: those in the headers below form one program, in order; the tests compile and run it. */
#ifndef GRADUS_H
#define GRADUS_H

#define GRADUS_VERSION "0.3.0"

#include "gradus/basics.h"
#include "gradus/datasets.h"
#include "gradus/models.h"
#include "gradus/inspection.h"
#include "gradus/explanations.h"
#include "gradus/evaluation.h"
#include "gradus/files.h"

#endif /* GRADUS_H */
