/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a complete dataset. Checksums are computed first, in parallel, so that the header can
 * precede the sections and the output can be a pipe. */
#include "data/binary.h"

#include "base/crc32c.h"
#include "data/binary_header.h"

#include <stdlib.h>
#include <string.h>

static const unsigned char ZEROS[GR_BINARY_ALIGN];

typedef struct plan {
    const gradus_dataset *data;
    const gr_section_pieces *bins; /* NULL: values are written */
    gr_binary_header header;
    gr_part part; /* the section being checksummed */
    uint32_t *of_block;
    unsigned char *buffers; /* one block per thread */
} plan;

static uint64_t section_bytes(const plan *p, gr_part part)
{
    uint64_t bytes = 0;

    if (part < GR_BIN_TABLE)
        return gr_part_count(p->data, part) * gr_part_size(part);
    for (size_t i = 0; p->bins && i < p->bins[part - GR_BIN_TABLE].count; i++)
        bytes += p->bins[part - GR_BIN_TABLE].bytes[i];
    return bytes;
}

static void lay_out(plan *p)
{
    const gradus_arrays *a = &p->data->arrays;
    uint64_t at = GR_BINARY_HEADER;

    p->header.rows = a->rows;
    p->header.features = a->features;
    p->header.queries = a->queries;
    p->header.first_id = p->data->first_id;
    p->header.parts = gr_parts_of(p->data);
    if (p->bins)
        p->header.parts = (p->header.parts & ~(unsigned)GR_NEED_VALUES) | GR_NEED_BINS;
    for (size_t n = 0; n < GR_PARTS; n++) {
        const gr_part part = gr_binary_order(n);
        gr_section *section = &p->header.sections[part];

        if (!(p->header.parts & GR_PART(part)))
            continue;
        section->offset = gr_binary_align(at);
        section->length = section_bytes(p, part);
        at = section->offset + section->length;
    }
    p->header.file_size = at;
}

/* Bytes of a section that is in pieces. */
static const void *from_pieces(const gr_section_pieces *pieces, uint64_t at, size_t size,
                               unsigned char *buffer)
{
    size_t done = 0;

    for (size_t i = 0; i < pieces->count && done < size; i++) {
        if (at >= pieces->bytes[i]) {
            at -= pieces->bytes[i];
            continue;
        }
        const uint64_t left = pieces->bytes[i] - at;
        const size_t now = left < size - done ? (size_t)left : size - done;

        memcpy(buffer + done, (const unsigned char *)pieces->at[i] + at, now);
        done += now;
        at = 0;
    }
    return buffer;
}

/* Block b of a section, and its size. */
static const void *block_of(const plan *p, gr_part part, size_t b, void *buffer, size_t *size)
{
    const uint64_t at = (uint64_t)b * GR_BINARY_BLOCK;
    const uint64_t left = p->header.sections[part].length - at;
    const size_t item = gr_part_size(part);

    *size = (size_t)(left < GR_BINARY_BLOCK ? left : GR_BINARY_BLOCK);
    if (part >= GR_BIN_TABLE)
        return from_pieces(&p->bins[part - GR_BIN_TABLE], at, *size, buffer);
    return gr_part_items(p->data, part, at / item, *size / item, 0, buffer);
}

static size_t blocks_of(const plan *p, gr_part part)
{
    return (size_t)((p->header.sections[part].length + GR_BINARY_BLOCK - 1) / GR_BINARY_BLOCK);
}

static void checksum_block(void *argument, size_t index, size_t worker)
{
    const plan *p = argument;
    size_t size;
    const void *bytes = block_of(p, p->part, index, p->buffers + worker * GR_BINARY_BLOCK, &size);

    p->of_block[index] = gr_crc32c(0, bytes, size);
}

static gradus_status checksum_sections(plan *p, gr_pool *pool, gradus_error *err)
{
    for (int part = 0; part < GR_PARTS; part++) {
        const size_t blocks = blocks_of(p, (gr_part)part);

        if (!(p->header.parts & GR_PART(part)))
            continue;
        p->part = (gr_part)part;
        p->of_block = gr_new_array(blocks, sizeof *p->of_block);
        if (!p->of_block)
            return gr_fail_memory(err, "checksums");
        gr_pool_run(pool, blocks, checksum_block, p);
        p->header.sections[part].checksum = gr_crc32c(0, p->of_block, blocks * sizeof *p->of_block);
        free(p->of_block);
    }
    return GRADUS_OK;
}

static gradus_status write_section(const plan *p, gr_part part, uint64_t begin, gr_sink *sink,
                                   gradus_error *err)
{
    const uint64_t at = gr_sink_size(sink) - begin;

    GR_TRY(gr_sink_write(sink, ZEROS, (size_t)(p->header.sections[part].offset - at), err));
    for (size_t b = 0; b < blocks_of(p, part); b++) {
        size_t size;
        const void *bytes = block_of(p, part, b, p->buffers, &size);

        GR_TRY(gr_sink_write(sink, bytes, size, err));
    }
    return GRADUS_OK;
}

static gradus_status write_file(const plan *p, gr_sink *sink, gradus_error *err)
{
    unsigned char header[GR_BINARY_HEADER];
    const uint64_t begin = gr_sink_size(sink);

    gr_binary_header_write(&p->header, header);
    GR_TRY(gr_sink_write(sink, header, sizeof header, err));
    for (size_t n = 0; n < GR_PARTS; n++)
        if (p->header.parts & GR_PART(gr_binary_order(n)))
            GR_TRY(write_section(p, gr_binary_order(n), begin, sink, err));
    return GRADUS_OK;
}

static gradus_status write_all(plan p, gr_sink *sink, gr_pool *pool, gradus_error *err)
{
    gradus_status status;

    p.buffers = gr_new_array(gr_pool_threads(pool), GR_BINARY_BLOCK);
    if (!p.buffers)
        return gr_fail_memory(err, "a data file");
    lay_out(&p);
    status = checksum_sections(&p, pool, err);
    if (status == GRADUS_OK)
        status = write_file(&p, sink, err);
    free(p.buffers);
    return status;
}

gradus_status gr_binary_write(const gradus_dataset *data, gr_sink *sink, gr_pool *pool,
                              gradus_error *err)
{
    GR_TRY(gr_dataset_need(data, GR_NEED_ALL, pool, err));
    return write_all((plan){ .data = data }, sink, pool, err);
}

gradus_status gr_binary_write_binned(const gradus_dataset *data, const gr_section_pieces bins[4],
                                     gr_sink *sink, gr_pool *pool, gradus_error *err)
{
    GR_TRY(gr_dataset_need(data, GR_NEED_ALL & ~(unsigned)GR_NEED_VALUES, pool, err));
    return write_all((plan){ .data = data, .bins = bins }, sink, pool, err);
}
