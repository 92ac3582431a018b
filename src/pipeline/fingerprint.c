/* SPDX-License-Identifier: Apache-2.0 */
/* Fingerprint of a dataset: CRCs of chunks of its arrays, computed in parallel and combined in
 * order. */
#include "pipeline/fingerprint.h"

#include "base/crc32c.h"
#include "data/binary.h"
#include "data/binary_header.h"
#include "data/binned.h"

#include <stdlib.h>

enum { ROW_CHUNK = GR_SUM_BYTES };

/* Bytes of rows that may be further apart than they are long, numbered without the gaps. */
typedef struct chunks {
    const unsigned char *bytes;
    size_t size;                    /* of all rows together */
    size_t row, stride;             /* bytes of a row, and from one row to the next */
    const uint32_t *known;          /* sums of GR_BINARY_BLOCK bytes each; NULL: none */
    const gradus_collectives *with; /* processes that divide the chunks; NULL: only this one */
    size_t first;                   /* the first chunk of this process */
    uint64_t *sums;
} chunks;

static void sum_chunk(void *argument, size_t index, size_t worker)
{
    const chunks *s = argument;
    const size_t chunk = s->first + index;
    size_t at = chunk * ROW_CHUNK, end = at + ROW_CHUNK;
    uint32_t sum = 0;

    (void)worker;
    if (end > s->size)
        end = s->size;
    for (size_t size; s->known && at < end; at += size) {
        size = end - at < GR_BINARY_BLOCK ? end - at : GR_BINARY_BLOCK;
        sum = gr_crc32c_combine(sum, s->known[at / GR_BINARY_BLOCK], size);
    }
    while (at < end) {
        const size_t left = s->row - at % s->row, bytes = left < end - at ? left : end - at;

        sum = gr_crc32c(sum, s->bytes + at / s->row * s->stride + at % s->row, bytes);
        at += bytes;
    }
    s->sums[chunk] = sum;
}

static void add_size(uint64_t *state, size_t size)
{
    *state = (*state ^ size) * 0x9e3779b97f4a7c15u;
}

static void add_sum(uint64_t *state, uint64_t sum)
{
    *state = ((*state ^ sum) * 0xbf58476d1ce4e5b9u) ^ (*state >> 29);
}

/* The caller frees the sums. */
static gradus_status add_chunks(uint64_t *state, chunks *s, gr_pool *pool, gradus_error *err)
{
    const size_t count = s->size / ROW_CHUNK + 1;
    const size_t rank = s->with ? s->with->rank : 0, size = s->with ? s->with->size : 1;
    const size_t end = count / size * (rank + 1) + count % size * (rank + 1) / size;
    gradus_status status = GRADUS_OK;

    s->sums = gr_new_array(count, sizeof *s->sums);
    if (!s->sums)
        return gr_fail_memory(err, "checksums");
    s->first = count / size * rank + count % size * rank / size;
    if (s->bytes)
        gr_pool_run(pool, end - s->first, sum_chunk, s);
    if (s->with)
        status = s->with->sum(s->with->state, (int64_t *)s->sums, count, err);
    add_size(state, s->size);
    for (size_t i = 0; i < count; i++)
        add_sum(state, s->sums[i]);
    return status;
}

static gradus_status add_once(uint64_t *state, chunks *s, gr_pool *pool, gradus_error *err)
{
    const gradus_status status = add_chunks(state, s, pool, err);

    free(s->sums);
    return status;
}

static gradus_status add_array(uint64_t *state, const void *bytes, size_t size, gr_pool *pool,
                               gradus_error *err)
{
    chunks s = { .bytes = bytes, .size = size, .row = size, .stride = size };

    return add_once(state, &s, pool, err);
}

/* Dense values, of any stride of the caller's rows. */
static chunks value_chunks(const gradus_dataset *data, const gradus_collectives *with)
{
    const gradus_arrays *a = &data->arrays;
    const size_t row = a->features * sizeof *a->values;
    chunks s = { .bytes = (const unsigned char *)a->values,
                 .size = a->rows * row,
                 .row = row,
                 .stride = a->stride * sizeof *a->values,
                 .with = with };

    if (a->stride == a->features)
        s.row = s.stride = s.size;
    if (data->binary)
        s.known = gr_binary_value_sums(data->binary, a->values);
    return s;
}

