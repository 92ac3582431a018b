/* SPDX-License-Identifier: Apache-2.0 */
/* Reads LETOR text in parallel. Each thread takes the next chunk (chunk of complete lines) and
 * parses it into a slot. A thread that finds the next chunk in file order parsed appends it, and
 * those that follow, to the builder. This takes one pass over any kind of input, and the first
 * error in the file is the one reported. There are more slots than threads, so that one delayed
 * thread does not block the others. */
#include "data/letor.h"

#include "data/letor_block.h"
#include "data/row_filter.h"
#include "data/row_windows.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { ROW_CHUNK = 1 << 18, SLOTS_A_THREAD = 3 };

typedef struct reader {
    gr_source *source;
    gr_builder *builder;
    const gradus_context *context;
    gr_id_tokens tokens;
    int first_id_option;
    gr_row_filter *filter;   /* protected by `input`; NULL: all rows are read */
    gr_row_windows *windows; /* NULL: none */

    pthread_mutex_t input; /* protects the fields up to `ended` */
    gr_array carry;        /* the incomplete line after the last chunk */
    size_t carried;
    size_t taken; /* chunks handed out */
    bool ended;

    struct slot *slots;
    size_t slot_count;

    pthread_mutex_t turn; /* protects the fields below and the states of the slots */
    pthread_cond_t freed; /* a slot became free */
    size_t appended;      /* chunks appended */
    size_t first_id;
    gradus_status status;
    bool appending; /* a thread is appending; only it uses the builder and the fields below */
    size_t lines;   /* lines in the appended chunks */
    bool any_rows, named;
    gradus_error *err;
} reader;

typedef enum slot_state { FREE, TAKEN, READY } slot_state;

/* A chunk and its parsed rows. */
typedef struct slot {
    slot_state state;
    gr_array text;
    size_t size;   /* bytes of complete lines in text */
    size_t number; /* number of the chunk */
    double share;  /* fraction of the file read up to its end */
    gradus_status input_status;
    gradus_error input_error;
    gr_letor_block block;
} slot;

static bool stopped(reader *r)
{
    pthread_mutex_lock(&r->turn);
    const bool stop = r->status != GRADUS_OK;
    pthread_mutex_unlock(&r->turn);
    return stop;
}

static size_t last_line_end(const char *text, size_t size)
{
    const char *at = memrchr(text, '\n', size);

    return at ? (size_t)(at - text) + 1 : 0;
}

static gradus_status too_long(const reader *r, gradus_error *err)
{
    return gr_fail(err, GRADUS_BAD_FORMAT, "%.300s: a line is longer than 64 MiB",
                   gr_source_name(r->source));
}

/* Fills w->text with complete lines: first the bytes carried over, then new ones. */
static gradus_status fill(reader *r, slot *w)
{
    size_t filled = r->carried;
    size_t wanted = ROW_CHUNK > 2 * filled ? ROW_CHUNK : 2 * filled;

    w->size = 0;
    while (w->size == 0 && !r->ended) {
        size_t got = 0;

        if (!gr_array_reserve(&w->text, wanted + 1 + GR_TEXT_PADDING))
            return gr_fail_memory(&w->input_error, "text");
        char *text = w->text.at;

        if (r->carried) {
            memcpy(text, r->carry.at, r->carried);
            r->carried = 0;
        }
        GR_TRY(gr_source_read(r->source, text + filled, wanted - filled, &got, &w->input_error));
        r->ended = got == 0;
        w->size = last_line_end(text + filled, got);
        w->size += w->size ? filled : 0;
        filled += got;
        if (filled == wanted && w->size == 0)
            wanted *= 2;
        if (filled > GR_LONGEST_LINE && w->size == 0)
            return too_long(r, &w->input_error);
    }
    char *text = w->text.at;

    if (r->ended && filled > w->size) { /* the last line has no line end */
        text[filled++] = '\n';
        w->size = filled;
    }
    if (!gr_array_reserve(&r->carry, filled - w->size))
        return gr_fail_memory(&w->input_error, "text");
    r->carried = filled - w->size;
    memcpy(r->carry.at, text + w->size, r->carried);
    return GRADUS_OK;
}

