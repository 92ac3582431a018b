/* SPDX-License-Identifier: Apache-2.0 */
/* Growing buffers of bytes. */
#include "base/buffer.h"

#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void gr_buffer_put(gr_buffer *buffer, const void *bytes, size_t size)
{
    size_t total;

    if (size == 0 || buffer->failed)
        return;
    if (__builtin_add_overflow(buffer->used, size, &total) ||
        !gr_array_reserve(&buffer->bytes, total)) {
        buffer->failed = true;
        return;
    }
    memcpy((char *)buffer->bytes.at + buffer->used, bytes, size);
    buffer->used = total;
}

void gr_buffer_text(gr_buffer *buffer, const char *text)
{
    gr_buffer_put(buffer, text, strlen(text));
}

void gr_buffer_double(gr_buffer *buffer, double number)
{
    char text[GRADUS_NUMBER_SIZE];

    gr_buffer_put(buffer, text, gr_format_double(number, text));
}

void gr_buffer_float(gr_buffer *buffer, float number)
{
    char text[GRADUS_NUMBER_SIZE];

    gr_buffer_put(buffer, text, gr_format_float(number, text));
}

void gr_buffer_count(gr_buffer *buffer, uint64_t count)
{
    char text[GRADUS_NUMBER_SIZE];

    gr_buffer_put(buffer, text, gr_format_count(count, text));
}

void gr_buffer_format(gr_buffer *buffer, const char *format, ...)
{
    char text[1001];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    gr_buffer_text(buffer, text);
}

gradus_status gr_buffer_done(const gr_buffer *buffer, gradus_error *err)
{
    return buffer->failed ? gr_fail_memory(err, "the output") : GRADUS_OK;
}

void gr_buffer_free(gr_buffer *buffer)
{
    gr_array_free(&buffer->bytes);
    *buffer = (gr_buffer){ 0 };
}
