/* SPDX-License-Identifier: Apache-2.0 */
/* Shorthands for the public API, which is all that this library knows of the core: options from
 * words, notes and progress of a context, datasets from arrays. */
#ifndef GR_EXPERIMENTS_HELPERS_H
#define GR_EXPERIMENTS_HELPERS_H

#include "gradus.h"

#include "base/json.h"

/* Sets options from "name=value name=value"; values contain no spaces. */
gradus_status gr_words_set(gradus_options *options, const char *words, gradus_error *err);
/* The options of an operation, set from words; NULL: defaults. */
gradus_options *gr_words_options(const char *operation, const char *words, gradus_error *err);

/* A copy of the caller's options, which must be those of the operation; NULL: defaults. */
gradus_options *gr_copy_options(const char *operation, const gradus_options *options,
                                gradus_error *err);
/* The value of an option that is a count. */
uint64_t gr_count_option(gradus_options *options, const char *name);

/* The value of an option in the recipe of a model; NULL: not part of it. */
const char *gr_recipe_value(const gradus_model *model, const char *option);

/* Sends a note to the context's function, if it has one. context may be NULL. */
void gr_send_note(const gradus_context *context, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Reports progress from 0 to 1; GRADUS_CANCELLED if the function of the context asks to stop. */
gradus_status gr_send_progress(const gradus_context *context, const char *what, double done,
                               gradus_error *err);

/* The arrays of a dataset whose contents have been used before; without rows if the file has been
 * damaged since. */
gradus_arrays gr_arrays_of(const gradus_dataset *data);
/* A dataset with its own copy of the arrays. */
gradus_dataset *gr_copy_arrays(const gradus_arrays *arrays, gradus_error *err);

/* Appends the bytes of a file, at most 64 MiB. */
gradus_status gr_read_whole(const char *path, gr_json_writer *to, gradus_error *err);
bool gr_file_exists(const char *path); /* a file or folder */

#endif
