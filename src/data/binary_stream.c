/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a binary file block by block. Dense values and the column numbers of sparse rows go to the
 * file at once; the values of sparse rows (entries), which follow all column numbers in the file,
 * are collected in a scratch file, and small sections in memory. The header is written last, over
 * zeros. */
#include "data/binary.h"

#include "base/crc32c.h"
#include "data/binary_header.h"
#include "data/scratch.h"

#include <stdlib.h>
#include <string.h>

/* A section being written. Its checksum is built from complete blocks; of_block is the checksum of
 * the current block. */
typedef struct growing {
    uint64_t length;
    uint32_t checksum, of_block;
    size_t in_block;
    gr_array kept; /* its bytes, if buffered in memory */
} growing;

struct gr_binary_writer {
    gr_sink *sink;
    gr_row_shape shape;
    unsigned parts;
    uint64_t begin; /* start of the file in the sink */
    uint64_t rows, queries, entries;
    growing sections[GR_PARTS];
    uint64_t offsets[GR_PARTS];
    gr_scratch *scratch;
    unsigned char *buffer; /* GR_BINARY_BLOCK bytes */
};

static void add_to_checksum(growing *g, const unsigned char *bytes, size_t size)
{
    g->length += size;
    while (size > 0) {
        const size_t room = GR_BINARY_BLOCK - g->in_block;
        const size_t now = size < room ? size : room;

        g->of_block = gr_crc32c(g->of_block, bytes, now);
        g->in_block += now;
        bytes += now;
        size -= now;
        if (g->in_block == GR_BINARY_BLOCK) {
            g->checksum = gr_crc32c(g->checksum, &g->of_block, sizeof g->of_block);
            g->of_block = 0;
            g->in_block = 0;
        }
    }
}

static uint32_t final_checksum(const growing *g)
{
    return g->in_block ? gr_crc32c(g->checksum, &g->of_block, sizeof g->of_block) : g->checksum;
}

static gradus_status keep(growing *g, const void *bytes, size_t size, gradus_error *err)
{
    size_t needed;

    if (!gr_size_plus((size_t)g->length, size, &needed) || !gr_array_reserve(&g->kept, needed))
        return gr_fail_memory(err, "the buffered sections of a data file");
    memcpy((char *)g->kept.at + g->length, bytes, size);
    return GRADUS_OK;
}

static gradus_status put(gr_binary_writer *w, gr_part part, const void *bytes, size_t size,
                         gradus_error *err)
{
    growing *g = &w->sections[part];

    if (part == GR_VALUES || part == GR_COLUMNS)
        GR_TRY(gr_sink_write(w->sink, bytes, size, err));
    else if (part == GR_ENTRIES)
        GR_TRY(gr_scratch_write(w->scratch, bytes, size, err));
    else
        GR_TRY(keep(g, bytes, size, err));
    add_to_checksum(g, bytes, size);
    return GRADUS_OK;
}

gr_binary_writer *gr_binary_writer_new(gr_sink *sink, const char *path, const gr_row_shape *shape,
                                       gradus_error *err)
{
    gr_binary_writer *w = NULL;
    unsigned char zeros[GR_BINARY_HEADER] = { 0 };

    if (!gr_sink_seekable(sink)) {
        gr_fail(err, GRADUS_BAD_ARGUMENT,
                "a binary file cannot be streamed to a pipe or compressed; write to a plain file");
        return NULL;
    }
    w = calloc(1, sizeof *w);
    if (!w || !(w->buffer = malloc(GR_BINARY_BLOCK))) {
        gr_fail_memory(err, "a data file");
        goto failed;
    }
    w->sink = sink;
    w->shape = *shape;
    w->parts = shape->parts | GR_PART(GR_LABELS) | GR_PART(GR_QUERY_STARTS);
    w->begin = gr_sink_size(sink);
    if (w->parts & GR_PART(GR_ENTRIES) && !(w->scratch = gr_scratch_new(path, err)))
        goto failed;
    if (gr_sink_write(sink, zeros, sizeof zeros, err) != GRADUS_OK)
        goto failed;
    return w;

failed:
    gr_binary_writer_free(w);
    return NULL;
}

void gr_binary_writer_free(gr_binary_writer *w)
{
    if (!w)
        return;
    for (int part = 0; part < GR_PARTS; part++)
        gr_array_free(&w->sections[part].kept);
    gr_scratch_free(w->scratch);
    free(w->buffer);
    free(w);
}

/* What to add to the offsets of a block: the number of items before it. */
static uint64_t offsets_so_far(const gr_binary_writer *w, gr_part part)
{
    switch (part) {
    case GR_ROW_STARTS:
        return w->entries;
    case GR_QUERY_STARTS:
    case GR_FILE_ROWS:
        return w->rows;
    case GR_QUERY_NAMES:
        return w->sections[GR_QUERY_BYTES].length;
    case GR_DOCUMENT_NAMES:
        return w->sections[GR_DOCUMENT_BYTES].length;
    default:
        return 0;
    }
}

