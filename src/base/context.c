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
