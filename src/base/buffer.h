/* SPDX-License-Identifier: Apache-2.0 */
/* A growing buffer of bytes, for output that is built in memory. An allocation failure is remembered
 * and reported once, by gr_buffer_done. */
#ifndef GR_BASE_BUFFER_H
#define GR_BASE_BUFFER_H

#include "base/error.h"
#include "base/memory.h"

/* Zero-initialized before the first use. */
typedef struct gr_buffer {
    gr_array bytes;
    size_t used;
    bool failed;
} gr_buffer;

void gr_buffer_put(gr_buffer *buffer, const void *bytes, size_t size);
void gr_buffer_text(gr_buffer *buffer, const char *text);
/* Numbers in the shortest form that reads back as the same value. */
void gr_buffer_double(gr_buffer *buffer, double number);
void gr_buffer_float(gr_buffer *buffer, float number);
void gr_buffer_count(gr_buffer *buffer, uint64_t count);
/* Formatted text, truncated to 1,000 characters. Not for numbers with a fraction: printf depends on
 * the locale. */
void gr_buffer_format(gr_buffer *buffer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
gradus_status gr_buffer_done(const gr_buffer *buffer, gradus_error *err);
void gr_buffer_free(gr_buffer *buffer);

#endif
