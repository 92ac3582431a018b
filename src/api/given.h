/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments of public functions that must not be NULL. */
#ifndef GR_API_GIVEN_H
#define GR_API_GIVEN_H

#include "base/error.h"

/* Whether all the arguments are given. If one is NULL, err (NULL: the function has none) says which
 * one, with the status GRADUS_BAD_ARGUMENT. */
#define GR_GIVEN(err, ...)                                                                         \
    gr_given(err, __func__, #__VA_ARGS__, (const void *const[]){ __VA_ARGS__ },                    \
             sizeof((const void *const[]){ __VA_ARGS__ }) / sizeof(void *))

/* names: of the arguments, comma-separated. */
bool gr_given(gradus_error *err, const char *function, const char *names,
              const void *const *arguments, size_t count);

#endif
