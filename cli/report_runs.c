/* SPDX-License-Identifier: Apache-2.0 */
/* JSON files in a report: a reproduction, or the journal of a tuning run, one value per line. They
 * are checked and copied; the page interprets them. */
#include "report.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 1 << 26, MOST_DEPTH = 64 };

/* The rest of a file, and where its values are copied to. */
typedef struct reading {
    const char *path, *start, *at, *end;
    const char *kept; /* everything before it has been copied or left out */
    text *to;         /* NULL: nothing is copied */
} reading;

static bool skip_value(reading *r, size_t depth);

static void skip_blanks(reading *r)
{
    while (r->at < r->end && strchr(" \t\r\n", *r->at) && *r->at)
        r->at++;
}

/* After a backslash: one of the letters, or u and four digits. */
static bool skip_escape(reading *r)
{
    if (r->at == r->end || !*r->at || !strchr("\"\\/bfnrtu", *r->at))
        return false;
    if (*r->at++ != 'u')
        return true;
    for (size_t i = 0; i < 4; i++, r->at++)
        if (r->at == r->end || !isxdigit((unsigned char)*r->at))
            return false;
    return true;
}

static bool skip_string(reading *r)
{
    for (r->at++; r->at < r->end && *r->at != '"';) {
        if ((unsigned char)*r->at < 0x20)
            return false;
        if (*r->at++ == '\\' && !skip_escape(r))
            return false;
    }
    if (r->at == r->end)
        return false;
    r->at++;
    return true;
}

static bool skip_digits(reading *r)
{
    const char *begin = r->at;

    while (r->at < r->end && isdigit((unsigned char)*r->at))
        r->at++;
    return r->at > begin;
}

static bool next_is(const reading *r, char a, char b)
{
    return r->at < r->end && (*r->at == a || *r->at == b);
}

/* Browsers accept strict JSON only: no 01, no 1., no .5, no +1. */
static bool skip_number(reading *r)
{
    r->at += next_is(r, '-', '-');
    if (next_is(r, '0', '0'))
        r->at++;
    else if (!skip_digits(r))
        return false;
    if (next_is(r, '.', '.') && (r->at++, !skip_digits(r)))
        return false;
    if (next_is(r, 'e', 'E')) {
        r->at++;
        r->at += next_is(r, '+', '-');
        return skip_digits(r);
    }
    return true;
}

/* A number, true, false or null. */
static bool skip_word(reading *r)
{
    static const char *const words[] = { "true", "false", "null" };

    for (size_t i = 0; i < 3; i++) {
        const size_t length = strlen(words[i]);

        if ((size_t)(r->end - r->at) >= length && memcmp(r->at, words[i], length) == 0) {
            r->at += length;
            return true;
        }
    }
    return skip_number(r);
}

static void keep(reading *r)
{
    if (r->to)
        text_add_bytes(r->to, r->kept, (size_t)(r->at - r->kept));
    r->kept = r->at;
}

/* The value after a name. Values by query ("values" of trials) would fill the page: left out. */
static bool skip_named(reading *r, const char *name, size_t depth)
{
    static const char dropped[] = "\"values\"";
    text *to = r->to;

    if (!to || strncmp(name, dropped, strlen(dropped)) != 0)
        return skip_value(r, depth);
    keep(r);
    r->to = NULL;
    const bool whole = skip_value(r, depth);

    keep(r);
    r->to = to;
    text_add(to, "null");
    return whole;
}

/* The members between brackets: values, in an object each with a name. */
static bool skip_members(reading *r, char end, size_t depth)
{
    r->at++;
    skip_blanks(r);
    if (r->at < r->end && *r->at == end)
        return r->at++, true;
    for (; r->at < r->end; r->at++) {
        skip_blanks(r);
        const char *name = r->at;

        if (end == '}') {
            if (r->at == r->end || *r->at != '"' || !skip_string(r))
                return false;
            skip_blanks(r);
            if (r->at == r->end || *r->at++ != ':')
                return false;
        }
        if (end == '}' ? !skip_named(r, name, depth + 1) : !skip_value(r, depth + 1))
            return false;
        skip_blanks(r);
        if (r->at < r->end && *r->at == end)
            return r->at++, true;
        if (r->at == r->end || *r->at != ',')
            return false;
    }
    return false;
}