/* Reads the next chunk; false at the end of the input. */
static bool take_chunk(reader *r, slot *w)
{
    bool more;

    pthread_mutex_lock(&r->input);
    more = !r->ended;
    if (more) {
        w->input_status = fill(r, w);
        w->number = r->taken++;
        w->share = gr_source_share(r->source);
        if (w->input_status == GRADUS_OK && r->filter)
            w->size = gr_row_filter_text(r->filter, w->text.at, w->size);
        if (w->input_status != GRADUS_OK)
            r->ended = true;
        else
            memset((char *)w->text.at + w->size, 0, GR_TEXT_PADDING);
    }
    pthread_mutex_unlock(&r->input);
    return more;
}

static size_t assumed_first_id(reader *r)
{
    pthread_mutex_lock(&r->turn);
    const size_t first_id = r->first_id;
    pthread_mutex_unlock(&r->turn);
    return first_id;
}

static void parse(reader *r, slot *w)
{
    const char *text = w->text.at;
    size_t size = w->size;

    if (w->number == 0 && size >= 3 &&
        memcmp(text, "\xef\xbb\xbf", 3) == 0) { /* a byte order mark */
        text += 3;
        size -= 3;
    }
    w->block.first_id = assumed_first_id(r);
    gr_letor_block_parse(&w->block, text, size, &r->tokens);
    if (w->block.needs_zero) {
        if (r->first_id_option == GR_FIRST_1) {
            w->block.misfit.expected = "feature ids starting at 1 ('first-id 1')";
            return;
        }
        w->block.first_id = 0;
        gr_letor_block_parse(&w->block, text, size, &r->tokens);
    }
}

static gradus_status report(const reader *r, const gr_misfit *m)
{
    if (m->column == 0)
        return gr_fail(r->err, GRADUS_BAD_FORMAT, "%.300s:%zu: expected %s",
                       gr_source_name(r->source), r->lines + m->line + 1, m->expected);
    return gr_fail(r->err, GRADUS_BAD_FORMAT, "%.300s:%zu:%zu: expected %s, found %s%s%s",
                   gr_source_name(r->source), r->lines + m->line + 1, m->column, m->expected,
                   m->found[0] ? "'" : "", m->found[0] ? m->found : "the end of the line",
                   m->found[0] ? "'" : "");
}

static gradus_status append(reader *r, slot *w)
{
    const gr_block rows = gr_letor_block_rows(&w->block);

    if (w->input_status != GRADUS_OK) {
        if (r->err)
            *r->err = w->input_error;
        return w->input_status;
    }
    if (rows.rows && r->any_rows && r->named != (rows.runs > 0))
        return gr_fail(r->err, GRADUS_BAD_FORMAT,
                       "%.300s:%zu: expected %s'qid:', as in the previous rows",
                       gr_source_name(r->source), r->lines + 1, r->named ? "" : "no ");
    if (w->block.misfit.expected)
        return report(r, &w->block.misfit);
    GR_TRY(gr_builder_append(r->builder, &rows, r->err));
    r->lines += w->block.lines;
    if (rows.rows) {
        r->any_rows = true;
        r->named = rows.runs > 0;
    }
    return w->share < 1.0 ? gr_progress(r->context, "reading", w->share, r->err) : GRADUS_OK;
}

/* The slot of the next chunk in file order, if it has been parsed. */
static slot *next_ready(reader *r)
{
    for (size_t i = 0; i < r->slot_count; i++)
        if (r->slots[i].state == READY && r->slots[i].number == r->appended)
            return &r->slots[i];
    return NULL;
}

