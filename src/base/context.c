/* SPDX-License-Identifier: Apache-2.0 */
/* Notes, progress and the memory limit of a call's context. */
#include "base/context.h"

#include <stdarg.h>
#include <stdio.h>

void gr_note(const gradus_context *context, const char *format, ...)
{
    char text[512];
    va_list arguments;

    if (!context || !context->note)
        return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    context->note(context->note_user, text);
}

gradus_status gr_progress(const gradus_context *context, const char *what, double done,
                          gradus_error *err)
{
    if (!context || !context->progress || context->progress(context->progress_user, what, done))
        return GRADUS_OK;
    return gr_fail(err, GRADUS_CANCELLED, "%s was cancelled", what);
}

gradus_status gr_check_memory(const gradus_context *context, const char *what, double bytes,
                              gradus_error *err)
{
    const double most = context ? (double)context->max_memory : 0.0;

    if (most == 0.0 || bytes <= most)
        return GRADUS_OK;
    return gr_fail(err, GRADUS_NO_MEMORY,
                   "%.200s needs about %.3g GB of memory, more than the limit of %.3g GB "
                   "('max-memory')",
                   what, bytes / 1e9, most / 1e9);
}
