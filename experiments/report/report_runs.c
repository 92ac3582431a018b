/* SPDX-License-Identifier: Apache-2.0 */
/* JSON files in a report: a reproduction, or the journal of a tuning run, one value per line. They
 * are checked and copied; the page interprets them. */
#include "experiments/report/report_data.h"

#include "base/error.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { MAX_BYTES = 1 << 26, MAX_DEPTH = 64 };

/* The rest of a file, and where its values are copied to. */
typedef struct reading {
    const char *path, *start, *at, *end;
    const char *kept;   /* everything before it has been copied or left out */
    gr_json_writer *to; /* NULL: nothing is copied */
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
        gr_json_append(r->to, r->kept, (size_t)(r->at - r->kept));
    r->kept = r->at;
}

/* The value after a name. Values by query ("values" of trials) would fill the page: left out. */
static bool skip_named(reading *r, const char *name, size_t depth)
{
    static const char dropped[] = "\"values\"";
    gr_json_writer *to = r->to;

    if (!to || strncmp(name, dropped, strlen(dropped)) != 0)
        return skip_value(r, depth);
    keep(r);
    r->to = NULL;
    const bool whole = skip_value(r, depth);

    keep(r);
    r->to = to;
    gr_json_append(to, "null", 4);
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
    if (r->at == r->end || depth > MAX_DEPTH)
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

static gradus_status fail_at(const reading *r, gradus_error *err)
{
    size_t line = 1;

    for (const char *c = r->start; c < r->at; c++)
        line += *c == '\n';
    return gr_fail(err, GRADUS_BAD_FORMAT,
                   "%s:%zu: expected JSON, as written by 'gradus tune' or 'gradus compare'",
                   r->path, line);
}

static gradus_status fail_file(const char *path, const char *why, gradus_error *err)
{
    return gr_fail(err, GRADUS_NO_FILE, "cannot read '%s': %s", path, why);
}

static gradus_status read_whole(const char *path, gr_json_writer *t, gradus_error *err)
{
    FILE *file = fopen(path, "rb");
    char buffer[1 << 16];
    size_t size;

    if (!file)
        return fail_file(path, strerror(errno), err);
    while ((size = fread(buffer, 1, sizeof buffer, file)) > 0 && t->used <= MAX_BYTES)
        gr_json_append(t, buffer, size);
    const bool broken = ferror(file) != 0;

    fclose(file);
    if (broken)
        return fail_file(path, "read error", err);
    return t->used <= MAX_BYTES ? gr_json_done(t, err) : fail_file(path, "larger than 64 MiB", err);
}

/* A value that does not end, in the last line of several: the run was interrupted. */
static bool was_cut(const reading *r, const char *begin)
{
    return begin > r->start && begin[-1] == '\n' && !memchr(begin, '\n', (size_t)(r->end - begin));
}

static gradus_status add_values(gr_json_writer *j, const char *path, const gr_json_writer *t,
                                gradus_error *err)
{
    gr_json_writer value = { .used = 0 };
    reading r = { .path = path, .start = t->used ? t->bytes.at : "", .to = &value };
    bool cut = false, bad = false;

    r.at = r.start;
    r.end = r.start + t->used;
    gr_json_open(j, "values", '[');
    for (skip_blanks(&r); r.at < r.end && !cut && !bad; skip_blanks(&r)) {
        const char *begin = r.kept = r.at;

        if (skip_value(&r, 0)) {
            keep(&r);
            gr_json_append(j, ",\n", j->holds_some ? 2 : 0);
            gr_json_append(j, value.bytes.at, value.used);
            j->holds_some = true;
            value.used = 0;
        } else {
            cut = was_cut(&r, begin);
            bad = !cut;
        }
    }
    gr_json_close(j, ']');
    gr_json_put_flag(j, "cut", cut);
    const gradus_status status = gr_json_done(&value, err);

    gr_json_writer_free(&value);
    return bad ? fail_at(&r, err) : status;
}

gradus_status gr_report_runs(gr_json_writer *j, const gr_report *r, gradus_error *err)
{
    gradus_status status = GRADUS_OK;

    gr_json_open(j, "runs", '[');
    for (size_t i = 0; status == GRADUS_OK && i < r->input->run_count; i++) {
        const char *path = r->input->runs[i];
        gr_json_writer content = { .used = 0 };

        status = read_whole(path, &content, err);
        if (status == GRADUS_OK) {
            gr_json_open(j, NULL, '{');
            gr_json_put_text(j, "file", path);
            status = add_values(j, path, &content, err);
            gr_json_close(j, '}');
        }
        gr_json_writer_free(&content);
    }
    gr_json_close(j, ']');
    return status;
}
