/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of arguments of public functions that must not be NULL. */
#ifndef GR_API_API_ARGUMENTS_H
#define GR_API_API_ARGUMENTS_H

#include "base/error.h"

/* True if no argument is NULL. Otherwise sets err (NULL: the function has none) to
 * GRADUS_BAD_ARGUMENT and names the argument. */
#define GR_GIVEN(err, ...)                                                                         \
    gr_given(err, __func__, #__VA_ARGS__, (const void *const[]){ __VA_ARGS__ },                    \
             sizeof((const void *const[]){ __VA_ARGS__ }) / sizeof(void *))

/* names: the comma-separated names of the arguments. */
bool gr_given(gradus_error *err, const char *function, const char *names,
              const void *const *arguments, size_t count);

#endif
