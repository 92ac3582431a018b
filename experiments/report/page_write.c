/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a page from its template, the data and the models. */
#include "experiments/report/page_write.h"

#include "base/error.h"

#include <string.h>

/* Nothing in a script element may look like its end tag; in JSON '<' occurs in strings only. */
static gradus_status write_escaped(gradus_output *page, const char *at, size_t size,
                                   gradus_error *err)
{
    static const char escape[] = "\\u003c";

    for (const char *end = at + size; at < end;) {
        const char *next = memchr(at, '<', (size_t)(end - at));

        GR_TRY(gradus_output_write(page, at, (size_t)((next ? next : end) - at), err));
        if (next)
            GR_TRY(gradus_output_write(page, escape, sizeof escape - 1, err));
        at = next ? next + 1 : end;
    }
    return GRADUS_OK;
}

/* Writes the template from *at to a mark, and moves *at behind it. */
static gradus_status write_until(gradus_output *page, const char **at, const char *end,
                                 const char *mark, gradus_error *err)
{
    const char *found = memmem(*at, (size_t)(end - *at), mark, strlen(mark));

    if (!found)
        return gr_fail(err, GRADUS_BAD_FORMAT, "the template of the page has no %s", mark);
    GR_TRY(gradus_output_write(page, *at, (size_t)(found - *at), err));
    *at = found + strlen(mark);
    return GRADUS_OK;
}

static gradus_status write_parts(gradus_output *page, const gr_page *from, const gr_report *r,
                                 const gr_json_writer *data, gradus_error *err)
{
    const char *at = from->text, *end = at + from->size;

    GR_TRY(write_until(page, &at, end, "@data@", err));
    GR_TRY(write_escaped(page, data->bytes.at, data->used, err));
    GR_TRY(write_until(page, &at, end, "@models@", err));
    GR_TRY(gr_report_write_programs(page, r, err));
    return gradus_output_write(page, at, (size_t)(end - at), err);
}

gradus_status gr_page_write(const gr_page *from, const gr_report *r, const gr_json_writer *data,
                            const char *path, gradus_error *err)
{
    gradus_output *page = gradus_output_new(path, err);

    if (!page)
        return err->status;
    const gradus_status status = write_parts(page, from, r, data, err);

    if (status == GRADUS_OK)
        return gradus_output_close(page, err);
    gradus_output_abandon(page);
    return status;
}