static bool skip_value(reading *r, size_t depth)
{
    skip_blanks(r);
    if (r->at == r->end || depth > MOST_DEPTH)
        return false;
    switch (*r->at) {
    case '{':
        return skip_members(r, '}', depth);
    case '[':
        return skip_members(r, ']', depth);
    case '"':
        return skip_string(r);
    default:
        return skip_word(r);
    }
}

static int fail_file(const char *path, const char *why)
{
    gradus_error err = { .status = GRADUS_NO_FILE };

    snprintf(err.message, sizeof err.message, "cannot read '%s': %s", path, why);
    return fail(&err);
}

static int fail_at(const reading *r)
{
    gradus_error err = { .status = GRADUS_BAD_FORMAT };
    size_t line = 1;

    for (const char *c = r->start; c < r->at; c++)
        line += *c == '\n';
    snprintf(err.message, sizeof err.message,
             "%s:%zu: expected JSON, as written by 'gradus tune' or 'gradus compare'", r->path,
             line);
    return fail(&err);
}

static int read_whole(const char *path, text *t)
{
    FILE *file = fopen(path, "rb");
    char room[1 << 16];
    size_t size;

    if (!file)
        return fail_file(path, strerror(errno));
    while ((size = fread(room, 1, sizeof room, file)) > 0 && t->length <= MOST_BYTES)
        text_add_bytes(t, room, size);
    const bool broken = ferror(file) != 0;

    fclose(file);
    if (broken)
        return fail_file(path, "read error");
    return t->length <= MOST_BYTES ? 0 : fail_file(path, "larger than 64 MiB");
}

/* A value that does not end, in the last line of several: the run was interrupted. */
static bool was_cut(const reading *r, const char *begin)
{
    return begin > r->start && begin[-1] == '\n' && !memchr(begin, '\n', (size_t)(r->end - begin));
}

static int add_values(json *j, const char *path, const text *t)
{
    text value = { NULL, 0, 0 };
    reading r = { .path = path, .start = text_string(t), .to = &value };
    bool cut = false, bad = false;

    r.at = r.start;
    r.end = r.start + t->length;
    json_open(j, "values", '[');
    for (skip_blanks(&r); r.at < r.end && !cut && !bad; skip_blanks(&r)) {
        const char *begin = r.kept = r.at;

        if (skip_value(&r, 0)) {
            keep(&r);
            text_add(j->to, j->writer.holds_some ? ",\n" : "");
            text_add_bytes(j->to, text_string(&value), value.length);
            j->writer.holds_some = true;
            value.length = 0;
        } else {
            cut = was_cut(&r, begin);
            bad = !cut;
        }
    }
    json_close(j, ']');
    json_bool(j, "cut", cut);
    text_free(&value);
    return bad ? fail_at(&r) : 0;
}

bool is_json_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    int c = EOF;

    while (file && (c = fgetc(file)) != EOF && isspace(c))
        continue;
    if (file)
        fclose(file);
    return c == '{' || c == '[';
}

int report_runs(json *j, const report *r)
{
    int status = 0;

    json_open(j, "runs", '[');
    for (size_t i = 0; status == 0 && i < r->run_count; i++) {
        text t = { NULL, 0, 0 };

        status = read_whole(r->runs[i], &t);
        if (status == 0) {
            json_open(j, NULL, '{');
            json_string(j, "file", r->runs[i]);
            status = add_values(j, r->runs[i], &t);
            json_close(j, '}');
        }
        text_free(&t);
    }
    json_close(j, ']');
    return status;
}
