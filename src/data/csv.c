/* SPDX-License-Identifier: Apache-2.0 */
/* Reads CSV. One thread reads lines and divides them into blocks, all threads parse blocks, and the
 * blocks are appended in order. Blocks are divided by size, so that the result does not depend on
 * the number of threads. */
#include "data/csv.h"

#include "data/csv_block.h"
#include "data/row_filter.h"
#include "data/row_windows.h"

#include <stdlib.h>

typedef struct reading {
    gr_lines lines;
    gr_csv_layout layout;
    gr_csv_block *blocks;
    size_t slots;
    gr_row_filter *filter;   /* NULL: all rows are read */
    gr_row_windows *windows; /* NULL: none */
} reading;

/* Reads the next record that is not blank. */
static gradus_status next_record(gr_lines *lines, bool *more, gradus_error *err)
{
    do {
        GR_TRY(gr_lines_next(lines, more, err));
        if (!*more)
            return GRADUS_OK;
    } while (gr_skip_blanks(lines->line, lines->end) == lines->end);
    return gr_csv_complete(lines, err);
}

static gradus_status fill_block(reading *from, gr_csv_block *block, bool *more, gradus_error *err)
{
    gr_csv_block_clear(block);
    while (*more && block->text_used < GR_CSV_BLOCK) {
        GR_TRY(next_record(&from->lines, more, err));
        if (*more && (!from->filter || gr_row_filter_keeps(from->filter)))
            GR_TRY(gr_csv_block_add(block, &from->lines, err));
    }
    return GRADUS_OK;
}

static void parse_task(void *argument, size_t index, size_t worker)
{
    reading *from = argument;

    (void)worker;
    gr_csv_block_parse(&from->blocks[index], &from->layout, from->lines.source);
}

static void window_task(void *argument, size_t index, size_t worker)
{
    (void)index;
    (void)worker;
    gr_row_windows_work(argument);
}

static gradus_status append_blocks(const reading *from, size_t count, gr_builder *builder,
                                   gradus_error *err)
{
    for (size_t i = 0; i < count; i++) {
        const gr_csv_block *block = &from->blocks[i];

        if (block->status != GRADUS_OK)
            return gr_fail(err, block->status, "%s", block->err.message);
        GR_TRY(gr_csv_block_append(block, &from->layout, builder, err));
    }
    return GRADUS_OK;
}

/* Reads, parses and appends one block per slot in each round. An error in a line that was read is
 * reported before an error of reading further. */
static gradus_status read_rows(reading *from, gradus_context *context, gr_builder *builder,
                               gradus_error *err)
{
    bool more = true;

    while (more) {
        gradus_error failure = { GRADUS_OK, "" };
        gradus_status status = GRADUS_OK;
        size_t count = 0;

        while (count < from->slots && more && status == GRADUS_OK)
            status = fill_block(from, &from->blocks[count++], &more, &failure);
        gr_pool_run(gr_pool_of(context), count, parse_task, from);
        GR_TRY(append_blocks(from, count, builder, err));
        if (from->windows)
            gr_pool_run(gr_pool_of(context), count, window_task, from->windows);
        if (status != GRADUS_OK)
            return gr_fail(err, status, "%s", failure.message);
        if (more)
            GR_TRY(gr_progress(context, "reading", gr_source_share(from->lines.source), err));
    }
    return gr_progress(context, "reading", 1.0, err);
}

static gradus_status name_features(const gr_csv_layout *layout, gr_builder *builder,
                                   gradus_error *err)
{
    const gr_names names = gr_name_list_names(&layout->columns.names.list);

    for (size_t c = 0; c < layout->columns.count; c++)
        if (layout->columns.roles[c] == GR_COLUMN_FEATURE)
            GR_TRY(gr_builder_name_feature(builder, gr_name_at(&names, c),
                                           (size_t)(names.starts[c + 1] - names.starts[c]) - 1,
                                           err));
    return GRADUS_OK;
}

static gradus_status read_header(reading *from, const gr_read_options *options,
                                 gradus_context *context, gradus_error *err)
{
    bool more;

    GR_TRY(next_record(&from->lines, &more, err));
    if (!more)
        return gr_fail(err, GRADUS_BAD_FORMAT, "%.300s: the file is empty; expected a header",
                       gr_source_name(from->lines.source));
    return gr_csv_layout_read(&from->lines, options, context, &from->layout, err);
}

static gradus_status read_all(reading *from, const gr_read_options *options,
                              gradus_context *context, gr_builder *builder, gradus_error *err)
{
    GR_TRY(read_header(from, options, context, err));
    GR_TRY(name_features(&from->layout, builder, err));
    from->blocks = gr_new_array(from->slots, sizeof *from->blocks);
    if (!from->blocks)
        return gr_fail_memory(err, "a CSV file");
    return read_rows(from, context, builder, err);
}

gradus_status gr_csv_read(gr_source *source, const gr_read_options *options,
                          gradus_context *context, gr_builder *builder, gradus_error *err)
{
    reading from = { .lines = { .source = source },
                     .slots = gr_stream_slots(gr_pool_of(context)),
                     .filter = options->filter,
                     .windows = options->windows };
    const gradus_status status = read_all(&from, options, context, builder, err);

    for (size_t i = 0; from.blocks && i < from.slots; i++)
        gr_csv_block_free(&from.blocks[i]);
    free(from.blocks);
    gr_csv_layout_free(&from.layout);
    gr_lines_free(&from.lines);
    return status;
}
