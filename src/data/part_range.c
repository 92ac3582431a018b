/* SPDX-License-Identifier: Apache-2.0 */
/* Divides a text or CSV file at the first line of a query. Every process finds the same cuts by
 * looking at a few lines around each. */
#include "data/part_range.h"

#include "data/csv_layout.h"
#include "data/lines.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct line_query {
    const char *at;
    size_t length;
} line_query;

static bool same_query(const line_query *a, const line_query *b)
{
    return a->length == b->length && memcmp(a->at, b->at, a->length) == 0;
}

/* The query of a line of text; false if the line has no row. Rows without one have length 0. */
static bool text_query(const char *at, const char *end, line_query *query)
{
    *query = (line_query){ at, 0 };
    at = gr_skip_blanks(at, end);
    if (at == end || *at == '#' || *at == '\r')
        return false;
    while (at < end && *at != '#') {
        const char *stop = gr_skip_word(at, end);

        if (stop - at > 4 && memcmp(at, "qid:", 4) == 0) {
            *query = (line_query){ at + 4, (size_t)(stop - at) - 4 };
            return true;
        }
        at = gr_skip_blanks(stop, end);
    }
    return true;
}

static bool csv_query(const gr_part_range *range, const char *at, const char *end,
                      line_query *query)
{
    *query = (line_query){ at, 0 };
    at = gr_skip_blanks(at, end);
    if (at == end || *at == '\r')
        return false;
    for (size_t c = 0; c < range->query_column && at; c++) {
        at = memchr(at, range->delimiter, (size_t)(end - at));
        at = at ? at + 1 : NULL;
    }
    if (!at)
        return true;
    const char *stop = memchr(at, range->delimiter, (size_t)(end - at));

    *query = (line_query){ at, (size_t)((stop ? stop : end) - at) };
    return true;
}

/* The first line after `target` whose query differs from that of the line before. */
static size_t find_cut(const gr_part_range *range, size_t target)
{
    const char *end = range->bytes + range->size, *at = range->bytes + target, *stop;
    line_query first = { NULL, 0 }, next;

    if (target <= range->header)
        return range->header;
    if (at[-1] != '\n') {
        at = memchr(at, '\n', (size_t)(end - at));
        at = at ? at + 1 : end;
    }
    for (; at < end; at = stop + 1) {
        stop = memchr(at, '\n', (size_t)(end - at));
        stop = stop ? stop : end;
        if (!(range->header ? csv_query(range, at, stop, &next) : text_query(at, stop, &next)))
            continue;
        if (!first.at)
            first = next;
        else if (!same_query(&first, &next))
            return (size_t)(at - range->bytes);
    }
    return range->size;
}

/* Finds the end of the header and the query column; false if either is missing. */
static bool read_header(gr_part_range *range, const char *path, const gr_read_options *options)
{
    const char *end = memchr(range->bytes, '\n', range->size);
    gr_csv_layout layout = { 0 };
    bool more = false;

    if (!end)
        return false;
    range->header = (size_t)(end - range->bytes) + 1;
    gr_source *source = gr_source_from_memory(range->bytes, range->header, path, NULL);
    gr_lines lines = { .source = source };
    bool good = source && gr_lines_next(&lines, &more, NULL) == GRADUS_OK && more &&
                gr_csv_layout_read(&lines, options, NULL, &layout, NULL) == GRADUS_OK &&
                layout.columns.has[GR_COLUMN_QUERY];

    for (size_t c = 0; good && c < layout.columns.count; c++)
        if (layout.columns.roles[c] == GR_COLUMN_QUERY)
            range->query_column = c;
    range->delimiter = layout.delimiter;
    gr_csv_layout_free(&layout);
    gr_lines_free(&lines);
    gr_source_close(source);
    return good;
}

/* Whether it is an uncompressed regular file of text or CSV. */
static bool find_format(gr_part_range *range, const char *path, const gr_read_options *options)
{
    struct stat about;
    const bool regular = stat(path, &about) == 0 && S_ISREG(about.st_mode);
    gr_source *source = regular ? gr_source_open(path, NULL) : NULL;
    gradus_error ignored;
    const bool good = source && gr_source_size(source) > 0 &&
                      gr_read_format_of(source, options, &range->format, &ignored) == GRADUS_OK &&
                      range->format != GR_READ_BINARY;

    gr_source_close(source);
    return good;
}

static bool map_file(gr_part_range *range, const char *path)
{
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    struct stat about;
    void *at = MAP_FAILED;

    if (descriptor < 0)
        return false;
    if (fstat(descriptor, &about) == 0 && about.st_size > 0)
        at = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    close(descriptor);
    if (at == MAP_FAILED)
        return false;
    range->bytes = at;
    range->size = (size_t)about.st_size;
    return true;
}

gr_source *gr_part_range_open(gr_part_range *range, const char *path,
                              const gr_read_options *options, size_t rank, size_t size)
{
    if (!find_format(range, path, options) || !map_file(range, path) ||
        (range->format == GR_READ_CSV && !read_header(range, path, options)))
        return NULL;
    const size_t first = find_cut(range, range->size / size * rank);
    const size_t end =
        rank + 1 == size ? range->size : find_cut(range, range->size / size * (rank + 1));

    if (first >= end || (range->header && (memchr(range->bytes, '"', range->header) ||
                                           memchr(range->bytes + first, '"', end - first))))
        return NULL;
    if (!range->header)
        return gr_source_from_memory(range->bytes + first, end - first, path, NULL);
    gr_source *source = gr_source_from_memory(range->bytes, range->header, path, NULL);

    if (source)
        gr_source_append(source, range->bytes + first, end - first);
    return source;
}

void gr_part_range_close(gr_part_range *range)
{
    if (range->bytes)
        munmap(range->bytes, range->size);
    *range = (gr_part_range){ 0 };
}
