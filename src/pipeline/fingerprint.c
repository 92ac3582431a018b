/* SPDX-License-Identifier: Apache-2.0 */
/* Fingerprint of a dataset: CRCs of chunks of its arrays, computed in parallel and combined in
 * order. */
#include "pipeline/fingerprint.h"

#include "base/crc32c.h"
#include "data/binned.h"

#include <stdlib.h>

enum { ROW_CHUNK = GR_SUM_BYTES };

/* Bytes of rows that may be further apart than they are long, numbered without the gaps. */
typedef struct chunks {
    const unsigned char *bytes;
    size_t size;                    /* of all rows together */
    size_t row, stride;             /* bytes of a row, and from one row to the next */
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
    free(s->sums);
    return status;
}

static gradus_status add_array(uint64_t *state, const void *bytes, size_t size, gr_pool *pool,
                               gradus_error *err)
{
    chunks s = { .bytes = bytes, .size = size, .row = size, .stride = size };

    return add_chunks(state, &s, pool, err);
}

/* The same for any stride of the caller's rows. */
static gradus_status add_values(uint64_t *state, const gradus_arrays *a,
                                const gradus_collectives *with, gr_pool *pool, gradus_error *err)
{
    const size_t row = a->features * sizeof *a->values;
    chunks s = { .bytes = (const unsigned char *)a->values,
                 .size = a->rows * row,
                 .row = row,
                 .stride = a->stride * sizeof *a->values,
                 .with = with };

    if (a->stride == a->features)
        s.row = s.stride = s.size;
    return add_chunks(state, &s, pool, err);
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
    if (gr_dataset_lacks_values(data)) {
        add_size(&state, a->rows * a->features * sizeof *a->values);
        for (size_t i = 0; i < data->binned->sum_count; i++)
            add_sum(&state, data->binned->sums[i]);
    } else if (gr_dataset_is_dense(data)) {
        GR_TRY(add_values(&state, a, with, pool, err));
    } else {
        const size_t entries = (size_t)a->row_starts[a->rows];

        GR_TRY(add_array(&state, a->row_starts, (a->rows + 1) * sizeof *a->row_starts, pool, err));
        GR_TRY(add_array(&state, a->columns, entries * sizeof *a->columns, pool, err));
        GR_TRY(add_array(&state, a->entries, entries * sizeof *a->entries, pool, err));
    }
    *fingerprint = state ? state : 1;
    return GRADUS_OK;
}
