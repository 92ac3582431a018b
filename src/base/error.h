/* SPDX-License-Identifier: Apache-2.0 */
/* One way to fail: fill the error once, where the fact is known, and pass the status up. */
#ifndef GR_BASE_ERROR_H
#define GR_BASE_ERROR_H

#include "gradus.h"

/* Fills err (if not NULL) and returns status. Messages: lower case, no full stop, the subject in
 * quotes, what was found and what is allowed. */
gradus_status gr_fail(gradus_error *err, gradus_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* No memory for `what` ("scores", "3 rows"). */
gradus_status gr_fail_memory(gradus_error *err, const char *what);

/* What errno says about a file: "cannot open 'x': no such file or directory". GRADUS_NO_FILE, but
 * GRADUS_NO_MEMORY for ENOMEM. */
gradus_status gr_fail_errno(gradus_error *err, const char *action, const char *path, int number);

/* Leaves the function with the status of a call that failed. */
#define GR_TRY(call)                                                                               \
    do {                                                                                           \
        gradus_status gr_try_status = (call);                                                      \
        if (gr_try_status != GRADUS_OK)                                                            \
            return gr_try_status;                                                                  \
    } while (0)

#endif