/* Appends all chunks that are ready, unless another thread is doing so: that thread will find
 * this slot, too. */
static void append_ready(reader *r, slot *done)
{
    slot *w;

    pthread_mutex_lock(&r->turn);
    done->state = READY;
    while (!r->appending && (w = next_ready(r))) {
        gradus_status status = r->status;

        r->appending = true;
        pthread_mutex_unlock(&r->turn);
        if (status == GRADUS_OK)
            status = append(r, w);
        pthread_mutex_lock(&r->turn);
        r->status = status;
        if (w->block.rows && w->block.first_id == 0)
            r->first_id = 0;
        r->appending = false;
        r->appended++;
        w->state = FREE;
        pthread_cond_broadcast(&r->freed);
    }
    pthread_mutex_unlock(&r->turn);
}

static slot *take_slot(reader *r)
{
    slot *found = NULL;

    pthread_mutex_lock(&r->turn);
    while (!found) {
        for (size_t i = 0; i < r->slot_count && !found; i++)
            if (r->slots[i].state == FREE)
                found = &r->slots[i];
        if (!found)
            pthread_cond_wait(&r->freed, &r->turn);
    }
    found->state = TAKEN;
    pthread_mutex_unlock(&r->turn);
    return found;
}

static void give_back(reader *r, slot *w)
{
    pthread_mutex_lock(&r->turn);
    w->state = FREE;
    pthread_cond_broadcast(&r->freed);
    pthread_mutex_unlock(&r->turn);
}

static void work(void *argument, size_t index, size_t thread)
{
    reader *r = argument;

    (void)index;
    (void)thread;
    for (;;) {
        slot *w = take_slot(r);

        if (stopped(r) || !take_chunk(r, w)) {
            give_back(r, w);
            return;
        }
        if (w->input_status == GRADUS_OK && !gr_letor_block_reserve(&w->block, w->size))
            w->input_status = gr_fail_memory(&w->input_error, "parsing text");
        if (w->input_status == GRADUS_OK)
            parse(r, w);
        append_ready(r, w);
        if (r->windows)
            gr_row_windows_work(r->windows);
    }
}

static void run(reader *r, gr_pool *pool)
{
    pthread_mutex_init(&r->input, NULL);
    pthread_mutex_init(&r->turn, NULL);
    pthread_cond_init(&r->freed, NULL);
    gr_pool_run(pool, gr_pool_threads(pool), work, r);
    pthread_cond_destroy(&r->freed);
    pthread_mutex_destroy(&r->turn);
    pthread_mutex_destroy(&r->input);
    for (size_t i = 0; i < r->slot_count; i++) {
        gr_letor_block_free(&r->slots[i].block);
        gr_array_free(&r->slots[i].text);
    }
    gr_array_free(&r->carry);
}

gradus_status gr_letor_read(gr_source *source, const gr_read_options *options,
                            gradus_context *context, gr_builder *builder, gradus_error *err)
{
    gr_pool *pool = gr_pool_of(context);
    const size_t threads = gr_pool_threads(pool);
    const size_t count = threads > 1 ? SLOTS_A_THREAD * threads : 1;
    reader *r = calloc(1, sizeof *r);
    slot *slots = calloc(count, sizeof *slots);
    gradus_status status = GRADUS_NO_MEMORY;

    if (r && slots) {
        *r = (reader){ .source = source, .builder = builder, .context = context, .err = err };
        r->slots = slots;
        r->slot_count = count;
        r->first_id_option = options->first_id;
        r->filter = options->filter;
        r->windows = options->windows;
        r->first_id = options->first_id != GR_FIRST_0;
        gr_id_tokens_fill(&r->tokens);
        run(r, pool);
        status = r->status == GRADUS_OK ? gr_progress(context, "reading", 1.0, err) : r->status;
    } else {
        gr_fail_memory(err, "reading text");
    }
    free(slots);
    free(r);
    return status;
}
