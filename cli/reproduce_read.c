/* SPDX-License-Identifier: Apache-2.0 */
/* Text and JSON of gradus reproduce all (see reproduce_read.h). */
#include "reproduce_read.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

const char *member_text(const gr_json *object, const char *key)
{
    const char *words = "";

    return gr_json_text(gr_json_find(object, key), &words) ? words : "";
}

double member_number(const gr_json *object, const char *key)
{
    double number;

    return gr_json_number(gr_json_find(object, key), &number) ? number : (double)NAN;
}

size_t member_list(const gr_json *object, const char *key, const gr_json **first)
{
    const gr_json *list = gr_json_find(object, key);

    if (!list || list->kind != GR_JSON_LIST)
        return 0;
    *first = gr_json_first(list);
    return list->count;
}

char *read_text_file(const char *path, size_t *size)
{
    enum { LIMIT = 64 << 20, CHUNK = 1 << 16 };
    FILE *file = fopen(path, "rb");
    text t = { 0 };
    char *chunk = file ? must_have(CHUNK, 1) : NULL;
    size_t got = 0;

    while (file && t.length < LIMIT && (got = fread(chunk, 1, CHUNK, file)) > 0)
        text_add_bytes(&t, chunk, got);
    if (!file)
        return NULL;
    fclose(file);
    free(chunk);
    *size = t.length;
    return t.at ? t.at : must_copy("");
}

int fail_damaged(const char *path, const char *what)
{
    gradus_error err = { GRADUS_BAD_FORMAT, "" };

    snprintf(err.message, sizeof err.message, "%.300s: %.150s", path, what);
    return fail(&err);
}

/* The parser's "byte N: what" as "PATH:LINE:COLUMN: what". */
static int fail_json(const char *path, const char *bytes, const gradus_error *fault)
{
    static const char start[] = "byte ";
    gradus_error err = { fault->status, "" };
    size_t line = 1, column = 1;
    char *what;

    if (strncmp(fault->message, start, sizeof start - 1) != 0)
        return fail(fault);
    const size_t end = strtoul(fault->message + sizeof start - 1, &what, 10);

    for (size_t i = 0; i < end; i++, column++)
        if (bytes[i] == '\n') {
            line++;
            column = 0;
        }
    snprintf(err.message, sizeof err.message, "%.300s:%zu:%zu%.150s", path, line, column, what);
    return fail(&err);
}

int read_json_file(const char *path, char **bytes, gr_json **root)
{
    gradus_error err;
    struct stat about;
    size_t size = 0;

    *root = NULL;
    *bytes = NULL;
    if (stat(path, &about) != 0 && errno == ENOENT)
        return 0;
    *bytes = read_text_file(path, &size);
    if (!*bytes)
        return fail_usage("cannot read '%s': %s", path, strerror(errno));
    *root = gr_json_parse(*bytes, size, &err);
    return *root ? 0 : fail_json(path, *bytes, &err);
}
