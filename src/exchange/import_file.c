/* SPDX-License-Identifier: Apache-2.0 */
/* Messages with the position in a file to import. */
#include "exchange/import_file.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#undef gr_import_fail /* a macro for the static analyzer */
gradus_status gr_import_fail(const gr_import_file *file, size_t at, gradus_error *err,
                             gradus_status status, const char *format, ...)
{
    const char *line = file->bytes;
    char text[256], tree[32] = "";
    size_t number = 1;
    va_list values;

    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    if (file->tree > 0)
        snprintf(tree, sizeof tree, "tree %zu: ", file->tree - 1);
    if (file->binary)
        return gr_fail(err, status, "%.200s: byte %zu: %s%s", file->name, at, tree, text);
    for (const char *end = file->bytes + at; line < end;) {
        const char *next = memchr(line, '\n', (size_t)(end - line));

        if (!next)
            break;
        line = next + 1;
        number++;
    }
    return gr_fail(err, status, "%.200s:%zu:%zu: %s%s", file->name, number,
                   (size_t)(file->bytes + at - line) + 1, tree, text);
}