/* ---- Values that are divided among processes ---- */

/* What a piece of a chunk adds to the sum of the chunk, which has `after` bytes after it: sums are
 * linear, so the sum of a chunk is the exclusive or of those of its pieces. */
static uint32_t piece_sum(const unsigned char *bytes, size_t size, size_t after,
                          const unsigned char *zeros)
{
    return gr_crc32c(gr_crc32c(0, bytes, size), zeros, after) ^ gr_crc32c(0, zeros, after);
}

typedef struct divided {
    const unsigned char *bytes; /* of this process */
    size_t begin, end, size;    /* where they are among the bytes of all, and the bytes of all */
    const unsigned char *zeros; /* ROW_CHUNK of them */
    uint64_t *whole, *pieces;   /* per chunk; the first and the last chunk of each process */
    size_t rank;
} divided;

static void sum_piece(void *argument, size_t index, size_t worker)
{
    const divided *d = argument;
    const size_t chunk = d->begin / ROW_CHUNK + index, at = chunk * ROW_CHUNK;
    const size_t stop = d->size - at < ROW_CHUNK ? d->size : at + ROW_CHUNK;
    const size_t first = at < d->begin ? d->begin : at, end = stop < d->end ? stop : d->end;
    const uint32_t sum =
        piece_sum(d->bytes + (first - d->begin), end - first, stop - end, d->zeros);

    (void)worker;
    if (first == at && end == stop)
        d->whole[chunk] = sum;
    else
        d->pieces[2 * d->rank + (first == at)] = sum;
}

/* Adds the pieces to the sums of their chunks. */
static void join_pieces(const divided *d, const gr_share *part, size_t row)
{
    for (size_t i = 0; i < part->with->size; i++) {
        const size_t begin = (size_t)part->row_cuts[i] * row,
                     end = (size_t)part->row_cuts[i + 1] * row;

        if (d->pieces[2 * i])
            d->whole[begin / ROW_CHUNK] ^= d->pieces[2 * i];
        if (d->pieces[2 * i + 1])
            d->whole[(end - 1) / ROW_CHUNK] ^= d->pieces[2 * i + 1];
    }
}

static gradus_status sum_divided(divided *d, const gr_share *part, size_t count, gr_pool *pool,
                                 gradus_error *err)
{
    if (d->end > d->begin)
        gr_pool_run(pool, (d->end - 1) / ROW_CHUNK - d->begin / ROW_CHUNK + 1, sum_piece, d);
    GR_TRY(gr_share_sum_words(part, d->whole, count, err));
    return gr_share_sum_words(part, d->pieces, 2 * part->with->size, err);
}

static gradus_status add_divided(uint64_t *state, const gradus_dataset *data, gr_pool *pool,
                                 gradus_error *err)
{
    const gr_share *part = data->part;
    const size_t row = data->arrays.features * sizeof(float), size = data->arrays.rows * row;
    const size_t count = size / ROW_CHUNK + 1, rank = part->with->rank;
    gr_arena arena = { NULL, false };
    divided d = { .bytes = data->own_values.at,
                  .begin = (size_t)part->row_cuts[rank] * row,
                  .end = (size_t)part->row_cuts[rank + 1] * row,
                  .size = size,
                  .zeros = gr_arena_array(&arena, ROW_CHUNK, 1),
                  .whole = gr_arena_array(&arena, count, sizeof(uint64_t)),
                  .pieces = gr_arena_array(&arena, 2 * part->with->size, sizeof(uint64_t)),
                  .rank = rank };
    const gradus_status status =
        arena.failed ? gr_fail_memory(err, "checksums") : sum_divided(&d, part, count, pool, err);

    if (status == GRADUS_OK) {
        join_pieces(&d, part, row);
        add_size(state, size);
        for (size_t i = 0; i < count; i++)
            add_sum(state, d.whole[i]);
    }
    gr_arena_free(&arena);
    return status;
}

