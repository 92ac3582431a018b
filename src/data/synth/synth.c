/* SPDX-License-Identifier: Apache-2.0 */
/* The table of synthetic sets, and the stream of blocks that generates one. */
#include "data/synth/synth.h"

#include <stdlib.h>

static const gr_synth *const synths[] = {
#define GR_SYNTH(name) &gr_synth_##name,
#include "data/synth/synths.def"
#undef GR_SYNTH
};

enum { SYNTHS = sizeof synths / sizeof *synths };

const gr_about *gr_synth_at(size_t index)
{
    return index < SYNTHS ? &synths[index]->about : NULL;
}

static const gr_synth *synth_of(const gr_operation *operation)
{
    for (size_t s = 0; s < SYNTHS; s++)
        if (synths[s]->operation == operation)
            return synths[s];
    return NULL;
}

void gr_synth_close(gr_synth_set *set)
{
    if (set->synth && set->plan)
        set->synth->end(set->plan);
    set->plan = NULL;
}

gradus_status gr_synth_open(gr_synth_set *set, const gradus_options *options, gr_pool *pool,
                            gradus_error *err)
{
    *set = (gr_synth_set){ .synth = synth_of(options->operation) };
    if (!set->synth)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "options for '%s' do not describe a synthetic set",
                       options->operation->name);
    const gradus_status status =
        set->synth->prepare(options->values, pool, &set->shape, &set->plan, err);

    if (status != GRADUS_OK)
        gr_synth_close(set);
    return status;
}

typedef struct stream_state {
    const gr_synth_set *set;
    gr_synth_take take;
    void *argument;
    gr_synth_block blocks[GR_STREAM_SLOTS];
} stream_state;

static gradus_status make_block(void *argument, size_t index, size_t slot, gradus_error *err)
{
    stream_state *state = argument;
    const gr_synth_set *set = state->set;
    const gr_synth_shape *shape = &set->shape;
    gr_synth_block *block = &state->blocks[slot];
    const uint64_t first = (uint64_t)index * shape->queries_in_block;
    const uint64_t left = shape->queries - first;
    const uint64_t count = left < shape->queries_in_block ? left : shape->queries_in_block;

    gr_synth_block_clear(block);
    for (uint64_t q = 0; q < count; q++)
        GR_TRY(set->synth->make(set->plan, shape->first_query + first + q, block, err));
    gr_synth_block_end(block);
    return GRADUS_OK;
}

static gradus_status take_block(void *argument, size_t index, size_t slot, gradus_error *err)
{
    stream_state *state = argument;

    (void)index;
    return state->take(state->argument, &state->blocks[slot], err);
}

static gradus_status run_stream(stream_state *state, size_t slots, gradus_context *context,
                                gradus_error *err)
{
    const gr_synth_shape *shape = &state->set->shape;
    const uint64_t size = shape->queries_in_block;
    const size_t count = (size_t)(shape->queries / size + (shape->queries % size != 0));
    const gr_stream stream = { make_block, take_block, state, slots, context, "generating" };

    for (size_t slot = 0; slot < slots; slot++)
        GR_TRY(gr_synth_block_new(&state->blocks[slot], shape, err));
    return gr_pool_stream(gr_pool_of(context), count, &stream, err);
}

gradus_status gr_synth_stream(const gr_synth_set *set, gradus_context *context, gr_synth_take take,
                              void *argument, gradus_error *err)
{
    const size_t slots = gr_stream_slots(gr_pool_of(context));
    stream_state *state = calloc(1, sizeof *state);
    gradus_status status;

    if (!state)
        return gr_fail_memory(err, "synthetic rows");
    *state = (stream_state){ .set = set, .take = take, .argument = argument };
    status = run_stream(state, slots, context, err);
    for (size_t slot = 0; slot < slots; slot++)
        gr_synth_block_free(&state->blocks[slot]);
    free(state);
    return status;
}

static gradus_status write_block(void *argument, const gr_synth_block *block, gradus_error *err)
{
    return gr_row_writer_append(argument, block->data, err);
}

gradus_status gr_synth_write(const gr_synth_set *set, const char *path,
                             const gr_write_options *options, gradus_context *context,
                             gradus_error *err)
{
    const unsigned rows = set->shape.sparse
                              ? 1u << GR_ROW_STARTS | 1u << GR_COLUMNS | 1u << GR_ENTRIES
                              : 1u << GR_VALUES;
    const gr_row_shape shape = {
        .features = set->shape.features,
        .first_id = 1,
        .parts = rows | 1u << GR_LABELS | 1u << GR_QUERY_STARTS | 1u << GR_QUERY_BYTES |
                 1u << GR_QUERY_NAMES,
        .names_last = set->shape.sparse,
    };
    gradus_error local = { GRADUS_OK, "" };
    gradus_error *told = err ? err : &local;
    gr_row_writer *writer = gr_row_writer_open(path, options, &shape, gr_pool_of(context), told);

    if (!writer)
        return told->status;
    const gradus_status status = gr_synth_stream(set, context, write_block, writer, told);

    if (status == GRADUS_OK)
        return gr_row_writer_close(writer, told);
    gr_row_writer_abandon(writer);
    return status;
}

static gradus_status append_block(void *argument, const gr_synth_block *block, gradus_error *err)
{
    return gr_synth_block_append(argument, block, err);
}

gradus_dataset *gr_synth_dataset(const gr_synth_set *set, gradus_context *context,
                                 gradus_error *err)
{
    gr_synth_block whole;

    if (gr_synth_block_new(&whole, &set->shape, err) != GRADUS_OK)
        return NULL;
    if (gr_synth_stream(set, context, append_block, &whole, err) != GRADUS_OK) {
        gr_synth_block_free(&whole);
        return NULL;
    }
    gr_synth_block_end(&whole);
    return whole.data;
}
