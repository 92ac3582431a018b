/* SPDX-License-Identifier: Apache-2.0 */
/* Errors: the message is filled in once, where the cause is known, and the status is passed up. */
#ifndef GR_BASE_ERROR_H
#define GR_BASE_ERROR_H

#include "gradus.h"

/* Fills err (if not NULL) and returns status. Messages are lower case without a full stop, quote
 * the subject, and give the value found and the values allowed. */
gradus_status gr_fail(gradus_error *err, gradus_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Reports that memory for `what` ("scores", "3 rows") could not be allocated. */
gradus_status gr_fail_memory(gradus_error *err, const char *what);

/* Reports errno for a file: "cannot open 'x': no such file or directory". The status is
 * GRADUS_NO_FILE, or GRADUS_NO_MEMORY for ENOMEM. */
gradus_status gr_fail_errno(gradus_error *err, const char *action, const char *path, int number);

/* None of these returns GRADUS_OK; the static analyzer reads one file at a time and cannot know. */
#ifdef __clang_analyzer__
static inline gradus_status gr_not_ok(gradus_status status)
{
    if (status == GRADUS_OK)
        __builtin_unreachable();
    return status;
}
#define gr_fail(...) gr_not_ok(gr_fail(__VA_ARGS__))
#define gr_fail_memory(...) (gr_fail_memory(__VA_ARGS__), GRADUS_NO_MEMORY)
#define gr_fail_errno(...) gr_not_ok(gr_fail_errno(__VA_ARGS__))
#endif

/* Returns from the calling function if the call fails, with the same status. */
#define GR_TRY(call)                                                                               \
    do {                                                                                           \
        gradus_status gr_try_status = (call);                                                      \
        if (gr_try_status != GRADUS_OK)                                                            \
            return gr_try_status;                                                                  \
    } while (0)

#endif