static gradus_status append_part(gr_binary_writer *w, const gradus_dataset *block, gr_part part,
                                 gradus_error *err)
{
    const size_t item = gr_part_size(part), most = GR_BINARY_BLOCK / item;
    const uint64_t count = gr_part_count(block, part), shift = offsets_so_far(w, part);
    const bool is_starts = part == GR_ROW_STARTS || part == GR_QUERY_STARTS ||
                           part == GR_QUERY_NAMES || part == GR_DOCUMENT_NAMES;

    /* the first offset equals the last one of the previous block, which is already written */
    for (uint64_t at = is_starts && w->rows > 0; at < count;) {
        const size_t now = count - at < most ? (size_t)(count - at) : most;
        const void *items = gr_part_items(block, part, at, now, shift, w->buffer);

        GR_TRY(put(w, part, items, now * item, err));
        at += now;
    }
    return GRADUS_OK;
}

static bool is_of_features(gr_part part)
{
    return part == GR_FEATURE_BYTES || part == GR_FEATURE_NAMES;
}

/* Offsets are appended before what they index, because they are shifted by its current length. */
gradus_status gr_binary_writer_append(gr_binary_writer *w, const gradus_dataset *block,
                                      gradus_error *err)
{
    for (int part = GR_PARTS - 1; part >= 0; part--)
        if (w->parts & GR_PART(part) && !is_of_features((gr_part)part) &&
            !(part == GR_QUERY_STARTS && w->shape.one_query))
            GR_TRY(append_part(w, block, (gr_part)part, err));
    w->rows += block->arrays.rows;
    w->queries = w->shape.one_query ? 1 : w->queries + block->arrays.queries;
    if (w->parts & GR_PART(GR_COLUMNS))
        w->entries += gr_part_count(block, GR_COLUMNS);
    return GRADUS_OK;
}

static gradus_status add_features(gr_binary_writer *w, gradus_error *err)
{
    const gradus_dataset only_names = { .feature_names = w->shape.feature_names };

    if (!(w->parts & GR_PART(GR_FEATURE_NAMES)))
        return GRADUS_OK;
    GR_TRY(append_part(w, &only_names, GR_FEATURE_BYTES, err));
    return append_part(w, &only_names, GR_FEATURE_NAMES, err);
}

static gradus_status pad(gr_binary_writer *w, uint64_t *offset, gradus_error *err)
{
    static const unsigned char zeros[GR_BINARY_ALIGN];
    const uint64_t at = gr_sink_size(w->sink) - w->begin;

    *offset = gr_binary_align(at);
    return gr_sink_write(w->sink, zeros, (size_t)(*offset - at), err);
}

static gradus_status copy_scratch(gr_binary_writer *w, gradus_error *err)
{
    GR_TRY(gr_scratch_rewind(w->scratch, err));
    for (size_t got = 1; got > 0;) {
        GR_TRY(gr_scratch_read(w->scratch, w->buffer, GR_BINARY_BLOCK, &got, err));
        GR_TRY(gr_sink_write(w->sink, w->buffer, got, err));
    }
    return GRADUS_OK;
}

static gradus_status write_waiting(gr_binary_writer *w, gradus_error *err)
{
    for (size_t n = 0; n < GR_PARTS; n++) {
        const gr_part part = gr_binary_order(n);
        const growing *g = &w->sections[part];

        if (!(w->parts & GR_PART(part)))
            continue;
        if (part == GR_VALUES || part == GR_COLUMNS) { /* already written, right after the header */
            w->offsets[part] = GR_BINARY_HEADER;
            continue;
        }
        GR_TRY(pad(w, &w->offsets[part], err));
        if (part == GR_ENTRIES)
            GR_TRY(copy_scratch(w, err));
        else
            GR_TRY(gr_sink_write(w->sink, g->kept.at, (size_t)g->length, err));
    }
    return GRADUS_OK;
}

gradus_status gr_binary_writer_finish(gr_binary_writer *w, gradus_error *err)
{
    const uint64_t all_rows[2] = { 0, w->rows };
    unsigned char bytes[GR_BINARY_HEADER];
    gr_binary_header header = { .rows = w->rows, .queries = w->queries };

    if (w->rows == 0)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "a binary file needs at least one row");
    if (w->shape.one_query)
        GR_TRY(put(w, GR_QUERY_STARTS, all_rows, sizeof all_rows, err));
    GR_TRY(add_features(w, err));
    GR_TRY(write_waiting(w, err));
    header.features = w->shape.features;
    header.first_id = w->shape.first_id;
    header.parts = w->parts;
    header.file_size = gr_sink_size(w->sink) - w->begin;
    for (int part = 0; part < GR_PARTS; part++)
        header.sections[part] = (gr_section){ w->offsets[part], w->sections[part].length,
                                              final_checksum(&w->sections[part]) };
    gr_binary_header_write(&header, bytes);
    return gr_sink_rewrite(w->sink, w->begin, bytes, sizeof bytes, err);
}
