/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a complete dataset. Checksums are computed first, in parallel, so that the header can
 * precede the sections and the output can be a pipe. */
#include "data/binary.h"

#include "base/crc32c.h"
#include "data/binary_header.h"

#include <stdlib.h>

static const unsigned char ZEROS[GR_BINARY_ALIGN];

typedef struct plan {
    const gradus_dataset *data;
    gr_binary_header header;
    gr_part part; /* the section being checksummed */
    uint32_t *of_block;
    unsigned char *buffers; /* one block per thread */
} plan;

static void lay_out(plan *p)
{
    const gradus_arrays *a = &p->data->arrays;
    uint64_t at = GR_BINARY_HEADER;

    p->header.rows = a->rows;
    p->header.features = a->features;
    p->header.queries = a->queries;
    p->header.first_id = p->data->first_id;
    p->header.parts = gr_parts_of(p->data);
    for (size_t n = 0; n < GR_PARTS; n++) {
        const gr_part part = gr_binary_order(n);
        gr_section *section = &p->header.sections[part];

        if (!(p->header.parts & GR_PART(part)))
            continue;
        section->offset = gr_binary_align(at);
        section->length = gr_part_count(p->data, part) * gr_part_size(part);
        at = section->offset + section->length;
    }
    p->header.file_size = at;
}

/* Block b of a section, and its size. */
static const void *block_of(const plan *p, gr_part part, size_t b, void *buffer, size_t *size)
{
    const uint64_t at = (uint64_t)b * GR_BINARY_BLOCK;
    const uint64_t left = p->header.sections[part].length - at;
    const size_t item = gr_part_size(part);

    *size = (size_t)(left < GR_BINARY_BLOCK ? left : GR_BINARY_BLOCK);
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

gradus_status gr_binary_write(const gradus_dataset *data, gr_sink *sink, gr_pool *pool,
                              gradus_error *err)
{
    plan p = { .data = data };
    gradus_status status;

    GR_TRY(gr_dataset_need(data, GR_NEED_ALL, pool, err));
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