/* ---- Values that are not there ---- */

static void add_known_sums(uint64_t *state, const gr_binned *binned)
{
    const uint32_t *sum = binned->sums;

    for (size_t i = 0; i < binned->array_count; i++) {
        const size_t count = (size_t)(binned->array_bytes[i] / ROW_CHUNK + 1);

        add_size(state, (size_t)binned->array_bytes[i]);
        for (size_t c = 0; c < count; c++)
            add_sum(state, *sum++);
    }
}

/* Appends the sums of one array of values. */
static gradus_status keep_sums(gr_binned *values, chunks *s, gr_pool *pool, gradus_error *err)
{
    const size_t count = s->size / ROW_CHUNK + 1;
    uint32_t *sums = realloc(values->sums, (values->sum_count + count) * sizeof *sums);
    uint64_t ignored = 0;
    gradus_status status;

    if (!sums)
        return gr_fail_memory(err, "checksums");
    values->sums = sums;
    status = add_chunks(&ignored, s, pool, err);
    for (size_t i = 0; i < count && status == GRADUS_OK; i++)
        sums[values->sum_count++] = (uint32_t)s->sums[i];
    free(s->sums);
    values->array_bytes[values->array_count++] = s->size;
    return status;
}

gradus_status gr_value_sums(const gradus_dataset *data, gr_pool *pool, gr_binned *values,
                            gradus_error *err)
{
    const gradus_arrays *a = &data->arrays;
    const size_t entries = gr_dataset_is_dense(data) ? 0 : (size_t)a->row_starts[a->rows];
    const void *const arrays[3] = { a->row_starts, a->columns, a->entries };
    const size_t bytes[3] = { (a->rows + 1) * sizeof *a->row_starts, entries * sizeof *a->columns,
                              entries * sizeof *a->entries };
    chunks dense = value_chunks(data, NULL);

    if (gr_dataset_is_dense(data))
        return keep_sums(values, &dense, pool, err);
    for (size_t i = 0; i < 3; i++) {
        chunks s = { .bytes = arrays[i], .size = bytes[i], .row = bytes[i], .stride = bytes[i] };

        GR_TRY(keep_sums(values, &s, pool, err));
    }
    return GRADUS_OK;
}

gradus_status gr_fingerprint(const gradus_dataset *data, const gradus_collectives *with,
                             gr_pool *pool, uint64_t *fingerprint, gradus_error *err)
{
    const gradus_arrays *a = &data->arrays;
    uint64_t state = 0x6772616475730001u ^ a->rows ^ (uint64_t)a->features << 32;

    GR_TRY(add_array(&state, a->labels, a->rows * sizeof *a->labels, pool, err));
    GR_TRY(
        add_array(&state, a->query_starts, (a->queries + 1) * sizeof *a->query_starts, pool, err));
    if (a->row_weights)
        GR_TRY(add_array(&state, a->row_weights, a->rows * sizeof *a->row_weights, pool, err));
    if (a->query_weights)
        GR_TRY(
            add_array(&state, a->query_weights, a->queries * sizeof *a->query_weights, pool, err));
    if (gr_dataset_is_divided(data)) {
        GR_TRY(add_divided(&state, data, pool, err));
    } else if (gr_dataset_lacks_values(data)) {
        add_known_sums(&state, data->binned);
    } else if (gr_dataset_is_dense(data)) {
        chunks s = value_chunks(data, with);

        GR_TRY(add_once(&state, &s, pool, err));
    } else {
        const size_t entries = (size_t)a->row_starts[a->rows];

        GR_TRY(add_array(&state, a->row_starts, (a->rows + 1) * sizeof *a->row_starts, pool, err));
        GR_TRY(add_array(&state, a->columns, entries * sizeof *a->columns, pool, err));
        GR_TRY(add_array(&state, a->entries, entries * sizeof *a->entries, pool, err));
    }
    *fingerprint = state ? state : 1;
    return GRADUS_OK;
}
