/* SPDX-License-Identifier: Apache-2.0 */
/* JSON files in a report: a reproduction, or the journal of a tuning run, one value per line. They
 * are checked and copied; the page interprets them. */
#include "experiments/report/report_data.h"

#include "base/error.h"
#include "experiments/helpers.h"

#include <string.h>

static const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && *at && strchr(" \t\r\n", *at))
        at++;
    return at;
}

/* Copies a value as written. Values by query ("values" of trials) would fill the page: null. */
static void copy_value(gr_json_writer *j, const gr_json *value)
{
    const char *kept = value->raw;
    const gr_json *end = gr_json_next(value);

    for (const gr_json *v = value; v < end;) {
        if (!v->key || strcmp(v->key, "values") != 0) {
            v++;
            continue;
        }
        const char *begin = v->raw;

        while (begin[-1] != ':')
            begin--;
        gr_json_append(j, kept, (size_t)(begin - kept));
        gr_json_append(j, "null", 4);
        kept = v->raw + v->raw_size;
        v = gr_json_next(v);
    }
    gr_json_append(j, kept, (size_t)(value->raw + value->raw_size - kept));
}

/* A value that does not end, in the last line of several: the run was interrupted. */
static bool was_cut(const char *start, const char *begin, const char *end)
{
    return begin > start && begin[-1] == '\n' && !memchr(begin, '\n', (size_t)(end - begin));
}

static gradus_status fail_at(const char *path, const char *start, const char *at, gradus_error *err)
{
    size_t line = 1;

    for (const char *c = start; c < at; c++)
        line += *c == '\n';
    return gr_fail(err, GRADUS_BAD_FORMAT,
                   "%s:%zu: expected JSON, as written by 'gradus tune' or 'gradus compare'", path,
                   line);
}

static gradus_status add_values(gr_json_writer *j, const char *path, const gr_json_writer *t,
                                gradus_error *err)
{
    const char *start = t->used ? t->bytes.at : "", *end = start + t->used;
    gradus_error fault;
    bool cut = false;

    gr_json_open(j, "values", '[');
    for (const char *at = skip_blanks(start, end); at < end && !cut; at = skip_blanks(at, end)) {
        const char *begin = at;
        gr_json *value = gr_json_parse_next(&at, end, &fault);

        if (value) {
            gr_json_append(j, ",\n", j->holds_some ? 2 : 0);
            copy_value(j, value);
            j->holds_some = true;
        } else if (fault.status == GRADUS_NO_MEMORY) {
            return gr_fail_memory(err, "a JSON value");
        } else if (!was_cut(start, begin, end)) {
            return fail_at(path, start, at, err);
        } else {
            cut = true;
        }
        gr_json_free(value);
    }
    gr_json_close(j, ']');
    gr_json_put_flag(j, "cut", cut);
    return GRADUS_OK;
}

gradus_status gr_report_runs(gr_json_writer *j, const gr_report *r, gradus_error *err)
{
    gradus_status status = GRADUS_OK;

    gr_json_open(j, "runs", '[');
    for (size_t i = 0; status == GRADUS_OK && i < r->input->run_count; i++) {
        const char *path = r->input->runs[i];
        gr_json_writer content = { .used = 0 };

        status = gr_read_whole(path, &content, err);
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
