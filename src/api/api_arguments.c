/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of arguments that must not be NULL. */
#include "api/api_arguments.h"

#include <string.h>

bool gr_given(gradus_error *err, const char *function, const char *names,
              const void *const *arguments, size_t count)
{
    size_t i = 0;

    while (i < count && arguments[i]) {
        names += strcspn(names, ",");
        names += strspn(names, ", ");
        i++;
    }
    if (i == count)
        return true;
    gr_fail(err, GRADUS_BAD_ARGUMENT, "the argument '%.*s' of %s is NULL", (int)strcspn(names, ","),
            names, function);
    return false;
}
