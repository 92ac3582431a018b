/* SPDX-License-Identifier: Apache-2.0 */
/* Formats error messages. */
#include "base/error.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* macros for the static analyzer */
#undef gr_fail
#undef gr_fail_memory
#undef gr_fail_errno

gradus_status gr_fail(gradus_error *err, gradus_status status, const char *format, ...)
{
    va_list arguments;

    if (!err)
        return status;
    err->status = status;
    va_start(arguments, format);
    /* NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized): va_start is in the line above */
    vsnprintf(err->message, sizeof err->message, format, arguments);
    va_end(arguments);
    return status;
}

gradus_status gr_fail_memory(gradus_error *err, const char *what)
{
    return gr_fail(err, GRADUS_NO_MEMORY, "not enough memory for %s", what);
}

gradus_status gr_fail_errno(gradus_error *err, const char *action, const char *path, int number)
{
    char reason[128] = "";
    const char *text = strerror_r(number, reason, sizeof reason); /* the GNU version */
    const int first = tolower((unsigned char)text[0]);

    return gr_fail(err, number == ENOMEM ? GRADUS_NO_MEMORY : GRADUS_NO_FILE,
                   "cannot %s '%.300s': %c%s", action, path, first, text + 1);
}
